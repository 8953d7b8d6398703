import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { test } from "node:test";
import type { BrowserContextOptions, Page } from "playwright-core";
import { LESSONS } from "../../src/play/lessons/index.js";
import { writeState } from "../../src/play/state.js";
import { browser, inBrowsers, opened, pageUrl } from "../support/browsers.js";

const url = pageUrl("playground");
const PHONE: BrowserContextOptions = { viewport: { width: 390, height: 844 }, hasTouch: true };
/** A run of a few milliseconds. */
const SMALL = 'cc = "reno"\ntime = "3 s"\nwarmup = "0 s"\nseeds = 1\n\n[dumbbell]\nrate = "5 Mbit/s"\n';

/** Minutes of work: it ends by being replaced. */
const LONG = 'cc = "reno"\ntime = "80000 s"\nwarmup = "0 s"\nseeds = 1\n\n[dumbbell]\nrate = "1 Gbit/s"\n';

/** Waits until the results of these settings are on the page. */
async function settled(page: Page): Promise<void> {
  await page.waitForSelector(".results tbody tr");
  await page.waitForFunction(() => document.querySelector("progress:not([hidden])") === null);
}

/** The goodput in a row of the results. */
async function goodput(page: Page, row = 0): Promise<number> {
  return Number(await page.locator(".results tbody tr").nth(row).locator("td").first().textContent());
}

async function waitForGoodput(page: Page, right: string): Promise<void> {
  await page.waitForFunction(
    (condition) => {
      const value = Number(document.querySelector(".results tbody tr td")?.textContent);
      const [sign, bound] = [condition.slice(0, 1), Number(condition.slice(1))];
      return sign === ">" ? value > bound : value < bound;
    },
    right,
  );
}

inBrowsers("the playground draws a path and simulates it as it opens", url, async ({ page }) => {
  await settled(page);
  assert.equal(await page.locator(".results tbody tr").count(), 3);
  assert.match((await page.locator("svg.path").getAttribute("aria-label")) ?? "", /bottleneck: 10 Mbit\/s, 10 ms one way/);
  assert.ok((await page.locator(".panel").count()) >= 5);
});

inBrowsers("its heading stands before the engine is there", url, async ({ page }) => {
  await page.addInitScript(() => {
    addEventListener("DOMContentLoaded", () => {
      const texts = ["h1", "main"].map((part) => document.querySelector(part)?.textContent);
      document.documentElement.dataset.early = texts.join(": ");
    });
  });
  await page.reload();
  const early = await page.evaluate(() => document.documentElement.dataset.early);
  assert.match(early ?? "", /^Westwood playground: The simulator is being unpacked/);
  await settled(page);
  assert.equal(await page.locator("h1").count(), 1);
  assert.equal(await page.getByText("being unpacked").count(), 0);
});

