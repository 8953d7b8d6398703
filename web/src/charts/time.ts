/**
 * Charts over time that move together: one zoom, one pointer, and the values and causes there.
 *
 * A view draws panels with uPlot, one for all variants or, apart, one for each. Curves share one axis of
 * time; {@link columnsOf} puts records that come at times of their own onto one.
 */

import uPlot from "uplot";
import { element } from "../page/dom";
import { plain, span, withUnit } from "../page/number";
import { numbers, type TableText } from "../page/table";
import { style } from "../page/theme";
import { causeOf, lastBefore, type Change } from "./causes";
import { axisOf } from "./columns";
import { colour, markOf, outline, sampleOf } from "./palette";
import { Turn } from "./turns";

/** Values along the axis of time; `null` where there is none. */
export type Values = ArrayLike<number | null>;

export interface Curve {
  readonly variant: number;
  /** Its own name, where it is not of its variant alone: a link that several share. */
  readonly name?: string | undefined;
  /** The quantity, beside its variant's name: `ssthresh`. */
  readonly label: string;
  /** The curve that one looks for, a companion of it (dotted), or another flow (grey). */
  readonly role: "main" | "companion" | "other";
  readonly values: Values;
  /** The edges of the pale band around it. */
  readonly band?: readonly [Values, Values] | undefined;
}

export interface TimePanel {
  readonly heading: string;
  readonly unit: string;
  readonly curves: readonly Curve[];
  /** Horizontal lines with their names. */
  readonly references: readonly (readonly [string, number])[];
  /** The axis ends here until a reader wants to see what was higher before measuring began. */
  readonly clip?: number | null;
  /** A chart for each variant even where the others lie over each other. */
  readonly apart?: boolean;
  /** The causes of changes stand below, and reductions have crosses. */
  readonly causes?: boolean;
  /** For each variant the times of losses, drawn as ticks at the top. */
  readonly losses?: readonly Iterable<number>[] | undefined;
}

export interface TimeData {
  /** The axis of time, in seconds; two for each column where curves are envelopes. */
  readonly times: Float64Array;
  /** Curves are envelopes: the lowest and the highest value of each column, in their order of time. */
  readonly paired: boolean;
  readonly end: number;
  readonly warmup: number;
  readonly panels: readonly TimePanel[];
  /**
   * The values of a curve in as many columns of a part of the time, where more is known than all columns of
   * the whole show. The charts of an enlarged span then have as many columns as those of the whole.
   */
  readonly closer?: ((curve: Curve, from: number, to: number) => Values) | undefined;
  /** For each variant the changes of its first window, in order of time. */
  readonly changes: readonly (readonly Change[])[];
  readonly causes: readonly string[];
}

export interface TimeOptions {
  readonly variants: readonly string[];
  readonly isOn: (variant: number) => boolean;
  /** Hears where the pointer is and which span is shown, in words. */
  readonly say: (words: string) => void;
  /** Hears the span that is shown; `null` for all of it. */
  readonly onZoom?: (range: readonly [number, number] | null) => void;
  /** Hears the moment that a reader points at. */
  readonly onPoint?: (time: number) => void;
}

interface Drawn {
  readonly section: HTMLElement;
  readonly plot: HTMLElement;
  readonly turn: Turn;
  /** The chart, once it has been drawn. */
  u: uPlot | undefined;
  /** The axis of time of what the chart has drawn. */
  axis: Float64Array | undefined;
  panel: TimePanel;
  curves: readonly Curve[];
  readonly variant: number | undefined;
  /** The rows beside the chart, each with the place of its curve. */
  readonly cells: readonly { readonly item: HTMLElement; readonly value: HTMLElement; readonly curve: number }[];
  readonly list: HTMLElement | undefined;
  readonly clip: HTMLElement | undefined;
  /** Makes the table of the numbers anew if it is open. */
  readonly renew: () => void;
}

/** An enlarged span on the axis of time: columns of its own, and those of the whole before and after it. */
interface Closer {
  readonly span: readonly [number, number];
  readonly times: Float64Array;
  /** So many places of the whole stand before it, and those from the second number on after it. */
  readonly before: number;
  readonly after: number;
  readonly values: Map<Curve, Values>;
}

/** The shortest span where there are finer columns, in seconds: that of eight packets at 1 Gbit/s. */
const LEAST_SPAN_S = 1e-4;
/** More rows beside a chart than these are a table's work. */
const MOST_ROWS = 16;
/** Milliseconds from the last key until the place is spoken: a held key is one message. */
const HEARD_REST_MS = 400;
/** More values than these are a table's work for those who hear them. */
const MOST_HEARD = 8;
/** Stands for a value that is not there, and between the lowest and the highest of a column. */
const NO_VALUE = "\u2013";
/** Several curves of one variant in a chart of its own differ in their dashes. */
const OWN_DASHES: readonly (number[] | undefined)[] =
  [undefined, [7, 3], [2, 2], [9, 3, 2, 3], [4, 2], [12, 3], [2, 5], [6, 2, 2, 2, 2, 2]];

