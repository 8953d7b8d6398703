import assert from "node:assert/strict";
import { readFileSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { type Page } from "playwright-core";
import { httpUrl, inBrowsers, type WatchedPage } from "../support/browsers.js";
import { command, HOSTILE, reportUrl } from "../support/reports.js";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const comparison = reportUrl("comparison");
const sweep = reportUrl("sweep");
if (comparison === undefined) console.error(`skipped: reports in browsers; they need ${command}`);

/** Waits until the charts stand. */
const ready = async (page: Page): Promise<void> => {
  await page.waitForFunction(() => document.documentElement.dataset.ready === "true");
};

/** Violations of WCAG 2.2 A and AA, in words. */
async function findings(page: Page): Promise<string[]> {
  // Evaluated by the debugger: the page's policy lets no other script in.
  await page.evaluate(axe);
  return page.evaluate(async () => {
    interface Found { violations: { id: string; help: string; nodes: { html: string }[] }[] }
    const tool = (globalThis as unknown as { axe: { run: (of: Document, options: object) => Promise<Found> } }).axe;
    const tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];
    const { violations } = await tool.run(document, { runOnly: { type: "tag", values: tags } });
    return violations.map(({ id, help, nodes }) => `${id}: ${help}: ${nodes.map((node) => node.html.slice(0, 120)).slice(0, 3).join(" | ")}`);
  });
}

/** A page and its faults, without those that the check itself makes: it tries what the policy forbids. */
async function accessible({ page, faults }: WatchedPage): Promise<void> {
  await page.evaluate(() => { for (const closed of document.querySelectorAll("details")) closed.open = true; });
  await page.waitForFunction(() => [...document.querySelectorAll(".behind")].every((behind) => behind.childElementCount > 1));
  assert.deepEqual(await findings(page), []);
  faults.length = 0;
}

