/**
 * Runs tests: `node tools/test.js unit` or `browser`, and further words for node's runner. Every
 * `test/KIND/*.test.ts` is bundled, and all run under one runner.
 */

import { spawnSync } from "node:child_process";
import { readdir, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import * as esbuild from "esbuild";
import { workers } from "./workers.js";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const [kind = "unit", ...words] = process.argv.slice(2);
const folder = join(root, "test", kind);
const tests = (await readdir(folder)).filter((name) => name.endsWith(".test.ts")).sort();
// Inside the package, so that packages which are not bundled are found.
const output = join(root, "node_modules/.cache/westwood", kind);
await rm(output, { recursive: true, force: true });
await esbuild.build({
  absWorkingDir: root,
  // Browser tests share one start of each browser, and so one process.
  ...(kind === "browser"
    ? { stdin: { contents: tests.map((name) => `import "./${name}";`).join("\n"), resolveDir: folder }, outfile: join(output, "all.test.mjs") }
    : { entryPoints: tests.map((name) => join(folder, name)), outdir: output, outExtension: { ".js": ".mjs" } }),
  bundle: true,
  format: "esm",
  platform: "node",
  target: "node20",
  packages: "external",
  sourcemap: "inline",
  plugins: [workers],
  logLevel: "warning",
});
const built = (await readdir(output)).map((name) => join(output, name));
const done = spawnSync(process.execPath, ["--enable-source-maps", "--test", "--test-reporter=spec", ...words, ...built], { cwd: root, stdio: "inherit" });
process.exitCode = done.status ?? 1;
