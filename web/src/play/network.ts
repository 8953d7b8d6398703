// The network of an experiment, as the drawing and the animation need it.

/** A one-way link. */
export interface LinkView {
  readonly name: string;
  /** Its ends: places in the list of nodes. */
  readonly from: number;
  readonly to: number;
  /** Bits a second; undefined with recorded capacity. */
  readonly rateBps: number | undefined;
  /** Propagation, one way, in seconds. */
  readonly delayS: number;
  /** Packets that its buffer holds; undefined where it is counted otherwise or has no end. */
  readonly bufferPackets: number | undefined;
  /** Its buffer, queue and losses as people write them; empty where there is nothing to say. */
  readonly buffer: string;
  readonly queue: string;
  readonly loss: string;
}

/** A flow and its way. */
export interface FlowView {
  readonly name: string;
  /** The group that it belongs to, as `flow`, `rival` or `reverse`. */
  readonly group: string;
  readonly from: number;
  readonly to: number;
  /** Links of the way there and of the way back: places in the list of links. */
  readonly path: readonly number[];
  readonly back: readonly number[];
}

/** A network. */
export interface NetworkView {
  readonly nodes: readonly string[];
  readonly links: readonly LinkView[];
  readonly flows: readonly FlowView[];
  /** The link that the results are about. */
  readonly measuredLink: number;
}

/** The round trip over empty queues of the first flow, in seconds. */
export function roundTrip(network: NetworkView): number {
  const [flow] = network.flows;
  return [...(flow?.path ?? []), ...(flow?.back ?? [])].reduce((sum, link) => sum + (network.links[link]?.delayS ?? 0), 0);
}

/** Bytes of a full packet on most paths. */
const PACKET_BYTES = 1500;

/**
 * The passages of packets over links in a second, about, while the path is as busy as it can be: each flow has an even
 * share of each of its links, and an ACK for each packet. A link of recorded capacity limits none.
 */
export function busyPassages(network: NetworkView): number {
  const sharers = network.links.map(() => 0);
  for (const { path } of network.flows) for (const link of path) sharers[link] = (sharers[link] ?? 0) + 1;
  const shares = network.flows.map(({ path, back }) => {
    const bps = path.reduce((least, link) => Math.min(least, (network.links[link]?.rateBps ?? Infinity) / (sharers[link] ?? 1)), Infinity);
    return Number.isFinite(bps) ? (bps / (8 * PACKET_BYTES)) * (path.length + back.length) : 0;
  });
  return shares.reduce((sum, one) => sum + one, 0);
}
