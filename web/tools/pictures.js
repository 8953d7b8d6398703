/**
 * The documents' pictures of pages, drawn by Chromium: `node tools/pictures.js COMMAND` writes docs/pictures/report.png,
 * the report of the operator's tutorial, and playground.png. The playground is the built one, target/web/playground.html.
 */

import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import process from "node:process";
import { fileURLToPath, pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const [command = ""] = process.argv.slice(2);
const root = join(dirname(fileURLToPath(import.meta.url)), "../..");
const folder = mkdtempSync(join(tmpdir(), "westwood-"));
/** @type {(name: string) => string} */
const picture = (name) => join(root, "docs/pictures", name);

const GEO = "--rate 20Mbit/s --return-rate 2Mbit/s --rtt 600ms --loss 0.1% --time 120s --warmup 20s --cc cubic-linux,bbr,westwood";
const report = join(folder, "geo.html");
const done = spawnSync(command, ["compare", "-q", ...GEO.split(" "), "--html", report], { encoding: "utf8" });
if (done.status !== 0) throw new Error(done.stderr || String(done.error));

const env = { ...process.env, FONTCONFIG_FILE: join(root, "web/tools/fonts.conf") };
const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"], env });
const page = await browser.newPage({ viewport: { width: 1040, height: 1040 } });

/** Brings the heading to the window's top. @type {(heading: string) => Promise<void>} */
async function scrollTo(heading) {
  await page.getByRole("heading", { name: heading, exact: true }).evaluate((one) => { one.scrollIntoView(); });
}

await page.goto(pathToFileURL(report).href);
await scrollTo("Over time");
const windows = page.locator("canvas").first();
await windows.waitFor();
const box = await windows.boundingBox();
if (!box) throw new Error("the report draws no windows");
// The pointer a little behind the middle: below the windows stands why each changed last.
await page.mouse.move(box.x + 0.57 * box.width, box.y + 0.5 * box.height);
await page.waitForTimeout(500);
await page.screenshot({ path: picture("report.png") });

await page.setViewportSize({ width: 1240, height: 1000 });
await page.goto(pathToFileURL(join(root, "target/web/playground.html")).href);
await page.getByText("Means over 8 seeds").waitFor();
await scrollTo("Experiment");
await page.getByRole("button", { name: "Play" }).click();
// Thirty times slower: the packets of the first 0.3 s.
await page.waitForTimeout(9000);
await page.screenshot({ path: picture("playground.png") });

await browser.close();
rmSync(folder, { recursive: true });
