/**
 * The speed of the pages in browsers, beside the command's: `node tools/speed.js COMMAND`.
 *
 * Each row is the least of several rounds: milliseconds of the wall, and of processor time of all of the browser's
 * threads, which another load on the machine hardly changes. Of Chromium's page also the processor time of the
 * thread that draws. P1 is the row of docs/evidence/performance.md; a rate is that of 1,000 s of it, as the
 * difference of 1,020 s and 20 s.
 */

/* global document, requestAnimationFrame */

import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { performance } from "node:perf_hooks";
import process from "node:process";
import { fileURLToPath, pathToFileURL } from "node:url";
import { deflateRawSync } from "node:zlib";
import { chromium, firefox } from "playwright-core";

/** @import { Browser, CDPSession, Page } from "playwright-core" */

const ROUNDS = Number(process.env.ROUNDS ?? 5);
const [command = ""] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), "westwood-"));
const built = join(dirname(fileURLToPath(import.meta.url)), "../../target/web");
/** @type {(file: string) => string} */
const href = (file) => pathToFileURL(file).href;

/** @type {(seconds: number) => string} */
const p1 = (seconds) => `time = "${seconds}s"
warmup = "1s"
seeds = 1
cc = "westwood+"
[dumbbell]
rate = "100Mbit/s"
rtt = "180ms"
buffer = "300pkt"
`;
/** A long run that the playground draws whole: 375,000 packets. */
const DRAWN_WHOLE = 'time = "45s"\nwarmup = "1s"\nseeds = 1\ncc = "cubic"\n[dumbbell]\nrate = "100Mbit/s"\nrtt = "40ms"\n';

/** @type {(name: string, toml: string) => string} */
function written(name, toml) {
  const file = join(folder, `${name}.toml`);
  writeFileSync(file, toml);
  return file;
}

/** @type {(arguments_: string[]) => string} */
function westwood(arguments_) {
  const done = spawnSync(command, arguments_, { encoding: "utf8", maxBuffer: 1 << 28 });
  if (done.status !== 0) throw new Error(done.stderr);
  return done.stdout;
}

/** Processor time of each process that this one has started and that goes on, in milliseconds. @type {() => Map<number, number>} */
function processorTimes() {
  /** @type {Map<number, { parent: number, ticks: number }>} */
  const all = new Map();
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const fields = readFileSync(`/proc/${name}/stat`, "utf8").replace(/^.*\) /s, "").split(" ");
      all.set(Number(name), { parent: Number(fields[1]), ticks: Number(fields[11]) + Number(fields[12]) });
    } catch {
      // It has ended in between.
    }
  }
  /** @type {Map<number, number>} */
  const times = new Map();
  for (const [id, one] of all) {
    let up = id;
    while (up > 1 && up !== process.pid) up = all.get(up)?.parent ?? 0;
    // A tick is a hundredth of a second on every Linux.
    if (up === process.pid && id !== process.pid) times.set(id, one.ticks * 10);
  }
  return times;
}

/** Processor time since then; a process that has ended meanwhile does not count. @type {(before: Map<number, number>) => number} */
function processorTimeSince(before) {
  let sum = 0;
  for (const [id, time] of processorTimes()) sum += time - (before.get(id) ?? 0);
  return sum;
}

/** A measurement: milliseconds of the wall, of all threads, and of the thread that draws. @typedef {{ wall: number, cpu: number, thread?: number | undefined }} Cost */

/** @type {Map<string, Cost>} */
const least = new Map();

/** Keeps the least. @type {(what: string, cost: Cost) => void} */
function keep(what, { wall, cpu, thread }) {
  const before = least.get(what);
  least.set(what, {
    wall: Math.min(before?.wall ?? Infinity, wall),
    cpu: Math.min(before?.cpu ?? Infinity, cpu),
    thread: thread === undefined ? undefined : Math.min(before?.thread ?? Infinity, thread),
  });
}

