/**
 * Builds each page into one file.
 *
 *     node tools/build.js            writes dist/, which is committed
 *     node tools/build.js --check    fails if dist/ is not what the sources make
 *
 * A page that simulates has the marker `<!--engine-->` where the engine belongs: what serves or writes the page
 * puts `dist/engine.wasm.gz` there, in base64. Both also go, put together, to ../target/web/NAME.html. The marker
 * `<!--experiment-->` is the place of an experiment that the command puts into the page.
 */

import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import * as esbuild from "esbuild";
import { pages, parts } from "./pages.js";
import { workers } from "./workers.js";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const whole = join(root, "../target/web");

/** @type {(text: string) => string} */
const hash = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

/** @type {(entry: string) => Promise<string>} */
async function bundled(entry) {
  const built = await esbuild.build({
    absWorkingDir: root,
    entryPoints: [entry],
    bundle: true,
    minify: true,
    write: false,
    format: "iife",
    target: ["chrome111", "firefox115", "safari16.4"],
    charset: "utf8",
    legalComments: "none",
    metafile: true,
    plugins: [workers],
    logLevel: "warning",
  });
  const text = built.outputFiles[0]?.text ?? "";
  const notice = await licences(Object.keys(built.metafile.inputs));
  // A script element ends at this text, wherever it stands; a page's parser turns CR LF into LF.
  return (notice + text).replaceAll("</script", "<\\/script").replaceAll("\r", "").trimEnd();
}

/**
 * The licences of the packages from which these files are, as a comment: their terms want them in every copy.
 *
 * @type {(files: readonly string[]) => Promise<string>}
 */
async function licences(files) {
  const names = files.map((file) => /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1]).filter((name) => name !== undefined);
  /** @type {Map<string, string[]>} */
  const texts = new Map();
  for (const name of [...new Set(names)].sort()) {
    const folder = join(root, "node_modules", name);
    const file = (await readdir(folder)).find((entry) => /^licen[cs]e(\.(md|txt))?$/i.test(entry));
    if (file === undefined) throw new Error(`${name} has no licence in its package`);
    const text = (await readFile(join(folder, file), "utf8")).replaceAll("\r", "").trim();
    texts.set(text, [...(texts.get(text) ?? []), name]);
  }
  const all = [...texts].map(([text, of]) => `${of.join(", ")}:\n${text}`);
  return all.length === 0 ? "" : `/*\n${all.join("\n\n").replaceAll("*/", "* /")}\n*/\n`;
}

/** @type {(page: import("./pages.js").Page, template: string) => Promise<string>} */
async function page({ title, script, style, engine }, template) {
  const [code, styles] = await Promise.all([bundled(script), bundled(style)]);
  const policy = [
    "default-src 'none'",
    `script-src ${hash(code)}${engine ? " 'wasm-unsafe-eval'" : ""}`,
    `style-src ${hash(styles)}`,
    "img-src data: blob:",
    ...(engine ? ["worker-src blob:"] : []),
    "base-uri 'none'",
    "form-action 'none'",
  ];
  /** @type {Record<string, string>} */
  const filled = { policy: policy.join("; "), title, style: styles, script: code };
  return template.replace(/%(policy|title|style|script)%/g, (_, /** @type {string} */ name) => filled[name] ?? "");
}

const check = process.argv.includes("--check");
const template = await readFile(join(root, "src/page/page.html"), "utf8");
const engineFile = join(root, "dist/engine.wasm.gz");
const engine = existsSync(engineFile) ? (await readFile(engineFile)).toString("base64") : "";
const data = `<script type="application/octet-stream" id="engine">${engine}</script>`;
await mkdir(join(root, "dist"), { recursive: true });
await mkdir(whole, { recursive: true });

/** Writes a built file, or says that it is not what its sources make. @type {(file: string, text: string) => Promise<void>} */
async function write(file, text) {
  const path = join(root, file);
  if (!check) await writeFile(path, text);
  else if (!existsSync(path) || (await readFile(path, "utf8")) !== text) {
    console.error(`${join("web", file)} is not what its sources make: run make page`);
    process.exitCode = 1;
  }
}

for (const one of pages) {
  const text = await page(one, template);
  if (!one.test) await write(`dist/${one.name}.html`, text);
  await writeFile(join(whole, `${one.name}.html`), one.engine ? text.replace("<!--engine-->", () => data) : text);
}
for (const { entry, file } of parts) await write(file, await bundled(entry));
