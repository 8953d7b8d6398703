/**
 * The types of what the engine and the command say are held to what they do say: real data are written as a
 * TypeScript text and checked by its compiler, which refuses a name too many as well as one too few.
 */

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { test } from "node:test";
import ts from "typescript";
import { read } from "../../src/report/data.js";
import { command, documentOf, engineModule, project } from "../support/engine.js";
import { bursts, lossy } from "../support/experiments.js";
import { reportUrl } from "../support/reports.js";

const web = join(project, "web");
/** So many entries of a longer list show what all are; no tuple is longer. */
const MOST = 12;

/** Lists cut short. */
function few(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, MOST).map(few);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, of]) => [name, few(of)]));
}

const file = join(web, "test/unit/said.ts");
const config = ts.getParsedCommandLineOfConfigFile(join(web, "tsconfig.json"), { noUnusedLocals: false }, { ...ts.sys, onUnRecoverableConfigFileDiagnostic: () => undefined });
/** Files are read once for all texts. */
const sources = new Map<string, ts.SourceFile | undefined>();

/** Faults of a TypeScript text that stands in test/unit. */
function faults(text: string): string[] {
  assert.ok(config);
  const host = ts.createCompilerHost(config.options);
  const usual = { exists: host.fileExists.bind(host), source: host.getSourceFile.bind(host) };
  host.fileExists = (name) => name === file || usual.exists(name);
  host.getSourceFile = (name, language) => {
    if (name === file) return ts.createSourceFile(name, text, language);
    if (!sources.has(name)) sources.set(name, usual.source(name, language));
    return sources.get(name);
  };
  const program = ts.createProgram([file], config.options, host);
  const source = program.getSourceFile(file);
  return [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)].map((one) => ts.flattenDiagnosticMessageText(one.messageText, "\n"));
}

/** A text that gives each value its type. */
function typed(imports: string, values: readonly (readonly [type: string, value: unknown])[]): string {
  return [imports, ...values.map(([type, value], i) => `export const said${i}: ${type} = ${JSON.stringify(few(value))};`)].join("\n");
}

const PAGE = 'import type { ReportData } from "../../src/report/data";';
const ENGINE = 'import type { Catalog, Outcome, Plan } from "../../src/engine/api";';
const DOCUMENTS = 'import type { ComparisonReport } from "../../src/schema/compare";\nimport type { GridReport } from "../../src/schema/run";';
/** An outcome beside its document; series come with the runs. */
const ABOUT = 'Omit<Outcome, "json" | "series">';

test("the engine says what its types say", async () => {
  const module = await engineModule();
  const plan = (toml: string): unknown => {
    // Tasks are the pool's own.
    const { tasks, ...rest } = module.ask({ do: "plan", toml }).ok as { tasks: unknown };
    assert.ok(Array.isArray(tasks));
    return rest;
  };
  const swept = `${lossy}\nagainst_cc = "cubic"\n[variant.marking]\n"dumbbell.aqm" = "codel(ecn=on)"\n[sweep]\n"dumbbell.rtt" = ["20 ms", "40 ms"]\n`;
  const documents: unknown[] = [];
  const outcome = (toml: string): unknown => {
    const { tasks } = module.ask({ do: "plan", toml }).ok as { tasks: unknown[] };
    const records = tasks.map((_, task) => {
      module.ask({ do: "begin", task, series: [], interval_s: 0 });
      while (!(module.ask({ do: "advance", until_s: 1e3 }).ok as { over: boolean }).over);
      return module.ask({ do: "finish" }).texts.record;
    });
    const { ok, texts } = module.ask({ do: "outcome", records });
    documents.push(JSON.parse(texts.json ?? ""));
    return ok;
  };
  const short = 'cc = ["reno", "bbr"]\ntime = "3 s"\nwarmup = "0 s"\nseeds = 2\n[dumbbell]\nrate = "2 Mbit/s"\nloss = "1 %"\n';
  const outcomes = ["", '[sweep]\n"dumbbell.rtt" = ["20 ms", "40 ms"]\n', '[sweep]\n"dumbbell.rtt" = ["20 ms", "40 ms"]\n"dumbbell.buffer" = ["5 pkt", "9 pkt"]\n']
    .map((sweep): [string, unknown] => [ABOUT, outcome(short + sweep)]);
  const said: [string, unknown][] = [...outcomes, ["Catalog", module.ask({ do: "catalog" }).ok], ["Plan", plan(lossy)], ["Plan", plan(bursts)], ["Plan", plan(swept)]];
  said.push(...documents.map((document): [string, unknown] => ["GridReport", document]));
  assert.deepEqual(faults(typed(`${ENGINE}\n${DOCUMENTS}`, said)), []);
});

test("a type that lacks a name, or has one too many, is found", () => {
  const right = { name: "a", points: [], seeds: ["1"], time_s: 1, warmup_s: 0, networks: [] };
  assert.deepEqual(faults(typed(ENGINE, [["Plan", right]])), []);
  assert.equal(faults(typed(ENGINE, [["Plan", { ...right, colour: 1 }]])).length, 1);
  assert.equal(faults(typed(ENGINE, [["Plan", { ...right, time_s: undefined }]])).length, 1);
  assert.equal(faults(typed(ENGINE, [["Plan", { ...right, networks: [{ nodes: ["a"], links: [], flows: [] }] }]])).length, 1);
});

const westwood = command();
test("pages hold what their types say", { skip: westwood === undefined && "the command has not been built" }, async () => {
  assert.ok(westwood !== undefined);
  const data = [];
  for (const report of ["comparison", "sweep"] as const) {
    const page = readFileSync(fileURLToPath(reportUrl(report) ?? ""), "utf8");
    const packed = /id="data">([^<]*)</.exec(page)?.[1] ?? "";
    data.push((await read(packed)).data);
  }
  assert.deepEqual(faults(typed(PAGE, data.map((one) => ["ReportData", one] as const))), []);
});

test("documents are what the types made from their schemas say", { skip: westwood === undefined && "the command has not been built" }, () => {
  assert.ok(westwood !== undefined);
  const compared = execFileSync(westwood, ["compare", "--cc", "reno,bbr", "--against", "cubic:1", "--time", "4s", "--seeds", "2", "--quiet", "--json", "-"]);
  const said = [["GridReport", JSON.parse(documentOf(westwood, lossy))], ["ComparisonReport", JSON.parse(compared.toString())]] as const;
  assert.deepEqual(faults(typed(DOCUMENTS, said)), []);
});
