import assert from "node:assert/strict";
import { test } from "node:test";
import { Cancelled, type Engine } from "../../src/engine/api.js";
import { EnginePool } from "../../src/engine/pool.js";
import { type FromWorker, type ToWorker, serve } from "../../src/engine/work.js";

/** The smallest module: workers that compute nothing get it. */
const EMPTY = new WebAssembly.Module(Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0));

/** Seeds beyond 2^53: as numbers, neighbours would be equal. */
const SEEDS = Array.from({ length: 20 }, (_, i) => String(9_007_199_254_740_992n + BigInt(i)));
/** Runs of each experiment. */
const TASKS = SEEDS.map((seed) => [0, seed] as const);

/** A worker that answers checks, and whose runs never end unless they are told how. */
class StandIn extends EventTarget {
  static started = 0;
  static runs = 0;
  static checks = 0;
  /** Checks of this text never end. */
  static endless = "endless";
  /** The messages that runs answer with, one after another. */
  static ends: FromWorker[] = [];
  /** The words with which modules refuse to begin. */
  static refused: string | undefined;

  constructor() {
    super();
    StandIn.started += 1;
  }

  postMessage(message: ToWorker): void {
    if ("task" in message && message.task.do === "check") StandIn.checks += 1;
    queueMicrotask(() => {
      if ("module" in message) this.#tell(StandIn.refused === undefined ? { ready: true } : { end: StandIn.refused });
      else if (message.task.do === "run") {
        StandIn.runs += 1;
        const end = StandIn.ends.shift();
        if (end) this.#tell(end);
      } else if (message.task.do !== "check" || message.task.experiment.toml !== StandIn.endless) this.#tell({ answer: { ok: { points: [{}], seeds: SEEDS, tasks: TASKS, time_s: 1 }, texts: {}, tables: {} }, bytes: 1 });
    });
  }

  terminate(): void {
    this.postMessage = () => undefined;
  }

  #tell(data: FromWorker): void {
    this.dispatchEvent(Object.assign(new Event("message"), { data }));
  }
}

/** A pool of workers that are stand-ins. */
function pool(workers: number): Engine {
  Object.assign(globalThis, { Worker: StandIn });
  return new EnginePool({ module: EMPTY, workers });
}

const settled = (): Promise<void> => new Promise((done) => { setTimeout(done, 5); });

test("a job that is cancelled starts no worker for runs that still wait", async () => {
  const engine = pool(2);
  await settled();
  const before = StandIn.started;
  const job = engine.run({ toml: "" });
  await settled();
  assert.equal(StandIn.runs, 2, "the others wait");
  job.cancel();
  await assert.rejects(job.result, Cancelled);
  await settled();
  assert.equal(StandIn.started - before, 1, "one worker is ready for what comes next");
  assert.equal(StandIn.runs, 2);
  engine.close();
});

test("the runs of another job go on where one is cancelled", async () => {
  const engine = pool(2);
  await settled();
  const [first, second] = [engine.run({ toml: "a" }), engine.run({ toml: "b" })];
  await settled();
  const before = StandIn.runs;
  first.cancel();
  await assert.rejects(first.result, Cancelled);
  await settled();
  assert.equal(StandIn.runs - before, 2, "both workers are those of the second job");
  second.cancel();
  await assert.rejects(second.result, Cancelled);
  engine.close();
});

const DONE = { ok: {}, texts: { record: "" }, tables: {} };

test("a worker whose module traps ends with its run, and another does what comes next", async () => {
  const engine = pool(1);
  await settled();
  const first = StandIn.started;
  StandIn.ends = [{ end: "memory is full" }];
  await assert.rejects(engine.run({ toml: "" }).result, /^Error: memory is full$/);
  await settled();
  const others = StandIn.started;
  assert.ok(others > first);
  StandIn.ends = TASKS.map(() => ({ answer: DONE, bytes: 1 }));
  await engine.run({ toml: "" }).result;
  assert.equal(StandIn.started, others, "workers that go on are kept");
  engine.close();
});

test("a worker whose memory has grown large is replaced, and its answer counts", async () => {
  const engine = pool(1);
  await settled();
  const before = StandIn.started;
  StandIn.ends = TASKS.map((_, i) => ({ answer: DONE, bytes: i === 7 ? 1 << 30 : 1 }));
  await engine.run({ toml: "" }).result;
  await settled();
  assert.equal(StandIn.started - before, 1);
  engine.close();
});

