/** The part about time: settings and seeds to choose, the tools of its charts, and the charts. */

import { TimeView, type TimeData } from "../charts/time";
import { button, choice, element } from "../page/dom";
import { plain, withUnit } from "../page/number";
import { onTheme } from "../page/theme";
import { timeData, distributionsOf, type Contents, type StoredTimeline } from "./data";
import { distributionFigure, sequenceFigure } from "../figures/seeds";

export interface OverTime {
  /** Shows those that are switched on. */
  show(): void;
  /** Makes one variant stand out; all alike with `null`. */
  mark(variant: number | null): void;
  /** Brings the first seed of a setting before the reader. */
  choose(setting: number): void;
}

/** The time-sequence diagrams of those that lost something. */
function sequences({ sequences: all, losses }: StoredTimeline, variants: readonly string[]): Node[] {
  const figures = all.flatMap((of, variant) => (of ? [sequenceFigure(of, variant, variants[variant] ?? "")] : []));
  const ticks = losses.some((of) => of.length > 0) ? [element("p", { class: "notes" }, "Ticks at the top of the queue are packets lost, in a row for each.")] : [];
  if (figures.length === 0) return ticks;
  const lede = "From one round-trip time before to five after the first flow's first loss: a dot is a segment sent, a cross one that never arrived, a triangle one sent again; the line is what is acknowledged.";
  return [...ticks, element("h3", {}, "Around the first loss"), element("p", { class: "lede" }, lede), element("div", { class: "gallery" }, ...figures)];
}

/** The meaning of a column: enlarging shows no finer ones, since a page holds no more. */
function columnWords({ columns, end, together }: StoredTimeline): string {
  const width = end / columns;
  const [number, unit] = width >= 1 ? [width, "s"] : [1000 * width, "ms"];
  const held = together ? "" : " and shows the lowest and the highest value within it";
  return `A column of these charts is ${withUnit(plain(number), unit)} wide${held}; an enlarged span has the same columns.`;
}

export function overTime(section: HTMLElement, { data, bytes }: Contents, isOn: (variant: number) => boolean): OverTime {
  const { timelines, variants } = data;
  const made = new Map<StoredTimeline, TimeData>();
  // For eyes: the charts themselves tell those who hear the page.
  const at = element("span", { class: "at", id: "at" });
  const note = element("p", { class: "lede" });
  const charts = element("div", { class: "overlaid" });
  const around = element("div", { class: "sequences" });
  const shares = element("div", { class: "gallery distributions" });
  let view: TimeView | undefined;
  let current: StoredTimeline | undefined;
  let apart = false;

  const settings = [...new Map(timelines.map((one) => [one.setting, one.title])).values()];
  const names = [...new Map(timelines.map((one) => [one.seed, one.together])).entries()].sort((a, b) => Number(a[1]) - Number(b[1])).map(([seed]) => seed);
  const pick = (): void => {
    const setting = Math.max(0, settingChoice.select.selectedIndex);
    const seed = names[seedChoice.select.selectedIndex];
    // A seed that failed there gives way to the first one.
    const of = timelines.filter((one) => one.setting === setting);
    const chosen = of.find((one) => one.seed === seed) ?? of[0];
    if (!chosen) return;
    seedChoice.select.selectedIndex = names.indexOf(chosen.seed);
    draw(chosen);
  };
  const settingChoice = choice("setting", "Setting", settings, pick);
  const seedChoice = choice("seed", "Seed", names, pick);

  const draw = (timeline: StoredTimeline): void => {
    // Another seed of a setting has the same axis of time: what is enlarged remains so.
    const kept = current?.setting === timeline.setting ? view?.range : null;
    view?.destroy();
    const known = made.get(timeline) ?? timeData(timeline, bytes);
    made.set(timeline, known);
    view = new TimeView(charts, known, {
      variants, isOn,
      say: (words) => { at.textContent = words; },
      onZoom: (range) => { document.documentElement.dataset.zoom = range ? range.map((t) => t.toPrecision(6)).join(" ") : ""; },
    }, apart);
    if (kept) view.follow(...kept);
    else view.all();
    if (whole.getAttribute("aria-pressed") === "true") view.fullHeight(true);
    whole.hidden = !view.clipped;
    note.textContent = [timeline.note, columnWords(timeline)].filter(Boolean).join(" ");
    if (current !== timeline) around.replaceChildren(...sequences(timeline, variants));
    if (current !== timeline) shares.replaceChildren(...distributionsOf(timeline, bytes).map((one) => distributionFigure(one, variants, data.kind)));
    current = timeline;
  };

  const toggle = (press: HTMLButtonElement): boolean => {
    const on = press.getAttribute("aria-pressed") !== "true";
    press.setAttribute("aria-pressed", String(on));
    return on;
  };
  const zoom = (id: string, label: string, name: string, act: (view: TimeView) => void): HTMLButtonElement =>
    button(label, () => { if (view) act(view); }, { id, "aria-label": name, title: name });
  const layout = button("One strip each", () => {
    apart = toggle(layout);
    if (current) draw(current);
  }, { id: "layout", "aria-pressed": "false" });
  const whole = button("Full height", () => { view?.fullHeight(toggle(whole)); }, {
    id: "whole", "aria-pressed": "false", title: "show curves to their full height",
  });
  const tools = element(
    "div", { class: "tools" },
    zoom("zoom-in", "+", "enlarge", (v) => { v.zoom(0.5); }),
    zoom("zoom-out", "\u2212", "reduce", (v) => { v.zoom(2); }),
    zoom("zoom-back", "\u2190", "earlier", (v) => { v.zoom(1, -0.25); }),
    zoom("zoom-on", "\u2192", "later", (v) => { v.zoom(1, 0.25); }),
    zoom("zoom-all", "All", "show all of the time", (v) => { v.all(); }),
    layout, whole, at,
  );
  const choosers = [settingChoice, seedChoice].filter(({ select }) => select.options.length > 1);
  const live = element(
    "div", { class: "live" },
    element("p", { class: "lede" }, "The buttons, or dragging over a chart with a mouse, enlarge a span of time; a double click shows all of it. With the keyboard: arrows move, + and \u2212 enlarge, comma and period shift, 0 shows everything."),
    choosers.length > 0 && element("p", { class: "chooser" }, ...choosers.flatMap(({ label, select }) => [label, select])),
    tools, note, charts, around, shares,
  );
  section.append(live);
  onTheme(() => { view?.redraw(); });
  const [first] = timelines;
  if (first) draw(first);
  return {
    show: () => { view?.show(); },
    mark: (variant) => { view?.mark(variant); },
    choose: (setting) => {
      settingChoice.select.selectedIndex = setting;
      pick();
      section.scrollIntoView();
      settingChoice.select.focus();
    },
  };
}
