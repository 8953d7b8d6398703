// Written by tools/types.js from docs/reference/run.schema.json: not by hand.

/**
 * A fault of a contestant.
 */
export type Fault = "unfinished" | "uneven" | "wasteful" | "harmful";
/**
 * A criterion of a judgement.
 */
export type Criterion =
  "completion" | "slowest_completion" | "goodput" | "queue_delay" | "resent" | "fairness" | "harm" | "timeouts";
/**
 * Below which share of a value a difference does not matter.
 */
export type Practical = number;
/**
 * The criterion that decides first.
 */
export type Preference = "goodput" | "delay" | "fairness" | "sparing";

/**
 * All results of a scenario.
 */
export interface GridReport {
  /**
   * The scenario's subject.
   */
  readonly about: string | null;
  /**
   * The paths of the fields that the sweep sets.
   */
  readonly axes: readonly string[];
  /**
   * The runs of competing flows beside flows of their own kind, where their controller is not
   * compared, and alone: the other side of `harm` and `solo_harm`, and no contestants.
   */
  readonly baselines?: readonly Baseline[];
  /**
   * The settings that the scenario gives or takes from its preset, by the paths of their fields, but
   * for the sweep's; absent of a result of an older version.
   */
  readonly given?: Readonly<Record<string, string>>;
  /**
   * The scenario's name.
   */
  readonly name: string;
  /**
   * The points of the grid, in order.
   */
  readonly points: readonly PointRecord[];
  /**
   * One for each point and seed, in that order.
   */
  readonly runs: readonly RunRecord[];
  /**
   * The schema's name.
   */
  readonly schema: "westwood.run/1";
  /**
   * The seeds.
   */
  readonly seeds: readonly number[];
  /**
   * The conclusions, a summary for each setting of the sweep and variant; absent of a report
   * without a judgement.
   */
  readonly summaries?: readonly SettingSummary[];
  /**
   * The version of the program that made it.
   */
  readonly version: string;
  /**
   * The warnings about the results, in sentences.
   */
  readonly warnings?: readonly string[];
}
/**
 * A setting in which the flows under test have the controller of those that compete with them, or do not
 * begin.
 */
export interface Baseline {
  /**
   * The controller under test.
   */
  readonly cc: string | null;
  /**
   * The name of its runs: the flows under test, in a few words.
   */
  readonly name: string;
  /**
   * One for each seed.
   */
  readonly runs: readonly RunRecord[];
  /**
   * The values of the axes, in their order.
   */
  readonly settings: readonly string[];
  /**
   * True of a baseline in which the flows under test do not begin; absent of any other.
   */
  readonly solo?: boolean;
  /**
   * The variant; `null` for the scenario as it stands.
   */
  readonly variant: string | null;
}
/**
 * One run.
 */
export interface RunRecord {
  /**
   * The reason of its failure; `null` if it did not fail.
   */
  readonly error: string | null;
  /**
   * Every group of flows.
   */
  readonly groups: readonly GroupRecord[];
  /**
   * Every link that is not an access link.
   */
  readonly links: readonly LinkRecord[];
  /**
   * The place of its point among the points, from 0.
   */
  readonly point: number;
  /**
   * The seed.
   */
  readonly seed: number;
  /**
   * The flows under test and the measured link together, as in `westwood.compare/1`, but for the
   * time of this machine; `null` if it failed.
   */
  readonly summary: RunSummary | null;
}
/**
 * A group of flows. Counts are over the measuring interval unless they say otherwise.
 */
