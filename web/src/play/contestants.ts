// The results compare the points of one experiment or of two, each a controller on a path; or the flows of a
// single point.

import type { Change } from "../charts/causes";
import { Envelope, axisOf, columnsOf, firstWhere } from "../charts/columns";
import type { Curve, TimeData, TimePanel, Values } from "../charts/time";
import type { RunSeries } from "../engine/api";
import type { WindowTrace } from "./observed";
import { numbers, picked, rowsByName, windowTraces } from "./runs";
import { reachedBy, seriesOf, type Simulated } from "./side";

/** A point of one of the experiments. */
export interface Contestant {
  /** Its name on the page: of two experiments with the letter of its own. */
  readonly name: string;
  /** Which experiment: 0 or 1. */
  readonly side: number;
  readonly point: number;
  readonly shown: Simulated;
}

/** As many are compared at once. */
export const MOST_CONTESTANTS = 16;

/** The points of these experiments, in their order. */
export function contestants(sides: readonly (Simulated | undefined)[]): Contestant[] {
  const several = sides.length > 1;
  return sides.flatMap((shown, side) =>
    (shown?.plan.points ?? []).flatMap((point, i) =>
      shown ? [{ name: several ? `${"AB"[side] ?? ""}: ${point.name}` : point.name, side, point: i, shown }] : [],
    ),
  );
}

/** A thing that has curves: the first flow of a contestant, or a flow. */
export interface Drawn {
  readonly name: string;
  readonly trace: WindowTrace;
  readonly contestant: Contestant;
  /** The flow whose round trips and deliveries are drawn. */
  readonly flow: string;
}

/** The flows of a single contestant, or the first flow of each of several. */
export function drawn(all: readonly Contestant[]): Drawn[] {
  const [only] = all;
  const several = all.length > 1;
  if (!only) return [];
  return all.slice(0, MOST_CONTESTANTS).flatMap((contestant) => {
    const network = contestant.shown.plan.networks[contestant.point];
    const series = seriesOf(contestant.shown, contestant.point);
    const traces = series ? windowTraces(series, network) : [];
    // One that has no curves, or not yet, keeps its place, and so the others their colours.
    const [first = noTrace(network?.flows[0]?.name ?? "")] = traces;
    return (several ? [first] : traces.slice(0, MOST_CONTESTANTS)).map((trace) => ({
      name: several ? contestant.name : trace.flow,
      trace,
      contestant,
      flow: trace.flow,
    }));
  });
}

function noTrace(flow: string): WindowTrace {
  const none = new Float64Array();
  return { flow, time: none, cwnd: none, ssthresh: none, bwe: none, cause: [], reduced: none };
}

/** Columns of the charts, of the whole as of an enlarged span: more than a screen tells apart. */
const COLUMNS = 1500;
/** Spans of what is shown over which deliveries are counted. */
const RATE_SPANS = 150;

/** Everything that the charts over time show. */
export function timeDataOf(all: readonly Drawn[]): TimeData {
  const end = Math.max(...all.map((one) => one.contestant.shown.plan.time_s), 0);
  const times = axisOf(0, end, COLUMNS);
  const causes: string[] = [];
  const numberOf = new Map<string, number>();
  const causeNumber = (cause: string): number => {
    const known = numberOf.get(cause);
    if (known !== undefined) return known;
    numberOf.set(cause, causes.length);
    causes.push(cause);
    return causes.length - 1;
  };
  const changes = all.map(({ trace }): Change[] =>
    trace.cause.flatMap((cause, i) =>
      cause === "" ? [] : [[trace.time[i] ?? 0, causeNumber(cause), trace.reduced[i] === 1 ? 1 : 0] as const],
    ),
  );
  const sources = new Map<Curve, (from: number, to: number) => Values>();
  const reached = all.map((one) => reachedBy(one.contestant.shown, one.contestant.point));
  const drawnFrom = (variant: number, label: string, source: (from: number, to: number) => (number | null)[]): Curve => {
    // Held values do not last beyond what was simulated.
    const simulated = (from: number, to: number): Values => upTo(reached[variant] ?? end, source(from, to), from, to);
    const made: Curve = { variant, label, role: label === "ssthresh" ? "companion" : "main", values: simulated(0, end) };
    sources.set(made, simulated);
    return made;
  };
  const named = (of: Curve, name: string): Curve => {
    const made = { ...of, name };
    const source = sources.get(of);
    if (source) sources.set(made, source);
    return made;
  };
  const curve = (variant: number, times: Float64Array, values: Float64Array, held: boolean, label = ""): Curve => {
    const envelope = new Envelope({ times, values });
    return drawnFrom(variant, label, (from, to) => envelope.columns(from, to, COLUMNS, held));
  };
  const panel = (heading: string, unit: string, curves: readonly Curve[], more: Partial<TimePanel> = {}): TimePanel => ({
    heading,
    unit,
    curves,
    references: [],
    ...more,
  });
  const estimates = all.flatMap(({ trace }, i) => {
    const known = trace.bwe.some((bwe) => Number.isFinite(bwe));
    return known ? [curve(i, trace.time, trace.bwe.map((bwe) => bwe / 1e6), true)] : [];
  });
  const rates = [...new Set(all.map((one) => linkOf(one)?.rate_bps ?? 0))];
  const link: [string, number][] = rates.length === 1 && (rates[0] ?? 0) > 0 ? [["rate of the link", (rates[0] ?? 0) / 1e6]] : [];
  const queues = all.flatMap((one, i) => {
    const first = all.findIndex((other) => other.contestant === one.contestant) === i;
    const table = seriesOf(one.contestant.shown, one.contestant.point)?.queues;
    const rows = rowsByName(table, "link").get(linkOf(one)?.name ?? "");
    if (!first || !table || !rows) return [];
    const made = curve(i, picked(numbers(table, "time_s"), rows), picked(numbers(table, "queue_packets"), rows), true);
    // The queue of one point is that of all its flows.
    const several = all.some((other, j) => j !== i && other.contestant === one.contestant);
    return [several ? named(made, linkOf(one)?.name ?? "") : made];
  });
  return {
    times,
    paired: true,
    end,
    warmup: Math.min(...all.map((one) => one.contestant.shown.plan.warmup_s), end),
    changes,
    causes,
    closer: (of, from, to) => sources.get(of)?.(from, to) ?? of.values,
    panels: [
      panel(
        // The threshold is drawn of a window that is alone.
        all.length === 1 ? "Congestion window, and dotted its ssthresh" : "Congestion window",
        "segments",
        all.flatMap(({ trace }, i) => [
          curve(i, trace.time, trace.cwnd, true, all.length === 1 ? "cwnd" : ""),
          // Before the first loss the threshold is as good as infinite.
          ...(all.length === 1 ? [curve(i, trace.time, trace.ssthresh.map((value) => (value < 1e6 ? value : NaN)), true, "ssthresh")] : []),
        ]),
        { causes: true },
      ),
      ...(estimates.length > 0 ? [panel("Bandwidth estimate", "Mbit/s", estimates, { references: link })] : []),
      panel("Queue at the bottleneck", "packets", queues),
      panel("Round-trip time", "ms", all.flatMap((one, i) => flowCurve(one, "rtts", "rtt_ms").map(([t, v]) => curve(i, t, v, false)))),
      panel(
        "Goodput",
        "Mbit/s",
        all.flatMap((one, i) =>
          flowCurve(one, "delivered", "delivered_bytes").map(([t, v]) => {
            const least = leastRateSpan(one, t);
            return drawnFrom(i, "", (from, to) => {
              const rate = goodput(t, v, Math.min(end / RATE_SPANS, Math.max(least, (to - from) / RATE_SPANS)), to, from, reached[i]);
              return columnsOf({ times: rate.time, values: rate.value }, from, to, COLUMNS, true);
            });
          }),
        ),
        { references: link },
      ),
    ],
  };
}