export class TimeView {
  #drawn: Drawn[] = [];
  #data: TimeData;
  #range: readonly [number, number] | null = null;
  #closer: Closer | undefined;
  /** The moment of the pointer. */
  #at: number | null = null;
  #busy = false;
  #marked: number | null = null;
  #whole = false;
  /** The width of the charts, which is read once: each reading after a change lays out the page anew. */
  #width: number | undefined;
  readonly #widths: ResizeObserver;
  /** The place that keys have led to, for screen readers. A pointer says nothing: its values are for eyes. */
  readonly #heard = element("p", { class: "unseen", role: "status" });
  #hearing: ReturnType<typeof setTimeout> | undefined;

  constructor(
    readonly host: HTMLElement,
    data: TimeData,
    readonly options: TimeOptions,
    /** A chart for each variant in every panel. */
    readonly apart = false,
  ) {
    this.#data = data;
    host.append(this.#heard);
    for (const [panel, variant] of this.#charts(data)) this.#drawn.push(this.#chart(panel, variant));
    this.#widths = new ResizeObserver(() => {
      // All charts are equally wide, but those that are hidden.
      const width = Math.max(0, ...this.#drawn.map(({ plot }) => plot.clientWidth));
      if (width === 0 || width === this.#width) return;
      this.#width = width;
      this.redraw();
    });
    for (const { plot } of this.#drawn) this.#widths.observe(plot);
    this.show();
  }

  /** The panels of the charts, with the variant of those that have one alone. */
  #charts(data: TimeData): [TimePanel, number | undefined][] {
    return data.panels.flatMap((panel) => {
      const own = panel.apart === true || this.apart;
      const variants = own ? [...new Set(panel.curves.map((curve) => curve.variant))] : [undefined];
      return variants.map((variant): [TimePanel, number | undefined] => [panel, variant]);
    });
  }

  get data(): TimeData {
    return this.#data;
  }

  /** Shows other values of the same curves, as they grow; false if the curves are others. */
  update(data: TimeData): boolean {
    const charts = this.#charts(data);
    const same = charts.length === this.#drawn.length && charts.every(([panel, variant], i) => {
      const chart = this.#drawn[i];
      return chart !== undefined && chart.variant === variant && sameCurves(chart, panel, curvesOf(panel, variant));
    });
    if (!same) return false;
    this.#data = data;
    charts.forEach(([panel, variant], i) => {
      const chart = this.#drawn[i];
      if (chart) [chart.panel, chart.curves] = [panel, curvesOf(panel, variant)];
    });
    this.#look();
    this.redraw();
    this.#readouts();
    for (const { renew } of this.#drawn) renew();
    return true;
  }

  /** The axis of time of what is shown. */
  get #times(): Float64Array {
    return this.#closer?.times ?? this.#data.times;
  }

