import assert from "node:assert/strict";
import { test } from "node:test";
import type { Catalog, Engine, Experiment, Outcome, Plan, PlanNetwork, RunOptions, RunSeries } from "../../src/engine/api.js";
import { LESSONS } from "../../src/play/lessons/index.js";
import { FIRST } from "../../src/play/presets.js";
import { nameAt, numbers } from "../../src/play/runs.js";
import { Side, intervalOf, type Shown } from "../../src/play/side.js";
import { engineWork } from "../support/engine.js";
import { NO_FIGURES } from "../support/outcomes.js";

const TIME_S = 60;

/** A plan of so many points, each with so many packets and flows. */
function planOf(points: number, packets: number, flows: number): Plan {
  const flow = { name: "flow", group: "test", path: [], back: [] };
  const network: PlanNetwork = { nodes: [], links: [], flows: Array.from({ length: flows }, () => flow), measured_link: 0 };
  return {
    name: "plan",
    points: Array.from({ length: points }, (_, i) => ({ name: `${i}`, settings: {}, packets })),
    seeds: ["1"],
    time_s: TIME_S,
    warmup_s: 0,
    networks: Array.from({ length: points }, () => network),
  };
}

test("curves keep every change of a million packets, of one run as of several", () => {
  assert.equal(intervalOf(planOf(1, 1_000_000, 1)), 0);
  assert.equal(intervalOf(planOf(10, 100_000, 4)), 0);
});

test("the curves of all points together have a bound, however few packets each has and however many flows there are", () => {
  for (const [points, packets, flows] of [[100, 300_000, 1], [1000, 10_000, 10], [16, 400_000, 1000], [500, 400_000, 500]] as const) {
    const interval = intervalOf(planOf(points, packets, flows));
    assert.ok(interval > 0, `${points} points`);
    const all = (TIME_S / interval) * points * flows;
    assert.ok(all <= 4_000_001, `${all} points of curves`);
  }
});

test("a curve of a long run has enough points to be enlarged", () => {
  assert.equal(Math.round(TIME_S / intervalOf(planOf(1, 5_000_000, 1))), 100_000);
  assert.equal(Math.round(TIME_S / intervalOf(planOf(3, 5_000_000, 100))), 4_000);
});

const SERIES = ["windows", "rtts", "delivered", "drops"] as const;

test("the interval of a short run leaves out no window, round trip, delivery or drop where links have a constant rate", async () => {
  const work = await engineWork();
  const compression = LESSONS.find(({ id }) => id === "ack-compression")?.experiment ?? "";
  for (const toml of [FIRST, compression]) {
    const experiment = { toml };
    const plan = work.carryOut({ do: "check", experiment, brief: false }, {}).ok as Plan;
    const interval = intervalOf(plan);
    assert.ok(interval > 0);
    const [every, some] = [0, interval].map((interval_s) => work.carryOut({ do: "run", experiment, task: 0, series: [...SERIES, "queues"], interval_s }, {}).tables);
    for (const kind of SERIES) assert.deepEqual(some?.[kind], every?.[kind], kind);
    const longest = (tables: typeof some): number => {
      const packets = tables?.queues?.columns.queue_packets;
      return packets?.type === "number" ? packets.values.reduce((most, one) => Math.max(most, one), 0) : NaN;
    };
    assert.ok(Math.abs(longest(some) - longest(every)) <= 1, `${longest(some)} of ${longest(every)} packets`);
  }
});

test("where a link hands on several packets at once, changes of a window with a cause are kept", async () => {
  const work = await engineWork();
  const { scenarios } = work.carryOut({ do: "catalog" }, {}).ok as Catalog;
  const experiment = { toml: scenarios.find(({ name }) => name === "lte-walk")?.toml ?? "" };
  const plan = work.carryOut({ do: "check", experiment, brief: false }, {}).ok as Plan;
  const [every, some] = [0, intervalOf(plan)].map((interval_s) => {
    const windows = work.carryOut({ do: "run", experiment, task: 0, series: ["windows"], interval_s }, {}).tables.windows;
    const [times, sizes] = ["time_s", "cwnd_packets"].map((column) => numbers(windows, column));
    const rows = Array.from(times ?? [], (time, row) => [time, sizes?.[row], nameAt(windows?.columns.cause, row)]);
    return { rows: rows.length, caused: rows.filter(([, , cause]) => cause !== "") };
  });
  assert.ok((some?.rows ?? 0) < (every?.rows ?? 0));
  assert.ok((every?.caused.length ?? 0) > 10);
  assert.deepEqual(some?.caused, every?.caused);
});

