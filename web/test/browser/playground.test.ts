import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { test } from "node:test";
import type { BrowserContextOptions, Page } from "playwright-core";
import { LESSONS } from "../../src/play/lessons/index.js";
import { readState, writeState } from "../../src/play/state.js";
import { browser, browserNames, httpUrl, inBrowsers, opened, pageUrl } from "../support/browsers.js";
import { command } from "../support/engine.js";
import type {} from "../pages/engine.js";

const url = pageUrl("playground");
const PHONE: BrowserContextOptions = { viewport: { width: 390, height: 844 }, hasTouch: true };
/** A run of a few milliseconds. */
const SMALL = 'cc = "reno"\ntime = "3 s"\nwarmup = "0 s"\nseeds = 1\n\n[dumbbell]\nrate = "5 Mbit/s"\n';

/** Minutes of work: it ends by being replaced. */
const LONG = 'cc = "reno"\ntime = "80000 s"\nwarmup = "0 s"\nseeds = 1\n\n[dumbbell]\nrate = "1 Gbit/s"\n';

/** A path for each point. */
const SWEEP = `${SMALL}\n[sweep]\n"dumbbell.rate" = ["5 Mbit/s", "2 Mbit/s"]\n`;

/** Half a million packets: their queue changes a million times, and is looked at 40 times in the time of each. */
const MILLION = 'cc = "cubic"\ntime = "60 s"\nwarmup = "0 s"\nseeds = 1\n\n[dumbbell]\nrate = "100 Mbit/s"\nrtt = "40 ms"\n';
/** Many losses, and so many changes with a cause. */
const MANY_LOSSES = 'cc = "reno"\ntime = "120 s"\nwarmup = "0 s"\nseeds = 1\n\n[dumbbell]\nrate = "20 Mbit/s"\nrtt = "20 ms"\nloss = "3 %"\n';

/** The address of the page with this experiment. */
const urlOf = (toml: string) => async (): Promise<string> => url + (await writeState({ toml, beside: undefined, lesson: undefined }));

/** Waits until the address no longer changes, and gives it. */
async function shared(page: Page): Promise<string> {
  await page.waitForFunction(async () => {
    const before = location.href;
    await new Promise((done) => { setTimeout(done, 400); });
    return location.href === before && location.hash.length > 20;
  });
  return page.evaluate(() => location.href);
}

/** Waits until the results of these settings are on the page. */
async function settled(page: Page): Promise<void> {
  await page.waitForSelector(".results tbody tr");
  await page.waitForFunction(() => document.querySelector("progress:not([hidden])") === null);
}

/** The goodput in a row of the results. */
async function goodput(page: Page, row = 0): Promise<number> {
  return Number.parseFloat((await page.locator(".results tbody tr").nth(row).locator("td").first().textContent()) ?? "");
}

async function waitForGoodput(page: Page, right: string): Promise<void> {
  await page.waitForFunction(
    (condition) => {
      const value = Number.parseFloat(document.querySelector(".results tbody tr td")?.textContent ?? "");
      const [sign, bound] = [condition.slice(0, 1), Number(condition.slice(1))];
      return sign === ">" ? value > bound : value < bound;
    },
    right,
  );
}

/** The words of the element that has the focus: of a group its heading. */
const focusWords = (page: Page): Promise<string> => page.evaluate(() => {
  const focused = document.activeElement;
  return (focused?.querySelector(":scope > legend") ?? focused)?.textContent.slice(0, 100) ?? "";
});

/** Presses a button by the keyboard. */
async function pressed(page: Page, name: string | RegExp): Promise<void> {
  await page.getByRole("button", { name, exact: typeof name === "string" }).first().focus();
  await page.keyboard.press("Enter");
}

inBrowsers("the playground draws a path and simulates it as it opens", url, async ({ page }) => {
  await settled(page);
  assert.equal(await page.locator(".results tbody tr").count(), 3);
  assert.match((await page.locator("svg.path").getAttribute("aria-label")) ?? "", /bottleneck: 10\sMbit\/s, 10\sms one way/);
  assert.ok((await page.locator(".panel").count()) >= 5);
});

inBrowsers("its path is drawn before the engine is there", urlOf(SMALL), async ({ page }) => {
  await page.addInitScript(() => {
    new MutationObserver((_, observer) => {
      if (document.querySelector("svg.path .link") === null) return;
      observer.disconnect();
      const texts = ["h1", ".status"].map((part) => document.querySelector(part)?.textContent);
      const path = document.querySelector("svg.path")?.getAttribute("aria-label");
      document.documentElement.dataset.early = [...texts, path, document.querySelectorAll("fieldset").length].join(": ");
    }).observe(document, { childList: true, subtree: true });
  });
  await page.reload();
  await settled(page);
  const early = await page.evaluate(() => document.documentElement.dataset.early);
  assert.match(early ?? "", /^Westwood playground: The simulator is being unpacked\u2026: The path: bottleneck: 5\sMbit\/s.*: 0$/);
  assert.equal(await page.locator("h1").count(), 1);
  assert.equal(await page.getByText("being unpacked").count(), 0);
});

inBrowsers("a setting that is turned changes the drawing and the results, and the address holds it", url, async ({ page }) => {
  await settled(page);
  await page.waitForFunction(() => location.hash.length > 20);
  const first = await page.evaluate(() => location.hash);
  await page.locator('[name="dumbbell.rate"]').fill("2 Mbit/s");
  await waitForGoodput(page, "<2");
  assert.match((await page.locator("svg.path").getAttribute("aria-label")) ?? "", /bottleneck: 2\sMbit\/s/);
  await page.waitForFunction((before) => location.hash !== before, first);
  await settled(page);
  const shared = await page.evaluate(() => location.href);
  const before = await page.locator(".results tbody").first().textContent();
  await page.goto("about:blank");
  await page.goto(shared);
  await settled(page);
  assert.equal(await page.locator('[name="dumbbell.rate"]').inputValue(), "2 Mbit/s");
  await page.waitForFunction((text) => document.querySelector(".results tbody")?.textContent === text, before);
});

/** Leaves all of its path to the defaults. */
const BARE = SMALL.replace('rate = "5 Mbit/s"\n', "");

inBrowsers("the slider of an empty field stands at what holds without it", urlOf(BARE), async ({ page }) => {
  await settled(page);
  const [rate, back] = [page.getByLabel(/^Rate, from/), page.getByLabel(/^Rate back, from/)];
  const at = async (): Promise<(string | null)[]> =>
    Promise.all([rate.getAttribute("aria-valuetext"), back.getAttribute("aria-valuetext")]);
  assert.deepEqual([await rate.isEnabled(), await back.isEnabled()], [true, true]);
  assert.deepEqual(await at(), ["10 Mbit/s", "10 Mbit/s"]);
  await page.locator('[name="dumbbell.rate"]').fill("2 Mbit/s");
  assert.deepEqual(await at(), ["2 Mbit/s", "2 Mbit/s"]);
});

inBrowsers("a field whose values a sweep gives says so and cannot be changed", urlOf(SWEEP), async ({ page }) => {
  await settled(page);
  const rate = page.locator('[name="dumbbell.rate"]');
  const slider = page.getByLabel(/^Rate, from/);
  assert.deepEqual([await rate.isDisabled(), await slider.isDisabled()], [true, true]);
  assert.equal(await page.getByText("Swept: 5 Mbit/s, 2 Mbit/s").count(), 1);
  assert.equal(await page.locator('[name="dumbbell.rtt"]').isDisabled(), false);
  await page.locator(".as-text summary").click();
  await page.locator("#toml").fill(SMALL);
  await page.waitForFunction(() => !document.querySelector<HTMLInputElement>('[name="dumbbell.rate"]')?.disabled);
  assert.equal(await slider.isDisabled(), false);
});

/** Names no controller: the usual eight run. */
const UNNAMED = SMALL.replace('cc = "reno"', 'like = "linux"');

