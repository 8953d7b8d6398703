/** A page with the engine alone, for tests. */

import { EnginePool, engineOfPage } from "../../src/engine/pool.js";

declare global {
  /** The pool of the page. */
  var westwood: EnginePool;
}

globalThis.westwood = new EnginePool({ module: engineOfPage() });