export interface GroupRecord {
  /**
   * Its controller; `null` for datagrams.
   */
  readonly cc: string | null;
  /**
   * Fast recoveries begun.
   */
  readonly fast_recoveries: number;
  /**
   * Its flows.
   */
  readonly flows: readonly GroupFlow[];
  /**
   * The frames of media flows; absent of any other.
   */
  readonly frames?: FrameRecord;
  /**
   * Payload that arrived for the first time, a second; through proxies, at the end of the last connection.
   */
  readonly goodput_bps: number;
  /**
   * The time in which a buffer of a host, and neither the window nor the application, kept data back,
   * added up over all connections, over the measured time of all flows; at most 1.
   */
  readonly host_limited: number;
  /**
   * Jain's index of the goodputs of its flows.
   */
  readonly jain: number;
  /**
   * The part of the goodput's payload that arrived in the second half of the measured time: half of what
   * flows carry that have settled. Absent where nothing arrived, and where the halves are not told apart.
   */
  readonly later_share?: number;
  /**
   * Its name; `NAME.NODE` of the connections that begin at a proxy of group `NAME`.
   */
  readonly name: string;
  /**
   * The most payload that the proxy at the end of these connections held at a time for one flow; absent
   * without a proxy.
   */
  readonly proxy_held_max_bytes?: number;
  /**
   * Its loss recovery; `null` for datagrams.
   */
  readonly recovery: string | null;
  /**
   * Data segments retransmitted over data segments sent.
   */
  readonly retransmission_ratio: number;
  /**
   * The senders' samples after the warm-up; `null` without any.
   */
  readonly rtt_ms: RttMs | null;
  /**
   * True if it is under test.
   */
  readonly tested: boolean;
  /**
   * Traffic that the senders put on the wire, retransmissions and headers included.
   */
  readonly throughput_bps: number;
  /**
   * Retransmission timeouts.
   */
  readonly timeouts: number;
  /**
   * Finished transfers over the whole run; `null` for flows that do not end.
   */
  readonly transfers: Transfers | null;
  /**
   * Reductions found spurious and undone.
   */
  readonly undone: number;
}
/**
 * A flow of a group.
 */
export interface GroupFlow {
  /**
   * Propagation and transmission of one segment and its ACK over empty queues.
   */
  readonly base_rtt_ms: number;
  /**
   * Fast recoveries begun.
   */
  readonly fast_recoveries: number;
  /**
   * Completion time of its first transfer.
   */
  readonly fct_ms: number | null;
  /**
   * Payload that arrived for the first time, a second.
   */
  readonly goodput_bps: number;
  /**
   * Its name.
   */
  readonly name: string;
  /**
   * Data segments retransmitted.
   */
  readonly retransmitted_packets: number;
  /**
   * Mean of its samples.
   */
  readonly rtt_mean_ms: number | null;
  /**
   * Data segments sent, retransmissions included.
   */
  readonly sent_packets: number;
  /**
   * Retransmission timeouts.
   */
  readonly timeouts: number;
}
/**
 * Frames of media flows, captured after the warm-up.
 */
export interface FrameRecord {
  /**
   * The number of captured ones.
   */
  readonly captured: number;
  /**
   * From a frame's capture until its last datagram arrived; `null` without any.
   */
  readonly delay_ms: DelayMs | null;
  /**
   * The number of those of which every datagram arrived.
   */
  readonly delivered: number;
}
/**
 * A distribution of delays, a value a packet.
 */
export interface DelayMs {
  /**
   * Mean.
   */
  readonly mean: number;
  /**
   * Median.
   */
  readonly p50: number;
  /**
   * 95th percentile.
   */
  readonly p95: number;
  /**
   * 99th percentile.
   */
  readonly p99: number;
}
/**
 * A distribution of round-trip times.
 */
export interface RttMs {
  /**
   * Mean.
   */
  readonly mean: number;
  /**
   * Smallest.
   */
  readonly min: number;
  /**
   * Median.
   */
  readonly p50: number;
  /**
   * 95th percentile.
   */
  readonly p95: number;
  /**
   * 99th percentile.
   */
  readonly p99: number;
}
/**
 * Transfers over the whole run.
 */
export interface Transfers {
  /**
   * Longest completion time.
   */
  readonly fct_max_ms: number | null;
  /**
   * Mean completion time.
   */
  readonly fct_mean_ms: number | null;
  /**
   * Median completion time.
   */
  readonly fct_p50_ms: number | null;
  /**
   * 95th percentile of the completion times.
   */
  readonly fct_p95_ms: number | null;
  /**
   * The number of finished ones.
   */
  readonly finished: number;
  /**
   * The number of short flows refused because too many were open.
   */
  readonly refused: number;
  /**
   * The number of those begun and not finished.
   */
  readonly unfinished: number;
}
/**
 * A link over the measuring interval.
 */