/** Processor time of the page's thread so far. @type {(session: CDPSession | undefined) => Promise<number | undefined>} */
async function threadTime(session) {
  if (session === undefined) return undefined;
  const { metrics } = await session.send("Performance.getMetrics");
  const found = metrics.find(({ name }) => name === "TaskDuration");
  return found === undefined ? undefined : found.value * 1000;
}

/** Measures what an action costs. @type {<T>(what: string, session: CDPSession | undefined, act: () => Promise<T>) => Promise<T>} */
async function costs(what, session, act) {
  const [cpu, thread, begin] = [processorTimes(), await threadTime(session), performance.now()];
  const result = await act();
  const wall = performance.now() - begin;
  const after = await threadTime(session);
  keep(what, { wall, cpu: processorTimeSince(cpu), thread: thread === undefined || after === undefined ? undefined : after - thread });
  return result;
}

/** @type {(browser: Browser, name: string) => Promise<{ page: Page, session: CDPSession | undefined }>} */
async function opened(browser, name) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  const page = await context.newPage();
  const session = name === "chromium" ? await context.newCDPSession(page) : undefined;
  await session?.send("Performance.enable", { timeDomain: "threadTicks" });
  return { page, session };
}

westwood(["compare", "--write-scenario", join(folder, "default.toml"), "--quiet"]);
const comparison = readFileSync(join(folder, "default.toml"), "utf8");
const experiments = { short: p1(20), long: p1(1020), comparison };
for (const [name, toml] of Object.entries(experiments)) written(name, toml);

const reports = {
  "8 controllers x 8 seeds": ["compare", "--cc", "reno,cubic,bbr,westwood+,vegas,westwood,highspeed,bic", "--seeds", "8"],
  "1,000 flows": ["compare", "--cc", "reno,cubic", "--flows", "1000", "--rate", "100Mbit/s", "--time", "10s", "--seeds", "2"],
};
for (const [name, words] of Object.entries(reports)) {
  const file = join(folder, `${name}.html`);
  westwood([...words, "--html", file, "--quiet"]);
  console.log(`report of ${name}: ${(statSync(file).size / 1e6).toFixed(2)} MB`);
}

/** @type {(name: string) => number} */
function packets(name) {
  const text = westwood(["run", join(folder, `${name}.toml`), "--json", "-", "--quiet"]);
  return Number(/"data_packets": (\d+)/.exec(text)?.[1]);
}
const carried = packets("long") - packets("short");

/** The rows kept so far, under their names; P1 as a rate. @type {(of: string) => void} */
function print(of) {
  const [short, long] = [least.get("P1 20 s"), least.get("P1 1,020 s")];
  if (short && long) {
    const rate = (/** @type {"wall" | "cpu"} */ by) => (carried / (long[by] - short[by]) / 1000).toFixed(1);
    console.log(`${of}: P1 ${rate("cpu")} M packets/s of processor time, ${rate("wall")} M of the wall`);
  }
  for (const [what, { wall, cpu, thread }] of least) {
    const drawing = thread === undefined ? "" : `, ${thread.toFixed(1)} ms of the thread that draws`;
    console.log(`${of}: ${what}: ${wall.toFixed(1)} ms of the wall, ${cpu.toFixed(0)} ms of all threads${drawing}`);
  }
  least.clear();
}

/** Processor time of processes that have ended, in milliseconds. @type {() => number} */
function endedTime() {
  const fields = readFileSync("/proc/self/stat", "utf8").replace(/^.*\) /s, "").split(" ");
  return 10 * (Number(fields[13]) + Number(fields[14]));
}

const named = { short: "P1 20 s", long: "P1 1,020 s", comparison: "default comparison" };
for (let round = 0; round < ROUNDS; round += 1) {
  for (const [name, what] of Object.entries(named)) {
    const [begin, cpu] = [performance.now(), endedTime()];
    westwood(["run", join(folder, `${name}.toml`), "--quiet"]);
    keep(what, { wall: performance.now() - begin, cpu: endedTime() - cpu });
  }
}
print("command");

