// One experiment on the page: its text, what it means, and its results, which come in two steps. While a slider
// turns, a short run of one seed is done at once; when it rests, everything that the text asks for.

import { BadExperiment, Cancelled, type Engine, type Experiment, type Job, type Outcome, type Plan, type RunSeries } from "../engine/api";
import { atFirstPlace, parseToml, withField, writeToml, BadToml, type Tables } from "./experiment";
import { pathAt } from "./faults";
import type { FormFault } from "./form";
import { settingWords } from "./places";
import { numbers } from "./runs";

/** So many packets are simulated in the time of a few pictures. */
const QUICK_PACKETS = 250_000;
/** More packets than these wait for the reader's word: they take longer than a reader likes to wait. */
const ASKED_PACKETS = 30_000_000;
/** A slider that has rested for so long is let go, in milliseconds. */
const REST_MS = 350;
/** Runs of fewer packets than these together have close curves: they share the page's memory. */
const EVERY_CHANGE_PACKETS = 1_500_000;
/**
 * So many points of a close curve, at most, while the fastest link that has a queue transmits a packet: more than ACKs
 * of 40 bytes come off it. Where a link hands on several packets at once, windows that grow with each show the last; one
 * that changes for a cause is always kept. To record a queue at each of its changes takes the engine that does not
 * look ahead.
 */
const LOOKS_A_PACKET = 40;
/** Where a packet would have more looks than these, as on a fast link that is idle, its changes are fewer. */
const MOST_LOOKS = 80;
/** Bits of a full packet on most paths. */
const PACKET_BITS = 12_000;
/** Points of a curve of longer runs, at least and at most. */
const CURVE_POINTS = [4_000, 100_000] as const;
/** Points of all curves together, where that leaves each the least that it has; and where nothing else does. */
const ALL_POINTS = [1_000_000, 4_000_000] as const;

/** Runs that have curves: all of them, or so much as has been simulated. */
export interface Simulated {
  readonly plan: Plan;
  readonly series: readonly RunSeries[];
  /** The series end where their runs have come to so far. */
  readonly partial?: true;
}

/** Results on the page. */
export interface Shown extends Simulated {
  readonly tables: Tables;
  /** The text that was run. */
  readonly experiment: Experiment;
  readonly outcome: Outcome;
  /** These are the first so many seconds of one seed; undefined of all that the experiment asks for. */
  readonly preview: number | undefined;
  /** The plan of all that it asks for. */
  readonly whole: Plan;
}

/** Runs that are to be done. */
interface Work {
  readonly tables: Tables;
  readonly experiment: Experiment;
  readonly plan: Plan;
  readonly preview: number | undefined;
  readonly whole: Plan;
}

/** The calls by which a side tells the page of itself. */
export interface SideWatcher {
  /** The text means this; the path can be drawn. */
  planned(plan: Plan): void;
  /** The text is wrong. */
  faulty(faults: readonly FormFault[]): void;
  /** Curves of a long run grow; results follow. */
  growing(simulated: Simulated): void;
  /** There are results. */
  results(shown: Shown): void;
  /** The reader has ended the work: curves go so far, or there are none of it. */
  stopped(simulated: Simulated | undefined): void;
  /** How far the work is, from 0 to 1; undefined if there is none. */
  working(share: number | undefined): void;
  /** The whole would take so many packets: it waits for `runAll`. */
  asks(packets: number | undefined): void;
  /** A run failed. */
  failed(words: string): void;
}

/** An experiment that is kept up to date as it is changed. */
export class Side {
  text = "";
  tables: Tables = {};
  plan: Plan | undefined;
  shown: Shown | undefined;
  private job: Job<Outcome> | undefined;
  /** The curves of the job, as far as they have come. */
  private grown: Simulated | undefined;
  /** The runs of the last first look: they may be those of the whole whose curves are drawn. */
  private looked: Simulated | undefined;
  private version = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;
  /** Ends the checks of settings that are no longer those of the page. */
  private checks = new AbortController();

  constructor(
    private readonly engine: Engine,
    private readonly watcher: SideWatcher,
  ) {}

  /** Other settings. */
  setTables(tables: Tables, turning = false): void {
    this.tables = tables;
    this.text = writeToml(tables);
    this.start(turning);
  }