export interface LinkRecord {
  /**
   * The same of the classic queue beside it.
   */
  readonly classic_delay_ms?: DelayMs;
  /**
   * Bytes that reached the far end.
   */
  readonly delivered_bytes: number;
  /**
   * Packets that reached the far end.
   */
  readonly delivered_packets: number;
  /**
   * Packets lost, by cause.
   */
  readonly drops: Drops;
  /**
   * ACKs that it left out; nothing is written of none.
   */
  readonly filtered_packets?: number;
  /**
   * The same of the low-latency queue of two coupled ones; nothing is written where there is none.
   */
  readonly low_latency_delay_ms?: DelayMs;
  /**
   * Packets marked by ECN.
   */
  readonly marked_packets: number;
  /**
   * Mean of what it could have transmitted, where its capacity is recorded or its rate changes.
   */
  readonly mean_capacity_bps?: number;
  /**
   * Its name.
   */
  readonly name: string;
  /**
   * Time that each packet waits before the link begins to send it; of the measured link alone.
   */
  readonly queue_delay_ms?: DelayMs;
  /**
   * Packets waiting, time-weighted, the one in service left out.
   */
  readonly queue_packets: QueuePackets;
  /**
   * Its rate at the beginning; with recorded capacity its mean.
   */
  readonly rate_bps: number;
  /**
   * Packets that were lost and delivered all the same; nothing is written of none.
   */
  readonly repaired_packets?: number;
  /**
   * Repeats, or packets of a code, that it sent to repair losses; nothing is written of none.
   */
  readonly repairs_packets?: number;
  /**
   * Share of the interval in which it transmitted, or had something to transmit where its capacity is
   * recorded or its rate is 0.
   */
  readonly utilization: number;
}
/**
 * Packets lost, by cause.
 */
export interface Drops {
  /**
   * Active queue management.
   */
  readonly aqm: number;
  /**
   * The buffer was full.
   */
  readonly overflow: number;
  /**
   * A policer; absent without any.
   */
  readonly policer?: number;
  /**
   * Lost on the link.
   */
  readonly random: number;
}
/**
 * Packets waiting.
 */
export interface QueuePackets {
  /**
   * Most.
   */
  readonly max: number;
  /**
   * Time-weighted mean.
   */
  readonly mean: number;
  /**
   * Time-weighted 95th percentile.
   */
  readonly p95: number;
}
/**
 * One controller with one seed.
 */
export interface RunSummary {
  /**
   * The same in reference cycles of the processor of the run, which count at its constant nominal rate and
   * not at the core's own. Absent where it is not asked for or the processor has no such counter.
   */
  readonly ack_cost_cycles?: number;
  /**
   * The cost of an ACK to the controller under test, in nanoseconds on the machine of the run, in
   * congestion avoidance without loss: the one result that does not repeat. Absent where it is not
   * asked for.
   */
  readonly ack_cost_ns?: number;
  /**
   * Goodput of the competing flows together.
   */
  readonly against_goodput_bps: number | null;
  /**
   * Canonical name with the parameters that differ from their defaults.
   */
  readonly cc: string;
  /**
   * Measures of what the flows under test do to others, to themselves and after a change.
   */
  readonly conduct: Conduct;
  /**
   * Data segments delivered over the whole run, of all flows.
   */
  readonly data_packets: number;
  /**
   * Packets lost at the bottleneck, by cause.
   */
  readonly drops: Drops;
  /**
   * Events that the engine handled: more of them where more is recorded; absent where it is not
   * kept.
   */
  readonly events?: number;
  /**
   * Nothing in it is random: every seed gives the same. Absent where something is.
   */
  readonly exact?: boolean;
  /**
   * Fast recoveries begun.
   */
  readonly fast_recoveries: number;
  /**
   * The flows under test, then the competing ones.
   */
  readonly flows: readonly FlowResult[];
  /**
   * Payload that arrived for the first time between warm-up and end, all flows under test
   * together, a second.
   */
  readonly goodput_bps: number;
  /**
   * One less the ratio of the competing flows' goodput to their goodput, under the same seed,
   * where the flows under test are of their own kind; negative if they carry more. `null` where
   * that was not run.
   */
  readonly harm: number | null;
  /**
   * Jain's index of the goodputs of the flows under test.
   */
  readonly jain: number;
  /**
   * The lateness of a real run's emulated path; absent of simulated ones.
   */
  readonly lateness_us?: LatenessUs;
  /**
   * One-way delay of the data segments under test, from their sender to their receiver; `null`
   * where it is not measured.
   */
  readonly one_way_delay_ms: DelayMs | null;
  /**
   * Time that each packet waits before the bottleneck begins to send it, of the packets that it
   * sent after the warm-up; `null` where it is not measured.
   */
  readonly queue_delay_ms: DelayMs | null;
  /**
   * Packets waiting at the bottleneck, time-weighted, the one in service left out.
   */
  readonly queue_packets: QueuePackets;
  /**
   * Loss recovery.
   */
  readonly recovery: string;
  /**
   * Data segments retransmitted over data segments sent.
   */
  readonly retransmission_ratio: number;
  /**
   * Goodput of the reverse flows together.
   */
  readonly reverse_goodput_bps: number | null;
  /**
   * The senders' samples after the warm-up; `null` without any.
   */
  readonly rtt_ms: RttMs | null;
  /**
   * The seed.
   */
  readonly seed: number;
  /**
   * Simulated time.
   */
  readonly sim_s: number;
  /**
   * Traffic that their senders put on the wire, retransmissions and headers included.
   */
  readonly throughput_bps: number;
  /**
   * Retransmission timeouts.
   */
  readonly timeouts: number;
  /**
   * Flows under test of which no transfer finished; absent where they are no transfers.
   */
  readonly unfinished?: number;
  /**
   * The bottleneck's busy share of that interval.
   */
  readonly utilization: number;
  /**
   * The wall time of the simulation loop; absent where it is not kept.
   */
  readonly wall_s?: number;
}
/**
 * Measures of what the flows under test do to others, to themselves and after a change.
 */