/** Waits for two pictures: what was asked for is on the screen. @type {(page: Page) => Promise<void>} */
const drawn = (page) => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => { done(undefined); }))));

/** Pictures while a run goes on. @type {(page: Page, toml: string) => Promise<{ frames: number, longest: number, wall: number }>} */
const framesOf = (page, toml) => page.evaluate(async (text) => {
  const engine = globalThis.westwood;
  let [frames, longest, last, over] = [0, 0, performance.now(), false];
  const frame = () => {
    const now = performance.now();
    [frames, longest, last] = [frames + 1, Math.max(longest, now - last), now];
    if (!over) requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
  const begin = performance.now();
  await engine.run({ toml: text }, { series: ["windows", "queues"], interval_s: 0.1, onProgress: () => undefined }).result;
  over = true;
  return { frames, longest, wall: performance.now() - begin };
}, toml);

/** @type {(browser: Browser, name: string) => Promise<void>} */
async function measured(browser, name) {
  {
    const { page, session } = await opened(browser, name);
    await costs("engine ready, from nothing", session, async () => {
      await page.goto(href(join(built, "engine.html")));
      await page.evaluate(() => globalThis.westwood.ready);
    });
    for (const [key, what] of Object.entries(named)) {
      const toml = experiments[/** @type {keyof typeof experiments} */ (key)];
      await costs(what, session, () => page.evaluate(async (text) => {
        await globalThis.westwood.run({ toml: text }).result;
      }, toml));
    }
    const seen = await framesOf(page, experiments.long);
    console.log(`${name}: ${(1000 * seen.frames / seen.wall).toFixed(0)} pictures a second while a run goes on, ${seen.longest.toFixed(0)} ms between two at most`);
    await page.context().close();
  }
  const code = deflateRawSync(comparison).toString("base64url");
  for (const [what, wait] of [
    ["playground, the path is drawn", "svg.path .link"],
    ["playground, first results", ".results tbody tr"],
  ]) {
    const { page, session } = await opened(browser, name);
    await costs(what ?? "", session, async () => {
      await page.goto(`${href(join(built, "playground.html"))}#${code}`);
      await page.waitForSelector(wait ?? "");
      await drawn(page);
    });
    await page.context().close();
  }
  {
    const { page, session } = await opened(browser, name);
    await page.goto(`${href(join(built, "playground.html"))}#${deflateRawSync(DRAWN_WHOLE).toString("base64url")}`);
    await page.waitForFunction(() => !(document.querySelector(".conclusion")?.textContent ?? "A first look").includes("A first look"));
    await moved(page, session, "seven steps in the charts of a run of 375,000 packets");
    await page.context().close();
  }
  for (const of of Object.keys(reports)) {
    const { page, session } = await opened(browser, name);
    await costs(`report of ${of}`, session, async () => {
      await page.goto(href(join(folder, `${of}.html`)));
      await page.waitForFunction(() => document.documentElement.dataset.ready === "true");
      await drawn(page);
    });
    await moved(page, session, `seven steps in the charts of ${of}`);
    await page.context().close();
  }
}

/** Enlarges and shifts the charts. @type {(page: Page, session: CDPSession | undefined, what: string) => Promise<void>} */
async function moved(page, session, what) {
  await page.locator(".plot").first().focus();
  await costs(what, session, async () => {
    for (const key of ["+", ".", ".", ",", "+", "-", "0"]) {
      await page.keyboard.press(key);
      await drawn(page);
    }
  });
}

const browsers = {
  chromium: () => chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] }),
  firefox: () => firefox.launch({ executablePath: "/usr/bin/firefox-esr", channel: "moz-firefox" }),
};
for (const [name, launch] of Object.entries(browsers)) {
  const browser = await launch();
  for (let round = 0; round < ROUNDS; round += 1) await measured(browser, name);
  print(name);
  await browser.close();
}
rmSync(folder, { recursive: true });
