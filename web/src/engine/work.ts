/** The messages between the page and its workers, and the work itself. */

import { BadExperiment, type Experiment, type Fault, type SeriesKind, type Table } from "./api.js";
import { type Answer, EngineModule, RequestRefused, buffersOf } from "./module.js";

/** A request to a worker. */
export type Task =
  | { readonly do: "catalog" }
  | { readonly do: "schema" }
  | { readonly do: "check"; readonly experiment: Experiment; readonly brief: boolean }
  | { readonly do: "run"; readonly experiment: Experiment; readonly task: number; readonly series: readonly SeriesKind[]; readonly interval_s: number }
  | { readonly do: "outcome"; readonly experiment: Experiment; readonly records: readonly string[] }
  | { readonly do: "packets"; readonly experiment: Experiment; readonly task: number; readonly from_s: number; readonly until_s: number; readonly most: number };

/** A message to a worker: first the module, then tasks one after another. */
export type ToWorker = { readonly module: WebAssembly.Module } | { readonly task: Task };

/** A message from a worker about the task at hand. */
export type FromWorker =
  | { readonly ready: true }
  | { readonly done_s: number }
  | { readonly soFar: Answer["tables"] }
  /** With the memory that the module has by now. */
  | { readonly answer: Answer; readonly bytes: number }
  | { readonly error: string; readonly faults?: readonly Fault[] }
  /** The module can do nothing more. */
  | { readonly end: string };

/** The wall time between two messages about how far a run is, in milliseconds: two frames of a screen. */
const PIECE_MS = 33;

/** The least wall time between two messages with the series so far, in milliseconds. */
const SO_FAR_MS = 300;
/** And the least by which simulated time has grown: all messages of a run hold a few times what it records. */
const SO_FAR_GROWTH = 1.3;

/** The calls by which work tells of itself while it goes on. */
export interface WorkWatcher {
  /** A run has come so far, in simulated seconds. */
  progress?(done_s: number): void;
  /** A run has recorded this so far. */
  soFar?(tables: Answer["tables"]): void;
}

/** A thread's share of the engine. */
export class EngineWork {
  readonly #module: EngineModule;
  /** The experiment that the module has read. */
  #planned: string | undefined;
  /** Simulated seconds a millisecond in the run of this experiment before, if there was one. */
  #speed = 0;

  constructor(module: EngineModule) {
    this.#module = module;
  }

  /** The memory of the module. */
  get bytes(): number {
    return this.#module.bytes;
  }

  /** Does a task. */
  carryOut(task: Task, watcher: WorkWatcher): Answer {
    switch (task.do) {
      case "catalog":
      case "schema":
        return this.#module.ask({ do: task.do });
      case "check":
        return this.#plan(task.experiment, task.brief);
      case "run":
        this.#ensure(task.experiment);
        return this.#run(task, watcher);
      case "outcome":
        this.#ensure(task.experiment);
        return this.#module.ask({ do: "outcome", records: task.records });
      case "packets": {
        this.#ensure(task.experiment);
        const { from_s, until_s, most } = task;
        return this.#module.ask({ do: "packets", task: task.task, from_s, until_s, most });
      }
    }
  }

  #plan(experiment: Experiment, brief: boolean): Answer {
    [this.#planned, this.#speed] = [undefined, 0];
    const { toml, set = [], files = {} } = experiment;
    const answer = this.#module.ask({ do: "plan", toml, set, files, brief });
    this.#planned = JSON.stringify(experiment);
    return answer;
  }

  #ensure(experiment: Experiment): void {
    if (this.#planned !== JSON.stringify(experiment)) this.#plan(experiment, true);
  }

  #run({ task, series, interval_s }: Extract<Task, { do: "run" }>, watcher: WorkWatcher): Answer {
    const { length_s } = this.#module.ask({ do: "begin", task, series, interval_s }).ok as { length_s: number };
    // Pieces grow or shrink until one takes about as long as wanted. The first is small, since a run may take
    // minutes, or a part of what the run before tells, since another point may be slower.
    let piece = Math.max(length_s / 65_536, (this.#speed * PIECE_MS) / 2);
    const start = performance.now();
    let [told, toldAt] = [0, start];
    for (let until = 0, over = false; !over; ) {
      const begin = performance.now();
      until = Math.min(until + piece, length_s);
      ({ over } = this.#module.ask({ do: "advance", until_s: until }).ok as { over: boolean });
      over ||= until >= length_s;
      const now = performance.now();
      // The end is told by the answer.
      if (!over) watcher.progress?.(until);
      else this.#speed = until / Math.max(now - start, 0.1);
      piece *= Math.min(4, Math.max(0.25, PIECE_MS / Math.max(now - begin, 0.1)));
      if (!over && watcher.soFar && series.length > 0 && now - toldAt >= SO_FAR_MS && until >= told * SO_FAR_GROWTH) {
        watcher.soFar(this.#module.ask({ do: "so_far" }).tables);
        [told, toldAt] = [until, performance.now()];
      }
    }
    return this.#module.ask({ do: "finish" });
  }
}

/** The other end of a worker: what it gets and what it sends. */
export interface Port {
  receive(handle: (message: ToWorker) => void): void;
  send(message: FromWorker, transfer: ArrayBuffer[]): void;
}

/** The end of a module that trapped, in words: it has no other way to say that its memory or its stack is full. */
function endWords(error: unknown): string {
  const words = error instanceof Error ? error.message : String(error);
  const full = error instanceof WebAssembly.RuntimeError || error instanceof RangeError;
  return full ? `the engine stopped, most likely because its memory is full (${words}): ask for less time, fewer flows or fewer seeds` : words;
}

/** Serves tasks that come over a port. */
export function serve(port: Port): void {
  let work: EngineWork | undefined;
  port.receive((message) => {
    if ("module" in message) {
      EngineModule.of(message.module).then(
        (module) => {
          work = new EngineWork(module);
          port.send({ ready: true }, []);
        },
        (error: unknown) => { port.send({ end: endWords(error) }, []); },
      );
      return;
    }
    try {
      if (work === undefined) throw new RequestRefused("the module comes first");
      const answer = work.carryOut(message.task, {
        progress: (done_s) => { port.send({ done_s }, []); },
        soFar: (tables) => { port.send({ soFar: tables }, buffersOf(Object.values<Table>(tables))); },
      });
      port.send({ answer, bytes: work.bytes }, buffersOf(Object.values<Table>(answer.tables)));
    } catch (error) {
      if (error instanceof BadExperiment) port.send({ error: error.message, faults: error.faults }, []);
      else if (error instanceof RequestRefused) port.send({ error: error.message }, []);
      // A trap leaves the module in the middle of a call: all later ones would fail.
      else port.send({ end: endWords(error) }, []);
    }
  });
}
