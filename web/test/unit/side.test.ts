import assert from "node:assert/strict";
import { test } from "node:test";
import type { Plan, PlanNetwork } from "../../src/engine/api.js";
import { intervalOf } from "../../src/play/side.js";

const TIME_S = 60;

/** A plan of so many points, each with so many packets and flows. */
function planOf(points: number, packets: number, flows: number): Plan {
  const flow = { name: "flow", group: "test", path: [], back: [] };
  const network: PlanNetwork = { nodes: [], links: [], flows: Array.from({ length: flows }, () => flow), measured_link: 0 };
  return {
    name: "plan",
    points: Array.from({ length: points }, (_, i) => ({ name: `${i}`, settings: {}, packets })),
    seeds: ["1"],
    time_s: TIME_S,
    warmup_s: 0,
    networks: Array.from({ length: points }, () => network),
  };
}

test("curves keep every change of a million packets, of one run as of several", () => {
  assert.equal(intervalOf(planOf(1, 1_000_000, 1)), 0);
  assert.equal(intervalOf(planOf(10, 100_000, 4)), 0);
});

test("the curves of all points together have a bound, however few packets each has and however many flows there are", () => {
  for (const [points, packets, flows] of [[100, 300_000, 1], [1000, 10_000, 10], [16, 400_000, 1000], [500, 400_000, 500]] as const) {
    const interval = intervalOf(planOf(points, packets, flows));
    assert.ok(interval > 0, `${points} points`);
    const all = (TIME_S / interval) * points * flows;
    assert.ok(all <= 4_000_001, `${all} points of curves`);
  }
});

test("a curve of a long run has enough points to be enlarged", () => {
  assert.equal(Math.round(TIME_S / intervalOf(planOf(1, 5_000_000, 1))), 100_000);
  assert.equal(Math.round(TIME_S / intervalOf(planOf(3, 5_000_000, 100))), 4_000);
});
