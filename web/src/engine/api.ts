/**
 * The engine as the page sees it: experiments in, progress, results and time series out.
 *
 * An experiment is the text of a scenario file, as `westwood run` reads it. Everything but `check` runs in
 * workers; a promise is rejected by a {@link BadExperiment} where the text is wrong, by {@link Cancelled}
 * after a cancel, and by an `Error` in words where a run fails.
 *
 * Times are in seconds of the simulated network, unless a name says otherwise.
 */

import type { Mean } from "../charts/plots";
import type { Figures } from "../figures/data";
import type { Range } from "../page/number";

/** An experiment, as a file and settings that change it. */
export interface Experiment {
  /** The text of a scenario file (TOML). */
  readonly toml: string;
  /** Assignments that change it, as `link.rate=5Mbit/s`: the same as `--set`. */
  readonly set?: readonly string[];
  /** Files that the text names, such as traces, by name. Ready scenarios' files need not be given. */
  readonly files?: Readonly<Record<string, string>>;
}

/** One thing that is wrong with an experiment. */
export interface Fault {
  /** The fault in words, without its place. */
  readonly message: string;
  /** The line in the text, from 1; absent for a fault of an assignment or of the whole. */
  readonly line?: number;
  /** The column in that line, from 1. */
  readonly column?: number;
  /** The place in words, as the command prints it: `experiment:3:8`, or `--set link.rate`. */
  readonly place?: string;
  /** A text that would be right. */
  readonly hint?: string;
}

/** The experiment cannot be run as it is written. */
export class BadExperiment extends Error {
  override readonly name = "BadExperiment";

  constructor(readonly faults: readonly Fault[]) {
    super(faults.map((fault) => (fault.place === undefined ? fault.message : `${fault.place}: ${fault.message}`)).join("\n"));
  }
}

/** The work was cancelled. */
export class Cancelled extends Error {
  override readonly name = "Cancelled";

  constructor() {
    super("cancelled");
  }
}

/** A run of an experiment: a point of its grid under a seed. */
export interface RunKey {
  /** The place of the point in {@link Plan.points}, from 0. */
  readonly point: number;
  /** In digits: a seed may have more than a number keeps. */
  readonly seed: string;
}

/** A point of an experiment's grid: one network, under every seed. */
export interface GridPoint {
  /** A name that no other point has. */
  readonly name: string;
  /** The controller that is compared, if the experiment compares controllers. */
  readonly cc?: string;
  /** The variant of the scenario, if it has variants. */
  readonly variant?: string;
  /** The settings that make it differ from the others, by path. */
  readonly settings: Readonly<Record<string, string>>;
  /** An estimate of the packets of one run: its cost. */
  readonly packets: number;
}

/** A link of the network, in the order in which tables number them. */
export interface PlanLink {
  readonly name: string;
  /** Its ends, as places in {@link PlanNetwork.nodes}. */
  readonly from: number;
  readonly to: number;
  /** The rate at the beginning, in bits a second. */
  readonly rate_bps: number;
  /** One-way propagation, in seconds. */
  readonly delay_s: number;
  /** The buffer, in packets or bytes; none of both if it has no limit. */
  readonly queue_packets?: number;
  readonly queue_bytes?: number;
  /** Queue management and losses as people write them, as `fq_codel` and `1%`; empty without. */
  readonly queue: string;
  readonly loss: string;
}

/** A flow of the network, in the order in which tables number them. */
export interface PlanFlow {
  readonly name: string;
  /** The group: `test`, `rival` or `reverse`, or the name that the scenario gives. */
  readonly group: string;
  /** The controller with its parameters, if the flow is TCP. */
  readonly cc?: string;
  /** The links that its data pass, as places in {@link PlanNetwork.links}. */
  readonly path: readonly number[];
  /** The links that its ACKs pass. */
  readonly back: readonly number[];
}