/** The values of the columns of a span up to that of a moment; later ones have none. */
function upTo(moment: number, values: (number | null)[], from: number, to: number): (number | null)[] {
  const columns = values.length / 2;
  const first = Math.floor(((moment - from) / (to - from)) * columns) + 1;
  return first < columns ? values.fill(null, Math.max(0, 2 * first)) : values;
}

function linkOf({ contestant }: Drawn): { name: string; rate_bps: number } | undefined {
  const network = contestant.shown.plan.networks[contestant.point];
  return network?.links[network.measured_link];
}

function flowCurve(one: Drawn, kind: "rtts" | "delivered", column: string): [Float64Array, Float64Array][] {
  const series: RunSeries | undefined = seriesOf(one.contestant.shown, one.contestant.point);
  const table = series?.[kind];
  const rows = rowsByName(table, "flow").get(one.flow);
  if (!table || !rows) return [];
  return [[picked(numbers(table, "time_s"), rows), picked(numbers(table, column), rows)]];
}

/**
 * The shortest span over which a flow has a rate: a round trip over empty queues, and time for two of the
 * recorded deliveries.
 */
function leastRateSpan({ contestant, flow }: Drawn, delivered: Float64Array): number {
  const network = contestant.shown.plan.networks[contestant.point];
  const found = network?.flows.find((one) => one.name === flow);
  const links = [...(found?.path ?? []), ...(found?.back ?? [])];
  const roundTrip = links.reduce((sum, link) => sum + (network?.links[link]?.delay_s ?? 0), 0);
  const recorded = (delivered.at(-1) ?? 0) - (delivered[0] ?? 0);
  return Math.max(roundTrip, (2 * recorded) / Math.max(1, delivered.length - 1));
}

/**
 * Deliveries as a rate: megabits a second over spans of so many seconds, of which one begins at zero. The last one
 * of a run ends with it: a rest shorter than half a span, which may hold a single packet, belongs to the one before.
 */
export function goodput(
  time: Float64Array,
  bytes: Float64Array,
  span: number,
  to: number,
  from = 0,
  end = Infinity,
): { time: Float64Array; value: Float64Array } {
  const spans = Math.max(1, Math.round(end / span));
  const first = Math.min(Math.floor(from / span), spans - 1);
  // The span that ends at `to` is the last, whatever the last bits of the quotient.
  const count = Math.max(1, Math.min(Math.ceil(to / span - 1e-6), spans) - first);
  const edges = Float64Array.from({ length: count + 1 }, (_, i) => (first + i === spans ? end : (first + i) * span));
  let row = 0;
  const totals = edges.map((edge) => {
    row = firstWhere(time, row, (moment) => moment > edge);
    return row > 0 ? (bytes[row - 1] ?? 0) : 0;
  });
  const starts = edges.subarray(0, count);
  const value = starts.map((start, i) => (8e-6 * ((totals[i + 1] ?? 0) - (totals[i] ?? 0))) / ((edges[i + 1] ?? 0) - start));
  return { time: starts, value };
}
