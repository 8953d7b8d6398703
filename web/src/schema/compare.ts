// Written by tools/types.js from docs/reference/compare.schema.json: not by hand.

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
 * A whole comparison.
 */
export interface ComparisonReport {
  /**
   * Runs that are no contestants: the flows under test have the controller of the competing ones, or
   * are not there (`competing flows alone`). The others' harm is taken from them.
   */
  readonly baselines?: readonly RunSummary[];
  /**
   * Every effective setting.
   */
  readonly path: ComparisonPath;
  /**
   * One for each controller and seed, in that order.
   */
  readonly runs: readonly RunSummary[];
  /**
   * The schema's name.
   */
  readonly schema: "westwood.compare/1";
  /**
   * The conclusions; absent of a report without a judgement.
   */
  readonly summary?: JudgementSummary;
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
 * Every effective setting of a comparison, defaults included.
 */
export interface ComparisonPath {
  /**
   * Rate of every access link.
   */
  readonly access_rate_bps: number;
  /**
   * A pure ACK.
   */
  readonly ack_bytes: number;
  /**
   * Which ACKs the bottleneck leaves out, if it does.
   */
  readonly ack_filter?: string;
  /**
   * Controller of the competing flows.
   */
  readonly against_cc: string | null;
  /**
   * Competing flows.
   */
  readonly against_flows: number;
  /**
   * Queue management in both directions.
   */
  readonly aqm: string;
  /**
   * The bottleneck's own repair of losses, if it has one.
   */
  readonly arq: string | null;
  /**
   * Propagation delay of the bottleneck, one way.
   */
  readonly bottleneck_delay_ms: number;
  /**
   * The buffer as it was given.
   */
  readonly buffer: string;
  /**
   * Bytes that may wait in the data direction, if the buffer counts bytes.
   */
  readonly buffer_bytes: number | null;
  /**
   * Packets that may wait in the data direction, if the buffer counts packets.
   */
  readonly buffer_packets: number | null;
  /**
   * How the bottleneck puts packets together, if it does.
   */
  readonly bursts?: string;
  /**
   * The controllers under test, by canonical name.
   */
  readonly cc: readonly string[];
  /**
   * Whether receivers delay their ACKs.
   */
  readonly delayed_ack: boolean;
  /**
   * Whether connections negotiate ECN.
   */
  readonly ecn: boolean;
  /**
   * The bottleneck's change of the ECN field, if it changes that.
   */
  readonly ecn_path?: string;
  /**
   * The code of the bottleneck, if it has one.
   */
  readonly fec?: string;
  /**
   * Flows under test.
   */
  readonly flows: number;
  /**
   * Header of a data segment, on top.
   */
  readonly header_bytes: number;
  /**
   * Initial window.
   */
  readonly initial_window_packets: number;
  /**
   * Losses in the data direction.
   */
  readonly loss: string;
  /**
   * Smallest retransmission timeout.
   */
  readonly min_rto_ms: number;
  /**
   * Payload of a segment.
   */
  readonly packet_bytes: number;
  /**
   * The policer before the queue, if there is one.
   */
  readonly policer: string | null;
  /**
   * Bottleneck rate of the data direction; with recorded capacity its mean.
   */
  readonly rate_bps: number;
  /**
   * Loss recovery of every flow.
   */
  readonly recovery: string;
  /**
   * Which packets of the bottleneck others overtake, if they do.
   */
  readonly reorder?: string;
  /**
   * Bytes that may wait in the other direction, if the buffer counts bytes.
   */
  readonly return_buffer_bytes: number | null;
  /**
   * Packets that may wait in the other direction, if the buffer counts packets.
   */
  readonly return_buffer_packets: number | null;
  /**
   * Losses in the other direction.
   */
  readonly return_loss: string;
  /**
   * Bottleneck rate of the other direction.
   */
  readonly return_rate_bps: number;
  /**
   * Controller of the reverse flows; the one under test if absent.
   */
  readonly reverse_cc: string | null;
  /**
   * Flows in the other direction.
   */
  readonly reverse_flows: number;
  /**
   * Largest propagation round-trip time of a flow.
   */
  readonly rtt_max_ms: number;
  /**
   * Smallest propagation round-trip time of a flow.
   */
  readonly rtt_min_ms: number;
  /**
   * The seeds.
   */
  readonly seeds: readonly number[];
  /**
   * Payload of each transfer under test; greedy flows if absent.
   */
  readonly size_bytes: number | null;
  /**
   * Each flow starts at a time drawn from this span.
   */
  readonly start_jitter_s: number;
  /**
   * Simulated time, at most.
   */
  readonly time_s: number;
  /**
   * File of the recorded capacity of the data direction.
   */
  readonly trace_down: string | null;
  /**
   * File of the recorded capacity of the other direction.
   */
  readonly trace_up: string | null;
  /**
   * The settings that tell implementations of TCP apart.
   */
  readonly transport: Readonly<Record<string, unknown>>;
  /**
   * The time at which measuring begins.
   */
  readonly warmup_s: number;
}
/**
 * The conclusions from runs over one setting.
 */
export interface JudgementSummary {
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
