import assert from "node:assert/strict";
import { test } from "node:test";
import { deflateRawSync } from "node:zlib";
import { momentsTable } from "../../src/charts/time.js";
import { extent, sweepDots, type SweepAxis, type SweepPlace } from "../../src/charts/plots.js";
import { plain, span, unbroken, withUnit } from "../../src/page/number.js";
import { leadingNumber } from "../../src/page/table.js";
import { numbersAt, read, valuesAt } from "../../src/report/data.js";
import { sequenceTable, spreadTable } from "../../src/figures/seeds.js";

test("the data inside a page come out as they went in", async () => {
  const json = new TextEncoder().encode('{"schema":"westwood.page/1"}');
  const length = new Uint8Array(Uint32Array.of(json.length).buffer);
  // 8 and nothing, as crates/report writes them.
  const curve = [0x41, 0x7f, 0, 0xc0, 0, 0];
  const packed = deflateRawSync(Uint8Array.from([...length, ...json, ...curve])).toString("base64");
  const { data, bytes } = await read(`\n${packed}\n`);
  assert.equal(data.schema, "westwood.page/1");
  assert.deepEqual([...numbersAt(bytes, [0, 2])], [8, NaN]);
  assert.deepEqual(valuesAt(bytes, [0, 2]), [8, null]);
});

test("an axis holds values and intervals, begins at zero unless that would crowd them, and ends where a quantity does", () => {
  assert.deepEqual(extent([2, 10], []).map(Math.round), [0, 10]);
  const [low] = extent([95, 100], []);
  assert.ok(low > 90);
  assert.deepEqual(extent([60, 98], [[95, 20]], false, 100), [0, 100]);
  const [, high] = extent([10, 30], [[20, 1000]]);
  assert.ok(high < 60, "an interval that dwarfs the values is cut");
  const [below, above] = extent([-2, -1], [], true);
  assert.ok(below < -2 && above >= 0);
});

test("a dot of a sweep keeps its setting where the axis is not in order", () => {
  const axis: SweepAxis = { name: "loss", labels: ["1 %", "0.01 %", "0.1 %"], places: [100, 0, 50] };
  const place = (at: number, variants: readonly number[]): SweepPlace =>
    ({ at: [at], cells: variants.map((variant) => ({ variant, mean: [10 * at, null], values: [] })), leader: null, sure: false, sheet: at });
  const quantity = { id: "goodput", name: "goodput", unit: "Mbit/s", label: "goodput (Mbit/s)" };
  const swept = { quantity, better: "higher" as const, range: [0, null] as const, places: [place(0, [0, 1]), place(1, [0]), place(2, [0, 1])] };
  assert.deepEqual(sweepDots(axis, swept, 0).map((dot) => [dot.label, dot.place.sheet, dot.y]), [["0.01 %", 1, 10], ["0.1 %", 2, 20], ["1 %", 0, 0]]);
  assert.deepEqual(sweepDots(axis, swept, 1).map((dot) => dot.place.sheet), [2, 0]);
});

test("a table of seeds names them, their unit and the kind of its rows, and leaves a place for a run that failed", () => {
  const row = (name: string, seeds: readonly string[], values: readonly number[]) =>
    ({ name, variant: 0, seeds, values, mean: [5, 0.5] as const, quartiles: null });
  const rows = [row("reno", ["1", "10"], [4, 6]), row("cubic", ["1", "2", "10"], [3, 5, 7])];
  const quantity = { id: "goodput", name: "goodput", unit: "Mbit/s", label: "goodput (Mbit/s)" };
  const table = spreadTable({ quantity, better: "higher", range: [0, null], rows }, "controller");
  assert.deepEqual(table.head, ["controller", "mean \u00b1 95\u00a0% confidence (Mbit/s)", "seed 1 (Mbit/s)", "seed 2 (Mbit/s)", "seed 10 (Mbit/s)"]);
  assert.deepEqual(table.rows, [["reno", "5 \u00b10.5", "4", "\u2013", "6"], ["cubic", "5 \u00b10.5", "3", "5", "7"]]);
});

test("no line ends between a number and its unit", () => {
  assert.equal(withUnit(plain(9.43), "Mbit/s"), "9.43\u00a0Mbit/s");
  assert.equal(withUnit("3", ""), "3");
  assert.equal(
    unbroken("At 3 % bbr carries 9.4 Mbit/s, 12 % more; 5 seeds, 20 s (\u00b10.3 ms); 5 sent, 2 s\u00e9ances"),
    "At 3\u00a0% bbr carries 9.4\u00a0Mbit/s, 12\u00a0% more; 5 seeds, 20\u00a0s (\u00b10.3\u00a0ms); 5 sent, 2 s\u00e9ances",
  );
});

test("numbers have three digits that mean something, and their thousands apart", () => {
  assert.deepEqual([0, 9.4321, 12345.6, -0.001_234, 40].map((value) => plain(value)), ["0", "9.43", "12\u202f346", "\u22120.00123", "40"]);
  assert.deepEqual([-0, -1e-12, 1e-12, -1e-9].map((value) => plain(value)), ["0", "0", "0", "\u22120.000000001"]);
  assert.deepEqual([NaN, Infinity, -Infinity].map((value) => plain(value)), ["\u2013", "\u221e", "\u2212\u221e"]);
  assert.deepEqual([span(1, 1.0001), span(20.6, 41.2)], ["1", "20.6\u201341.2"]);
});

test("the table behind a figure of segments has all that were lost or sent again", () => {
  const sent = Array.from({ length: 1000 }, (_, i) => [i / 1000, i, ([0, 1, 2, 3] as const)[i % 4] ?? 0] as const);
  const { rows } = sequenceTable({ from: 0, until: 1, sent, acks: [] }, "reno");
  assert.equal(rows.length, 750);
  assert.deepEqual(rows.at(-1), ["999", "0.9990", "sent again and lost"]);
});

test("a column is sorted by the numbers that its cells begin with", () => {
  const cells = ["\u221212.5", "12\u202f346 \u00b13", "\u2013", "\u221e", "0.5\u00a0ms", "\u2212\u221e"];
  assert.deepEqual(cells.map(leadingNumber), [-12.5, 12_346, -Infinity, Infinity, 0.5, -Infinity]);
});

test("the table of a chart has every curve: those of many are its rows", () => {
  const of = (count: number): ReturnType<typeof momentsTable> =>
    momentsTable("rate", Array.from({ length: count }, (_, i) => `flow ${i}`), [0, 1.5], (curve, moment) => `${curve}/${moment}`);
  assert.deepEqual(of(2), { caption: "rate", head: ["time (s)", "flow 0", "flow 1"], rows: [["0", "0/0", "1/0"], ["1.5", "0/1", "1/1"]] });
  const many = of(1000);
  assert.deepEqual(many.head, ["curve", "0\u00a0s", "1.5\u00a0s"]);
  assert.equal(many.rows.length, 1000);
  assert.deepEqual(many.rows[999], ["flow 999", "999/0", "999/1"]);
});
