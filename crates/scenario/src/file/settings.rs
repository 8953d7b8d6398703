//! Tables that say how, not what: transport, measuring, recording, limits.
#![expect(clippy::struct_field_names, reason = "`tcp_rmem` is the kernel's own name")]

use westwood_cc::estimate::EstimatorKind;
use westwood_cc::{Bytes, Duration, EcnFeedback};
use westwood_tcp::{BufferSizes, Credit, ReadMode, ReceiverClock, Recovery};

use super::declaration::{FieldDeclaration, Presence, Section};
use super::fault::Faults;
use super::location::Location;
use super::node::Node;
use super::quantity::{
    ACK, BUFFER_SIZES, CREDIT, ECN_FEEDBACK, ESTIMATES, GROWTH, HEADER, INITIAL_WINDOW, MEMORY,
    MIN_RTO, MOST_FLOWS, MOST_PACKETS, MOST_RUNS, NAME, PACKET, READING, RECEIVER, RECEIVER_CLOCK,
    RECORDED, RECOVERY, RecordedSeries, SERIES, SIZE_OR_NONE, SPAN, SWITCH, SeriesKind, TICK,
    TIMER, WINDOW_OR_NONE,
};
use super::section::{Located, TableReader, sections};
use crate::spec::ReceiverSpec;

