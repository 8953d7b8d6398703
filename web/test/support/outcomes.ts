/** Outcomes that no engine has made. */

import type { OutcomeFigures } from "../../src/engine/api.js";

/** The figures of no results. */
export const NO_FIGURES: OutcomeFigures = { kind: "controller", variants: [], tradeoff: null, spreads: [], sweep: null, places: [], means: [], ranges: {} };
