/** Tables: those behind charts, and those that a click on a heading sorts. */

import { element } from "./dom";

export interface TableText {
  /** The subject of the table, for those who hear it. */
  readonly caption: string;
  readonly head: readonly string[];
  /** Rows, of which the first cell is the name. */
  readonly rows: readonly (readonly string[])[];
}

/** A table in a region that scrolls by itself. */
export function table(text: TableText): HTMLElement {
  const head = element("tr", {}, ...text.head.map((cell) => element("th", { scope: "col" }, cell)));
  const row = ([name = "", ...cells]: readonly string[]): HTMLElement =>
    element("tr", {}, element("th", { scope: "row" }, name), ...cells.map((cell) => element("td", {}, cell)));
  return element(
    "div",
    { class: "scroll", tabindex: 0, role: "region", "aria-label": text.caption },
    element(
      "table",
      {},
      element("caption", { class: "unseen" }, text.caption),
      element("thead", {}, head),
      element("tbody", {}, ...text.rows.map(row)),
    ),
  );
}

/** The numbers of a chart. */
export interface Numbers {
  /** A line that opens their table. */
  readonly element: HTMLDetailsElement;
  /** The chart has changed: the table is made anew if it is open. */
  readonly renew: () => void;
}

/** The numbers of a chart, in a table that is made each time that it is opened. */
export function numbers(make: () => TableText, summary = "The numbers"): Numbers {
  const details = element("details", { class: "behind" }, element("summary", {}, summary));
  let region: HTMLElement | undefined;
  const renew = (): void => {
    if (!details.open) return;
    const made = table(make());
    // The region stays, and so where a reader has scrolled to and the focus.
    if (region) region.replaceChildren(...made.childNodes);
    else details.append((region = made));
  };
  details.addEventListener("toggle", renew);
  return { element: details, renew };
}

/** Headings of a table become buttons that sort its rows by their column. */
export function sortable(sorted: HTMLTableElement): void {
  const body = sorted.tBodies[0];
  if (!body) return;
  for (const head of sorted.querySelectorAll<HTMLTableCellElement>("thead th:not(:first-child)")) {
    const label = head.querySelector("span");
    const press = element("button", { type: "button" }, label?.textContent ?? "");
    label?.replaceWith(press);
    press.addEventListener("click", () => {
      const descending = head.getAttribute("aria-sort") !== "descending";
      for (const other of sorted.querySelectorAll("th[aria-sort]")) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", descending ? "descending" : "ascending");
      const value = (row: HTMLTableRowElement): number => {
        const text = row.cells[head.cellIndex]?.textContent ?? "";
        const number = Number.parseFloat(text.replaceAll("\u2212", "-").replace(/[\u202f\s]/g, ""));
        return Number.isNaN(number) ? -Infinity : number;
      };
      const rows = [...body.rows].sort((a, b) => (descending ? value(b) - value(a) : value(a) - value(b)));
      body.append(...rows);
    });
  }
}
