/** Records of any times as columns of one axis of time: as many as a screen shows, and no peak lost. */

/** Records in order of time. */
export interface Records {
  readonly times: ArrayLike<number>;
  /** NaN counts as no value. */
  readonly values: ArrayLike<number>;
}

/** The middles of both halves of each of so many columns of a span. */
export function axisOf(from: number, to: number, columns: number): Float64Array {
  return Float64Array.from({ length: 2 * columns }, (_, i) => from + ((i + 0.5) * (to - from)) / (2 * columns));
}

/**
 * The lowest and the highest value within each of so many columns of a span, in their order of time. Held
 * values last until the next record, to the end; of samples, columns without any have none.
 */
export function columnsOf(records: Records, from: number, to: number, columns: number, held: boolean): (number | null)[] {
  const { times, values } = records;
  const made = new Array<number | null>(2 * columns).fill(null);
  const scale = columns / (to - from);
  let last: number | null = null;
  let i = firstAtOrAfter(times, from);
  if (held && i > 0) last = numberOr(values[i - 1], null);
  for (let column = 0; column < columns; column++) {
    let low = held && last !== null ? last : Infinity;
    let high = held && last !== null ? last : -Infinity;
    let rises = true;
    for (; i < times.length && Math.floor(((times[i] ?? 0) - from) * scale) <= column; i++) {
      const value = values[i] ?? NaN;
      if (Number.isNaN(value)) continue;
      if (value < low) {
        low = value;
        rises = high === -Infinity;
      }
      if (value > high) {
        high = value;
        rises = true;
      }
      last = value;
    }
    if (low === Infinity) continue;
    made[2 * column] = rises ? low : high;
    made[2 * column + 1] = rises ? high : low;
  }
  return made;
}

const numberOr = (value: number | undefined, other: null): number | null =>
  value === undefined || Number.isNaN(value) ? other : value;

function firstAtOrAfter(times: ArrayLike<number>, time: number): number {
  let [low, high] = [0, times.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((times[middle] ?? Infinity) < time) low = middle + 1;
    else high = middle;
  }
  return low;
}