export interface Conduct {
  /**
   * Delta-fair convergence time with a delta of 0.1 (RFC 5166 section 2.3, after D. Bansal and others,
   * SIGCOMM 2001): from the first data of the youngest flow under test to the end of the first twenty
   * round-trip times in which each flow carries its fair share plus or minus a tenth. `null` if there is
   * no such time in the run, or one flow alone.
   */
  readonly convergence_ms: number | null;
  /**
   * From a media frame's capture until its last datagram arrived, all media flows together; `null` without
   * any.
   */
  readonly frame_delay_ms: DelayMs | null;
  /**
   * Starvation of others: the least goodput of a competing flow over the mean goodput of the flows under
   * test and those that compete with them; 1 is its fair share. `null` where none compete.
   */
  readonly least_competing_share: number | null;
  /**
   * Starvation: the least goodput of a flow over the mean goodput, of the flows under test and those that
   * compete with them; 1 if all have the same. `null` of a single flow.
   */
  readonly least_share: number | null;
  /**
   * Packets lost on the measured link over those that it sent: the loss that no sender causes.
   */
  readonly link_loss: number;
  /**
   * From the last change of a link in the measuring interval, such as the end of an outage, to the end of
   * the first base round-trip time in which the flows under test carry nine tenths of what they carry in
   * the last quarter of the time that is left. `null` without a change.
   */
  readonly recovery_ms: number | null;
  /**
   * Packets that the measured link's queue or policer dropped over those that came to it: the loss that
   * the traffic itself causes.
   */
  readonly self_inflicted_loss: number;
  /**
   * Data segments that each flow under test sends in its base round-trip time, copies included, on the
   * mean: under persistent loss at most one (RFC 9743 section 5.1.1).
   */
  readonly sent_per_rtt: number;
  /**
   * Harm to the competing flows, beside what they have alone; `null` where none compete.
   */
  readonly solo_harm: SoloHarm | null;
}
/**
 * Harm: what flows under test take from the performance that the competing flows have alone, under the same
 * seed, as a share of it (R. Ware and others, "Beyond Jain's Fairness Index", HotNets 2019, section 3.1).
 * Zero is no harm, one the whole of it; less than zero is a gain.
 */
export interface SoloHarm {
  /**
   * Of their mean round-trip time: (with - alone) / with. A gain, here and below, is a share of what there
   * was alone, so that it is at most one as well.
   */
  readonly delay: number | null;
  /**
   * Of the mean completion time of their transfers: (with - alone) / with.
   */
  readonly fct: number | null;
  /**
   * Of their share of segments resent: (with - alone) / with; zero where nothing is resent.
   */
  readonly loss: number | null;
  /**
   * Of their goodput: (alone - with) / alone.
   */
  readonly rate: number | null;
}
/**
 * One flow of a run.
 */