inBrowsers("a setting that is turned changes the drawing and the results, and the address holds it", url, async ({ page }) => {
  await settled(page);
  await page.waitForFunction(() => location.hash.length > 20);
  const first = await page.evaluate(() => location.hash);
  await page.locator('[name="dumbbell.rate"]').fill("2 Mbit/s");
  await waitForGoodput(page, "<2");
  assert.match((await page.locator("svg.path").getAttribute("aria-label")) ?? "", /bottleneck: 2 Mbit\/s/);
  await page.waitForFunction((before) => location.hash !== before, first);
  await settled(page);
  const shared = await page.evaluate(() => location.href);
  const before = await page.locator(".results tbody").textContent();
  await page.goto("about:blank");
  await page.goto(shared);
  await settled(page);
  assert.equal(await page.locator('[name="dumbbell.rate"]').inputValue(), "2 Mbit/s");
  await page.waitForFunction((text) => document.querySelector(".results tbody")?.textContent === text, before);
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

inBrowsers("packets move along the path, and a loss has a sequence diagram", async () => url + (await writeState({ toml: SMALL, beside: undefined, lesson: undefined })), async ({ page }) => {
  await settled(page);
  await page.locator('.transport input[type="range"]').fill("500");
  await page.waitForFunction(() => document.querySelector(".clock")?.textContent === "1.500 s");
  await page.waitForFunction(() => {
    const canvas = document.querySelector<HTMLCanvasElement>("canvas.packets");
    if (!canvas) return false;
    const blank = document.createElement("canvas");
    [blank.width, blank.height] = [canvas.width, canvas.height];
    return canvas.toDataURL() !== blank.toDataURL();
  });
  await page.locator(".transport .play").click();
  await page.waitForFunction(() => Number.parseFloat(document.querySelector(".clock")?.textContent ?? "0") > 1.5);
  await page.locator(".transport .play").click();
  await page.locator(".sequence summary").click();
  await page.waitForSelector(".ladder .arrow.gone");
  assert.ok((await page.locator(".ladder .arrow.again").count()) > 0);
  await page.locator(".sequence .behind summary").click();
  assert.match((await page.locator(".sequence .behind table").textContent()) ?? "", /segment \d+ sent again/);
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

inBrowsers("two experiments stand side by side, and one link holds both", url, async ({ page }) => {
  await settled(page);
  await page.getByText("Compare with a second experiment").click();
  await page.waitForFunction(() => document.querySelectorAll(".results tbody tr").length === 6);
  await page.locator('[name="dumbbell.loss"]').fill("1 %");
  await page.waitForFunction(() => {
    const [a, b] = [0, 3].map((i) => Number(document.querySelectorAll(".results tbody tr")[i]?.querySelector("td")?.textContent));
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
  await page.waitForFunction((whole) => Number(document.querySelector(".results tbody tr td")?.textContent) === whole, first);
});

inBrowsers("a link that is pasted opens its experiment", url, async ({ page }) => {
  await settled(page);
  await page.locator("#link").fill(`https://example.org/p.html${await writeState({ toml: SMALL, beside: undefined, lesson: undefined })}`);
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.querySelectorAll(".results tbody tr").length === 1);
  assert.equal(await page.locator('[name="dumbbell.rate"]').inputValue(), "5 Mbit/s");
  assert.equal(await page.locator("#link").inputValue(), "");
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

inBrowsers("a link of the drawing leads to its settings by the keyboard", url, async ({ page }) => {
  await settled(page);
  await page.locator("svg.path .link").first().focus();
  await page.keyboard.press("Enter");
  assert.equal(await page.evaluate(() => document.activeElement?.getAttribute("name")), "dumbbell.rate");
});

inBrowsers("an experiment that takes long shows a first look, and waits for a word before the whole", url, async ({ page }) => {
  await settled(page);
  await page.locator("#preset").selectOption("ccr-2004-f18");
  await page.waitForSelector(".ask:not([hidden])");
  await page.waitForFunction(() => (document.querySelector(".conclusion")?.textContent ?? "").includes('A first look'));
  await page.locator(".ask button").click();
  await page.locator(".work button").click();
  await page.waitForSelector("progress[hidden]", { state: "attached" });
});

inBrowsers("a controller that a reader writes is compared at once, and the address holds it", async () => url + (await writeState({ toml: SMALL, beside: undefined, lesson: undefined })), async ({ page }) => {
  await settled(page);
  await page.getByText("Write a controller").click();
  await page.waitForFunction(() => document.querySelectorAll(".results tbody tr").length === 2);
  await settled(page);
  const row = async (i: number): Promise<string> => (await page.locator(".results tbody tr").nth(i).locator("td").allTextContents()).join(" ");
  assert.equal(await row(1), await row(0), "it begins as Reno");
  const reduce = page.locator('[name="controllers.mine.reduce"]');
  await reduce.fill("beta * cwmd");
  const field = page.locator(".field", { has: reduce });
  await page.waitForSelector(".field.faulty");
  assert.match((await field.locator(".fault").textContent()) ?? "", /unknown name 'cwmd' \(did you mean 'cwnd'\?\)/);
  await reduce.fill("1 / 0");
  await page.waitForFunction(() => document.body.textContent.includes("controller 'mine': reduce, column 1: '1 / 0' is infinite at"));
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

for (const [look, options] of [
  ["light", {}],
  ["dark", { colorScheme: "dark" }],
  ["on a phone", PHONE],
] as [string, BrowserContextOptions][]) {
  test(`axe-core finds nothing to mend on the playground, ${look}`, async (context) => {
    const on = await browser("chromium");
    if (on === undefined) {
      context.skip("chromium is not installed");
      return;
    }
    // The policy of the page lets no foreign script in; axe-core is evaluated beside it.
    const { page, faults } = await opened(on, url, { ...options, bypassCSP: true });
    await settled(page);
    await page.locator(".lessons button").nth(3).click();
    await page.locator(".changes > summary").click();
    await page.locator(".sequence > summary").click();
    await page.waitForSelector(".ladder .arrow");
    await page.locator('[name="dumbbell.rate"]').fill("fast");
    await page.waitForSelector(".field.faulty");
    assert.deepEqual(await findings(page), []);
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    assert.ok(overflow <= 0, `the page is ${overflow} pixels wider than its window`);
    assert.deepEqual(faults, []);
    await page.context().close();
  });
}