/** The network of a point. */
export interface PlanNetwork {
  readonly nodes: readonly string[];
  readonly links: readonly PlanLink[];
  readonly flows: readonly PlanFlow[];
  /** The link whose queue and use results tell of, as a place in `links`. */
  readonly measured_link: number;
}

/** The meaning of an experiment. */
export interface Plan {
  /** The name of the scenario. */
  readonly name: string;
  readonly points: readonly GridPoint[];
  /** In digits, in the order of the runs of a point. */
  readonly seeds: readonly string[];
  /** Simulated time of a run, warm-up included. */
  readonly time_s: number;
  readonly warmup_s: number;
  /** The network of each point, without what chance draws. */
  readonly networks: readonly PlanNetwork[];
}

/** Values of one column, as many as the table has rows. */
export type Column =
  /** Numbers; NaN where one is absent. */
  | { readonly type: "number"; readonly values: Float64Array }
  /** Whole numbers that name something: `names[values[i]]`. Absent where the number is `names.length`. */
  | { readonly type: "name"; readonly values: Uint32Array; readonly names: readonly string[] };

/** A table of typed columns. Columns bear the names that `westwood schema --results` documents, or are described here. */
export interface Table {
  readonly name: string;
  readonly rows: number;
  readonly columns: Readonly<Record<string, Column>>;
}

/** The time series of a run. A kind that was not asked for, or has no rows, is absent. */
export interface RunSeries extends RunKey {
  /**
   * `time_s`, `flow`, `cwnd_packets`, `ssthresh_packets`, `bwe_bps`, `cause`: every change of the window; `reduction` is
   * 1 where it went down for congestion, else 0.
   */
  readonly windows?: Table;
  /** `time_s`, `flow`, `rtt_ms`. */
  readonly rtts?: Table;
  /** `time_s`, `link`, `queue_packets`. */
  readonly queues?: Table;
  /** `time_s`, `flow`, `delivered_bytes`. */
  readonly delivered?: Table;
  /** `time_s`, `link`, `flow`. */
  readonly drops?: Table;
}

/** The kinds of time series. */
export type SeriesKind = "windows" | "rtts" | "queues" | "delivered" | "drops";

/** How far the work is. */
export interface Progress {
  /** Simulated seconds done, of all runs together. */
  readonly done_s: number;
  /** Simulated seconds of all runs. */
  readonly total_s: number;
}

/** Options of {@link Engine.run}. */
export interface RunOptions {
  /** Time series that are recorded as the runs go; none without it. */
  readonly series?: readonly SeriesKind[];
  /** The runs of which they are recorded: those with the first seed, or all. The first seed without it. */
  readonly seriesOf?: "first-seed" | "every-seed";
  /**
   * Of windows, queues and deliveries a point each so many seconds at most, and of round-trip times the least and the
   * largest in them; every change without it.
   */
  readonly interval_s?: number;
  /** Called from time to time with how far the work is. */
  readonly onProgress?: (progress: Progress) => void;
  /**
   * Called with the series of each run while it grows, from a run of some length on, and as it ends, before the
   * whole is done. The last call has all of it.
   */
  readonly onSeries?: (series: RunSeries) => void;
}

/** The figures of an experiment's results, as its report has them, and what else a page needs beside them. */
export interface OutcomeFigures extends Figures {
  /** The place of each point on the axes of the sweep; `null` where it has none. */
  readonly places: readonly (readonly number[] | null)[];
  /**
   * For each point the mean of every quantity that its runs have, and half of its 95 % interval: rates in bits a second,
   * times in milliseconds, shares from 0 to 1.
   */
  readonly means: readonly Readonly<Record<string, Mean>>[];
  /** The least and the largest value that each quantity can have; `null` where there is none. */
  readonly ranges: Readonly<Record<string, Range>>;
}

