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

/** Records of which one place stands for so many. */
const BLOCK = 64;

/** The places of the lowest and of the highest value of each block of records; `NONE` if it has no value. */
interface Blocks {
  readonly lowest: Uint32Array;
  readonly highest: Uint32Array;
}

const NONE = 0xffff_ffff;

/**
 * Records whose columns are asked for again and again, of one span after another. A column of many records is
 * looked up in blocks, so that the columns of any span cost about the same.
 */
export class Envelope {
  readonly #records: Records;
  /** Made for the first column that has whole blocks. */
  #blocks: Blocks | undefined;

  constructor(records: Records) {
    this.#records = records;
  }

  /**
   * The lowest and the highest value within each of so many columns of a span, in their order of time. Held
   * values last until the next record, to the end; of samples, columns without any have none.
   */
  columns(from: number, to: number, columns: number, held: boolean): (number | null)[] {
    const { times, values } = this.#records;
    const made = new Array<number | null>(2 * columns).fill(null);
    const scale = columns / (to - from);
    let first = firstWhere(times, 0, (time) => time >= from);
    let last = held ? this.#lastValue(0, first) : null;
    for (let column = 0; column < columns; column++) {
      // The end of the span belongs to its last column.
      const over = column === columns - 1 ? (time: number) => time > to : (time: number) => Math.floor((time - from) * scale) > column;
      const next = firstWhere(times, first, over);
      const [lowest, highest] = this.#extremes(first, next);
      // A held value stands before all records of its column.
      let [low, high, rises] = [last ?? Infinity, last ?? -Infinity, true];
      if (lowest !== NONE) {
        const [least, most] = [values[lowest] ?? NaN, values[highest] ?? NaN];
        const [lower, higher] = [least < low, most > high];
        rises = higher ? !lower || highest >= lowest : !lower;
        if (lower) low = least;
        if (higher) high = most;
        if (held) last = this.#lastValue(first, next) ?? last;
      }
      first = next;
      if (low === Infinity) continue;
      made[2 * column] = rises ? low : high;
      made[2 * column + 1] = rises ? high : low;
    }
    return made;
  }

  /** The last value among these records. */
  #lastValue(first: number, end: number): number | null {
    const { values } = this.#records;
    for (let i = end - 1; i >= first; i--) {
      const value = values[i] ?? NaN;
      if (!Number.isNaN(value)) return value;
    }
    return null;
  }

  /** The places of the lowest and of the highest value among these records, the first of equals. */
  #extremes(first: number, end: number): [number, number] {
    const { values } = this.#records;
    let [lowest, highest] = [NONE, NONE];
    const take = (low: number, high: number): void => {
      if (low === NONE) return;
      if (lowest === NONE || (values[low] ?? NaN) < (values[lowest] ?? NaN)) lowest = low;
      if (highest === NONE || (values[high] ?? NaN) > (values[highest] ?? NaN)) highest = high;
    };
    const each = (from: number, to: number): void => {
      for (let i = from; i < to; i++) if (!Number.isNaN(values[i] ?? NaN)) take(i, i);
    };
    const [begin, past] = [Math.ceil(first / BLOCK), Math.floor(end / BLOCK)];
    if (begin >= past) each(first, end);
    else {
      const blocks = (this.#blocks ??= blocksOf(values));
      each(first, begin * BLOCK);
      for (let block = begin; block < past; block++) take(blocks.lowest[block] ?? NONE, blocks.highest[block] ?? NONE);
      each(past * BLOCK, end);
    }
    return [lowest, highest];
  }
}

function blocksOf(values: ArrayLike<number>): Blocks {
  const count = Math.floor(values.length / BLOCK);
  const [lowest, highest] = [new Uint32Array(count).fill(NONE), new Uint32Array(count).fill(NONE)];
  for (let block = 0; block < count; block++) {
    let [low, high, lowAt, highAt] = [Infinity, -Infinity, NONE, NONE];
    for (let i = block * BLOCK; i < (block + 1) * BLOCK; i++) {
      const value = values[i] ?? NaN;
      if (Number.isNaN(value)) continue;
      if (lowAt === NONE || value < low) [low, lowAt] = [value, i];
      if (highAt === NONE || value > high) [high, highAt] = [value, i];
    }
    lowest[block] = lowAt;
    highest[block] = highAt;
  }
  return { lowest, highest };
}

/** The columns of records that are looked at once; see {@link Envelope.columns}. */
export const columnsOf = (records: Records, from: number, to: number, columns: number, held: boolean): (number | null)[] =>
  new Envelope(records).columns(from, to, columns, held);

/**
 * The first place from `start` on whose time is so; all later times are so too. Steps double from `start`,
 * since the place is most often near it.
 */
export function firstWhere(times: ArrayLike<number>, start: number, is: (time: number) => boolean): number {
  let step = 1;
  let low = start;
  while (low + step <= times.length && !is(times[low + step - 1] ?? Infinity)) {
    low += step;
    step *= 2;
  }
  let high = Math.min(low + step - 1, times.length);
  while (low < high) {
    const middle = (low + high) >> 1;
    if (is(times[middle] ?? Infinity)) high = middle;
    else low = middle + 1;
  }
  return low;
}