test("a link whose packets are far apart for its rate has its queue recorded at every change", () => {
  const link = { name: "link", from: 0, to: 1, rate_bps: 1e9, delay_s: 0.01, queue_packets: 100, queue: "", loss: "" };
  const of = (packets: number, rate_bps: number): number => {
    const plan = planOf(1, packets, 1);
    return intervalOf({ ...plan, networks: plan.networks.map((network) => ({ ...network, links: [{ ...link, rate_bps }] })) });
  };
  assert.equal(of(1000, 1e9), 0);
  assert.ok(of(50_000, 1e7) > 0);
  assert.equal(of(50_000, 0), 0, "a recorded rate");
  assert.equal(of(50_000, Infinity), 0);
});

/** A side whose engine answers at once, with the results that it shows and the series that its runs were to record. */
async function simulated(toml: string, planOf: (experiment: Experiment) => Plan): Promise<{ results: Shown[]; asked: (readonly string[])[] }> {
  const asked: (readonly string[])[] = [];
  const run = (experiment: Experiment, { series: kinds = [] }: RunOptions = {}): { result: Promise<Outcome>; cancel: () => void } => {
    asked.push(kinds);
    const series: RunSeries[] = kinds.length > 0 ? [{ point: 0, seed: planOf(experiment).seeds[0] ?? "" }] : [];
    return { result: Promise.resolve({ json: "{}", hash: "", series, sentences: [], warnings: [], figures: NO_FIGURES }), cancel: () => undefined };
  };
  const none = (): never => { throw new Error("not asked for"); };
  const engine: Engine = { ready: Promise.resolve(), catalog: none, schema: none, check: async (experiment) => Promise.resolve(planOf(experiment)), run, packets: none, close: none };
  const results: Shown[] = [];
  const nothing = (): void => undefined;
  const side = new Side(engine, {
    planned: nothing, faulty: nothing, growing: nothing, stopped: nothing, working: nothing, asks: nothing,
    results: (shown) => { results.push(shown); },
    failed: (words) => { throw new Error(words); },
  });
  side.setText(toml);
  for (let i = 0; i < 100 && results.length < 2; i++) await new Promise((done) => { setTimeout(done, 5); });
  return { results, asked };
}

test("a first look is as short where the controllers are swept as where they are not", async () => {
  const points = ["20 ms", "40 ms"].flatMap((rtt) => ["reno", "bbr"].map((cc) => ({ name: `${cc}, ${rtt}`, cc, settings: { cc, "dumbbell.rtt": rtt }, packets: 250_000 })));
  const toml = `time = "${TIME_S} s"\n[dumbbell]\n[sweep]\ncc = ["reno", "bbr"]\n"dumbbell.rtt" = ["20 ms", "40 ms"]\n`;
  const { results } = await simulated(toml, (experiment) => ({ ...planOf(4, 0, 1), points, time_s: Number(/^time = "([\d.]+) s"/m.exec(experiment.toml)?.[1]) }));
  assert.equal(results[0]?.preview, TIME_S / 2);
});

test("the curves of a first look that has all of their time are not recorded again", async () => {
  const seeds = ["1", "2", "3", "4", "5", "6", "7", "8"];
  const whole = { ...planOf(1, 100_000, 1), seeds };
  const { results, asked } = await simulated('cc = "reno"\nseeds = 8\n', ({ toml }) => (toml.includes("seeds = 8") ? whole : { ...whole, seeds: ["1"] }));
  assert.deepEqual(asked.map((kinds) => kinds.length), [5, 0]);
  const [look, all] = results;
  assert.ok(look && all && results.length === 2);
  assert.ok(look.preview !== undefined && all.preview === undefined);
  assert.equal(all.series, look.series);
  assert.equal(all.outcome.series, look.series);
});

test("the curves of other runs than those of the first look are recorded", async () => {
  const whole = { ...planOf(1, 100_000, 1), seeds: ["5", "6", "7"] };
  for (const look of [{ ...whole, seeds: ["1"] }, { ...whole, seeds: ["5"], time_s: 1 }, { ...planOf(2, 100_000, 1), seeds: ["5"] }]) {
    const { asked } = await simulated('cc = "reno"\nseeds = 3\n', ({ toml }) => (toml.includes("seeds = 3") ? whole : look));
    assert.deepEqual(asked.map((kinds) => kinds.length), [5, 5]);
  }
});