inBrowsers("where no controllers are named those that run are shown and kept", urlOf(UNNAMED), async ({ page }) => {
  const rows = page.locator('select[name^="cc."]');
  const shown = (): Promise<string[]> =>
    rows.evaluateAll((all) => all.map((one) => (one as HTMLSelectElement).value));
  await page.waitForFunction(() => document.querySelectorAll('select[name^="cc."]').length === 8);
  const usual = await shown();
  // A choice that was changed since the form was laid counts, too.
  await rows.nth(1).selectOption("copa");
  await page.getByRole("button", { name: "Add a controller" }).click();
  await page.waitForFunction(() => document.querySelectorAll('select[name^="cc."]').length === 9);
  assert.deepEqual(await shown(), [...usual.with(1, "copa"), "reno"]);
  assert.equal(await page.getByRole("button", { name: "Remove copa" }).count(), 1);
});

inBrowsers("a step back from a lesson or preset leads to the reader's experiment", url, async ({ page }) => {
  await settled(page);
  const rate = page.locator('[name="dumbbell.rate"]');
  const lesson = page.locator(".lesson h3");
  const gone = (): Promise<void> => lesson.waitFor({ state: "detached" });
  // Its address has not yet come to rest.
  await rate.fill("2 Mbit/s");
  await page.getByRole("button", { name: LESSONS[1]?.title ?? "" }).click();
  await lesson.waitFor();
  assert.equal(await rate.inputValue(), "10 Mbit/s");
  await page.locator("#preset").selectOption("plain");
  await gone();
  await shared(page);
  await page.evaluate(() => { history.back(); });
  await lesson.waitFor();
  await page.evaluate(() => { history.back(); });
  await gone();
  assert.equal(await rate.inputValue(), "2 Mbit/s");
});

inBrowsers("bad input is refused in words at its field, and the results of before stay", url, async ({ page }) => {
  await settled(page);
  const rate = page.locator('[name="dumbbell.rate"]');
  await rate.fill("fast");
  const field = page.locator(".field", { has: rate });
  await page.waitForSelector(".field.faulty");
  assert.match((await field.locator(".fault").textContent()) ?? "", /fast/);
  assert.equal(await rate.getAttribute("aria-invalid"), "true");
  assert.equal(await page.locator(".results tbody tr").count(), 3);
  await rate.fill("20 Mbit/s");
  await page.waitForSelector(".field.faulty", { state: "detached" });
});

inBrowsers("a text that is no scenario is refused with its line", url, async ({ page }) => {
  await settled(page);
  await page.locator(".as-text summary").click();
  assert.match((await page.locator("#toml-notes").textContent()) ?? "", /anew, without its comments/);
  await page.locator("#toml").fill("cc = \n");
  await page.waitForSelector(".faults li");
  assert.match((await page.locator(".faults").textContent()) ?? "", /line 1/);
});

inBrowsers("every lesson is observed after what it suggests, and not before", url, async ({ page }) => {
  await settled(page);
  for (const [i, lesson] of LESSONS.entries()) {
    await page.locator(".lessons button").nth(i).click();
    await page.waitForFunction(() => document.querySelector(".finding")?.textContent.startsWith("To observe"));
    await page.locator(".lesson .try button").click();
    await page.waitForFunction(() => document.querySelector(".finding")?.getAttribute("data-state") !== "open");
    const state = await page.locator(".finding").getAttribute("data-state");
    assert.equal(state, "seen", `${lesson.title}: ${await page.locator(".finding").textContent()}`);
  }
  assert.equal(await page.locator(".lessons .done").count(), LESSONS.length);
});

/** Waits until a lesson says what came of its suggestion. */
async function tried(page: Page): Promise<void> {
  await page.waitForFunction(() => ["seen", "otherwise"].includes(document.querySelector(".finding")?.getAttribute("data-state") ?? ""));
}

inBrowsers("a link of a lesson with other settings has the lesson's own run to compare with", url, async ({ page }) => {
  await settled(page);
  await page.locator(".lessons button").nth(1).click();
  await page.waitForFunction(() => document.querySelector(".finding")?.textContent.startsWith("To observe"));
  await page.locator(".lesson .try button").click();
  await tried(page);
  const seen = await page.locator(".finding").textContent();
  const link = await shared(page);
  assert.match(link, /\?lesson=/);
  await page.goto("about:blank");
  await page.goto(link);
  await tried(page);
  assert.equal(await page.locator(".finding").textContent(), seen);
});

inBrowsers("what is tried before a lesson's own run has ended is compared with that run all the same", url, async ({ page }) => {
  await settled(page);
  await page.evaluate(() => {
    document.querySelectorAll<HTMLElement>(".lessons button")[1]?.click();
    document.querySelector<HTMLElement>(".lesson .try button")?.click();
  });
  await tried(page);
  assert.equal(await page.locator(".finding").getAttribute("data-state"), "seen", (await page.locator(".finding").textContent()) ?? "");
});

inBrowsers("crosses of reductions are whole lines beside a dotted ssthresh", urlOf(MANY_LOSSES), async ({ page }) => {
  // The dashes of each stroke as wide as a cross has it; curves are paths of their own.
  await page.addInitScript(() => {
    const seen: string[] = [];
    const stroke: unknown = Reflect.get(CanvasRenderingContext2D.prototype, "stroke");
    if (typeof stroke !== "function") throw new Error("a browser without canvas");
    CanvasRenderingContext2D.prototype.stroke = function (...path: [] | [Path2D]) {
      if (path.length === 0 && Math.abs(this.lineWidth - 1.4 * devicePixelRatio) < 1e-3) seen.push(this.getLineDash().join(" "));
      Reflect.apply(stroke, this, path);
    };
    Object.assign(globalThis, { crosses: seen });
  });
  await page.reload();
  await settled(page);
  assert.equal(await page.locator(".panel .readout .head").first().textContent(), "cwndssthresh");
  assert.equal(await page.locator(".panel h3").first().textContent(), "Congestion window, and dotted its ssthresh segments");
  await page.waitForFunction(() => (globalThis as unknown as { crosses: string[] }).crosses.length > 0);
  const seen = await page.evaluate(() => (globalThis as unknown as { crosses: string[] }).crosses);
  assert.deepEqual(seen.filter((dashes) => dashes !== ""), []);
});

