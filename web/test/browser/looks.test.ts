/**
 * The looks of the pages beside stored pictures (`test/looks`). Pictures are compared where one pixel stands for
 * eight by eight of the screen: type and its edges blur away, and what is left is where things stand, how large and
 * how dark. `WESTWOOD_WRITE=1 node tools/test.js browser` stores the pictures anew.
 */

import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import pixelmatch from "pixelmatch";
import type { BrowserContextOptions, Page } from "playwright-core";
import { PNG } from "pngjs";
import { writeState } from "../../src/play/state.js";
import { browser, builtPages, opened, pageUrl } from "../support/browsers.js";
import { project } from "../support/engine.js";
import { reportUrl } from "../support/reports.js";

/** Pixels of the screen for one of a stored picture, along each side, and of that for one that is compared. */
const [STORED, COMPARED] = [2, 4];
/** The colours of two pixels are another from this distance on, of 1 between black and white. */
const DISTANCE = 0.1;
/**
 * The share of pixels that may be another. It was set between what was measured: type drawn otherwise is below
 * 0.1 %, and charts without their curves are 1.5 %.
 */
const SHARE = 0.01;
/** A picture ends here, in pixels of the screen. */
const HEIGHT = 2400;

const stored = join(project, "web/test/looks");
const EXPERIMENT = 'cc = ["reno", "westwood+"]\ntime = "20 s"\nwarmup = "2 s"\nseeds = 2\n\n[dumbbell]\nrate = "5 Mbit/s"\n';
const DESK: BrowserContextOptions = { viewport: { width: 1200, height: 900 } };
const PHONE: BrowserContextOptions = { viewport: { width: 400, height: 900 } };

/** A picture of which each pixel is the mean of so many by so many; what is left over at the edges is left out. */
function shrunk(picture: PNG, by: number): PNG {
  const [width, height] = [Math.floor(picture.width / by), Math.floor(picture.height / by)];
  const small = new PNG({ width, height });
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      for (let channel = 0; channel < 4; channel++) {
        let sum = 0;
        for (let j = 0; j < by; j++) {
          for (let i = 0; i < by; i++) sum += picture.data[4 * ((y * by + j) * picture.width + x * by + i) + channel] ?? 0;
        }
        small.data[4 * (y * width + x) + channel] = Math.round(sum / (by * by));
      }
    }
  }
  return small;
}

/** The upper part of a picture. */
function cut(picture: PNG, height: number): PNG {
  const part = new PNG({ width: picture.width, height });
  picture.data.copy(part.data, 0, 0, 4 * picture.width * height);
  return part;
}

/** The share of pixels of two pictures that are another; those that only one of them has are. */
function difference(a: PNG, b: PNG): number {
  const [one, other] = [shrunk(a, COMPARED), shrunk(b, COMPARED)];
  if (one.width !== other.width) return 1;
  const [least, most] = [Math.min(one.height, other.height), Math.max(one.height, other.height)];
  const { width } = one;
  const options = { threshold: DISTANCE, includeAA: true };
  const different = pixelmatch(cut(one, least).data, cut(other, least).data, undefined, width, least, options);
  return (different + width * (most - least)) / (width * most);
}

async function picture(page: Page): Promise<PNG> {
  const height = Math.min(HEIGHT, await page.evaluate(() => document.documentElement.scrollHeight));
  const width = page.viewportSize()?.width ?? 0;
  const taken = await page.screenshot({ fullPage: true, clip: { x: 0, y: 0, width, height }, animations: "disabled" });
  return shrunk(PNG.sync.read(taken), STORED);
}

/** The page at rest, its results whole. */
async function playground(page: Page): Promise<void> {
  await page.waitForFunction(() => {
    const words = document.querySelector(".conclusion")?.textContent ?? "";
    return words !== "" && !words.includes("A first look") && document.querySelector("progress:not([hidden])") === null;
  });
}

async function report(page: Page): Promise<void> {
  await page.waitForFunction(() => document.documentElement.dataset.ready === "true");
}

