import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { gunzipSync } from "node:zlib";
import { BadExperiment, type Column, type Experiment, type Plan, type SeriesKind, type Table } from "../../src/engine/api.js";
import type { EngineWork } from "../../src/engine/work.js";
import { bursts, lossy, sawtooth } from "../support/experiments.js";
import { command, compiledEngine, documentOf, engineModule, engineWork, project, scenario } from "../support/engine.js";

interface PlannedRuns extends Plan {
  readonly tasks: readonly (readonly [number, string])[];
}

const nothing = {};

/** Does all runs in one thread: the document, its hash, and the series of the first run. */
function whole(work: EngineWork, experiment: Experiment, series: readonly SeriesKind[] = []): { json: string; hash: string; tables: Record<string, Table> } {
  const { tasks } = work.carryOut({ do: "check", experiment, brief: true }, nothing).ok as PlannedRuns;
  let tables: Record<string, Table> = {};
  const records = tasks.map((_, task) => {
    const answer = work.carryOut({ do: "run", experiment, task, series: task === 0 ? series : [], interval_s: 0 }, nothing);
    if (task === 0) tables = { ...answer.tables };
    return answer.texts.record ?? "";
  });
  const { ok, texts } = work.carryOut({ do: "outcome", experiment, records: records.reverse() }, nothing);
  return { json: texts.json ?? "", hash: (ok as { hash: string }).hash, tables };
}

function numbers(table: Table | undefined, name: string): Float64Array {
  const column: Column | undefined = table?.columns[name];
  if (column?.type !== "number") throw new Error(`no column of numbers ${name}`);
  return column.values;
}

function words(table: Table | undefined, name: string): (string | undefined)[] {
  const column: Column | undefined = table?.columns[name];
  if (column?.type !== "name") throw new Error(`no column of names ${name}`);
  return Array.from(column.values, (value) => column.names[value]);
}

/** Calls it and returns the error. */
function refusal(call: () => unknown): unknown {
  try {
    call();
  } catch (error) {
    return error;
  }
  return undefined;
}

/** Equal to the byte; else the first line that differs is told, and not thousands. */
function assertSame(found: string, expected: string): void {
  const [a, b] = [found.split("\n"), expected.split("\n")];
  const line = a.findIndex((text, i) => text !== b[i]);
  assert.ok(found === expected, `line ${line + 1}: ${a[line]} is not ${b[line]}`);
}

