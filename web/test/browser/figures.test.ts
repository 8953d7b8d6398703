/** The figures of the playground's results: over the parameters of a sweep, and over the seeds. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { test } from "node:test";
import type { BrowserContextOptions, Page } from "playwright-core";
import { writeState } from "../../src/play/state.js";
import { browser, browserNames, inBrowsers, opened, pageUrl } from "../support/browsers.js";

const SMALL = 'cc = ["reno", "bbr"]\ntime = "4 s"\nwarmup = "1 s"\nseeds = 3\n\n[dumbbell]\nrate = "5 Mbit/s"\nloss = "1 %"\n';
const LINES = `${SMALL}\n[sweep]\n"dumbbell.rtt" = ["20 ms", "60 ms", "200 ms"]\n`;
const MAP = `${SMALL}\n[sweep]\n"dumbbell.rate" = ["2 Mbit/s", "5 Mbit/s"]\n"dumbbell.rtt" = ["20 ms", "60 ms", "200 ms"]\n`;
/** More than a page simulates without being asked. */
const LARGE = 'cc = ["reno", "bbr"]\ntime = "2000 s"\nwarmup = "1 s"\nseeds = 2\n\n[dumbbell]\nrate = "1 Gbit/s"\n\n[sweep]\n"dumbbell.rtt" = ["20 ms", "60 ms", "200 ms"]\n';

const urlOf = (toml: string) => async (): Promise<string> => pageUrl("playground") + (await writeState({ toml, beside: undefined, lesson: undefined }));

/** Waits for the results of all that is asked for. */
async function whole(page: Page): Promise<void> {
  await page.waitForSelector(".results tbody tr");
  await page.waitForFunction(() => {
    const words = document.querySelector(".conclusion")?.textContent ?? "";
    return words !== "" && !words.includes("A first look") && document.querySelector("progress:not([hidden])") === null;
  });
}

/** The names of the curves that are drawn. */
const curves = async (page: Page): Promise<string[]> => page.locator(".panel").first().locator(".readout li:not(.head) .name").allTextContents();

inBrowsers("a sweep over one parameter is lines, and a point of one leads to the curves there", urlOf(LINES), async ({ page }) => {
  await whole(page);
  const figure = page.locator(".over-parameters .metric:not([hidden]) svg.plotted");
  await figure.locator("[data-at]").first().waitFor();
  assert.equal(await figure.locator("[data-at]").count(), 6);
  assert.deepEqual(await page.locator(".over-parameters .key li").allTextContents(), ["reno", "bbr"]);
  assert.match((await page.locator(".over-parameters .lede").textContent()) ?? "", /mean over 3 seeds, a band its 95\s% confidence/);
  assert.deepEqual(await curves(page), ["reno, rtt=20 ms", "bbr, rtt=20 ms"]);
  await figure.locator('[data-at="2"]').first().click();
  assert.match((await page.locator(".closer h3").textContent()) ?? "", /^goodput .* at rtt 200\sms$/);
  assert.deepEqual(await curves(page), ["reno, rtt=200 ms", "bbr, rtt=200 ms"]);
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("Enter");
  assert.deepEqual(await curves(page), ["reno, rtt=60 ms", "bbr, rtt=60 ms"]);
  assert.match((await page.locator(".over-parameters [role=status]").textContent()) ?? "", /^Below: .* at rtt 60\sms$/);
  await page.getByRole("button", { name: "Its curves over time" }).click();
  assert.equal(await page.evaluate(() => document.activeElement?.id), "shown");
  await page.locator("#quantity-0").selectOption({ index: 1 });
  const chosen = await page.locator("#quantity-0").inputValue();
  await page.locator('[name="dumbbell.loss"]').fill("2 %");
  await page.waitForFunction(() => document.querySelector(".closer")?.childElementCount === 0);
  assert.equal(await page.locator("#quantity-0").inputValue(), chosen, "the quantity stays where settings change");
});

inBrowsers("figures of a second experiment have the marks of its rows and curves", urlOf(SMALL), async ({ page }) => {
  await whole(page);
  await page.getByRole("button", { name: "Compare with a second experiment" }).click();
  await page.waitForFunction(() => document.querySelectorAll(".results tbody tr th svg").length >= 4);
  await whole(page);
  const marks = (side: number): Promise<string[]> => page.locator(".over-seeds").nth(side).locator("figure svg.plotted").first().evaluate((svg) => {
    const classes = [...svg.querySelectorAll("[class]")].map((one) => one.getAttribute("class") ?? "");
    return [...new Set(classes.filter((name) => /^k\d+$/.test(name)))].sort();
  });
  await page.locator(".over-seeds figure").last().scrollIntoViewIfNeeded();
  await page.waitForFunction(() => document.querySelectorAll(".over-seeds").length === 2);
  assert.deepEqual([await marks(0), await marks(1)], [["k0", "k1"], ["k2", "k3"]]);
});

