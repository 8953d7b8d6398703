//! Packets of a part of a run: a row for each passage of one over a link.

use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering};

use westwood_cc::{Duration, Instant};
use westwood_net::{Capacity, DropCause, LinkConfig};
use westwood_scenario::sorting::sort_by;
use westwood_sim::{
    Control, FlowPaths, LinkId, Network, SimError, Tap, TapContent, TapEvent, TapPoint, run_tapped,
};

use crate::reply::{ColumnTable, TypedColumn, count, time_s};

/// The part of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PassageRange {
    /// Its beginning.
    pub from: Instant,
    /// Its end.
    pub until: Instant,
    /// At most so many passages.
    pub most: usize,
}

/// Passages, and whether there were more.
#[derive(Debug, PartialEq)]
pub struct Passages {
    /// The table, in the order in which packets come to links.
    pub table: ColumnTable,
    /// It ends early, because there were more than asked for: it has all that were under way at its end.
    pub cut: bool,
}

/// The names of the ends of passages.
const FATES: [&str; 4] = ["delivered", "dropped", "lost", "under way"];

/// The names of causes, as counters of drops have them.
const CAUSES: [&str; 4] = ["overflow", "aqm", "policer", "random"];

/// The end of a passage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PassageEnd {
    Delivered,
    Gone(DropCause),
    UnderWay,
}

impl PassageEnd {
    /// Its place in [`FATES`]. A packet that was not dropped before the transmitter was lost behind it.
    fn place(self) -> usize {
        match self {
            Self::Delivered => 0,
            Self::Gone(DropCause::Overflow | DropCause::Aqm | DropCause::Policer) => 1,
            Self::Gone(DropCause::Random) => 2,
            Self::UnderWay => 3,
        }
    }

    /// The place of its cause in [`CAUSES`]; their number where nothing was dropped or lost.
    fn cause(self) -> usize {
        match self {
            Self::Gone(DropCause::Overflow) => 0,
            Self::Gone(DropCause::Aqm) => 1,
            Self::Gone(DropCause::Policer) => 2,
            Self::Gone(DropCause::Random) => 3,
            Self::Delivered | Self::UnderWay => CAUSES.len(),
        }
    }

    /// True of a packet that never came to the transmitter.
    fn is_drop(self) -> bool {
        matches!(self, Self::Gone(cause) if cause != DropCause::Random)
    }
}

/// The names of [`Kind`], in its order.
const KINDS: [&str; 3] = ["data", "ack", "datagram"];

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Kind {
    Data,
    Ack,
    Datagram,
}

/// The parts of a packet that it keeps from link to link. Of two that are equal, the first to come is the
/// first to leave, or nobody could tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct PacketIdentity {
    flow: usize,
    connection: u64,
    kind: Kind,
    /// The sequence number or that of the ACK.
    number: u64,
    retransmission: bool,
}

#[derive(Clone, Copy, Debug)]
struct Passage {
    packet: u64,
    identity: PacketIdentity,
    link: LinkId,
    size: u64,
    payload: Option<u64>,
    ce: bool,
    enter: Instant,
    /// The time at which it comes off the link, is dropped, or would have come off it but is lost.
    end: Option<Instant>,
    fate: PassageEnd,
}

/// Simulates a network as far as the end of a part, or of the room for it, and keeps the passages in it.
pub fn passages(network: &Network, part: PassageRange) -> Result<Passages, SimError> {
    let mut network = network.clone();
    let end = part.until.since(Instant::ZERO);
    network.duration = network.duration.min(end.max(Duration::from_nanos(1)));
    if network.warmup >= network.duration {
        network.warmup = Duration::ZERO;
    }
    network.probes = westwood_sim::Probes::default();
    let full = AtomicBool::new(false);
    let mut watch = PassageTap {
        part,
        ways: network.ways()?,
        under_way: HashMap::new(),
        open: 0,
        next_packet: 0,
        kept: Vec::new(),
        cut: None,
        full: &full,
    };
    let control = Control { stop: Some(&full), ..Control::default() };
    let ended = run_tapped(&network, control, &mut watch);
    if let Err(error) = ended
        && watch.cut.is_none()
    {
        return Err(error);
    }
    // More may have been under way at the beginning already.
    let is_over = watch.kept.len() + watch.open > part.most;
    let cut = watch.cut.or(is_over.then_some(part.from));
    let until = cut.unwrap_or(part.until);
    let mut kept = watch.into_passages();
    kept.retain(|passage| passage.enter <= until);
    in_order(&mut kept);
    Ok(Passages { table: table(&network, &kept), cut: cut.is_some() })
}

