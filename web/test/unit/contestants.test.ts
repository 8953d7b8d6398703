import assert from "node:assert/strict";
import { test } from "node:test";
import type { Plan, RunSeries, Table } from "../../src/engine/api.js";
import { contestants, drawn, timeDataOf } from "../../src/play/contestants.js";
import { reachedBy, type Simulated } from "../../src/play/side.js";

/** A table of one thing: times, and a column beside them. */
function table(name: string, of: string, times: readonly number[], column: string, values: readonly number[]): Table {
  return {
    name,
    rows: times.length,
    columns: {
      time_s: { type: "number", values: Float64Array.from(times) },
      [name === "queues" ? "link" : "flow"]: { type: "name", values: new Uint32Array(times.length), names: [of] },
      [column]: { type: "number", values: Float64Array.from(values) },
    },
  };
}

const LINKS = [{ name: "bottleneck", from: 0, to: 1, rate_bps: 1e6, delay_s: 0.01, queue: "", loss: "" }];
const FLOWS = [{ name: "flow 1", group: "test", path: [0], back: [] }];
const PLAN: Plan = {
  name: "plan",
  points: [{ name: "reno", settings: {}, packets: 1 }],
  seeds: ["1"],
  time_s: 10,
  warmup_s: 0,
  networks: [{ nodes: ["left", "right"], links: LINKS, flows: FLOWS, measured_link: 0 }],
};
const SERIES: RunSeries = {
  point: 0,
  seed: "1",
  windows: table("windows", "flow 1", [0, 1, 4], "cwnd_packets", [1, 2, 3]),
  queues: table("queues", "bottleneck", [0.5, 3], "queue_packets", [1, 2]),
};

/** The last moment at which the main curve of each panel has a value. */
function ends(simulated: Simulated): number[] {
  const data = timeDataOf(drawn(contestants([simulated])));
  return data.panels.flatMap(({ curves }) => curves.filter(({ role }) => role === "main")).map(({ values }) => {
    const last = Array.from(values).findLastIndex((value) => value !== null);
    return Math.round(data.times[last] ?? NaN);
  });
}

test("curves of a run that goes on end where it has come to", () => {
  const growing: Simulated = { plan: PLAN, series: [SERIES], partial: true };
  assert.equal(reachedBy(growing, 0), 4);
  assert.deepEqual(ends(growing), [4, 4]);
});

test("curves of a whole run last to its end", () => {
  const whole: Simulated = { plan: PLAN, series: [SERIES] };
  assert.equal(reachedBy(whole, 0), 10);
  assert.deepEqual(ends(whole), [10, 10]);
});