export interface FlowResult {
  /**
   * Propagation and transmission of one segment and its ACK over empty queues.
   */
  readonly base_rtt_ms: number;
  /**
   * Its controller.
   */
  readonly cc: string;
  /**
   * Completion time of its transfer; `null` if it has none or did not finish.
   */
  readonly fct_ms: number | null;
  /**
   * Its goodput.
   */
  readonly goodput_bps: number;
}
/**
 * The lateness with which an emulated path handed packets to their hosts.
 */
export interface LatenessUs {
  /**
   * The bound on the 99th percentile; absent of runs that older versions have kept.
   */
  readonly bound?: number;
  /**
   * The latest packet: how long the longest stall was.
   */
  readonly max: number;
  /**
   * Median.
   */
  readonly p50: number;
  /**
   * 99th percentile.
   */
  readonly p99: number;
}
/**
 * A point of the grid.
 */
export interface PointRecord {
  /**
   * The controller under test.
   */
  readonly cc: string | null;
  /**
   * The name of its runs: the flows under test, in a few words.
   */
  readonly name: string;
  /**
   * The values of the axes, in their order.
   */
  readonly settings: readonly string[];
  /**
   * True of a baseline in which the flows under test do not begin; absent of any other.
   */
  readonly solo?: boolean;
  /**
   * The variant; `null` for the scenario as it stands.
   */
  readonly variant: string | null;
}
/**
 * The conclusions from the runs of one setting.
 */
export interface SettingSummary {
  /**
   * The number of comparisons, pairs in criteria, that share the probability of an error: those in the
   * criterion that names the leader have one half of it, all others the other half.
   */
  readonly comparisons: number;
  /**
   * The confidence of every interval and statement.
   */
  readonly confidence: number;
  /**
   * Those compared, by name.
   */
  readonly contestants: readonly ContestantSummary[];
  /**
   * The criteria, the most important first.
   */
  readonly criteria: readonly Criterion[];
  /**
   * The contestants that no other dominates, by name.
   */
  readonly front: readonly string[];
  /**
   * The leader; `null` if nothing can be judged.
   */
  readonly leader: string | null;
  /**
   * The rules of the judgement.
   */
  readonly rules: JudgementRules;
  /**
   * The conclusion in sentences.
   */
  readonly sentence: string;
  /**
   * The values of the sweep's axes but for `cc`, in their order.
   */
  readonly settings: readonly string[];
  /**
   * The variant; `null` for the scenario as it stands.
   */
  readonly variant: string | null;
}
/**
 * One of those compared.
 */
export interface ContestantSummary {
  /**
   * For every criterion the leader's advantage, seed by seed; empty for the leader. Intervals
   * hold for all pairs and criteria together.
   */
  readonly behind_leader: Readonly<Record<string, PairedDifference>>;
  /**
   * Its faults.
   */
  readonly faults?: readonly Fault[];
  /**
   * The mean of every quantity that its runs have, by the names of `--fail-if`; rates in bits a
   * second, times in milliseconds, shares from 0 to 1.
   */
  readonly means: Readonly<Record<string, ConfidenceInterval>>;
  /**
   * Its name.
   */
  readonly name: string;
  /**
   * The number of its runs.
   */
  readonly runs: number;
}
/**
 * A difference with its interval.
 */
export interface PairedDifference {
  /**
   * It is beyond chance and beyond what matters.
   */
  readonly clear: boolean;
  /**
   * Half the width of its interval; `null` for a single value, and where every seed of a random
   * network gives the same, which says nothing of chance.
   */
  readonly half_width: number | null;
  /**
   * The mean difference.
   */
  readonly mean: number;
}
/**
 * A mean with its interval.
 */
export interface ConfidenceInterval {
  /**
   * The mean plus or minus this is the interval; `null` for a single value, and where all are alike.
   */
  readonly half_width: number | null;
  /**
   * The mean.
   */
  readonly mean: number;
}
/**
 * The rules of a judgement.
 */
export interface JudgementRules {
  /**
   * The bound that a difference must exceed to matter.
   */
  readonly practical: Practical;
  /**
   * The criterion that decides first.
   */
  readonly preference: Preference;
}