inBrowsers("an enlarged span of a million changes shows what the whole could not, and goes on doing so", urlOf(MILLION), async ({ page }) => {
  // The points of the longest line of each chart since it was last wiped; a line is a path of its own.
  await page.addInitScript(() => {
    const counts = new WeakMap<Path2D, number>();
    const line: unknown = Reflect.get(Path2D.prototype, "lineTo");
    const stroke: unknown = Reflect.get(CanvasRenderingContext2D.prototype, "stroke");
    const wipe: unknown = Reflect.get(CanvasRenderingContext2D.prototype, "clearRect");
    if (typeof line !== "function" || typeof stroke !== "function" || typeof wipe !== "function") throw new Error("a browser without canvas");
    Path2D.prototype.lineTo = function (x, y) {
      counts.set(this, (counts.get(this) ?? 0) + 1);
      Reflect.apply(line, this, [x, y]);
    };
    const drawn = new WeakMap<HTMLCanvasElement, number>();
    CanvasRenderingContext2D.prototype.stroke = function (...path: [] | [Path2D]) {
      const [of] = path;
      if (of) drawn.set(this.canvas, Math.max(drawn.get(this.canvas) ?? 0, counts.get(of) ?? 0));
      Reflect.apply(stroke, this, path);
    };
    CanvasRenderingContext2D.prototype.clearRect = function (...place) {
      drawn.delete(this.canvas);
      Reflect.apply(wipe, this, place);
    };
    Object.assign(globalThis, { pointsDrawn: (canvas: HTMLCanvasElement) => drawn.get(canvas) ?? 0 });
  });
  await page.reload();
  await page.waitForFunction(() => document.querySelector(".conclusion:not(:empty)")?.textContent.includes("A first look") === false, undefined, { timeout: 120_000 });
  await settled(page);
  const panels = page.locator(".panel");
  const queue = await panels.locator("h3").allTextContents().then((all) => all.findIndex((words) => words.startsWith("Queue")));
  await panels.nth(queue).locator(".plot").focus();
  const points = (): Promise<number> => page.evaluate(async (place) => {
    await new Promise((done) => { requestAnimationFrame(() => { requestAnimationFrame(done); }); });
    const { pointsDrawn } = globalThis as unknown as { pointsDrawn: (canvas: HTMLCanvasElement) => number };
    const canvas = document.querySelectorAll<HTMLCanvasElement>(".plot canvas")[place];
    return canvas ? pointsDrawn(canvas) : 0;
  }, queue);
  /** Presses a key, and waits until the page has drawn what it leads to. */
  const pressed = async (key: string): Promise<void> => {
    await page.keyboard.press(key);
    await page.evaluate(() => new Promise((done) => { requestAnimationFrame(() => { requestAnimationFrame(done); }); }));
  };
  /** The time between two places of the pointer, in seconds. */
  const step = async (): Promise<number> => {
    await pressed("Home");
    const at: number[] = [];
    for (const key of ["ArrowRight", "ArrowRight"]) {
      await pressed(key);
      at.push(Number.parseFloat(((await page.locator(".at").textContent()) ?? "").replace("at ", "")));
    }
    return (at[1] ?? 0) - (at[0] ?? 0);
  };
  const [wide, whole] = [await step(), await points()];
  assert.ok(whole > 100, `${whole} points`);
  await page.keyboard.press("End");
  for (let i = 0; i < 10; i++) await page.keyboard.press("+");
  const [fine, enlarged] = [await step(), await points()];
  // A thousandth of the time, of which the columns of the whole have three or four points. Some 480 packets
  // come and go in it.
  assert.ok(fine > 0 && fine < wide / 500, `${fine} s, of the whole ${wide} s`);
  assert.ok(enlarged > 100, `${enlarged} points of the enlarged span`);
  for (const key of [",", ",", ".", "-", ",", "+", "."]) {
    await page.keyboard.press(key);
    const now = await points();
    assert.ok(now > 100, `${now} points after ${key}`);
  }
  await page.keyboard.press("0");
  assert.ok(Math.abs((await step()) - wide) < 1e-9);
});

inBrowsers("an enlarged span and a moment stay while a setting turns, and go with the experiment", urlOf(SMALL), async ({ page }) => {
  await settled(page);
  /** The span that is shown, in words; empty of the whole. */
  const shown = (): Promise<string> => page.evaluate(() => /showing .*/.exec(document.querySelector(".at")?.textContent ?? "")?.[0] ?? "");
  const enlarge = async (): Promise<string> => {
    await page.locator(".plot").first().focus();
    for (let i = 0; i < 3; i++) await page.keyboard.press("+");
    return shown();
  };
  /** Waits until the results are those of this goodput, and on. */
  const turned = async (field: string, text: string, condition: string): Promise<void> => {
    await page.locator(`[name="${field}"]`).fill(text);
    await waitForGoodput(page, condition);
    await settled(page);
  };
  const span = await enlarge();
  assert.match(span, / to /);
  await turned("dumbbell.rate", "2 Mbit/s", "<2");
  assert.equal(await shown(), span, "the same time of the same network");
  await pressed(page, "Compare with a second experiment");
  await page.waitForFunction(() => document.querySelectorAll(".results tbody tr").length === 2);
  assert.equal(await shown(), span, "a copy beside it");
  await pressed(page, "Remove experiment B");
  assert.equal(await shown(), span);
  await page.locator('[name="time"]').fill("4 s");
  await page.waitForFunction(() => document.querySelector(".at")?.textContent.includes(" to ") === false);
  await settled(page);
  assert.match(await enlarge(), / to /);
  await page.locator('.transport input[type="range"]').fill("700");
  await page.locator("#preset").selectOption({ index: 1 });
  await page.waitForFunction(() => document.querySelector(".at")?.textContent.includes(" to ") === false);
  assert.equal(await page.locator(".clock").textContent(), "0.000\u00a0s");
  await settled(page);
  assert.equal(await shown(), "");
  assert.match(await enlarge(), / to /);
  await page.locator(".lessons button").first().click();
  await settled(page);
  assert.equal(await shown(), "");
});

inBrowsers("a second experiment has its curves beside the first, and a choice is of a name and not of a place", urlOf(SMALL), async ({ page }) => {
  await settled(page);
  const rows = (): Promise<string[]> => page.locator(".panel").first().locator(".readout .name").allTextContents();
  assert.deepEqual((await rows()).filter((name) => name !== ""), ["flow 1"]);
  const heads = await page.locator(".panel").first().locator(".readout .head .value").allTextContents();
  assert.deepEqual(heads, ["cwnd", "ssthresh"]);
  await pressed(page, "Compare with a second experiment");
  await page.waitForFunction(() => document.querySelectorAll(".results tbody tr").length === 2);
  assert.deepEqual(await rows(), ["A: reno", "B: reno"]);
  await page.locator("#shown").selectOption({ label: "B: reno, all flows" });
  assert.deepEqual((await rows()).filter((name) => name !== ""), ["flow 1"]);
  // One more controller of the first experiment stands before it.
  await pressed(page, "Experiment A");
  await page.getByRole("button", { name: "Add a controller" }).click();
  await page.waitForFunction(() => document.querySelectorAll(".results tbody tr").length === 3);
  await settled(page);
  assert.equal(await page.evaluate(() => document.querySelector<HTMLSelectElement>("#shown")?.selectedOptions[0]?.textContent), "B: reno, all flows");
});

inBrowsers("a setting that a slider turns has new results, at once and when it rests", url, async ({ page }) => {
  await settled(page);
  const slider = page.locator(".field", { has: page.locator('[name="dumbbell.rate"]') }).locator('input[type="range"]');
  await slider.focus();
  for (let i = 0; i < 8; i++) await page.keyboard.press("PageDown");
  const text = await page.locator('[name="dumbbell.rate"]').inputValue();
  const [, rate = "", unit = ""] = /^([\d.]+) (\w+)/.exec(text) ?? [];
  assert.ok(["Mbit", "kbit"].includes(unit), text);
  const mbps = Number(rate) / (unit === "kbit" ? 1000 : 1);
  assert.ok(mbps < 8, text);
  await waitForGoodput(page, `<${mbps}`);
  await settled(page);
  assert.ok((await goodput(page)) > mbps / 3);
  assert.ok(!(await page.locator(".conclusion").textContent())?.includes("A first look"));
});

inBrowsers("reverse and competing flows are added in the form, and take their share", urlOf(SMALL), async ({ page }) => {
  await settled(page);
  const alone = await goodput(page);
  await page.locator('[name="dumbbell.against_cc"]').selectOption("cubic");
  await page.waitForSelector('[name="dumbbell.against_flows"]');
  await waitForGoodput(page, `<${0.9 * alone}`);
  await settled(page);
  const beside = await goodput(page);
  await page.locator('[name="dumbbell.reverse_flows"]').fill("3");
  await page.waitForFunction((before) => Number.parseFloat(document.querySelector(".results tbody tr td")?.textContent ?? "") !== before, beside);
  await settled(page);
  assert.match(await page.locator("#toml").inputValue(), /against_cc = "cubic"[^]*reverse_flows = 3|reverse_flows = 3[^]*against_cc = "cubic"/);
  assert.equal(await page.locator(".field.faulty, .faults li").count(), 0);
});

const westwood = command();
if (westwood !== undefined) {
  inBrowsers("the command runs a link that the page has made, to the same bits", urlOf(SMALL), async ({ page, faults }) => {
    await settled(page);
    await page.locator('[name="dumbbell.loss"]').fill("0.5 %");
    await page.locator('[name="dumbbell.rate"]').fill("7 Mbit/s");
    const link = await shared(page);
    const { hash: code, search } = new URL(link);
    const { toml = "" } = await readState(search, code);
    assert.match(toml, /7 Mbit\/s/);
    const document = execFileSync(westwood, ["run", link, "--json", "-", "--quiet"], { encoding: "utf8", maxBuffer: 1 << 28 });
    await page.goto(pageUrl("engine"));
    // Going there was asked for.
    for (const meant of faults.filter((fault) => /^request: .*engine.html/.test(fault))) faults.splice(faults.indexOf(meant), 1);
    const found = await page.evaluate(async (text) => (await globalThis.westwood.run({ toml: text }).result).hash, toml);
    assert.equal(found, createHash("sha256").update(document).digest("hex"));
  });
}

