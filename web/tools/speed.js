/**
 * The speed of the pages in browsers, beside the command's: `node tools/speed.js COMMAND`, and that of reports alone
 * with `reports` behind it.
 *
 * Each row is the least of several rounds: milliseconds of the wall, and of processor time of all of the browser's
 * threads, which another load on the machine hardly changes. Of Chromium's page also the processor time of the
 * thread that draws. P1 is the row of docs/evidence/performance.md; a rate is that of 1,000 s of it, as the
 * difference of 1,020 s and 20 s.
 */

/* global document, requestAnimationFrame, setTimeout, KeyboardEvent, MutationObserver, PerformanceObserver */

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
const [command = "", part] = process.argv.slice(2);
const reportsAlone = part === "reports";
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

/** A run of a million packets, of which the playground keeps every change, and one of ten millions. */
const MILLION = 'time = "120s"\nwarmup = "0s"\nseeds = 1\ncc = "cubic"\n[dumbbell]\nrate = "100Mbit/s"\nrtt = "40ms"\n';
const TEN_MILLIONS = MILLION.replace("120s", "1200s");

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
const carried = reportsAlone ? 0 : packets("long") - packets("short");

/** The rows kept so far, under their names; P1 as a rate. @type {(of: string) => void} */
function print(of) {
  const [short, long] = [least.get("P1 20 s"), least.get("P1 1,020 s")];
  if (short && long) {
    const rate = (/** @type {"wall" | "cpu"} */ by) => (carried / (long[by] - short[by]) / 1000).toFixed(1);
    console.log(`${of}: P1 ${rate("cpu")} M packets/s of processor time, ${rate("wall")} M of the wall`);
  }
  for (const [what, { wall, cpu, thread }] of least) {
    const drawing = thread === undefined ? "" : `, ${thread.toFixed(1)} ms of the thread that draws`;
    const all = Number.isNaN(cpu) ? "" : `, ${cpu.toFixed(0)} ms of all threads`;
    const clock = Number.isNaN(wall) ? "" : `${wall.toFixed(1)} ms of the wall`;
    console.log(`${of}: ${what}: ${(clock + all + drawing).replace(/^, /, "")}`);
  }
  least.clear();
}

/** Processor time of processes that have ended, in milliseconds. @type {() => number} */
function endedTime() {
  const fields = readFileSync("/proc/self/stat", "utf8").replace(/^.*\) /s, "").split(" ");
  return 10 * (Number(fields[13]) + Number(fields[14]));
}

const named = { short: "P1 20 s", long: "P1 1,020 s", comparison: "default comparison" };
for (let round = 0; round < ROUNDS && !reportsAlone; round += 1) {
  for (const [name, what] of Object.entries(named)) {
    const [begin, cpu] = [performance.now(), endedTime()];
    westwood(["run", join(folder, `${name}.toml`), "--quiet"]);
    keep(what, { wall: performance.now() - begin, cpu: endedTime() - cpu });
  }
}
print("command");

/** Marks in a page when what is in sight of a report is drawn, and when all of it is. */
function marked() {
  new MutationObserver(() => {
    const { ready } = document.documentElement.dataset;
    // The next picture has it.
    requestAnimationFrame(() => {
      performance.mark("sight");
      if (ready === "true") performance.mark("all");
    });
  }).observe(document, { attributes: true, subtree: true, attributeFilter: ["data-ready"] });
}

/** Marks in the playground when its path is drawn. */
function pathMarked() {
  new MutationObserver((_, observer) => {
    if (document.querySelector("svg.path .link") === null) return;
    observer.disconnect();
    // The next picture has it.
    requestAnimationFrame(() => { performance.mark("path"); });
  }).observe(document, { childList: true, subtree: true });
}

/**
 * The marks, in milliseconds since the page was asked for, and the longest task so far, where the browser
 * tells; a task that is no longer than 50 ms is none.
 *
 * @type {(page: Page) => Promise<{ sight: number, all: number, longest: number }>}
 */
