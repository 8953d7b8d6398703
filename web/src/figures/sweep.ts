/** The part about a sweep: a map or lines for the chosen quantity, and a place of it looked at closely. */

import { linesHeight, mapHeight, placeName, spreadChart, spreadHeight, Still, sweepDots, sweepLines, sweepMap, type SweepAxis, type SweepPlace, type SweepQuantity } from "../charts/plots";
import { choice, element } from "../page/dom";
import { plain, unbroken, within, withUnit } from "../page/number";
import { table } from "../page/table";
import type { Swept } from "./data";
import { headed } from "./seeds";

/** The page around the part. */
export interface Around {
  readonly variants: readonly string[];
  /** The kind of those, in a word: `controller`. */
  readonly kind: string;
  /** It tells two experiments on one page apart: `A: `. */
  readonly letter?: string;
  /** The ways from a place that is looked at closely to what else the page has of it. */
  readonly ways: (place: SweepPlace) => readonly Node[];
  /** Called as a place is chosen. */
  readonly looked?: (place: SweepPlace) => void;
  /** The quantity that is shown at first, by its name, and a call as the reader chooses another. */
  readonly first?: string | undefined;
  readonly picked?: (quantity: string) => void;
  /** The name of the list of quantities, which no other list of the page has; `metric` without it. */
  readonly id?: string;
}

/** Makes the part. */
export function sweep(section: HTMLElement, swept: Swept, around: Around): void {
  const { variants } = around;
  const still = [...section.querySelectorAll<HTMLElement>(".metric")];
  const closer = element("div", { class: "closer live" });
  // The name alone is spoken: the chart and the table of a place are read by whoever goes there.
  const heard = element("p", { class: "unseen live", role: "status" });
  let chosen: string | null = null;
  const look = (metric: SweepQuantity, place: SweepPlace, chart: SVGSVGElement): void => {
    chosen = place.at.join();
    for (const cell of chart.querySelectorAll("[data-at]")) cell.classList.toggle("chosen", cell.getAttribute("data-at") === chosen);
    closer.replaceChildren(...closely(swept, metric, place, around));
    around.looked?.(place);
    heard.textContent = `Below: ${unbroken(`${metric.quantity.label} at ${placeName(swept.axes, place.at)}`)}`;
  };
  swept.metrics.forEach((metric, i) => {
    const host = element("div", { class: "chart" });
    const figure = element("figure", { class: "live" }, host);
    still[i]?.prepend(figure);
    const [across, upward] = swept.axes;
    if (!across) throw new Error("a sweep without an axis");
    const draw = (width: number): SVGSVGElement => {
      const chart = upward ? sweepMap([across, upward], metric, width) : sweepLines(across, metric, variants, width);
      if (upward) places(chart, swept, metric, (place) => { look(metric, place, chart); }, chosen, variants);
      else dots(chart, across, metric, (place) => { look(metric, place, chart); }, chosen, variants);
      return chart;
    };
    new Still(host, { height: (width) => (upward ? mapHeight([across, upward], width) : linesHeight(width)), draw });
  });
  const pick = (at: number): void => { still.forEach((one, i) => { one.hidden = i !== at; }); };
  const first = Math.max(0, swept.metrics.findIndex((metric) => metric.quantity.id === around.first));
  pick(first);
  if (swept.metrics.length > 1) {
    const { label, select } = choice(around.id ?? "metric", "Quantity", swept.metrics.map((metric) => metric.quantity.label), (at) => {
      pick(at);
      around.picked?.(swept.metrics[at]?.quantity.id ?? "");
    });
    select.selectedIndex = first;
    still[0]?.before(element("p", { class: "chooser live" }, label, " ", select));
  }
  const hint = swept.axes.length > 1
    ? `Full colour leads beyond chance and by more than ${withUnit(plain(swept.practical_percent), "%")}, pale just leads. Click a place, or go there by the arrow keys and press Enter, to see its runs.`
    : "Click a point, or go there by the arrow keys and press Enter, to see its runs.";
  section.append(element("p", { class: "notes live" }, hint), heard, closer);
}

