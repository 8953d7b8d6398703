import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { httpUrl, inBrowsers, pageUrl } from "../support/browsers.js";
import { command, documentOf } from "../support/engine.js";
import { bursts, lossy, sawtooth } from "../support/experiments.js";
import type {} from "../pages/engine.js";

const experiments = [lossy, bursts, sawtooth];

/** Once for all pages. */
let expected: string[] | undefined;
function hashes(westwood: string): string[] {
  expected ??= experiments.map((toml) => createHash("sha256").update(documentOf(westwood, toml)).digest("hex"));
  return expected;
}

const westwood = command();
if (westwood === undefined) {
  console.error("skipped: hashes beside the command's, which has not been built");
} else {
  for (const [place, url] of [["from disk", pageUrl("engine")], ["over http", (): Promise<string> => httpUrl("engine")]] as const) {
    inBrowsers(`results have the command's hash ${place}`, url, async ({ page }) => {
      const found = await page.evaluate(async (all) => {
        const outcomes = await Promise.all(all.map((toml) => globalThis.westwood.run({ toml }).result));
        return outcomes.map(({ hash }) => hash);
      }, experiments);
      assert.deepEqual(found, hashes(westwood));
    });
  }
}

inBrowsers("a run tells its progress and its series while the page goes on drawing", pageUrl("engine"), async ({ page }) => {
  const found = await page.evaluate(async (toml) => {
    await globalThis.westwood.ready;
    const told: { done_s: number; total_s: number }[] = [];
    const seen: { of: string; rows: number }[] = [];
    let frames = 0;
    let over = false;
    const frame = (): void => {
      frames += 1;
      if (!over) requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
    const { result } = globalThis.westwood.run(
      { toml, set: ["time=2000s", "dumbbell.rate=50Mbit/s"] },
      { series: ["windows", "queues"], interval_s: 0.1, onProgress: (progress) => told.push(progress), onSeries: ({ point, seed, windows }) => seen.push({ of: `${point} ${seed}`, rows: windows?.rows ?? 0 }) },
    );
    const { series } = await result;
    over = true;
    const windows = series[0]?.windows;
    return { told, seen, frames, rows: windows?.rows ?? 0, last: windows?.columns.time_s?.values.at(-1) ?? 0 };
  }, sawtooth);
  assert.ok(found.told.length > 2, `told ${found.told.length} times`);
  const done = found.told.map(({ done_s }) => done_s);
  assert.ok(done.every((now, i) => now >= (done[i - 1] ?? 0)), done.join());
  assert.deepEqual(found.told.at(-1), { done_s: 2000, total_s: 2000 });
  // Series grow while the run goes on, and the last are whole.
  const rows = found.seen.map((one) => one.rows);
  assert.ok(found.seen.length > 1 && found.seen.every(({ of }) => of === "0 1"), JSON.stringify(found.seen));
  assert.ok(rows.every((now, i) => now >= (rows[i - 1] ?? 0)) && (rows[0] ?? 0) < found.rows, rows.join());
  assert.equal(rows.at(-1), found.rows);
  assert.ok(found.frames > 1, `${found.frames} frames`);
  assert.ok(found.rows > 100 && found.last > 1990, `${found.rows} rows to ${found.last} s`);
});

inBrowsers("work that is cancelled ends without its run, and other work goes on", pageUrl("engine"), async ({ page }) => {
  const found = await page.evaluate(async (toml) => {
    const { westwood: engine } = globalThis;
    let [told, toldLater] = [0, 0];
    // Minutes of work, of which most waits.
    const name = await new Promise<string>((resolve) => {
      const hear = (): void => {
        told += 1;
        // Both workers have something to tell.
        if (told === 4) long.cancel();
        if (told > 4) toldLater += 1;
      };
      const set = ["time=1000s", "dumbbell.rate=500Mbit/s", "seeds=20"];
      const long = engine.run({ toml, set }, { series: ["windows"], interval_s: 1, onProgress: hear, onSeries: hear });
      long.result.then(() => { resolve("done"); }, (error: unknown) => { resolve((error as Error).name); });
    });
    const { hash } = await engine.run({ toml }).result;
    // A worker that went on would tell of itself some ten times.
    await new Promise((done) => { setTimeout(done, 400); });
    return { name, hash: hash.length, told, toldLater };
  }, sawtooth);
  assert.deepEqual(found, { name: "Cancelled", hash: 64, told: 4, toldLater: 0 });
});

inBrowsers("an experiment that is wrong is refused with its places, before anything runs", pageUrl("engine"), async ({ page }) => {
  const faults = await page.evaluate(async () => {
    const error: unknown = await globalThis.westwood.run({ toml: 'cc = "renno"\n' }).result.catch((refused: unknown) => refused);
    return (error as { faults: { line: number; column: number; hint: string }[] }).faults;
  });
  assert.deepEqual([faults[0]?.line, faults[0]?.column], [1, 6]);
});

inBrowsers("packets and the catalog come from workers too", pageUrl("engine"), async ({ page }) => {
  const found = await page.evaluate(async (toml) => {
    const { passages, cut } = await globalThis.westwood.packets({ toml }, { point: 0, seed: "1", from_s: 1, until_s: 2 }).result;
    const { controllers } = await globalThis.westwood.catalog();
    const plan = await globalThis.westwood.check({ toml });
    return { rows: passages.rows, cut, known: controllers.length, flows: plan.networks[0]?.flows.length };
  }, sawtooth);
  assert.ok(found.rows > 100 && found.known > 20);
  assert.deepEqual([found.cut, found.flows], [false, 1]);
});
