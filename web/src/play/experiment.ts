// An experiment as the tables of a scenario file, which the form changes field by field and the address holds
// as TOML. A field is named by its path, as `--set` and `[sweep]` name it: `dumbbell.rate`, `link.hop.delay`,
// and `link.2.delay` for a table by its number, which counts from 1. A name that is no bare key of TOML stands in
// quotation marks: `controllers."a.b".grow`.

import { parse, stringify } from "smol-toml";
import type { Plan } from "../engine/api";
import { partsOf } from "./call";
import type { SettingNames } from "./setting-names";

/** A value of a scenario file. */
export type Value = string | number | bigint | boolean | readonly Value[] | Tables;

/** A table of a scenario file. */
export interface Tables {
  readonly [name: string]: Value;
}

/** A text that is no TOML. */
export class BadToml extends Error {
  constructor(
    message: string,
    /** The line of the fault, from 1. */
    readonly line: number,
  ) {
    super(message);
  }
}

/** True of a table, as against a list or a plain value. */
export function isTable(value: Value | undefined): value is Tables {
  return typeof value === "object" && !Array.isArray(value);
}

/** True of a list of values or tables. */
export function isList(value: Value | undefined): value is readonly Value[] {
  return Array.isArray(value);
}

/** The tables that a text says. Throws BadToml. */
export function parseToml(text: string): Tables {
  try {
    // A seed may have more digits than a number.
    return parse(text, { integersAsBigInt: "asNeeded" }) as Tables;
  } catch (error) {
    const line = error instanceof Error && "line" in error ? Number(error.line) : 1;
    const first = error instanceof Error ? (error.message.split("\n")[0] ?? "") : String(error);
    throw new BadToml(first.replace("Invalid TOML document: ", ""), line);
  }
}

/** A value as JSON, to be looked at as a text. */
export function jsonOf(value: Value, replacer: (value: Value) => Value = (one) => one): string {
  return JSON.stringify(value, (_, one: Value) => (typeof one === "bigint" ? String(one) : replacer(one)));
}

/** The text of these tables: plain values first, then tables, as people write them. */
export function writeToml(tables: Tables): string {
  return stringify(tables);
}

/** The table of a list that a step of a path names: by its number from 1, `last`, or its `name`. */
function place(list: readonly Value[], step: string): number {
  if (step === "last") return list.length - 1;
  if (/^[0-9]+$/.test(step)) return Number(step) - 1;
  return list.findIndex((entry) => isTable(entry) && entry.name === step);
}

/** A name as a step of a path. */
export function stepOf(name: string): string {
  return /^[A-Za-z0-9_-]+$/.test(name) ? name : `"${name}"`;
}

