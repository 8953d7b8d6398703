import assert from "node:assert/strict";
import { test } from "node:test";
import { ARRIVED, type Arrow, arrows, dotsAt, fallsFrom, LOST, MANAGED, OVERFLOW, POLICED, UNDER_WAY, type PacketLog } from "../../src/play/flight";
import { around, arrowWords, digitsOf, labelled, losses, lossWords, packetTable, ticks, within } from "../../src/play/ladder";
import { layOut } from "../../src/play/layout";
import type { LinkView, NetworkView } from "../../src/play/network";

const link = (name: string, from: number, to: number, delayS: number): LinkView => ({
  name,
  from,
  to,
  rateBps: 1e7,
  delayS,
  bufferPackets: 83,
  buffer: "83 packets",
  queue: "",
  loss: "",
});

/** A sender, two routers, a receiver; a millisecond, ten and a millisecond. */
const NETWORK: NetworkView = {
  nodes: ["a", "left", "right", "b"],
  links: [
    link("a", 0, 1, 0.001),
    link("bottleneck", 1, 2, 0.01),
    link("b", 2, 3, 0.001),
    link("b return", 3, 2, 0.001),
    link("bottleneck return", 2, 1, 0.01),
    link("a return", 1, 0, 0.001),
  ],
  flows: [{ name: "flow 1", group: "flow", from: 0, to: 3, path: [0, 1, 2], back: [3, 4, 5] }],
  measuredLink: 1,
};

interface Leg {
  packet: number;
  link: number;
  enter: number;
  begin?: number;
  leave: number;
  fate?: number;
}

function log(packets: { ack?: number; segment: number; again?: number }[], legs: Leg[]): PacketLog {
  return {
    from: 0,
    to: 1,
    flow: Uint32Array.from(packets, () => 0),
    ack: Uint8Array.from(packets, (packet) => packet.ack ?? 0),
    segment: Float64Array.from(packets, (packet) => packet.segment),
    size: Uint32Array.from(packets, () => 1500),
    again: Uint8Array.from(packets, (packet) => packet.again ?? 0),
    packet: Uint32Array.from(legs, (leg) => leg.packet),
    link: Uint32Array.from(legs, (leg) => leg.link),
    enter: Float64Array.from(legs, (leg) => leg.enter),
    begin: Float64Array.from(legs, (leg) => leg.begin ?? leg.enter),
    leave: Float64Array.from(legs, (leg) => leg.leave),
    fate: Uint8Array.from(legs, (leg) => leg.fate ?? ARRIVED),
  };
}

test("a packet waits, then moves in proportion to the time, then is gone", () => {
  const one = log([{ segment: 0 }], [{ packet: 0, link: 1, enter: 0.1, begin: 0.12, leave: 0.14 }]);
  assert.deepEqual(dotsAt(one, 0.09), []);
  assert.equal(dotsAt(one, 0.11)[0]?.phase, "waiting");
  const [moving] = dotsAt(one, 0.13);
  assert.ok(moving);
  assert.equal(moving.phase, "moving");
  assert.ok(Math.abs(moving.at - 0.5) < 1e-9);
  assert.deepEqual(dotsAt(one, 0.15), []);
});

test("packets that wait stand in the order in which they came", () => {
  const two = log(
    [{ segment: 0 }, { segment: 1 }],
    [
      { packet: 0, link: 1, enter: 0.1, begin: 0.2, leave: 0.3 },
      { packet: 1, link: 1, enter: 0.11, begin: 0.21, leave: 0.31 },
    ],
  );
  assert.deepEqual(
    dotsAt(two, 0.15).map((dot) => [dot.packet, dot.at]),
    [
      [0, 0],
      [1, 1],
    ],
  );
});

test("a packet that is dropped or lost is seen to fall, and then is gone", () => {
  for (const fate of [OVERFLOW, MANAGED, POLICED, LOST]) {
    const one = log([{ segment: 0 }], [{ packet: 0, link: 1, enter: 0.1, leave: 0.1, fate }]);
    assert.equal(dotsAt(one, 0.105)[0]?.phase, "falling");
    assert.deepEqual(dotsAt(one, 0.2), []);
  }
});

