// The results of one experiment or of two: the conclusion, the numbers of each controller, charts over time.

import { TimeView } from "../charts/time";
import { markOf } from "../charts/palette";
import type { OutcomeFigures } from "../engine/api";
import { button } from "../page/dom";
import { element } from "./dom";
import { alikeWords, endWords, exactWords, unbroken, within } from "../page/number";
import { onTheme } from "../page/theme";
import type { GridReport, RunRecord } from "../schema/run";
import { ChangesTable, changes } from "./changes";
import { contestants, drawn, timeDataOf, type Contestant, type Drawn } from "./contestants";
import { firstLook } from "./first-look";
import { OutcomeFiguresView } from "./outcome-figures";
import { curveChoices, firstMarks, keyOf, marksOf, placesOf, type CurveChoice, type PlaceOfSweep } from "./places";
import { documentOf } from "./runs";
import type { Shown, Simulated } from "./side";

/** A column of the table of results: a quantity by the engine's name, and so much of it as one of the column's unit. */
interface NumberColumn {
  readonly head: string;
  readonly unit: string;
  readonly about: string;
  readonly quantity: string;
  readonly by: number;
}

/** The quantities by which transfers are judged, where the flows under test are transfers. */
const OF_TRANSFERS: readonly NumberColumn[] = [
  { head: "transfer", unit: "s", about: "time from the first data to the last byte's arrival, mean of the transfers under test", quantity: "fct_mean", by: 1000 },
  { head: "slowest", unit: "s", about: "the same of the slowest transfer under test", quantity: "fct_max", by: 1000 },
];

const COLUMNS: readonly NumberColumn[] = [
  { head: "goodput", unit: "Mbit/s", about: "payload of the flows under test that arrived", quantity: "goodput", by: 1e6 },
  { head: "link busy", unit: "%", about: "share of the time that the link was transmitting", quantity: "utilization", by: 0.01 },
  { head: "wait p50", unit: "ms", about: "half of the packets wait less at the bottleneck", quantity: "queue_delay_p50", by: 1 },
  { head: "wait p95", unit: "ms", about: "19 of 20 packets wait less at the bottleneck", quantity: "queue_delay_p95", by: 1 },
  { head: "resent", unit: "%", about: "share of the packets that were sent again", quantity: "retransmission_ratio", by: 0.01 },
  { head: "timeouts", unit: "a run", about: "retransmission timeouts", quantity: "timeouts", by: 1 },
  { head: "jain", unit: "1 = fair", about: "Jain's index of the flows under test", quantity: "jain", by: 1 },
];

/** Waits are as fine as this share of the longer one of a row: a link may need some nanoseconds to begin. */
const FINEST_WAIT = 1e-3;

/** The mean of a quantity at a point in the unit of its column, with its interval over the seeds; a dash where it has none. */
export function cellText({ means, ranges }: Pick<OutcomeFigures, "means" | "ranges">, point: number, { quantity, by }: NumberColumn): string {
  const [mean, half] = means[point]?.[quantity] ?? [null, null];
  const [least, largest] = ranges[quantity] ?? [null, null];
  const [longest] = quantity === "queue_delay_p50" ? (means[point]?.queue_delay_p95 ?? []) : [];
  const finest = (FINEST_WAIT * (longest ?? 0)) / by;
  const isNone = mean !== null && mean / by < finest;
  if (isNone && (half ?? 0) / by < finest) return "0";
  const scaled = (value: number | null): number | null => (value === null ? null : value / by);
  return mean === null ? "\u2013" : within([isNone ? 0 : mean / by, scaled(half)], [scaled(least), scaled(largest)]);
}

/** Whether a quantity is alike under all seeds of a point, so that its mean has no interval. A "0" may have one. */
export function isAlike({ means }: Pick<OutcomeFigures, "means">, point: number, { quantity }: Pick<NumberColumn, "quantity">): boolean {
  return means[point]?.[quantity]?.[1] === null;
}

