/** The part about seeds: one quantity against another, and each quantity over the seeds. */

import {
  distributionChart, distributionHeight, sequenceChart, sequenceHeight, spreadChart, spreadHeight, Still, tradeoffChart, tradeoffHeight,
  type Chart, type Distribution, type Mean, type Sequence, type Spread, type Tradeoff,
} from "../charts/plots";
import { element } from "../page/dom";
import { plain, within, withUnit, type Range } from "../page/number";
import { numbers, type TableText } from "../page/table";
import type { Figures } from "./data";

/** A chart with its caption and the table behind it. */
export function figure(caption: string, chart: Chart, behind: () => TableText): HTMLElement {
  const host = element("div", { class: "chart" });
  new Still(host, chart);
  return element("figure", {}, element("figcaption", {}, caption), host, numbers(behind).element);
}

export const capital = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);

/** Neither goodput nor delay is below zero. */
const POSITIVE: Range = [0, null];

const mean = (of: Mean | null | undefined, range: Range): string => (of ? within(of, range) : "\u2013");

/** Words for the head of a column, with the unit of its numbers. */
export const headed = (words: string, unit: string): string => (unit === "" ? words : `${words} (${unit})`);

/** The seeds that any row has, in the order of their numbers: texts of digits. */
function seedsOf(spread: Spread): string[] {
  const all = new Set(spread.rows.flatMap((row) => row.seeds ?? []));
  return [...all].sort((a, b) => a.length - b.length || (a < b ? -1 : 1));
}

/**
 * Rows that are of this kind, and a column for each seed; a run that failed has no value. `letter` tells two
 * experiments on one page apart.
 */
export function spreadTable(spread: Spread, kind: string, letter = ""): TableText {
  const { unit, label } = spread.quantity;
  const all = seedsOf(spread);
  return {
    caption: `${letter}${label}: mean with its 95 % confidence, and the value under each seed`,
    head: [kind, headed("mean \u00b1 95\u00a0% confidence", unit), ...all.map((seed) => headed(`seed ${seed}`, unit))],
    rows: spread.rows.map((row) => {
      const bySeed = new Map(row.seeds?.map((seed, i) => [seed, row.values[i]]));
      return [row.name, mean(row.mean, spread.range), ...all.map((seed) => {
        const value = bySeed.get(seed);
        return value === undefined ? "\u2013" : plain(value);
      })];
    }),
  };
}

export const spreadFigure = (spread: Spread, around: boolean, kind: string, letter = ""): HTMLElement =>
  figure(capital(spread.quantity.name), {
    height: () => spreadHeight(spread),
    draw: (width) => spreadChart(spread, width, around),
  }, () => spreadTable(spread, kind, letter));

export function tradeoffFigure(of: Tradeoff, variants: readonly string[], kind: string, letter = "", first = 0): HTMLElement {
  return figure("What a goodput costs in delay", { height: tradeoffHeight, draw: (width) => tradeoffChart(of, variants, width, first) }, () => ({
    caption: `${letter}${of.x.label} and ${of.y.label}: means with their 95 % confidence`,
    head: [kind, ...[of.x, of.y].map(({ name, unit }) => headed(`${name}, mean \u00b1 95\u00a0% confidence`, unit))],
    rows: of.means.map(([x, y], i) => [variants[i] ?? "", mean(x, POSITIVE), mean(y, POSITIVE)]),
  }));
}

const SHARES = [0.05, 0.25, 0.5, 0.75, 0.95, 0.99, 1];

/** The least value that a share of the whole does not exceed. */
export function quantile(curve: Distribution["curves"][number], share: number): number | undefined {
  for (let i = 0; i < curve.shares.length; i++) if ((curve.shares[i] ?? 0) >= share - 1e-3) return curve.values[i];
  return curve.values[curve.values.length - 1];
}

export function distributionFigure(of: Distribution, variants: readonly string[], kind: string): HTMLElement {
  return figure(`Distribution of the ${of.quantity.name}`, { height: distributionHeight, draw: (width) => distributionChart(of, variants, width) }, () => ({
    caption: `${of.quantity.label}: the value that so many percent of the ${of.of} do not exceed`,
    head: [kind, ...SHARES.map((share) => headed(`${withUnit(100 * share, "%")} quantile`, of.quantity.unit))],
    rows: of.curves.map((curve, i) => [
      variants[i] ?? "",
      ...SHARES.map((share) => {
        const value = quantile(curve, share);
        return value === undefined ? "\u2013" : plain(value);
      }),
    ]),
  }));
}

/** The segments that were lost or sent again: all of them. */
export function sequenceTable(of: Sequence, name: string): TableText {
  return {
    caption: `Segments of ${name} that were lost or sent again from ${plain(of.from, 4)} to ${withUnit(plain(of.until, 4), "s")}`,
    head: ["segment", "sent at (s)", "fate"],
    words: ["fate"],
    rows: of.sent.filter(([, , state]) => state !== 0).map(([time, number, state]) =>
      [String(number), time.toFixed(4), ["", "sent again", "lost", "sent again and lost"][state] ?? ""]),
  };
}

/** The segments of one variant's first flow around its first loss. */
export function sequenceFigure(of: Sequence, variant: number, name: string): HTMLElement {
  return figure(name, { height: sequenceHeight, draw: (width) => sequenceChart(of, variant, name, width) }, () => sequenceTable(of, name));
}

/** The same rows with the marks from the number `first` on. */
const marked = (spread: Spread, first: number): Spread => ({ ...spread, rows: spread.rows.map((row) => ({ ...row, variant: first + row.variant })) });

/** The part: all figures. `letter` tells two experiments on one page apart, and so do the marks from `first` on. */
export function seeds(section: HTMLElement, { tradeoff, spreads, variants, kind }: Figures, letter = "", first = 0): void {
  const gallery = element("div", { class: "gallery live" });
  if (tradeoff) gallery.append(tradeoffFigure(tradeoff, variants, kind, letter, first));
  for (const spread of spreads) gallery.append(spreadFigure(marked(spread, first), false, kind, letter));
  section.append(gallery);
}