/// Sorts passages by the time at which they begin.
fn in_order(passages: &mut [Passage]) {
    let key = |passage: &Passage| (passage.enter, passage.packet, passage.link);
    sort_by(passages, |a, b| key(a).cmp(&key(b)));
}

struct PassageTap<'a> {
    part: PassageRange,
    ways: Vec<FlowPaths>,
    under_way: HashMap<(LinkId, PacketIdentity), VecDeque<Passage>>,
    /// How many are under way: they need room, too.
    open: usize,
    next_packet: u64,
    kept: Vec<Passage>,
    /// The time from which on there was no room.
    cut: Option<Instant>,
    /// Ends the run then.
    full: &'a AtomicBool,
}

impl Tap for PassageTap<'_> {
    fn sees(&mut self, sighting: &TapEvent) {
        // Packets of a handshake have no size, and no time on a transmitter that could be drawn.
        let of_handshake =
            matches!(sighting.carries, TapContent::Syn { .. } | TapContent::SynAck { .. });
        if self.cut.is_some() || of_handshake {
            return;
        }
        let identity = identity(sighting);
        let (packet, link) = match sighting.place {
            TapPoint::Sent(_) => {
                self.next_packet += 1;
                (self.next_packet, None)
            }
            TapPoint::Link(link) => {
                let ended = self.end(sighting, (link, identity), PassageEnd::Delivered);
                let Some(packet) = ended else { return };
                (packet, Some(link))
            }
            TapPoint::Dropped(link, cause) => {
                self.end(sighting, (link, identity), PassageEnd::Gone(cause));
                return;
            }
            TapPoint::Received(_) => return,
        };
        let Some(link) = self.next_link(sighting.flow, identity.kind, link) else { return };
        if sighting.at >= self.part.from && self.kept.len() + self.open >= self.part.most {
            self.cut = Some(sighting.at);
            self.full.store(true, Ordering::Relaxed);
            return;
        }
        let payload = match &sighting.carries {
            TapContent::Data(segment) => Some(segment.payload.get()),
            _ => None,
        };
        let passage = Passage {
            packet,
            identity,
            link,
            size: sighting.size.get(),
            payload,
            ce: sighting.ce,
            enter: sighting.at,
            end: None,
            fate: PassageEnd::UnderWay,
        };
        self.under_way.entry((link, identity)).or_default().push_back(passage);
        self.open += 1;
    }
}

impl PassageTap<'_> {
    /// A packet comes off a link or does not: its number.
    fn end(
        &mut self,
        sighting: &TapEvent,
        of: (LinkId, PacketIdentity),
        fate: PassageEnd,
    ) -> Option<u64> {
        let waiting = self.under_way.get_mut(&of)?;
        // Of two that are equal the one that is dropped as it comes is the last.
        let at_once =
            fate.is_drop() && waiting.back().is_some_and(|last| last.enter == sighting.at);
        let mut passage = if at_once { waiting.pop_back()? } else { waiting.pop_front()? };
        if waiting.is_empty() {
            self.under_way.remove(&of);
        }
        self.open -= 1;
        passage.end = Some(sighting.at);
        passage.fate = fate;
        passage.ce |= sighting.ce;
        if sighting.at >= self.part.from {
            self.kept.push(passage);
        }
        Some(passage.packet)
    }

    /// The link behind another one, or the first, of a flow's way there or back.
    fn next_link(&self, flow: usize, kind: Kind, behind: Option<LinkId>) -> Option<LinkId> {
        let ways = self.ways.get(flow)?;
        let way = if kind == Kind::Ack { &ways.back } else { &ways.there };
        match behind {
            None => way.first().copied(),
            Some(link) => {
                let place = way.iter().position(|&one| one == link)?;
                way.get(place + 1).copied()
            }
        }
    }

    fn into_passages(self) -> Vec<Passage> {
        let mut all = self.kept;
        let room = self.part.most.saturating_sub(all.len());
        let mut open: Vec<Passage> = self.under_way.into_values().flatten().collect();
        in_order(&mut open);
        all.extend(open.into_iter().take(room));
        all
    }
}

fn identity(sighting: &TapEvent) -> PacketIdentity {
    let (kind, number, retransmission) = match &sighting.carries {
        TapContent::Data(segment) => (Kind::Data, segment.seq, segment.retransmission),
        TapContent::Ack(ack) => (Kind::Ack, ack.ack, false),
        _ => (Kind::Datagram, 0, false),
    };
    let TapEvent { flow, connection, .. } = *sighting;
    PacketIdentity { flow, connection, kind, number, retransmission }
}

