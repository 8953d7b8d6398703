// The figures of results: what is compared over the parameters of a sweep, or over the seeds.

import { markOf } from "../charts/palette";
import type { SweepQuantity } from "../charts/plots";
import type { OutcomeFigures } from "../engine/api";
import { capital, headed, seeds } from "../figures/seeds";
import type { Swept } from "../figures/data";
import { sweep } from "../figures/sweep";
import { button, element } from "../page/dom";
import { endWords, within } from "../page/number";
import { numbers, type TableText } from "../page/table";
import type { Shown } from "./side";

/** A place of figures on the page, which says where they are of settings before. */
class FiguresPlace {
  readonly element: HTMLElement;
  private readonly old = element("p", { class: "warning", hidden: true }, "These figures are of the settings before.");
  private readonly inside = element("div");

  constructor() {
    this.element = element("div", { class: "outcome-figures" }, this.old, this.inside);
  }

  show(figures: readonly HTMLElement[]): void {
    this.old.hidden = true;
    this.inside.replaceChildren(...figures);
  }

  keep(): void {
    this.old.hidden = this.inside.childElementCount === 0;
  }
}

/** The figures on the page, of one experiment or of two. */
export class OutcomeFiguresView {
  private readonly parameters = new FiguresPlace();
  private readonly seeds = new FiguresPlace();
  /** The names of the points that the figures compare. */
  private compared: string | undefined;
  /** The quantity that the reader looks at, by its name. */
  private quantity: string | undefined;

  /** `chose` hears of each place that is chosen, by its places on the axes; `go` brings its curves before the reader. */
  constructor(private readonly watch: { readonly chose: (side: number, at: readonly number[]) => void; readonly go: () => void }) {}

  /** The figures over the parameters of a sweep, from which a reader goes on to curves. */
  get overParameters(): HTMLElement {
    return this.parameters.element;
  }

  /** The figures over the seeds of an experiment without a sweep. */
  get overSeeds(): HTMLElement {
    return this.seeds.element;
  }

  /**
   * Shows the figures of these results, the marks of each side from a number of its own on. A first look has none: those
   * of before stay, and say so, if the same is compared.
   */
  show(sides: readonly (Shown | undefined)[], marks: readonly number[]): void {
    const compared = JSON.stringify(sides.map((shown) => shown?.whole.points.map((point) => point.name)));
    if (sides.some((shown) => shown?.preview !== undefined) && compared === this.compared) {
      this.parameters.keep();
      this.seeds.keep();
      return;
    }
    this.compared = compared;
    const all = sides.flatMap((shown, side) => {
      const letter = sides.length > 1 ? `${"AB"[side] ?? ""}: ` : "";
      return shown && shown.preview === undefined ? [{ side, letter, figures: shown.outcome.figures }] : [];
    });
    this.parameters.show(all.flatMap(({ side, letter, figures }) =>
      figures.sweep && figures.sweep.metrics.length > 0 ? [this.swept(figures, figures.sweep, side, letter)] : []));
    this.seeds.show(all.flatMap(({ side, letter, figures }) =>
      figures.spreads.some((spread) => spread.rows.some((row) => row.values.length > 1)) ? [overSeeds(figures, letter, marks[side] ?? 0)] : []));
  }

  private swept(figures: OutcomeFigures, swept: Swept, side: number, letter: string): HTMLElement {
    const seeds = Math.max(0, ...swept.metrics.flatMap(({ places }) => places.flatMap(({ cells }) => cells.map(({ values }) => values.length))));
    const words = [
      ...(swept.axes.length > 1 ? ["Each place shows who leads there and its mean"] : ["A dot is a mean"]),
      ...(seeds > 1 ? [` over ${seeds} seeds`] : [", of one seed"]),
      ...(swept.axes.length === 1 && seeds > 1 ? [", a band its 95\u00a0% confidence"] : []),
      ".",
    ];
    const section = element(
      "section",
      { class: "over-parameters", "aria-label": `${letter}Over the parameters` },
      element("h2", {}, `${letter}Over the parameters`),
      element("p", { class: "lede" }, words.join("")),
      key(figures.variants),
      ...swept.metrics.map((metric) => element("div", { class: "metric" }, numbers(() => tableOf(figures, swept, metric, letter)).element)),
    );
    sweep(section, swept, {
      variants: figures.variants,
      kind: figures.kind,
      id: `quantity-${side}`,
      letter,
      first: this.quantity,
      picked: (quantity) => {
        this.quantity = quantity;
      },
      looked: ({ at }) => {
        this.watch.chose(side, at);
      },
      ways: () => [button("Its curves over time", this.watch.go, { class: "press" })],
    });
    return section;
  }
}

/** The name of each of those compared, with its mark. */
function key(variants: readonly string[]): HTMLElement {
  return element("ul", { class: "key", "aria-label": "Marks" }, ...variants.map((name, i) => element("li", {}, markOf(i), name)));
}

function overSeeds(figures: OutcomeFigures, letter: string, first: number): HTMLElement {
  const section = element(
    "section",
    { class: "over-seeds", "aria-label": `${letter}Over the seeds` },
    element("h2", {}, `${letter}Over the seeds`),
    element(
      "p",
      { class: "lede" },
      "Each small dot is one seed. Large marks are means, bars their 95\u00a0% confidence, boxes the middle half of the seeds.",
    ),
  );
  seeds(section, figures, letter, first);
  return section;
}

/** The means of one quantity, a row for each place. */
export function tableOf({ variants }: OutcomeFigures, { axes }: Swept, { quantity, places, range }: SweepQuantity, letter = ""): TableText {
  const rows = places.map(({ at, cells }) => [
    axes.map((axis, i) => axis.labels[at[i] ?? 0] ?? "").join(", "),
    ...variants.map((_, variant) => {
      const cell = cells.find((one) => one.variant === variant);
      return cell ? within(cell.mean, range) : "\u2013";
    }),
  ]);
  const words = `${capital(quantity.name)} at each place: mean with its 95 % confidence`;
  return {
    caption: letter + words + endWords(rows.flat()),
    head: [axes.map((axis) => axis.name).join(", "), ...variants.map((name) => headed(name, quantity.unit))],
    rows,
  };
}
