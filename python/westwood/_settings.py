"""The keywords of a comparison. Made by tools/settings.py from the tables of scenario files."""

from __future__ import annotations

from typing import TypedDict

from westwood._values import Value


class Settings(TypedDict, total=False):
    """The path, its traffic and its hosts."""

    # Path

    rate: Value
    # RATE: Rate of the bottleneck. Default: 10 Mbit/s, or what trace recorded.

    return_rate: Value
    # RATE: Rate in the other direction. Default: as rate.

    rtt: Value
    # TIME: Round-trip time of the flows, propagation only: "100 ms", or "20 ms to 250 ms" for flows with
    # evenly spaced ones. The bottleneck takes 10 ms one way, a quarter of the smallest RTT if that is less;
    # the access links share the rest equally. Default: 100 ms.

    rtt_spread: Value
    # MIN-MAX: Round-trip times of the flows, evenly spaced from MIN to MAX. Default: all flows have that of
    # rtt.

    buffer: Value
    # BUFFER: How much may wait before the bottleneck, in each direction: packets, bytes, time or
    # bandwidth-delay products (rate times the largest RTT, in whole packets). Default: 1 bdp.

    buffer_in_service: Value
    # on|off: Count the packet in service as one of the buffer, so that one less waits (ns-2). Default: off.

    wake_up: Value
    # TIME: How long an idle transmitter takes until it begins to send, as by the timers of Linux. A burst
    # that follows a pause then finds places taken that are free a moment later. Recorded capacity and
    # bursts have their own times. Default: 10ns.

    aqm: Value
    # QUEUE: Queue management in each direction; westwood list queues names them all. Its limit is buffer.
    # Where it is told to mark, as by ecn=on, connections negotiate ECN. fq_codel and cake, as Linux ships
    # them, mark unless ecn=off is said, but only packets of connections that negotiate ECN. Default:
    # droptail.

    policer: Value
    # POLICER: A policer before the queue, in each direction: it drops what exceeds a rate and a burst, and
    # delays nothing. Its drops are counted apart. Default: nothing is policed.

    loss: Value
    # LOSS: Losses in the data direction, after transmission; westwood list losses names them all. Default:
    # 0.5%.

    loss_both: Value
    # LOSS: Losses in both directions, on top of loss. Default: none.

    arq: Value
    # REPAIR: The bottleneck repairs its losses itself, in both directions, as wireless links do:
    # in-order(tries=3,delay=8ms) sends a packet again up to three times, 8 ms after each failure, before
    # all that wait, and holds what came behind it; unordered hands that on. Without a delay: a round trip
    # of the link. Default: losses are final.

    fec: Value
    # CODE: The bottleneck codes its packets, in both directions: in-order(k=20,n=24,wait=40ms) sends 4
    # repair packets behind every 20, or behind fewer after 40 ms, and any 20 of the 24 give back the block;
    # what comes behind a gap is held until then, and unordered hands it on. Without a wait: a round trip of
    # the link. Not with arq. Default: no packet is coded.

    bursts: Value
    # BURSTS: The bottleneck puts packets together, in each direction, as Wi-Fi does: up to 64 that wait
    # leave in one burst, another one as long as those before take less than 4 ms, and each burst takes 186
    # us beside. a-mpdu(packets=64,airtime=4ms,overhead=186us) says so. Default: each packet leaves alone.

    reorder: Value
    # REORDERING: Packets of the bottleneck that others overtake, in each direction: 1 % by 3 within 50 ms
    # holds each packet back with that chance until three later ones have passed, or for 50 ms. Default: all
    # keep their order.

    ecn_path: Value
    # bleach|clear-ce|remark|mark-all|tunnel-copy|tunnel-forget|tunnel-hide: The bottleneck changes the ECN
    # field of what leaves it, in each direction: bleach clears it, clear-ce makes ECT(0) of congestion
    # marks, remark makes ECT(1) of ECT(0), mark-all a mark of every ECN-capable one. Marks of its own queue
    # are changed as well. Or it is within a tunnel (RFC 6040): tunnel-copy carries marks as no tunnel does,
    # the exit of tunnel-forget drops those of the bottleneck's own queue, and in tunnel-hide that queue
    # sees Not-ECT. Default: the field is left alone.

    ack_filter: Value
    # ACK-FILTER: ACKs that the bottleneck leaves out in each direction, as cable and wireless links do:
    # replace puts an ACK into the place of one that waits, decimate(n=4,wait=10ms) lets the last of four
    # pass, or what has come within 10 ms. Duplicate ACKs pass, and so do those with SACK blocks or another
    # echo of ECN than the next, unless sack=drop or ecn=drop is among the parameters. Default: every ACK
    # passes.

    trace: Value
    # DOWN[,UP]: Recorded capacity of the bottleneck instead of a rate. Each line of a file is a time in
    # milliseconds and an opportunity to send 1500 bytes. Without UP the return has the mean rate of DOWN,
    # or return_rate. Default: a fixed rate.

    access_rate: Value
    # RATE: Rate of every access link; these never drop. Default: ten times the faster rate.

    # Flows

    flows: Value
    # N: Flows under test: group flow. Default: 1.

    size: Value
    # SIZE: Each flow under test transfers this much, then ends. The run ends with the last of them.
    # Default: the flows always have something to send.

    against: Value
    # CC:N: N competing flows of another controller over the same bottleneck: whom does it harm? Default:
    # there are none.

    reverse_flows: Value
    # N: Flows in the other direction: group reverse. Default: 0.

    reverse_cc: Value
    # CONTROLLER: Their controller. Default: the one under test.

    # Transport

    like: Value
    # PRESET: A bundle of settings under which the numbers are another implementation's, as linux, rfc or
    # ns-2; westwood list presets names what each sets. Settings that stand beside it win. Default: linux.

    # Flows

    cc: Value
    # CONTROLLER: Controllers under test, each in a run of its own over the same random network. Flows
    # without a cc of their own use it. westwood list controllers names them all. Default:
    # cubic-linux,bbr,bbr3,illinois,hybla,westwood-linux,westwood,westwood+.

    # Measuring

    time: Value
    # TIME: Simulated time. Default: 60 s.

    warmup: Value
    # TIME: When measuring begins. Default: 15 s, a quarter of a run below 60 s, 0 s where the flows under
    # test are transfers.

    seeds: Value
    # N: How many seeds, one after another. A seed gives every controller, variant and point of a sweep the
    # same random numbers. Default: 8.

    seed: Value
    # N: First seed. Default: 1.

    ack_cost: Value
    # on|off: Measure the cost of an ACK to the controller under test as well: nanoseconds on this machine,
    # and reference cycles of its processor where that is an x86-64 (its time-stamp counter, whose rate is
    # constant whatever the core's), in congestion avoidance without loss. It is the one result that does
    # not repeat, so that results without it are a function of settings and seed alone; the kernel's own
    # controllers have none. Default: false.

    delays: Value
    # on|off: Measure how round-trip times, one-way delays and waiting times are distributed, and how fast
    # flows come to share or recover. Without them these results are absent, all others are the same, and a
    # run takes less time. Default: true.

    # Transport

    recovery: Value
    # tahoe|reno|newreno|vegas|sack-1996|sack|linux: Loss recovery. Default: linux.

    packet: Value
    # SIZE: Payload of a full segment, which goodput counts. Default: 1448.

    header: Value
    # SIZE: Header of a data segment, on top: it uses the link and is never goodput. Default: 52.

    ack: Value
    # SIZE: A pure ACK on the wire. Default: 52.

    sack_block: Value
    # SIZE: Bytes that each SACK block adds to an ACK. With the recovery linux their option adds 4 more.
    # Default: 8.

    delayed_ack: Value
    # on|off: Acknowledge every second segment (RFC 5681 section 4.2). Default: on.

    ack_delay: Value
    # TIME: How long a single segment may wait for its ACK. Default: 100 ms.

    initial_window: Value
    # N: Initial window in segments (RFC 6928). Default: 10.

    initial_ssthresh: Value
    # SEGMENTS: Initial slow-start threshold in segments, or "none". Default: none.

    receive_window: Value
    # SEGMENTS: The receiver's window in segments, which never closes, or "none" for one that never limits.
    # Default: none.

    receive_growth: Value
    # N: Segments by which the receiver's window grows at first, with the recovery linux: each is
    # acknowledged at once. It depends on the kernel and its buffer. Default: 2880.

    tcp_rmem: Value
    # BUFFER-SIZES: The receiver's buffer, from which its window follows as in Linux 6.1: its least, first
    # and largest size, or "none" for one that never limits. The least is of no effect. Default: 4 KiB 16
    # MiB 64 MiB.

    tcp_wmem: Value
    # BUFFER-SIZES: The sender's buffer, which an application fills, in the same way. Default: 4 KiB 1 MiB
    # 64 MiB.

    tcp_notsent_lowat: Value
    # SIZE: With tcp_wmem: applications write while less than this is unsent, and again below half of it.
    # Default: none.

    write_size: Value
    # SIZE: With tcp_wmem: applications write so much at a time and ask again whether there is room, else as
    # much as there is room for. Default: none.

    reading: Value
    # READER: With tcp_rmem: receiving applications read at-once, or pause: pause(from=5s,for=3s). Default:
    # at-once.

    receiver: Value
    # RECEIVER: Receivers are honest, or misbehave (RFC 9743 section 7.6): divide(4) makes four ACKs of
    # each, spoof(3) adds three duplicates to each, optimistic(lead=20) acknowledges up to 20 segments that
    # have not arrived, withhold(8,time=500ms) answers eight segments at once. Default: honest.

    min_rto: Value
    # TIME: Smallest retransmission timeout (RFC 6298 section 2.4). Default: 200ms.

    initial_rto: Value
    # TIME: Retransmission timeout before the first round-trip time sample; min_rto if that is more.
    # Default: 1s.

    max_rto: Value
    # TIME: Largest retransmission timeout. Default: 120s.

    rto_tick: Value
    # TIME: Granularity of the clock that measures round-trip times and timeouts; 0 for a perfect one.
    # Default: 0s.

    handshake: Value
    # on|off: Open with a handshake: a SYN leaves at the start, its answer gives the first sample, and then
    # data leaves. Both cross the path as packets. Without it data leaves at the start. Default: on.

    timestamps: Value
    # on|off: Measure round-trip times by timestamps (RFC 7323), else one segment a window. The recovery
    # linux times every segment that was sent once, with them or without. Default: on.

    receiver_clock: Value
    # CLOCK: The clock that the receiver's timestamps show: then a controller has one-way delays (RFC 6817).
    # With its tick, its drift in ppm (negative: slow) and what it reads at the begin (offset), or off.
    # Needs timestamps. Default: off.

    credit: Value
    # ack|segment|limited: How much an ACK counts for growth: one segment (ack), those that it acknowledges
    # (segment), or these within the limits of RFC 3465 (limited). Default: ack; segment with the recovery
    # linux.

    ecn: Value
    # on|off: Negotiate ECN (RFC 3168). Default: where a queue of the scenario is told to mark.

    ecn_feedback: Value
    # classic|dctcp|ace|accurate: How receivers tell of marks, with ECN: until the sender has answered
    # (classic, RFC 3168), for each segment (dctcp, RFC 8257), or by counts in every ACK (RFC 9768), of
    # packets modulo 8 (ace) or of bytes as well (accurate). Senders of ECT(1) need counts. Default: what
    # the controller needs: accurate for prague, dctcp for dctcp, classic for the others.

    eln: Value
    # on|off: Negotiate explicit loss notification: data that a link with eln damages is sent again without
    # a reduction of the window. Not with the recoveries tahoe and linux. Default: false.

    fair_share: Value
    # on|off: At a loss set ssthresh, and the window at which recovery ends, to the least share that links
    # with fair_share told times the smallest round-trip time (BA-TCP). Default: false.

    limited_transmit: Value
    # on|off: Send a new segment on each of the first two duplicate ACKs (RFC 3042). Default: true.

    careful: Value
    # on|off: Tahoe and Reno too take duplicate ACKs for a new loss only beyond what the last reduction
    # covered (RFC 6582 section 3.2 step 2), as NewReno always does, else every third one. Default: true.

    reduce_each_timeout: Value
    # on|off: Each timeout computes ssthresh anew, else only the first one of a segment (RFC 5681 section
    # 3.1). Of no effect with the recovery linux. Default: false.

    ns2_habits: Value
    # on|off: Habits of ns-2's agents beside the RFCs: duplicates in a timeout's repair let old segments
    # out, the timer's back-off outlasts samples by timestamps until newer data is acknowledged, partial
    # ACKs give no sample, ssthresh is whole segments, half of a small window is less than two, a lost SYN
    # leaves no slow start, the ACK of a copy is delayed, three ranges are reported, and a timeout after a
    # mark leaves ssthresh as it is. Of no effect with the recoveries vegas, sack and linux. Default: false.

    impatient: Value
    # on|off: Only the first partial ACK resets NewReno's timer (RFC 6582 section 3.2), else every one.
    # Default: true.

    last_ack_grows: Value
    # on|off: The ACK that ends Reno's and NewReno's fast recovery also lets the window grow (ns-2).
    # Default: false.

    idle_restart: Value
    # on|off: Begin with the initial window again after an idle time of one RTO (RFC 5681 section 4.1).
    # Default: true.

    idle_timeout: Value
    # on|off: Begin with one segment again when the retransmission timer, which then runs on after the last
    # ACK, fires with nothing outstanding (ns-2). In place of idle_restart; of no effect with the recovery
    # linux. Default: false.

    cwnd_validation: Value
    # on|off: The window grows only when it limited the sender (Linux's tcp_is_cwnd_limited; RFC 7661 is
    # less strict). Default: on.
