/** The entry of the playground's page. */

import { EnginePool, engineOfPage } from "../engine/pool";
import type { Schema } from "./form";
import { Playground } from "./playground";

async function begin(): Promise<void> {
  document.documentElement.dataset.script = "on";
  const page = document.getElementById("page");
  if (page === null) throw new Error("the page has no place for the playground");
  try {
    const engine = new EnginePool({ module: engineOfPage() });
    const [catalog, schema] = await Promise.all([engine.catalog(), engine.schema()]);
    const playground = new Playground(engine, catalog, schema as Schema, page);
    await playground.begin();
  } catch (error) {
    page.append(`The engine did not start: ${error instanceof Error ? error.message : String(error)}`);
    throw error;
  }
}

void begin();
