/** Figures over the seeds and over the parameters, as reports and the engine give them: `crates/report` writes both. */

import type { Spread, SweepAxis, SweepQuantity, Tradeoff } from "../charts/plots";

/** A sweep: quantities over one axis or over two. */
export interface Swept {
  readonly axes: readonly SweepAxis[];
  readonly practical_percent: number;
  readonly metrics: readonly SweepQuantity[];
  /** The settings of places as scenarios of their own; none if a link cannot hold them. */
  readonly texts: readonly (readonly [at: readonly number[], toml: string])[];
}

/** The figures of an experiment's results. */
export interface Figures {
  /** The kind of those compared, in a word: `controller`. */
  readonly kind: string;
  readonly variants: readonly string[];
  readonly tradeoff: Tradeoff | null;
  readonly spreads: readonly Spread[];
  readonly sweep: Swept | null;
}
