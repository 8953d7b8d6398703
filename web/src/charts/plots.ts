/**
 * Charts that stand still: distributions, values over seeds, one quantity against another, sweeps. Drawn by
 * Observable Plot as SVG: colours are custom properties and follow the theme, every mark has a title, and
 * the classes `k0`, `k1`... let a page switch variants off.
 */

import * as Plot from "@observablehq/plot";
import { plain, within, withUnit, type Range } from "../page/number";
import { colourName, dash, outline } from "./palette";
import { Turn } from "./turns";
import { fade } from "./visible";

/** A mean and half of its interval, which is absent if there are too few values. */
export type Mean = readonly [mean: number, half: number | null];

export interface Quantity {
  readonly id: string;
  readonly name: string;
  readonly unit: string;
  /** Name and unit, as an axis has them. */
  readonly label: string;
}

/** Values over seeds: a row for each variant or change. */
export interface Spread {
  readonly quantity: Quantity;
  readonly better: "higher" | "lower" | null;
  /** The least and the largest value that it can have: no interval goes further. */
  readonly range: Range;
  /** The largest value that there can be: the whole of a share. */
  readonly largest?: number | null;
  readonly rows: readonly {
    readonly name: string;
    readonly variant: number;
    readonly values: readonly number[];
    /** The seeds of the values, as texts: they may have more digits than a number. */
    readonly seeds?: readonly string[];
    readonly mean: Mean | null;
    readonly quartiles: readonly [number, number, number] | null;
  }[];
}

/** One quantity against another, a point for each seed. */
export interface Tradeoff {
  readonly x: Quantity;
  readonly y: Quantity;
  readonly points: readonly (readonly (readonly [number, number])[])[];
  readonly means: readonly (readonly [Mean | null, Mean | null])[];
}

/** The share of a whole at or below each value. */
export interface Distribution {
  readonly quantity: Quantity;
  /** The whole: `samples`, `time`. */
  readonly of: string;
  readonly curves: readonly { readonly values: ArrayLike<number>; readonly shares: ArrayLike<number> }[];
}

const ROW = 30;
/** The width of a letter of a label, on average. */
const LETTER = 7.2;
const SHIFTS = [-0.2, 0.1, -0.05, 0.2, 0, -0.15, 0.15];
const FONT = 12;

/** A chart for any width of its place. */
export interface Chart {
  readonly height: (width: number) => number;
  readonly draw: (width: number) => SVGSVGElement;
}

/** A chart that is as wide as its place, drawn anew when that changes. */
export class Still {
  readonly #turn: Turn;
  readonly #widths: ResizeObserver;
  /** The width of the place; 0 while it is hidden. */
  #width = 0;

  /** Charts whose places have come together: all their widths are read at once, so that the page is laid out once. */
  static #fresh: Still[] = [];

  /** The chart is drawn once its place is in the page. */
  constructor(readonly host: HTMLElement, readonly chart: Chart) {
    this.#turn = new Turn(host, () => { this.#render(); });
    this.#widths = new ResizeObserver(() => { this.#fit(Math.floor(host.clientWidth)); });
    if (Still.#fresh.push(this) === 1) queueMicrotask(() => { Still.#begin(); });
  }

  static #begin(): void {
    const fresh = Still.#fresh;
    Still.#fresh = [];
    const widths = fresh.map(({ host }) => Math.floor(host.clientWidth));
    fresh.forEach((still, i) => {
      still.#fit(widths[i] ?? 0);
      still.#widths.observe(still.host);
    });
  }

  #fit(width: number): void {
    const { host, chart } = this;
    if (width === this.#width) return;
    this.#width = width;
    if (width === 0) return;
    if (host.childElementCount === 0) host.style.minHeight = `${chart.height(width)}px`;
    this.#turn.ask();
  }

