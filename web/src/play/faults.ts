// The field at a line of a scenario file: where a fault of the engine is shown.

import { partsOf } from "./call";

/** The path of the field on a line of a TOML text, from 1, as `dumbbell.rate` or `link.2.delay`. */
export function pathAt(toml: string, line: number, column = 1): string | undefined {
  const counts = new Map<string, number>();
  let table = "";
  let found: string | undefined;
  const lines = toml.split("\n").slice(0, line);
  for (const [number, text] of lines.entries()) {
    const list = /^\s*\[\[\s*([A-Za-z0-9_-]+)\s*\]\]/.exec(text)?.[1];
    if (list !== undefined) {
      const number = (counts.get(list) ?? 0) + 1;
      counts.set(list, number);
      table = `${list}.${number}`;
      found = table;
      continue;
    }
    const header = /^\s*\[\s*([^\]]+?)\s*\]/.exec(text)?.[1];
    if (header !== undefined) {
      const [first = "", ...rest] = header.split(".");
      const number = counts.get(first);
      table = number === undefined ? header : [first, String(number), ...rest].join(".");
      found = table;
      continue;
    }
    const key = /^\s*("[^"]*"|[A-Za-z0-9_-]+(?:\s*\.\s*[A-Za-z0-9_-]+)*)\s*=/.exec(text)?.[1];
    if (key === undefined) continue;
    const plain = key.replaceAll('"', "").replaceAll(/\s/g, "");
    found = table === "" ? plain : `${table}.${plain}`;
    if (found === "cc" || found === "sweep.cc") {
      const last = (lines.at(-1) ?? "").slice(0, Math.max(0, column - 1));
      found = `cc.${entryAt([...lines.slice(number, -1), last])}`;
    }
  }
  return found;
}

/** The controller that these lines lead into, from 0. */
function entryAt(lines: readonly string[]): number {
  // Commas count between texts, and within one that names several controllers: not in comments, nor between a
  // controller's parameters. The last text may be open at its end.
  const commas = (_: string, double?: string, single?: string): string =>
    ",".repeat(partsOf(double ?? single ?? "").length - 1);
  const bare = lines.map((text) => text.replaceAll(/"([^"]*)(?:"|$)|'([^']*)(?:'|$)|#.*$/g, commas));
  return bare.join("").split(",").length - 1;
}