  /** Another text, as it is written. */
  setText(text: string): void {
    this.text = text;
    try {
      this.tables = parseToml(text);
    } catch (error) {
      if (!(error instanceof BadToml)) throw error;
      this.stop();
      this.watcher.faulty([{ path: undefined, words: `line ${error.line}: ${error.message}` }]);
      return;
    }
    this.start(false);
  }

  /** Ends the work that is under way. */
  stop(): void {
    clearTimeout(this.timer);
    this.version += 1;
    this.checks.abort();
    this.checks = new AbortController();
    this.job?.cancel();
    this.job = undefined;
    this.grown = undefined;
    this.watcher.working(undefined);
    this.watcher.asks(undefined);
  }

  /** Ends the work by the reader's word; all of it may be asked for again. */
  cancel(): void {
    const { plan, grown } = this;
    this.stop();
    this.watcher.stopped(grown);
    if (plan) this.watcher.asks(packetsOf(plan));
  }

  /** Does all runs, however long they take. */
  runAll(): void {
    if (!this.plan) return;
    this.stop();
    void this.whole(this.plan, this.version);
  }

  private start(turning: boolean): void {
    this.stop();
    this.looked = undefined;
    const version = this.version;
    void this.look(version, turning);
  }

  private async look(version: number, turning: boolean): Promise<void> {
    const tables = this.tables;
    try {
      const plan = await this.engine.check({ toml: this.text }, this.checks.signal);
      if (version !== this.version) return;
      this.plan = plan;
      this.watcher.faulty([]);
      this.watcher.planned(plan);
      const packets = packetsOf(plan);
      const cheap = packets <= QUICK_PACKETS;
      if (cheap && !turning) {
        await this.whole(plan, version);
        return;
      }
      await this.quick(tables, plan, version);
      if (version !== this.version) return;
      if (packets > ASKED_PACKETS) {
        this.watcher.asks(packets);
        return;
      }
      this.timer = setTimeout(() => void this.whole(plan, version), turning ? REST_MS : 0);
    } catch (error) {
      this.report(error, version);
    }
  }

  /** The first point of a sweep, one seed, and no more time than there is for. */
  private async quick(tables: Tables, plan: Plan, version: number): Promise<void> {
    const alone = withField(withField(atFirstPlace(tables), "seeds", 1), "variant", undefined);
    const points = plan.points.filter((point) => point.variant === undefined);
    const place = settingWords(points[0]?.settings ?? {});
    const packets = points.reduce((sum, point) => sum + (settingWords(point.settings) === place ? point.packets : 0), 0);
    const share = QUICK_PACKETS / Math.max(1, packets);
    // A run that ends before its last flow begins is refused: it takes more time, but not any time.
    for (let time = Math.max(1, plan.time_s * share), tries = 0; time < plan.time_s && tries < 6; time *= 2, tries++) {
      const shortened = withField(withField(alone, "time", `${time.toPrecision(3)} s`), "warmup", "0 s");
      const experiment = { toml: writeToml(shortened) };
      const found = await this.engine.check(experiment, this.checks.signal).catch(() => undefined);
      if (version !== this.version) return;
      if (found) {
        await this.run({ tables: shortened, experiment, plan: found, preview: found.time_s, whole: plan }, version);
        return;
      }
    }
    const experiment = { toml: writeToml(alone) };
    const found = await this.engine.check(experiment, this.checks.signal).catch(() => undefined);
    if (!found || version !== this.version || packetsOf(found) > ASKED_PACKETS) return;
    await this.run({ tables: alone, experiment, plan: found, preview: found.time_s, whole: plan }, version);
  }

  private async whole(plan: Plan, version: number): Promise<void> {
    await this.run({ tables: this.tables, experiment: { toml: this.text }, plan, preview: undefined, whole: plan }, version);
  }

