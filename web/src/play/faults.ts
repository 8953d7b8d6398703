// The field at a line of a scenario file: where a fault of the engine is shown.

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
    if (found === "cc") found = `cc.${entryAt([...lines.slice(number, -1), (lines.at(-1) ?? "").slice(0, Math.max(0, column - 1))])}`;
  }
  return found;
}

/** The entry of a list that these lines lead into, from 0; 0 of a single text. */
function entryAt(lines: readonly string[]): number {
  // Commas count between entries: not within their texts, which may be open at the end, nor in comments.
  const bare = lines.map((text) => text.replaceAll(/"[^"]*("|$)|'[^']*('|$)/g, "").replace(/#.*$/, "")).join("\n");
  return bare.split(",").length - 1;
}
