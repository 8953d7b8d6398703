/** Tables: those behind charts, and those that a click on a heading sorts. */

import { button, element } from "./dom";

export interface TableText {
  /** The subject of the table, for those who hear it. */
  readonly caption: string;
  readonly head: readonly string[];
  /** The columns that have words, which begin at the left. */
  readonly words?: readonly string[];
  /** Rows, of which the first cell is the name. */
  readonly rows: readonly (readonly string[])[];
}

/** Rows of a page of a table. A browser lays out as many at once. */
const PAGE_ROWS = 300;

/** The buttons that turn the pages of a table, and words about the rows that are shown. */
export class Pages {
  readonly element: HTMLElement;
  readonly #earlier: HTMLButtonElement;
  readonly #later: HTMLButtonElement;
  readonly #words = element("span", { class: "notes", role: "status" });
  #page = 0;
  #rows = 0;

  /** `fill` is called with the first row of a page, and the one behind its last. */
  constructor(readonly what: string, readonly fill: (first: number, end: number) => void) {
    this.#earlier = button(`Earlier ${what}`, () => { this.#turn(-1); }, { class: "press" });
    this.#later = button(`Later ${what}`, () => { this.#turn(1); }, { class: "press" });
    this.element = element("p", { class: "tools" }, this.#earlier, this.#later, this.#words);
  }

  /** Shows the same page of so many rows as before. */
  show(rows: number): void {
    this.#rows = rows;
    const last = Math.max(0, Math.ceil(rows / PAGE_ROWS) - 1);
    this.#page = Math.min(last, Math.max(0, this.#page));
    const first = this.#page * PAGE_ROWS;
    const end = Math.min(rows, first + PAGE_ROWS);
    this.fill(first, end);
    this.element.hidden = last === 0;
    const focused = document.activeElement;
    this.#earlier.disabled = this.#page === 0;
    this.#later.disabled = this.#page === last;
    // A button that is switched off gives the focus to nobody.
    if (focused === this.#earlier && this.#earlier.disabled) this.#later.focus();
    if (focused === this.#later && this.#later.disabled) this.#earlier.focus();
    this.#words.textContent = `${this.what.slice(0, 1).toUpperCase()}${this.what.slice(1)} ${first + 1} to ${end} of ${rows}`;
  }

  #turn(by: number): void {
    this.#page += by;
    this.show(this.#rows);
  }
}

/** A table in a region that scrolls by itself; page by page if it is long. */
export function table(text: TableText): HTMLElement {
  const looks = text.head.map((cell) => (text.words?.includes(cell) === true ? "words" : undefined));
  const head = element("tr", {}, ...text.head.map((cell, i) => element("th", { scope: "col", class: looks[i] }, cell)));
  const row = ([name = "", ...cells]: readonly string[]): HTMLElement =>
    element("tr", {}, element("th", { scope: "row" }, name), ...cells.map((cell, i) => element("td", { class: looks[i + 1] }, cell)));
  const body = element("tbody");
  const region = element(
    "div",
    { class: "scroll", tabindex: 0, role: "region", "aria-label": text.caption },
    element("table", {}, element("caption", { class: "unseen" }, text.caption), element("thead", {}, head), body),
  );
  const pages = new Pages("rows", (first, end) => {
    body.replaceChildren(...text.rows.slice(first, end).map(row));
    region.scrollTop = 0;
  });
  pages.show(text.rows.length);
  return text.rows.length > PAGE_ROWS ? element("div", {}, pages.element, region) : region;
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
    if (region?.className === made.className) region.replaceChildren(...made.childNodes);
    else {
      region?.remove();
      details.append((region = made));
    }
  };
  details.addEventListener("toggle", renew);
  return { element: details, renew };
}

/** The number that the text of a cell begins with; what has none comes below all. */
export function leadingNumber(text: string): number {
  const bare = text.replaceAll("\u2212", "-").replace(/[\u202f\s]/g, "");
  const number = Number.parseFloat(bare.replace("\u221e", "Infinity"));
  return Number.isNaN(number) ? -Infinity : number;
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
        return leadingNumber(row.cells[head.cellIndex]?.textContent ?? "");
      };
      const rows = [...body.rows].sort((a, b) => (descending ? value(b) - value(a) : value(a) - value(b)));
      body.append(...rows);
    });
  }
}
