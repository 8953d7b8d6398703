import assert from "node:assert/strict";
import { test } from "node:test";
import { parseCall, writeCall } from "../../src/play/call";
import { pathAt } from "../../src/play/faults";
import { addedStart, followed, wordsOf } from "../../src/play/form";
import { BDP, formatQuantity, LOSS, parseQuantity, placeOf, quantityAt, RATE, STEPS, TIME } from "../../src/play/quantity";

test("every place of a slider is a quantity whose text leads back to the place", () => {
  for (const scale of [RATE, TIME, BDP, LOSS]) {
    for (let place = 0; place <= STEPS; place++) {
      const quantity = quantityAt(place, scale);
      const read = parseQuantity(formatQuantity(quantity, scale), scale);
      assert.ok(read !== undefined && Math.abs(read - quantity) <= 1e-9 * quantity);
      assert.ok(Math.abs(placeOf(quantity, scale) - place) <= 1);
    }
  }
});

test("quantities are written in the unit that people would take", () => {
  assert.equal(formatQuantity(2e7, RATE), "20 Mbit/s");
  assert.equal(formatQuantity(1e9, RATE), "1 Gbit/s");
  assert.equal(formatQuantity(0.1, TIME), "100 ms");
  assert.equal(formatQuantity(0.01, LOSS), "1 %");
  assert.equal(formatQuantity(0, LOSS), "none");
});

test("a slider leaves texts alone that say more than a number with a unit", () => {
  assert.equal(parseQuantity("20 ms to 200 ms", TIME), undefined);
  assert.equal(parseQuantity("gilbert(good=1s, bad=10ms, p=10%)", LOSS), undefined);
  assert.equal(parseQuantity("83 packets", BDP), undefined);
});

test("a name with parameters is the same after it was read and written", () => {
  for (const text of ["reno", "westwood+(tau=0.3s, filter=a)"]) {
    const call = parseCall(text);
    assert.equal(call && writeCall(call), text);
  }
});

test("an empty parameter is left to its default", () => {
  assert.equal(writeCall({ name: "reno", parameters: new Map([["keep", ""]]) }), "reno");
});

test("a text that is no name with parameters is not taken apart", () => {
  assert.equal(parseCall("0.1 %, gilbert(good=1s)"), undefined);
  assert.equal(parseCall("list(20,21)"), undefined);
});

test("a fault at a line is a fault of the field there", () => {
  const text = `time = "1 s"
cc = ["reno", "nonsense"]

[dumbbell]
rate = "fast"

[[link]]
name = "a"

[[link]]
delay = "x"

[link.tcp]
"deep.key" = 1
`;
  assert.equal(pathAt(text, 1), "time");
  assert.equal(pathAt(text, 2, 16), "cc.1");
  assert.equal(pathAt(text, 2, 7), "cc.0");
  assert.equal(pathAt(text, 5), "dumbbell.rate");
  assert.equal(pathAt(text, 8), "link.1.name");
  assert.equal(pathAt(text, 11), "link.2.delay");
  assert.equal(pathAt(text, 14), "link.2.tcp.deep.key");
});

test("a fault in a list over several lines is one of its entry there", () => {
  const text = `cc = [
  "reno", # like "cubic, linux"
  'westwood+(tau=0.3s, filter=a)',
  "nonsense",
]
time = "1 s"
`;
  assert.equal(pathAt(text, 2, 3), "cc.0");
  assert.equal(pathAt(text, 3, 25), "cc.1");
  assert.equal(pathAt(text, 4, 3), "cc.2");
  assert.equal(pathAt(text, 6, 8), "time");
  assert.equal(pathAt('cc = "list(a=1, b=2)"\n', 1, 20), "cc.0");
  // A text may name several controllers.
  const several = 'cc = ["reno, westwood+(tau=0.3s, filter=a)", "nonsense"]\n';
  assert.equal(pathAt(several, 1, several.indexOf('"nonsense')), "cc.2");
  assert.equal(pathAt('cc = "reno,nonsense"\n', 1, 14), "cc.1");
});

test("an empty field shows what holds without it as a rule, and its help has the whole of it", () => {
  const rate = wordsOf({ description: "Rate of the link. Without it: 10 Mbit/s, or what `trace` recorded." }, "Rate");
  assert.equal(rate.absent, "10 Mbit/s");
  assert.equal(rate.help, "Rate of the link. Without it: 10 Mbit/s, or what trace recorded.");
  const start = wordsOf({ description: "Its start. Without it: at 0 s; of several within a second." }, "Start");
  assert.equal(start.absent, "at 0 s");
  const back = wordsOf({ description: "Rate in the other direction. Without it: as `rate`." }, "Rate back");
  assert.deepEqual([back.help, back.absent, followed(back)], ["Rate in the other direction.", "as rate", "rate"]);
  assert.deepEqual([followed(rate), followed(wordsOf(undefined, "Name"))], [undefined, undefined]);
});

test("a flow that is added to a run of any length begins before its end", () => {
  const starts = ["30 s", "60s", "6 s", "3 s", "200 ms", undefined, "2 min"].map(addedStart);
  assert.deepEqual(starts, ["10 s", "10 s", "2 s", "1 s", "66.7 ms", "10 s", "10 s"]);
});
