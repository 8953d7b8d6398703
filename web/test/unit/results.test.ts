import assert from "node:assert/strict";
import { test } from "node:test";
import { cellText } from "../../src/play/results.js";

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
