// The places of a sweep, as a reader chooses their curves: at each stand all points whose swept settings are the same.

import { MOST_CONTESTANTS, type Contestant } from "./contestants";

/** The points of one place. */
export interface PlaceOfSweep {
  /** `loss 1 %, rtt 40 ms`; of two experiments with the letter of its own. */
  readonly name: string;
  readonly side: number;
  readonly members: readonly Contestant[];
}

/** The places of these points, in their order; none where nothing is compared at any. */
export function placesOf(all: readonly Contestant[]): PlaceOfSweep[] {
  const places = new Map<string, { name: string; side: number; members: Contestant[] }>();
  for (const one of all) {
    const settings = settingsOf(one);
    const key = JSON.stringify([one.side, settings]);
    const known = places.get(key);
    if (known) known.members.push(one);
    else places.set(key, { name: nameOf(one, all), side: one.side, members: [one] });
  }
  const found = [...places.values()];
  const isSweep = found.some(({ members: [one] }) => one && settingsOf(one).length > 0);
  return isSweep && found.some(({ members }) => members.length > 1) ? found : [];
}

/** The settings that are swept, without the controller: controllers are compared at each place. */
function settingsOf({ shown, point }: Contestant): [path: string, value: string][] {
  return swept(shown.plan.points[point]?.settings ?? {});
}

const swept = (settings: Readonly<Record<string, string>>): [path: string, value: string][] =>
  Object.entries(settings).filter(([path]) => path !== "cc");

/** Settings that are swept in words: `loss 1 %, rtt 40 ms`. */
export function settingWords(settings: Readonly<Record<string, string>>): string {
  const last = (path: string): string => path.split(".").at(-1) ?? path;
  const all = swept(settings);
  const name = (path: string): string => (all.filter(([other]) => last(other) === last(path)).length > 1 ? path : last(path));
  return all.map(([path, value]) => `${name(path)} ${value}`).join(", ");
}

function nameOf({ side, shown, point }: Contestant, all: readonly Contestant[]): string {
  const letter = all.some((one) => one.side !== side) ? `${"AB"[side] ?? ""}: ` : "";
  return letter + (settingWords(shown.plan.points[point]?.settings ?? {}) || "all of its points");
}

/** The mark of each point: at each place of a sweep those compared have the same ones, as its figures have. */
export function marksOf(all: readonly Contestant[], places: readonly PlaceOfSweep[]): number[] {
  if (places.length === 0) return all.map((_, i) => i);
  return all.map((one) => {
    const place = places.find(({ members }) => members.includes(one));
    return place?.members.indexOf(one) ?? 0;
  });
}

/** The mark of the first point of each side, as its curves and its row of the table have it. */
export function firstMarks(all: readonly Contestant[], places: readonly PlaceOfSweep[], sides: number): number[] {
  const marks = marksOf(all, places);
  return Array.from({ length: sides }, (_, side) => marks[all.findIndex((one) => one.side === side)] ?? 0);
}

/** The choices of curves, in the order of their list. */
export interface CurveChoice {
  /** The value by which the list knows it. */
  readonly value: string;
  readonly words: string;
  readonly members: readonly Contestant[];
  /** Some flows of a point are left out, which the words say. */
  readonly cut: boolean;
}

/** The name by which a choice is known again in another list. */
export const keyOf = ({ members, words }: CurveChoice): string => (members.length === 1 ? (members[0]?.name ?? words) : words);

/** All choices: the first flows of all points, those of each place of a sweep, and all flows of each point. */
export function curveChoices(all: readonly Contestant[], places: readonly PlaceOfSweep[]): CurveChoice[] {
  const several = all.length > 1;
  const cut = all.some((one) => flowsOf(one) > MOST_CONTESTANTS);
  // Where several are compared at each place, colours tell these apart and not places.
  const together = several && places.length === 0;
  return [
    ...(together ? [{ value: "-1", words: `${among(all.length, "")}, the first flow of each`, members: all, cut: false }] : []),
    ...places.map(({ name, members }, i) => ({ value: `place ${i}`, words: `${name}, ${among(members.length, " compared there")}`, members, cut: false })),
    ...all.map((one, i) => ({
      value: String(i), words: several || cut ? `${one.name}, ${among(flowsOf(one), " flows")}` : one.name, members: [one], cut: flowsOf(one) > MOST_CONTESTANTS,
    })),
  ];
}

/** So many as are drawn of these, in words. */
function among(count: number, what: string): string {
  return count > MOST_CONTESTANTS ? `the first ${MOST_CONTESTANTS} of ${count}${what}` : `all${what}`;
}

function flowsOf({ shown, point }: Contestant): number {
  return shown.plan.networks[point]?.flows.length ?? 0;
}
