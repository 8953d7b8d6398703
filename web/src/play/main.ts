/** The entry of the playground's page. */

import { EnginePool, engineOfPage } from "../engine/pool";
import { themeButton } from "../page/theme";
import { element } from "./dom";
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

/** Waits until what the page has so far is on the screen; a page that is not shown has nothing there. */
function painted(): Promise<void> {
  return new Promise((done) => {
    if (document.hidden) done();
    else requestAnimationFrame(() => setTimeout(done));
  });
}

async function begin(): Promise<void> {
  document.documentElement.dataset.script = "on";
  const page = document.getElementById("page");
  if (page === null) throw new Error("the page has no place for the playground");
  page.before(masthead());
  // Unpacking keeps the thread that draws busy: the first picture comes before it.
  let unpack: () => void = () => undefined;
  const asked = new Promise<void>((resolve) => { unpack = resolve; });
  const playground = new Playground(new EnginePool({ module: asked.then(() => engineOfPage()) }), page);
  try {
    await playground.open();
    await painted();
    unpack();
    await playground.furnish();
  } catch (error) {
    playground.element.replaceChildren(`The engine did not start: ${error instanceof Error ? error.message : String(error)}`);
    throw error;
  }
}

void begin();