/** The results of an experiment. */
export interface Outcome {
  /** The document of schema `westwood.run/1` (`GridReport`), to the byte what `westwood run --json` writes. */
  readonly json: string;
  /** SHA-256 of `json`, in hexadecimal. */
  readonly hash: string;
  readonly series: readonly RunSeries[];
  /** The conclusion in sentences, as the command prints it, and the warnings before it. */
  readonly sentences: readonly string[];
  readonly warnings: readonly string[];
  readonly figures: OutcomeFigures;
}

/** Work under way. */
export interface Job<T> {
  readonly result: Promise<T>;
  /** Ends the work at once; `result` is rejected by {@link Cancelled}. */
  cancel(): void;
}

/**
 * The passage of a packet over a link, one row for each packet and link:
 *
 * * `flow`, `link`: names;
 * * `kind`: `data`, `ack` or `datagram`;
 * * `enter_s`: it comes to the link and is queued, or dropped there;
 * * `start_s`, `end_s`: its transmission begins and ends; NaN if it is dropped before;
 * * `leave_s`: it comes off the link at the far end; NaN if it does not;
 * * `gone_s`: it is dropped, as it comes or after it has waited, or would have come off the link but is lost; else NaN;
 * * `fate`: `delivered`, `dropped` (before the link), `lost` (on the link) or `under way` at the end of the interval;
 * * `cause`: of what is dropped `overflow` (the queue was full), `aqm` (queue management) or `policer`, of what is lost
 *   `random`, else absent;
 * * `size_bytes`: its size on the wire;
 * * `seq_segments`, `length_bytes`: of data, the number of its segment in the stream, from 0, and its payload;
 * * `ack_segments`: of an ACK, the next segment that the receiver expects;
 * * `retransmission`: 1 of data sent before, else 0; `ce`: 1 if marked;
 * * `packet`: a number that all passages of one packet share.
 */
export type PassageTable = Table;

/** A part of a run that is shown packet by packet. */
export interface PacketOptions extends RunKey {
  readonly from_s: number;
  readonly until_s: number;
  /** At most so many passages; 100,000 without it. */
  readonly most?: number;
}

/** Packets of a part of a run. */
export interface Packets {
  readonly passages: PassageTable;
  /** The interval ends earlier because there were too many: with what was under way at its end it is whole. */
  readonly cut: boolean;
}

/** A ready scenario of the library. */
export interface ReadyScenario {
  readonly name: string;
  readonly about: string;
  readonly toml: string;
}

/** A controller or a queue of the catalog. */
export interface ReadyController {
  readonly name: string;
  /** Other names that experiments may call it by. */
  readonly aliases: readonly string[];
  readonly about: string;
  readonly parameters: readonly ReadyParameter[];
}

/** A parameter, with its default and the values that it takes; empty where there is none or nothing to say. */
export interface ReadyParameter {
  readonly name: string;
  readonly about: string;
  readonly default: string;
  readonly allowed: string;
}

/** The catalog, as `westwood list` prints it. */
export interface Catalog {
  readonly version: string;
  readonly scenarios: readonly ReadyScenario[];
  readonly controllers: readonly ReadyController[];
  readonly queues: readonly ReadyController[];
}

/** The simulator in a pool of workers that share one compiled module. */
export interface Engine {
  /** Resolves once the module is compiled and warm. */
  readonly ready: Promise<void>;
  catalog(): Promise<Catalog>;
  /** The JSON Schema of scenario files, as `westwood schema` prints it. */
  schema(): Promise<unknown>;
  /** The meaning of an experiment, within milliseconds unless it has many points; {@link Cancelled} after the signal. */
  check(experiment: Experiment, signal?: AbortSignal): Promise<Plan>;
  /** Does all runs, in parallel. */
  run(experiment: Experiment, options?: RunOptions): Job<Outcome>;
  /** Simulates one run and shows a part of it packet by packet. */
  packets(experiment: Experiment, options: PacketOptions): Job<Packets>;
  /** Ends all workers. */
  close(): void;
}