  /** The place of the pointer. */
  get #cursor(): number | null {
    return this.#at === null ? null : placeOf(this.#times, this.#at);
  }

  /** Gives the shown span columns of its own, if it has any. */
  #look(): void {
    const { closer, times, end } = this.#data;
    const [range, columns] = [this.#range, times.length / 2];
    this.#closer = undefined;
    if (!closer || range === null) return;
    const [from, to] = [Math.max(0, range[0]), Math.min(end, range[1])];
    const before = 2 * Math.floor((from / end) * columns);
    const after = Math.min(times.length, 2 * Math.ceil((to / end) * columns));
    const shown = joined(times.subarray(0, before), axisOf(from, to, columns), times.subarray(after));
    this.#closer = { span: [from, to], times: Float64Array.from(shown), before, after, values: new Map() };
  }

  /** The values of a curve on the axis of what is shown, made as a chart or a reader asks for them. */
  #values(curve: Curve): Values {
    const { closer } = this.#data;
    const shown = this.#closer;
    if (!closer || !shown) return curve.values;
    const known = shown.values.get(curve);
    if (known) return known;
    const whole = Array.from(curve.values);
    const made = joined(whole.slice(0, shown.before), closer(curve, ...shown.span), whole.slice(shown.after));
    shown.values.set(curve, made);
    return made;
  }

  /** The span that is shown; `null` for all of it. */
  get range(): readonly [number, number] | null {
    return this.#range;
  }

  /** True if a panel is clipped until a reader wants its full height. */
  get clipped(): boolean {
    return this.#data.panels.some((panel) => typeof panel.clip === "number");
  }

  destroy(): void {
    clearTimeout(this.#hearing);
    this.#widths.disconnect();
    for (const { u, turn } of this.#drawn) {
      turn.end();
      u?.destroy();
    }
    this.#drawn = [];
    this.host.replaceChildren();
  }

  /** Shows those that are switched on. */
  show(): void {
    for (const { variant, section } of this.#drawn) if (variant !== undefined) section.hidden = !this.options.isOn(variant);
    this.redraw();
    this.#readouts();
  }

  /** Makes one variant stand out; all alike with `null`. */
  mark(variant: number | null): void {
    if (this.#marked === variant) return;
    this.#marked = variant;
    this.redraw();
  }

  /** Draws once more: charts in sight at once, the others as there is time. */
  redraw(): void {
    for (const { turn } of this.#drawn) turn.ask();
  }

  /** Whether axes reach what was higher before measuring began. */
  fullHeight(whole: boolean): void {
    this.#whole = whole;
    this.redraw();
    this.#say();
  }

  /** Shows a span of time in every chart. */
  follow(from: number, to: number, source: uPlot | null = null): void {
    if (source && !this.#drawn.some(({ u }) => u === source)) return;
    const [first, last] = this.#all();
    const all = from <= first && to >= last;
    // Times are no finer than their numbers.
    const short = Math.max(0, (this.#least() - (to - from)) / 2);
    const before = this.#range;
    this.#range = all ? null : [from - short, to + short];
    if (before?.join() !== this.#range?.join()) this.#tell();
    this.#look();
    this.redraw();
    this.options.onZoom?.(this.#range);
    this.#say();
  }

  all(): void {
    this.follow(...this.#all());
  }

  /** Shows a span `factor` times as long, shifted by a share of it, around the pointer. */
  zoom(factor: number, shift = 0): void {
    const [first, last] = this.#all();
    const [from, to] = this.#range ?? [first, last];
    const at = this.#at === null ? (from + to) / 2 : Math.min(to, Math.max(from, this.#at));
    const length = Math.min(last - first, Math.max((to - from) * factor, this.#least()));
    const start = at - ((at - from) / (to - from)) * length + shift * (to - from);
    const held = Math.min(Math.max(start, first), last - length);
    this.follow(held, held + length);
  }

  #time(place: number): number {
    return this.#times[Math.min(place, this.#times.length - 1)] ?? 0;
  }

  #all(): [number, number] {
    const { times } = this.#data;
    return [times[0] ?? 0, times.at(-1) ?? 0];
  }

  /** The shortest span that is shown. */
  #least(): number {
    const [first, last] = this.#all();
    const { closer, times } = this.#data;
    return Math.min(last - first, closer ? LEAST_SPAN_S : 8 * ((times[1] ?? 0) - first));
  }

  /** The pointer is at a moment, in every chart. */
  point(time: number | null, source: uPlot | null = null): void {
    if (source && !this.#drawn.some(({ u }) => u === source)) return;
    this.#at = time;
    if (time !== null) this.options.onPoint?.(time);
    for (const { u } of this.#drawn) if (u && u !== source) this.#setCursor(u);
    this.#readouts();
  }

  /** Shows in a chart where the pointer is. */
  #setCursor(u: uPlot): void {
    const time = this.#at;
    const [first, last] = this.#range ?? this.#all();
    const shown = time !== null && time >= first && time <= last;
    u.setCursor(shown ? { left: u.valToPos(time, "x"), top: 5 } : { left: -10, top: -10 }, false);
  }

  #clips(panel: TimePanel): number | null {
    return this.#range === null && !this.#whole ? (panel.clip ?? null) : null;
  }

  #chart(panel: TimePanel, variant: number | undefined): Drawn {
    const { options } = this;
    const small = variant !== undefined;
    const curves = curvesOf(panel, variant);
    const name = small ? `${panel.heading}: ${curves[0]?.name ?? options.variants[variant] ?? ""}` : panel.heading;
    const clip = typeof panel.clip === "number" ? element("small", { class: "clip" }, `, clipped at ${plain(panel.clip)}`) : undefined;
    const height = small ? 130 : panel.causes ? 230 : 170;
    const plot = element("div", {
      class: "plot", tabindex: 0, role: "application",
      "aria-label": `${name} over time; arrow keys read values, plus and minus zoom`,
    });
    const readout = element("ul", { class: "readout" });
    const list = panel.causes ? element("ul", { class: "causes" }) : undefined;
    const table = numbers(() => this.#table(made.panel, made.curves, name));
    const section = element(
      "section",
      { class: "panel", "data-variant": variant, "data-unit": panel.unit },
      element("h3", {}, name, element("small", {}, ` ${panel.unit}`), clip),
      plot, readout, list, table.element,
    );
    plot.style.minHeight = `${height}px`;
    this.host.append(section);
    const cells = this.#rows(readout, curves, small);
    const turn = new Turn(plot, () => { this.#draw(made, height); });
    const made: Drawn = { section, plot, turn, u: undefined, axis: undefined, panel, curves, variant, cells, list, clip, renew: table.renew };
    plot.addEventListener("keydown", (event) => { this.#key(event, made); });
    return made;
  }

  /** Draws a chart as everything stands now. */
  #draw(chart: Drawn, height: number): void {
    const { plot, curves } = chart;
    const width = Math.max((this.#width ??= plot.clientWidth), 100);
    const [min, max] = this.#range ?? this.#all();
    const axis = this.#times;
    const fresh = chart.axis !== axis;
    const data = (fresh ? [axis, ...curves.map((curve) => this.#values(curve)), ...curves.flatMap(({ band }) => band ?? [])] : []) as unknown as uPlot.AlignedData;
    chart.axis = axis;
    let begin: (() => void) | undefined;
    const u = (chart.u ??= new uPlot(this.#settings(chart, [width, height]), data, (made, init) => {
      plot.append(made.root);
      begin = init as () => void;
    }));
    this.#busy = true;
    // Together, so that the chart is drawn once.
    u.batch(() => {
      begin?.();
      if (fresh && !begin) u.setData(data, false);
      if (u.width !== width) u.setSize({ width, height });
      seriesOf(curves).forEach((of, i) => {
        const [series, show] = [u.series[i + 1], this.options.isOn(of)];
        if (!series) return;
        series.alpha = this.#marked === null || this.#marked === of ? 1 : 0.15;
        if (series.show !== show) u.setSeries(i + 1, { show });
      });
      u.setScale("x", { min, max });
    });
    this.#busy = false;
    u.ctx.canvas.setAttribute("aria-hidden", "true");
    plot.style.minHeight = "";
    if (begin) this.#touch(u);
    this.#setCursor(u);
  }

  #rows(readout: HTMLElement, curves: readonly Curve[], small: boolean): Drawn["cells"] {
    const cells: { item: HTMLElement; value: HTMLElement; curve: number }[] = [];
    const labels = [...new Set(curves.map((curve) => curve.label))];
    if (!small && labels.length > 1) {
      const words = labels.map((label) => element("span", { class: "value" }, label));
      readout.append(element("li", { class: "head" }, element("span", { class: "name" }), ...words));
    }
    const groups = small
      ? curves.map((curve) => [curve])
      : this.options.variants.map((_, variant) => curves.filter((curve) => curve.variant === variant));
    const rows = groups.filter((group) => group.length > 0);
    for (const group of rows.slice(0, MOST_ROWS)) {
      const [first] = group;
      if (!first) continue;
      const own = first.name ?? this.options.variants[first.variant] ?? "";
      const text = small ? first.label || own : own;
      const look = { dashes: dashesOf(first, curves, small), main: first.role === "main", grey: first.role === "other", marked: first.role === "main" && !small };
      const item = element("li", { class: first.role }, sampleOf(first.variant, look), element("span", { class: "name", title: text }, text));
      const cell = (curve: Curve): HTMLElement => {
        const value = element("span", { class: `value ${curve.role}` });
        cells.push({ item, value, curve: curves.indexOf(curve) });
        return value;
      };
      // Below the headings each value stands in its column, though a variant may lack one.
      const none = (label: string): HTMLElement[] => (group.some((curve) => curve.label === label) ? [] : [element("span", { class: "value companion" }, NO_VALUE)]);
      if (small || labels.length < 2) item.append(...group.map(cell));
      else item.append(...labels.flatMap((label) => [...group.filter((curve) => curve.label === label).map(cell), ...none(label)]));
      readout.append(item);
    }
    if (rows.length > MOST_ROWS) {
      readout.append(element("li", { class: "head" }, `and ${rows.length - MOST_ROWS} more: see the numbers`));
    }
    return cells;
  }

  #settings(chart: Drawn, [width, height]: readonly [number, number]): uPlot.Options {
    const { options } = this;
    const { curves } = chart;
    const small = chart.variant !== undefined;
    const narrow = width < 500;
    const font = `12px ${style("--sans")}`;
    const axis: uPlot.Axis = {
      stroke: () => style("--soft"),
      font,
      grid: { stroke: () => style("--grid"), width: 1 },
      ticks: { show: false },
    };
    const edges = curves.flatMap((curve) => (curve.band ? [curve.variant, curve.variant] : []));
    const pale = (variant: number): string =>
      colour(variant) + (this.#marked === null || this.#marked === variant ? "33" : "0d");
    const bands: uPlot.Band[] = [];
    for (let i = 0; i < edges.length; i += 2) {
      const at = curves.length + i;
      bands.push({ series: [at + 2, at + 1], fill: () => pale(edges[i] ?? 0) });
    }
    const number = (tick: number): string => String(Number(tick.toPrecision(10)));
    return {
      width,
      height,
      padding: [8, 18, 0, 0],
      legend: { show: false },
      cursor: { y: false, points: { show: false }, drag: { x: true, y: false, dist: 5 } },
      scales: {
        x: { time: false },
        y: {
          range: (_, low, high) => {
            const lowest = Math.min(0, Number.isFinite(low) ? low : 0);
            const clip = this.#clips(chart.panel);
            const tallest = Math.max(0, ...chart.panel.references.map(([, value]) => value));
            if (clip !== null) return [lowest, clip];
            const reached = Number.isFinite(high) ? high : 0;
            const full = this.#range === null ? Math.max(reached, tallest) : reached;
            // Above a horizontal line there is room for its name.
            const top = Math.max(1.05 * full, this.#range === null ? 1.14 * tallest : 0);
            return [lowest, top > 0 ? top : 1];
          },
        },
      },
      axes: [
        { ...axis, size: 26, gap: 4, space: 70, values: (_, ticks) => ticks.map((t, i) => number(t) + (i === ticks.length - 1 ? " s" : "")) },
        {
          ...axis,
          size: (_, labels) => Math.max(narrow ? 42 : 50, 12 + 7 * Math.max(0, ...(labels as string[] | null ?? []).map((label) => label.length))),
          gap: 4, space: 28, values: (_, ticks) => ticks.map(number),
        },
      ],
      series: [
        {},
        ...curves.map((curve): uPlot.Series => ({
          show: options.isOn(curve.variant),
          stroke: () => (curve.role === "other" ? style("--soft") : colour(curve.variant)),
          width: curve.role === "main" ? 1.3 : 1,
          ...dashed(dashesOf(curve, curves, small)),
          points: { show: false },
          spanGaps: true,
        })),
        ...edges.map((variant): uPlot.Series => ({ show: options.isOn(variant), width: 0, points: { show: false } })),
      ],
      bands,
      hooks: {
        drawClear: [(u) => { this.#veil(u, this.#data.warmup); }],
        draw: [(u) => {
          const { panel, curves } = chart;
          // The dashes of the curve that was drawn last are not those of marks.
          u.ctx.setLineDash([]);
          if (!small && curves.length <= 2 * MOST_ROWS) this.#marks(u, curves);
          if (panel.causes) this.#reductions(u, curves);
          if (panel.losses) this.#losses(u, panel.losses, curves);
          references(u, panel);
        }],
        setCursor: [(u) => { if (!this.#busy) this.point(timeAt(u, u.cursor.idx), u); }],
        setScale: [(u, key) => {
          const { min, max } = u.scales.x ?? {};
          if (key === "x" && !this.#busy && typeof min === "number" && typeof max === "number") this.follow(min, max, u);
        }],
      },
    };
  }

  /** A finger that moves sideways reads values; up and down it scrolls. */
  #touch(u: uPlot): void {
    const read = (event: PointerEvent): void => {
      if (event.pointerType === "mouse") return;
      this.point(timeAt(u, u.posToIdx(event.clientX - u.over.getBoundingClientRect().left)));
    };
    u.over.addEventListener("pointerdown", read);
    u.over.addEventListener("pointermove", read);
  }

  #key(event: KeyboardEvent, chart: Drawn): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const step = event.shiftKey ? 40 : this.#data.paired ? 2 : 1;
    const last = this.#times.length - 1;
    const [first, end] = this.#range === null ? [0, last] : placesOf(this.#times, this.#range);
    const go = (place: number): void => { this.point(this.#time(place)); };
    const act = ((): (() => void) | undefined => {
      switch (event.key) {
        case "ArrowLeft": return () => { go(Math.max(first, (this.#cursor ?? end) - step)); };
        case "ArrowRight": return () => { go(Math.min(end, (this.#cursor ?? first) + step)); };
        case "Home": return () => { go(first); };
        case "End": return () => { go(end); };
        case "+": case "=": return () => { this.zoom(0.5); };
        case "-": return () => { this.zoom(2); };
        case ",": return () => { this.zoom(1, -0.25); };
        case ".": return () => { this.zoom(1, 0.25); };
        case "0": case "Escape": return () => { this.all(); };
        default: return undefined;
      }
    })();
    if (!act) return;
    event.preventDefault();
    act();
    this.#tell(chart);
  }

  /** Lets those hear who hear the page where they are: of a chart with its values there. */
  #tell(chart?: Drawn): void {
    clearTimeout(this.#hearing);
    this.#hearing = setTimeout(() => { this.#heard.textContent = this.#heardWords(chart); }, HEARD_REST_MS);
  }

  #heardWords(chart: Drawn | undefined): string {
    const where = this.#where();
    const cursor = this.#cursor;
    const shown = this.#range === null ? [where, "all of the time is shown"].filter((words) => words !== "").join(", ") : where;
    if (!chart || cursor === null) return shown;
    const { panel, cells, curves } = chart;
    const values = cells.flatMap(({ curve }) => {
      const of = curves[curve];
      if (!of || !this.options.isOn(of.variant)) return [];
      const name = [of.name ?? this.options.variants[of.variant], of.label].filter(Boolean).join(" ");
      const value = this.#value(of, this.#values(of), cursor);
      return value === NO_VALUE ? [] : [`${name} ${withUnit(value.replaceAll(NO_VALUE, " to "), panel.unit)}`];
    });
    if (values.length === 0) values.push("no curve has a value");
    const changes = panel.causes
      ? this.#lastChanges().map(({ name, last }) => (last ? `${name} changed last at ${last.when}: ${last.why}` : `${name}: no reduction so far`))
      : [];
    return [where, ...heard(values, "values"), ...heard(changes, "causes")].join("; ");
  }

  #say(): void {
    for (const { clip, panel } of this.#drawn) if (clip) clip.hidden = this.#clips(panel) === null;
    this.options.say(this.#where());
  }

  /** Where the pointer is and which span is shown. */
  #where(): string {
    const [from, to] = this.#range ?? this.#all();
    // The moments of two columns differ in their last digit.
    const columns = this.#data.times.length / 2;
    const digits = Math.min(9, Math.max(this.#data.end >= 1 ? 2 : 4, Math.ceil(Math.log10(columns / (to - from)))));
    const time = (t: number): string => withUnit(t.toFixed(digits), "s");
    const parts: string[] = [];
    if (this.#at !== null) parts.push(`at ${time(this.#at)}`);
    if (this.#range !== null) parts.push(`showing ${time(this.#range[0])} to ${time(this.#range[1])}`);
    return parts.join(", ");
  }

  /** The value of a curve at a place: a number, or the lowest and highest of a column of time. */
  #value(curve: Curve, values: Values, place: number): string {
    if (!this.#data.paired) {
      const value = values[place];
      return typeof value === "number" ? plain(value) : NO_VALUE;
    }
    let column = place - (place % 2);
    // A sampled series keeps its last sample, for a while.
    for (let back = 0; back < 50 && column > 1 && values[column] === null; back++) column -= 2;
    const pair = [values[column], values[column + 1]].filter((v): v is number => typeof v === "number");
    if (pair.length === 0) return NO_VALUE;
    const edges = (curve.band ?? []).map((edge) => edge[column]);
    const [low, high] = edges;
    const around = typeof low === "number" && typeof high === "number" ? ` (${span(low, high)})` : "";
    return span(Math.min(...pair), Math.max(...pair)) + around;
  }

  #readouts(): void {
    this.#say();
    const cursor = this.#cursor;
    for (const { cells, curves, list } of this.#drawn) {
      for (const { item, value, curve } of cells) {
        const of = curves[curve];
        if (!of) continue;
        item.hidden = !this.options.isOn(of.variant);
        value.textContent = cursor === null ? "" : this.#value(of, this.#values(of), cursor);
      }
      if (list) this.#causes(list);
    }
  }

  /** The last change of each window before the pointer, and why. */
  #causes(list: HTMLElement): void {
    if (this.#cursor === null) {
      const hint = "Point at a curve, or focus it and press the arrow keys: here stands why each window changed last.";
      list.replaceChildren(element("li", {}, hint));
      return;
    }
    const rows = this.#lastChanges().map(({ name, variant, last }) => element(
      "li", {}, markOf(variant), element("span", { class: "name" }, name),
      element("span", { class: "when" }, last?.when ?? ""),
      element("span", { class: "why" }, last?.why ?? "no reduction so far"),
    ));
    list.replaceChildren(...rows);
  }

  /** The last change before the pointer of each window that is switched on, in words. */
  #lastChanges(): { name: string; variant: number; last: { when: string; why: string } | undefined }[] {
    const { changes, causes, end, paired } = this.#data;
    const [cursor, times] = [this.#cursor, this.#times];
    if (cursor === null) return [];
    // Changes within the column of the pointer count as reached.
    const column = cursor - (cursor % 2);
    const [first = 0, second = end] = times.subarray(column, column + 2);
    const now = paired ? second + (second - first) / 2 : this.#time(cursor);
    return this.options.variants.flatMap((name, variant) => {
      if (!this.options.isOn(variant)) return [];
      const all = changes[variant] ?? [];
      const place = lastBefore(all, now);
      const change = all[place];
      return [{ name, variant, last: change && { when: withUnit(change[0].toFixed(3), "s"), why: causeOf(all, place, causes) } }];
    });
  }

  #table(panel: TimePanel, curves: readonly Curve[], name: string): TableText {
    const { times } = this.#data;
    const places = Array.from({ length: 11 }, (_, i) => Math.round((i / 10) * (times.length - 1)));
    const names = curves.map((curve) => [curve.name ?? this.options.variants[curve.variant], curve.label].filter(Boolean).join(", "));
    return momentsTable(`${name} (${panel.unit}) at eleven times`, names, places.map((place) => times[place] ?? 0), (of, moment) => {
      const [curve, place] = [curves[of], places[moment]];
      return curve && place !== undefined ? this.#value(curve, curve.values, place) : NO_VALUE;
    });
  }

  #veil(u: uPlot, warmup: number): void {
    if (warmup <= 0) return;
    const left = u.bbox.left;
    const right = Math.min(u.valToPos(warmup, "x", true), left + u.bbox.width);
    if (right <= left) return;
    u.ctx.fillStyle = style("--veil");
    u.ctx.fillRect(left, u.bbox.top, right - left, u.bbox.height);
  }

  /** The marks of the legend along each curve: nobody has to tell colours apart. */
  #marks(u: uPlot, curves: readonly Curve[]): void {
    const { ctx, bbox } = u;
    const ratio = devicePixelRatio;
    ctx.save();
    curves.forEach((curve, i) => {
      if (curve.role !== "main" || !this.options.isOn(curve.variant)) return;
      ctx.globalAlpha = u.series[i + 1]?.alpha ?? 1;
      ctx.fillStyle = colour(curve.variant);
      ctx.strokeStyle = style("--paper");
      ctx.lineWidth = 1.2;
      for (let x = (30 + ((23 * curve.variant) % 120)) * ratio; x < bbox.width; x += 120 * ratio) {
        const at = u.posToIdx(x / ratio);
        const value = u.data[i + 1]?.[at];
        if (typeof value !== "number") continue;
        const y = u.valToPos(value, "y", true);
        if (y < bbox.top - 1 || y > bbox.top + bbox.height + 1) continue;
        ctx.setTransform(ratio, 0, 0, ratio, u.valToPos(timeAt(u, at) ?? 0, "x", true), y);
        ctx.beginPath();
        outline(ctx, curve.variant, 3.4);
        ctx.stroke();
        ctx.fill();
      }
    });
    ctx.restore();
  }

  /** A cross where a window went down; of those closer than a cross is wide, the first. */
  #reductions(u: uPlot, curves: readonly Curve[]): void {
    const { ctx, bbox } = u;
    const arm = 3.2 * devicePixelRatio;
    ctx.save();
    ctx.lineWidth = 1.4 * devicePixelRatio;
    curves.forEach((curve, i) => {
      if (curve.role !== "main" || !this.options.isOn(curve.variant)) return;
      ctx.globalAlpha = u.series[i + 1]?.alpha ?? 1;
      ctx.strokeStyle = colour(curve.variant);
      ctx.beginPath();
      let last = -Infinity;
      for (const [time, , reduced] of this.#data.changes[curve.variant] ?? []) {
        const x = u.valToPos(time, "x", true);
        if (!reduced || x < bbox.left || x > bbox.left + bbox.width || x - last < 2.5 * arm) continue;
        const y = u.valToPos(this.#before(u, i + 1, time), "y", true);
        if (y < bbox.top - 1) continue;
        last = x;
        ctx.moveTo(x - arm, y - arm);
        ctx.lineTo(x + arm, y + arm);
        ctx.moveTo(x - arm, y + arm);
        ctx.lineTo(x + arm, y - arm);
      }
      ctx.stroke();
    });
    ctx.restore();
  }

  /** The value from which a window came down: the highest near a time. */
  #before(u: uPlot, series: number, time: number): number {
    const [times, values] = [u.data[0], u.data[series]];
    const place = placeOf(times, time);
    const at = this.#data.paired ? Math.min(times.length - 2, place - (place % 2)) : Math.max(0, place - 1);
    return Math.max(values?.[at] ?? 0, values?.[at + 1] ?? 0);
  }

  /** A tick at the top for each loss; a row for each variant. */
  #losses(u: uPlot, losses: readonly Iterable<number>[], curves: readonly Curve[]): void {
    const { ctx, bbox } = u;
    const high = 5 * devicePixelRatio;
    const variants = [...new Set(curves.map((curve) => curve.variant))].filter((variant) => this.options.isOn(variant));
    ctx.save();
    ctx.lineWidth = devicePixelRatio;
    variants.forEach((variant, row) => {
      ctx.strokeStyle = colour(variant);
      ctx.globalAlpha = this.#marked === null || this.#marked === variant ? 0.9 : 0.15;
      ctx.beginPath();
      const top = bbox.top + row * (high + devicePixelRatio);
      let last = -Infinity;
      for (const time of losses[variant] ?? []) {
        const x = u.valToPos(time, "x", true);
        if (x < bbox.left || x > bbox.left + bbox.width || x - last < devicePixelRatio) continue;
        last = x;
        ctx.moveTo(x, top);
        ctx.lineTo(x, top + high);
      }
      ctx.stroke();
    });
    ctx.restore();
  }
}

/** Curves that a table has as columns: more than these are rows. */
const MOST_COLUMNS = 32;

/** The values of all curves of these names at some moments, in seconds. */
export function momentsTable(caption: string, curves: readonly string[], moments: readonly number[], value: (curve: number, moment: number) => string): TableText {
  const times = moments.map((time) => plain(time, 4));
  if (curves.length <= MOST_COLUMNS) {
    return { caption, head: ["time (s)", ...curves], rows: times.map((time, moment) => [time, ...curves.map((_, curve) => value(curve, moment))]) };
  }
  const head = ["curve", ...times.map((time) => withUnit(time, "s"))];
  return { caption, head, rows: curves.map((name, curve) => [name, ...times.map((_, moment) => value(curve, moment))]) };
}

/** Words for those who hear them, no more than one listens to. */
function heard(all: readonly string[], what: string): string[] {
  const more = all.length - MOST_HEARD;
  return more > 0 ? [...all.slice(0, MOST_HEARD), `and ${more} more ${what}`] : [...all];
}

/** The variant of each series: of the curves, then of the edges of their bands. */
function seriesOf(curves: readonly Curve[]): number[] {
  return [...curves.map((curve) => curve.variant), ...curves.flatMap((curve) => (curve.band ? [curve.variant, curve.variant] : []))];
}

function dashesOf(curve: Curve, curves: readonly Curve[], small: boolean): readonly number[] | undefined {
  if (curve.role === "companion") return [1.5, 3];
  if (!small || curve.role !== "main") return undefined;
  return OWN_DASHES[curves.indexOf(curve) % OWN_DASHES.length];
}

const dashed = (dashes: readonly number[] | undefined): { dash?: number[] } => (dashes ? { dash: [...dashes] } : {});

function references(u: uPlot, panel: TimePanel): void {
  const { ctx, bbox } = u;
  const ratio = devicePixelRatio;
  ctx.save();
  ctx.font = `${11 * ratio}px ${style("--sans")}`;
  ctx.textAlign = "right";
  for (const [name, value] of panel.references) {
    const y = u.valToPos(value, "y", true);
    if (y < bbox.top || y > bbox.top + bbox.height) continue;
    ctx.strokeStyle = style("--soft");
    ctx.setLineDash([2 * ratio, 3 * ratio]);
    ctx.lineWidth = ratio;
    ctx.beginPath();
    ctx.moveTo(bbox.left, y);
    ctx.lineTo(bbox.left + bbox.width, y);
    ctx.stroke();
    const above = y - 15 * ratio > bbox.top;
    const at = [name, bbox.left + bbox.width - 3 * ratio, above ? y - 4 * ratio : y + 13 * ratio] as const;
    // A rim of paper around the letters hides less of the curves than a box.
    ctx.setLineDash([]);
    ctx.lineJoin = "round";
    ctx.lineWidth = 3 * ratio;
    ctx.strokeStyle = style("--paper");
    ctx.strokeText(...at);
    ctx.fillStyle = style("--soft");
    ctx.fillText(...at);
  }
  ctx.restore();
}

/** The moment of a place of a chart. */
const timeAt = (u: uPlot, place: number | null | undefined): number | null =>
  typeof place === "number" ? (u.data[0][place] ?? null) : null;

/** The curves of a panel, or of one variant. */
const curvesOf = (panel: TimePanel, variant: number | undefined): readonly Curve[] =>
  variant === undefined ? panel.curves : panel.curves.filter((curve) => curve.variant === variant);

/** Whether a chart of these curves differs from the one there in their values alone. */
function sameCurves(chart: Drawn, panel: TimePanel, curves: readonly Curve[]): boolean {
  return (
    panel.heading === chart.panel.heading &&
    panel.unit === chart.panel.unit &&
    panel.clip === chart.panel.clip &&
    panel.causes === chart.panel.causes &&
    curves.length === chart.curves.length &&
    curves.every((curve, i) => {
      const before = chart.curves[i];
      return curve.variant === before?.variant && curve.name === before.name && curve.label === before.label && curve.role === before.role && !curve.band === !before.band;
    })
  );
}

/** Values one after another. */
const joined = <T>(...parts: readonly ArrayLike<T>[]): T[] => parts.flatMap((part) => Array.from(part));

/** The first and the last place within a span of time. */
function placesOf(times: Float64Array, [from, to]: readonly [number, number]): [number, number] {
  const before = placeOf(times, from);
  return [(times[before] ?? 0) < from ? before + 1 : before, placeOf(times, to)];
}

/** The place of the last time that is not after this one; the first if there is none. */
function placeOf(times: ArrayLike<number>, time: number): number {
  let [low, high] = [0, times.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((times[middle] ?? Infinity) <= time) low = middle + 1;
    else high = middle;
  }
  return Math.max(0, low - 1);
}