/** The results on the page. */
export class Results {
  readonly element: HTMLElement;
  private readonly old = element("p", { class: "warning", hidden: true }, "These results are of the settings before the fault.");
  private readonly words = element("div", { class: "conclusion", "aria-live": "polite" });
  private readonly tablePlace = element("div", {
    class: "scroll",
    tabindex: 0,
    role: "region",
    "aria-label": "Results of each controller",
  });
  private readonly chooser = element("select", { id: "shown" });
  private readonly chooserRow = element("p", { class: "chooser" }, element("label", { for: "shown" }, "Curves of"), this.chooser);
  private readonly figures: OutcomeFiguresView;
  private readonly charts = element("div", { class: "overlaid" });
  private readonly at = element("span", { class: "at" });
  private readonly changesPlace = element("details", { class: "behind changes" }, element("summary", {}, "All changes of windows with their causes"));
  private readonly changesTable: ChangesTable;
  private readonly apartButton: HTMLButtonElement;
  private view: TimeView | undefined;
  private sides: readonly (Shown | undefined)[] = [];
  private all: Contestant[] = [];
  private places: PlaceOfSweep[] = [];
  private choices: CurveChoice[] = [];
  private curves: Drawn[] = [];
  private apart = false;
  /** The words of the table's caption, and what they say of the means. */
  private readonly caption = element("span", {});
  private means = "";
  /** The pointer is being moved by the page, and not by the reader. */
  private following = false;
  private pointed: number | undefined;
  /** The span that the reader has enlarged. A first look may end before it. */
  private span: readonly [number, number] | null = null;
  /** The name of what the reader has chosen to see. Its place in the list is another one beside others. */
  private remembered: string | undefined;

  /** `go` is called when the reader chooses a moment, `chose` when another contestant is chosen. */
  constructor(private readonly watch: { readonly go: (moment: number) => void; readonly chose: () => void }) {
    this.chooser.addEventListener("change", () => {
      this.remember(this.choices.find(({ value }) => value === this.chooser.value));
      this.draw(false);
      this.watch.chose();
    });
    this.figures = new OutcomeFiguresView({
      chose: (side, at) => {
        this.choosePlace(side, at);
      },
      go: () => {
        this.chooserRow.scrollIntoView();
        this.chooser.focus({ preventScroll: true });
      },
    });
    this.apartButton = button(
      "One strip each",
      () => {
        this.apart = !this.apart;
        this.apartButton.setAttribute("aria-pressed", String(this.apart));
        this.draw(true);
      },
      { "aria-pressed": "false" },
    );
    const zoom = (label: string, name: string, act: (view: TimeView) => void): HTMLButtonElement =>
      button(label, () => {
        if (this.view) act(this.view);
      }, { "aria-label": name, title: name });
    const tools = element(
      "div",
      { class: "tools" },
      zoom("+", "enlarge", (view) => {
        view.zoom(0.5);
      }),
      zoom("\u2212", "reduce", (view) => {
        view.zoom(2);
      }),
      zoom("\u2190", "earlier", (view) => {
        view.zoom(1, -0.25);
      }),
      zoom("\u2192", "later", (view) => {
        view.zoom(1, 0.25);
      }),
      zoom("All", "show all of the time", (view) => {
        view.all();
      }),
      this.apartButton,
      this.at,
    );
    const go = (event: Event): void => {
      // The numbers below a curve have clicks of their own.
      const onPlot = event.target instanceof Element && event.target.closest(".plot") !== null;
      if (onPlot && this.pointed !== undefined) this.watch.go(this.pointed);
    };
    this.charts.addEventListener("click", go);
    this.charts.addEventListener("keydown", (event) => {
      if (event.key === "Enter") go(event);
    });
    this.changesTable = new ChangesTable((time) => {
      this.watch.go(time);
    });
    this.changesPlace.append(this.changesTable.element);
    this.changesPlace.addEventListener("toggle", () => {
      this.list();
    });
    this.element = element(
      "section",
      { class: "results", "aria-label": "Results" },
      element("h2", {}, "Results"),
      this.old,
      this.words,
      this.tablePlace,
      this.figures.overParameters,
      element("h2", {}, "Over time"),
      element(
        "p",
        { class: "lede by-pointer" },
        "Point at a curve, or touch it: below the windows stands why each changed last. A click, a tap or Enter brings the " +
          "packets to that moment. The buttons, or dragging with a mouse, enlarge a span of time.",
      ),
      this.chooserRow,
      tools,
      this.charts,
      this.changesPlace,
      this.figures.overSeeds,
    );
    onTheme(() => {
      this.view?.redraw();
    });
  }

