/**
 * Types made from schemas, committed: the names of scenario files' tables and fields, from the schema that the
 * committed engine gives, so that what the form asks for by name exists; and the documents of results, from the
 * schemas in docs/reference, which are made from what the command serialises.
 *
 *     node tools/types.js            writes src/play/setting-names.ts and src/schema/*.ts
 *     node tools/types.js --check    fails if one of them is not what its schema makes
 */

import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { compile } from "json-schema-to-typescript";
import ts from "typescript";

/** @typedef {{ properties: Record<string, unknown>, definitions: Record<string, { properties?: Record<string, unknown> }> }} Schema */
/** @typedef {{ memory: WebAssembly.Memory, westwood_input: (bytes: number) => number, westwood_call: () => number, westwood_output: () => number }} Exports */

const root = join(dirname(fileURLToPath(import.meta.url)), "..");

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

/** The names of settings. @type {() => Promise<string>} */
async function settingNames() {
  const { properties, definitions } = await schema();
  const tables = Object.entries(definitions).flatMap(([name, table]) => (table.properties ? [line(name, Object.keys(table.properties))] : []));
  return `// Written by tools/types.js from the schema of scenario files: not by hand.

/** The fields of each table of a scenario file by name; those of the file itself under the empty name. */
export interface SettingNames {
${[line("", Object.keys(properties)), ...tables].join("\n")}
}
`;
}

/**
 * The text with every field, list and record marked as one that nobody writes to, as all types of the pages are.
 * @type {(text: string) => string}
 */
function readonly(text) {
  /** @type {{ from: number, to: number, by: string }[]} */
  const changes = [];
  const source = ts.createSourceFile("schema.ts", text, ts.ScriptTarget.Latest);
  /** @type {(node: ts.Node) => void} */
  const visit = (node) => {
    const [from, to] = [node.getStart(source), node.getEnd()];
    const [only, another] = ts.isTypeLiteralNode(node) ? node.members : [];
    if (only && !another && ts.isIndexSignatureDeclaration(only)) {
      changes.push({ from, to: only.type.getStart(source), by: "Readonly<Record<string, " }, { from: only.type.getEnd(), to, by: ">>" });
    } else if (ts.isPropertySignature(node) || ts.isArrayTypeNode(node)) {
      changes.push({ from, to: from, by: "readonly " });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  // From the end on, so that places before stay what they are.
  return changes.sort((a, b) => b.from - a.from).reduce((all, { from, to, by }) => all.slice(0, from) + by + all.slice(to), text);
}

/** The types of a document of results. @type {(name: string) => Promise<string>} */
async function documentTypes(name) {
  const from = `docs/reference/${name}.schema.json`;
  /** @type {unknown} */
  const read = JSON.parse(await readFile(join(root, "..", from), "utf8"));
  const made = await compile(/** @type {import("json-schema-to-typescript").JSONSchema} */ (read), name, {
    // Later versions may add names; this one has no others.
    additionalProperties: false,
    bannerComment: `// Written by tools/types.js from ${from}: not by hand.`,
    style: { printWidth: 120 },
  });
  return readonly(made);
}

/** Each file with its text. @type {readonly (readonly [file: string, text: string])[]} */
const files = [
  ["src/play/setting-names.ts", await settingNames()],
  ["src/schema/compare.ts", await documentTypes("compare")],
  ["src/schema/run.ts", await documentTypes("run")],
];
for (const [file, text] of files) {
  const path = join(root, file);
  if (!process.argv.includes("--check")) {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
  } else if ((await readFile(path, "utf8").catch(() => "")) !== text) {
    console.error(`web/${file} is not what the schema makes: run make page`);
    process.exitCode = 1;
  }
}
