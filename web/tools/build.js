/**
 * Builds each page into one file.
 *
 *     node tools/build.js            writes dist/, which is committed
 *     node tools/build.js --check    fails if dist/ is not what the sources make
 *
 * A page that simulates has the marker `<!--data-->` where the engine belongs: what serves or writes the page
 * puts `dist/engine.wasm.gz` there, in base64. Both also go, put together, to ../target/web/NAME.html.
 */

import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import * as esbuild from "esbuild";
import { pages } from "./pages.js";
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
    plugins: [workers],
    logLevel: "warning",
  });
  const text = built.outputFiles[0]?.text ?? "";
  // A script element ends at this text, wherever it stands.
  return text.replaceAll("</script", "<\\/script").trimEnd();
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
  const parts = { policy: policy.join("; "), title, style: styles, script: code, data: "<!--data-->" };
  return template.replace(/%(policy|title|style|script|data)%/g, (_, /** @type {string} */ name) => parts[name] ?? "");
}

const check = process.argv.includes("--check");
const template = await readFile(join(root, "src/page/page.html"), "utf8");
const engineFile = join(root, "dist/engine.wasm.gz");
const engine = existsSync(engineFile) ? (await readFile(engineFile)).toString("base64") : "";
const data = `<script type="application/octet-stream" id="engine">${engine}</script>`;
await mkdir(join(root, "dist"), { recursive: true });
await mkdir(whole, { recursive: true });
for (const one of pages) {
  const file = join(root, "dist", `${one.name}.html`);
  const text = await page(one, template);
  if (!check && !one.test) await writeFile(file, text);
  else if (!one.test && (!existsSync(file) || (await readFile(file, "utf8")) !== text)) {
    console.error(`web/dist/${one.name}.html is not what its sources make: run make page`);
    process.exitCode = 1;
  }
  await writeFile(join(whole, `${one.name}.html`), one.engine ? text.replace("<!--data-->", () => data) : text);
}