test("an engine that does not begin says so to whoever waits for it", async () => {
  StandIn.refused = "no memory for a module";
  const engine = pool(1);
  await assert.rejects(engine.catalog(), /no memory for a module/);
  await assert.rejects(engine.ready, /no memory for a module/);
  StandIn.refused = undefined;
  engine.close();
});

test("a seed of many digits is told from its neighbours, and the series of every seed stand in their order", async () => {
  const engine = pool(1);
  await settled();
  const run = async (seriesOf: "first-seed" | "every-seed"): Promise<string[]> => {
    StandIn.ends = TASKS.map(() => ({ answer: DONE, bytes: 1 }));
    const { series } = await engine.run({ toml: "" }, { series: ["windows"], seriesOf }).result;
    return series.map(({ seed }) => seed);
  };
  assert.deepEqual(await run("first-seed"), SEEDS.slice(0, 1));
  assert.deepEqual(await run("every-seed"), SEEDS);
  engine.close();
});

/** A section of a module. */
const section = (id: number, ...content: number[]): number[] => [id, content.length, ...content];
const letters = (text: string): number[] => [text.length, ...new TextEncoder().encode(text)];
const moduleOf = (...sections: number[][]): WebAssembly.Module => new WebAssembly.Module(Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, ...sections.flat()));

/** A module whose call traps. */
const TRAPPING = moduleOf(
  section(1, 2, 0x60, 0, 1, 0x7f, 0x60, 1, 0x7f, 1, 0x7f),
  section(3, 3, 1, 0, 0),
  section(5, 1, 0, 1),
  section(7, 4, ...letters("memory"), 2, 0, ...letters("westwood_input"), 0, 0, ...letters("westwood_call"), 0, 1, ...letters("westwood_output"), 0, 2),
  section(10, 3, 4, 0, 0x41, 0, 0x0b, 3, 0, 0, 0x0b, 4, 0, 0x41, 0, 0x0b),
);
/** A module that wants something from its page. */
const IMPORTING = moduleOf(section(1, 1, 0x60, 0, 0), section(2, 1, ...letters("a"), ...letters("b"), 0, 0));

test("a worker says that its module is at its end, after a trap as when it does not begin", async () => {
  for (const [module, words] of [[TRAPPING, /memory is full \(unreachable\)/], [IMPORTING, /import/i]] as const) {
    const told: FromWorker[] = [];
    let hear = (_: ToWorker): void => undefined;
    serve({ receive: (handle) => { hear = handle; }, send: (message) => { told.push(message); } });
    hear({ module });
    await settled();
    if (module === TRAPPING) hear({ task: { do: "catalog" } });
    const last = told.at(-1);
    assert.ok(last && "end" in last, JSON.stringify(told));
    assert.match(last.end, words);
  }
});

test("a check that is superseded leaves the queue at once, and its worker if it takes long", async () => {
  const engine = pool(1);
  await settled();
  const before = StandIn.started;
  const [first, second] = [new AbortController(), new AbortController()];
  const checks = [engine.check({ toml: StandIn.endless }, first.signal), engine.check({ toml: StandIn.endless }, second.signal)];
  const ends = checks.map((check) => assert.rejects(check, Cancelled));
  second.abort();
  await ends[1];
  first.abort();
  assert.equal(StandIn.started, before);
  assert.equal((await engine.check({ toml: "" })).points.length, 1);
  await ends[0];
  assert.equal(StandIn.started - before, 1);
  engine.close();
});

test("an experiment that was checked last is not read again before its runs", async () => {
  const engine = pool(1);
  await settled();
  const before = StandIn.checks;
  const plan = await engine.check({ toml: "a" });
  assert.equal(await engine.check({ toml: "a" }), plan);
  StandIn.ends = TASKS.map(() => ({ answer: DONE, bytes: 1 }));
  await engine.run({ toml: "a" }).result;
  assert.equal(StandIn.checks - before, 1);
  await engine.check({ toml: "b" });
  assert.equal(StandIn.checks - before, 2);
  engine.close();
});

test("a job that is cancelled as it begins takes no worker, whether or not its experiment is known", async () => {
  const engine = pool(1);
  await settled();
  await engine.check({ toml: "known" });
  const [started, runs] = [StandIn.started, StandIn.runs];
  for (const toml of ["known", "new"]) {
    const jobs = [engine.run({ toml }), engine.packets({ toml }, { point: 0, seed: "1", from_s: 0, until_s: 1 })];
    for (const job of jobs) job.cancel();
    for (const job of jobs) await assert.rejects(job.result, Cancelled);
  }
  await settled();
  assert.equal(StandIn.runs, runs);
  engine.close();
  assert.ok(StandIn.started - started <= 2, "a check under way ends with its worker");
});
