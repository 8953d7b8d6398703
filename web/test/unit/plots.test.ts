import assert from "node:assert/strict";
import { test } from "node:test";
import { fitting } from "../../src/charts/plots.js";

test("a text that an axis has no room for keeps its unit", () => {
  const text = "95th percentile of the queueing delay (ms)";
  assert.equal(fitting(text, 1000), text);
  const narrow = fitting(text, 200);
  assert.ok(narrow.length < text.length && /^95th per.*\u2026 \(ms\)$/.test(narrow), narrow);
  assert.match(fitting("a name without a unit that is far too long for its axis", 100), /^a name.*\u2026$/);
});