  /** The point whose packets are worth a look, of one of the sides. */
  point(side: number): number {
    const { chosen } = this;
    // Of all points, and of none of its own, a side shows its first.
    const own = chosen.length < this.all.length ? chosen.find((one) => one.side === side) : undefined;
    return own?.point ?? 0;
  }

  /** The points whose curves are drawn. */
  private get chosen(): readonly Contestant[] {
    return this.choices.find(({ value }) => value === this.chooser.value)?.members ?? this.all;
  }

  /** Draws the curves of a place of the sweep. */
  private choosePlace(side: number, at: readonly number[]): void {
    const shown = this.sides[side];
    // While other runs grow, the figures are of those before, which have no curves any more.
    const places = shown?.outcome.figures.places ?? [];
    const here = this.all.find((one) => one.shown === shown && one.side === side && places[one.point]?.join() === at.join());
    const choice = here && this.choices.find(({ value, members }) => value !== "-1" && members.includes(here));
    if (!choice) return;
    this.chooser.value = choice.value;
    this.remember(choice);
    this.draw(false);
    this.watch.chose();
  }

  /** Shows the results of one side, or of both. */
  show(sides: readonly (Shown | undefined)[]): void {
    this.sides = sides;
    this.all = contestants(sides);
    const sentences = this.sentences();
    // A region that is filled anew is read anew.
    if (this.words.textContent !== sentences.map((one) => one.textContent).join("")) this.words.replaceChildren(...sentences);
    this.listChoices();
    this.tablePlace.replaceChildren(this.table());
    this.figures.show(sides, firstMarks(this.all, this.places, sides.length));
    this.charts.removeAttribute("aria-busy");
    this.draw(true);
  }

  /** Shows the curves of runs that go on; numbers stay until they end: `old` ones are of settings before. */
  growing(sides: readonly (Simulated | undefined)[], old: boolean): void {
    this.all = contestants(sides);
    if (old) this.caption.textContent = `${this.means}, of the settings before`;
    this.listChoices();
    this.charts.setAttribute("aria-busy", "true");
    this.draw(true);
  }

  /** Says that curves grow no more: their runs have ended, or were stopped. */
  still(): void {
    this.charts.removeAttribute("aria-busy");
  }

  private listChoices(): void {
    this.places = placesOf(this.all);
    this.choices = curveChoices(this.all, this.places);
    this.chooser.replaceChildren(...this.choices.map(({ value, words }) => element("option", { value }, words)));
    const kept = this.choices.find((choice) => keyOf(choice) === this.remembered);
    this.chooser.value = (kept ?? this.choices[0])?.value ?? "";
    // Of a single point there is nothing to choose, but that some flows are left out is said.
    this.chooserRow.hidden = this.choices.length < 2 && !this.choices.some(({ cut }) => cut);
  }

  private remember(choice: CurveChoice | undefined): void {
    this.remembered = choice && keyOf(choice);
  }

  /** Forgets the enlarged span: it was a part of the time of another experiment. */
  whole(): void {
    this.span = null;
    if (this.view?.range) this.view.all();
  }

  /** Another experiment is opened: what a reader has chosen to see was of the one before. */
  opened(): void {
    this.whole();
    this.remembered = undefined;
  }

  /** Whether the settings have a fault, so that the results are of those before. */
  stale(faulty: boolean): void {
    this.old.hidden = !faulty || this.all.length === 0;
  }

  /** Shows a moment in the charts. */
  follow(moment: number): void {
    const { view } = this;
    if (!view) return;
    this.following = true;
    view.point(Math.min(moment, view.data.end));
    this.following = false;
  }

  private sentences(): HTMLElement[] {
    return this.sides.flatMap((shown, side) => {
      if (!shown) return [];
      const letter = this.sides.length > 1 ? [element("strong", {}, `${"AB"[side] ?? ""}. `)] : [];
      const failed = documentOf(shown.outcome).runs.find((run) => run.error !== null)?.error;
      if (failed) return [element("p", { class: "warning" }, ...letter, unbroken(failed))];
      if (shown.preview !== undefined) {
        return [element("p", { class: "lede" }, ...letter, firstLook(shown.plan, shown.whole))];
      }
      const words = [...shown.outcome.warnings, ...shown.outcome.sentences].join(" ");
      return [element("p", {}, ...letter, unbroken(words))];
    });
  }

