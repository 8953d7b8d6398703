/**
 * The committed engine: `dist/engine.wasm.gz`, and in `dist/engine.txt` the hash of its bytes and the compiler
 * that made them. It is what the compiler wrote, made smaller.
 *
 *     node tools/engine.js write FILE    what the compiler wrote to FILE becomes the committed engine
 *     node tools/engine.js check FILE    fails if FILE does not become what is committed
 *     node tools/engine.js compiler      prints the compiler
 */

import { createHash } from "node:crypto";
import { execFileSync } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { gunzipSync, gzipSync } from "node:zlib";
import binaryen from "binaryen";

const dist = join(dirname(fileURLToPath(import.meta.url)), "../dist");
const packed = join(dist, "engine.wasm.gz");
const about = join(dist, "engine.txt");
const [task = "", file = ""] = process.argv.slice(2);

/**
 * The module with the same functions in fewer bytes. None becomes a part of another one: functions of hundreds of
 * kilobytes would come of it, which a browser takes seconds to compile.
 *
 * @type {(wasm: Uint8Array) => Uint8Array}
 */
function smaller(wasm) {
  const module = binaryen.readBinary(wasm);
  const { Features } = binaryen;
  // Those that the compiler uses by itself; a module without names does not tell them.
  /** @type {binaryen.Features} */
  const used = Features.BulkMemory | Features.BulkMemoryOpt | Features.CallIndirectOverlong | Features.Multivalue
    | Features.MutableGlobals | Features.NontrappingFPToInt | Features.ReferenceTypes | Features.SignExt;
  module.setFeatures(used);
  binaryen.setOptimizeLevel(2);
  binaryen.setShrinkLevel(2);
  // The first kilobyte is the end of the stack: no offset of an object leads there.
  binaryen.setLowMemoryUnused(true);
  binaryen.setAlwaysInlineMaxSize(0);
  binaryen.setFlexibleInlineMaxSize(0);
  binaryen.setOneCallerInlineMaxSize(0);
  module.optimize();
  const written = module.emitBinary();
  module.dispose();
  return written;
}

switch (task) {
  case "write": {
    const wasm = smaller(await readFile(file));
    const hash = createHash("sha256").update(wasm).digest("hex");
    const compiler = execFileSync("rustc", ["--version"], { encoding: "utf8" }).trim();
    await mkdir(dist, { recursive: true });
    await writeFile(packed, gzipSync(wasm, { level: 9 }));
    await writeFile(about, `sha256 ${hash}\n${compiler}\n`);
    break;
  }
  case "check": {
    // Not the compressed bytes: they depend on the version of zlib.
    const same = gunzipSync(await readFile(packed)).equals(smaller(await readFile(file)));
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