  #render(): void {
    if (this.#width === 0) return;
    const chart = this.chart.draw(this.#width);
    fade(chart);
    this.host.replaceChildren(chart);
    this.host.style.minHeight = "";
  }
}

/** Heights that are a share of the width, within bounds; in pixels. */
const proportional = (share: number, least: number, most: number) => (width: number): number =>
  Math.round(Math.min(most, Math.max(least, share * width)));

/** Draws with the page's style sheet in place of Plot's, which the page's policy would refuse. */
function drawn(options: Plot.PlotOptions, label: string): SVGSVGElement {
  const made = Plot.plot({ ...options, className: "plotted" });
  const svg = made instanceof SVGSVGElement ? made : made.querySelector("svg");
  if (!svg) throw new Error("a chart without a drawing");
  for (const sheet of svg.querySelectorAll("style")) sheet.remove();
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", label);
  // The table behind the chart has the values of its parts.
  for (const part of svg.querySelectorAll("[aria-label], [aria-description]")) {
    part.removeAttribute("aria-label");
    part.removeAttribute("aria-description");
  }
  return svg;
}

/** The mark of a variant, its size that of a circle of the same area. */
const symbol = (variant: number): { draw(context: CanvasPath, size: number): void } => ({
  draw(context, size) {
    outline(context, variant, Math.sqrt(size / Math.PI));
  },
});

/** A text at an axis, within so many pixels. */
export function fitting(text: string, width: number): string {
  const letters = Math.floor(width / LETTER);
  // A number without its unit says nothing.
  const [, name = text, unit = ""] = /^(.+)( \([^()]+\))$/.exec(text) ?? [];
  return unit.length < letters ? short(name, letters - unit.length) + unit : short(text, letters);
}

/** An axis's label below its chart: in the middle of the axis, or, where it has no room there, up to its end. */
function below(text: string, width: number, axis: number): { label: string; labelAnchor: "center" | "right" } {
  const labelAnchor = fitting(text, axis) === text ? "center" : "right";
  return { label: fitting(text, labelAnchor === "center" ? axis : width - 12), labelAnchor };
}

/** Ticks on an axis of so many pixels: as many as have room for their numbers, thousands as tables have them. */
export function ticked(axis: number, high: number): { ticks: number; tickFormat?: (tick: number) => string } {
  const ticks = Math.max(2, Math.floor(axis / Math.max(70, LETTER * plain(high, 2).length + 36)));
  return high < 1000 ? { ticks } : { ticks, tickFormat: (tick) => plain(tick, 9) };
}

const short = (text: string, letters: number): string =>
  text.length > letters ? `${text.slice(0, Math.max(1, letters - 1))}\u2026` : text;

/** The ends of an axis for values and means with their intervals, from zero unless that would press them against the other end. */
export function extent(values: readonly number[], means: readonly (Mean | null)[], around = false, largest = Infinity): [number, number] {
  const finite = values.filter(Number.isFinite);
  const highest = Math.max(0, ...finite);
  const lowest = Math.min(highest, ...finite);
  const room = Math.max(highest - lowest, 0.5 * Math.abs(highest));
  let [low, high] = around ? [Math.min(0, lowest), Math.max(0, highest)] : [lowest, highest];
  for (const mean of means) {
    if (typeof mean?.[1] !== "number") continue;
    // An interval that dwarfs the values is cut.
    low = Math.min(low, around ? mean[0] - mean[1] : Math.max(mean[0] - mean[1], lowest - room, Math.min(0, lowest)));
    high = Math.max(high, around ? mean[0] + mean[1] : Math.min(mean[0] + mean[1], highest + room, Math.max(largest, highest)));
  }
  // Values that differ in their last bits are equal: an axis between them would have numbers of 15 digits.
  if (high - low <= 1e-9 * Math.max(Math.abs(low), Math.abs(high))) {
    return around ? [low - 1, low + 1] : [0, Math.min(largest, high > 0 ? 1.2 * high : 1)];
  }
  if (!around && low <= 0.6 * high) low = Math.min(0, low);
  const pad = 0.03 * (high - low);
  return [low === 0 ? 0 : low - pad, high === largest ? high : high + pad];
}

/** An interval along an axis: ticks at its ends, an arrow where it goes on beyond the axis, and nothing where the quantity ends: at zero, or at its largest value. */
function bar(low: number, high: number, [from, to]: readonly [number, number], largest = Infinity): { x1: number; x2: number; markerStart: Plot.MarkerName | "none"; markerEnd: Plot.MarkerName | "none" } {
  return {
    x1: Math.max(low, from), x2: Math.min(high, to),
    markerStart: low >= from ? "tick" : from === 0 ? "none" : "arrow-reverse",
    markerEnd: high <= to ? "tick" : to === largest ? "none" : "arrow",
  };
}

export const spreadHeight = (spread: Spread): number => ROW * spread.rows.length + 44;

/** Values over seeds: small dots, the middle half as a box, the mean with its interval. */
export function spreadChart(spread: Spread, width: number, around = false): SVGSVGElement {
  const rows = spread.rows;
  const longest = Math.max(0, ...rows.map((row) => row.name.length));
  const left = Math.min(Math.floor(0.36 * width), 18 + Math.ceil(LETTER * longest));
  const unit = spread.quantity.unit;
  const domain = extent(rows.flatMap((row) => row.values), rows.map((row) => row.mean), around, spread.largest ?? Infinity);
  const marks: Plot.Markish[] = [];
  rows.forEach((row, i) => {
    const fill = colourName(row.variant);
    const className = `k${row.variant}`;
    if (row.quartiles) {
      const [low, middle, high] = row.quartiles;
      marks.push(
        Plot.rect([i], { x1: low, x2: high, y1: i - 0.3, y2: i + 0.3, fill, fillOpacity: 0.22, className }),
        Plot.ruleX([i], { x: middle, y1: i - 0.3, y2: i + 0.3, stroke: fill, className }),
      );
    }
    marks.push(Plot.dot(row.values, {
      x: (value: number) => value,
      // Spread a little, so that equal values are seen to be several.
      y: (_: number, n: number) => i + (SHIFTS[n % SHIFTS.length] ?? 0),
      r: 2, fill, fillOpacity: 0.6, className, title: (value: number) => `${row.name}: ${withUnit(plain(value), unit)}`,
    }));
    if (!row.mean) return;
    const [mean, half] = row.mean;
    if (half !== null) marks.push(Plot.ruleY([i], { ...bar(mean - half, mean + half, domain, spread.largest ?? Infinity), y: i, stroke: fill, strokeWidth: 2, className }));
    const title = `${row.name}: ${withUnit(within(row.mean, spread.range), unit)}`;
    marks.push(Plot.dot([i], { x: mean, y: i, r: 5, symbol: symbol(row.variant), fill, stroke: "var(--paper)", strokeWidth: 1, className, title: () => title }));
  });
  const better = spread.better === null ? "" : spread.better === "higher" ? ", more is better" : ", less is better";
  return drawn({
    width,
    height: spreadHeight(spread),
    marginLeft: left, marginRight: 12, marginTop: 6, marginBottom: 38,
    x: { domain, grid: true, ...below(spread.quantity.label + better, width, width - left), labelArrow: "none", ...ticked(width - left, domain[1]) },
    y: {
      type: "linear", domain: [rows.length - 0.5, -0.5], label: null, tickSize: 0, ticks: rows.map((_, i) => i),
      tickFormat: (i: number) => short(rows[i]?.name ?? "", Math.floor((left - 12) / LETTER)),
    },
    marks: around ? [Plot.ruleX([0], { stroke: "var(--soft)" }), ...marks] : marks,
  }, `${spread.quantity.label} over the seeds; the numbers are in the table below`);
}

export const tradeoffHeight = proportional(0.6, 220, 340);

/** The price of one quantity in another. The first variant has the mark of the number `first`. */
export function tradeoffChart(of: Tradeoff, names: readonly string[], width: number, first = 0): SVGSVGElement {
  const all = of.points.flat();
  const domain = extent(all.map(([x]) => x), of.means.map(([x]) => x));
  const top = extent(all.map(([, y]) => y), of.means.map(([, y]) => y))[1];
  const marks: Plot.Markish[] = [];
  of.points.forEach((points, variant) => {
    const mark = first + variant;
    const fill = colourName(mark);
    const className = `k${mark}`;
    const name = names[variant] ?? "";
    marks.push(Plot.dot(points, { x: "0", y: "1", r: 2, fill, fillOpacity: 0.55, className, title: (p: readonly number[]) => `${name}: ${withUnit(plain(p[0] ?? 0), of.x.unit)}, ${withUnit(plain(p[1] ?? 0), of.y.unit)}` }));
    const [x, y] = of.means[variant] ?? [null, null];
    if (!x || !y) return;
    if (x[1] !== null) marks.push(Plot.ruleY([0], { ...bar(x[0] - x[1], x[0] + x[1], domain), y: y[0], stroke: fill, strokeWidth: 1.5, className }));
    if (y[1] !== null) marks.push(Plot.ruleX([0], { y1: Math.max(0, y[0] - y[1]), y2: Math.min(top, y[0] + y[1]), x: x[0], stroke: fill, strokeWidth: 1.5, marker: "tick", className }));
    const title = `${name}: ${withUnit(plain(x[0]), of.x.unit)}, ${withUnit(plain(y[0]), of.y.unit)}`;
    marks.push(Plot.dot([0], { x: x[0], y: y[0], r: 5.5, symbol: symbol(mark), fill, stroke: "var(--paper)", strokeWidth: 1, className, title: () => title }));
  });
  return drawn({
    width,
    height: tradeoffHeight(width),
    marginLeft: 48, marginRight: 12, marginTop: 26, marginBottom: 40,
    x: { domain, grid: true, ...below(of.x.label, width, width - 60), labelArrow: "none", ticks: Math.max(3, Math.floor(width / 90)) },
    y: { domain: [0, top], grid: true, label: fitting(`${of.y.label}; better: up and to the left`, width), labelAnchor: "top", labelArrow: "none", ticks: 5 },
    marks,
  }, `${of.y.label} against ${of.x.label}; the numbers are in the table below`);
}

export const distributionHeight = proportional(0.5, 200, 300);

/** The share of a whole at or below each value, a curve for each variant. */
export function distributionChart(of: Distribution, names: readonly string[], width: number): SVGSVGElement {
  const marks: Plot.Markish[] = [];
  const tips: { x: number; y: number; variant: number }[] = [];
  of.curves.forEach((curve, variant) => {
    if (curve.values.length === 0) return;
    const points = Array.from(curve.values, (x, i) => ({ x, y: 100 * (curve.shares[i] ?? 0), variant }));
    tips.push(...points);
    const dashes = dash(variant);
    marks.push(Plot.line(points, { x: "x", y: "y", stroke: colourName(variant), strokeWidth: 1.6, className: `k${variant}`, ...(dashes ? { strokeDasharray: dashes.join(" ") } : {}) }));
    const places = points.filter((_, i) => i % 50 === 10 + ((variant * 7) % 40));
    marks.push(Plot.dot(places, { x: "x", y: "y", r: 3.6, symbol: symbol(variant), fill: colourName(variant), stroke: "var(--paper)", strokeWidth: 1, className: `k${variant}` }));
  });
  marks.push(
    Plot.tip(tips, Plot.pointer({
      x: "x", y: "y", fill: "var(--paper)", stroke: "var(--soft)", pointerSize: 0,
      title: (p: { x: number; y: number; variant: number }) => `${names[p.variant] ?? ""}\n${withUnit(plain(p.y), "%")} of the ${of.of}: ${withUnit(plain(p.x), of.quantity.unit)} or less`,
    })),
  );
  return drawn({
    width,
    height: distributionHeight(width),
    marginLeft: 48, marginRight: 14, marginTop: 26, marginBottom: 40,
    x: { grid: true, nice: true, ...below(of.quantity.label, width, width - 60), labelArrow: "none", ticks: Math.max(3, Math.floor(width / 80)) },
    y: { domain: [0, 100], grid: true, label: fitting(`share of the ${of.of} at or below (%)`, width), labelAnchor: "top", labelArrow: "none", ticks: 5 },
    marks,
  }, `Distribution of ${of.quantity.label}; quantiles are in the table below`);
}

/** The segments that a sender sent for a while, and the ACKs that it heard. */
export interface Sequence {
  readonly from: number;
  readonly until: number;
  /** Time, number, and its state: 1 if it was sent before, 2 if it never arrived, 3 if both. */
  readonly sent: readonly (readonly [time_s: number, number: number, state: number])[];
  /** Time, and the next number that the receiver expects. */
  readonly acks: readonly (readonly [time_s: number, next: number])[];
}

const SENT = ["sent", "sent again", "lost", "sent again, and lost"] as const;

export const sequenceHeight = proportional(0.55, 220, 360);

/** A time-sequence diagram: a dot for each segment sent, and the line of what is acknowledged. */
export function sequenceChart(of: Sequence, variant: number, name: string, width: number): SVGSVGElement {
  const fill = colourName(variant);
  const className = `k${variant}`;
  const acked = [...of.acks.map(([x, y]) => ({ x, y })), { x: of.until, y: of.acks[of.acks.length - 1]?.[1] ?? 0 }];
  // Many side by side would be one stroke.
  const size = of.sent.filter(([, , state]) => state !== 0).length > 60 ? 2.2 : 4;
  const title = ([time, number, state]: Sequence["sent"][number]): string => `segment ${number} at ${withUnit(time.toFixed(4), "s")}: ${SENT[state] ?? ""}`;
  const dots = (states: readonly number[], look: Plot.DotOptions): Plot.Markish =>
    Plot.dot(of.sent.filter(([, , state]) => states.includes(state)), { x: "0", y: "1", className, title, ...look });
  return drawn({
    width,
    height: sequenceHeight(width),
    marginLeft: 58, marginRight: 14, marginTop: 26, marginBottom: 40,
    x: { domain: [of.from, of.until], grid: true, label: "time (s)", labelAnchor: "center", labelArrow: "none", ticks: Math.max(3, Math.floor(width / 90)) },
    y: { grid: true, nice: true, label: "segment", labelAnchor: "top", labelArrow: "none", ticks: 5 },
    marks: [
      ...(of.acks.length > 0 ? [Plot.line(acked, { x: "x", y: "y", curve: "step-after", stroke: "var(--soft)", strokeWidth: 1.3 })] : []),
      dots([0], { r: 1.8, fill }),
      dots([1], { r: size, symbol: "triangle", fill: "var(--paper)", stroke: fill, strokeWidth: 1.6 }),
      dots([2, 3], { r: size, symbol: "times", stroke: "var(--ink)", strokeWidth: 2 }),
    ],
  }, `Segments and ACKs of ${name} around its first loss; the numbers are in the table below`);
}

/** An axis of a sweep. */
export interface SweepAxis {
  readonly name: string;
  readonly labels: readonly string[];
  /** For each value a place, from 0 to 100. */
  readonly places: readonly number[];
}

/** A place of a sweep, for one quantity. */
export interface SweepPlace {
  readonly at: readonly number[];
  readonly cells: readonly { readonly variant: number; readonly mean: Mean; readonly values: readonly number[] }[];
  readonly leader: number | null;
  /** It leads beyond chance and by more than the bound. */
  readonly sure: boolean;
  /** The timelines of this setting, if it was drawn. */
  readonly sheet: number | null;
}

export interface SweepQuantity {
  readonly quantity: Quantity;
  readonly better: "higher" | "lower";
  /** The least and the largest value that it can have; null if there is none. */
  readonly range: readonly [number | null, number | null];
  readonly places: readonly SweepPlace[];
}

/** A place in words: `loss 1 %, rtt 40 ms`. */
export const placeName = (axes: readonly SweepAxis[], at: readonly number[]): string =>
  axes.map((axis, i) => `${axis.name} ${axis.labels[at[i] ?? 0] ?? ""}`).join(", ");

/** A dot of a line of a sweep. */
export interface SweepDot {
  readonly place: SweepPlace;
  readonly x: number;
  readonly y: number;
  readonly low: number;
  readonly high: number;
  readonly label: string;
}

/** The dots of a variant along the axis: an axis need not name its values in their order. */
export function sweepDots(axis: SweepAxis, of: SweepQuantity, variant: number): SweepDot[] {
  const dots = of.places.flatMap((place): SweepDot[] => {
    const cell = place.cells.find((one) => one.variant === variant);
    const [at = 0] = place.at;
    if (!cell) return [];
    const [mean, half] = cell.mean;
    const [least, most] = of.range;
    const low = Math.max(least ?? -Infinity, mean - (half ?? 0));
    const high = Math.min(most ?? Infinity, mean + (half ?? 0));
    return [{ place, x: axis.places[at] ?? 0, y: mean, low, high, label: axis.labels[at] ?? "" }];
  });
  return dots.sort((a, b) => a.x - b.x);
}

export const linesHeight = proportional(0.5, 220, 360);

/** A sweep over one parameter: a line for each variant, its interval as a band. */
export function sweepLines(axis: SweepAxis, of: SweepQuantity, names: readonly string[], width: number): SVGSVGElement {
  const marks: Plot.Markish[] = [];
  const whiskers: Plot.Markish[] = [];
  names.forEach((name, variant) => {
    const points = sweepDots(axis, of, variant);
    const className = `k${variant}`;
    const dashes = dash(variant);
    whiskers.push(Plot.areaY(points, { x: "x", y1: "low", y2: "high", fill: colourName(variant), fillOpacity: 0.15, className }));
    marks.push(
      Plot.line(points, { x: "x", y: "y", stroke: colourName(variant), strokeWidth: 1.6, className, ...(dashes ? { strokeDasharray: dashes.join(" ") } : {}) }),
      Plot.dot(points, {
        x: "x", y: "y", r: 4.2, symbol: symbol(variant), fill: colourName(variant), stroke: "var(--paper)", strokeWidth: 1, className,
        title: (p: SweepDot) => `${name}, ${axis.name} ${p.label}: ${withUnit(`${plain(p.y)} (${plain(p.low)} to ${plain(p.high)})`, of.quantity.unit)}`,
      }),
    );
  });
  const step = Math.max(1, Math.ceil((axis.labels.length * Math.max(...axis.labels.map((label) => 7 * label.length + 12))) / (width - 60)));
  const ticks = axis.places.filter((_, i) => i % step === 0);
  return drawn({
    width,
    height: linesHeight(width),
    marginLeft: 48, marginRight: 18, marginTop: 26, marginBottom: 40,
    x: { domain: [Math.min(...axis.places) - 4, Math.max(...axis.places) + 4], label: fitting(axis.name, width - 60), labelAnchor: "center", labelArrow: "none", ticks, tickFormat: (place: number) => axis.labels[axis.places.indexOf(place)] ?? "" },
    y: { zero: true, nice: true, grid: true, label: fitting(of.quantity.label, width), labelAnchor: "top", labelArrow: "none", ticks: 5 },
    marks: [...whiskers, ...marks],
  }, `${of.quantity.label} over ${axis.name}; the numbers are in the table below`);
}

function mapSizes([across, upward]: readonly [SweepAxis, SweepAxis], width: number): { left: number; cell: number; height: number } {
  const left = Math.min(Math.floor(0.3 * width), 26 + Math.ceil(LETTER * Math.max(...upward.labels.map((label) => label.length))));
  const cell = Math.min(96, (width - left - 10) / across.labels.length);
  return { left, cell, height: Math.min(36, Math.max(22, cell)) * upward.labels.length + 62 };
}

export const mapHeight = (axes: readonly [SweepAxis, SweepAxis], width: number): number => mapSizes(axes, width).height;

/** A sweep over two parameters: a map of who leads, and how high its mean is. */
export function sweepMap(axes: readonly [SweepAxis, SweepAxis], of: SweepQuantity, width: number): SVGSVGElement {
  const [across, upward] = axes;
  const places = of.places;
  const columns = across.labels.length;
  const rows = upward.labels.length;
  const { left, cell, height } = mapSizes(axes, width);
  const letters = Math.floor(cell / LETTER);
  const number = (place: SweepPlace): string => {
    const led = place.cells.find((one) => one.variant === place.leader);
    return led && cell >= 44 ? plain(led.mean[0]) : "";
  };
  return drawn({
    width: left + cell * columns + 10,
    height,
    marginLeft: left, marginRight: 10, marginTop: 22, marginBottom: 40,
    x: { type: "band", domain: across.labels.map((_, i) => i), padding: 0.04, label: fitting(across.name, cell * columns), labelAnchor: "center", labelArrow: "none", tickSize: 0, tickFormat: (i: number) => short(across.labels[i] ?? "", letters) },
    y: { type: "band", domain: upward.labels.map((_, i) => rows - 1 - i), padding: 0.06, label: fitting(upward.name, width), labelAnchor: "top", labelArrow: "none", tickSize: 0, tickFormat: (i: number) => short(upward.labels[i] ?? "", Math.floor((left - 14) / LETTER)) },
    marks: [
      Plot.cell(places, {
        x: (p: SweepPlace) => p.at[0], y: (p: SweepPlace) => p.at[1], className: "places",
        fill: (p: SweepPlace) => (p.leader === null ? "var(--veil)" : colourName(p.leader)),
        fillOpacity: (p: SweepPlace) => (p.leader === null ? 1 : p.sure ? 0.55 : 0.18),
      }),
      ...[...new Set(places.map((p) => p.leader))].filter((v): v is number => v !== null).map((variant) =>
        Plot.dot(places.filter((p) => p.leader === variant), {
          x: (p: SweepPlace) => p.at[0], y: (p: SweepPlace) => p.at[1], dx: cell >= 44 ? -cell / 2 + 14 : 0, r: 3.6,
          symbol: symbol(variant), fill: "var(--ink)", pointerEvents: "none",
        })),
      Plot.text(places, { x: (p: SweepPlace) => p.at[0], y: (p: SweepPlace) => p.at[1], dx: 8, text: number, fill: "var(--ink)", fontSize: FONT, pointerEvents: "none" }),
    ],
    color: { type: "identity" },
    opacity: { type: "identity" },
  }, `Leader in ${of.quantity.name} over ${across.name} and ${upward.name}`);
}
