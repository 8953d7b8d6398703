/** The entry of the playground's page. */

import { EnginePool, engineOfPage } from "../engine/pool";
import { themeButton } from "../page/theme";
import { element } from "./dom";
import type { Schema } from "./form";
import { Playground } from "./playground";

function masthead(): HTMLElement {
  return element(
    "header",
    { class: "masthead" },
    element("p", { class: "kicker" }, "TCP congestion control", themeButton()),
    element("h1", {}, "Westwood playground"),
    element(
      "p",
      { class: "lede" },
      "The simulator itself runs in this page: turn a setting and see what TCP does with it. A link repeats the " +
        "experiment to the same bits, here and with ",
      element("code", {}, "westwood run"),
      ".",
    ),
  );
}

async function begin(): Promise<void> {
  document.documentElement.dataset.script = "on";
  const page = document.getElementById("page");
  if (page === null) throw new Error("the page has no place for the playground");
  // A reader sees this while the engine is unpacked and compiled.
  page.before(masthead());
  page.className = "playground";
  page.replaceChildren(element("p", { class: "notes", role: "status" }, "The simulator is being unpacked\u2026"));
  try {
    const engine = new EnginePool({ module: engineOfPage() });
    const [catalog, schema] = await Promise.all([engine.catalog(), engine.schema()]);
    const playground = new Playground(engine, catalog, schema as Schema, page);
    await playground.begin();
  } catch (error) {
    page.replaceChildren(`The engine did not start: ${error instanceof Error ? error.message : String(error)}`);
    throw error;
  }
}

void begin();
