/**
 * The committed engine: `dist/engine.wasm.gz`, and in `dist/engine.txt` the hash of its bytes and the compiler
 * that made them.
 *
 *     node tools/engine.js write FILE    FILE becomes the committed engine
 *     node tools/engine.js check FILE    fails if FILE is not what is committed
 *     node tools/engine.js compiler      prints the compiler
 */

import { createHash } from "node:crypto";
import { execFileSync } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { gunzipSync, gzipSync } from "node:zlib";

const dist = join(dirname(fileURLToPath(import.meta.url)), "../dist");
const packed = join(dist, "engine.wasm.gz");
const about = join(dist, "engine.txt");
const [task = "", file = ""] = process.argv.slice(2);

switch (task) {
  case "write": {
    const wasm = await readFile(file);
    const hash = createHash("sha256").update(wasm).digest("hex");
    const compiler = execFileSync("rustc", ["--version"], { encoding: "utf8" }).trim();
    await mkdir(dist, { recursive: true });
    await writeFile(packed, gzipSync(wasm, { level: 9 }));
    await writeFile(about, `sha256 ${hash}\n${compiler}\n`);
    break;
  }
  case "check": {
    // Not the compressed bytes: they depend on the version of zlib.
    const same = gunzipSync(await readFile(packed)).equals(await readFile(file));
    if (!same) {
      console.error("web/dist/engine.wasm.gz is not what crates/web makes: run make page");
      process.exitCode = 1;
    }
    break;
  }
  case "compiler":
    console.log((await readFile(about, "utf8")).split("\n")[1]);
    break;
  default:
    console.error("usage: node tools/engine.js write FILE | check FILE | compiler");
    process.exitCode = 2;
}
