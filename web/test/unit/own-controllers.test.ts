import assert from "node:assert/strict";
import { test } from "node:test";
import { field, parseToml, withField, writeToml } from "../../src/play/experiment";
import { pathAt } from "../../src/play/faults";
import {
  nameFault,
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

test("a controller of one's own stands beside the usual ones, and leaves them where it is removed", () => {
  const usual = withOwnController(parseToml("[dumbbell]"), ["cubic", "bbr"]);
  assert.deepEqual(usual.cc, ["cubic", "bbr", "mine"]);
  const { cc, ...unnamed } = usual;
  assert.deepEqual(cc, ["cubic", "bbr", "mine"]);
  assert.deepEqual(plain(withoutOwnController(unnamed, "mine")), { dumbbell: {} });
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

test("a name that a controller cannot have is refused in words", () => {
  const tables = withOwnController(withOwnController(BESIDE));
  const catalog = [{ name: "reno", aliases: ["newreno"], summary: "", parameters: [] }];
  for (const [to, words] of [["", /needs a name/], ["mine-2", /already/], ["newreno", /already/], ["Mine", /small letters/], ["a b", /small letters/]] as const) {
    assert.match(nameFault(tables, "mine", to, catalog) ?? "", words);
  }
  for (const to of ["mine", "gentle", "a.b+c"]) assert.equal(nameFault(tables, "mine", to, catalog), undefined);
});

test("a controller whose name has a dot has the fields of its own", () => {
  const tables = renamed(withOwnController(BESIDE), "mine", "a.b+c");
  assert.deepEqual(ownChoices(tables)[0]?.parameters.map((one) => one.name), ["alpha", "beta"]);
  const path = 'controllers."a.b+c".grow';
  const changed = withField(tables, path, "cwnd + 1");
  assert.equal(field(changed, path), "cwnd + 1");
  assert.deepEqual(ownNames(changed), ["a.b+c"]);
  // The engine's faults come to the same fields.
  const text = writeToml(changed);
  assert.equal(pathAt(text, text.split("\n").findIndex((line) => line.startsWith("grow")) + 1), path);
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