inBrowsers("over http the playground is the same, and its link too", async () => (await httpUrl("playground")) + (await writeState({ toml: SMALL, beside: undefined, lesson: undefined })), async ({ page }) => {
  await settled(page);
  const rate = await goodput(page);
  assert.ok(rate > 4 && rate < 5, `${rate}`);
  const link = await shared(page);
  assert.match(link, /^http:/);
  await page.goto("about:blank");
  await page.goto(link);
  await settled(page);
  assert.equal(await goodput(page), rate);
});

inBrowsers("packets move along the path, and a loss has a sequence diagram", async () => url + (await writeState({ toml: SMALL, beside: undefined, lesson: undefined })), async ({ page }) => {
  await settled(page);
  await page.locator('.transport input[type="range"]').fill("500");
  await page.waitForFunction(() => document.querySelector(".clock")?.textContent === "1.500\u00a0s");
  await packetsDrawn(page);
  await page.locator(".transport .play").click();
  await page.waitForFunction(() => Number.parseFloat(document.querySelector(".clock")?.textContent ?? "0") > 1.5);
  await page.locator(".transport .play").click();
  await page.locator(".sequence summary").click();
  await page.waitForSelector(".ladder .arrow.gone");
  assert.ok((await page.locator(".ladder .arrow.again").count()) > 0);
  await page.locator(".sequence .behind summary").click();
  assert.match((await page.locator(".sequence .behind table").textContent()) ?? "", /segment \d+ sent again/);
  assert.match((await page.locator(".ladder").getAttribute("aria-label")) ?? "", /\d dropped by a full queue/);
});

inBrowsers("the packets of a diagram have their flow where several flows meet", urlOf(SMALL.replace("[dumbbell]", '[dumbbell]\nagainst_cc = "cubic"')), async ({ page }) => {
  await settled(page);
  await page.locator(".sequence summary").click();
  await page.waitForSelector(".ladder .arrow.gone");
  assert.match((await page.locator(".sequence > .notes").textContent()) ?? "", /^Loss 1 of \d+ in flow 1/);
  await page.locator(".sequence .behind summary").click();
  const flows = await page.locator(".sequence .behind td:nth-child(2)").allTextContents();
  assert.ok(new Set(flows).size === 2 && flows.includes("rival 1"), [...new Set(flows)].join());
});

/** Waits until there are packets on a path. */
async function packetsDrawn(page: Page): Promise<void> {
  await page.waitForFunction(() => {
    const canvas = document.querySelector<HTMLCanvasElement>("canvas.packets");
    if (!canvas) return false;
    const blank = document.createElement("canvas");
    [blank.width, blank.height] = [canvas.width, canvas.height];
    return canvas.toDataURL() !== blank.toDataURL();
  });
}

inBrowsers("the animation plays across the parts of a run to its end, beside one that is shorter", url, async ({ page }) => {
  const link = await writeState({ toml: SMALL.replace("3 s", "1 s"), beside: SMALL, lesson: undefined });
  await page.goto("about:blank");
  await page.goto(`${url}${link}`);
  await page.waitForFunction(() => document.querySelectorAll(".results tbody tr").length === 2);
  await settled(page);
  await page.getByLabel("Slowness of the animation").selectOption("1");
  await page.locator(".transport .play").click();
  assert.equal(await page.locator(".transport .play").textContent(), "Pause");
  // The round trip is 100 ms, and a part 1.2 s.
  await page.waitForFunction(() => document.querySelector(".transport .play")?.textContent === "Play");
  assert.equal(await page.locator(".clock").textContent(), "3.000\u00a0s");
});

/** A path on which 60,000 packets pass within a tenth of a second. */
const DENSE = 'like = "linux"\ncc = "reno"\ntime = "3 s"\nwarmup = "0 s"\nseeds = 1\n\n[dumbbell]\nrate = "1 Gbit/s"\nrtt = "100 ms"\n';

inBrowsers("a path with many packets has them drawn, whatever the moment", urlOf(DENSE), async ({ page }) => {
  await settled(page);
  await page.waitForFunction(() => document.querySelector(".conclusion:not(:empty)")?.textContent.includes("A first look") === false);
  await page.locator('.transport input[type="range"]').fill("700");
  await packetsDrawn(page);
  assert.equal(await page.locator(".stage-words").textContent(), "");
});

/** A path on which the repair of a loss takes hundreds of packets. */
const FAST = SMALL.replace("5 Mbit/s", "100 Mbit/s");

inBrowsers("the table behind a diagram has every packet of its time, page by page", urlOf(FAST), async ({ page }) => {
  await settled(page);
  await page.locator(".sequence summary").click();
  await page.waitForSelector(".ladder .arrow.gone");
  const behind = page.locator(".sequence .behind");
  await behind.locator("summary").click();
  await behind.locator("tbody tr").first().waitFor();
  const all = Number(/of (\d+)$/.exec((await behind.locator("[role=status]").textContent()) ?? "")?.[1]);
  assert.ok(all > 400, `${all} packets`);
  let rows = await behind.locator("tbody tr").count();
  await behind.getByText("Later rows").focus();
  while (await behind.getByText("Later rows").isEnabled()) {
    await page.keyboard.press("Enter");
    rows += await behind.locator("tbody tr").count();
  }
  assert.equal(rows, all);
  assert.equal(await page.evaluate(() => document.activeElement?.textContent), "Earlier rows");
});

for (const [setting, words] of [
  ['aqm = "codel"\nbuffer = "1000 pkt"', "dropped by queue management"],
  ['policer = "2 Mbit/s burst 20 KiB"', "dropped by the policer"],
] as const) {
  inBrowsers(`a loss says that it was ${words}`, urlOf(`${SMALL}${setting}\n`), async ({ page }) => {
    await settled(page);
    await page.locator(".sequence summary").click();
    await page.waitForSelector(".ladder .arrow.gone");
    assert.match((await page.locator(".ladder").getAttribute("aria-label")) ?? "", new RegExp(`\\d ${words}`));
    assert.ok((await page.locator(".ladder .cause").allTextContents()).includes(words));
    await page.locator(".sequence .behind summary").click();
    assert.match((await page.locator(".sequence .behind table").textContent()) ?? "", new RegExp(`segment \\d+ sent, ${words}`));
    assert.doesNotMatch((await page.locator(".sequence").textContent()) ?? "", /full queue/);
  });
}

inBrowsers("the path that is drawn is that of the point whose curves are chosen", urlOf(SWEEP), async ({ page }) => {
  await settled(page);
  await page.waitForFunction(() => document.querySelectorAll(".results tbody tr").length === 2);
  const label = async (): Promise<string> => (await page.locator("svg.path").getAttribute("aria-label")) ?? "";
  assert.match(await label(), /bottleneck: 5\sMbit\/s/);
  await page.locator("#shown").selectOption("1");
  assert.match(await label(), /bottleneck: 2\sMbit\/s/);
  await page.locator("#shown").selectOption("-1");
  assert.match(await label(), /bottleneck: 5\sMbit\/s/);
});

