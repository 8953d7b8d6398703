// Changes of windows with their causes, as a table whose rows lead the pointer to their moment.

import { button } from "../page/dom";
import { element } from "./dom";
import { plain, withUnit } from "../page/number";
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

/** Rows of a page of the table. A browser lays out as many at once. */
const ROWS = 300;

/** The table, page by page; `go` is called with the moment of a row. */
export class ChangesTable {
  readonly element: HTMLElement;
  private readonly body = element("tbody");
  private readonly scroll: HTMLElement;
  private readonly words = element("span", { class: "notes", role: "status" });
  private readonly pages: HTMLElement;
  private readonly earlier: HTMLButtonElement;
  private readonly later: HTMLButtonElement;
  private list: readonly WindowChange[] = [];
  private page = 0;

  constructor(private readonly go: (time: number) => void) {
    this.earlier = button("Earlier changes", () => {
      this.turn(this.page - 1);
    }, { class: "press" });
    this.later = button("Later changes", () => {
      this.turn(this.page + 1);
    }, { class: "press" });
    const head = ["Time", "Flow", "cwnd before", "after", "Cause"].map((word) => element("th", { scope: "col" }, word));
    this.scroll = element(
      "div",
      { class: "scroll", tabindex: 0, role: "region", "aria-label": "Changes of windows with their causes" },
      element("table", {}, element("thead", {}, element("tr", {}, ...head)), this.body),
    );
    this.pages = element("p", { class: "row" }, this.earlier, this.later, this.words);
    this.element = element("div", {}, this.pages, this.scroll);
  }

  /** Shows these, the same page of them as of those before. */
  show(list: readonly WindowChange[]): void {
    this.list = list;
    this.fill();
  }

  private turn(page: number): void {
    this.page = page;
    this.fill();
    this.scroll.scrollTop = 0;
  }

  private fill(): void {
    const { list } = this;
    const last = Math.max(0, Math.ceil(list.length / ROWS) - 1);
    this.page = Math.min(last, Math.max(0, this.page));
    const first = this.page * ROWS;
    const shown = list.slice(first, first + ROWS);
    this.body.replaceChildren(...shown.map((change) => this.row(change)));
    this.pages.hidden = last === 0;
    this.earlier.disabled = this.page === 0;
    this.later.disabled = this.page === last;
    this.words.textContent = `Changes ${first + 1} to ${first + shown.length} of ${list.length}`;
  }

  private row(change: WindowChange): HTMLElement {
    const moment = button(withUnit(change.time.toFixed(4), "s"), () => {
      this.go(change.time);
    }, { class: "press" });
    return element(
      "tr",
      {},
      element("th", { scope: "row" }, moment),
      element("td", {}, change.flow),
      element("td", {}, plain(change.before)),
      element("td", {}, plain(change.after)),
      element("td", { class: "words" }, change.cause),
    );
  }
}
