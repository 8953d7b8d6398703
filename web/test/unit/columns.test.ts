import assert from "node:assert/strict";
import { test } from "node:test";
import { Envelope, axisOf, columnsOf } from "../../src/charts/columns.js";

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

/** A series that jumps about, with values that are absent; the same each time. */
function jumps(count: number): { times: Float64Array; values: Float64Array } {
  let state = 7;
  const next = (): number => (state = (state * 16_807) % 2_147_483_647) / 2_147_483_647;
  let time = 0;
  const times = Float64Array.from({ length: count }, () => (time += next()));
  return { times, values: times.map(() => (next() < 0.1 ? NaN : Math.floor(1000 * next()))) };
}

test("columns of any span hold the least and the greatest value of what lies in each, in their order of time", () => {
  const { times, values } = jumps(20_000);
  const envelope = new Envelope({ times, values });
  for (const [from, to] of [[0, 10_000], [1234, 9000], [5000, 5400], [7000.25, 7000.75]] as const) {
    const made = envelope.columns(from, to, 50, false);
    for (let column = 0; column < 50; column++) {
      const inside = [...times.keys()].filter((i) => Math.floor(((times[i] ?? 0) - from) * (50 / (to - from))) === column && !Number.isNaN(values[i]));
      const there = inside.map((i) => values[i] ?? 0);
      const pair = made.slice(2 * column, 2 * column + 2);
      if (there.length === 0) assert.deepEqual(pair, [null, null]);
      else {
        const [least, most] = [Math.min(...there), Math.max(...there)];
        const rises = there.indexOf(most) >= there.indexOf(least);
        assert.deepEqual(pair, rises ? [least, most] : [most, least], `column ${column} from ${from} s to ${to} s`);
      }
    }
  }
});

test("few records are shown as they are: each in a column of its own, a held one until the next", () => {
  const { times, values } = jumps(20_000);
  const [first, second] = [4000, 4004];
  const inside = { times: times.subarray(first, second), values: Float64Array.of(3, 1, 4, 1) };
  const [from, to] = [(inside.times[0] ?? 0) - 0.01, (inside.times[3] ?? 0) + 0.01];
  const samples = columnsOf(inside, from, to, 1500, false);
  assert.deepEqual(samples.filter((value) => value !== null), [3, 3, 1, 1, 4, 4, 1, 1]);
  const steps = new Envelope({ times, values: values.with(4000, 3).with(4001, 1).with(4002, 4).with(4003, 1) }).columns(from, to, 1500, true);
  const heights = steps.filter((value, i) => value !== steps[i - 1]);
  assert.deepEqual(heights, [values[3999], 3, 1, 4, 1], "the value of before, and each change");
});

test("a record at the very end of a span is in its last column", () => {
  assert.deepEqual(columnsOf({ times: [0, 2], values: [1, 9] }, 0, 2, 2, false), [1, 1, 9, 9]);
});

test("an enlarged span of a long series costs as much as the whole, and not more than its columns", () => {
  const times = Float64Array.from({ length: 1_000_000 }, (_, i) => i);
  let looked = 0;
  const values = new Proxy(new Float64Array(times.length), {
    get: (of, name) => {
      looked += 1;
      return name === "length" ? of.length : of[Number(name)];
    },
  });
  const envelope = new Envelope({ times, values });
  envelope.columns(0, times.length, 100, true);
  looked = 0;
  envelope.columns(100_000, 900_000, 100, true);
  assert.ok(looked < 100_000, `${looked} values were looked at`);
});
