import assert from "node:assert/strict";
import { test } from "node:test";
import { Cancelled, type Column, type Engine, type PacketOptions, type Packets } from "../../src/engine/api.js";
import { busyPassages, type NetworkView } from "../../src/play/network.js";
import { PacketParts, type RunOfPackets } from "../../src/play/packet-parts.js";
import { advanced } from "../../src/play/transport.js";

/** A round trip of 100 ms. */
const NETWORK: NetworkView = {
  nodes: ["a", "b"],
  links: [
    { name: "there", from: 0, to: 1, rateBps: 1e6, delayS: 0.05, bufferPackets: 10, buffer: "", queue: "", loss: "" },
    { name: "back", from: 1, to: 0, rateBps: 1e6, delayS: 0.05, bufferPackets: 10, buffer: "", queue: "", loss: "" },
  ],
  flows: [{ name: "flow 1", group: "flow", from: 0, to: 1, path: [0], back: [1] }],
  measuredLink: 0,
};
const LINK_S = 0.05;

/** Packets that come so many a second, and are on a link for 50 ms each. */
function passagesOf(perSecond: number, { from_s, until_s, most = 100_000 }: PacketOptions): Packets {
  const enters: number[] = [];
  let cut = false;
  // All that are on the link at some time of the part, as far as there is room.
  for (let i = Math.max(0, Math.ceil((from_s - LINK_S) * perSecond)); i / perSecond <= until_s && !cut; i++) {
    cut = enters.length >= most;
    if (!cut) enters.push(i / perSecond);
  }
  const number = (of: (enter: number, row: number) => number): Column => ({ type: "number", values: Float64Array.from(enters, of) });
  const name = (only: string): Column => ({ type: "name", names: [only], values: new Uint32Array(enters.length) });
  const columns = {
    packet: number((_, row) => row), flow: name("flow 1"), link: name("there"), kind: name("data"), fate: name("delivered"), cause: name(""),
    enter_s: number((enter) => enter), start_s: number((enter) => enter), end_s: number((enter) => enter), leave_s: number((enter) => enter + LINK_S),
    gone_s: number(() => NaN), size_bytes: number(() => 1500), seq_segments: number((_, row) => row), ack_segments: number(() => NaN),
    retransmission: number(() => 0),
  };
  return { cut, passages: { name: "passages", rows: enters.length, columns } };
}

const settled = (): Promise<void> => new Promise((done) => { setTimeout(done, 0); });

/** An engine whose packets come at once, and what it was asked. */
function engineOf(packets: (options: PacketOptions) => Packets): { asked: PacketOptions[]; engine: Pick<Engine, "packets"> } {
  const asked: PacketOptions[] = [];
  return {
    asked,
    engine: {
      packets: (_, options) => {
        asked.push(options);
        let cancel = (): void => undefined;
        const result = new Promise<Packets>((resolve, reject) => {
          cancel = () => { reject(new Cancelled()); };
          void settled().then(() => packets(options)).then(resolve, reject);
        });
        return { result, cancel };
      },
    },
  };
}

const runTo = (end: number): RunOfPackets => ({ experiment: { toml: "" }, point: 0, seed: "1", end });

/** Plays from the beginning for so many pictures, and waits for packets: the moments of the pictures. */
async function played(layers: readonly PacketParts[], end: number, step: number, pictures: number): Promise<number[]> {
  const moments = [0];
  for (let i = 0; i < pictures && (moments.at(-1) ?? 0) < end; i++) {
    const time = moments.at(-1) ?? 0;
    for (const layer of layers) layer.want(time);
    for (let turns = 0; turns < 4; turns++) await settled();
    moments.push(advanced(time, step, layers, end));
  }
  return moments;
}

test("the animation goes from one part of a run to the next, and reaches the end", async () => {
  const { asked, engine } = engineOf((options) => passagesOf(1000, options));
  const parts = new PacketParts(engine, () => undefined);
  parts.setRun(runTo(5), NETWORK);
  const moments = await played([parts], 5, 0.07, 200);
  assert.equal(moments.at(-1), 5);
  // The first part alone is waited for: the others come before they are needed.
  assert.equal(moments.findLastIndex((moment, i) => i > 0 && moment === moments[i - 1]), -1, moments.join());
  assert.ok(asked.length >= 4 && asked.length <= 6, JSON.stringify(asked));
  assert.ok(parts.at(5), "the last picture has packets");
});

test("the clock stands while the packets of a moment are loaded, and not beyond the end of a run", () => {
  const { engine } = engineOf((options) => passagesOf(1000, options));
  const parts = new PacketParts(engine, () => undefined);
  parts.setRun(runTo(2), NETWORK);
  parts.want(1);
  assert.equal(advanced(1, 0.1, [parts], 8), 1);
  assert.equal(advanced(2, 0.1, [parts], 8), 2.1);
});