describe("the engine", () => {
  test("gives the bytes that the command gives, with and without series recorded", async (context) => {
    const westwood = command();
    if (westwood === undefined) {
      context.skip("the command has not been built");
      return;
    }
    const work = await engineWork();
    // Short transfers, a background and a sweep; two of its six seeds tell as much.
    const rampUp = scenario("scenarios/tcpeval-ramp-up.toml").replace(/^seeds = 6$/m, "seeds = 2");
    assert.match(rampUp, /^seeds = 2$/m);
    for (const toml of [lossy, bursts, sawtooth, rampUp]) {
      const expected = documentOf(westwood, toml);
      const found = whole(work, { toml });
      assertSame(found.json, expected);
      assert.equal(found.hash, createHash("sha256").update(expected).digest("hex"));
      const recorded = whole(work, { toml }, ["windows", "rtts", "queues", "delivered", "drops"]);
      assertSame(recorded.json, expected);
    }
  });

  test("has the hash that stands beside it", () => {
    const [packed, about] = ["engine.wasm.gz", "engine.txt"].map((name) => readFileSync(join(project, "web/dist", name)));
    assert.ok(packed !== undefined && about !== undefined);
    const hash = createHash("sha256").update(gunzipSync(packed)).digest("hex");
    assert.match(about.toString(), new RegExp(`^sha256 ${hash}\\nrustc `));
  });

  test("imports nothing and exports three functions and its memory", async () => {
    const module = await compiledEngine();
    assert.deepEqual(WebAssembly.Module.imports(module), []);
    const names = WebAssembly.Module.exports(module).map(({ name }) => name);
    assert.deepEqual(names.filter((name) => !name.startsWith("__")).sort(), ["memory", "westwood_call", "westwood_input", "westwood_output"]);
  });

  test("tells a plan's points, seeds and network", async () => {
    const work = await engineWork();
    const plan = work.carryOut({ do: "check", experiment: { toml: lossy }, brief: false }, nothing).ok as PlannedRuns;
    assert.deepEqual(plan.points.map(({ cc }) => cc), ["reno", "westwood", "bbr"]);
    assert.equal(plan.seeds.length, 2);
    assert.deepEqual([plan.time_s, plan.warmup_s, plan.tasks.length], [10, 2, 6]);
    const network = plan.networks[0];
    assert.equal(network?.flows.length, 5);
    const measured = network.links[network.measured_link];
    assert.equal(measured?.rate_bps, 10e6);
    assert.match(measured.loss, /0\.5\s*%/);
    assert.ok(network.flows.every(({ path }) => path.includes(network.measured_link)));
  });

  test("tells seeds with all of their digits", async () => {
    const work = await engineWork();
    const toml = `seed = 18446744073709551614\n${sawtooth.replace("seeds = 1", "seeds = 2")}`;
    const plan = work.carryOut({ do: "check", experiment: { toml }, brief: true }, nothing).ok as PlannedRuns;
    const seeds = ["18446744073709551614", "18446744073709551615"];
    assert.deepEqual(plan.seeds, seeds);
    assert.deepEqual(plan.tasks, seeds.map((seed) => [0, seed]));
  });

  test("sets fields like the command's --set", async () => {
    const work = await engineWork();
    const plan = work.carryOut({ do: "check", experiment: { toml: sawtooth, set: ["cc=reno,cubic", "seeds=3"] }, brief: true }, nothing).ok as PlannedRuns;
    assert.deepEqual(plan.points.map(({ cc }) => cc), ["reno", "cubic"]);
    assert.equal(plan.tasks.length, 6);
  });

  test("names the place of each fault, and what to write", async () => {
    const work = await engineWork();
    const error = refusal(() => work.carryOut({ do: "check", experiment: { toml: 'cc = "renno"\n[dumbbell]\nrate = "fast"\n' }, brief: true }, nothing));
    assert.ok(error instanceof BadExperiment);
    assert.deepEqual(error.faults.map(({ line, column }) => [line, column]), [[1, 6], [3, 8]]);
    assert.match(error.faults[0]?.hint ?? "", /reno/);
    const set = refusal(() => work.carryOut({ do: "check", experiment: { toml: sawtooth, set: ["nonsense"] }, brief: true }, nothing));
    assert.ok(set instanceof BadExperiment && set.faults[0]?.place?.includes("--set") === true);
  });

  test("answers nonsense in words and goes on", async () => {
    const module = await engineModule();
    for (const request of [{}, { do: "dance" }, { do: "finish" }, { do: "so_far" }, { do: "advance", until_s: -1 }, { do: "begin", task: 7 }, { do: "outcome", records: ["{"] }]) {
      const error = refusal(() => module.ask(request));
      assert.ok(error instanceof Error && error.message.length > 5, JSON.stringify(request));
    }
    const { controllers } = module.ask({ do: "catalog" }).ok as { controllers: { name: string }[] };
    assert.ok(controllers.some(({ name }) => name === "westwood+"));
  });

  test("tells how far a run is, and never back", async () => {
    const work = await engineWork();
    const told: number[] = [];
    work.carryOut({ do: "run", experiment: { toml: lossy }, task: 0, series: [], interval_s: 0 }, { progress: (done) => told.push(done) });
    assert.ok(told.length > 3);
    assert.ok(told.every((done, i) => done >= (told[i - 1] ?? 0)), told.join());
    assert.ok((told.at(-1) ?? 10) < 10, "the end is told by the answer");
  });

  test("asks for the next run of an experiment in fewer pieces, of one that is new in small ones again", async () => {
    const work = await engineWork();
    const pieces = (toml: string, task: number): number => {
      let told = 0;
      work.carryOut({ do: "run", experiment: { toml }, task, series: [], interval_s: 0 }, { progress: () => { told += 1; } });
      return told;
    };
    const [first, second, other] = [pieces(lossy, 0), pieces(lossy, 1), pieces(sawtooth, 0)];
    assert.ok(first > 3 && second < first && other > 3, `${first}, ${second}, ${other}`);
  });
});

describe("the series of a run", () => {
  test("have every window change, with the cause of each that is no growth", async () => {
    const { windows, queues, rtts } = whole(await engineWork(), { toml: sawtooth }, ["windows", "queues", "rtts"]).tables;
    const [cwnd, cause, at] = [numbers(windows, "cwnd_packets"), words(windows, "cause"), numbers(windows, "time_s")];
    // Reno halves its window, and every time that it does a fast retransmit is the cause.
    let halved = 0;
    for (let i = 1; i < cwnd.length; i += 1) {
      const [before = 0, now = 0] = [cwnd[i - 1], cwnd[i]];
      if (now < 0.7 * before) {
        halved += 1;
        assert.ok(cause[i] !== undefined, `at ${at[i]} s from ${before} to ${now}`);
      }
    }
    assert.ok(halved >= 2, `${halved} times`);
    const reduced = numbers(windows, "reduction");
    assert.ok(reduced.filter((is) => is === 1).length >= 2 && reduced.every((is, i) => is === 0 || cause[i] !== undefined));
    assert.ok(reduced.every((is, i) => is === 0 || cause[i] !== "recovery ends"));
    assert.ok(Math.max(...numbers(queues, "queue_packets")) === 10);
    const least = Math.min(...numbers(rtts, "rtt_ms"));
    assert.ok(least >= 100 && least < 120, `${least} ms`);
    assert.deepEqual(new Set(words(windows, "flow")).size, 1);
  });

  test("have fewer points where an interval is asked for", async () => {
    const work = await engineWork();
    const count = (interval_s: number): number =>
      work.carryOut({ do: "run", experiment: { toml: sawtooth }, task: 0, series: ["windows"], interval_s }, nothing).tables.windows?.rows ?? 0;
    assert.ok(count(0.5) < count(0) / 4);
    const times = (interval_s: number): Float64Array =>
      numbers(work.carryOut({ do: "run", experiment: { toml: sawtooth }, task: 0, series: ["rtts"], interval_s }, nothing).tables.rtts, "rtt_ms");
    const [few, all] = [times(0.5), times(0)];
    assert.ok(few.length < all.length / 4, `${few.length} of ${all.length}`);
    assert.deepEqual([Math.min(...few), Math.max(...few)], [Math.min(...all), Math.max(...all)]);
  });
});

