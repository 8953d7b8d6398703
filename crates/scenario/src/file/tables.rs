//! The tables of a scenario file. The comments are `docs/reference/scenarios.md` and the JSON Schema.

use westwood_cc::own::OwnChoice;
use westwood_cc::{Bytes, Duration, Rate};
use westwood_net::{Jitter, LossConfig};
use westwood_sim::ValueDistribution;

use super::controllers::OWN_CONTROLLERS;
use super::declaration::{FieldDeclaration, Presence, Section, ValueShape};
use super::fault::Faults;
use super::location::Location;
use super::node::{Node, TomlTable, TomlValue};
use super::quantity::{
    ACK_FILTER, APPLICATION_RATE, AQM, ARQ, AT_A_TIME, BOTTLENECK_RATE, BUFFER, BURSTS, CONTROLLER,
    CONTROLLERS, DELAY, DIRECTION, Direction, ECN_PATH, FEC, FILE, FLOWS, FLOWS_OR_NONE, FRAMES,
    HOPS, INTERVALS, JITTER, LINK_BUFFER, LOCAL_TIMER, LOSS, MOMENTS, NAME, NAMES, PACKET, POLICER,
    RANDOM_SIZE, RANDOM_SPAN, RATE, RATE_OR_NONE, REORDER, REORDER_BY_NUMBER, RTTS, RUN_TIME, SEED,
    SEEDS, SPAN, SWITCH, TEXT, TRANSFER, WAKE_UP,
};
use super::section::{Located, TableReader, sections, tables};
use super::settings::{Limits, Measure, Record, Tcp};
use super::value_reader::ValueReader;
use crate::error::BadInput;
use crate::limits;
use crate::presets::{self, Preset};
use crate::spec::{
    AckFilterSpec, Aqm, ArqSpec, BurstSpec, ControllerSpec, EcnPathSpec, FecSpec, PerFlowTime,
    PolicerSpec, ReorderSpec,
};
use crate::units::Buffer;

const PRESET: ValueReader<&'static Preset> =
    ValueReader::text(ValueShape::Text("preset", "\"ns-2\""), presets::named);
const DUMBBELL: ValueReader<Dumbbell> =
    ValueReader::node(ValueShape::Table(&Dumbbell::SECTION), Dumbbell::read);
const LINKS: ValueReader<Vec<Link>> =
    ValueReader::node(ValueShape::Tables(&Link::SECTION), |node, faults| {
        tables(node, faults, Link::read)
    });
const GROUPS: ValueReader<Vec<Group>> =
    ValueReader::node(ValueShape::Tables(&Group::SECTION), |node, faults| {
        tables(node, faults, Group::read)
    });
const CHANGES: ValueReader<Vec<Change>> =
    ValueReader::node(ValueShape::Tables(&Change::SECTION), |node, faults| {
        tables(node, faults, Change::read)
    });
const ON_OFF: ValueReader<OnOff> =
    ValueReader::node(ValueShape::Table(&OnOff::SECTION), OnOff::read);
const SHORT_FLOWS: ValueReader<ShortFlows> =
    ValueReader::node(ValueShape::Table(&ShortFlows::SECTION), ShortFlows::read);
const UDP: ValueReader<Udp> = ValueReader::node(ValueShape::Table(&Udp::SECTION), Udp::read);
const MEDIA: ValueReader<Media> =
    ValueReader::node(ValueShape::Table(&Media::SECTION), Media::read);
const PROXIES: ValueReader<Vec<ProxySite>> =
    ValueReader::node(ValueShape::OneOrMore(&ProxySite::SECTION), |node, faults| {
        tables(node, faults, ProxySite::read)
    });
const TCP: ValueReader<Tcp> = ValueReader::node(ValueShape::Table(&Tcp::SECTION), Tcp::read);
const MEASURE: ValueReader<Measure> =
    ValueReader::node(ValueShape::Table(&Measure::SECTION), Measure::read);
const RECORD: ValueReader<Record> =
    ValueReader::node(ValueShape::Table(&Record::SECTION), Record::read);
const LIMITS: ValueReader<Limits> =
    ValueReader::node(ValueShape::Table(&Limits::SECTION), Limits::read);

