// Packets on their way, between two moments of a run: where each is at any time. The engine tells when a packet
// entered each link, when its transmission began and when it came off at the far end.

import type { NetworkView } from "./network";

/** The fate of a packet on a link. */
export const ARRIVED = 0;
export const LOST = 1;
export const UNDER_WAY = 2;
/** Dropped before the link: by a full queue, by queue management, by a policer. */
export const OVERFLOW = 3;
export const MANAGED = 4;
export const POLICED = 5;

/** Whether a packet was dropped before the link. */
export const isDropped = (fate: number | undefined): boolean => fate === OVERFLOW || fate === MANAGED || fate === POLICED;

/** The packets of a part of a run, as columns. */
export interface PacketLog {
  /** The part of the run, in seconds. */
  readonly from: number;
  readonly to: number;
  /** Of each packet: its flow, whether it is an ACK, its first segment or the segment that it waits for, bytes on the wire. */
  readonly flow: Uint32Array;
  readonly ack: Uint8Array;
  readonly segment: Float64Array;
  readonly size: Uint32Array;
  /** 1 if the segment was sent before; of ACKs, 1 if it acknowledges nothing new. */
  readonly again: Uint8Array;
  /**
   * Of each leg, in the order in which they begin: its packet, its link, when it enters it, begins to be transmitted
   * and leaves it, and its end. A packet that is dropped begins and leaves at that moment; times of legs that have not
   * begun or ended yet are infinite.
   */
  readonly packet: Uint32Array;
  readonly link: Uint32Array;
  readonly enter: Float64Array;
  readonly begin: Float64Array;
  readonly leave: Float64Array;
  readonly fate: Uint8Array;
}

/** A packet at a moment. */
export interface Dot {
  readonly packet: number;
  /** The leg of the log that it is on. */
  readonly leg: number;
  readonly link: number;
  /** Waiting in the queue, at this place from the front; or moving at this share of the link's length. */
  readonly phase: "waiting" | "moving" | "falling";
  readonly at: number;
}

/** How long a lost packet is seen to fall, in seconds of the network. */
const FALL_S = 0.02;

/** Everything that is on a link or falls from one at a moment. */
export function dotsAt(log: PacketLog, time: number): Dot[] {
  const dots: Dot[] = [];
  const waiting = new Map<number, number>();
  for (let leg = 0; leg < log.enter.length; leg++) {
    const enter = log.enter[leg] ?? 0;
    if (enter > time) break;
    const leave = log.leave[leg] ?? 0;
    const fate = log.fate[leg];
    const fallen = isDropped(fate) || fate === LOST ? FALL_S : 0;
    if (leave + fallen < time) continue;
    const packet = log.packet[leg] ?? 0;
    const link = log.link[leg] ?? 0;
    if (fallen > 0 && time >= leave) {
      dots.push({ packet, leg, link, phase: "falling", at: (time - leave) / fallen });
      continue;
    }
    const begins = log.begin[leg] ?? 0;
    if (time < begins) {
      const place = waiting.get(link) ?? 0;
      waiting.set(link, place + 1);
      dots.push({ packet, leg, link, phase: "waiting", at: place });
    } else {
      dots.push({ packet, leg, link, phase: "moving", at: leave > begins ? (time - begins) / (leave - begins) : 1 });
    }
  }
  return dots;
}

/**
 * Where a packet falls: at the link's entry, where its policer stands, behind the queue as it comes, in front of the
 * queue after it has waited, or at the far end.
 */
export function fallsFrom(log: PacketLog, leg: number): "entry" | "tail" | "front" | "end" {
  const fate = log.fate[leg];
  if (!isDropped(fate)) return "end";
  if (fate === POLICED) return "entry";
  return (log.leave[leg] ?? 0) > (log.enter[leg] ?? 0) ? "front" : "tail";
}

/** The fate of a packet on its way from end to end. */
export type ArrowFate = "arrived" | "lost" | "under way" | "overflow" | "managed" | "policed";

/** The names of the fates that end a way; what has arrived on one link may still be under way on the next. */
const FATES: readonly ArrowFate[] = ["arrived", "lost", "under way", "overflow", "managed", "policed"];

/** An arrow of a sequence diagram: a packet of one flow from its sender to its end, or back. */
export interface Arrow {
  readonly packet: number;
  readonly ack: boolean;
  readonly segment: number;
  readonly again: boolean;
  readonly sent: number;
  /** When it arrived or vanished; undefined if that is after the log's end. */
  readonly ended: number | undefined;
  readonly fate: ArrowFate;
  /** The share of the way's propagation that it covered. */
  readonly share: number;
}

/** The arrows of a flow, in the order in which they begin. */
export function arrows(log: PacketLog, network: NetworkView, flow: number): Arrow[] {
  const legs = new Map<number, number[]>();
  for (let leg = 0; leg < log.packet.length; leg++) {
    const packet = log.packet[leg] ?? 0;
    if (log.flow[packet] !== flow) continue;
    const list = legs.get(packet);
    if (list) list.push(leg);
    else legs.set(packet, [leg]);
  }
  const view = network.flows[flow];
  const found: Arrow[] = [];
  for (const [packet, mine] of legs) {
    const [first] = mine;
    const last = mine.at(-1);
    if (first === undefined || last === undefined) continue;
    const ack = log.ack[packet] === 1;
    const way = (ack ? view?.back : view?.path) ?? [];
    // A packet that was under way already when the log begins has no beginning here.
    if (log.link[first] !== way[0]) continue;
    const fate = log.fate[last];
    const whole = log.link[last] === way.at(-1);
    const ended = fate === UNDER_WAY || (fate === ARRIVED && !whole) ? undefined : log.leave[last];
    const covered = way.indexOf(log.link[last] ?? -1) + (isDropped(fate) ? 0 : 1);
    found.push({
      packet,
      ack,
      segment: log.segment[packet] ?? 0,
      again: log.again[packet] === 1,
      sent: log.enter[first] ?? 0,
      ended,
      fate: ended === undefined ? "under way" : (FATES[fate ?? UNDER_WAY] ?? "under way"),
      share: shareOf(network, way, covered),
    });
  }
  return found.sort((a, b) => a.sent - b.sent);
}

/** The share of a way's delay that its first links have; of a way without delay the share of its links. */
function shareOf(network: NetworkView, way: readonly number[], links: number): number {
  const delays = way.map((link) => network.links[link]?.delayS ?? 0);
  const total = delays.reduce((sum, delay) => sum + delay, 0);
  if (total === 0) return way.length > 0 ? links / way.length : 0;
  return delays.slice(0, links).reduce((sum, delay) => sum + delay, 0) / total;
}