test("a packet falls where it is dropped: as it comes, after it has waited, or at the far end", () => {
  const falls = (fate: number, leave: number): string =>
    fallsFrom(log([{ segment: 0 }], [{ packet: 0, link: 1, enter: 0.1, begin: leave, leave, fate }]), 0);
  assert.deepEqual(
    [falls(POLICED, 0.1), falls(OVERFLOW, 0.1), falls(MANAGED, 0.1), falls(MANAGED, 0.15), falls(LOST, 0.2)],
    ["entry", "tail", "tail", "front", "end"],
  );
  const waiting = log([{ segment: 0 }], [{ packet: 0, link: 1, enter: 0.1, begin: 0.15, leave: 0.15, fate: MANAGED }]);
  assert.equal(dotsAt(waiting, 0.12)[0]?.phase, "waiting");
  assert.equal(dotsAt(waiting, 0.155)[0]?.phase, "falling");
});

/** Segment 3 is dropped at the bottleneck, its repair arrives. */
const LOSS_AND_REPAIR = log(
  [{ segment: 3 }, { segment: 4 }, { segment: 3, ack: 1 }, { segment: 3, again: 1 }, { segment: 5, ack: 1 }, { segment: 9 }],
  [
    { packet: 0, link: 0, enter: 0.1, leave: 0.101 },
    { packet: 1, link: 0, enter: 0.1, leave: 0.102 },
    { packet: 0, link: 1, enter: 0.101, leave: 0.101, fate: OVERFLOW },
    { packet: 1, link: 1, enter: 0.102, leave: 0.112 },
    { packet: 1, link: 2, enter: 0.112, leave: 0.113 },
    { packet: 2, link: 3, enter: 0.113, leave: 0.114 },
    { packet: 2, link: 4, enter: 0.114, leave: 0.124 },
    { packet: 2, link: 5, enter: 0.124, leave: 0.125 },
    { packet: 3, link: 0, enter: 0.125, leave: 0.126 },
    { packet: 3, link: 1, enter: 0.126, leave: 0.136 },
    { packet: 3, link: 2, enter: 0.136, leave: 0.137 },
    { packet: 4, link: 3, enter: 0.137, leave: 0.138 },
    { packet: 4, link: 4, enter: 0.138, leave: 0.148 },
    { packet: 4, link: 5, enter: 0.148, leave: 0.149 },
    { packet: 5, link: 0, enter: 0.5, leave: Infinity, fate: UNDER_WAY },
  ],
);

test("an arrow leads from a packet's departure to its arrival, or to where it vanished", () => {
  const found = arrows(LOSS_AND_REPAIR, NETWORK, 0);
  assert.deepEqual(
    found.map((arrow) => [arrow.segment, arrow.ack, arrow.fate, arrow.sent, arrow.ended]),
    [
      [3, false, "overflow", 0.1, 0.101],
      [4, false, "arrived", 0.1, 0.113],
      [3, true, "arrived", 0.113, 0.125],
      [3, false, "arrived", 0.125, 0.137],
      [5, true, "arrived", 0.137, 0.149],
      [9, false, "under way", 0.5, undefined],
    ],
  );
  // Dropped before the bottleneck: it covered the first of twelve milliseconds.
  assert.ok(Math.abs((found[0]?.share ?? 0) - 1 / 12) < 1e-9);
});

test("the diagram of a loss lasts from its departure to the ACK of its repair", () => {
  const all = arrows(LOSS_AND_REPAIR, NETWORK, 0);
  const [loss] = losses(all);
  assert.equal(loss?.segment, 3);
  assert.ok(loss);
  const span = around(all, loss);
  assert.ok(span.from < 0.1 && span.to > 0.149 && span.to < 0.2);
  assert.equal(within(all, span).length, 5);
  assert.equal(arrowWords(loss), "segment 3 sent, dropped by a full queue");
  assert.equal(arrowWords({ ...loss, fate: "managed" }), "segment 3 sent, dropped by queue management");
  assert.equal(arrowWords({ ...loss, fate: "policed" }), "segment 3 sent, dropped by the policer");
  assert.equal(arrowWords({ ...loss, fate: "lost", again: true }), "segment 3 sent again, lost on the link");
  assert.equal(lossWords([loss, { ...loss, fate: "managed" }, { ...loss, fate: "arrived" }]), "1 dropped by a full queue, 1 dropped by queue management");
  assert.equal(lossWords([]), "none lost");
});

test("the moments beside a diagram are round and within it", () => {
  assert.deepEqual(
    ticks({ from: 0.095, to: 0.155 }).map((tick) => tick.toFixed(3)),
    ["0.100", "0.110", "0.120", "0.130", "0.140", "0.150"],
  );
});

