// Changes of windows with their causes, as a table whose rows lead the pointer to their moment.

import { button } from "../page/dom";
import { element } from "./dom";
import { plain } from "../page/number";
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

/** Rows that a table shows at most. */
const MOST_ROWS = 300;

/** The table; `go` is called with the moment of a row. */
export function changesTable(list: readonly WindowChange[], go: (time: number) => void): HTMLElement {
  const rows = list.slice(0, MOST_ROWS).map((change) =>
    element(
      "tr",
      {},
      element(
        "th",
        { scope: "row" },
        button(`${change.time.toFixed(4)} s`, () => {
          go(change.time);
        }, { class: "press" }),
      ),
      element("td", {}, change.flow),
      element("td", {}, plain(change.before)),
      element("td", {}, plain(change.after)),
      element("td", { class: "words" }, change.cause),
    ),
  );
  const head = ["Time", "Flow", "cwnd before", "after", "Cause"].map((word) => element("th", { scope: "col" }, word));
  const more = list.length > MOST_ROWS && element("p", { class: "notes" }, `${list.length - MOST_ROWS} more are not listed.`);
  return element(
    "div",
    { class: "scroll", tabindex: 0, role: "region", "aria-label": "Changes of windows with their causes" },
    element(
      "table",
      {},
      element("thead", {}, element("tr", {}, ...head)),
      element("tbody", {}, ...rows),
    ),
    more,
  );
}
