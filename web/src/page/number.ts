/** Numbers as text. */

const THIN = "\u202f";

/** A number with so many digits that mean something, its thousands set apart, as short as possible; a dash where there is none. */
export function plain(value: number, digits = 3): string {
  if (Number.isNaN(value)) return "\u2013";
  if (!Number.isFinite(value)) return value > 0 ? "\u221e" : "\u2212\u221e";
  if (value === 0) return "0";
  const size = Math.floor(Math.log10(Math.abs(value)));
  const places = Math.min(9, Math.max(0, digits - 1 - size));
  const fixed = Math.abs(value).toFixed(places);
  const [whole = "0", fraction = ""] = fixed.split(".");
  const short = fraction.replace(/0+$/, "");
  const grouped = whole.length > 4 ? whole.replace(/\B(?=(\d{3})+$)/g, THIN) : whole;
  // A value that nine places cannot show has no sign either.
  const sign = value < 0 && /[1-9]/.test(fixed) ? "\u2212" : "";
  return `${sign}${grouped}${short ? "." + short : ""}`;
}

const BESIDE = "\u00a0";

/** A number, as it is written, and its unit: no line ends between them. */
export const withUnit = (number: string | number, unit: string): string => (unit === "" ? String(number) : `${number}${BESIDE}${unit}`);

const PARTED = /(\d) (?=(?:%|[num\u00b5]?s|[kMG]?bit\/s|[kM]i?B|bytes|packets?|segments?)(?![\p{L}\p{N}/]))/gu;

/** Prose whose numbers are not parted from their units at the end of a line. */
export const unbroken = (text: string): string => text.replace(PARTED, `$1${BESIDE}`);

/** The least and the largest value of a quantity; `null` where there is none. */
export type Range = readonly [least: number | null, largest: number | null];

/** A mean with half of its interval, which ends where the quantity does, as the command writes it: `0.3 \u22641.8`. */
export function within([mean, half]: readonly [number, number | null], [least, largest]: Range): string {
  if (half === null) return plain(mean);
  const [low, high] = [mean - half, mean + half];
  const below = least !== null && low < least;
  const above = largest !== null && high > largest;
  if (below && above) return `${plain(mean)} ${plain(least)}\u2026${plain(largest)}`;
  if (below) return `${plain(mean)} \u2264${plain(high)}`;
  return above ? `${plain(mean)} \u2265${plain(low)}` : `${plain(mean)} \u00b1${plain(half, 2)}`;
}

/** The words for the sign before an end of an interval, where one of these texts has it. */
export function endWords(texts: readonly string[]): string {
  const signs = ["\u2264", "\u2265"].filter((sign) => texts.some((text) => text.includes(sign)));
  if (signs.length === 0) return "";
  const verb = signs.length > 1 ? "give" : "gives";
  return `; ${signs.join(" and ")} ${verb} the end of an interval whose other end is where the quantity ends`;
}

/**
 * The words for means without an interval, where a table has `some`: the runs under so many seeds are alike, and so
 * large a share of further ones may differ with 95 % confidence, by the command's `unseen_share`.
 */
export function alikeWords(some: boolean, seeds: number): string {
  if (seeds < 2 || !some) return "";
  const others = Math.ceil(100 * (1 - 0.05 ** (1 / (seeds - 1))) - 1e-9);
  return `; no \u00b1: alike under all seeds, up to ${others}${BESIDE}% of further runs may differ`;
}

/** The words for rows of a table of means for which nothing is random, where others are. */
export function exactWords(names: readonly string[], rows: number): string {
  if (names.length === 0) return "";
  const which = names.length > 3 ? `in ${names.length} of ${rows} rows` : `for ${names.join(" and ")}`;
  return `; nothing is random ${which}, every seed gives the same`;
}

/** The lowest and the highest of some values, or one number where they are the same. */
export function span(low: number, high: number): string {
  const [a, b] = [plain(low), plain(high)];
  return a === b ? a : `${a}\u2013${b}`;
}
