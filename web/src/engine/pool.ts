/** The engine in workers of the page, which share one compiled module. */

import source from "worker:./worker.ts";
import { bytesOf } from "../page/base64.js";
import {
  BadExperiment,
  Cancelled,
  type Catalog,
  type Engine,
  type Experiment,
  type Job,
  type Outcome,
  type PacketOptions,
  type Packets,
  type Plan,
  type Progress,
  type RunOptions,
  type RunSeries,
} from "./api.js";
import type { Answer } from "./module.js";
import type { FromWorker, Task, WorkWatcher } from "./work.js";

/** A plan, and its runs as the engine numbers them. */
interface PlannedRuns extends Plan {
  readonly tasks: readonly (readonly [point: number, seed: string])[];
}

/** A check that nobody wants any more may go on for so long, in milliseconds. */
const CHECK_MS = 200;
/** A worker whose module has more memory than this after a task is replaced: modules give none back. */
const MOST_BYTES = 1 << 27;

/** A task that waits for a worker, or has one. */
interface Errand {
  readonly task: Task;
  readonly watcher: WorkWatcher | undefined;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: Error) => void;
  cancelled: boolean;
  by?: PoolWorker;
}

/** A worker, from the time when it is ready. */
interface PoolWorker {
  readonly worker: Worker;
  readonly ready: Promise<void>;
  errand?: Errand;
}

/** Options of a pool. */
export interface PoolOptions {
  /** The compiled module, or its promise. */
  readonly module: WebAssembly.Module | Promise<WebAssembly.Module>;
  /** Workers that simulate; as many as the machine has processors, up to eight, without it. */
  readonly workers?: number;
}

/** The engine that a page has inside, in an element of this id: compressed by gzip, in base64. */
export async function engineOfPage(id = "engine"): Promise<WebAssembly.Module> {
  // It stands behind the script, at the page's end.
  if (document.readyState === "loading") {
    await new Promise((done) => { document.addEventListener("DOMContentLoaded", done, { once: true }); });
  }
  const code = document.getElementById(id)?.textContent.trim() ?? "";
  if (code === "") throw new Error("this page has no engine inside; make page writes one that has, target/web/playground.html");
  const unpacked = new Blob([bytesOf(code)]).stream().pipeThrough(new DecompressionStream("gzip"));
  // Compiled while it is unpacked.
  return WebAssembly.compileStreaming(new Response(unpacked, { headers: { "content-type": "application/wasm" } }));
}

/** A pool of workers. */
export class EnginePool implements Engine {
  readonly ready: Promise<void>;
  readonly #module: Promise<WebAssembly.Module>;
  readonly #script: string;
  readonly #most: number;
  /** Simulates nothing, so that a check never waits for a run. */
  readonly #front: Lane;
  readonly #runners: Lane;
  #catalog: Promise<Catalog> | undefined;
  /** The last experiment that was checked, as text, and its plan: most often it is the one that is run next. */
  #checked: { readonly experiment: string; readonly plan: PlannedRuns } | undefined;

