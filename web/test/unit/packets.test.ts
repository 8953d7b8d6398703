import assert from "node:assert/strict";
import { test } from "node:test";
import type { Column, Packets } from "../../src/engine/api.js";
import { goodput } from "../../src/play/contestants.js";
import { ARRIVED, LOST, MANAGED, OVERFLOW, POLICED, UNDER_WAY } from "../../src/play/flight.js";
import type { NetworkView } from "../../src/play/network.js";
import { reductions, type WindowTrace } from "../../src/play/observed.js";
import { packetLog } from "../../src/play/packets.js";
import { readState, writeState } from "../../src/play/state.js";

const NETWORK: NetworkView = {
  nodes: ["a", "b"],
  links: [
    { name: "there", from: 0, to: 1, rateBps: 1e6, delayS: 0.01, bufferPackets: 10, buffer: "", queue: "", loss: "" },
    { name: "back", from: 1, to: 0, rateBps: 1e6, delayS: 0.01, bufferPackets: 10, buffer: "", queue: "", loss: "" },
  ],
  flows: [{ name: "flow 1", group: "flow", from: 0, to: 1, path: [0], back: [1] }],
  measuredLink: 0,
};

const number = (...values: number[]): Column => ({ type: "number", values: Float64Array.from(values) });
const named = (...values: string[]): Column => {
  const names = [...new Set(values)];
  return { type: "name", names, values: Uint32Array.from(values, (value) => names.indexOf(value)) };
};

/** Rows out of order: an ACK, a segment that is lost, one that is dropped, one that arrives, one that waits. */
const PACKETS: Packets = {
  cut: false,
  passages: {
    name: "passages",
    rows: 6,
    columns: {
      packet: number(7, 3, 4, 2, 5, 8),
      flow: named("flow 1", "flow 1", "flow 1", "flow 1", "flow 1", "flow 1"),
      link: named("back", "there", "there", "there", "there", "back"),
      kind: named("ack", "data", "data", "data", "data", "ack"),
      fate: named("delivered", "lost", "dropped", "delivered", "under way", "delivered"),
      cause: named("", "random", "overflow", "", "", ""),
      gone_s: number(NaN, 0.036, 0.003, NaN, NaN, NaN),
      enter_s: number(0.03, 0.002, 0.003, 0.001, 0.004, 0.04),
      start_s: number(0.03, 0.013, NaN, 0.001, NaN, 0.04),
      end_s: number(0.031, 0.025, NaN, 0.013, NaN, 0.041),
      leave_s: number(0.041, NaN, NaN, 0.023, NaN, 0.051),
      size_bytes: number(52, 1500, 1500, 1500, 1500, 52),
      seq_segments: number(NaN, 1, 2, 0, 3, NaN),
      ack_segments: number(1, NaN, NaN, NaN, NaN, 1),
      retransmission: number(0, 0, 0, 0, 0, 0),
    },
  },
};

test("passages become a log in the order in which they begin", () => {
  const log = packetLog(PACKETS, NETWORK, 0, 0.05);
  assert.deepEqual([...log.enter], [0.001, 0.002, 0.003, 0.004, 0.03, 0.04]);
  assert.deepEqual([...log.fate], [ARRIVED, LOST, OVERFLOW, UNDER_WAY, ARRIVED, ARRIVED]);
  assert.deepEqual([...log.segment], [0, 1, 2, 3, 1, 1]);
});

test("what is dropped after it has waited is seen in the queue until then, and every cause has its fate", () => {
  const { passages } = PACKETS;
  for (const [cause, fate] of [["overflow", OVERFLOW], ["aqm", MANAGED], ["policer", POLICED]] as const) {
    const columns = { ...passages.columns, cause: named("", "random", cause, "", "", ""), gone_s: number(NaN, 0.036, 0.009, NaN, NaN, NaN) };
    const log = packetLog({ cut: false, passages: { ...passages, columns } }, NETWORK, 0, 0.05);
    assert.deepEqual([log.fate[2], log.enter[2], log.begin[2], log.leave[2]], [fate, 0.003, 0.009, 0.009]);
  }
});

test("a lost packet is seen to the far end, a dropped one no longer than its arrival, a waiting one for ever", () => {
  const log = packetLog(PACKETS, NETWORK, 0, 0.05);
  assert.equal(log.leave[1], 0.036);
  assert.equal(log.leave[2], 0.003);
  assert.equal(log.begin[3], Infinity);
});

test("an ACK that waits for the same segment as the one before it acknowledges nothing new", () => {
  assert.deepEqual([...packetLog(PACKETS, NETWORK, 0, 0.05).again], [0, 0, 0, 0, 0, 1]);
});

test("goodput counts what was delivered in each span, and nothing twice", () => {
  const { time, value } = goodput(Float64Array.of(0.1, 0.9, 1.5), Float64Array.of(125_000, 250_000, 375_000), 1, 3);
  assert.deepEqual([...time], [0, 1, 2]);
  assert.deepEqual([...value], [2, 1, 0]);
  const part = goodput(Float64Array.of(0.1, 0.9, 1.5), Float64Array.of(125_000, 250_000, 375_000), 1, 2, 1.2);
  assert.deepEqual([[...part.time], [...part.value]], [[1], [1]], "a part has the spans of the whole");
});

test("the last span of a goodput ends with the run", () => {
  const [times, bytes] = [Float64Array.of(0.5, 1, 1.5, 2, 2.5), Float64Array.of(125_000, 250_000, 375_000, 500_000, 625_000)];
  for (const [to, from] of [[2.5, 0], [2.5, 2.3]] as const) {
    assert.equal(goodput(times, bytes, 1.4, to, from, 2.5).value.at(-1)?.toFixed(6), ((8e-6 * 375_000) / 1.1).toFixed(6));
  }
  // A rest of a tenth of a second has one packet or none.
  const { time, value } = goodput(times, bytes, 1.2, 2.5, 0, 2.5);
  assert.deepEqual([...time], [0, 1.2]);
  assert.equal(value.at(-1)?.toFixed(6), ((8e-6 * 375_000) / 1.3).toFixed(6));
});

test("reductions are what the engine calls so: neither the end of a recovery nor a restart that leaves less", () => {
  const trace: WindowTrace = {
    flow: "flow 1",
    time: Float64Array.of(0, 1, 2, 3, 4),
    cwnd: Float64Array.of(10, 20, 20, 10, 5),
    ssthresh: Float64Array.of(Infinity, Infinity, 10, 10, 10),
    bwe: Float64Array.of(NaN, NaN, NaN, NaN, NaN),
    cause: ["", "", "three duplicate ACKs: 1/2 of the window", "recovery ends", "restart after idle"],
    reduced: Float64Array.of(0, 0, 1, 0, 0),
  };
  assert.deepEqual(
    reductions(trace).map(({ time, before, ssthresh }) => ({ time, before, ssthresh })),
    [{ time: 2, before: 20, ssthresh: 10 }],
  );
  assert.deepEqual(reductions(trace, 2.5), []);
});

test("an address holds both experiments and the lesson, and gives them back", async () => {
  for (const state of [
    { toml: 'cc = "reno"\n', beside: 'cc = "bbr"\n', lesson: "slow-start" },
    { toml: 'cc = "reno"\n', beside: undefined, lesson: undefined },
  ]) {
    const { search, hash } = new URL(await writeState(state), "file:///playground.html");
    assert.deepEqual(await readState(search, hash), state);
  }
  assert.deepEqual(await readState("", ""), { toml: undefined, beside: undefined, lesson: undefined });
});