inBrowsers("a sweep over two parameters is a map, and the path that is drawn is that of its place", urlOf(MAP), async ({ page }) => {
  await whole(page);
  const figure = page.locator(".over-parameters .metric:not([hidden]) svg.plotted");
  await figure.locator("[data-at]").first().waitFor();
  assert.equal(await figure.locator("[data-at]").count(), 6);
  const path = async (): Promise<string> => (await page.locator("svg.path").getAttribute("aria-label")) ?? "";
  assert.match(await path(), /bottleneck: 2\sMbit\/s/);
  await figure.locator('[data-at="1,2"]').click();
  assert.match(await path(), /bottleneck: 5\sMbit\/s/);
  assert.deepEqual(await curves(page), ["reno, rate=5 Mbit/s, rtt=200 ms", "bbr, rate=5 Mbit/s, rtt=200 ms"]);
  await page.locator(".over-parameters .metric:not([hidden]) .behind summary").click();
  const rows = page.locator(".over-parameters .metric:not([hidden]) .behind tbody tr");
  await rows.first().waitFor();
  assert.equal(await rows.count(), 6);
  assert.match((await rows.last().textContent()) ?? "", /^5 Mbit\/s, 200 ms[\d.]+ [\u00b1\u2264\u2265][\d.]+/);
});

inBrowsers("several seeds have a spread, and the means of the table their intervals", urlOf(SMALL), async ({ page }) => {
  await whole(page);
  await page.locator(".over-seeds svg.plotted").first().waitFor();
  assert.ok((await page.locator(".over-seeds figure").count()) > 3);
  const cells = await page.locator(".results > .scroll tbody tr").first().locator("td").allTextContents();
  // Timeouts that no seed met have no interval.
  assert.ok(cells.every((cell) => /^[\d.]+ [\u00b1\u2264\u2265\d]/.test(cell) || cell === "0"), cells.join());
  assert.match(
    (await page.locator(".results caption").first().textContent()) ?? "",
    /^Means over 3 seeds \u00b1 95\s% confidence; no \u00b1: alike under all seeds, up to 78\s% of further runs may differ(; ≤ and ≥ give the end .*)?$/,
  );
  await page.locator('[name="seeds"]').fill("1");
  await page.waitForFunction(() => document.querySelector(".over-seeds") === null);
  const alone = await page.locator(".results > .scroll tbody tr").first().locator("td").allTextContents();
  assert.ok(alone.every((cell) => /^[\d.]+$/.test(cell)), alone.join());
});

inBrowsers("a first look of a large sweep says of what it is", urlOf(LARGE), async ({ page }) => {
  await page.waitForSelector(".ask:not([hidden])");
  assert.match((await page.locator(".conclusion").textContent()) ?? "", /^A first look, and no result yet: 2 of 6\spoints \(rtt 20 ms\), the first [\d.]+ of 2000\ss, 1 of 2\sseeds\.$/);
  assert.equal(await page.locator(".over-parameters").count(), 0);
});

inBrowsers("the figures of before stay while there is a first look alone, and say so", urlOf(LINES), async ({ page }) => {
  await whole(page);
  await page.locator(".over-parameters [data-at]").first().waitFor();
  assert.ok(await page.locator(".outcome-figures .warning").first().isHidden());
  await page.locator(".as-text summary").click();
  await page.locator("#toml").fill(LINES.replace("4 s", "4000 s").replace("5 Mbit/s", "1 Gbit/s"));
  await page.waitForSelector(".ask:not([hidden])");
  assert.equal(await page.locator(".outcome-figures .warning").first().textContent(), "These figures are of the settings before.");
  assert.ok(await page.locator(".outcome-figures .warning").first().isVisible());
  assert.equal(await page.locator(".over-parameters").count(), 1);
});

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

for (const name of browserNames) {
  // Firefox emulates neither dark colours nor touch.
  const looks: [string, BrowserContextOptions][] = name === "firefox"
    ? [["light", {}]]
    : [["light", {}], ["dark", { colorScheme: "dark" }], ["on a phone", { viewport: { width: 390, height: 844 }, hasTouch: true }]];
  for (const [look, options] of looks) {
    for (const [what, toml, at] of [["lines", LINES, "1"], ["a map", MAP, "1,1"], ["seeds", SMALL, undefined]] as const) {
      test(`axe-core finds nothing to mend on ${what} of the playground, ${look}, in ${name}`, async (context) => {
        const on = await browser(name);
        if (on === undefined) {
          context.skip(`${name} is not installed`);
          return;
        }
        // axe-core is evaluated beside the page's policy. In Firefox it is in it, and breaks it by looking.
        const { page, faults } = await opened(on, await urlOf(toml)(), { ...options, ...(name === "chromium" ? { bypassCSP: true } : {}) });
        await whole(page);
        await page.locator(".outcome-figures svg.plotted").first().waitFor();
        if (at !== undefined) await page.locator(`.metric:not([hidden]) [data-at="${at}"]`).first().click();
        await page.evaluate(() => { for (const closed of document.querySelectorAll<HTMLDetailsElement>(".outcome-figures details")) closed.open = true; });
        await page.evaluate(axe);
        const found = await page.evaluate(async () => {
          const { axe: engine } = globalThis as unknown as {
            axe: { run: (options: object) => Promise<{ violations: { id: string; nodes: { target: string[]; failureSummary?: string }[] }[] }> };
          };
          const { violations } = await engine.run({ runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] });
          return violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.target.join(" ")} ${node.failureSummary ?? ""}`));
        });
        assert.deepEqual(found, []);
        const wider = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
        assert.ok(wider <= 0, `the page is ${wider} pixels wider than its window`);
        if (name === "chromium") assert.deepEqual(faults, []);
        await page.context().close();
      });
    }
  }
}
