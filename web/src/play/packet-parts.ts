// The packets of a run as the animation has them: parts of the run, of which the next is asked for before the one
// that is shown is over. The engine simulates a run anew for each part, so that no request is made twice, and ends a
// part where there are more packets than it may have.

import { Cancelled, type Engine, type Experiment, type Job, type Packets } from "../engine/api";
import type { PacketLog } from "./flight";
import { busyPassages, roundTrip, type NetworkView } from "./network";
import { packetLog } from "./packets";

/** A part has at most so many passages of packets over links. */
const PASSAGES = 60_000;
/** A part of a run lasts at most so many round trips, and begins one of as many parts of itself before its moment. */
const PART_RTTS = 12;
/** A part that goes on for less than this share of a round trip is of a path with too many packets to be drawn. */
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
  /** The next part begins so long before its moment, in seconds: less where there are many packets. */
  private lead = 0;
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
    this.lead = network ? Math.min(this.round, PASSAGES / PART_RTTS / busyPassages(network)) : 0;
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

  /** The length of the longest parts. */
  private get longest(): number {
    return this.network ? Math.max(0.02, PART_RTTS * roundTrip(this.network)) : 0;
  }

  /** The longest lead: a round trip, unless that is very short. */
  private get round(): number {
    return this.longest / PART_RTTS;
  }

  private isDense(time: number): boolean {
    return this.dense !== undefined && Math.abs(time - this.dense) <= this.round;
  }

  private ask(run: RunOfPackets, moment: number): void {
    const { network, asked } = this;
    if (!network || this.isDense(moment) || (this.failure && this.now() < this.failure.retry)) return;
    if (asked && moment >= asked.from && moment < asked.until) return;
    asked?.job.cancel();
    // Packets that fall are seen for a moment, and a duplicate ACK is told by the one before it.
    const from = Math.max(0, moment - this.lead);
    const until = Math.min(run.end, from + this.longest);
    const { experiment, point, seed } = run;
    const job = this.engine.packets(experiment, { point, seed, from_s: from, until_s: until, most: PASSAGES });
    const now: Asked = { from, until, job };
    this.asked = now;
    job.result.then(
      (packets) => {
        if (this.asked !== now) return;
        this.asked = undefined;
        this.failure = undefined;
        this.came(packetLog(packets, network, from, until), packets.cut, moment);
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

  /** A part that ended early has all packets as far as it goes: it serves unless that is not beyond its moment. */
  private came(part: PacketLog, isCut: boolean, moment: number): void {
    const least = LEAST_SHARE * this.round;
    if (!isCut || part.to >= moment + least) {
      this.dense = undefined;
      this.parts = [part, ...this.parts].slice(0, KEPT);
      this.lead = isCut ? Math.min(this.round, (part.to - part.from) / PART_RTTS) : this.round;
    } else if (this.lead <= least) this.dense = moment;
    else this.lead = Math.max(least, Math.min(this.lead / 4, (part.to - part.from) / 2));
  }
}
