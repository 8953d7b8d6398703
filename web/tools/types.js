/**
 * The names of scenario files' tables and fields as types, from the schema that the committed engine gives: what
 * the form asks for by name exists.
 *
 *     node tools/types.js            writes src/play/setting-names.ts, which is committed
 *     node tools/types.js --check    fails if it is not what the schema makes
 */

import { readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";

/** @typedef {{ properties: Record<string, unknown>, definitions: Record<string, { properties?: Record<string, unknown> }> }} Schema */
/** @typedef {{ memory: WebAssembly.Memory, westwood_input: (bytes: number) => number, westwood_call: () => number, westwood_output: () => number }} Exports */

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const file = join(root, "src/play/setting-names.ts");

/** The schema of scenario files, as `westwood schema` prints it. @type {() => Promise<Schema>} */
async function schema() {
  const module = await WebAssembly.compile(new Uint8Array(gunzipSync(await readFile(join(root, "dist/engine.wasm.gz")))));
  const engine = /** @type {Exports} */ (/** @type {unknown} */ ((await WebAssembly.instantiate(module)).exports));
  const request = new TextEncoder().encode('{"do":"schema"}');
  const input = engine.westwood_input(request.length);
  new Uint8Array(engine.memory.buffer, input, request.length).set(request);
  engine.westwood_call();
  const reply = engine.westwood_output();
  const length = new DataView(engine.memory.buffer).getUint32(reply, true);
  const head = new TextDecoder().decode(new Uint8Array(engine.memory.buffer, reply + 4, length));
  /** @type {unknown} */
  const answer = JSON.parse(head);
  return /** @type {{ ok: Schema }} */ (answer).ok;
}

/** A line of the type, or several where one is too long. @type {(table: string, names: string[]) => string} */
function line(table, names) {
  const all = names.sort().map((name) => JSON.stringify(name));
  const plain = /^[a-z_]+$/.test(table);
  return `  readonly ${plain ? table : JSON.stringify(table)}:\n${all.map((name) => `    | ${name}`).join("\n")};`;
}

const { properties, definitions } = await schema();
const tables = Object.entries(definitions).flatMap(([name, table]) => (table.properties ? [line(name, Object.keys(table.properties))] : []));
const text = `// Written by tools/types.js from the schema of scenario files: not by hand.

/** The fields of each table of a scenario file by name; those of the file itself under the empty name. */
export interface SettingNames {
${[line("", Object.keys(properties)), ...tables].join("\n")}
}
`;
if (!process.argv.includes("--check")) await writeFile(file, text);
else if ((await readFile(file, "utf8")) !== text) {
  console.error("web/src/play/setting-names.ts is not what the schema makes: run make page");
  process.exitCode = 1;
}
