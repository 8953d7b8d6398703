/** The data inside a report's page; `crates/report/src/html/data.rs` writes them. */

import type { Change } from "../charts/causes";
import type { Curve, TimeData, TimePanel } from "../charts/time";
import type { Figures } from "../figures/data";
import { bytesOf } from "../page/base64";
import type { Distribution, Quantity, Sequence, Spread } from "../charts/plots";

/** A curve among the bytes: its first one, and its number of values. */
type Place = readonly [start: number, count: number];

interface StoredCurve {
  readonly variant: number;
  readonly label: string;
  readonly role: Curve["role"];
  readonly values: Place;
  readonly band: readonly [Place, Place] | null;
}

interface StoredPanel {
  readonly quantity: Quantity;
  readonly heading: string;
  readonly apart: boolean;
  readonly causes: boolean;
  readonly clip: number | null;
  readonly references: readonly (readonly [string, number])[];
  readonly lines: readonly StoredCurve[];
}

/** Runs over time, of one setting and one seed or all of them together. */
export interface StoredTimeline {
  readonly setting: number;
  readonly title: string;
  readonly seed: string;
  /** Medians of several seeds with what lies between the lowest and the highest. */
  readonly together: boolean;
  readonly note: string;
  readonly end: number;
  readonly warmup: number;
  readonly columns: number;
  readonly panels: readonly StoredPanel[];
  readonly distributions: readonly { readonly quantity: Quantity; readonly of: string; readonly curves: readonly (readonly [Place, Place])[] }[];
  readonly events: readonly (readonly Change[])[];
  readonly causes: readonly string[];
  /** For each variant the times of its losses. */
  readonly losses: readonly (readonly number[])[];
  /** For each variant its first flow around its first loss. */
  readonly sequences: readonly (Sequence | null)[];
}

export interface ReportData extends Figures {
  readonly schema: "westwood.page/1";
  readonly changes: readonly Spread[];
  readonly timelines: readonly StoredTimeline[];
  /** The address of a playground that was written beside the report. */
  readonly playground: string | null;
}

/** The data of a page, and the bytes of its curves. */
export interface Contents {
  readonly data: ReportData;
  readonly bytes: Uint8Array;
}

/** Reads the data: base64 of raw DEFLATE of the length of the JSON (4 bytes, little-endian), the JSON, and the curves. */
export async function read(text: string): Promise<Contents> {
  const stream = new Blob([bytesOf(text.trim())]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  const whole = new Uint8Array(await new Response(stream).arrayBuffer());
  const length = new DataView(whole.buffer).getUint32(0, true);
  const data = JSON.parse(new TextDecoder().decode(whole.subarray(4, 4 + length))) as ReportData;
  return { data, bytes: whole.subarray(4 + length) };
}

/** The values of a curve: the upper three bytes of singles, plane by plane; NaN where there is none. */
export function numbersAt(bytes: Uint8Array, [start, count]: Place): Float64Array {
  const bits = new Uint32Array(count);
  for (let i = 0; i < count; i++) {
    bits[i] = ((bytes[start + i] ?? 0) << 24) | ((bytes[start + count + i] ?? 0) << 16) | ((bytes[start + 2 * count + i] ?? 0) << 8);
  }
  return new Float64Array(new Float32Array(bits.buffer));
}

/** The same with `null` where there is none. */
export function valuesAt(bytes: Uint8Array, place: Place): Float64Array | (number | null)[] {
  const values = numbersAt(bytes, place);
  return values.some(Number.isNaN) ? Array.from(values, (value) => (Number.isNaN(value) ? null : value)) : values;
}

/** A timeline as charts have it. */
export function timeData(timeline: StoredTimeline, bytes: Uint8Array): TimeData {
  const count = 2 * timeline.columns;
  const curve = (line: StoredCurve): Curve => ({
    variant: line.variant,
    label: line.label,
    role: line.role,
    values: valuesAt(bytes, line.values),
    band: line.band ? [valuesAt(bytes, line.band[0]), valuesAt(bytes, line.band[1])] : undefined,
  });
  const panel = (stored: StoredPanel): TimePanel => ({
    heading: stored.heading,
    unit: stored.quantity.unit,
    curves: stored.lines.map(curve),
    references: stored.references,
    clip: stored.clip,
    apart: stored.apart,
    causes: stored.causes,
    // Losses stand where they come from.
    losses: stored.quantity.id === "queue" ? timeline.losses : undefined,
  });
  return {
    times: Float64Array.from({ length: count }, (_, i) => ((i + 0.5) * timeline.end) / count),
    paired: true,
    end: timeline.end,
    warmup: timeline.warmup,
    panels: timeline.panels.map(panel),
    changes: timeline.events,
    causes: timeline.causes,
  };
}

export function distributionsOf(timeline: StoredTimeline, bytes: Uint8Array): Distribution[] {
  return timeline.distributions.map((stored) => ({
    quantity: stored.quantity,
    of: stored.of,
    curves: stored.curves.map(([values, shares]) => ({ values: numbersAt(bytes, values), shares: numbersAt(bytes, shares) })),
  }));
}