if (comparison !== undefined && sweep !== undefined) {
  inBrowsers("a comparison opens from disk without asking for anything, and a pointer reads every chart", comparison, async ({ page }) => {
    await ready(page);
    assert.equal(await page.locator(".overlaid canvas").count(), 8);
    assert.ok((await page.locator("svg.plotted").count()) > 8);
    await page.locator(".plot").first().focus();
    await page.keyboard.press("End");
    assert.match((await page.locator("#at").textContent()) ?? "", /^at (29\.9|30)/);
    const values = await page.locator(".readout li:not(.head) .value.main").allTextContents();
    assert.ok(values.length >= 15 && values.every((value) => value !== ""), values.join());
    assert.match((await page.locator(".causes").first().textContent()) ?? "", /segments/);
    const ends = await page.evaluate(() => [...document.querySelectorAll(".causes .why")].map((why) => why.textContent));
    assert.ok(ends.length > 0 && ends.every((why) => why !== "recovery ends"), ends.join());
    await page.keyboard.press("+");
    assert.match((await page.evaluate(() => document.documentElement.dataset.zoom)) ?? "", /^\d/);
  });

  inBrowsers("who hears the page is told once where keys have led, with the values there", comparison, async ({ page }) => {
    await ready(page);
    const heard = page.locator(".overlaid > [role=status]");
    assert.equal(await heard.textContent(), "");
    await page.locator(".plot").first().focus();
    const messages = await page.evaluate(async () => {
      const status = document.querySelector(".overlaid > [role=status]");
      const plot = document.activeElement;
      if (!status || !plot) throw new Error("nothing to hear");
      const told: string[] = [];
      new MutationObserver(() => { told.push(status.textContent); }).observe(status, { childList: true });
      for (const key of ["End", "ArrowLeft", "ArrowLeft", "ArrowLeft"]) plot.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
      await new Promise((done) => { setTimeout(done, 1500); });
      return told;
    });
    assert.equal(messages.length, 1, messages.join("\n"));
    assert.match(messages[0] ?? "", /^at [\d.]+\ss; reno [^;]+\spackets; .*reno(: no reduction so far| changed last at )/);
    await page.locator("#zoom-in").click();
    await page.waitForFunction(() => document.querySelector(".overlaid > [role=status]")?.textContent.includes("showing"));
    // A pointer is for eyes.
    const before = await heard.textContent();
    await page.locator(".plot").nth(1).hover();
    await page.waitForTimeout(900);
    assert.equal(await heard.textContent(), before);
  });

  inBrowsers("over http a comparison is the same and asks for nothing either", async () => httpUrl("reports/comparison"), async ({ page }) => {
    await ready(page);
    assert.equal(await page.locator(".overlaid canvas").count(), 8);
  });

  inBrowsers("losses are ticks at the top of the queue, and the first one has a figure of segments over time", comparison, async ({ page }) => {
    await page.addInitScript(() => {
      // Ticks are upright lines of five pixels; the lines of an axis are longer.
      type Draw = (x: number, y: number) => void;
      const [moveTo, lineTo] = ["moveTo", "lineTo"].map((name) => Reflect.get(CanvasRenderingContext2D.prototype, name) as Draw);
      if (!moveTo || !lineTo) throw new Error("a browser without canvas");
      const from = new WeakMap<object, [number, number]>();
      Object.assign(globalThis, { ticks: new Map<Element, number>() });
      CanvasRenderingContext2D.prototype.moveTo = function (x, y) {
        from.set(this, [x, y]);
        moveTo.call(this, x, y);
      };
      CanvasRenderingContext2D.prototype.lineTo = function (x, y) {
        const [x0, y0] = from.get(this) ?? [0, 0];
        const { ticks } = globalThis as unknown as { ticks: Map<Element, number> };
        if (x === x0 && Math.abs(y - y0 - 5 * devicePixelRatio) < 1e-6) ticks.set(this.canvas, (ticks.get(this.canvas) ?? 0) + 1);
        lineTo.call(this, x, y);
      };
    });
    await page.reload();
    await ready(page);
    const marked = await page.evaluate(() => {
      const { ticks } = globalThis as unknown as { ticks: Map<Element, number> };
      return [...ticks].map(([canvas, count]) => [canvas.closest(".panel")?.querySelector("h3")?.textContent ?? "", count] as const);
    });
    assert.equal(marked.length, 1, JSON.stringify(marked));
    assert.match(marked[0]?.[0] ?? "", /waiting at the bottleneck/);
    assert.ok((marked[0]?.[1] ?? 0) > 10, JSON.stringify(marked));
    const figures = page.locator(".sequences .gallery svg.plotted");
    await figures.first().waitFor({ state: "attached" });
    // Segments that are sent, lost and sent again.
    assert.ok((await figures.count()) >= 2);
    assert.ok((await figures.first().locator("path, circle").count()) > 20);
  });

  inBrowsers("a comparison has no finding of axe-core, its tables open", comparison, async (watched) => {
    await ready(watched.page);
    await accessible(watched);
  });

  inBrowsers("what is switched off stays legible, and nothing that has the focus is below the switches", comparison, async (watched) => {
    const { page } = watched;
    await ready(page);
    // Names in several lines.
    await page.setViewportSize({ width: 900, height: 700 });
    await page.evaluate(() => {
      const name = document.querySelector(".switches span");
      if (name) name.textContent = "reno(a=1, b=2, c=3)".repeat(12);
    });
    await page.locator(".switches input").nth(1).uncheck();
    assert.equal(await page.locator("tr.off").first().evaluate((row) => getComputedStyle(row).opacity), "1");
    await page.waitForFunction(() => {
      const bar = document.querySelector<HTMLElement>(".switches");
      return bar !== null && Number.parseFloat(getComputedStyle(document.documentElement).scrollPaddingTop) >= bar.offsetHeight;
    });
    await page.evaluate(() => { scrollTo(0, document.documentElement.scrollHeight); });
    await page.locator("#zoom-in").focus();
    const [focus, bar] = await page.evaluate(() => [document.activeElement, document.querySelector(".switches")].map((part) => part?.getBoundingClientRect()));
    assert.ok((focus?.top ?? 0) >= (bar?.bottom ?? Infinity) || (bar?.bottom ?? 0) <= 0, `${focus?.top} and ${bar?.bottom}`);
    await accessible(watched);
  });

  inBrowsers("a comparison in the dark has no finding of axe-core", comparison, async (watched) => {
    await ready(watched.page);
    await watched.page.locator("#theme").click();
    await watched.page.locator("#theme").click();
    assert.equal(await watched.page.evaluate(() => document.documentElement.dataset.theme), "dark");
    await accessible(watched);
  });

  inBrowsers("a sweep is a map whose places are reached by arrow keys and lead to their runs", sweep, async (watched) => {
    const { page } = watched;
    await ready(page);
    // Maps of other quantities are drawn when they are chosen.
    assert.equal(await page.locator("[data-at]").count(), 9);
    const cell = page.locator('.metric:not([hidden]) [data-at="0,0"]');
    await cell.focus();
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("Enter");
    assert.match((await page.locator(".closer h3").textContent()) ?? "", /at loss 1\s%, rtt 60\sms/);
    assert.match((await page.locator('#sweep [role="status"]').textContent()) ?? "", /^Below: .* at loss 1\s%, rtt 60\sms$/);
    assert.equal(await page.locator(".closer tbody tr").count(), 2);
    await page.locator(".closer button").click();
    assert.equal(await page.locator("#setting").evaluate((select: HTMLSelectElement) => select.selectedOptions[0]?.textContent), "loss 1 %, rtt 60 ms");
    await page.locator('.metric:not([hidden]) [data-at="0,2"]').click();
    assert.match((await page.locator(".closer h3").textContent()) ?? "", /at loss 0.01\s%, rtt 200\sms/);
    // Places that were not followed closely have their runs, too.
    await page.locator(".closer button").click();
    assert.equal(await page.locator("#setting").evaluate((select: HTMLSelectElement) => select.selectedOptions[0]?.textContent), "loss 0.01 %, rtt 200 ms");
    assert.match((await page.locator("#time .live").textContent()) ?? "", /less closely than other settings/);
    // Names are strangers' texts.
    assert.ok((await page.locator(".subtitle").textContent())?.includes(HOSTILE));
    assert.equal(await page.locator("img").count(), 0);
    await accessible(watched);
  });

  for (const [what, report, link] of [
    ["a comparison", comparison, ".kicker a"],
    ["a sweep", sweep, ".kicker a"],
    ["a place of a sweep", sweep, ".closer a"],
  ] as const) {
    inBrowsers(`${what} opens in the playground beside the report, which then shows the same`, report, async ({ page, faults }, name) => {
      await ready(page);
      if (what === "a place of a sweep") await page.locator('.metric:not([hidden]) [data-at="1,0"]').click();
      const scenario = await page.locator("#repeat details pre").first().textContent();
      await page.locator(`${link}[href]`).click();
      await page.waitForSelector(".results tbody tr");
      const text = await page.locator("#toml").inputValue();
      if (what === "a place of a sweep") {
        assert.equal(await page.locator('[name="dumbbell.loss"]').inputValue(), "1 %");
        assert.equal(await page.locator('[name="dumbbell.rtt"]').inputValue(), "20 ms");
        assert.ok(!text.includes("[sweep]"));
        await page.waitForFunction(() => document.querySelectorAll(".results tbody tr").length === 2);
      } else {
        // HTML leaves out a line that a pre begins with.
        assert.equal(text.trim(), scenario?.trim(), name);
      }
      // Going to another page is what was asked for.
      for (const meant of faults.filter((fault) => /^request: .*play.*html/.test(fault))) faults.splice(faults.indexOf(meant), 1);
    });
  }

  inBrowsers("a playground shows the experiment that was put into it", comparison.replace("comparison.html", "play.html"), async ({ page }) => {
    await page.waitForSelector(".results tbody tr");
    const names = await page.locator(".results tbody th").allTextContents();
    assert.deepEqual(names, ["reno", "bbr", "westwood+"]);
    assert.equal(await page.locator('[name="dumbbell.flows"]').inputValue(), "2");
  });

  inBrowsers("on a phone nothing is cut", comparison, async ({ page }) => {
    await ready(page);
    assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 390);
    const cut = await page.evaluate(() => [...document.querySelectorAll(".plotted, .panel, .plot, table, .tools")].filter((part) => {
      if (part.closest(".scroll, .still")) return false;
      return part.getBoundingClientRect().right > innerWidth + 0.5;
    }).map((part) => `${part.tagName} ${part.getAttribute("class") ?? ""}`));
    assert.deepEqual(cut, []);
    // Charts are drawn as they come into sight.
    await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
    const short = (await page.locator(".plotted text").allTextContents()).filter((words) => words.includes("\u2026"));
    assert.deepEqual(short, []);
  }, { viewport: { width: 390, height: 844 } });

  inBrowsers("the policy of a report runs no script but its own", sweep, async ({ page, faults }) => {
    await ready(page);
    const told = page.waitForEvent("console");
    await page.evaluate(() => {
      const script = document.createElement("script");
      script.textContent = "document.title = 'taken'";
      document.body.append(script);
    });
    await told;
    assert.notEqual(await page.title(), "taken");
    assert.match(faults.join(), /script-src/);
    faults.length = 0;
  });

  inBrowsers("charts out of sight come later, move nothing as they come, and are all there to be printed", comparison, async ({ page }) => {
    await ready(page);
    const { waiting, printed, again, height } = await page.evaluate(async () => {
      // The charts of another seed, while the part about time is below what the window shows.
      const seed = document.querySelector<HTMLSelectElement>("#seed");
      if (!seed) throw new Error("no seeds to choose from");
      const busy = (): number => document.querySelectorAll("#time [aria-busy]").length;
      const choose = (place: number): void => {
        seed.selectedIndex = place;
        seed.dispatchEvent(new Event("change"));
      };
      const microtasks = async (): Promise<void> => { for (let i = 0; i < 5; i++) await Promise.resolve(); };
      choose(1);
      await microtasks();
      const waiting = busy();
      dispatchEvent(new Event("beforeprint"));
      const printed = busy();
      choose(2);
      await microtasks();
      return { waiting, printed, again: busy(), height: document.documentElement.scrollHeight };
    });
    assert.ok(waiting > 8 && again > 8, `${waiting} and ${again} charts wait`);
    assert.equal(printed, 0, "paper has all of them");
    await page.waitForFunction(() => document.querySelector("#time [aria-busy]") === null);
    assert.equal(await page.evaluate(() => document.documentElement.scrollHeight), height);
  });

  const eight = reportUrl("eight") ?? "";
  inBrowsers("a report without a playground beside it copies its experiment as a link from its top", eight, async ({ page }) => {
    await ready(page);
    const way = page.locator(".masthead .way");
    assert.match((await way.textContent()) ?? "", /Any playground opens the experiment as a link.*--play playground\.html/);
    await way.getByRole("button", { name: "Copy the experiment as a link" }).click();
    // A page from disk may have no clipboard.
    await page.waitForFunction(() => /^(Copied|Selected)$/.test(document.querySelector(".way button")?.textContent ?? ""));
    await way.getByRole("link").click();
    assert.equal(await page.evaluate(() => location.hash), "#link");
  });

  inBrowsers("eight controllers under eight seeds take less than two megabytes", eight, async ({ page }) => {
    assert.ok(statSync(fileURLToPath(eight)).size < 2_000_000);
    await ready(page);
  });

  inBrowsers("a controller without a threshold has its window below the heading of the windows", () => Promise.resolve(reportUrl("lacking") ?? ""), async ({ page }) => {
    await ready(page);
    const windows = page.locator(".readout").first();
    assert.deepEqual(await windows.locator(".head .value").allTextContents(), ["cwnd", "ssthresh"]);
    await page.locator(".plot").first().focus();
    await page.keyboard.press("End");
    const [, lacking] = await windows.locator("li:not(.head)").evaluateAll((rows) => rows.map((row) => [...row.querySelectorAll(".value")].map((value) => value.textContent)));
    assert.match(lacking?.[0] ?? "", /\d/);
    assert.equal(lacking?.[1], "\u2013");
    // Nor have its reductions the largest number for one.
    const causes = await page.locator(".causes .why").allTextContents();
    assert.ok(causes.every((why) => !/\d{7}/.test(why)), causes.join("; "));
  });

  inBrowsers("a thousand flows have their charts, their sums and no more than two megabytes", () => Promise.resolve(reportUrl("flows") ?? ""), async ({ page }) => {
    assert.ok(statSync(fileURLToPath(reportUrl("flows") ?? "")).size < 2_000_000);
    await ready(page);
    assert.ok((await page.locator(".overlaid canvas").count()) >= 4);
    await page.locator(".plot").first().focus();
    await page.keyboard.press("End");
    const values = await page.locator(".readout").first().locator(".value").allTextContents();
    assert.ok(values.some((value) => /\d/.test(value)), values.join());
    assert.ok((await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)) <= 0);
  });
}