  private table(): HTMLElement {
    const documents = new Map<Simulated, GridReport>(this.sides.flatMap((shown) => (shown ? [[shown, documentOf(shown.outcome)]] : [])));
    const figures = new Map(this.sides.flatMap((shown) => (shown ? [[shown as Simulated, shown.outcome.figures] as const] : [])));
    // Runs that failed are in no mean.
    const runsOf = (one: Contestant): readonly RunRecord[] =>
      documents.get(one.shown)?.runs.filter((run) => run.point === one.point && run.summary) ?? [];
    const isExact = (one: Contestant): boolean => runsOf(one).every((run) => run.summary?.exact === true);
    const fair = this.all.some((one) =>
      documents.get(one.shown)?.runs.some((run) => run.groups.some((group) => group.tested && group.flows.length > 1)),
    );
    const ended = this.all.some((one) => typeof figures.get(one.shown)?.means[one.point]?.fct_mean?.[0] === "number");
    const columns = [...(ended ? OF_TRANSFERS : []), ...COLUMNS.filter((column) => column.head !== "jain" || fair)];
    const marks = marksOf(this.all, this.places);
    const all: string[] = [];
    let alike = false;
    const rows = this.all.map((one, i) => {
      const of = figures.get(one.shown);
      const cells = columns.map((column) => {
        const text = of ? cellText(of, one.point, column) : "\u2013";
        all.push(text);
        if (of && !isExact(one) && isAlike(of, one.point, column)) alike = true;
        const [mean = "", ...half] = text.split(" ");
        return element("td", {}, mean, half.length > 0 && element("span", { class: "pm" }, ` ${half.join(" ")}`));
      });
      return element("tr", {}, element("th", { scope: "row" }, markOf(marks[i] ?? i), one.name), ...cells);
    });
    const head = columns.map((column) => element("th", { scope: "col", title: column.about }, column.head, element("small", {}, column.unit)));
    const seeds = [...new Set(this.all.map((one) => runsOf(one).length))].filter((count) => count > 0);
    const several = seeds.some((count) => count > 1);
    const exact = this.all.filter((one) => runsOf(one).length > 0 && isExact(one)).map((one) => one.name);
    if (several && exact.length === this.all.length) {
      this.means = "Nothing on this path is random: every seed gives the same";
    } else {
      this.means = several ? `Means over ${seeds.join(" and ")} seeds \u00b1 95\u00a0% confidence` : "One seed";
      this.means += alikeWords(alike, Math.min(...seeds)) + endWords(all);
      if (several) this.means += exactWords(exact, this.all.length);
    }
    this.caption.textContent = this.means;
    return element(
      "table",
      {},
      element("caption", { class: "notes" }, this.caption),
      element("thead", {}, element("tr", {}, element("th", { scope: "col" }, "controller"), ...head)),
      element("tbody", {}, ...rows),
    );
  }

  private draw(keepZoom: boolean): void {
    if (!keepZoom) this.span = null;
    const names = this.curves.map((one) => one.name).join("\n");
    this.curves = drawn(this.chosen);
    const data = timeDataOf(this.curves);
    this.apartButton.hidden = this.curves.length < 2;
    this.list();
    // Curves that grow keep their charts.
    const same = this.curves.map((one) => one.name).join("\n") === names && this.view?.apart === this.apart;
    if (same && keepZoom && data.end === this.view?.data.end && this.view.update(data)) return;
    this.view?.destroy();
    this.view = new TimeView(
      this.charts,
      data,
      {
        variants: this.curves.map((one) => one.name),
        isOn: () => true,
        say: (words) => {
          this.at.textContent = words;
        },
        onZoom: (range) => {
          this.span = range;
        },
        onPoint: (time) => {
          if (!this.following) this.pointed = time;
        },
      },
      this.apart,
    );
    if (this.span && this.span[1] <= data.end) this.view.follow(...this.span);
  }

  private list(): void {
    if (!this.changesPlace.open) return;
    this.changesTable.show(this.curves.flatMap(({ name, trace }) => changes(trace, name)).sort((a, b) => a.time - b.time));
  }
}
