// The field at a line of a scenario file: where a fault of the engine is shown.

/** The path of the field on a line of a TOML text, from 1, as `dumbbell.rate` or `link.2.delay`. */
export function pathAt(toml: string, line: number, column = 1): string | undefined {
  const counts = new Map<string, number>();
  let table = "";
  let found: string | undefined;
  for (const text of toml.split("\n").slice(0, line)) {
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
    if (found === "cc") found = `cc.${entryAt(text, column)}`;
  }
  return found;
}

/** The entry of a one-line list that a column is in, from 0. */
function entryAt(line: string, column: number): number {
  const before = line.slice(line.indexOf("[") + 1, Math.max(0, column - 1));
  return line.includes("[") ? before.replaceAll(/\([^)]*\)|"[^"]*"/g, "").split(",").length - 1 : 0;
}