/// The time of transmission, reckoned from the link's configuration: from the time at which a packet came off
/// the link, or where jitter and repairs hide that, from the one before it.
fn transmission(
    config: &LinkConfig,
    passage: &Passage,
    free: Instant,
) -> Option<(Instant, Instant)> {
    if passage.fate.is_drop() {
        return None;
    }
    let rate = match &config.capacity {
        Capacity::Fixed(rate) => *rate,
        Capacity::Recorded(trace) => trace.mean_rate(),
    };
    let bits = u128::from(passage.size) * 8_000_000_000;
    let nanos = bits.checked_div(u128::from(rate.bits_per_s())).unwrap_or(0);
    let takes = Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX));
    let plain = config.jitter.is_none()
        && config.arq.is_none()
        && config.fec.is_none()
        && config.reorder.is_none();
    let from_end = passage.end.filter(|_| plain).map(|end| {
        // Its wire takes 1 ns where it has no delay.
        end - config.delay.max(Duration::from_nanos(1))
    });
    let earliest = passage.enter.max(free);
    let ended = from_end.unwrap_or(earliest + takes).max(passage.enter);
    Some(((ended - takes).max(passage.enter), ended))
}

fn table(network: &Network, passages: &[Passage]) -> ColumnTable {
    let mut free = vec![Instant::ZERO; network.links.len()];
    let times: Vec<Option<(Instant, Instant)>> = passages
        .iter()
        .map(|passage| {
            let times =
                transmission(&network.links[passage.link].config, passage, free[passage.link]);
            if let Some((_, ended)) = times {
                free[passage.link] = ended;
            }
            times
        })
        .collect();
    let numbers =
        |of: &dyn Fn(&Passage) -> f64| TypedColumn::Numbers(passages.iter().map(of).collect());
    let names = |of: &dyn Fn(&Passage) -> usize, names: Vec<String>| {
        let place = |passage| u32::try_from(of(passage)).unwrap_or(u32::MAX);
        TypedColumn::Names(passages.iter().map(place).collect(), names)
    };
    let reckoned = |of: fn((Instant, Instant)) -> Instant| {
        let value =
            |time: &Option<(Instant, Instant)>| time.map_or(f64::NAN, |times| time_s(of(times)));
        TypedColumn::Numbers(times.iter().map(value).collect())
    };
    let only = |passage: &Passage, kind: Kind, value: Option<u64>| match value {
        Some(value) if passage.identity.kind == kind => count(value),
        _ => f64::NAN,
    };
    let words = |all: &[&str]| all.iter().map(|&word| word.to_owned()).collect::<Vec<_>>();
    let flows = network.flows.iter().map(|flow| flow.name.to_string()).collect();
    let links = network.links.iter().map(|link| link.name.to_string()).collect();
    let came = |p: &Passage| match (p.fate, p.end) {
        (PassageEnd::Delivered, Some(end)) => time_s(end),
        _ => f64::NAN,
    };
    let gone = |p: &Passage| match (p.fate, p.end) {
        (PassageEnd::Gone(_), Some(end)) => time_s(end),
        _ => f64::NAN,
    };
    let columns = vec![
        ("packet", numbers(&|p| count(p.packet))),
        ("flow", names(&|p| p.identity.flow, flows)),
        ("link", names(&|p| p.link, links)),
        ("kind", names(&|p| p.identity.kind as usize, words(&KINDS))),
        ("enter_s", numbers(&|p| time_s(p.enter))),
        ("start_s", reckoned(|(begun, _)| begun)),
        ("end_s", reckoned(|(_, ended)| ended)),
        ("leave_s", numbers(&came)),
        ("gone_s", numbers(&gone)),
        ("fate", names(&|p| p.fate.place(), words(&FATES))),
        ("cause", names(&|p| p.fate.cause(), words(&CAUSES))),
        ("size_bytes", numbers(&|p| count(p.size))),
        ("seq_segments", numbers(&|p| only(p, Kind::Data, Some(p.identity.number)))),
        ("length_bytes", numbers(&|p| only(p, Kind::Data, p.payload))),
        ("ack_segments", numbers(&|p| only(p, Kind::Ack, Some(p.identity.number)))),
        ("retransmission", numbers(&|p| count(p.identity.retransmission.into()))),
        ("ce", numbers(&|p| count(p.ce.into()))),
    ];
    ColumnTable { name: "passages", columns }
}
