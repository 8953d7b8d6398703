// A name with parameters, as controllers, queues and losses are written: `westwood+(tau=0.3s, filter=a)`.

/** A name and its parameters, in the order in which they were written. */
export interface Call {
  readonly name: string;
  readonly parameters: ReadonlyMap<string, string>;
}

/** The parts of a list in one text, as the command takes them: commas within parentheses do not separate. */
export function partsOf(text: string): string[] {
  const parts: string[] = [];
  let [depth, start] = [0, 0];
  for (let at = 0; at < text.length; at++) {
    if (text[at] === "(") depth += 1;
    else if (text[at] === ")") depth = Math.max(0, depth - 1);
    else if (text[at] === "," && depth === 0) {
      parts.push(text.slice(start, at));
      start = at + 1;
    }
  }
  return [...parts, text.slice(start)].map((part) => part.trim());
}

/** Reads a call; undefined of a text that is none, such as one with nested parentheses or an unnamed parameter. */
export function parseCall(text: string): Call | undefined {
  const found = /^\s*([^\s(),=]+)\s*(?:\(([^()]*)\))?\s*$/.exec(text);
  if (!found) return undefined;
  const parameters = new Map<string, string>();
  const inside = found[2]?.trim() ?? "";
  for (const part of inside === "" ? [] : inside.split(",")) {
    const at = part.indexOf("=");
    if (at < 0) return undefined;
    parameters.set(part.slice(0, at).trim(), part.slice(at + 1).trim());
  }
  return { name: found[1] ?? "", parameters };
}

/** Writes a call; parameters without a value are left out. */
export function writeCall(call: Call): string {
  const parameters = [...call.parameters].filter(([, value]) => value !== "");
  if (parameters.length === 0) return call.name;
  return `${call.name}(${parameters.map(([name, value]) => `${name}=${value}`).join(", ")})`;
}
