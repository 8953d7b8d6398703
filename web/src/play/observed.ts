// One run as the lessons and the charts see it: its numbers, and its windows over time.

import type { Tables } from "./experiment";

/** The congestion window of a flow after each of its changes. */
export interface WindowTrace {
  /** The flow's name, as `flow 1`. */
  readonly flow: string;
  /** When, in seconds. */
  readonly time: Float64Array;
  /** The window, in segments. */
  readonly cwnd: Float64Array;
  /** The slow-start threshold, in segments. */
  readonly ssthresh: Float64Array;
  /** The controller's bandwidth estimate, in bits a second; NaN where it has none. */
  readonly bwe: Float64Array;
  /** Why the window changed; empty for ordinary growth. */
  readonly cause: readonly string[];
  /** 1 where the window went down for congestion, else 0. */
  readonly reduced: Float64Array;
}

/** The goodput of a flow under test. */
export interface FlowShare {
  readonly name: string;
  /** Its controller. */
  readonly cc: string;
  /** Payload that arrived, in bits a second. */
  readonly goodputBps: number;
  /** The round trip over empty queues, in milliseconds. */
  readonly baseRttMs: number;
}

/** A run and what came of it. */
export interface Observed {
  /** The settings that were run. */
  readonly tables: Tables;
  /** The bottleneck's rate, in bits a second. */
  readonly rateBps: number;
  /** Payload of the flows under test that arrived, in bits a second. */
  readonly goodputBps: number;
  /** The share of the measured time that the bottleneck was busy. */
  readonly utilization: number;
  /** The wait at the bottleneck that 19 of 20 packets do not exceed, in milliseconds. */
  readonly waitP95Ms: number;
  /** The share of packets that were sent again. */
  readonly resent: number;
  /** The flows under test and those beside them, in the order of the results. */
  readonly flows: readonly FlowShare[];
  /** Their windows; the first is that of the first flow under test. */
  readonly windows: readonly WindowTrace[];
}

/** A reduction of a window. */
export interface Reduction {
  /** When, in seconds. */
  readonly time: number;
  /** The window before it, in segments. */
  readonly before: number;
  /** The threshold that it set, in segments. */
  readonly ssthresh: number;
  /** Its cause, in words. */
  readonly cause: string;
}

/** The reductions of a window from a time on. The engine tells which changes are any, by the rule of the report. */
export function reductions(trace: WindowTrace, from = 0): Reduction[] {
  const found: Reduction[] = [];
  for (let i = 1; i < trace.time.length; i++) {
    const time = trace.time[i] ?? 0;
    if (trace.reduced[i] !== 1 || time < from) continue;
    found.push({ time, before: trace.cwnd[i - 1] ?? 0, ssthresh: trace.ssthresh[i] ?? 0, cause: trace.cause[i] ?? "" });
  }
  return found;
}

/** The bandwidth estimates from a time on, in order of size, in bits a second. */
export function estimates(trace: WindowTrace, from = 0): number[] {
  const values: number[] = [];
  trace.bwe.forEach((bwe, i) => {
    if (Number.isFinite(bwe) && (trace.time[i] ?? 0) >= from) values.push(bwe);
  });
  return values.sort((a, b) => a - b);
}

/** When a window first reached so many segments, in seconds. */
export function reaches(trace: WindowTrace, segments: number): number | undefined {
  const at = trace.cwnd.findIndex((cwnd) => cwnd >= segments);
  return at < 0 ? undefined : trace.time[at];
}

/** The largest goodput among the flows as a multiple of the smallest. */
export function imbalance(run: Observed): number {
  const goodputs = run.flows.map((flow) => flow.goodputBps);
  return Math.max(...goodputs) / Math.min(...goodputs);
}
