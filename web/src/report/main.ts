/** The life of a report's page: switches, charts in place of still figures, the command to copy. */

import { element, needed } from "../page/dom";
import { allDrawn } from "../charts/turns";
import { switchVariant } from "../charts/visible";
import { sortable } from "../page/table";
import { themeButton } from "../page/theme";
import { copyButton } from "./copy";
import { read } from "./data";
import { overTime, type OverTime } from "./over-time";
import { seeds, spreadFigure } from "../figures/seeds";
import { sweep } from "../figures/sweep";
import { waysFrom } from "./places";

const root = document.documentElement;

async function main(): Promise<void> {
  const contents = await read(needed("#data").textContent);
  const { data } = contents;
  const on = data.variants.map(() => true);
  // Charts take the place of still figures from here on, and measure their width there.
  root.dataset.script = "on";
  needed(".kicker").append(themeButton());
  let time: OverTime | undefined;
  const part = (id: string): HTMLElement | null => document.getElementById(id);

  const sections: [string, (section: HTMLElement) => void][] = [
    ["seeds", (section) => { seeds(section, data); }],
    ["sweep", (section) => { if (data.sweep) sweep(section, data.sweep, { variants: data.variants, kind: data.kind, ways: waysFrom(data.sweep, data.playground, (setting) => { time?.choose(setting); }) }); }],
    ["changes", (section) => { section.append(element("div", { class: "gallery live" }, ...data.changes.map((spread) => spreadFigure(spread, true, "variant")))); }],
    ["time", (section) => { time = overTime(section, contents, (variant) => on[variant] ?? false); }],
  ];
  for (const [id, fill] of sections) {
    const section = part(id);
    if (section) fill(section);
  }
  for (const table of document.querySelectorAll<HTMLTableElement>("table.sortable")) sortable(table);
  switches(on, () => time);
  const bar = document.querySelector<HTMLElement>(".switches");
  if (bar) standBelow(bar);
  for (const text of document.querySelectorAll<HTMLElement>(".command code")) text.closest(".command")?.append(copyButton(text));
  const link = part("link");
  if (link) document.querySelector(".way")?.prepend(copyButton(link, "Copy the experiment as a link"), " ");
  await new Promise((done) => requestAnimationFrame(done));
  // Charts in sight stand from here on, those further down a moment later.
  root.dataset.ready = "sight";
  await allDrawn();
  root.dataset.ready = "true";
}

/** The switches stay in sight where there is room: what has the focus, or is jumped to, stands below them. */
function standBelow(bar: HTMLElement): void {
  new ResizeObserver(() => {
    const height = getComputedStyle(bar).position === "sticky" ? bar.offsetHeight : 0;
    root.style.setProperty("--switches", `${height}px`);
  }).observe(bar);
}

/** A switch before each name of the legend. */
function switches(on: boolean[], time: () => OverTime | undefined): void {
  document.querySelectorAll<HTMLLabelElement>(".switches label").forEach((label, variant) => {
    const box = element("input", { type: "checkbox", value: variant, checked: true });
    label.prepend(box);
    box.addEventListener("change", () => {
      on[variant] = box.checked;
      switchVariant(variant, box.checked);
      time()?.show();
    });
    label.addEventListener("pointerenter", (event) => { if (event.pointerType === "mouse") time()?.mark(variant); });
    label.addEventListener("pointerleave", () => { time()?.mark(null); });
  });
}

main().catch((error: unknown) => {
  // Still figures show everything; what went wrong is for the console.
  delete root.dataset.script;
  root.dataset.failed = String(error);
  console.error(error);
});
