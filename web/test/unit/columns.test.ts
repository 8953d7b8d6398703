import assert from "node:assert/strict";
import { test } from "node:test";
import { axisOf, columnsOf } from "../../src/charts/columns.js";

const records = { times: [0.1, 0.5, 1.0, 3.0], values: [5, 90, 7, 8] };

test("no peak is lost, and a column's two values stand in their order of time", () => {
  assert.deepEqual(columnsOf(records, 0, 4, 2, false), [5, 90, 8, 8]);
  assert.deepEqual(columnsOf({ times: [0, 1], values: [9, 2] }, 0, 4, 2, false), [9, 2, null, null]);
});

test("a held value lasts until the next record, also from before the span", () => {
  assert.deepEqual(columnsOf(records, 0, 4, 4, true), [5, 90, 90, 7, 7, 7, 7, 8]);
  assert.deepEqual(columnsOf(records, 1.5, 2.5, 2, true), [7, 7, 7, 7]);
  assert.deepEqual(columnsOf(records, 1.5, 2.5, 2, false), [null, null, null, null]);
});

test("a value that is absent changes nothing", () => {
  assert.deepEqual(columnsOf({ times: [0, 1, 2], values: [1, NaN, 3] }, 0, 3, 3, true), [1, 1, 1, 1, 1, 3]);
});

test("the axis has the middles of both halves of each column", () => {
  assert.deepEqual([...axisOf(2, 4, 2)], [2.25, 2.75, 3.25, 3.75]);
});
