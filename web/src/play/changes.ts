// Changes of windows with their causes, as a table whose rows lead the pointer to their moment.

import { button } from "../page/dom";
import { element } from "./dom";
import { plain, withUnit } from "../page/number";
import { Pages } from "../page/table";
import type { WindowTrace } from "./observed";

/** A change of a window that has a cause. */
export interface WindowChange {
  readonly time: number;
  readonly flow: string;
  /** The window before and after it, in segments. */
  readonly before: number;
  readonly after: number;
  readonly cause: string;
}

/** The changes of a window that have a cause. */
export function changes(trace: WindowTrace, flow = trace.flow): WindowChange[] {
  return trace.cause.flatMap((cause, i) => {
    if (cause === "") return [];
    const [time = 0, after = 0, before = 0] = [trace.time[i], trace.cwnd[i], trace.cwnd[Math.max(0, i - 1)]];
    return [{ time, flow, before, after, cause }];
  });
}

/** The table, page by page; `go` is called with the moment of a row. */
export class ChangesTable {
  readonly element: HTMLElement;
  private readonly body = element("tbody");
  private readonly pages: Pages;
  private list: readonly WindowChange[] = [];

  constructor(private readonly go: (time: number) => void) {
    const heads = [["Time"], ["Flow", "words"], ["cwnd before"], ["after"], ["Cause", "words cause"]] as const;
    const head = heads.map(([word, look]) => element("th", { scope: "col", class: look }, word));
    const scroll = element(
      "div",
      { class: "scroll", tabindex: 0, role: "region", "aria-label": "Changes of windows with their causes" },
      element("table", {}, element("thead", {}, element("tr", {}, ...head)), this.body),
    );
    let shown = 0;
    this.pages = new Pages("changes", (first, end) => {
      this.body.replaceChildren(...this.list.slice(first, end).map((change) => this.row(change)));
      if (first !== shown) scroll.scrollTop = 0;
      shown = first;
    });
    this.element = element("div", {}, this.pages.element, scroll);
  }

  /** Shows these, the same page of them as of those before. */
  show(list: readonly WindowChange[]): void {
    this.list = list;
    this.pages.show(list.length);
  }

  private row(change: WindowChange): HTMLElement {
    const moment = button(withUnit(change.time.toFixed(4), "s"), () => {
      this.go(change.time);
    }, { class: "press" });
    return element(
      "tr",
      {},
      element("th", { scope: "row" }, moment),
      element("td", { class: "words" }, change.flow),
      element("td", {}, plain(change.before)),
      element("td", {}, plain(change.after)),
      element("td", { class: "words cause" }, change.cause),
    );
  }
}