inBrowsers("the numbers of a chart follow it, whether they are open or closed meanwhile", urlOf(SMALL), async ({ page }) => {
  await settled(page);
  const [open, closed] = [0, 2].map((i) => page.locator(".panel").nth(i).locator(".behind"));
  if (!open || !closed) throw new Error("no charts");
  const highest = async (of: typeof open): Promise<number> =>
    Math.max(...(await of.locator("td").allTextContents()).flatMap((text) => (text.match(/[\d.]+/g) ?? []).map(Number)));
  const unfold = async (of: typeof open): Promise<void> => {
    await of.locator("summary").click();
    await of.locator("td").first().waitFor();
  };
  for (const one of [open, closed]) await unfold(one);
  const before = [await highest(open), await highest(closed)];
  await closed.locator("summary").click();
  await page.locator('[name="dumbbell.rate"]').fill("500 kbit/s");
  await waitForGoodput(page, "<0.5");
  await settled(page);
  await unfold(closed);
  assert.equal(await page.locator(".panel").first().locator("table").count(), 1);
  const after = [await highest(open), await highest(closed)];
  assert.ok((after[0] ?? 0) < 0.5 * (before[0] ?? 0), `windows ${before[0]}, then ${after[0]}`);
  assert.notEqual(after[1], before[1]);
});

inBrowsers("every change of a window has its cause in a table that leads to its moment", url, async ({ page }) => {
  await settled(page);
  await page.locator(".changes > summary").click();
  const row = page.locator(".changes tbody tr").first();
  assert.match((await row.textContent()) ?? "", /of the window/);
  const moment = Number.parseFloat((await row.locator("button").textContent()) ?? "");
  await row.locator("button").click();
  const clock = Number.parseFloat((await page.locator(".clock").textContent()) ?? "");
  assert.ok(Math.abs(clock - moment) < 2e-3, `${clock} and ${moment}`);
});

inBrowsers("a pointer behind a recovery says why that recovery began", url, async ({ page }) => {
  await settled(page);
  await page.locator(".plot").first().focus();
  await page.keyboard.press("End");
  const reasons = await page.locator(".causes .why").allTextContents();
  assert.ok(reasons.length > 0 && reasons.every((why) => why !== "recovery ends"), reasons.join());
  assert.ok(reasons.some((why) => /^the recovery that began at .* ends; its cause was: .*segments/.test(why)), reasons.join());
});

inBrowsers("all changes of a long run are listed, page by page", urlOf(MANY_LOSSES), async ({ page }) => {
  await page.waitForFunction(() => document.querySelector(".conclusion:not(:empty)")?.textContent.includes("A first look") === false);
  await settled(page);
  await page.locator(".changes > summary").click();
  const words = page.locator(".changes [role=status]");
  const numbers = async (): Promise<number[]> => ((await words.textContent()) ?? "").match(/\d+/g)?.map(Number) ?? [];
  const all = (await numbers())[2] ?? 0;
  assert.ok(all > 600, `${all} changes`);
  const times: number[] = [];
  for (;;) {
    const texts = await page.locator(".changes tbody th").allTextContents();
    times.push(...texts.map(Number.parseFloat));
    if (await page.getByText("Later changes").isDisabled()) break;
    await page.getByText("Later changes").click();
  }
  assert.equal(times.length, all);
  assert.deepEqual(times, [...times].sort((a, b) => a - b));
  await page.locator(".changes tbody th button").last().click();
  const clock = Number.parseFloat((await page.locator(".clock").textContent()) ?? "");
  assert.ok(Math.abs(clock - (times.at(-1) ?? 0)) < 2e-3, `${clock}`);
  await page.getByText("Earlier changes").click();
  assert.equal((await numbers())[0], 1 + 300 * (Math.ceil(all / 300) - 2));
});

inBrowsers("two experiments stand side by side, and one link holds both", url, async ({ page }) => {
  await settled(page);
  await page.getByText("Compare with a second experiment").click();
  await page.waitForFunction(() => document.querySelectorAll(".results tbody tr").length === 6);
  await page.locator('[name="dumbbell.loss"]').fill("1 %");
  await page.waitForFunction(() => {
    const [a, b] = [0, 3].map((i) => Number.parseFloat(document.querySelectorAll(".results tbody tr")[i]?.querySelector("td")?.textContent ?? ""));
    return a !== undefined && b !== undefined && b < a / 2;
  });
  assert.equal(await page.locator("svg.path").count(), 2);
  const first = await goodput(page);
  await page.waitForFunction(() => location.search.includes("beside="));
  const shared = await page.evaluate(() => location.href);
  await page.goto("about:blank");
  await page.goto(shared);
  await page.waitForFunction(() => document.querySelectorAll(".results tbody tr").length === 6);
  // A first look comes before the whole.
  await page.waitForFunction((whole) => Number.parseFloat(document.querySelector(".results tbody tr td")?.textContent ?? "") === whole, first);
});

inBrowsers("a link that is pasted opens its experiment", url, async ({ page }) => {
  await settled(page);
  await page.locator("#link").fill(`https://example.org/p.html${await writeState({ toml: SMALL, beside: undefined, lesson: undefined })}`);
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.querySelectorAll(".results tbody tr").length === 1);
  assert.equal(await page.locator('[name="dumbbell.rate"]').inputValue(), "5 Mbit/s");
  assert.equal(await page.locator("#link").inputValue(), "");
});

inBrowsers("a pasted link opens its lesson and its second experiment, too", url, async ({ page }) => {
  await settled(page);
  const beside = SMALL.replace("5 Mbit/s", "2 Mbit/s");
  await page.locator("#link").fill(`https://example.org/p.html${await writeState({ toml: SMALL, beside, lesson: "queue" })}`);
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.querySelectorAll(".results tbody tr").length === 2);
  assert.match((await page.locator(".lesson h3").textContent()) ?? "", /The use of a queue/);
  assert.equal(await page.locator('[name="dumbbell.rate"]').inputValue(), "2 Mbit/s");
});

inBrowsers("the way back from a pasted link leads to what was shown, where its second experiment alone is another", urlOf(SMALL), async ({ page }) => {
  await settled(page);
  await shared(page);
  const beside = SMALL.replace("5 Mbit/s", "2 Mbit/s");
  await page.locator("#link").fill(`p.html${await writeState({ toml: SMALL, beside, lesson: undefined })}`);
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.querySelectorAll(".results tbody tr").length === 2 && location.search.includes("beside="));
  await page.evaluate(() => { history.back(); });
  await page.waitForFunction(() => document.querySelectorAll(".results tbody tr").length === 1);
  assert.equal(await page.locator("svg.path").count(), 1);
  assert.equal(await page.locator('[name="dumbbell.rate"]').inputValue(), "5 Mbit/s");
});