describe("the series of a run that goes on", () => {
  for (const [what, interval_s] of [["every change", 0], ["samples", 0.05]] as const) {
    test(`are the beginning of what they will be, of ${what}`, async () => {
      const module = await engineModule();
      module.ask({ do: "plan", toml: lossy });
      module.ask({ do: "begin", task: 0, series: ["windows", "queues"], interval_s });
      const rows: number[] = [];
      const parts: number[][] = [];
      for (const until_s of [0, 2, 4, 6]) {
        module.ask({ do: "advance", until_s });
        const { windows } = module.ask({ do: "so_far" }).tables;
        const times = windows === undefined ? [] : numbers(windows, "time_s");
        parts.push([...times]);
        rows.push(times.length);
        assert.ok(times.every((at) => at <= until_s));
      }
      const all = [...numbers(module.ask({ do: "finish" }).tables.windows, "time_s")];
      for (const part of parts) assert.deepEqual(part, all.slice(0, part.length));
      assert.ok((rows[3] ?? 0) > (rows[1] ?? 0) && (rows[3] ?? 0) < all.length, `${rows.join()} of ${all.length}`);
    });
  }
});

describe("the packets of a part of a run", () => {
  test("pass link after link, in order, and are dropped where the queue is full", async () => {
    const work = await engineWork();
    const experiment = { toml: sawtooth };
    const drops = numbers(whole(work, experiment, ["drops"]).tables.drops, "time_s");
    const first = drops[0] ?? 0;
    const { ok, tables } = work.carryOut({ do: "packets", experiment, task: 0, from_s: Math.max(first - 0.5, 0), until_s: first + 1, most: 10_000 }, nothing);
    assert.deepEqual(ok, { cut: false });
    const table = tables.passages;
    const [packet, enter, start, end, leave] = ["packet", "enter_s", "start_s", "end_s", "leave_s"].map((name) => numbers(table, name));
    const [fate, kind, link, cause] = ["fate", "kind", "link", "cause"].map((name) => words(table, name));
    assert.ok(packet && enter && start && end && leave && fate && kind && link && cause);
    const left = new Map<number, number>();
    for (let i = 0; i < packet.length; i += 1) {
      const [number, enters, starts, ends, leaves] = [packet, enter, start, end, leave].map((column): number => column[i] ?? 0) as [number, number, number, number, number];
      if (fate[i] === "dropped") continue;
      assert.ok(enters <= starts && starts <= ends, `row ${i}: ${enters} ${starts} ${ends}`);
      if (fate[i] === "delivered") assert.ok(ends <= leaves, `row ${i}`);
      const before = left.get(number);
      if (before !== undefined) assert.equal(enters, before);
      left.set(number, leaves);
    }
    const dropped = enter.filter((_, i) => fate[i] === "dropped");
    assert.ok(dropped.includes(first), `${first} among ${dropped.join()}`);
    assert.ok(cause.every((of, i) => of === (fate[i] === "dropped" ? "overflow" : undefined)));
    assert.ok(numbers(table, "gone_s").every((gone, i) => (fate[i] === "dropped" ? gone === enter[i] : Number.isNaN(gone))));
    assert.ok(kind.includes("ack") && kind.includes("data"));
    // The bottleneck sends one packet at a time.
    const at = link[fate.indexOf("dropped")];
    const busy = Array.from(start, (begin, i) => [begin, end[i] ?? 0] as const).filter((_, i) => link[i] === at && fate[i] !== "dropped");
    busy.sort(([a], [b]) => a - b);
    for (let i = 1; i < busy.length; i += 1) assert.ok((busy[i]?.[0] ?? 0) >= (busy[i - 1]?.[1] ?? 0) - 1e-6, `transmission ${i}`);
  });

  test("end early where there are more than asked for", async () => {
    const work = await engineWork();
    const { ok, tables } = work.carryOut({ do: "packets", experiment: { toml: sawtooth }, task: 0, from_s: 0, until_s: 20, most: 100 }, nothing);
    assert.deepEqual(ok, { cut: true });
    assert.ok((tables.passages?.rows ?? 0) <= 100);
  });
});
