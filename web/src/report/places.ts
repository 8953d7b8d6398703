/** The ways from a place of a sweep: to its runs over time, and to its setting in a playground. */

import type { SweepPlace } from "../charts/plots";
import { toAddress } from "../engine/address";
import type { Swept } from "../figures/data";
import { button, element } from "../page/dom";
import { copyButton } from "./copy";

/** Makes the ways; `show` brings the timelines of a setting before the reader. */
export function waysFrom({ texts }: Swept, playground: string | null, show: (setting: number) => void): (place: SweepPlace) => Node[] {
  return ({ at, sheet }) => {
    const over = sheet === null
      ? element("p", { class: "notes" }, "Its runs over time are not in the page: the sweep has more settings than a page can carry.")
      : button("Its runs over time", () => { show(sheet); }, { class: "press" });
    const alone = texts.find(([place]) => place.join() === at.join());
    return [over, ...(alone ? [linked(alone[1], playground)] : [])];
  };
}

/** The way to this setting in the playground: a link where there is one beside the page, or its text to copy. */
function linked(toml: string, playground: string | null): HTMLElement {
  const address = toAddress(toml);
  if (playground !== null) {
    const link = element("a", { class: "press" }, "This setting in the playground");
    void address.then((known) => { link.setAttribute("href", playground + known); });
    return element("p", {}, link);
  }
  const text = element("code");
  void address.then((known) => { text.textContent = `playground.html${known}`; });
  return element(
    "div", {},
    element("p", { class: "notes" }, "This setting as a link, for a playground or for westwood run:"),
    element("div", { class: "command" }, element("pre", {}, text), copyButton(text)),
  );
}
