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
