/**
 * The speed of the engine in browsers, beside the command's: `node tools/speed.js COMMAND`.
 *
 * P1 is the row of docs/evidence/performance.md; a rate is that of 1,000 s of it, as the difference of 1,020 s and
 * 20 s. Of each time the least of seven is printed, in milliseconds of the wall: nothing else should run.
 */

import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { performance } from "node:perf_hooks";
import process from "node:process";
import { fileURLToPath, pathToFileURL } from "node:url";
import { chromium, firefox } from "playwright-core";

const ROUNDS = 7;
const [command = ""] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), "westwood-"));
const page = pathToFileURL(join(dirname(fileURLToPath(import.meta.url)), "../../target/web/engine.html")).href;

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

westwood(["compare", "--write-scenario", join(folder, "default.toml"), "--quiet"]);
const comparison = readFileSync(join(folder, "default.toml"), "utf8");
const experiments = { short: p1(20), long: p1(1020), comparison };
for (const [name, toml] of Object.entries(experiments)) written(name, toml);

/** @type {(name: string) => number} */
function packets(name) {
  const text = westwood(["run", join(folder, `${name}.toml`), "--json", "-", "--quiet"]);
  return Number(/"data_packets": (\d+)/.exec(text)?.[1]);
}
const carried = packets("long") - packets("short");

/** @type {(who: string, ms: Record<string, number>) => void} */
function print(who, { short = NaN, long = NaN, comparison = NaN, ready = NaN, first = NaN }) {
  const rate = carried / (long - short) / 1000;
  console.log(`${who}: P1 ${rate.toFixed(1)} M packets/s; comparison ${comparison.toFixed(0)} ms; ready ${ready.toFixed(0)} ms, first results ${first.toFixed(0)} ms after the page was asked for`);
}

/** @type {Record<string, number>} */
const native = {};
for (let round = 0; round < ROUNDS; round += 1) {
  for (const name of Object.keys(experiments)) {
    const begin = performance.now();
    westwood(["run", join(folder, `${name}.toml`), "--quiet"]);
    native[name] = Math.min(native[name] ?? Infinity, performance.now() - begin);
  }
}
print("command", native);

const browsers = {
  chromium: () => chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] }),
  firefox: () => firefox.launch({ executablePath: "/usr/bin/firefox-esr", channel: "moz-firefox" }),
};
for (const [name, launch] of Object.entries(browsers)) {
  const browser = await launch();
  /** @type {Record<string, number>} */
  const least = {};
  for (let round = 0; round < ROUNDS; round += 1) {
    const context = await browser.newContext();
    const tab = await context.newPage();
    await tab.goto(page);
    const times = await tab.evaluate(async (all) => {
      /** @type {Record<string, number>} */
      const found = {};
      const engine = globalThis.westwood;
      await engine.ready;
      found.ready = performance.now();
      await engine.run({ toml: all.comparison }).result;
      found.first = performance.now();
      for (const [name, toml] of Object.entries(all)) {
        const begin = performance.now();
        await engine.run({ toml }).result;
        found[name] = performance.now() - begin;
      }
      return found;
    }, experiments);
    for (const [what, ms] of Object.entries(times)) least[what] = Math.min(least[what] ?? Infinity, ms);
    await context.close();
  }
  print(name, least);
  await browser.close();
}
