import assert from "node:assert/strict";
import { test } from "node:test";
import {
  BadToml,
  chained,
  controllers,
  field,
  parseToml,
  tablesOf,
  withControllers,
  withField,
  withoutTable,
  writeToml,
} from "../../src/play/experiment";

const TEXT = `cc = ["reno", "westwood+(tau=0.3s)"]
time = "30 s"

[dumbbell]
rate = "10 Mbit/s"

[[flow]]
name = "late"
from = "left"
to = "right"
`;

test("a scenario is the same after it was written and read again", () => {
  const tables = parseToml(TEXT);
  assert.deepEqual(parseToml(writeToml(tables)), tables);
});

test("a field is named by its path, and a table of a list by its name, its number or 'last'", () => {
  const tables = parseToml(TEXT);
  assert.equal(field(tables, "dumbbell.rate"), "10 Mbit/s");
  for (const path of ["flow.late.to", "flow.1.to", "flow.last.to"]) assert.equal(field(tables, path), "right");
  assert.equal(field(tables, "flow.early.to"), undefined);
});

test("a changed field leaves the tables that it came from as they were", () => {
  const tables = parseToml(TEXT);
  const changed = withField(tables, "flow.late.start", "10 s");
  assert.equal(field(changed, "flow.1.start"), "10 s");
  assert.equal(field(tables, "flow.1.start"), undefined);
});

test("a field without a value goes, and a table is made for a field that is the first in it", () => {
  const tables = parseToml(TEXT);
  assert.equal("time" in withField(tables, "time", undefined), false);
  assert.deepEqual(field(withField(tables, "tcp.initial_window", 1), "tcp"), { initial_window: 1 });
});

test("a list goes with its last table", () => {
  assert.equal("flow" in withoutTable(parseToml(TEXT), "flow", "late"), false);
});

test("one controller is a text, several are a list", () => {
  const tables = parseToml(TEXT);
  assert.deepEqual(controllers(tables), ["reno", "westwood+(tau=0.3s)"]);
  assert.equal(withControllers(tables, ["bbr"]).cc, "bbr");
  assert.deepEqual(withControllers(tables, ["bbr", "reno"]).cc, ["bbr", "reno"]);
});

test("a text that is no TOML says which line is wrong", () => {
  assert.throws(
    () => parseToml('cc = "reno"\n[dumbbell\n'),
    (error) => error instanceof BadToml && error.line === 2,
  );
});

test("a chain of hops keeps the settings of the bottleneck that it comes from", () => {
  const tables = chained(parseToml('cc = "reno"\n[dumbbell]\nrate = "5 Mbit/s"\nloss = "1 %"\nreverse_flows = 2\n'), 3);
  assert.equal(tables.dumbbell, undefined);
  const links = tablesOf(tables, "link");
  assert.deepEqual(links.map((link) => link.rate), ["5 Mbit/s", "5 Mbit/s", "5 Mbit/s"]);
  assert.deepEqual(links.slice(1).map((link) => link.from), links.slice(0, -1).map((link) => link.to));
  assert.deepEqual(tablesOf(tables, "flow").map((flow) => flow.name), ["flow", "reverse"]);
});
