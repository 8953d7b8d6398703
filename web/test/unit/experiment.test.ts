import assert from "node:assert/strict";
import { test } from "node:test";
import {
  BadToml,
  chainFault,
  chained,
  controllers,
  field,
  linkFields,
  parseToml,
  swept,
  tablesOf,
  usualControllers,
  withControllers,
  withField,
  withoutTable,
  writeToml,
} from "../../src/play/experiment";
import { textOf, valueOf } from "../../src/play/fields";

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
  assert.equal("flow" in withoutTable(parseToml(TEXT), "flow", 0), false);
});

test("a table leaves its list by its place, even where its name is a number", () => {
  const tables = parseToml(`${TEXT}\n[[flow]]\nname = 5\n\n[[flow]]\nname = 7\n`);
  assert.deepEqual(tablesOf(withoutTable(tables, "flow", 1), "flow").map(({ name }) => name), ["late", 7]);
});

test("one controller is a text, several are a list", () => {
  const tables = parseToml(TEXT);
  assert.deepEqual(controllers(tables), ["reno", "westwood+(tau=0.3s)"]);
  assert.equal(withControllers(tables, ["bbr"]).cc, "bbr");
  assert.deepEqual(withControllers(tables, ["bbr", "reno"]).cc, ["bbr", "reno"]);
});

test("a text that names several controllers is a row for each, alone and in a list", () => {
  const two = "reno, westwood+(tau=0.3s, filter=a)";
  const names = ["reno", "westwood+(tau=0.3s, filter=a)"];
  assert.deepEqual(controllers(parseToml(`cc = "${two}"`)), names);
  assert.deepEqual(controllers(parseToml(`cc = ["${two}", "bbr"]`)), [...names, "bbr"]);
  // While it is written a parenthesis may be open.
  assert.deepEqual(controllers(parseToml('cc = "list(a=1, b=2"')), ["list(a=1, b=2"]);
});

test("where no controller is named those of the plan are under test, without those of its variants", () => {
  const point = { name: "", settings: {}, packets: 1 };
  const points = [
    { ...point, cc: "cubic-linux" },
    { ...point, cc: "bbr" },
    { ...point, cc: "cubic-linux" },
    { ...point, cc: "reno", variant: "other" },
    point,
  ];
  assert.deepEqual(usualControllers(parseToml("[dumbbell]"), { points }), ["cubic-linux", "bbr"]);
  assert.deepEqual(usualControllers(parseToml('cc = "reno"'), { points }), []);
});

test("the values of a sweep are those of the field that it names, by number, by name, or in tables", () => {
  const tables = parseToml(`${TEXT}[sweep]\n"flow.late.start" = ["1 s", "2 s"]\ndumbbell.rtt = ["1 ms"]\n`);
  assert.deepEqual(swept(tables, "flow.1.start"), ["1 s", "2 s"]);
  assert.deepEqual(swept(tables, "dumbbell.rtt"), ["1 ms"]);
  assert.equal(swept(tables, "dumbbell.rate"), undefined);
  assert.equal(swept(parseToml(TEXT), "dumbbell.rate"), undefined);
});

test("controllers that are swept are those under test, and stay in the sweep", () => {
  const tables = parseToml('cc = "bbr"\n[sweep]\ncc = ["reno", "cubic"]\n');
  assert.deepEqual(controllers(tables), ["reno", "cubic"]);
  assert.deepEqual(field(withControllers(tables, ["reno"]), "sweep.cc"), ["reno"]);
  assert.equal(withControllers(tables, ["reno"]).cc, "bbr");
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

const DUMBBELL = `cc = "reno"
[dumbbell]
trace = "cell.txt"
rtt = "20 ms to 200 ms"
buffer = "2 bdp"
buffer_in_service = true
loss = "1 %"
reorder = "1 % by 3 within 50 ms"
bursts = "a-mpdu(packets=64,airtime=4ms,overhead=186us)"
fec = "in-order(k=20,n=24,wait=40ms)"
ecn_path = "bleach"
access_rate = "1 Gbit/s"
flows = 3
size = "1 MB"
against_cc = "cubic"
against_flows = 2
reverse_flows = 4
reverse_cc = "bbr"
[[flow]]
name = "late"
from = "left"
to = "right"
`;

test("a chain of hops has all settings of its dumbbell, and its losses once", () => {
  const tables = chained(parseToml(DUMBBELL), 3);
  const links = tablesOf(tables, "link");
  for (const link of links) {
    assert.deepEqual([link.trace, link.rate, link.buffer, link.buffer_in_service], ["cell.txt", undefined, "2 bdp", true]);
    assert.deepEqual([link.ecn_path, typeof link.bursts, typeof link.fec, link.delay], ["bleach", "string", "string", "1.67 ms"]);
  }
  assert.deepEqual(links.map((link) => link.loss), ["1 %", undefined, undefined]);
  assert.deepEqual(links.map((link) => link.reorder !== undefined), [true, false, false]);
  const [flow, rival, reverse, late] = tablesOf(tables, "flow");
  assert.deepEqual([flow?.count, flow?.size, flow?.access_rate], [3, "1 MB", "1 Gbit/s"]);
  assert.deepEqual([rival?.cc, rival?.count, rival?.access_rate], ["cubic", 2, "1 Gbit/s"]);
  assert.deepEqual([reverse?.cc, reverse?.count, reverse?.from], ["bbr", 4, "router 4"]);
  assert.deepEqual([late?.from, late?.to], ["router 1", "router 4"]);
});

test("settings that hops cannot have are refused in words", () => {
  assert.equal(chainFault(parseToml(DUMBBELL)), undefined);
  assert.match(chainFault(parseToml('[dumbbell]\n[sweep]\n"dumbbell.rate" = ["1 Mbit/s"]\n')) ?? "", /^\[sweep\] has settings/);
  assert.match(chainFault(parseToml('[dumbbell]\n[[change]]\nlink = "bottleneck"\nat = "1 s"\n')) ?? "", /^\[change\] names/);
});

test("a seed keeps all of its digits", () => {
  const text = 'seed = 18446744073709551615\ncc = "reno"\n';
  const tables = parseToml(text);
  assert.equal(writeToml(tables).trim(), text.trim());
  assert.equal(textOf(field(tables, "seed")), "18446744073709551615");
  assert.equal(valueOf("18446744073709551615", false), field(tables, "seed"));
  assert.equal(chainFault(tables), undefined);
  assert.equal(valueOf("7", false), 7);
});

test("a link of the drawing leads to fields of its own direction, whatever gives its rate", () => {
  const dumbbell = parseToml('[dumbbell]\nrate = "1 Mbit/s"\n');
  assert.equal(linkFields(dumbbell, "bottleneck")[0], "dumbbell.rate");
  assert.equal(linkFields(dumbbell, "bottleneck return")[0], "dumbbell.return_rate");
  const chain = parseToml('[[link]]\nname = "hop 1"\n[[link]]\nname = "hop 2"\ntrace = "cell.trace"\n');
  assert.deepEqual(linkFields(chain, "hop 2"), ["link.2.rate", "link.2.trace", "link.2.delay"]);
  assert.equal(linkFields(chain, "hop 1 return")[0], "link.1.return_rate");
});
