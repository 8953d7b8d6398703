// The packets of a run as the animation has them: parts of the run, of which the next is asked for before the one
// that is shown is over. The engine simulates a run anew for each part, so that no request is made twice.

import { Cancelled, type Engine, type Experiment, type Job, type Packets } from "../engine/api";
import type { PacketLog } from "./flight";
import { roundTrip, type NetworkView } from "./network";
import { packetLog } from "./packets";

/** A part has fewer passages of packets over links than these. */
const PASSAGES = 60_000;
/** A part of a run lasts so many round trips, and begins one of as many parts of itself before its moment. */
const PART_RTTS = 12;
/** The shortest parts are this share of a round trip: a path with more packets in them is not drawn. */
const LEAST_SHARE = 1 / 50;
/** Parts that are kept. */
const KEPT = 3;
/** After a request that failed the next one waits so long, and twice as long after each further one; in milliseconds. */
const WAIT_MS = [1_000, 60_000] as const;

/** A run whose packets can be asked for. */
export interface RunOfPackets {
  readonly experiment: Experiment;
  readonly point: number;
  readonly seed: string;
  /** Its end, in seconds. */
  readonly end: number;
}

/** A request under way. */
interface Asked {
  readonly from: number;
  readonly until: number;
  readonly job: Job<Packets>;
}

/** The parts of one run. */
export class PacketParts {
  private run: RunOfPackets | undefined;
  private network: NetworkView | undefined;
  private parts: PacketLog[] = [];
  private asked: Asked | undefined;
  /** The length of the next part, in seconds: shorter where there are many packets. */
  private span = 0;
  /** Around this moment even the shortest part has too many packets. */
  private dense: number | undefined;
  private failure: { readonly words: string; readonly retry: number; readonly wait: number } | undefined;

  /** `changed` is called when a part has come, or will not. */
  constructor(
    private readonly engine: Pick<Engine, "packets">,
    private readonly changed: () => void,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** Another run; none with undefined. */
  setRun(run: RunOfPackets | undefined, network: NetworkView | undefined): void {
    const before = this.run;
    const same = run && network === this.network && run.experiment === before?.experiment && run.point === before.point;
    if (same && run.seed === before.seed && run.end === before.end) return;
    this.run = run;
    this.network = network;
    this.parts = [];
    this.asked?.job.cancel();
    this.asked = undefined;
    this.span = this.longest;
    this.dense = undefined;
    this.failure = undefined;
  }

  /** The part that a moment is in; of several the one that lasts longest. */
  at(time: number): PacketLog | undefined {
    const around = this.parts.filter((part) => time >= part.from && time <= part.to);
    return around.sort((a, b) => b.to - a.to)[0];
  }

  /** The time until which the clock may go on; undefined while it has to wait for packets. */
  readyUntil(time: number): number | undefined {
    const { run } = this;
    // A run that is over, and one whose packets do not come, hold no other back.
    if (!run || time >= run.end || this.isDense(time) || this.failure) return Infinity;
    const part = this.at(time);
    const to = part && this.behind(part).to;
    return to !== undefined && to >= run.end ? Infinity : to;
  }

  /** Why there are no packets at a moment, in words; empty if there are some, or some will come. */
  words(time: number): string {
    if (!this.run || time >= this.run.end || this.at(time)) return "";
    if (this.failure) return `The packets of this moment could not be simulated: ${this.failure.words}`;
    return this.isDense(time) ? "There are more packets on this path at once than can be drawn. The curves below have all of them." : "";
  }

  /** Asks for the part of a moment, and in its second half for the one behind it. */
  want(time: number): void {
    const { run } = this;
    if (!run || time >= run.end) return;
    const part = this.at(time);
    if (!part) this.ask(run, time);
    else if (part.to < run.end && time >= (part.from + part.to) / 2 && this.behind(part) === part) this.ask(run, part.to);
  }

  /** The part that a part leads to; itself if that has not come. */
  private behind(part: PacketLog): PacketLog {
    return this.at(part.to) ?? part;
  }

  private get longest(): number {
    return this.network ? Math.max(0.02, PART_RTTS * roundTrip(this.network)) : 0;
  }

  private isDense(time: number): boolean {
    return this.dense !== undefined && Math.abs(time - this.dense) <= this.longest / PART_RTTS;
  }

  private ask(run: RunOfPackets, moment: number): void {
    const { network, asked, span } = this;
    if (!network || this.isDense(moment) || (this.failure && this.now() < this.failure.retry)) return;
    if (asked && moment >= asked.from && moment < asked.until) return;
    asked?.job.cancel();
    // Packets that fall are seen for a moment, and a duplicate ACK is told by the one before it.
    const from = Math.max(0, moment - span / PART_RTTS);
    const until = Math.min(run.end, from + span);
    const { experiment, point, seed } = run;
    const job = this.engine.packets(experiment, { point, seed, from_s: from, until_s: until, most: PASSAGES });
    const now: Asked = { from, until, job };
    this.asked = now;
    job.result.then(
      (packets) => {
        if (this.asked !== now) return;
        this.asked = undefined;
        this.failure = undefined;
        this.came(packetLog(packets, network, from, until), packets.cut || packets.passages.rows >= PASSAGES, moment);
        this.changed();
      },
      (error: unknown) => {
        if (this.asked !== now) return;
        this.asked = undefined;
        if (error instanceof Cancelled) return;
        const wait = Math.min(WAIT_MS[1], this.failure ? 2 * this.failure.wait : WAIT_MS[0]);
        this.failure = { words: error instanceof Error ? error.message : String(error), retry: this.now() + wait, wait };
        this.changed();
      },
    );
  }

  /** A part that was cut lacks packets that were still under way then: a shorter one has all of them. */
  private came(part: PacketLog, isCut: boolean, moment: number): void {
    const least = (LEAST_SHARE * this.longest) / PART_RTTS;
    if (!isCut) {
      this.dense = undefined;
      this.parts = [part, ...this.parts].slice(0, KEPT);
      if (part.enter.length < PASSAGES / 4) this.span = Math.min(this.longest, 2 * this.span);
    } else if (this.span <= least) this.dense = moment;
    else this.span = Math.max(least, Math.min(this.span / 4, (part.to - part.from) / 2));
  }
}
