// The engine's results as the playground uses them: one run of one controller, with its windows.

import type { Column, Outcome, Plan, PlanNetwork, RunSeries, Table } from "../engine/api";
import type { GridReport } from "../schema/run";
import type { Tables } from "./experiment";
import type { FlowShare, Observed, WindowTrace } from "./observed";

/** Documents that have been read: the conclusion, the table and the lessons look at the same one. */
const read = new WeakMap<Outcome, GridReport>();

/** The document of an outcome. */
export function documentOf(outcome: Outcome): GridReport {
  const known = read.get(outcome);
  if (known) return known;
  const found = JSON.parse(outcome.json) as GridReport;
  read.set(outcome, found);
  return found;
}

/** Numbers of a column; none if the table has no such column. */
export function numbers(table: Table | undefined, column: string): Float64Array {
  const found = table?.columns[column];
  return found?.type === "number" ? found.values : new Float64Array();
}

/** Calls with the name of each row, or an empty text where it has none. */
export function nameAt(column: Column | undefined, row: number): string {
  if (column?.type !== "name") return "";
  return column.names[column.values[row] ?? column.names.length] ?? "";
}

/** The rows of each name of a column that has any, in the order of its names. */
export function rowsByName(table: Table | undefined, column: string): Map<string, Uint32Array> {
  const found = table?.columns[column];
  if (found?.type !== "name") return new Map();
  const counts = new Uint32Array(found.names.length + 1);
  for (const name of found.values) counts[name] = (counts[name] ?? 0) + 1;
  const rows = found.names.map((_, name) => new Uint32Array(counts[name] ?? 0));
  counts.fill(0);
  found.values.forEach((name, row) => {
    const list = rows[name];
    const at = counts[name] ?? 0;
    if (list) list[at] = row;
    counts[name] = at + 1;
  });
  return new Map(found.names.flatMap((name, i) => ((rows[i]?.length ?? 0) > 0 ? [[name, rows[i] ?? new Uint32Array()]] : [])));
}

/** The values of a column in these rows. */
export function picked(values: Float64Array, rows: Uint32Array): Float64Array {
  const made = new Float64Array(rows.length);
  rows.forEach((row, i) => {
    made[i] = values[row] ?? NaN;
  });
  return made;
}

/** The windows of each flow of a run, in the order of the network's flows. */
export function windowTraces(series: RunSeries, network: PlanNetwork | undefined): WindowTrace[] {
  const table = series.windows;
  const cause = table?.columns.cause;
  const rowsOf = rowsByName(table, "flow");
  const order = (network?.flows ?? []).map((flow) => flow.name);
  // Flows that come and go have windows under names of their own, behind the others.
  const known = order.filter((name) => rowsOf.has(name));
  const names = [...known, ...[...rowsOf.keys()].filter((name) => !known.includes(name))];
  return names.map((flow) => [flow, rowsOf.get(flow) ?? new Uint32Array()] as const).map(([flow, rows]) => ({
    flow,
    time: picked(numbers(table, "time_s"), rows),
    cwnd: picked(numbers(table, "cwnd_packets"), rows),
    ssthresh: picked(numbers(table, "ssthresh_packets"), rows),
    bwe: picked(numbers(table, "bwe_bps"), rows),
    cause: Array.from(rows, (row) => nameAt(cause, row)),
    reduced: picked(numbers(table, "reduction"), rows),
  }));
}

/** The run of a point with its first seed, as lessons look at it; undefined if it failed. */
export function observed(tables: Tables, plan: Plan, outcome: Outcome, point = 0): Observed | undefined {
  // Runs of a point stand in the order of the plan's seeds, which keep all of their digits.
  const entries = documentOf(outcome).runs.filter((run) => run.point === point);
  const place = entries.findIndex((run) => run.summary !== null);
  const [entry, seed] = [entries[place], plan.seeds[place]];
  const series = outcome.series.find((one) => one.point === point && one.seed === seed);
  const network = plan.networks[point];
  if (!entry?.summary || !network) return undefined;
  const { summary } = entry;
  const measured = network.links[network.measured_link];
  const flows: FlowShare[] = entry.groups
    .filter((group) => group.name !== "reverse")
    .flatMap((group) =>
      group.flows.map((flow) => ({
        name: flow.name,
        cc: group.cc ?? "",
        goodputBps: flow.goodput_bps,
        baseRttMs: flow.base_rtt_ms,
      })),
    );
  return {
    tables,
    rateBps: measured?.rate_bps ?? 0,
    goodputBps: summary.goodput_bps,
    utilization: summary.utilization,
    waitP95Ms: summary.queue_delay_ms?.p95 ?? 0,
    resent: summary.retransmission_ratio,
    flows,
    windows: series ? windowTraces(series, network) : [],
  };
}
