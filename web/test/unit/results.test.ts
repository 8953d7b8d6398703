import assert from "node:assert/strict";
import { test } from "node:test";
import type { OutcomeFigures } from "../../src/engine/api.js";
import { cellText, isAlike } from "../../src/play/results.js";

const WAIT = { head: "wait p50", unit: "ms", about: "", quantity: "queue_delay_p50", by: 1 };

test("a median wait of nanoseconds beside waits of milliseconds is none", () => {
  const text = (p50: number, half: number | null, p95: number): string =>
    cellText({ means: [{ queue_delay_p50: [p50, half], queue_delay_p95: [p95, null] }], ranges: { queue_delay_p50: [0, null] } }, 0, WAIT);
  assert.equal(text(0.00001, null, 2.16), "0");
  assert.equal(text(0.00001, 0.5, 2.16), "0 \u22640.5");
  assert.equal(text(0.0039, 0.001, 2.16), "0.0039 \u00b10.001");
  // On a path of a microsecond they are what there is.
  assert.equal(text(0.00039, null, 0.000871), "0.00039");
});

test("a wait that is written as none is alike under all seeds only where its mean has no interval", () => {
  const of = (half: number | null): Pick<OutcomeFigures, "means" | "ranges"> =>
    ({ means: [{ queue_delay_p50: [0.00001, half], queue_delay_p95: [2.16, 0.1] }], ranges: { queue_delay_p50: [0, null] } });
  assert.deepEqual([0.00001, null].map((half) => cellText(of(half), 0, WAIT)), ["0", "0"]);
  assert.deepEqual([0.00001, null].map((half) => isAlike(of(half), 0, WAIT)), [false, true]);
  assert.equal(isAlike({ means: [{}] }, 0, WAIT), false);
});
