import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Outcome, Plan, RunSeries } from "../../src/engine/api.js";
import type { EngineWork } from "../../src/engine/work.js";
import { parseToml, withField, writeToml, type Tables, type Value } from "../../src/play/experiment.js";
import { LESSONS } from "../../src/play/lessons/index.js";
import { progress, suggested, type Lesson } from "../../src/play/lessons/lesson.js";
import { observed } from "../../src/play/runs.js";
import type { GridReport } from "../../src/schema/run.js";
import type { Observed } from "../../src/play/observed.js";
import { engineWork } from "../support/engine.js";
import { NO_FIGURES } from "../support/outcomes.js";

interface Planned extends Plan {
  readonly tasks: readonly (readonly [point: number, seed: string])[];
}

/** All runs of an experiment, one after another. */
function simulated(work: EngineWork, tables: Tables): { plan: Plan; outcome: Outcome } {
  const experiment = { toml: writeToml(tables) };
  const quiet = {};
  const plan = work.carryOut({ do: "check", experiment, brief: false }, quiet).ok as Planned;
  const records: string[] = [];
  const series: RunSeries[] = [];
  plan.tasks.forEach(([point, seed], task) => {
    const run = work.carryOut({ do: "run", experiment, task, series: ["windows"], interval_s: 0 }, quiet);
    records.push(run.texts.record ?? "");
    series.push({ point, seed, ...run.tables });
  });
  const end = work.carryOut({ do: "outcome", experiment, records }, quiet);
  return { plan, outcome: { json: end.texts.json ?? "", hash: "", series, sentences: [], warnings: [], figures: NO_FIGURES } };
}

const work = await engineWork();

function observe(tables: Tables): Observed {
  const { plan, outcome } = simulated(work, tables);
  const run = observed(tables, plan, outcome);
  assert.ok(run, outcome.json.slice(0, 200));
  return run;
}

for (const lesson of LESSONS) {
  describe(`the lesson on ${lesson.title}`, () => {
    const start = parseToml(lesson.experiment);

    for (const seed of [1, 2, 3]) {
      test(`shows what it says with seed ${seed}`, () => {
        const before = observe(withField(start, "seed", seed));
        const after = observe(withField(suggested(lesson, lesson.suggestion), "seed", seed));
        const found = progress(lesson, before, after);
        assert.equal(found.state, "seen", found.words);
      });
    }

    test("sees nothing as long as nothing is tried", () => {
      const before = observe(start);
      assert.equal(progress(lesson, before, before).state, "open");
      assert.equal(lesson.look(before, before).seen, false);
    });

    test("suggests nothing else that cannot be run, or that it would take for its own suggestion", () => {
      const before = observe(start);
      for (const suggestion of lesson.further) {
        const tables = suggested(lesson, suggestion);
        const { plan, outcome } = simulated(work, tables);
        const { runs } = JSON.parse(outcome.json) as GridReport;
        assert.ok(runs.length > 0 && runs.every((run) => run.error === null), suggestion.words);
        const after = observed(tables, plan, outcome);
        assert.ok(after);
        assert.equal(progress(lesson, before, after).state, "open", suggestion.words);
      }
    });
  });
}

/** A run of which only the settings and the round trip are looked at. */
function stub(tables: Tables, baseRttMs: number): Observed {
  const flows = [{ name: "flow 1", cc: "", goodputBps: 1, baseRttMs }];
  return { tables, rateBps: 1, goodputBps: 1, utilization: 1, waitP95Ms: 1, resent: 0, flows, windows: [] };
}

/** The lesson's own settings, and those of a reader. */
function pair(id: string, settings: Readonly<Record<string, Value>>, rttMs = 100): { lesson: Lesson; before: Observed; after: Observed } {
  const lesson = LESSONS.find((one) => one.id === id);
  assert.ok(lesson, id);
  const start = parseToml(lesson.experiment);
  const changed = Object.entries(settings).reduce((tables, [path, value]) => withField(tables, path, value), start);
  return { lesson, before: stub(start, 100), after: stub(changed, rttMs) };
}

describe("a lesson says nothing of settings", () => {
  const others: [string, Readonly<Record<string, Value>>][] = [
    ["queue", { "dumbbell.buffer": "20 bdp" }],
    ["queue", { "dumbbell.buffer": "1 bdp", "dumbbell.flows": 16 }],
    ["queue", { "dumbbell.buffer": "1 bdp", cc: "cubic" }],
    ["aimd", { cc: "reno(keep=0.8)", "dumbbell.rtt": "20 ms" }],
    ["aimd", { cc: "reno(keep=0.8, slow_start=hystart++)" }],
    ["fairness", { cc: "highspeed" }],
    ["fairness", { cc: "bbr" }],
    ["fairness", { cc: "reno", "flow.late.start": "0 s" }],
    ["bufferbloat", { "dumbbell.aqm": "fq_codel", "dumbbell.buffer": "0.5 bdp" }],
    ["bbr", { cc: "bbr", "dumbbell.buffer": "0.1 bdp" }],
    ["bbr", { cc: "bbr", "dumbbell.against_cc": "cubic" }],
    ["slow-start", { "dumbbell.rtt": "300 ms", cc: "reno(slow_start=hystart++)" }],
  ];
  for (const [id, settings] of others) {
    test(`that it is not about: ${id} with ${JSON.stringify(settings)}`, () => {
      const { lesson, before, after } = pair(id, settings, id === "slow-start" ? 300 : 100);
      assert.equal(lesson.tried(before, after), false);
    });
  }
});

test("an observation has the numbers of the reader's settings", () => {
  const aimd = pair("aimd", { cc: "reno(keep=0.65)" });
  assert.ok(aimd.lesson.tried(aimd.before, aimd.after));
  assert.match(aimd.lesson.observation(aimd.before, aimd.after), /leaves 65\s% of the window/);
  const slow = pair("slow-start", { "dumbbell.rtt": "160 ms", time: "8 s" }, 160);
  assert.ok(slow.lesson.tried(slow.before, slow.after));
  assert.match(slow.lesson.observation(slow.before, slow.after), /is 1\.6 times as long/);
});

test("lessons have names of their own, of the characters that addresses hold", () => {
  const names = LESSONS.map((lesson) => lesson.id);
  assert.equal(new Set(names).size, 10);
  for (const name of names) assert.match(name, /^[a-z-]+$/);
});

test("a queue that acts in both directions is not suggested for one of them", () => {
  const further = LESSONS.flatMap((lesson) => lesson.further);
  const queues = further.filter(({ set }) => set.some(([path]) => path === "dumbbell.aqm"));
  assert.ok(queues.length > 0);
  for (const { words } of queues) assert.doesNotMatch(words, /(forward|reverse) direction/);
});