const marks = (page) => page.evaluate(async () => {
  /** @type {number} */
  const longest = await new Promise((done) => {
    if (PerformanceObserver.supportedEntryTypes.includes("longtask")) {
      new PerformanceObserver((list) => { done(Math.max(...list.getEntries().map(({ duration }) => duration))); }).observe({ type: "longtask", buffered: true });
    }
    setTimeout(done, 100, 0);
  });
  const at = (/** @type {string} */ name) => performance.getEntriesByName(name)[0]?.startTime ?? NaN;
  return { sight: at("sight"), all: at("all"), longest };
});

/**
 * Processor time of Chromium's drawing thread until what is in sight of a report is drawn, in milliseconds, tracing
 * included.
 *
 * @type {(browser: Browser, url: string) => Promise<number>}
 */
async function untilInSight(browser, url) {
  const { page } = await opened(browser, "chromium");
  await page.addInitScript(marked);
  const path = join(folder, "trace.json");
  await browser.startTracing(page, { path, categories: ["-*", "devtools.timeline", "toplevel", "blink.user_timing"] });
  await page.goto(url);
  await page.waitForFunction(() => document.documentElement.dataset.ready === "true");
  await drawn(page);
  await browser.stopTracing();
  await page.context().close();
  /** @typedef {{ name: string, cat: string, ph: string, pid: number, tid: number, ts: number, dur?: number, tdur?: number }} TraceEvent */
  /** @type {(text: string) => { traceEvents: TraceEvent[] }} */
  const parse = JSON.parse;
  const events = parse(readFileSync(path, "utf8")).traceEvents;
  const mark = events.find(({ name, cat }) => name === "sight" && cat.includes("user_timing"));
  const tasks = events.filter(({ pid, tid, ph, ts }) => pid === mark?.pid && tid === mark.tid && ph === "X" && ts < mark.ts);
  let [sum, over] = [0, 0];
  for (const { ts, dur = 0, tdur = 0 } of tasks.sort((a, b) => a.ts - b.ts || (b.dur ?? 0) - (a.dur ?? 0))) {
    // Within another one.
    if (ts < over) continue;
    [sum, over] = [sum + tdur / 1000, ts + dur];
  }
  return sum;
}

/** Steps in the charts of a page, one for each picture: pictures a second and the longest time between two. @type {(page: Page) => Promise<string>} */
async function smoothness(page) {
  const { frames, longest, wall } = await page.evaluate(async () => {
    const [plot] = document.querySelectorAll(".plot");
    /** @type {() => Promise<number>} */
    const picture = () => new Promise((done) => requestAnimationFrame(done));
    plot?.scrollIntoView();
    await picture();
    let [last, longest] = [await picture(), 0];
    const begin = last;
    const keys = ["+", "+", "+", ...Array.from({ length: 114 }, (_, i) => (i % 38 < 19 ? "." : ",")), "-", "-", "-"];
    for (const key of keys) {
      plot?.dispatchEvent(new KeyboardEvent("keydown", { key }));
      const now = await picture();
      [longest, last] = [Math.max(longest, now - last), now];
    }
    return { frames: keys.length, longest, wall: last - begin };
  });
  return `${(1000 * frames / wall).toFixed(0)} pictures a second while every picture is another span of time, ${longest.toFixed(0)} ms between two at most`;
}

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

/**
 * Pictures of the playground while the curves of a run grow in it, until its results are there.
 *
 * @typedef {{ page: Page, session: CDPSession | undefined }} Opened
 * @type {(browser: Browser, name: string, toml: string, what: string) => Promise<Opened>}
 */