inBrowsers("a link that is damaged leaves the experiment as it is, and a word about it stays", urlOf(SMALL), async ({ page }) => {
  await settled(page);
  const whole = await writeState({ toml: SMALL.replace("5 Mbit/s", "6 Mbit/s"), beside: undefined, lesson: undefined });
  const letter = whole[40] === "A" ? "B" : "A";
  for (const [text, words] of [
    ["https://example.org/p.html", /no #/], ["p.html#%%", /copy the whole link/], ["p.html#", /no #/], ["#AAAA", /damaged/],
    [`p.html?beside=${whole.slice(1)}#`, /no #/], [whole.slice(0, 40) + letter + whole.slice(41), /damaged/],
    [`p.html?beside=AAAA${whole}`, /Experiment B of the link is damaged/], [whole + whole.slice(1), /damaged/],
  ] as const) {
    await page.locator("#link").fill(text);
    await page.keyboard.press("Enter");
    await page.waitForFunction((source) => new RegExp(source).test(document.querySelector("#link-fault")?.textContent ?? ""), words.source);
  }
  await page.evaluate(() => { location.hash = "#%%"; });
  await page.waitForFunction(() => document.querySelector("#link-fault")?.textContent.includes("copy the whole link") === true);
  assert.equal(await page.locator('[name="dumbbell.rate"]').inputValue(), "5 Mbit/s");
  await page.locator('[name="dumbbell.rate"]').fill("4 Mbit/s");
  await waitForGoodput(page, "<4");
  assert.match((await page.locator("#link-fault").textContent()) ?? "", /copy the whole link/);
  assert.match((await readState("", new URL(await shared(page)).hash)).toml ?? "", /4 Mbit/);
});

inBrowsers("a link of a lesson that the page lacks opens its experiment, and says so", urlOf(SMALL), async ({ page }) => {
  await settled(page);
  await page.locator("#link").fill(`p.html?lesson=sloow-start${await writeState({ toml: SMALL.replace("5 Mbit/s", "2 Mbit/s"), beside: undefined, lesson: undefined })}`);
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.querySelector<HTMLInputElement>('[name="dumbbell.rate"]')?.value === "2 Mbit/s");
  assert.match((await page.locator("#link-fault").textContent()) ?? "", /lesson that this page does not have: sloow-start/);
});

inBrowsers("an address that comes later counts, however long the one before it takes to unpack", urlOf(SMALL), async ({ page }) => {
  await settled(page);
  const comment = Array.from({ length: 60_000 }, (_, i) => `# ${(i * 7919) % 104_729}`).join("\n");
  const hashes = await Promise.all([`${SMALL}${comment}\n`, SMALL.replace("5 Mbit/s", "4 Mbit/s")].map((toml) => writeState({ toml, beside: undefined, lesson: undefined })));
  await page.evaluate(async (all) => {
    for (const hash of all) {
      location.hash = hash;
      await new Promise((done) => { setTimeout(done, 5); });
    }
  }, hashes);
  await waitForGoodput(page, "<4");
  const toml = (await readState("", new URL(await shared(page)).hash)).toml ?? "";
  assert.match(toml, /4 Mbit/);
  assert.ok(toml.length < 1000);
});

inBrowsers("the way back from a pasted link leads to the last change before it", urlOf(SMALL), async ({ page }) => {
  await settled(page);
  await shared(page);
  const link = `p.html${await writeState({ toml: SMALL.replace("5 Mbit/s", "2 Mbit/s"), beside: undefined, lesson: undefined })}`;
  const entries = await page.evaluate(() => history.length);
  await page.locator('[name="dumbbell.rate"]').fill("4 Mbit/s");
  await page.locator("#link").fill(link);
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.querySelector<HTMLInputElement>('[name="dumbbell.rate"]')?.value === "2 Mbit/s");
  await page.waitForFunction((before) => history.length > before, entries);
  await page.evaluate(() => { history.back(); });
  await page.waitForFunction(() => document.querySelector<HTMLInputElement>('[name="dumbbell.rate"]')?.value === "4 Mbit/s");
});

inBrowsers("the fault of a second experiment goes with it", urlOf(SMALL), async ({ page }) => {
  await settled(page);
  await pressed(page, "Compare with a second experiment");
  await page.waitForFunction(() => document.querySelectorAll(".results tbody tr").length === 2);
  await page.locator('[name="dumbbell.rate"]').fill("fast");
  await page.waitForSelector(".results > .warning:not([hidden])");
  await pressed(page, "Experiment A");
  assert.ok(await page.locator(".results > .warning").isVisible());
  await pressed(page, "Remove experiment B");
  await page.waitForSelector(".results > .warning", { state: "hidden" });
});

inBrowsers("a fault is seen where its field is hidden, and so is each of several", urlOf(`${SMALL}\n[tcp]\ninitial_window = "many"\n`), async ({ page }) => {
  const field = page.locator('.field:has([name="tcp.initial_window"])');
  await field.locator(".fault:not(:empty)").waitFor();
  assert.ok(await field.locator(".fault").isVisible());
  const hash = await writeState({ toml: SMALL.replace('"reno"', '["nonsense", "rubbish"]'), beside: undefined, lesson: undefined });
  await page.evaluate((address) => { location.hash = address; }, hash);
  await page.waitForFunction(() => {
    const words = [...document.querySelectorAll(".field .fault")].map((one) => one.textContent).join(" ");
    return words.includes("nonsense") && words.includes("rubbish");
  });
});

inBrowsers("another name of a controller is its choice", async () => url + (await writeState({ toml: SMALL.replace("reno", "newreno"), beside: undefined, lesson: undefined })), async ({ page }) => {
  await settled(page);
  assert.equal(await page.locator('[name="cc.0"]').inputValue(), "reno");
  assert.equal(await page.getByLabel("Controller under test, as text").count(), 0);
});

inBrowsers("curves of a run that takes long grow while it goes on", async () => url + (await writeState({ toml: LONG, beside: undefined, lesson: undefined })), async ({ page }) => {
  await page.locator(".ask button").click();
  await page.waitForSelector('.overlaid[aria-busy="true"] canvas');
  assert.ok(await page.locator("progress").isVisible());
  // Another experiment takes its place at once.
  await page.locator('[name="time"]').fill("3 s");
  await page.waitForSelector(".overlaid:not([aria-busy]) canvas");
  await settled(page);
});

/** Counts the instances of WebAssembly modules on the page's own thread: without one nothing simulates there. */
function countInstances(): void {
  let instances = 0;
  for (const name of ["instantiate", "instantiateStreaming"] as const) {
    const of: unknown = Reflect.get(WebAssembly, name);
    if (typeof of !== "function") throw new Error("a browser without WebAssembly");
    Reflect.set(WebAssembly, name, (...args: unknown[]): unknown => {
      instances += 1;
      return Reflect.apply(of, WebAssembly, args) as unknown;
    });
  }
  Reflect.set(WebAssembly, "Instance", new Proxy(WebAssembly.Instance, {
    construct: (of, args): object => {
      instances += 1;
      return Reflect.construct(of, args) as object;
    },
  }));
  Object.assign(globalThis, { instances: () => instances });
}

const instances = (page: Page): Promise<number> => page.evaluate(() => (globalThis as unknown as { instances: () => number }).instances());

inBrowsers("the page goes on drawing while its workers simulate, and simulates nothing itself", urlOf(LONG), async ({ page }, name) => {
  await page.addInitScript(countInstances);
  await page.reload();
  await page.locator(".ask button").click();
  await page.waitForSelector('.overlaid[aria-busy="true"] canvas');
  const session = name === "chromium" ? await page.context().newCDPSession(page) : undefined;
  await session?.send("Performance.enable", { timeDomain: "threadTicks" });
  /** Processor time of the page's thread so far, in milliseconds. */
  const busy = async (): Promise<number> => {
    const metrics = (await session?.send("Performance.getMetrics"))?.metrics;
    return 1000 * (metrics?.find((one) => one.name === "TaskDuration")?.value ?? 0);
  };
  const [before, begin] = [await busy(), performance.now()];
  const seen = await page.evaluate(async (least) => {
    const share = (): number | undefined => document.querySelector<HTMLProgressElement>("progress:not([hidden])")?.value;
    let [frames, steps, last] = [0, 0, share()];
    // As long as there is a share, the run goes on.
    while (last !== undefined && (frames < least.frames || steps < least.steps)) {
      await new Promise((done) => { requestAnimationFrame(done); });
      const now = share();
      frames += 1;
      if (now !== last) steps += 1;
      last = now;
    }
    return { frames, steps, goesOn: last !== undefined };
  }, { frames: 180, steps: 20 });
  assert.ok(seen.goesOn, `the run ended after ${seen.frames} frames`);
  // Curves that grow are drawn a few times a second. A thread that simulated would have no rest.
  const spent = ((await busy()) - before) / (performance.now() - begin);
  assert.ok(spent < 0.5, `the page's thread works ${Math.round(100 * spent)} % of the time, for ${seen.frames} frames`);
  assert.equal(await instances(page), 0);
  await pressed(page, "Cancel");
  await page.evaluate(async () => { await WebAssembly.instantiate(Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0), {}); });
  assert.equal(await instances(page), 1, "an instance is counted");
});

inBrowsers("several hops with cross traffic are made by buttons", url, async ({ page }) => {
  await settled(page);
  await page.getByText("Make it three hops").click();
  await page.getByText("Add cross traffic").click();
  await page.waitForFunction(() => document.querySelectorAll("svg.path .link").length === 6);
  await page.getByText("Add a hop at the end").click();
  await page.waitForFunction(() => document.querySelectorAll("svg.path .link").length === 8);
  assert.equal(await page.locator(".field.faulty").count(), 0);
  assert.equal(await page.locator(".faults li").count(), 0);
});

