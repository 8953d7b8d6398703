// The engine's passages of packets as a log that the animation and the sequence diagram read.

import type { Column, Packets, PlanNetwork } from "../engine/api";
import { withUnit } from "../page/number";
import { ARRIVED, isDropped, LOST, MANAGED, OVERFLOW, POLICED, UNDER_WAY, type PacketLog } from "./flight";
import type { NetworkView } from "./network";
import { nameAt, numbers } from "./runs";

/** Of what is dropped or lost the cause tells the fate. */
const FATES: Readonly<Record<string, number>> = {
  delivered: ARRIVED,
  random: LOST,
  overflow: OVERFLOW,
  aqm: MANAGED,
  policer: POLICED,
  "under way": UNDER_WAY,
};

/** The network of a plan, as it is drawn. */
export function networkView(network: PlanNetwork): NetworkView {
  return {
    nodes: network.nodes,
    links: network.links.map((link) => ({
      name: link.name,
      from: link.from,
      to: link.to,
      rateBps: link.rate_bps > 0 ? link.rate_bps : undefined,
      delayS: link.delay_s,
      bufferPackets: link.queue_packets,
      buffer:
        link.queue_packets !== undefined
          ? withUnit(link.queue_packets, "packets")
          : link.queue_bytes !== undefined
            ? withUnit(link.queue_bytes, "bytes")
            : "",
      queue: link.queue,
      loss: link.loss,
    })),
    flows: network.flows.map((flow) => ({
      name: flow.name,
      group: flow.group,
      from: network.links[flow.path[0] ?? 0]?.from ?? 0,
      to: network.links[flow.path.at(-1) ?? 0]?.to ?? 0,
      path: flow.path,
      back: flow.back,
    })),
    measuredLink: network.measured_link,
  };
}

/** The place of each name of a column in a list; the list's length where it is not there. */
function places(column: Column | undefined, list: readonly string[]): Uint32Array {
  if (column?.type !== "name") return new Uint32Array();
  const known = new Map(list.map((name, i) => [name, i]));
  const byName = column.names.map((name) => known.get(name) ?? list.length);
  return column.values.map((value) => byName[value] ?? list.length);
}

/** A log of a part of a run. */
export function packetLog(packets: Packets, network: NetworkView, from: number, until: number): PacketLog {
  const table = packets.passages;
  const enters = numbers(table, "enter_s");
  const order = Uint32Array.from(enters, (_, row) => row).sort((a, b) => (enters[a] ?? 0) - (enters[b] ?? 0));
  const [begins, ends, leaves] = [numbers(table, "start_s"), numbers(table, "end_s"), numbers(table, "leave_s")];
  const ids = numbers(table, "packet");
  const kinds = table.columns.kind;
  const gone = numbers(table, "gone_s");
  const [fateColumn, causes] = [table.columns.fate, table.columns.cause];
  const flows = places(table.columns.flow, network.flows.map((flow) => flow.name));
  const links = places(table.columns.link, network.links.map((link) => link.name));
  const [seqs, acks] = [numbers(table, "seq_segments"), numbers(table, "ack_segments")];
  const sizes = numbers(table, "size_bytes");
  const again = numbers(table, "retransmission");

  const known = new Map<number, number>();
  const rows: number[] = [];
  for (const row of order) {
    const id = ids[row] ?? 0;
    if (known.has(id)) continue;
    known.set(id, rows.length);
    rows.push(row);
  }
  const isAck = (row: number): boolean => nameAt(kinds, row) === "ack";
  const segment = Float64Array.from(rows, (row) => (isAck(row) ? acks[row] : seqs[row]) ?? 0);
  // An ACK that waits for the same as the one before it in its flow acknowledges nothing new.
  const awaited = new Map<number, number>();
  const repeated = Uint8Array.from(rows, (row) => {
    if (!isAck(row)) return again[row] === 1 ? 1 : 0;
    const [flow, ack] = [flows[row] ?? 0, acks[row] ?? 0];
    const same = awaited.get(flow) === ack;
    awaited.set(flow, ack);
    return same ? 1 : 0;
  });
  const fate = Uint8Array.from(order, (row) => FATES[nameAt(causes, row) || nameAt(fateColumn, row)] ?? UNDER_WAY);
  const dropped = (place: number, row: number): number | undefined => (isDropped(fate[place]) ? (finite(gone[row]) ?? enters[row]) : undefined);
  const end = packets.cut ? Math.max(from, enters[order.at(-1) ?? 0] ?? from) : until;
  return {
    from,
    to: end,
    flow: Uint32Array.from(rows, (row) => flows[row] ?? 0),
    ack: Uint8Array.from(rows, (row) => (isAck(row) ? 1 : 0)),
    segment,
    size: Uint32Array.from(rows, (row) => sizes[row] ?? 0),
    again: repeated,
    packet: Uint32Array.from(order, (row) => known.get(ids[row] ?? 0) ?? 0),
    link: Uint32Array.from(order, (row) => links[row] ?? 0),
    enter: Float64Array.from(order, (row) => enters[row] ?? 0),
    begin: Float64Array.from(order, (row, place) => dropped(place, row) ?? finite(begins[row]) ?? Infinity),
    leave: Float64Array.from(order, (row, place) => {
      const moment = dropped(place, row) ?? finite(leaves[row]) ?? finite(gone[row]);
      if (moment !== undefined) return moment;
      // A packet that is still on its way is seen as far as the far end.
      const transmitted = finite(ends[row]);
      const delay = network.links[links[row] ?? 0]?.delayS ?? 0;
      return transmitted === undefined ? Infinity : transmitted + delay;
    }),
    fate,
  };
}

function finite(value: number | undefined): number | undefined {
  return value !== undefined && Number.isFinite(value) ? value : undefined;
}
