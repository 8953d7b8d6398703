// A lesson: an experiment, something to try with it, and an observation that is measured and not assumed.

import { withUnit } from "../../page/number";
import { controllers, isTable, jsonOf, parseToml, withField, type Tables, type Value } from "../experiment";
import type { Observed } from "../observed";

/** Something to try: settings that are changed in the lesson's own experiment. */
export interface Suggestion {
  /** The change in words: an order to the reader. */
  readonly words: string;
  /** The fields that it sets; undefined leaves one to its default. */
  readonly set: readonly (readonly [path: string, value: Value | undefined])[];
}

/** The result of a look at two runs. */
export interface Finding {
  /** The observation was made. */
  readonly seen: boolean;
  /** The measured numbers, in a sentence. */
  readonly words: string;
}

/** A short lesson. */
export interface Lesson {
  /** Its name in addresses. */
  readonly id: string;
  readonly title: string;
  /** The idea, a paragraph each. */
  readonly idea: readonly string[];
  /** The experiment that it begins with, a scenario file. */
  readonly experiment: string;
  /** A question to think about before anything is changed. */
  readonly question: string;
  /** The thing to try; the observation is about it. */
  readonly suggestion: Suggestion;
  /** True if these settings try it, in this way or in another that serves as well. */
  readonly tried: (before: Observed, after: Observed) => boolean;
  /** The observation in words: what is to be seen with the reader's settings. */
  readonly observation: (before: Observed, after: Observed) => string;
  /** Whether it is seen: the lesson's own run, and the reader's. */
  readonly look: (before: Observed, after: Observed) => Finding;
  /** Further things to try. */
  readonly further: readonly Suggestion[];
}

/** The state of a lesson's observation. */
export type Progress =
  | { readonly state: "open"; readonly words: string }
  | { readonly state: "seen" | "otherwise"; readonly words: string };

/** How far a reader has come: nothing tried yet, the observation made, or something else seen. */
export function progress(lesson: Lesson, before: Observed, after: Observed): Progress {
  if (!lesson.tried(before, after)) return { state: "open", words: lesson.suggestion.words };
  const { seen, words } = lesson.look(before, after);
  return { state: seen ? "seen" : "otherwise", words };
}

/** Settings that change no conclusion of a lesson. */
const FREE = ["name", "about", "seed", "seeds"];

/** True if two experiments differ in no settings but these: an observation is then about them alone. */
export function differOnlyIn(before: Observed, after: Observed, ...paths: readonly string[]): boolean {
  const rest = (run: Observed): string => {
    const tables = [...FREE, ...paths].reduce((left, path) => withField(left, path, undefined), run.tables);
    // The order of settings means nothing.
    const ordered = (table: Tables): Tables => Object.fromEntries(Object.keys(table).sort().map((name) => [name, table[name] ?? ""]));
    return jsonOf(tables, (value) => (isTable(value) ? ordered(value) : value));
  };
  return rest(before) === rest(after);
}

/** The lesson's experiment with what a suggestion changes. */
export function suggested(lesson: Lesson, suggestion: Suggestion): Tables {
  return suggestion.set.reduce((tables, [path, value]) => withField(tables, path, value), parseToml(lesson.experiment));
}

/** The first controller under test, as it is written. */
export function controllerOf(tables: Tables): string {
  return controllers(tables)[0] ?? "";
}

/** The name of a controller without its parameters. */
export function bareName(controller: string): string {
  return controller.split("(")[0] ?? controller;
}

/** Megabits a second with two figures after the point. */
export function mbps(bps: number): string {
  return withUnit((bps / 1e6).toFixed(2), "Mbit/s");
}

/** A share in percent. */
export function percent(share: number): string {
  return withUnit((share * 100).toFixed(share < 0.01 ? 2 : 0), "%");
}

/** Milliseconds. */
export function ms(value: number): string {
  return withUnit(value < 10 ? value.toFixed(1) : value.toFixed(0), "ms");
}

/** A factor. */
export function times(factor: number): string {
  return `${factor.toFixed(1)} times`;
}

/** The observation that packets wait less than this part of what they did, and nine tenths of the goodput remain. */
export function shorterWait(part: number): Lesson["look"] {
  return (before, after) => ({
    seen: after.waitP95Ms < before.waitP95Ms / part && after.goodputBps >= 0.9 * before.goodputBps,
    words:
      `19 of 20 packets wait less than ${ms(after.waitP95Ms)}, before ${ms(before.waitP95Ms)}; ${mbps(after.goodputBps)} arrive, ` +
      `before ${mbps(before.goodputBps)}.`,
  });
}