interface Look {
  readonly url: string;
  readonly options: BrowserContextOptions;
  readonly ready: (page: Page) => Promise<void>;
  readonly print?: boolean;
}

const playgroundUrl = pageUrl("playground") + (await writeState({ toml: EXPERIMENT, beside: undefined, lesson: undefined }));
const reported = reportUrl("comparison");
const looks: Record<string, Look> = {
  "playground": { url: playgroundUrl, options: DESK, ready: playground },
  "playground-dark": { url: playgroundUrl, options: { ...DESK, colorScheme: "dark" }, ready: playground },
  "playground-phone": { url: playgroundUrl, options: PHONE, ready: playground },
  ...(reported === undefined ? {} : {
    "report": { url: reported, options: DESK, ready: report },
    "report-dark": { url: reported, options: { ...DESK, colorScheme: "dark" }, ready: report },
    "report-phone": { url: reported, options: PHONE, ready: report },
    "report-print": { url: reported, options: DESK, ready: report, print: true },
  }),
};

/** Does something with a page that looks as one of these. */
async function looked(name: string, act: (page: Page) => Promise<void>): Promise<boolean> {
  const on = await browser("chromium");
  const look = looks[name];
  if (on === undefined || look === undefined) return false;
  const { page } = await opened(on, look.url, { ...look.options, bypassCSP: true });
  try {
    await look.ready(page);
    if (look.print) await page.emulateMedia({ media: "print" });
    await act(page);
  } finally {
    await page.context().close();
  }
  return true;
}

for (const name of Object.keys(looks)) {
  test(`${name} looks as it is stored`, async (context) => {
    const done = await looked(name, async (page) => {
      const now = await picture(page);
      const file = join(stored, `${name}.png`);
      if (process.env.WESTWOOD_WRITE !== undefined) writeFileSync(file, PNG.sync.write(now, { deflateLevel: 9 }));
      assert.ok(existsSync(file), `there is no ${file}; WESTWOOD_WRITE=1 stores it`);
      const share = difference(now, PNG.sync.read(readFileSync(file)));
      context.diagnostic(`${(100 * share).toFixed(2)} % is another`);
      if (share > SHARE) {
        const folder = join(builtPages, "looks");
        mkdirSync(folder, { recursive: true });
        writeFileSync(join(folder, `${name}.png`), PNG.sync.write(now));
        assert.fail(`${(100 * share).toFixed(1)} % of it is another: see ${join(folder, name)}.png; if it is meant, WESTWOOD_WRITE=1 stores it`);
      }
    });
    if (!done) context.skip("chromium is not installed");
  });
}

/** Changes of a page: those of its type are forgiven, and those of its layout are not. */
const CHANGES: readonly (readonly [name: string, what: string, style: string, forgiven: boolean])[] = [
  ["playground", "another smoothing of type", "* { -webkit-font-smoothing: none; text-rendering: geometricPrecision; }", true],
  ["report", "bolder type", "* { -webkit-text-stroke: 0.4px; }", true],
  ["playground", "settings above the results", ".bench { display: block !important; }", false],
  ["playground", "charts without height", ".overlaid canvas { visibility: hidden; }", false],
  ["report", "no width of text", "main, .masthead { max-width: 40rem !important; }", false],
  ["report", "a dark ground", ":root { --paper: #222 !important; }", false],
];
for (const [name, what, style, forgiven] of CHANGES) {
  test(`${what} in the ${name} is ${forgiven ? "forgiven" : "seen"}`, async (context) => {
    const done = await looked(name, async (page) => {
      const before = await picture(page);
      await page.addStyleTag({ content: style });
      const share = difference(before, await picture(page));
      context.diagnostic(`${(100 * share).toFixed(2)} % is another`);
      assert.ok(forgiven ? share <= SHARE : share > SHARE, `${(100 * share).toFixed(1)} % is another`);
    });
    if (!done) context.skip("chromium is not installed");
  });
}