async function growing(browser, name, toml, what) {
  const { page, session } = await opened(browser, name);
  await page.goto(`${href(join(built, "playground.html"))}#${deflateRawSync(toml).toString("base64url")}`);
  const seen = await page.evaluate(async () => {
    /** @type {() => Promise<number>} */
    const picture = () => new Promise((done) => requestAnimationFrame(done));
    const charts = () => document.querySelector(".overlaid");
    while (charts()?.getAttribute("aria-busy") !== "true") await picture();
    document.querySelector(".plot")?.scrollIntoView();
    let [frames, longest, last] = [0, 0, await picture()];
    const begin = last;
    while (charts()?.getAttribute("aria-busy") === "true") {
      const now = await picture();
      [frames, longest, last] = [frames + 1, Math.max(longest, now - last), now];
    }
    return { frames, longest, wall: last - begin };
  });
  const rate = (1000 * seen.frames / seen.wall).toFixed(0);
  const words = `${rate} pictures a second in ${(seen.wall / 1000).toFixed(1)} s, ${seen.longest.toFixed(0)} ms between two at most`;
  console.log(`${name}: playground while ${what} grow: ${words}`);
  return { page, session };
}

/** @type {(browser: Browser, name: string) => Promise<void>} */
async function measured(browser, name) {
  if (!reportsAlone) {
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
  const openings = /** @type {const} */ ([
    ["playground, the path is drawn", "svg.path .link"],
    ["playground, first results", ".results tbody tr"],
  ]);
  const code = deflateRawSync(comparison).toString("base64url");
  for (const [what, wait] of reportsAlone ? [] : openings) {
    const { page, session } = await opened(browser, name);
    await page.addInitScript(pathMarked);
    await costs(what, session, async () => {
      await page.goto(`${href(join(built, "playground.html"))}#${code}`);
      await page.waitForSelector(wait);
      await drawn(page);
    });
    // Without the time that it takes to ask a page from outside.
    const at = await page.evaluate(() => performance.getEntriesByName("path")[0]?.startTime ?? NaN);
    keep("playground, its path in a picture", { wall: at, cpu: NaN });
    await page.context().close();
  }
  if (!reportsAlone) {
    const { page, session } = await opened(browser, name);
    await page.goto(`${href(join(built, "playground.html"))}#${deflateRawSync(DRAWN_WHOLE).toString("base64url")}`);
    await page.waitForFunction(() => !(document.querySelector(".conclusion")?.textContent ?? "A first look").includes("A first look"));
    await moved(page, session, "seven steps in the charts of a run of 375,000 packets");
    console.log(`${name}: run of 375,000 packets: ${await smoothness(page)}`);
    await page.context().close();
  }
  if (!reportsAlone) {
    const { page: long } = await growing(browser, name, TEN_MILLIONS, "the curves of ten million packets");
    await long.context().close();
    const { page, session } = await growing(browser, name, MILLION, "the curves of a million packets");
    await page.waitForFunction(() => document.querySelector("progress:not([hidden])") === null);
    await moved(page, session, "seven steps in the charts of a run of a million packets");
    console.log(`${name}: run of a million packets: ${await smoothness(page)}`);
    await page.context().close();
  }
  for (const of of Object.keys(reports)) {
    const { page, session } = await opened(browser, name);
    await page.addInitScript(marked);
    await costs(`report of ${of}, all of it`, session, async () => {
      await page.goto(href(join(folder, `${of}.html`)));
      await page.waitForFunction(() => document.documentElement.dataset.ready === "true");
      await drawn(page);
    });
    if (name === "chromium") {
      const thread = await untilInSight(browser, href(join(folder, `${of}.html`)));
      keep(`report of ${of}, in sight, traced`, { wall: NaN, cpu: NaN, thread });
    }
    const { sight, all, longest } = await marks(page);
    keep(`report of ${of}, in sight`, { wall: sight, cpu: NaN });
    keep(`report of ${of}, all drawn`, { wall: all, cpu: NaN });
    if (longest > 0) keep(`report of ${of}, its longest task`, { wall: longest, cpu: NaN });
    await moved(page, session, `seven steps in the charts of ${of}`);
    console.log(`${name}: report of ${of}: ${await smoothness(page)}`);
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
