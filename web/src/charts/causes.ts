// Why a window changed, in words: the last change before a moment, and the beginning of the recovery that ends there.

/** A change of a window: when, the number of its cause, and whether the window went down for congestion. */
export type Change = readonly [time_s: number, cause: number, reduced: 0 | 1];

/** The words of `westwood_tcp::Note` for the end of a recovery, and for the begin of one that reduces nothing. */
const RECOVERY_ENDS = "recovery ends";
const SPARED = "damaged, not congested";

/** The place of the last change that is not after a time; -1 if there is none. */
export function lastBefore(changes: readonly Change[], time: number): number {
  let [low, high] = [0, changes.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((changes[middle]?.[0] ?? Infinity) <= time) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** The cause of a change. The end of a recovery says little without its beginning: it says when and why that was. */
export function causeOf(changes: readonly Change[], place: number, causes: readonly string[]): string {
  const words = (of: Change | undefined): string => (of ? (causes[of[1]] ?? "") : "");
  const cause = words(changes[place]);
  if (cause !== RECOVERY_ENDS) return cause;
  for (let i = place - 1; i >= 0; i--) {
    const before = changes[i];
    const said = words(before);
    if (before?.[2] === 1 || said.includes(SPARED)) {
      const why = said.split("; ").filter((note) => note !== RECOVERY_ENDS).join("; ");
      return `the recovery that began at ${(before?.[0] ?? 0).toFixed(3)}\u{a0}s ends; its cause was: ${why}`;
    }
    if (said === RECOVERY_ENDS) break;
  }
  return cause;
}