  constructor(options: PoolOptions) {
    this.#module = Promise.resolve(options.module);
    this.#script = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
    this.#most = options.workers ?? Math.min(Math.max(navigator.hardwareConcurrency, 1), 8);
    const start = (): PoolWorker => this.#start();
    this.#front = new Lane(start, 1);
    this.#runners = new Lane(start, this.#most);
    // A first worker of each kind is there before it is needed.
    this.ready = Promise.all([this.#front.warm(), this.#runners.warm()]).then(() => undefined);
    // The others follow: a comparison begins on all processors at once.
    this.ready.then(() => this.#runners.warm(this.#most)).catch(() => undefined);
  }

  async catalog(): Promise<Catalog> {
    this.#catalog ??= this.#front.send({ do: "catalog" }).answer.then(({ ok }) => ok as Catalog);
    return this.#catalog;
  }

  async schema(): Promise<unknown> {
    // A page asks for it once, as it opens: the front worker writes the catalog at the same time.
    return (await this.#runners.send({ do: "schema" }).answer).ok;
  }

  async check(experiment: Experiment, signal?: AbortSignal): Promise<Plan> {
    const text = JSON.stringify(experiment);
    if (this.#checked?.experiment === text) {
      if (signal?.aborted === true) throw new Cancelled();
      return this.#checked.plan;
    }
    const sent = this.#front.send({ do: "check", experiment, brief: false });
    let timer: ReturnType<typeof setTimeout> | undefined;
    const end = (): void => {
      sent.withdraw();
      // Most checks are over sooner than another worker begins.
      timer = setTimeout(() => { sent.cancel(); }, CHECK_MS);
    };
    if (signal?.aborted) end();
    signal?.addEventListener("abort", end);
    try {
      const plan = (await sent.answer).ok as PlannedRuns;
      this.#checked = { experiment: text, plan };
      return plan;
    } finally {
      signal?.removeEventListener("abort", end);
      clearTimeout(timer);
    }
  }

  run(experiment: Experiment, options: RunOptions = {}): Job<Outcome> {
    const errands = new Errands();
    return { result: this.#runAll(experiment, options, errands), cancel: () => { errands.cancel(); } };
  }

  packets(experiment: Experiment, options: PacketOptions): Job<Packets> {
    const errands = new Errands();
    const packets = async (): Promise<Packets> => {
      const { tasks } = await this.#planned(experiment, errands);
      errands.goOn();
      const task = tasks.findIndex(([point, seed]) => point === options.point && seed === options.seed);
      const { from_s, until_s, most = 100_000 } = options;
      const { ok, tables } = await errands.add(this.#runners.send({ do: "packets", experiment, task, from_s, until_s, most }));
      const { passages } = tables;
      if (passages === undefined) throw new Error("the engine gave no packets");
      return { passages, cut: (ok as { cut: boolean }).cut };
    };
    return { result: packets(), cancel: () => { errands.cancel(); } };
  }

  close(): void {
    this.#front.close();
    this.#runners.close();
    URL.revokeObjectURL(this.#script);
  }

  #start(): PoolWorker {
    const worker = new Worker(this.#script);
    const ready = new Promise<void>((resolve, reject) => {
      worker.addEventListener("message", ({ data }: MessageEvent<FromWorker>) => {
        if ("end" in data) reject(new Error(data.end));
        else resolve();
      }, { once: true });
      worker.addEventListener("error", (event) => { reject(new Error(event.message)); }, { once: true });
      this.#module.then((module) => { worker.postMessage({ module }); }, reject);
    });
    return { worker, ready };
  }

  async #planned(experiment: Experiment, errands: Errands): Promise<PlannedRuns> {
    if (this.#checked?.experiment === JSON.stringify(experiment)) return this.#checked.plan;
    const { ok } = await errands.add(this.#front.send({ do: "check", experiment, brief: true }));
    return ok as PlannedRuns;
  }

  async #runAll(experiment: Experiment, options: RunOptions, errands: Errands): Promise<Outcome> {
    const { points, seeds, tasks, time_s } = await this.#planned(experiment, errands);
    errands.goOn();
    const { series: kinds = [], interval_s = 0, onProgress, onSeries } = options;
    const done = tasks.map(() => 0);
    const tell = (task: number, done_s: number): void => {
      done[task] = done_s;
      const progress: Progress = { done_s: done.reduce((sum, one) => sum + one, 0), total_s: time_s * tasks.length };
      onProgress?.(progress);
    };
    const series = new Map<number, RunSeries>();
    const one = async ([point, seed]: readonly [number, string], task: number): Promise<string> => {
      const recorded = point < points.length && (options.seriesOf === "every-seed" || seed === seeds[0]);
      const asked: Task = { do: "run", experiment, task, series: recorded ? kinds : [], interval_s };
      const watcher: WorkWatcher = {
        progress: (done_s) => { tell(task, done_s); },
        soFar: (tables) => { onSeries?.({ point, seed, ...tables }); },
      };
      const { texts, tables } = await errands.add(this.#runners.send(asked, watcher));
      tell(task, time_s);
      if (recorded && kinds.length > 0) {
        const found: RunSeries = { point, seed, ...tables };
        series.set(task, found);
        onSeries?.(found);
      }
      return texts.record ?? "";
    };
    try {
      const records = await Promise.all(tasks.map(one));
      const { ok, texts } = await errands.add(this.#front.send({ do: "outcome", experiment, records }));
      const about = ok as Pick<Outcome, "hash" | "sentences" | "warnings" | "figures">;
      const inOrder = [...series].sort(([a], [b]) => a - b).map(([, found]) => found);
      return { json: texts.json ?? "", series: inOrder, ...about };
    } catch (error) {
      // One run has failed: the others are worth nothing.
      errands.cancel();
      throw error;
    }
  }
}

/** A request that a lane works on, and the way to take it back. */
interface Sent {
  readonly answer: Promise<Answer>;
  /** Takes it back where it still waits for a worker. No other takes its turn yet. */
  withdraw(): void;
  cancel(): void;
}

/** All that a job has asked. */
class Errands {
  readonly #sent = new Set<Sent>();
  #cancelled = false;

  async add(sent: Sent): Promise<Answer> {
    if (this.#cancelled) sent.cancel();
    this.#sent.add(sent);
    try {
      return await sent.answer;
    } finally {
      this.#sent.delete(sent);
    }
  }

  /** Throws Cancelled if the job was: a task that is sent and taken back would end its worker. */
  goOn(): void {
    if (this.#cancelled) throw new Cancelled();
  }

  cancel(): void {
    this.#cancelled = true;
    const all = [...this.#sent];
    // A worker that one run leaves would begin with the next of those that are cancelled after it.
    for (const sent of all) sent.withdraw();
    for (const sent of all) sent.cancel();
  }
}

/** Workers of one kind, and the queue before them. */
class Lane {
  readonly #start: () => PoolWorker;
  readonly #most: number;
  readonly #idle: PoolWorker[] = [];
  readonly #all = new Set<PoolWorker>();
  readonly #queue: Errand[] = [];

  constructor(start: () => PoolWorker, most: number) {
    this.#start = start;
    this.#most = most;
  }

  /** Sees to it that there are so many workers, and waits until they are ready. */
  async warm(count = 1): Promise<void> {
    // Those that are ready are taken from the end.
    while (this.#all.size < count) this.#idle.unshift(this.#begin());
    await Promise.all([...this.#all].map(({ ready }) => ready));
  }

  send(task: Task, watcher?: WorkWatcher): Sent {
    let errand: Errand | undefined;
    const answer = new Promise<Answer>((resolve, reject) => {
      errand = { task, watcher, resolve, reject, cancelled: false };
      this.#queue.push(errand);
    });
    // A job that is cancelled may have stopped listening to some of its answers.
    answer.catch(() => undefined);
    this.#next();
    return {
      answer,
      withdraw: () => { if (errand !== undefined) this.#withdraw(errand); },
      cancel: () => { if (errand !== undefined) this.#cancel(errand); },
    };
  }

  close(): void {
    for (const errand of this.#queue.splice(0)) errand.reject(new Cancelled());
    for (const one of this.#all) {
      one.worker.terminate();
      one.errand?.reject(new Cancelled());
    }
    this.#all.clear();
    this.#idle.length = 0;
  }

  #begin(): PoolWorker {
    const one = this.#start();
    this.#all.add(one);
    one.worker.addEventListener("message", (event: MessageEvent<FromWorker>) => { this.#hear(one, event.data); });
    one.worker.addEventListener("error", (event) => { this.#lose(one, new Error(event.message)); });
    one.ready.catch((error: unknown) => { this.#lose(one, error instanceof Error ? error : new Error(String(error))); });
    return one;
  }

  #next(): void {
    while (this.#queue.length > 0) {
      const one = this.#idle.pop() ?? (this.#all.size < this.#most ? this.#begin() : undefined);
      if (one === undefined) return;
      const errand = this.#queue.shift();
      if (errand === undefined) return;
      one.errand = errand;
      errand.by = one;
      // Messages are handled in order: the module was posted first, or waits to be compiled.
      void one.ready.then(() => { if (one.errand === errand) one.worker.postMessage({ task: errand.task }); }, () => undefined);
    }
  }

  #hear(one: PoolWorker, message: FromWorker): void {
    const { errand } = one;
    if (errand === undefined || "ready" in message) return;
    if ("done_s" in message) {
      errand.watcher?.progress?.(message.done_s);
      return;
    }
    if ("soFar" in message) {
      errand.watcher?.soFar?.(message.soFar);
      return;
    }
    if ("end" in message) {
      this.#lose(one, new Error(message.end));
      this.#replace();
      return;
    }
    delete one.errand;
    if ("answer" in message && message.bytes > MOST_BYTES) {
      this.#end(one);
      this.#replace();
    } else this.#idle.push(one);
    if ("answer" in message) errand.resolve(message.answer);
    else errand.reject(message.faults === undefined ? new Error(message.error) : new BadExperiment(message.faults));
    this.#next();
  }

  /** A worker has ended by itself: its memory ran out, or the module trapped. */
  #lose(one: PoolWorker, error: Error): void {
    if (!this.#end(one)) return;
    one.errand?.reject(error);
    this.#next();
  }

  /** Ends a worker; false if it has ended before. */
  #end(one: PoolWorker): boolean {
    if (!this.#all.delete(one)) return false;
    one.worker.terminate();
    const idle = this.#idle.indexOf(one);
    if (idle >= 0) this.#idle.splice(idle, 1);
    return true;
  }

  /** Sees to it that one worker at least is there before it is needed. */
  #replace(): void {
    if (this.#all.size === 0) this.#idle.push(this.#begin());
  }

  #withdraw(errand: Errand): void {
    const waiting = this.#queue.indexOf(errand);
    if (waiting < 0) return;
    this.#queue.splice(waiting, 1);
    errand.cancelled = true;
    errand.reject(new Cancelled());
  }

  #cancel(errand: Errand): void {
    this.#withdraw(errand);
    if (errand.cancelled) return;
    errand.cancelled = true;
    errand.reject(new Cancelled());
    const { by } = errand;
    if (by?.errand === errand) {
      // A run hears nothing until it ends: its worker ends with it, and another takes its place.
      delete by.errand;
      this.#end(by);
      this.#replace();
    }
    this.#next();
  }
}