test("the way of the first flow is a line from left to right, the bottleneck ten times as long as its access links at most", () => {
  const layout = layOut(NETWORK);
  const at = NETWORK.nodes.map((_, node) => layout.sites[layout.siteOf[node] ?? 0]);
  const xs = at.map((site) => site?.x ?? 0);
  assert.deepEqual(xs, [...xs].sort((a, b) => a - b));
  assert.equal(new Set(at.map((site) => site?.y)).size, 1);
  const [a = 0, b = 0, c = 0] = [xs[1], xs[2], xs[3]];
  assert.ok(b - a > c - b);
  assert.ok(xs.every((x) => x > 0 && x < layout.width));
});

test("the hosts of a group at a router are drawn once, with their number", () => {
  const twins: NetworkView = {
    ...NETWORK,
    nodes: [...NETWORK.nodes, "a2", "b2"],
    links: [...NETWORK.links, link("a2", 4, 1, 0.001), link("b2", 2, 5, 0.001), link("a2 return", 1, 4, 0.001), link("b2 return", 5, 2, 0.001)],
    flows: [...NETWORK.flows, { name: "flow 2", group: "flow", from: 4, to: 5, path: [6, 1, 7], back: [9, 4, 8] }],
  };
  const layout = layOut(twins);
  assert.equal(layout.sites.length, 4);
  assert.deepEqual(layout.sites.filter((site) => site.kind === "host").map((site) => site.count), [2, 2]);
  assert.equal(layout.wireOf[6], layout.wireOf[0]);
});

test("the ticks of a span differ, however short it is, and none comes before the run", () => {
  for (const [from, to] of [[0, 9e-5], [1.23, 1.231], [0.5, 0.506], [10, 200]] as const) {
    const words = ticks({ from, to }).map((tick) => tick.toFixed(digitsOf({ from, to })));
    assert.ok(words.length >= 4);
    assert.equal(new Set(words).size, words.length, words.join());
  }
  assert.equal(digitsOf({ from: 0.095, to: 0.155 }), 3);
  assert.ok(ticks({ from: -0.01, to: 0.1 }).every((tick) => tick >= 0));
});

test("the lost segment has its label each time that it is sent, and so has the ACK that closes its gap, however close the others", () => {
  const arrow = (segment: number, sent: number, more: Partial<Arrow> = {}): Arrow => ({ packet: 0, ack: false, segment, again: false, sent, ended: sent + 1, fate: "arrived", share: 1, ...more });
  const lost = arrow(993, 100, { fate: "overflow" });
  const again = arrow(993, 200, { again: true });
  const closing = arrow(995, 300, { ack: true });
  const shown = [
    arrow(970, 95), lost, arrow(1033, 104, { fate: "overflow" }), arrow(1096, 120), arrow(1978, 196), again,
    arrow(993, 293, { ack: true, again: true }), closing, arrow(1079, 305, { ack: true }), arrow(1100, 320, { ack: true }),
  ];
  const labels = [...labelled(shown, lost, (time) => time, 11)].sort((a, b) => a.sent - b.sent);
  assert.deepEqual(labels.map(({ segment, sent }) => [segment, sent]), [[993, 100], [1096, 120], [993, 200], [995, 300], [1100, 320]]);
});

test("the table of packets names the flow of each where several flows meet, and has those of all", () => {
  const [one] = NETWORK.flows;
  assert.ok(one);
  const two: NetworkView = { ...NETWORK, flows: [one, { ...one, name: "rival", group: "rival" }] };
  const legs: Leg[] = [
    { packet: 0, link: 0, enter: 0.1, leave: 0.101 },
    { packet: 1, link: 0, enter: 0.1005, leave: 0.1015 },
    { packet: 0, link: 1, enter: 0.101, leave: 0.101, fate: OVERFLOW },
    { packet: 1, link: 1, enter: 0.1015, leave: 0.112, fate: LOST },
  ];
  const met = { ...log([{ segment: 3 }, { segment: 70 }], legs), flow: Uint32Array.of(0, 1) };
  const span = { from: 0.09, to: 0.2 };
  const table = packetTable(met, two, span);
  assert.deepEqual(table.head, ["Sent", "Flow", "Packet", "Ends"]);
  assert.deepEqual(table.rows.map(([, flow, packet]) => [flow, packet]), [
    ["flow 1", "segment 3 sent, dropped by a full queue"],
    ["rival", "segment 70 sent, lost on the link"],
  ]);
  const alone = packetTable(log([{ segment: 3 }], legs.filter((leg) => leg.packet === 0)), NETWORK, span);
  assert.deepEqual([alone.head, alone.rows.length], [["Sent", "Packet", "Ends"], 1]);
});
