import assert from "node:assert/strict";
import { test } from "node:test";
import { Cancelled, type Engine } from "../../src/engine/api.js";
import { EnginePool } from "../../src/engine/pool.js";
import type { ToWorker } from "../../src/engine/work.js";

/** The smallest module: workers that compute nothing get it. */
const EMPTY = new WebAssembly.Module(Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0));

/** Runs of each experiment. */
const TASKS = Array.from({ length: 20 }, (_, seed) => [0, seed] as const);

/** A worker that answers checks, and whose runs never end. */
class StandIn extends EventTarget {
  static started = 0;
  static runs = 0;

  constructor() {
    super();
    StandIn.started += 1;
  }

  postMessage(message: ToWorker): void {
    queueMicrotask(() => {
      if ("module" in message) this.#tell({ ready: true });
      else if (message.task.do === "run") StandIn.runs += 1;
      else this.#tell({ answer: { ok: { points: [{}], seeds: [0], tasks: TASKS, time_s: 1 }, texts: {}, tables: {} } });
    });
  }

  terminate(): void {
    this.postMessage = () => undefined;
  }

  #tell(data: unknown): void {
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