test("the shorter of two experiments does not stop the other", async () => {
  const { engine } = engineOf((options) => passagesOf(1000, options));
  const both = [2, 5].map((end) => {
    const parts = new PacketParts(engine, () => undefined);
    parts.setRun(runTo(end), NETWORK);
    return parts;
  });
  assert.equal((await played(both, 5, 0.07, 200)).at(-1), 5);
});

/** The same network with links of this many full packets a second. */
const fast = (perSecond: number): NetworkView => ({ ...NETWORK, links: NETWORK.links.map((link) => ({ ...link, rateBps: 12_000 * perSecond })) });

test("flows share the packets of a path by its narrowest link", () => {
  assert.equal(busyPassages(fast(1000)), 2000);
  const link = (name: string, rateBps: number | undefined): NetworkView["links"][number] => ({ name, from: 0, to: 1, rateBps, delayS: 0, bufferPackets: 1, buffer: "", queue: "", loss: "" });
  const flow = { name: "flow", group: "flow", from: 0, to: 1, path: [0, 1], back: [2, 3] };
  const links = [link("access", 12e6), link("bottleneck", 1.2e6), link("back", 12e6), link("recorded", undefined)];
  const shared = { ...NETWORK, links, flows: [flow, flow] };
  assert.equal(Math.round(busyPassages(shared)), 400);
  assert.equal(busyPassages({ ...shared, flows: [{ ...flow, path: [3] }] }), 0);
});

test("a path with many packets has its parts without a request in vain, shorter than those of others", async () => {
  const { asked, engine } = engineOf((options) => passagesOf(400_000, options));
  const parts = new PacketParts(engine, () => undefined);
  parts.setRun(runTo(5), fast(400_000));
  for (let time = 3; time < 3.4; time += 0.004) {
    parts.want(time);
    for (let turns = 0; turns < 3; turns++) await settled();
    assert.ok(parts.at(time), `${time} s`);
  }
  assert.ok((parts.at(3.39)?.to ?? Infinity) < 3.6);
  // A tenth of a second has 40,000 packets; the link holds the other 20,000 of a part.
  assert.ok(asked.length <= 6, JSON.stringify(asked));
});

test("a part that ends before its moment is asked for again, from later on, until it has all packets of it", async () => {
  const { asked, engine } = engineOf((options) => passagesOf(400_000, options));
  const parts = new PacketParts(engine, () => undefined);
  parts.setRun(runTo(5), NETWORK);
  for (let i = 0; i < 20; i++) {
    parts.want(3);
    await settled();
    await settled();
  }
  const part = parts.at(3);
  assert.ok(part, JSON.stringify(asked));
  const onLink = (time: number): number => part.enter.filter((enter, leg) => enter <= time && (part.leave[leg] ?? 0) > time).length;
  for (const time of [3, part.to]) assert.ok(Math.abs(onLink(time) - 400_000 * LINK_S) <= 2, `${onLink(time)} at ${time}`);
  assert.ok(asked.length <= 5, JSON.stringify(asked));
  assert.equal(new Set(asked.map(({ from_s, until_s }) => `${from_s} ${until_s}`)).size, asked.length, "no request is made twice");
  assert.equal(parts.words(3), "");
});

test("a path with too many packets is said to have them, is not simulated again and again, and does not stop the clock", async () => {
  const { asked, engine } = engineOf((options) => passagesOf(3e6, options));
  const parts = new PacketParts(engine, () => undefined);
  parts.setRun(runTo(5), NETWORK);
  for (let i = 0; i < 30; i++) {
    parts.want(3);
    await settled();
    await settled();
  }
  assert.ok(asked.length <= 8, `${asked.length} requests`);
  assert.match(parts.words(3), /more packets on this path/);
  assert.equal(parts.at(3), undefined);
  assert.equal(advanced(3, 0.01, [parts], 5), 3.01);
});

test("after a request that failed the next one waits, longer each time", async () => {
  let now = 0;
  const { asked, engine } = engineOf(() => { throw new Error("no memory"); });
  const parts = new PacketParts(engine, () => undefined, () => now);
  parts.setRun(runTo(5), NETWORK);
  const times: number[] = [];
  for (; now < 10_000; now += 100) {
    const before = asked.length;
    parts.want(3);
    if (asked.length > before) times.push(now);
    await settled();
    await settled();
  }
  assert.deepEqual(times, [0, 1000, 3000, 7000]);
  assert.match(parts.words(3), /no memory/);
  assert.equal(advanced(3, 0.01, [parts], 5), 3.01);
});