const SETTINGS: ValueReader<TomlTable> = ValueReader::node(
    ValueShape::Settings("\"dumbbell.loss\" = [\"0.1 %\", \"1 %\"]"),
    |node, faults| named_table(node, faults, "write [sweep] and below it \"dumbbell.rtt\" = [...]"),
);

const VARIANTS: ValueReader<TomlTable> =
    ValueReader::node(ValueShape::NamedSettings("\"dumbbell.aqm\" = \"codel\""), |node, faults| {
        let mend = "write [variant.codel] and below it \"dumbbell.aqm\" = \"codel\"";
        named_table(node, faults, mend)
    });

/// A table whose keys the user chooses.
fn named_table(node: &Node, faults: &mut Faults, mend: &str) -> Option<TomlTable> {
    if let TomlValue::Table(table) = &node.value {
        return Some(table.clone());
    }
    let what = BadInput::new(format!("{} stands where a table is due", node.value.kind()));
    faults.add(node.place, what.hint(mend));
    None
}

sections! {
    /// Settings at the top of the file, before any table.
    Top as "the file" {
        /// The experiment's name: it heads the results.
        name: optional String = NAME, "the file's name";
        /// The experiment's subject, in a sentence.
        about: optional String = TEXT, "nothing";
        /// A bundle of settings under which the numbers are another implementation's, as
        /// `linux`, `rfc` or `ns-2`; `westwood list presets` names what each sets. Settings that
        /// stand beside it win.
        like: optional &'static Preset = PRESET, "the defaults below" => "Transport";
        /// Controllers that the file defines: their names may stand wherever a controller's does.
        controllers: optional Vec<OwnChoice> = OWN_CONTROLLERS, "those of the catalog";
        /// Controllers under test, each in a run of its own over the same random network. Flows
        /// without a `cc` of their own use it. `westwood list controllers` names them all.
        cc: optional Vec<ControllerSpec> = CONTROLLERS, "every flow names its own" => "Flows";
        /// Simulated time.
        time: default Duration = RUN_TIME, "60 s" => "Measuring";
        /// When measuring begins.
        warmup: optional Duration = SPAN,
            "15 s, a quarter of a run below 60 s, 0 s where the flows under test are transfers" => "Measuring";
        /// How many seeds, one after another. A seed gives every controller, variant and point of a
        /// sweep the same random numbers.
        seeds: default u64 = SEEDS, "8" => "Measuring";
        /// First seed.
        seed: default u64 = SEED, "1" => "Measuring";
        /// Names of nodes. If given, links lead between these only; a link's ends are nodes anyway.
        nodes: optional Vec<String> = NAMES, "the ends of the links";
        /// A bottleneck with flows through it, in short.
        dumbbell: optional Dumbbell = DUMBBELL, "no dumbbell";
        /// Links between nodes.
        link: optional Vec<Link> = LINKS, "none beside the dumbbell's";
        /// Groups of flows.
        flow: optional Vec<Group> = GROUPS, "none beside the dumbbell's";
        /// Changes of links during a run.
        change: optional Vec<Change> = CHANGES, "nothing";
        /// The transport of every flow.
        tcp: table Tcp = TCP, "the defaults below";
        /// The flows and the link that the results are about.
        measure: table Measure = MEASURE, "the first group of flows and the first link";
        /// Which time series are kept.
        record: table Record = RECORD, "none";
        /// Limits that stop a mistyped file.
        limits: table Limits = LIMITS, "the defaults below";
        /// Fields that take several values: every combination is run.
        sweep: optional TomlTable = SETTINGS, "one point";
        /// The scenario again with other settings, under the same random numbers.
        variant: optional TomlTable = VARIANTS, "none";
    }

    /// A bottleneck between `left` and `right` with flows through it, which `westwood compare`
    /// simulates. Its links are called `bottleneck` and `bottleneck return`, its groups of flows
    /// `flow`, `rival` and `reverse`; more links and flows may be added. Unlike the command, a file
    /// loses nothing unless it says so.
    Dumbbell as "[dumbbell]", flags "Path" {
        /// Rate of the bottleneck.
        rate: optional Rate = BOTTLENECK_RATE, "10 Mbit/s, or what `trace` recorded";
        /// Rate in the other direction.
        return_rate: optional Rate = BOTTLENECK_RATE, "as `rate`";
        /// Recorded capacity instead of a rate: a file, seen from the folder of the scenario, whose
        /// lines are milliseconds, each an opportunity to send 1500 bytes (as in Mahimahi).
        trace: optional String = FILE, "a fixed rate" => "";
        /// Recorded capacity of the other direction.
        return_trace: optional String = FILE, "a fixed rate" => "";
        /// Round-trip time of the flows, propagation only: `"100 ms"`, or `"20 ms to 250 ms"` for
        /// flows with evenly spaced ones. The bottleneck takes 10 ms one way, a quarter of the
        /// smallest RTT if that is less; the access links share the rest equally.
        rtt: default PerFlowTime = RTT_OR_SPREAD, "100 ms";
        /// How much may wait before the bottleneck, in each direction: packets, bytes, time or
        /// bandwidth-delay products (rate times the largest RTT, in whole packets).
        buffer: default Buffer = BUFFER, "1 bdp";
        /// Count the packet in service as one of the buffer, so that one less waits (ns-2).
        buffer_in_service: default bool = SWITCH, "false";
        /// How long an idle transmitter takes until it begins to send, as by the timers of Linux. A burst
        /// that follows a pause then finds places taken that are free a moment later. Recorded capacity and
        /// bursts have their own times.
        wake_up: default Duration = WAKE_UP, "0 s";
        /// Queue management in each direction; `westwood list queues` names them all. Its limit is
        /// `buffer`. Where it is told to mark, as by `ecn=on`, connections negotiate ECN. fq_codel and cake,
        /// as Linux ships them, mark unless `ecn=off` is said, but only packets of connections that
        /// negotiate ECN.
        aqm: default Aqm = AQM, "droptail";
        /// A policer before the queue, in each direction: it drops what exceeds a rate and a burst, and
        /// delays nothing. Its drops are counted apart.
        policer: optional PolicerSpec = POLICER, "nothing is policed";
        /// Losses in the data direction, after transmission; `westwood list losses` names them all.
        loss: default Vec<LossConfig> = LOSS, "none";
        /// Losses in both directions, on top of `loss`.
        loss_both: default Vec<LossConfig> = LOSS, "none";
        /// The bottleneck repairs its losses itself, in both directions, as wireless links do:
        /// `in-order(tries=3,delay=8ms)` sends a packet again up to three times, 8 ms after each
        /// failure, before all that wait, and holds what came behind it; `unordered` hands that
        /// on. Without a delay: a round trip of the link.
        arq: optional ArqSpec = ARQ, "losses are final";
        /// The bottleneck codes its packets, in both directions: `in-order(k=20,n=24,wait=40ms)`
        /// sends 4 repair packets behind every 20, or behind fewer after 40 ms, and any 20 of the
        /// 24 give back the block; what comes behind a gap is held until then, and `unordered`
        /// hands it on. Without a wait: a round trip of the link. Not with `arq`.
        fec: optional FecSpec = FEC, "no packet is coded";
        /// The bottleneck puts packets together, in each direction, as Wi-Fi does: up to 64 that
        /// wait leave in one burst, another one as long as those before take less than 4 ms, and
        /// each burst takes 186 us beside. `a-mpdu(packets=64,airtime=4ms,overhead=186us)` says so.
        bursts: optional BurstSpec = BURSTS, "each packet leaves alone";
        /// Packets of the bottleneck that others overtake, in each direction: `1 % by 3 within 50 ms`
        /// holds each packet back with that chance until three later ones have passed, or for
        /// 50 ms.
        reorder: optional ReorderSpec = REORDER_BY_NUMBER, "all keep their order";
        /// The bottleneck changes the ECN field of what leaves it, in each direction: `bleach` clears it,
        /// `clear-ce` makes ECT(0) of congestion marks, `remark` makes ECT(1) of ECT(0), `mark-all` a
        /// mark of every ECN-capable one. Marks of its own queue are changed as well. Or it is within a
        /// tunnel (RFC 6040): `tunnel-copy` carries marks as no tunnel does, the exit of `tunnel-forget`
        /// drops those of the bottleneck's own queue, and in `tunnel-hide` that queue sees Not-ECT.
        ecn_path: optional EcnPathSpec = ECN_PATH, "the field is left alone";
        /// ACKs that the bottleneck leaves out in each direction, as cable and wireless links do: `replace`
        /// puts an ACK into the place of one that waits, `decimate(n=4,wait=10ms)` lets the last of
        /// four pass, or what has come within 10 ms. Duplicate ACKs pass, and so do those with SACK
        /// blocks or another echo of ECN than the next, unless `sack=drop` or `ecn=drop` is among
        /// the parameters.
        ack_filter: optional AckFilterSpec = ACK_FILTER, "every ACK passes";
        /// Rate of every access link; these never drop.
        access_rate: optional Rate = RATE, "ten times the faster `rate`";
        /// Flows under test: group `flow`.
        flows: default u64 = FLOWS, "1" => "Flows";
        /// Each flow under test transfers this much, then ends. The run ends with the last of them.
        size: optional Bytes = TRANSFER, "the flows always have something to send" => "Flows";
        /// Controller of competing flows through the same bottleneck: group `rival`.
        against_cc: optional ControllerSpec = CONTROLLER, "there are none" => "";
        /// How many flows compete.
        against_flows: default u64 = FLOWS_OR_NONE, "1" => "";
        /// Flows in the other direction: group `reverse`.
        reverse_flows: default u64 = FLOWS_OR_NONE, "0" => "Flows";
        /// Their controller.
        reverse_cc: optional ControllerSpec = CONTROLLER, "the one under test" => "Flows";
    }

    /// A link between two nodes, or a chain of equal ones. It has two directions: the one from
    /// `from` to `to` bears the link's name, the other that name and ` return`.
    Link as "[[link]]" {
        /// Its name. Random numbers derive from it.
        name: required String = NAME;
        /// The node that it leads from.
        from: required String = NAME;
        /// The node that it leads to.
        to: required String = NAME;
        /// A chain of so many links in a row, called `NAME 1` and so on, through nodes `NAME 1` and
        /// so on.
        hops: default u64 = HOPS, "1";
        /// Rate.
        rate: optional Rate = RATE, "what `trace` recorded; one of the two must be given";
        /// Rate in the other direction.
        return_rate: optional Rate = RATE, "as `rate`";
        /// Recorded capacity instead of a rate: a file as in `[dumbbell]`.
        trace: optional String = FILE, "a fixed rate";
        /// Recorded capacity of the other direction.
        return_trace: optional String = FILE, "a fixed rate";
        /// Propagation delay, one way.
        delay: default Duration = DELAY, "0 s";
        /// Propagation delay in the other direction.
        return_delay: optional Duration = DELAY, "as `delay`";
        /// False for a link without a way back.
        both_ways: default bool = SWITCH, "true";
        /// How much may wait: packets, bytes, time, `"unlimited"`, or bandwidth-delay products: the
        /// rate there times the largest propagation RTT of the TCP flows that cross it.
        buffer: default Option<Buffer> = LINK_BUFFER, "1 bdp";
        /// How much may wait in the other direction.
        return_buffer: optional Option<Buffer> = LINK_BUFFER, "as `buffer`";
        /// A buffer in BDPs or time holds at least so many packets.
        min_buffer: default u64 = FLOWS, "1";
        /// Count the packet in service as one of the buffer, so that one less waits (ns-2).
        buffer_in_service: default bool = SWITCH, "false";
        /// How long an idle transmitter takes until it begins to send, as by the timers of Linux. A burst
        /// that follows a pause then finds places taken that are free a moment later. Recorded capacity and
        /// bursts have their own times.
        wake_up: default Duration = WAKE_UP, "0 s";
        /// Queue management in each direction. Its limit is `buffer`.
        aqm: default Aqm = AQM, "droptail";
        /// A policer before the queue, in each direction: it drops what exceeds a rate and a burst, and
        /// delays nothing. Its drops are counted apart.
        policer: optional PolicerSpec = POLICER, "nothing is policed";
        /// Losses from `from` to `to`, after transmission.
        loss: default Vec<LossConfig> = LOSS, "none";
        /// Losses in the other direction.
        return_loss: default Vec<LossConfig> = LOSS, "none";
        /// Losses in both directions, on top of the others.
        loss_both: default Vec<LossConfig> = LOSS, "none";
        /// The link repairs its losses itself, in both directions: `in-order(tries=3,delay=8ms)`
        /// sends a packet again up to three times, 8 ms after each failure, before all that wait,
        /// and holds what came behind it; `unordered` hands that on. Without a delay: a round
        /// trip of the link.
        arq: optional ArqSpec = ARQ, "losses are final";
        /// The link codes its packets, in both directions: `in-order(k=20,n=24,wait=40ms)` sends 4 repair
        /// packets behind every 20, or behind fewer after 40 ms, and any 20 of the 24 give back the
        /// block; what comes behind a gap is held until then, and `unordered` hands it on. Without a
        /// wait: a round trip of the link. Not with `arq`.
        fec: optional FecSpec = FEC, "no packet is coded";
        /// The link puts packets together, in each direction, as Wi-Fi does: up to 64 that wait leave in
        /// one burst, another one as long as those before take less than 4 ms, and each burst takes
        /// 186 us beside. `a-mpdu(packets=64,airtime=4ms,overhead=186us)` says so.
        bursts: optional BurstSpec = BURSTS, "each packet leaves alone";
        /// The link changes the ECN field of what leaves it, in each direction: `bleach` clears it,
        /// `clear-ce` makes ECT(0) of congestion marks, `remark` makes ECT(1) of ECT(0), `mark-all` a
        /// mark of every ECN-capable one. Marks of its own queue are changed as well. Or it is within a
        /// tunnel (RFC 6040): `tunnel-copy` carries marks as no tunnel does, the exit of `tunnel-forget`
        /// drops those of the link's own queue, and in `tunnel-hide` that queue sees Not-ECT.
        ecn_path: optional EcnPathSpec = ECN_PATH, "the field is left alone";
        /// ACKs that the link leaves out in each direction, as cable and wireless links do: `replace`
        /// puts an ACK into the place of one that waits, `decimate(n=4,wait=10ms)` lets the last of
        /// four pass, or what has come within 10 ms. Duplicate ACKs pass, and so do those with SACK
        /// blocks or another echo of ECN than the next, unless `sack=drop` or `ecn=drop` is among
        /// the parameters.
        ack_filter: optional AckFilterSpec = ACK_FILTER, "every ACK passes";
        /// Delay that varies from packet to packet, on top of `delay`, in each direction:
        /// `uniform(5 ms)`, `exponential(2 ms)` or `normal(5 ms, 1 ms)`; `bunches(10 ms)` holds
        /// packets until a multiple of 10 ms, as a shared medium that is granted in turns does.
        jitter: optional Jitter = JITTER, "the delay is constant";
        /// `true` if packets may overtake each other by `jitter`. `1 % by 3 within 50 ms` holds each
        /// packet back with that chance until three later ones have passed, or for 50 ms.
        reorder: default ReorderSpec = REORDER, "false";
        /// The node `from` is a base station with Snoop: it keeps what goes to `to` until it is
        /// acknowledged, sends again what the link loses, ahead of all that wait, and holds back the
        /// duplicate ACKs. Snoop needs the way back.
        snoop: default bool = SWITCH, "false";
        /// How much it keeps for each connection.
        snoop_cache: default Buffer = BUFFER, "1 bdp";
        /// Its timeout is twice the smoothed round-trip time of the link, and at least this.
        snoop_timeout: default Duration = LOCAL_TIMER, "10 ms";
        /// Data that losses from `from` to `to` take reaches its receiver damaged, which reports it
        /// (explicit loss notification) if its connection has `tcp.eln`.
        eln: default bool = SWITCH, "false";
        /// The router at `from` tells connections with `tcp.fair_share` the rate over the number of
        /// active flows (BA-TCP). The rate must be constant.
        fair_share: default bool = SWITCH, "false";
        /// How long a flow counts as active after its last data, up to twice that.
        fair_share_memory: default Duration = LOCAL_TIMER, "1 s";
    }

    /// A group of flows between two nodes, each from a host of its own or from the node itself. A
    /// group with `size`, `on_off`, `write_rate`, `short_flows`, `udp` or `media` has that application,
    /// of which there may be one; any other always has something to send.
    Group as "[[flow]]" {
        /// Its name. The flows are called `NAME 1` and so on; random numbers derive from that.
        name: required String = NAME;
        /// The node where the senders are.
        from: optional String = NAME, "as `over` says";
        /// The node where the receivers are.
        to: optional String = NAME, "as `over` says";
        /// A link, over each hop of which there is such a group: cross traffic.
        over: optional String = NAME, "the flows lead from `from` to `to`";
        /// True if the flows lead in the other direction.
        backward: default bool = SWITCH, "false";
        /// How many flows.
        count: default u64 = FLOWS, "1";
        /// Their controller.
        cc: optional ControllerSpec = CONTROLLER, "the one under test";
        /// Round-trip time, propagation only. Each flow gets hosts and access links of its own that
        /// add what the links between `from` and `to` lack. `"250 ms"` for all; `"20 ms to 250 ms"`
        /// evenly spaced, both included; `"above 20 ms to 250 ms"` for 20 + 230 i / n;
        /// `"uniform(20 ms, 250 ms)"` drawn; or a list.
        rtt: optional PerFlowTime = RTTS, "that of the links between";
        /// One-way delay of each access link, instead of `rtt`.
        access_delay: optional Duration = DELAY, "no access links";
        /// Rate of the access links; these never drop.
        access_rate: optional Rate = RATE, "ten times the fastest link";
        /// The links there, by name, from `from` to `to`.
        path: optional Vec<String> = NAMES, "those of least total delay";
        /// The links back, by name, from `to` to `from`.
        return_path: optional Vec<String> = NAMES, "those of least total delay";
        /// When they start; spread as `rtt`.
        start: optional PerFlowTime = MOMENTS, "at 0 s; of several flows each within the first second, or \
            the first tenth of a shorter run";
        /// When they stop sending; spread as `rtt`.
        stop: optional PerFlowTime = MOMENTS, "at the end of the run";
        /// Intervals in which they send, instead of `start` and `stop`: a new connection in each.
        active: optional Vec<(Duration, Duration)> = INTERVALS, "from `start` to `stop`";
        /// Each flow transfers this much, then ends.
        size: optional Bytes = TRANSFER, "no end of data";
        /// Always something to send while on, nothing while off.
        on_off: optional OnOff = ON_OFF, "always on";
        /// The application writes whole segments at this rate.
        write_rate: optional Rate = APPLICATION_RATE, "as fast as the connection takes them";
        /// A connection for each of many transfers.
        short_flows: optional ShortFlows = SHORT_FLOWS, "one connection";
        /// Datagrams without any control.
        udp: optional Udp = UDP, "TCP";
        /// A video call: frames in datagrams, at a rate that adapts to the path.
        media: optional Media = MEDIA, "TCP";
        /// The transport of these flows, where it differs from that of all.
        tcp: optional Tcp = TCP, "as the scenario's `[tcp]`";
        /// A node that splits the connections, or several in the order of the route.
        proxy: optional Vec<ProxySite> = PROXIES, "the connections lead from end to end";
    }

    /// A performance-enhancing proxy that splits TCP connections (RFC 3135 section 2.4), as at a satellite
    /// gateway. It accepts the connection of a flow, opens another one towards the receiver, and sends on
    /// what arrives in order. It reads no more than the other connection takes, so that a slow one closes
    /// the window of the first. The flow's own settings and results are those of its first connection, but
    /// for what is delivered at the end; the connection that begins at node `N` is flow `NAME 1.N` of group
    /// `NAME.N`.
    ProxySite as "proxy" {
        /// The node, between the ends of the flows, on the way there and on the way back.
        at: required String = NAME;
        /// The controller of the connection that begins here.
        cc: optional ControllerSpec = CONTROLLER, "as the flow's";
        /// Payload that the proxy holds at most for a flow: what has arrived here and the next receiver has
        /// not acknowledged. In place of the `tcp_rmem` of the connection that ends here and the `tcp_wmem`
        /// of the one that begins.
        buffer: optional Bytes = TRANSFER, "`tcp_rmem` and `tcp_wmem`, and no limit without them";
        /// The transport of the connection that begins here, where it differs from the flow's.
        tcp: optional Tcp = TCP, "as the flow's";
    }

    /// Phases in turn, on first. Durations are fixed (`"10 s"`), `exponential(10 s)`,
    /// `uniform(1 s, 5 s)` or `pareto(10 s, shape=1.5)`.
    OnOff as "on_off" {
        /// How long each on phase lasts.
        on: required ValueDistribution = RANDOM_SPAN;
        /// How long each off phase lasts.
        off: required ValueDistribution = RANDOM_SPAN;
    }

    /// Transfers that come and go: web pages, downloads.
    ShortFlows as "short_flows" {
        /// Time from one start to the next; `exponential(100 ms)` makes a Poisson process.
        every: required ValueDistribution = RANDOM_SPAN;
        /// How much each one carries: `"30 kB"`, `exponential(30 kB)`, `pareto(30 kB, shape=1.5)`.
        size: required ValueDistribution = RANDOM_SIZE;
        /// No more than so many at the same time, in each flow of the group; later ones are counted
        /// as refused.
        at_a_time: default u64 = AT_A_TIME, "1000";
    }

    /// Datagrams without any control.
    Udp as "udp" {
        /// Rate on the wire, while on.
        rate: required Rate = APPLICATION_RATE;
        /// A datagram on the wire.
        packet: optional Bytes = PACKET, "as the segments of TCP";
        /// True for exponential gaps of the same mean: a Poisson process.
        poisson: default bool = SWITCH, "false";
        /// How long each on phase lasts; `off` must be given too.
        on: optional ValueDistribution = RANDOM_SPAN, "always on";
        /// How long each off phase lasts.
        off: optional ValueDistribution = RANDOM_SPAN, "always on";
    }

    /// A video call: frames at regular times, in datagrams, at a rate that NADA (RFC 8698) adapts to
    /// the delays and losses that reports tell of. `media = {}` has the RFC's bounds.
    Media as "media" {
        /// The rate of the poorest picture, with which it begins; on the wire.
        min_rate: default Rate = APPLICATION_RATE, "150 kbit/s";
        /// The rate of the best picture, on the wire.
        max_rate: default Rate = APPLICATION_RATE, "1.5 Mbit/s";
        /// Frames a second.
        fps: default u64 = FRAMES, "30";
        /// The largest datagram on the wire.
        packet: default Bytes = PACKET, "1200 B";
    }

    /// A change of a link at a given time.
    Change as "[[change]]" {
        /// The link: a name of `[[link]]`, or `bottleneck`.
        link: required String = NAME;
        /// Which of its directions.
        direction: default Direction = DIRECTION, "there";
        /// When.
        at: required Duration = SPAN;
        /// Again and again after this time.
        every: optional Duration = SPAN, "once";
        /// The rate from then on; `"0 bit/s"` stops the transmitter, packets wait.
        rate: optional Rate = RATE_OR_NONE, "unchanged";
        /// The propagation delay from then on.
        delay: optional Duration = DELAY, "unchanged";
        /// The losses from then on, in place of those before.
        loss: optional Vec<LossConfig> = LOSS, "unchanged";
        /// Everything is lost for so long; the losses before begin anew afterwards.
        outage: optional Duration = SPAN, "none";
    }
}

/// The dumbbell's round-trip times: one for all, or evenly spaced.
const RTT_OR_SPREAD: ValueReader<PerFlowTime> =
    ValueReader::text(ValueShape::Text("time", "\"100 ms\""), |text| {
        let times = PerFlowTime::within(text, limits::MIN_RTT, limits::MAX_RTT)?;
        if !matches!(times, PerFlowTime::Same(_) | PerFlowTime::Even(..)) {
            let what = BadInput::new("a dumbbell's RTTs are equal or evenly spaced");
            return Err(what.hint("write \"20 ms to 250 ms\", or use [[flow]] with its own rtt"));
        }
        Ok(times)
    });