inBrowsers("labels of a sequence diagram do not touch", url, async ({ page }) => {
  await settled(page);
  await page.locator(".sequence > summary").click();
  await page.waitForSelector(".ladder .arrow");
  const sides = await page.locator(".ladder text.arrow-words:not(.cause)").evaluateAll((all) => all.map((one) => [one.getAttribute("text-anchor") ?? "", Number(one.getAttribute("y"))] as const));
  for (const side of ["start", "end"]) {
    const heights = sides.filter(([anchor]) => anchor === side).map(([, y]) => y).sort((a, b) => a - b);
    assert.ok(heights.length > 5);
    const closest = Math.min(...heights.slice(1).map((y, i) => y - (heights[i] ?? 0)));
    assert.ok(closest >= 12, `${closest} pixels between two labels of 12`);
  }
});

/** A controller with a name as long as a phone is wide. */
const LONG_NAME = "mine-with-quite-a-long-name-of-a-controller-that-goes-on";
const LONG_NAMED = `${SMALL.replace('"reno"', `["${LONG_NAME}", "reno"]`)}\n[controllers.${LONG_NAME}]\ngrow = "cwnd + credit / cwnd"\nreduce = "0.5 * cwnd"\n`;

inBrowsers("a long name leaves the numbers beside it in sight on a phone", urlOf(LONG_NAMED), async ({ page }) => {
  await settled(page);
  const names = await page.locator(".results tbody th").evaluateAll((all) => all.map((one) => one.getBoundingClientRect().right / innerWidth));
  assert.equal(names.length, 2);
  assert.ok(names.every((end) => end < 0.5), names.join());
  assert.ok((await overflow(page)) <= 0);
}, { viewport: { width: 390, height: 844 } });

/** Two transfers that end before the run does. */
const TRANSFERS = SMALL.replace('cc = "reno"', 'cc = ["reno", "cubic"]').replace("3 s", "20 s") + 'size = "200 kB"\n';

inBrowsers("transfers have their completion times in the table, by which they are judged", urlOf(TRANSFERS), async ({ page }) => {
  await settled(page);
  const heads = await page.locator(".results thead th").allTextContents();
  assert.deepEqual(heads.slice(0, 4), ["controller", "transfers", "slowests", "goodputMbit/s"]);
  const took = await goodput(page);
  assert.ok(took > 0.3 && took < 20, `${took} s`);
});

inBrowsers("UDP that is added has hosts in the drawing, over one hop and over several", urlOf(SMALL), async ({ page }) => {
  await settled(page);
  const hosts = (): Promise<string[]> => page.locator("svg.path .site:has(.host) text").allTextContents();
  await page.getByText("Add UDP").click();
  await page.waitForFunction(() => document.querySelectorAll("svg.path .site:has(.host)").length === 4);
  assert.deepEqual((await hosts()).sort(), ["flow", "flow", "udp", "udp"]);
  await page.getByText("Remove flows udp").click();
  await page.getByText("Make it three hops").click();
  await page.getByText("Add UDP").click();
  await page.waitForFunction(() => document.querySelectorAll("svg.path .site:has(.router)").length === 4);
  assert.deepEqual((await hosts()).sort(), ["flow", "flow", "udp", "udp"]);
  assert.equal(await page.locator(".field.faulty, .faults li").count(), 0);
});

inBrowsers("a link of the drawing leads to its settings by the keyboard", url, async ({ page }) => {
  await settled(page);
  await page.locator("svg.path .link").first().focus();
  await page.keyboard.press("Enter");
  const name = (): Promise<string | null | undefined> => page.evaluate(() => document.activeElement?.getAttribute("name"));
  assert.equal(await name(), "dumbbell.rate");
  await pressed(page, "Make it three hops");
  await page.waitForFunction(() => document.querySelectorAll("svg.path .link").length === 6);
  await pressed(page, /^hop 2 return: .*Change it/);
  assert.equal(await name(), "link.2.return_rate");
});

inBrowsers("a preset is no longer chosen when another experiment is opened", url, async ({ page }) => {
  await settled(page);
  await page.locator("#preset").selectOption("dsl-bufferbloat");
  assert.equal(await page.locator("#preset").inputValue(), "dsl-bufferbloat");
  await page.locator(".lessons button").first().click();
  assert.equal(await page.locator("#preset").inputValue(), "");
});

inBrowsers("the focus stays with a button that is pressed, or goes to what has taken its place", url, async ({ page }) => {
  await settled(page);
  await pressed(page, "Add a controller");
  assert.equal(await focusWords(page), "Add a controller");
  await pressed(page, "Remove cubic");
  assert.equal(await focusWords(page), "Controllers");
  await pressed(page, "Write a controller");
  assert.equal(await focusWords(page), "Write a controller");
  await pressed(page, "Remove the controller mine");
  assert.equal(await focusWords(page), "Controllers");
  await pressed(page, "Add UDP");
  assert.equal(await focusWords(page), "Add UDP");
  await pressed(page, "Remove flows udp");
  assert.equal(await focusWords(page), "Traffic");
  await pressed(page, "Make it three hops");
  assert.equal(await focusWords(page), "Link hop 1");
  await pressed(page, "Add a hop at the end");
  assert.equal(await focusWords(page), "Add a hop at the end");
  await pressed(page, "Compare with a second experiment");
  await pressed(page, "Experiment A");
  assert.equal(await focusWords(page), "Experiment A");
  await pressed(page, "Slow start");
  assert.equal(await focusWords(page), "Slow start");
  await pressed(page, /^Next: /);
  assert.equal(await focusWords(page), `2. ${LESSONS[1]?.title}`);
  await pressed(page, "Close the lesson");
  assert.equal(await focusWords(page), LESSONS[1]?.title);
  await page.setViewportSize({ width: 390, height: 844 });
  await pressed(page, "Results");
  assert.equal(await page.evaluate(() => document.activeElement?.getAttribute("aria-label")), "Results");
});

inBrowsers("an experiment that takes long shows a first look, and waits for a word before the whole", url, async ({ page }) => {
  await settled(page);
  await page.locator("#preset").selectOption("ccr-2004-f18");
  await page.waitForSelector(".ask:not([hidden])");
  await page.waitForFunction(() => (document.querySelector(".conclusion")?.textContent ?? "").includes('A first look'));
  await pressed(page, "Run all of it");
  assert.equal(await focusWords(page), "Cancel");
  await page.keyboard.press("Enter");
  assert.equal(await focusWords(page), "Run all of it");
  await page.waitForSelector("progress[hidden]", { state: "attached" });
  // The part that was simulated stays, and the whole may be asked for again.
  assert.match((await page.locator(".status").textContent()) ?? "", /^Stopped /);
  assert.equal(await page.locator(".overlaid").getAttribute("aria-busy"), null);
  assert.ok(await page.locator(".ask button").isVisible());
});

