/** The committed engine in node, and the command beside it. */

import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { EngineModule } from "../../src/engine/module.js";
import { EngineWork } from "../../src/engine/work.js";

/** The folder of the project. Tests are bundled four folders deep in the package. */
export const project = join(import.meta.dirname, "../../../../..");

/** The committed module, compiled. */
export async function compiledEngine(): Promise<WebAssembly.Module> {
  const packed = readFileSync(join(project, "web/dist/engine.wasm.gz"));
  return WebAssembly.compile(new Uint8Array(gunzipSync(packed)));
}

/** A new instance of the engine. */
export async function engineModule(): Promise<EngineModule> {
  return EngineModule.of(await compiledEngine());
}

/** The same as a worker has it. */
export async function engineWork(): Promise<EngineWork> {
  return new EngineWork(await engineModule());
}

/** The text of a scenario of the project. */
export const scenario = (path: string): string => readFileSync(join(project, path), "utf8");

/** The command, if it has been built. Where `WESTWOOD_NEEDS_COMMAND` is set it must have been. */
export function command(): string | undefined {
  const built = process.env.WESTWOOD_COMMAND ?? join(project, "target/command/westwood");
  if (existsSync(built)) return built;
  if (process.env.WESTWOOD_NEEDS_COMMAND !== undefined) throw new Error(`needed: ${built}`);
  return undefined;
}

/** The document that the command writes of an experiment. */
export function documentOf(command: string, toml: string): string {
  const folder = mkdtempSync(join(tmpdir(), "westwood-"));
  try {
    const file = join(folder, "experiment.toml");
    writeFileSync(file, toml);
    return execFileSync(command, ["run", file, "--json", "-", "--quiet"], { encoding: "utf8", maxBuffer: 1 << 28 });
  } finally {
    rmSync(folder, { recursive: true });
  }
}
