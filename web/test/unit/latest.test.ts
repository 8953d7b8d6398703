import assert from "node:assert/strict";
import { test } from "node:test";
import { Latest } from "../../src/play/latest";

test("the thing that was begun last counts, in whatever order they end", () => {
  const latest = new Latest();
  const first = latest.begin();
  assert.ok(first());
  const second = latest.begin();
  assert.deepEqual([second(), first(), second()], [true, false, true]);
  assert.ok(new Latest().begin()(), "another has things of its own");
});
