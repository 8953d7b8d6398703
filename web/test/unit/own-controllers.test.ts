import assert from "node:assert/strict";
import { test } from "node:test";
import { parseToml, writeToml } from "../../src/play/experiment";
import {
  numbersOf,
  numbersText,
  ownChoices,
  ownNames,
  renamed,
  withOwnController,
  withoutOwnController,
} from "../../src/play/own-controllers";

/** The same without the prototypes that tell a table that was read. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value ?? null));
}

const BESIDE = parseToml('cc = "reno"\n[dumbbell]\nagainst_cc = "cubic"\n');

test("a controller of one's own is under test beside the others, under a name that is free", () => {
  const two = withOwnController(withOwnController(BESIDE));
  assert.deepEqual(ownNames(two), ["mine", "mine-2"]);
  assert.deepEqual(two.cc, ["reno", "mine", "mine-2"]);
  assert.deepEqual(plain(parseToml(writeToml(two))), plain(two));
});

test("its parameters are offered where it is chosen", () => {
  const [mine] = ownChoices(withOwnController(BESIDE));
  assert.deepEqual(mine?.parameters.map((one) => [one.name, one.default]), [["alpha", "1"], ["beta", "0.5"]]);
});

test("another name is taken over wherever the controller stands", () => {
  const tables = { ...withOwnController(BESIDE), cc: ["mine(alpha=2)", "reno"], flow: [{ name: "a", cc: "mine" }] };
  const against = renamed({ ...tables, dumbbell: { against_cc: "mine" } }, "mine", "gentle");
  assert.deepEqual(ownNames(against), ["gentle"]);
  assert.deepEqual(against.cc, ["gentle(alpha=2)", "reno"]);
  assert.deepEqual(plain(against.dumbbell), { against_cc: "gentle" });
  assert.deepEqual(plain(against.flow), [{ name: "a", cc: "gentle" }]);
  assert.equal(renamed(tables, "mine", ""), tables);
});

test("a controller that is removed leaves nothing that refers to it", () => {
  const tables = { ...withOwnController(BESIDE), cc: "mine", dumbbell: { against_cc: "mine", rate: "1 Mbit/s" } };
  assert.deepEqual(plain(withoutOwnController(tables, "mine")), { cc: "reno", dumbbell: { rate: "1 Mbit/s" } });
});

test("numbers are one line of text, and a line that is none is left for the engine to refuse", () => {
  const numbers = { alpha: 1, beta: 0.5 };
  assert.deepEqual(plain(numbersOf(numbersText(numbers))), numbers);
  assert.equal(numbersOf(" "), undefined);
  assert.equal(numbersOf("alpha = "), "alpha = ");
});
