// Quantities as sliders move them. The text of a field stays the truth: a slider reads a text of the plain form
// "number unit", and leaves all others alone.

/** A kind of quantity, with the range that its slider covers. */
export interface Scale {
  /** Units and their size, the smallest first. */
  readonly units: readonly (readonly [name: string, size: number])[];
  /** The ends of the slider, in the unit of size 1. */
  readonly from: number;
  readonly to: number;
  /** The slider's leftmost place says this instead of a number, such as `none`. */
  readonly nothing?: string;
}

/** Rates, in bits a second. */
export const RATE: Scale = {
  units: [
    ["bit/s", 1],
    ["kbit/s", 1e3],
    ["Mbit/s", 1e6],
    ["Gbit/s", 1e9],
  ],
  from: 1e5,
  to: 1e9,
};

/** Propagation times, in seconds. */
export const TIME: Scale = {
  units: [
    ["us", 1e-6],
    ["ms", 1e-3],
    ["s", 1],
  ],
  from: 1e-3,
  to: 1,
};

/** Simulated times, in seconds. */
export const SPAN: Scale = { units: [["s", 1]], from: 1, to: 600 };

/** Buffers, in bandwidth-delay products. */
export const BDP: Scale = { units: [["bdp", 1]], from: 0.05, to: 20 };

/** Shares of packets that are lost. */
export const LOSS: Scale = { units: [["%", 0.01]], from: 1e-5, to: 0.1, nothing: "none" };

const TEXT = /^\s*([0-9]+(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?)\s*([^\s0-9][^0-9]*?)\s*$/;

/** The quantity of a plain text in the unit of size 1; undefined of any other text. */
export function parseQuantity(text: string, scale: Scale): number | undefined {
  if (scale.nothing !== undefined && (text === scale.nothing || text === "")) return 0;
  const found = TEXT.exec(text);
  const size = scale.units.find(([name]) => name === found?.[2])?.[1];
  return found && size !== undefined ? Number(found[1]) * size : undefined;
}

/** A quantity as a text with three figures, in the largest unit of which it is at least one. */
export function formatQuantity(quantity: number, scale: Scale): string {
  if (quantity === 0 && scale.nothing !== undefined) return scale.nothing;
  const fitting = scale.units.filter(([, size]) => quantity >= size * 0.9995);
  const [name, size] = fitting.at(-1) ?? scale.units[0] ?? ["", 1];
  return `${Number((quantity / size).toPrecision(3))} ${name}`;
}

/** Steps of a slider: places are whole numbers from 0 to this. */
export const STEPS = 100;

/** The place of a quantity on its slider, from 0 to STEPS; sliders are logarithmic. */
export function placeOf(quantity: number, scale: Scale): number {
  const first = scale.nothing === undefined ? 0 : 1;
  if (quantity <= 0) return 0;
  const share = Math.log(quantity / scale.from) / Math.log(scale.to / scale.from);
  return Math.round(first + Math.min(1, Math.max(0, share)) * (STEPS - first));
}

/** The quantity at a place of a slider, with two figures. */
export function quantityAt(place: number, scale: Scale): number {
  const first = scale.nothing === undefined ? 0 : 1;
  if (place < first) return 0;
  const share = (place - first) / (STEPS - first);
  return Number((scale.from * (scale.to / scale.from) ** share).toPrecision(2));
}