  private async run({ tables, experiment, plan, preview, whole }: Work, version: number): Promise<void> {
    try {
      const soFar = new Map<number, RunSeries>();
      // Curves that are there already are not recorded again.
      const known = preview === undefined && this.looked && sameRuns(this.looked.plan, plan) ? this.looked.series : undefined;
      if (known) this.grown = { plan, series: known };
      const job = this.engine.run(
        experiment,
        {
          series: known ? [] : ["windows", "rtts", "queues", "delivered", "drops"],
          interval_s: intervalOf(plan),
          onProgress: ({ done_s, total_s }) => {
            if (version === this.version) this.watcher.working(total_s > 0 ? done_s / total_s : 0);
          },
          onSeries: (series) => {
            if (version !== this.version) return;
            soFar.set(series.point, series);
            this.grown = { plan, series: [...soFar.values()], partial: true };
            this.watcher.growing(this.grown);
          },
        },
      );
      this.job = job;
      const found = await job.result;
      if (version !== this.version) return;
      const outcome = known ? { ...found, series: known } : found;
      if (preview !== undefined) this.looked = { plan, series: outcome.series };
      this.job = undefined;
      this.grown = undefined;
      this.shown = { tables, experiment, plan, series: outcome.series, outcome, preview, whole };
      this.watcher.working(undefined);
      this.watcher.results(this.shown);
    } catch (error) {
      this.report(error, version);
    }
  }

  private report(error: unknown, version: number): void {
    if (error instanceof Cancelled || version !== this.version) return;
    this.watcher.working(undefined);
    if (error instanceof BadExperiment) {
      this.watcher.faulty(
        error.faults.map((fault) => {
          const path = fault.line === undefined ? undefined : pathAt(this.text, fault.line, fault.column);
          const hint = fault.hint === undefined ? "" : ` (${fault.hint})`;
          return { path, words: fault.message + hint };
        }),
      );
      return;
    }
    this.watcher.failed(error instanceof Error ? error.message : String(error));
  }
}

/** Whether the runs that have curves are the same ones in a first look as in the whole. */
function sameRuns(look: Plan, whole: Plan): boolean {
  const runs = ({ points, seeds, time_s }: Plan): string =>
    JSON.stringify([time_s, seeds[0], points.map(({ name, cc, variant, settings }) => [name, cc, variant, settings])]);
  return runs(look) === runs(whole) && intervalOf(look) === intervalOf(whole);
}

/** The packets of all runs, as they were estimated. */
export function packetsOf(plan: Plan): number {
  return plan.points.reduce((sum, point) => sum + point.packets, 0) * plan.seeds.length;
}

/** The least time between two points of a curve, in seconds: 0 records every change. */
export function intervalOf(plan: Plan): number {
  if (plan.points.reduce((sum, point) => sum + point.packets, 0) <= EVERY_CHANGE_PACKETS) return closeInterval(plan);
  const flows = Math.max(1, plan.networks.reduce((sum, network) => sum + network.flows.length, 0));
  const [[least, most], [wanted, bound]] = [CURVE_POINTS, ALL_POINTS];
  return plan.time_s / Math.min(most, Math.max(wanted / flows, Math.min(least, bound / flows)));
}

/** The interval at which nothing but a queue's shortest states is left out; 0 where every change costs less. */
function closeInterval(plan: Plan): number {
  let [fastest, packets] = [0, 0];
  for (const { links } of plan.networks) {
    for (const { rate_bps, queue_packets, queue_bytes } of links) {
      if (queue_packets !== undefined || queue_bytes !== undefined) fastest = Math.max(fastest, rate_bps);
    }
  }
  for (const point of plan.points) packets = Math.max(packets, point.packets);
  if (fastest <= 0) return 0;
  const interval = PACKET_BITS / fastest / LOOKS_A_PACKET;
  // Times of the engine are whole nanoseconds.
  return interval >= 1e-9 && plan.time_s / interval <= MOST_LOOKS * packets ? interval : 0;
}

/** The series of a point that is drawn. */
export function seriesOf(shown: Simulated, point: number): RunSeries | undefined {
  return shown.series.find((series) => series.point === point);
}

/** The time that the curves of a point have come to, in seconds: the end of its run unless it goes on, or was stopped. */
export function reachedBy(shown: Simulated, point: number): number {
  if (shown.partial === undefined) return shown.plan.time_s;
  const { windows, rtts, queues, delivered, drops } = seriesOf(shown, point) ?? {};
  const times = [windows, rtts, queues, delivered, drops].flatMap((table) => numbers(table, "time_s").at(-1) ?? []);
  return Math.max(0, ...times);
}