/** The names of the steps of a path. */
function stepsOf(path: string): string[] {
  return (path.match(/"[^"]*"|[^.]+/g) ?? []).map((step) => step.replaceAll('"', ""));
}

/** The value of a field; undefined where it is left to its default. */
export function field(tables: Tables, path: string): Value | undefined {
  let here: Value | undefined = tables;
  for (const step of stepsOf(path)) {
    if (isTable(here)) here = here[step];
    else if (isList(here)) here = here[place(here, step)];
    else return undefined;
  }
  return here;
}

/** The same tables with another value of a field; undefined leaves the field to its default. */
export function withField(tables: Tables, path: string, value: Value | undefined): Tables {
  const [first = "", ...rest] = stepsOf(path);
  return replaced(tables, first, rest, value) as Tables;
}

function replaced(
  here: Value | undefined,
  step: string,
  rest: readonly string[],
  value: Value | undefined,
): Value {
  const [next, ...behind] = rest;
  const inner = (old: Value | undefined): Value | undefined =>
    next === undefined ? value : replaced(old, next, behind, value);
  if (isList(here)) {
    const at = place(here, step);
    if (at < 0 || at >= here.length) return here;
    const list = here.flatMap((entry, i) => {
      const made = i === at ? inner(entry) : entry;
      return made === undefined ? [] : [made];
    });
    return list;
  }
  const table = isTable(here) ? here : {};
  const made = inner(table[step]);
  if (made !== undefined) return { ...table, [step]: made };
  return Object.fromEntries(Object.entries(table).filter(([name]) => name !== step));
}

/** The tables of a list, such as `link`; none if there is no such list. */
export function tablesOf(tables: Tables, name: string): readonly Tables[] {
  const list = tables[name];
  return isList(list) ? list.filter(isTable) : [];
}

/** The same tables with one more in a list. */
export function withTable(tables: Tables, list: string, table: Tables): Tables {
  return { ...tables, [list]: [...tablesOf(tables, list), table] };
}

/** The same tables without the one at this place of a list, from 0; the list goes with its last. */
export function withoutTable(tables: Tables, list: string, place: number): Tables {
  const kept = tablesOf(tables, list).filter((_, i) => i !== place);
  return withField(tables, list, kept.length > 0 ? kept : undefined);
}

/** The fields that a link of the network comes from, the one to change first: not every link has all of them. */
export function linkFields(tables: Tables, link: string): string[] {
  const [, name = link, back] = /^(.*?)( return)?$/.exec(link) ?? [];
  const at = tablesOf(tables, "link").findIndex((table) => table.name === name);
  const table = at < 0 ? "dumbbell" : `link.${at + 1}`;
  const fields = back === undefined ? ["rate", "trace", "delay"] : ["return_rate", "return_trace", "rate", "delay"];
  return fields.map((field) => `${table}.${field}`);
}

/** A path whose table of a list is said by its number, though it may have a name. */
export function numbered(tables: Tables, path: string): string {
  const [list = "", entry = "", ...rest] = path.split(".");
  const at = tablesOf(tables, list).findIndex((table) => table.name === entry);
  return at < 0 ? path : [list, String(at + 1), ...rest].join(".");
}

/** The values that a sweep gives a field in place of its own; undefined where none does. */
export function swept(tables: Tables, path: string): readonly Value[] | undefined {
  // A path is the name of a field in quotation marks, or of tables within tables.
  const axes = (value: Value, way: readonly string[]): [string, Value][] =>
    isTable(value)
      ? Object.entries(value).flatMap(([name, one]) => axes(one, [...way, name]))
      : [[way.join("."), value]];
  const here = numbered(tables, path);
  const [, values] = axes(tables.sweep ?? {}, []).find(([axis]) => numbered(tables, axis) === here) ?? [];
  return values === undefined || isList(values) ? values : [values];
}

/** The controllers under test, which a sweep may give. A text may name several, as the command's `--cc` does. */
export function controllers(tables: Tables): readonly string[] {
  const cc = field(tables, "sweep.cc") ?? tables.cc;
  if (typeof cc === "string") return partsOf(cc);
  return isList(cc) ? cc.flatMap((names) => (typeof names === "string" ? partsOf(names) : [])) : [];
}

/** The controllers that a plan runs because the tables name none; none where they do. */
export function usualControllers(tables: Tables, { points }: Pick<Plan, "points">): readonly string[] {
  if (controllers(tables).length > 0) return [];
  const run = points.filter(({ variant }) => variant === undefined).map(({ cc }) => cc);
  return [...new Set(run)].filter((cc) => cc !== undefined);
}

/** The same tables with these controllers under test. */
export function withControllers(tables: Tables, names: readonly string[]): Tables {
  if (field(tables, "sweep.cc") !== undefined) return withField(tables, "sweep.cc", [...names]);
  const [only] = names;
  return withField(tables, "cc", names.length === 1 ? only : names.length === 0 ? undefined : [...names]);
}

/** The same experiment at the first place of its sweep alone, under all of its controllers. */
export function atFirstPlace(tables: Tables): Tables {
  const { sweep } = tables;
  if (!isTable(sweep)) return tables;
  const first = Object.entries(sweep).map(([path, values]) => [path, isList(values) && path !== "cc" ? values.slice(0, 1) : values]);
  return { ...tables, sweep: Object.fromEntries(first) as Tables };
}

/** Fields of a dumbbell that a link has, too. */
type Shared = SettingNames["dumbbell"] & SettingNames["link"];

const OF_EVERY_HOP: readonly Shared[] = [
  "rate", "return_rate", "trace", "return_trace", "buffer", "buffer_in_service", "wake_up", "aqm", "policer", "bursts",
  "ecn_path", "arq", "fec", "ack_filter",
];
/** These add up from hop to hop: the path keeps them by having them once. */
const OF_ONE_HOP: readonly Shared[] = ["loss", "loss_both", "reorder"];

/** The settings that keep a dumbbell from being written as links and flows, in words; undefined if there are none. */
export function chainFault(tables: Tables): string | undefined {
  const names = (part: string, name: string): boolean => jsonOf(tables[part] ?? "").includes(`"${name}`);
  for (const part of ["sweep", "variant"]) {
    if (names(part, "dumbbell")) return `[${part}] has settings of [dumbbell], which hops do not have: remove them first.`;
  }
  for (const part of ["sweep", "variant", "change", "measure", "flow"]) {
    if (names(part, "bottleneck")) return `[${part}] names the bottleneck, and each of three hops may be it: remove the name first.`;
  }
  return undefined;
}

/** A dumbbell, as `[dumbbell]` says it, written as links and flows: a first step towards several hops. */
export function chained(tables: Tables, hops: number): Tables {
  const { dumbbell, ...others } = tables;
  const path = isTable(dumbbell) ? dumbbell : {};
  const copied = (names: readonly (SettingNames["dumbbell"] & (SettingNames["link"] | SettingNames["flow"]))[]): Record<string, Value> =>
    Object.fromEntries(names.flatMap((name) => (path[name] === undefined ? [] : [[name, path[name]]])));
  const as = (name: SettingNames["flow"], value: Value | undefined): Record<string, Value> => (value === undefined ? {} : { [name]: value });
  const nodes = Array.from({ length: hops + 1 }, (_, i) => `router ${i + 1}`);
  const rtt = path.rtt ?? "100 ms";
  const links: Tables[] = nodes.slice(1).map((to, i) => ({
    name: `hop ${i + 1}`,
    from: nodes[i] ?? "",
    to,
    ...(path.trace === undefined ? { rate: "10 Mbit/s" } : {}),
    ...copied(OF_EVERY_HOP),
    ...(i === 0 ? copied(OF_ONE_HOP) : {}),
    delay: hopDelay(rtt, hops),
  }));
  const [left = "", right = ""] = [nodes[0], nodes.at(-1)];
  const both = { rtt, ...copied(["access_rate"]) };
  const flows: Tables[] = [
    { name: "flow", from: left, to: right, ...both, ...as("count", path.flows), ...copied(["size"]) },
    ...(path.against_cc === undefined
      ? []
      : [{ name: "rival", from: left, to: right, ...both, cc: path.against_cc, ...as("count", path.against_flows) }]),
    ...(path.reverse_flows === undefined || path.reverse_flows === 0
      ? []
      : [{ name: "reverse", from: right, to: left, ...both, ...as("cc", path.reverse_cc), count: path.reverse_flows }]),
  ];
  // The ends of a dumbbell have names of their own.
  const node = (name: Value | undefined): Value | undefined => (name === "left" ? left : name === "right" ? right : name);
  const kept = tablesOf(tables, "flow").map((flow) => ({ ...flow, ...as("from", node(flow.from)), ...as("to", node(flow.to)) }));
  return {
    ...others,
    link: [...tablesOf(tables, "link"), ...links],
    flow: [...flows, ...kept],
  };
}

const UNITS: Readonly<Record<string, number>> = { ns: 1e-6, us: 1e-3, "\u00b5s": 1e-3, ms: 1, s: 1000 };

/** The delay of each hop: less where the shortest round trip would not hold all of them. */
function hopDelay(rtt: Value, hops: number): string {
  const found = [...jsonOf(rtt).matchAll(/([0-9.]+) ?(ns|us|\u00b5s|ms|s)\b/g)].map(([, number, unit]) => Number(number) * (UNITS[unit ?? ""] ?? 1));
  return `${Number(Math.min(5, ...found.map((all) => all / (4 * hops))).toPrecision(3))} ms`;
}
