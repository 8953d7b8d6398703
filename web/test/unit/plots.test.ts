import assert from "node:assert/strict";
import { test } from "node:test";
import { extent, fitting, ticked } from "../../src/charts/plots.js";

test("a text that an axis has no room for keeps its unit", () => {
  const text = "95th percentile of the queueing delay (ms)";
  assert.equal(fitting(text, 1000), text);
  const narrow = fitting(text, 200);
  assert.ok(narrow.length < text.length && /^95th per.*\u2026 \(ms\)$/.test(narrow), narrow);
  assert.match(fitting("a name without a unit that is far too long for its axis", 100), /^a name.*\u2026$/);
});

test("an axis of equal values begins at zero, even where they differ in their last bits", () => {
  assert.deepEqual(extent([2, 2], []), [0, 2.4]);
  assert.deepEqual(extent([100.00000000000001, 100], [[100, 1e-14]]), [0, 120.00000000000001]);
  assert.deepEqual(extent([0, 0], []), [0, 1]);
  assert.deepEqual(extent([1, 1], [], false, 1), [0, 1]);
  assert.deepEqual(extent([0, 0], [], true), [-1, 1]);
});

test("numbers of many digits have fewer ticks, and thousands as in tables", () => {
  const [few, many] = [ticked(1000, 0.8), ticked(1000, 15_000)];
  // An axis may have half as many again as it is asked for: numbers of six letters have 50 pixels each.
  assert.ok(few.tickFormat === undefined && few.ticks === 14 && many.ticks === 12, `${few.ticks} and ${many.ticks}`);
  assert.equal(many.tickFormat?.(10_000), "10\u202f000");
});