inBrowsers("a controller that a reader writes is compared at once, and the address holds it", async () => url + (await writeState({ toml: SMALL, beside: undefined, lesson: undefined })), async ({ page }) => {
  await settled(page);
  await page.getByText("Write a controller").click();
  await page.waitForFunction(() => document.querySelectorAll(".results tbody tr").length === 2);
  await settled(page);
  const row = async (i: number): Promise<string> => (await page.locator(".results tbody tr").nth(i).locator("td").allTextContents()).join(" ");
  assert.equal(await row(1), await row(0), "it begins as Reno");
  const name = page.getByLabel("Name of the controller mine");
  for (const [to, words] of [["", /needs a name/], ["reno", /already/], ["mine", /^$/]] as const) {
    await name.fill(to);
    await name.press("Enter");
    assert.match((await page.locator(".own-controller .fault").first().textContent()) ?? "", words);
    assert.equal(await name.getAttribute("aria-invalid"), to === "mine" ? null : "true");
  }
  const reduce = page.locator('[name="controllers.mine.reduce"]');
  await reduce.fill("beta * cwmd");
  const field = page.locator(".field", { has: reduce });
  await page.waitForSelector(".field.faulty");
  assert.match((await field.locator(".fault").textContent()) ?? "", /unknown name 'cwmd' \(did you mean 'cwnd'\?\)/);
  await reduce.fill("1 / 0");
  await page.waitForFunction(() => document.body.textContent.includes("controller 'mine': reduce, column 1: '1 / 0' is infinite at"));
  assert.match((await page.locator(".status").textContent()) ?? "", /is infinite at/);
  await reduce.fill("beta * cwmd");
  await page.waitForSelector(".field.faulty");
  await page.waitForFunction(() => document.querySelector(".status")?.textContent === "");
  await reduce.fill("max(2, 0.9 * cwnd)");
  await page.waitForSelector(".field.faulty", { state: "detached" });
  await page.waitForFunction(() => {
    const [reno, mine] = [0, 1].map((i) => document.querySelectorAll(".results tbody tr")[i]?.querySelector("td")?.textContent);
    return document.querySelector("progress:not([hidden])") === null && reno !== mine;
  });
  await page.waitForFunction(async () => {
    const packed = location.hash.length;
    await new Promise((done) => { setTimeout(done, 300); });
    return location.hash.length === packed;
  });
  const [shared, before] = [await page.evaluate(() => location.href), await row(1)];
  await page.goto("about:blank");
  await page.goto(shared);
  await page.waitForFunction(() => document.querySelectorAll(".results tbody tr").length === 2);
  await settled(page);
  assert.equal(await page.locator('[name="controllers.mine.reduce"]').inputValue(), "max(2, 0.9 * cwnd)");
  assert.equal(await row(1), before);
});

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** The findings of axe-core on the page as it stands. */
async function findings(page: Page): Promise<string[]> {
  await page.evaluate(axe);
  return page.evaluate(async () => {
    const { axe: engine } = globalThis as unknown as {
      axe: { run: (options: object) => Promise<{ violations: { id: string; nodes: { target: string[]; failureSummary?: string }[] }[] }> };
    };
    const { violations } = await engine.run({ runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] });
    return violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.target.join(" ")} ${node.failureSummary ?? ""}`));
  });
}

/** Opens all that a reader may open, and makes a mistake. */
async function everythingOpen(page: Page): Promise<void> {
  await settled(page);
  await page.locator(".lessons button").nth(3).click();
  await page.locator(".changes > summary").click();
  await page.locator(".sequence > summary").click();
  await page.waitForSelector(".ladder .arrow");
  await page.locator('[name="dumbbell.rate"]').fill("fast");
  await page.waitForSelector(".field.faulty");
}

const overflow = (page: Page): Promise<number> => page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);

for (const name of browserNames) {
  // Firefox emulates neither dark colours nor touch.
  const looks: [string, BrowserContextOptions][] = name === "firefox"
    ? [["light", {}], ["at a phone's width", { viewport: { width: 390, height: 844 } }]]
    : [["light", {}], ["dark", { colorScheme: "dark" }], ["on a phone", PHONE]];
  for (const [look, options] of looks) {
    test(`axe-core finds nothing to mend on the playground, ${look}, in ${name}`, async (context) => {
      const on = await browser(name);
      if (on === undefined) {
        context.skip(`${name} is not installed`);
        return;
      }
      // axe-core is evaluated beside the page's policy. In Firefox it is in it, and breaks it by looking.
      const { page, faults } = await opened(on, url, { ...options, ...(name === "chromium" ? { bypassCSP: true } : {}) });
      await everythingOpen(page);
      assert.deepEqual(faults, []);
      assert.deepEqual(await findings(page), []);
      const wider = await overflow(page);
      assert.ok(wider <= 0, `the page is ${wider} pixels wider than its window`);
      await page.context().close();
    });
  }
}

for (const name of browserNames) {
  test(`axe-core finds nothing to mend on two experiments with hops and a controller of one's own, in ${name}`, async (context) => {
    const on = await browser(name);
    if (on === undefined) {
      context.skip(`${name} is not installed`);
      return;
    }
    const { page, faults } = await opened(on, url, name === "chromium" ? { bypassCSP: true } : {});
    await settled(page);
    for (const words of ["Write a controller", "Make it three hops", "Add cross traffic", "Compare with a second experiment"]) await pressed(page, words);
    await page.waitForFunction(() => document.querySelectorAll(".results tbody tr").length === 8);
    await settled(page);
    await page.evaluate(() => { for (const closed of document.querySelectorAll("details")) closed.open = true; });
    await page.getByLabel("Name of the controller mine").fill("");
    await page.keyboard.press("Enter");
    await page.waitForSelector(".own-controller .field.faulty");
    assert.deepEqual(faults, []);
    assert.deepEqual(await findings(page), []);
    assert.ok((await overflow(page)) <= 0);
    await page.context().close();
  });
}

test("a dark page is printed light, its charts too, and is dark again afterwards", async (context) => {
  const on = await browser("chromium");
  if (on === undefined) {
    context.skip("chromium is not installed");
    return;
  }
  const small = url + (await writeState({ toml: SMALL, beside: undefined, lesson: undefined }));
  const { page, faults } = await opened(on, small, { colorScheme: "dark", viewport: { width: 1000, height: 1000 } });
  await settled(page);
  await page.waitForFunction(() => document.querySelector(".overlaid [aria-busy]") === null);
  const grid = (): Promise<string> => page.evaluate(() => getComputedStyle(document.documentElement).getPropertyValue("--grid").trim());
  /** The charts as they are at once after an event: a browser prints as soon as its listeners have run. */
  const after = (event: string): Promise<string[]> => page.evaluate((name) => {
    dispatchEvent(new Event(name));
    return [...document.querySelectorAll<HTMLCanvasElement>(".plot canvas")].map((canvas) => canvas.toDataURL());
  }, event);
  const look = (pictures: readonly string[]): Promise<unknown> => page.waitForFunction(
    (all) => [...document.querySelectorAll<HTMLCanvasElement>(".plot canvas")].every((canvas, i) => canvas.toDataURL() === all[i]),
    pictures,
  );
  const [colours, dark] = [await grid(), await after("nothing")];
  const light = await after("beforeprint");
  assert.ok(dark.length >= 2 && light.length === dark.length, `${dark.length} charts, ${light.length} on paper`);
  assert.ok(light.every((picture, i) => picture !== dark[i]), "every chart has been drawn anew");
  assert.notEqual(await grid(), colours);
  await after("afterprint");
  await look(dark);
  assert.equal(await grid(), colours);
  // The same where the medium alone tells of it.
  await page.emulateMedia({ media: "print" });
  await page.waitForFunction(() => document.documentElement.dataset.theme === "light");
  await page.emulateMedia({ media: "screen" });
  await page.waitForFunction(() => document.documentElement.dataset.theme === undefined);
  await look(dark);
  // Paper has the colours of the light theme.
  await page.locator("#theme").click();
  await look(light);
  assert.deepEqual(faults, []);
  await page.context().close();
});

test("on paper the playground has its results, no controls, and nothing wider than the sheet", async (context) => {
  const on = await browser("chromium");
  if (on === undefined) {
    context.skip("chromium is not installed");
    return;
  }
  // A sheet of A4 within its margins.
  const { page, faults } = await opened(on, url, { viewport: { width: 700, height: 1000 } });
  await settled(page);
  await page.locator(".changes > summary").click();
  await page.emulateMedia({ media: "print" });
  await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
  assert.ok((await overflow(page)) <= 0);
  const seen = (selector: string): Promise<number> => page.locator(selector).evaluateAll((all) => all.filter((one) => one.getBoundingClientRect().height > 0).length);
  assert.equal(await seen(".settings-part, .transport, .tools, .lessons"), 0);
  assert.equal(await seen(".lessons-part h2, .start h2, .sequence summary, .by-pointer"), 0, "no heads of nothing");
  assert.ok((await seen(".plot canvas")) >= 5, "the charts stand");
  assert.ok((await seen("svg.path")) === 1 && (await seen(".results table")) >= 1);
  assert.ok((await seen(".changes tbody th button")) > 0, "changes have their moments");
  assert.deepEqual(faults, []);
  await page.context().close();
});