/** Cells that are clicked, or reached by arrow keys. */
function places(chart: SVGSVGElement, swept: Swept, metric: SweepQuantity, look: (place: SweepPlace) => void, chosen: string | null, variants: readonly string[]): void {
  const cells = [...chart.querySelectorAll<SVGRectElement>(".places rect, rect.places")];
  const group = cells[0]?.parentElement;
  // A map whose places take the focus is not announced as one picture.
  chart.setAttribute("role", "group");
  const at = new Map<string, SVGRectElement>();
  metric.places.forEach((place, i) => {
    const cell = cells[i];
    if (!cell) return;
    const led = place.cells.find((one) => one.variant === place.leader);
    const says = led ? `${variants[led.variant] ?? ""} ${place.sure ? "clearly leads" : "leads"} with ${withUnit(within(led.mean, metric.range), metric.quantity.unit)}` : "not measured";
    at.set(place.at.join(), cell);
    cell.setAttribute("data-at", place.at.join());
    cell.setAttribute("role", "button");
    cell.setAttribute("tabindex", i === 0 ? "0" : "-1");
    cell.classList.toggle("chosen", chosen === place.at.join());
    const title = document.createElementNS("http://www.w3.org/2000/svg", "title");
    const all = place.cells.map((one) => `${variants[one.variant] ?? ""} ${withUnit(within(one.mean, metric.range), metric.quantity.unit)}`);
    title.textContent = [`${placeName(swept.axes, place.at)}: ${says}`, ...all].join("\n");
    cell.append(title);
    cell.addEventListener("click", () => { reach(cell); look(place); });
    cell.addEventListener("keydown", (event) => {
      if (event.key === "Enter" || event.key === " ") {
        event.preventDefault();
        look(place);
        return;
      }
      const step = STEPS[event.key];
      if (!step) return;
      event.preventDefault();
      const [x = 0, y = 0] = place.at;
      // Places that were not measured are stepped over.
      for (let [i, j] = [x + step[0], y + step[1]]; i >= 0 && j >= 0 && i < 1000 && j < 1000; i += step[0], j += step[1]) {
        const there = at.get([i, j].join());
        if (there) {
          reach(there);
          return;
        }
      }
    });
  });
  const reach = (cell: SVGRectElement): void => {
    for (const other of cells) other.setAttribute("tabindex", other === cell ? "0" : "-1");
    cell.focus();
  };
  group?.removeAttribute("aria-hidden");
}

const STEPS: Readonly<Record<string, readonly [number, number]>> = {
  ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1],
};

/** Points of lines that are clicked, or reached by arrow keys. */
function dots(chart: SVGSVGElement, axis: SweepAxis, metric: SweepQuantity, look: (place: SweepPlace) => void, chosen: string | null, variants: readonly string[]): void {
  // A chart whose points take the focus is not announced as one picture.
  chart.setAttribute("role", "group");
  const lines = variants.map((_, variant) => {
    const drawn = chart.querySelectorAll<SVGElement>(`.k${variant} path[transform]`);
    return sweepDots(axis, metric, variant).flatMap(({ place, x }, i) => {
      const dot = drawn[i];
      return dot ? [{ dot, place, x }] : [];
    });
  }).filter((line) => line.length > 0);
  const all = lines.flat();
  const reach = (dot: SVGElement): void => {
    for (const other of all) other.dot.setAttribute("tabindex", other.dot === dot ? "0" : "-1");
    dot.focus();
  };
  lines.forEach((line, number) => {
    line.forEach(({ dot, place, x }, i) => {
      dot.setAttribute("data-at", place.at.join());
      dot.setAttribute("role", "button");
      dot.setAttribute("tabindex", dot === all[0]?.dot ? "0" : "-1");
      dot.classList.toggle("chosen", chosen === place.at.join());
      dot.addEventListener("click", () => { reach(dot); look(place); });
      dot.addEventListener("keydown", (event) => {
        if (event.key === "Enter" || event.key === " ") {
          event.preventDefault();
          look(place);
          return;
        }
        const [along, across] = STEPS[event.key] ?? [0, 0];
        if (along === 0 && across === 0) return;
        event.preventDefault();
        // Up and down lead to the same setting on another line, if it was measured there.
        const there = along === 0 ? lines[number - across]?.find((one) => one.x === x) : line[i + along];
        if (there) reach(there.dot);
      });
    });
  });
}

/** A place: every variant's mean and seeds, and the ways on from it. */
function closely(swept: Swept, metric: SweepQuantity, place: SweepPlace, { variants, kind, letter = "", ways }: Around): Node[] {
  const name = placeName(swept.axes, place.at);
  const rows = place.cells.map(({ variant, mean, values }) => ({ name: variants[variant] ?? "", variant, mean, values, quartiles: null }));
  const spread = { quantity: metric.quantity, better: metric.better, range: metric.range, rows };
  const host = element("div", { class: "chart" });
  new Still(host, { height: () => spreadHeight(spread), draw: (width) => spreadChart(spread, Math.min(width, 544)) });
  const text = table({
    caption: `${letter}${metric.quantity.label} at ${name}`,
    head: [kind, ...["mean \u00b1 95\u00a0% confidence", "lowest of the seeds", "highest of the seeds"].map((words) => headed(words, metric.quantity.unit))],
    rows: rows.map((row) => [row.name, within(row.mean, metric.range), plain(Math.min(...row.values)), plain(Math.max(...row.values))]),
  });
  return [element("h3", {}, unbroken(`${metric.quantity.label} at ${name}`)), host, text, ...ways(place)];
}