sections! {
    /// Transport settings: of all flows at the top of the file, of one group within its `[[flow]]`.
    Tcp as "[tcp]", flags "Transport" {
        /// Loss recovery.
        recovery: layered Recovery = RECOVERY, "sack";
        /// Payload of a full segment, which goodput counts.
        packet: layered Bytes = PACKET, "1500 B";
        /// Header of a data segment, on top: it uses the link and is never goodput.
        header: layered Bytes = HEADER, "0 B";
        /// A pure ACK on the wire.
        ack: layered Bytes = ACK, "40 B";
        /// Bytes that each SACK block adds to an ACK. With the recovery `linux` their option adds 4 more.
        sack_block: layered Bytes = HEADER, "0 B";
        /// Acknowledge every second segment (RFC 5681 section 4.2).
        delayed_ack: layered bool = SWITCH, "true";
        /// How long a single segment may wait for its ACK.
        ack_delay: layered Duration = TICK, "100 ms";
        /// Initial window in segments (RFC 6928).
        initial_window: layered u64 = INITIAL_WINDOW, "10";
        /// Initial slow-start threshold in segments, or `"none"`.
        initial_ssthresh: layered Option<u64> = WINDOW_OR_NONE, "none";
        /// The receiver's window in segments, which never closes, or `"none"` for one that never limits.
        receive_window: layered Option<u64> = WINDOW_OR_NONE, "none";
        /// Segments by which the receiver's window grows at first, with the recovery `linux`: each is
        /// acknowledged at once. It depends on the kernel and its buffer.
        receive_growth: optional u32 = GROWTH, "2880 with the recovery `linux`";
        /// The receiver's buffer, from which its window follows as in Linux 6.1: its least, first and largest
        /// size, or `"none"` for one that never limits. The least is of no effect.
        tcp_rmem: layered Option<BufferSizes> = BUFFER_SIZES, "none";
        /// The sender's buffer, which an application fills, in the same way.
        tcp_wmem: layered Option<BufferSizes> = BUFFER_SIZES, "none";
        /// With `tcp_wmem`: applications write while less than this is unsent, and again below half of it.
        tcp_notsent_lowat: layered Option<u32> = SIZE_OR_NONE, "none";
        /// With `tcp_wmem`: applications write so much at a time and ask again whether there is room, else as
        /// much as there is room for.
        write_size: layered Option<u32> = SIZE_OR_NONE, "none";
        /// With `tcp_rmem`: receiving applications read `at-once`, or pause: `pause(from=5s,for=3s)`.
        reading: layered ReadMode = READING, "at-once";
        /// Receivers are `honest`, or misbehave (RFC 9743 section 7.6): `divide(4)` makes four ACKs of
        /// each, `spoof(3)` adds three duplicates to each, `optimistic(lead=20)` acknowledges up to 20
        /// segments that have not arrived, `withhold(8,time=500ms)` answers eight segments at once.
        receiver: layered ReceiverSpec = RECEIVER, "honest";
        /// Smallest retransmission timeout (RFC 6298 section 2.4).
        min_rto: layered Duration = MIN_RTO, "1 s";
        /// Retransmission timeout before the first round-trip time sample; `min_rto` if that is more.
        initial_rto: layered Duration = TIMER, "1 s";
        /// Largest retransmission timeout.
        max_rto: layered Duration = TIMER, "60 s";
        /// Granularity of the clock that measures round-trip times and timeouts; 0 for a perfect one.
        rto_tick: layered Duration = TICK, "0 s";
        /// Open with a handshake: a SYN leaves at the start, its answer gives the first sample, and then data
        /// leaves. Both cross the path as packets. Without it data leaves at the start.
        handshake: layered bool = SWITCH, "false";
        /// Measure round-trip times by timestamps (RFC 7323), else one segment a window. The recovery `linux`
        /// times every segment that was sent once, with them or without.
        timestamps: layered bool = SWITCH, "true";
        /// The clock that the receiver's timestamps show: then a controller has one-way delays (RFC 6817).
        /// With its `tick`, its `drift` in ppm (negative: slow) and what it reads at the begin (`offset`),
        /// or `off`. Needs `timestamps`.
        receiver_clock: layered Option<ReceiverClock> = RECEIVER_CLOCK, "off";
        /// How much an ACK counts for growth: one segment (`ack`), those that it acknowledges
        /// (`segment`), or these within the limits of RFC 3465 (`limited`).
        credit: optional Credit = CREDIT, "ack; segment with the recovery `linux`";
        /// Negotiate ECN (RFC 3168).
        ecn: optional bool = SWITCH, "where a queue of the scenario is told to mark";
        /// How receivers tell of marks, with ECN: until the sender has answered (`classic`, RFC 3168), for
        /// each segment (`dctcp`, RFC 8257), or by counts in every ACK (RFC 9768), of packets modulo 8
        /// (`ace`) or of bytes as well (`accurate`). Senders of ECT(1) need counts.
        ecn_feedback: optional EcnFeedback = ECN_FEEDBACK, "what the controller needs: accurate for prague, \
            dctcp for dctcp, classic for the others";
        /// Negotiate explicit loss notification: data that a link with `eln` damages is sent again
        /// without a reduction of the window. Not with the recoveries `tahoe` and `linux`.
        eln: layered bool = SWITCH, "false";
        /// At a loss set ssthresh, and the window at which recovery ends, to the least share that links
        /// with `fair_share` told times the smallest round-trip time (BA-TCP).
        fair_share: layered bool = SWITCH, "false";
        /// Send a new segment on each of the first two duplicate ACKs (RFC 3042).
        limited_transmit: layered bool = SWITCH, "true";
        /// Tahoe and Reno too take duplicate ACKs for a new loss only beyond what the last reduction
        /// covered (RFC 6582 section 3.2 step 2), as NewReno always does, else every third one.
        careful: layered bool = SWITCH, "true";
        /// Each timeout computes ssthresh anew, else only the first one of a segment (RFC 5681 section
        /// 3.1). Of no effect with the recovery `linux`.
        reduce_each_timeout: layered bool = SWITCH, "false";
        /// Habits of ns-2's agents beside the RFCs: duplicates in a timeout's repair let old segments out,
        /// the timer's back-off outlasts samples by timestamps until newer data is acknowledged, partial ACKs
        /// give no sample, ssthresh is whole segments, half of a small window is less than two, a lost SYN
        /// leaves no slow start, the ACK of a copy is delayed, three ranges are reported, and a timeout after
        /// a mark leaves ssthresh as it is. Of no effect with the recoveries `vegas`, `sack` and `linux`.
        ns2_habits: layered bool = SWITCH, "false";
        /// Only the first partial ACK resets NewReno's timer (RFC 6582 section 3.2), else every one.
        impatient: layered bool = SWITCH, "true";
        /// The ACK that ends Reno's and NewReno's fast recovery also lets the window grow (ns-2).
        last_ack_grows: layered bool = SWITCH, "false";
        /// Begin with the initial window again after an idle time of one RTO (RFC 5681 section 4.1).
        idle_restart: layered bool = SWITCH, "true";
        /// Begin with one segment again when the retransmission timer, which then runs on after the last ACK,
        /// fires with nothing outstanding (ns-2). In place of `idle_restart`; of no effect with the recovery
        /// `linux`.
        idle_timeout: layered bool = SWITCH, "false";
        /// The window grows only when it limited the sender (Linux's `tcp_is_cwnd_limited`; RFC 7661 is less
        /// strict).
        cwnd_validation: layered bool = SWITCH, "true";
    }

    /// The flows and the link that the results are about.
    Measure as "[measure]" {
        /// The group of flows under test.
        group: optional String = NAME, "the first group";
        /// The link whose utilisation, queue and drops are reported first.
        link: optional String = NAME, "`bottleneck`, or the first link";
        /// Measure the cost of an ACK to the controller under test as well: nanoseconds on this machine,
        /// and reference cycles of its processor where that is an x86-64 (its time-stamp counter, whose
        /// rate is constant whatever the core's), in congestion avoidance without loss. It is the one
        /// result that does not repeat, so that results without it are a function of settings and seed
        /// alone; the kernel's own controllers have none.
        ack_cost: default bool = SWITCH, "false" => "Measuring";
        /// Measure how round-trip times, one-way delays and waiting times are distributed, and how fast
        /// flows come to share or recover. Without them these results are absent, all others are the same,
        /// and a run takes less time.
        delays: default bool = SWITCH, "true" => "Measuring";
    }

    /// Time series. Each costs memory: see `[limits]`.
    Record as "[record]" {
        /// Which ones: `windows` (cwnd, ssthresh, bwe and the cause of each change), `rtts`,
        /// `queues`, `delivered`, `drops`.
        series: optional Vec<SeriesKind> = SERIES, "none";
        /// Bandwidth estimators that run beside the controller of every TCP flow, on the same ACKs, and
        /// change nothing: `westwood` (a sample an ACK), `westwood+a` and `westwood+b` (a sample an
        /// RTT, filters A and B), `linux`, `input-rate` (cwnd over RTT, filter B), `packet-pair`, `hoe`,
        /// `smoothed` (a sample an ACK, filter 7/8 whatever its time).
        estimates: optional Vec<EstimatorKind> = ESTIMATES, "none";
        /// Least time between two points of a series; window changes with a cause, what
        /// estimators say then, and all round-trip time samples are always kept. Queues are looked at
        /// at whole multiples of it. `0 s` keeps every change, and takes a slower engine for queues.
        interval: optional Duration = SPAN, "a five-thousandth of the time";
        /// Of which seeds: `first` or `all`.
        seeds: default RecordedSeries = RECORDED, "first";
    }

    /// A mistyped number should cost a message, not a night or the machine. Larger experiments can
    /// be allowed here.
    Limits as "[limits]" {
        /// Most runs: points of the grid times seeds.
        runs: default u64 = MOST_RUNS, "100000";
        /// Most flows of a run, short flows at a time included.
        flows: default u64 = MOST_FLOWS, "10000";
        /// Most links of a run, access links included.
        links: default u64 = MOST_FLOWS, "50000";
        /// Most packets of all runs together, counted at each link that is not an access link, by
        /// estimate; or the datagrams, transfers and phases that applications begin, if these are more.
        packets: default u64 = MOST_PACKETS, "20000000000";
        /// Most memory, by estimate, for packets in flight, flows and time series of the runs that
        /// are simulated at the same time.
        memory: default Bytes = MEMORY, "8 GiB";
    }
}
