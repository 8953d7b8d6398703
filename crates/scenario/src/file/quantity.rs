//! Every kind of value that a field may have.

use westwood_cc::estimate::EstimatorKind;
use westwood_cc::{Bytes, Duration, EcnFeedback, Rate};
use westwood_net::{Jitter, LossConfig};
use westwood_sim::ValueDistribution;
use westwood_tcp::{BufferSizes, Credit, ReadMode, ReceiverClock, Recovery};

use super::declaration::ValueShape;
use super::fault::Faults;
use super::node::{Node, TableEntry, TomlValue};
use super::value_reader::{ValueReader, each, each_list};
use crate::error::{BadInput, quoted};
use crate::limits;
use crate::spec::{
    self, AckFilterSpec, Aqm, ArqSpec, BurstSpec, ControllerSpec, EcnPathSpec, FecSpec,
    PerFlowTime, PolicerSpec, ReceiverSpec, ReorderSpec,
};
use crate::units::{self, Buffer};

pub(super) const TEXT: ValueReader<String> =
    ValueReader::text(ValueShape::Text("text", "\"a text\""), |text| Ok(text.to_owned()));

pub(super) const NAME: ValueReader<String> =
    ValueReader::text(ValueShape::Text("name", "\"cross\""), name);

pub(super) const NAMES: ValueReader<Vec<String>> =
    ValueReader::node(ValueShape::Texts("name", "[\"a\", \"b\"]"), |node, faults| {
        each(node, faults, "[\"a\", \"b\"]", name)
    });

pub(super) const FILE: ValueReader<String> =
    ValueReader::text(ValueShape::Text("file", "\"down.trace\""), |text| match text.trim() {
        "" => Err(BadInput::new("names no file").hint("write \"down.trace\"")),
        file => Ok(file.to_owned()),
    });

pub(super) const RATE: ValueReader<Rate> =
    ValueReader::text(ValueShape::Text("rate", "\"10 Mbit/s\""), |text| {
        limits::rate_within(text, limits::MAX_RATE)
    });

pub(super) const BOTTLENECK_RATE: ValueReader<Rate> =
    ValueReader::text(ValueShape::Text("rate", "\"10 Mbit/s\""), |text| {
        limits::rate_within(text, limits::MAX_BOTTLENECK)
    });

/// A bottleneck's rate that may be zero: nothing is sent.
pub(super) const RATE_OR_NONE: ValueReader<Rate> =
    ValueReader::text(ValueShape::Text("rate", "\"5 Mbit/s\""), |text| match units::rate(text) {
        Ok(Rate::ZERO) => Ok(Rate::ZERO),
        _ => limits::rate_within(text, limits::MAX_BOTTLENECK),
    });

/// An application's rate: slower than any link may be.
pub(super) const APPLICATION_RATE: ValueReader<Rate> =
    ValueReader::text(ValueShape::Text("rate", "\"1 Mbit/s\""), |text| {
        limits::within(text, units::rate, "1bit/s", &units::rate_text(limits::MAX_RATE))
    });

pub(super) const RUN_TIME: ValueReader<Duration> =
    ValueReader::text(ValueShape::Text("time", "\"60 s\""), |text| {
        limits::duration_within(text, Duration::from_millis(1), limits::MAX_TIME)
    });

/// A moment or a span of the run.
pub(super) const SPAN: ValueReader<Duration> =
    ValueReader::text(ValueShape::Text("time", "\"10 s\""), span);

pub(super) const DELAY: ValueReader<Duration> =
    ValueReader::text(ValueShape::Text("time", "\"10 ms\""), |text| {
        limits::duration_within(text, Duration::ZERO, limits::MAX_RTT)
    });

/// The lateness of a timer.
pub(super) const WAKE_UP: ValueReader<Duration> =
    ValueReader::text(ValueShape::Text("time", "\"1 us\""), |text| {
        limits::duration_within(text, Duration::ZERO, Duration::from_millis(1))
    });

pub(super) const RTTS: ValueReader<PerFlowTime> =
    ValueReader::node(ValueShape::Some("time", "\"20 ms to 250 ms\""), |node, faults| {
        times(node, faults, limits::MIN_RTT, limits::MAX_RTT)
    });

pub(super) const MOMENTS: ValueReader<PerFlowTime> =
    ValueReader::node(ValueShape::Some("time", "\"uniform(0 s, 10 s)\""), |node, faults| {
        times(node, faults, Duration::ZERO, limits::MAX_TIME)
    });

pub(super) const INTERVALS: ValueReader<Vec<(Duration, Duration)>> =
    ValueReader::node(ValueShape::Some("interval", "[\"250 s to 500 s\"]"), |node, faults| {
        each(node, faults, "[\"250 s to 500 s\"]", interval)
    });

pub(super) const MIN_RTO: ValueReader<Duration> =
    ValueReader::text(ValueShape::Text("time", "\"1 s\""), |text| {
        limits::duration_within(text, limits::MIN_MIN_RTO, limits::MAX_MIN_RTO)
    });

/// Other times of the retransmission timer.
pub(super) const TIMER: ValueReader<Duration> =
    ValueReader::text(ValueShape::Text("time", "\"1 s\""), |text| {
        let most = Duration::from_secs(600);
        limits::duration_within(text, limits::MIN_MIN_RTO, most)
    });

/// A timer in the network.
pub(super) const LOCAL_TIMER: ValueReader<Duration> =
    ValueReader::text(ValueShape::Text("time", "\"10 ms\""), |text| {
        let (least, most) = (Duration::from_millis(1), Duration::from_secs(600));
        limits::duration_within(text, least, most)
    });

/// A tick or a short delay, which may be zero.
pub(super) const TICK: ValueReader<Duration> =
    ValueReader::text(ValueShape::Text("time", "\"10 ms\""), |text| {
        let most = Duration::from_secs(1);
        limits::duration_within(text, Duration::ZERO, most)
    });

pub(super) const BUFFER: ValueReader<Buffer> =
    ValueReader::node(ValueShape::Text("buffer", "\"1 bdp\""), buffer);

/// A buffer, or none that anything could overflow.
pub(super) const LINK_BUFFER: ValueReader<Option<Buffer>> =
    ValueReader::node(ValueShape::Text("buffer", "\"1 bdp\""), |node, faults| {
        match node.text(faults, "\"1 bdp\"")?.trim() {
            "unlimited" => Some(None),
            _ => buffer(node, faults).map(Some),
        }
    });

fn buffer(node: &Node, faults: &mut Faults) -> Option<Buffer> {
    let text = node.text(faults, "\"1 bdp\"")?;
    let read = limits::buffer(text, faults.packet());
    faults.check(node.place, read)
}

pub(super) const AQM: ValueReader<Aqm> =
    ValueReader::text(ValueShape::Text("queue", "\"codel\""), Aqm::parse);

pub(super) const LOSS: ValueReader<Vec<LossConfig>> =
    ValueReader::node(ValueShape::Some("loss", "\"0.1 %\""), |node, faults| {
        let all = each_list(node, faults, "\"0.1 %\"", spec::losses)?;
        Some(all.into_iter().flatten().collect())
    });

pub(super) const ACK_FILTER: ValueReader<AckFilterSpec> =
    ValueReader::text(ValueShape::Text("ACK filter", "\"replace\""), AckFilterSpec::parse);

pub(super) const BUFFER_SIZES: ValueReader<Option<BufferSizes>> = ValueReader::text(
    ValueShape::Text("buffer sizes", "\"4 KiB 128 KiB 6 MiB\""),
    spec::buffer_sizes,
);

pub(super) const SIZE_OR_NONE: ValueReader<Option<u32>> =
    ValueReader::text(ValueShape::Text("size", "\"128 KiB\""), spec::size_or_none);

pub(super) const READING: ValueReader<ReadMode> =
    ValueReader::text(ValueShape::Text("reader", "\"pause(from=5s,for=3s)\""), spec::reading);

pub(super) const RECEIVER: ValueReader<ReceiverSpec> =
    ValueReader::text(ValueShape::Text("receiver", "\"divide(4)\""), ReceiverSpec::parse);

pub(super) const ECN_PATH: ValueReader<EcnPathSpec> =
    ValueReader::text(ValueShape::Words(&EcnPathSpec::NAMES), EcnPathSpec::parse);

pub(super) const REORDER_BY_NUMBER: ValueReader<ReorderSpec> =
    ValueReader::text(ValueShape::Text("reordering", "\"1 % by 3\""), ReorderSpec::parse_number);

pub(super) const REORDER: ValueReader<ReorderSpec> =
    ValueReader::text(ValueShape::Text("reordering", "\"1 % by 3\""), ReorderSpec::parse);

pub(super) const BURSTS: ValueReader<BurstSpec> =
    ValueReader::text(ValueShape::Text("bursts", "\"a-mpdu(packets=32)\""), BurstSpec::parse);

pub(super) const FEC: ValueReader<FecSpec> =
    ValueReader::text(ValueShape::Text("code", "\"in-order(k=20,n=24)\""), FecSpec::parse);

pub(super) const ARQ: ValueReader<ArqSpec> =
    ValueReader::text(ValueShape::Text("repair", "\"in-order(delay=8ms)\""), ArqSpec::parse);

pub(super) const POLICER: ValueReader<PolicerSpec> =
    ValueReader::text(ValueShape::Text("policer", "\"8Mbit/s burst 64KiB\""), PolicerSpec::parse);

pub(super) const JITTER: ValueReader<Jitter> =
    ValueReader::text(ValueShape::Text("jitter", "\"exponential(2 ms)\""), spec::jitter);

pub(super) const CONTROLLER: ValueReader<ControllerSpec> =
    ValueReader::node(ValueShape::Text("controller", "\"westwood+\""), |node, faults| {
        let text = node.text(faults, "\"westwood+\"")?.to_owned();
        let controller = ControllerSpec::parse_among(&text, faults.own_controllers());
        faults.check(node.place, controller)
    });

pub(super) const CONTROLLERS: ValueReader<Vec<ControllerSpec>> = ValueReader::node(
    ValueShape::Some("controller", "[\"reno\", \"westwood+\"]"),
    |node, faults| {
        let own = faults.own_controllers().to_vec();
        let read = |text: &str| spec::controllers_among(text, &own);
        let lists = each_list(node, faults, "[\"reno\", \"westwood+\"]", read)?;
        let mut all: Vec<ControllerSpec> = Vec::new();
        for (list, node) in lists.into_iter().zip(node.each()) {
            if let Some(cc) = list.iter().find(|cc| all.contains(cc)) {
                let what = BadInput::new(format!("'{cc}' is given twice"));
                faults.add(node.place, what.hint("leave one of them out"));
                return None;
            }
            all.extend(list);
        }
        Some(all)
    },
);

pub(super) const RECOVERY: ValueReader<Recovery> = ValueReader::text(
    ValueShape::Words(&["tahoe", "reno", "newreno", "vegas", "sack-1996", "sack", "linux"]),
    |text| {
        let found = Recovery::ALL.into_iter().find(|r| r.name().eq_ignore_ascii_case(text));
        found.ok_or_else(|| BadInput::unknown("recovery", text, Recovery::ALL.map(Recovery::name)))
    },
);

pub(super) const ECN_FEEDBACK: ValueReader<EcnFeedback> =
    ValueReader::text(ValueShape::Words(&["classic", "dctcp", "ace", "accurate"]), |text| {
        let found = EcnFeedback::ALL.into_iter().find(|f| f.name().eq_ignore_ascii_case(text));
        let names = EcnFeedback::ALL.map(EcnFeedback::name);
        found.ok_or_else(|| BadInput::unknown("ECN feedback", text, names))
    });

const CREDITS: [(&str, Credit); 3] =
    [("ack", Credit::PerAck), ("segment", Credit::PerSegment), ("limited", Credit::Limited)];

pub(super) const CREDIT: ValueReader<Credit> =
    ValueReader::text(ValueShape::Words(&["ack", "segment", "limited"]), |text| {
        let found = CREDITS.iter().find(|(name, _)| *name == text);
        found
            .map(|(_, credit)| *credit)
            .ok_or_else(|| BadInput::unknown("credit", text, CREDITS.map(|(name, _)| name)))
    });

/// A direction of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Direction {
    There,
    Back,
    Both,
}

const DIRECTIONS: [(&str, Direction); 3] =
    [("there", Direction::There), ("back", Direction::Back), ("both", Direction::Both)];

pub(super) const DIRECTION: ValueReader<Direction> =
    ValueReader::text(ValueShape::Words(&["there", "back", "both"]), |text| {
        let found = DIRECTIONS.iter().find(|(name, _)| *name == text);
        found
            .map(|(_, direction)| *direction)
            .ok_or_else(|| BadInput::unknown("direction", text, DIRECTIONS.map(|(name, _)| name)))
    });

/// A time series that can be recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SeriesKind {
    /// cwnd, ssthresh, bwe and the cause of each change.
    Windows,
    /// Every round-trip time sample.
    Rtts,
    /// Packets waiting at the links.
    Queues,
    /// Payload delivered.
    Delivered,
    /// Every dropped packet.
    Drops,
}

const SERIES_NAMES: [(&str, SeriesKind); 5] = [
    ("windows", SeriesKind::Windows),
    ("rtts", SeriesKind::Rtts),
    ("queues", SeriesKind::Queues),
    ("delivered", SeriesKind::Delivered),
    ("drops", SeriesKind::Drops),
];

impl SeriesKind {
    /// Its name in a file.
    pub fn name(self) -> &'static str {
        SERIES_NAMES.iter().find(|(_, series)| *series == self).map_or("", |(name, _)| name)
    }

    /// The series of this name.
    pub fn parse(text: &str) -> Result<Self, BadInput> {
        let found = SERIES_NAMES.iter().find(|(name, _)| *name == text);
        found
            .map(|(_, series)| *series)
            .ok_or_else(|| BadInput::unknown("series", text, SERIES_NAMES.map(|(name, _)| name)))
    }
}

pub(super) const SERIES: ValueReader<Vec<SeriesKind>> =
    ValueReader::node(ValueShape::Texts("series", "[\"windows\", \"queues\"]"), |node, faults| {
        each(node, faults, "[\"windows\", \"queues\"]", SeriesKind::parse)
    });

const ESTIMATOR: &str = "[\"westwood\", \"packet-pair\"]";

/// Estimators by name.
pub(super) const ESTIMATES: ValueReader<Vec<EstimatorKind>> =
    ValueReader::node(ValueShape::Texts("estimator", ESTIMATOR), |node, faults| {
        each(node, faults, ESTIMATOR, |text| {
            let found = EstimatorKind::ALL.into_iter().find(|kind| kind.name() == text);
            found.ok_or_else(|| {
                BadInput::unknown("estimator", text, EstimatorKind::ALL.map(EstimatorKind::name))
            })
        })
    });

/// The flows whose time series are recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordedSeries {
    /// Those of the first seed.
    First,
    /// Those of every seed.
    All,
}

pub(super) const RECORDED: ValueReader<RecordedSeries> =
    ValueReader::text(ValueShape::Words(&["first", "all"]), |text| match text {
        "first" => Ok(RecordedSeries::First),
        "all" => Ok(RecordedSeries::All),
        _ => Err(BadInput::unknown("choice", text, ["first", "all"])),
    });

pub(super) const SWITCH: ValueReader<bool> = ValueReader::text(ValueShape::Switch, units::switch);

/// A window in segments, or none that would limit.
pub(super) const WINDOW_OR_NONE: ValueReader<Option<u64>> =
    ValueReader::text(ValueShape::Text("segments", "20000"), |text| match text.trim() {
        "none" => Ok(None),
        text => units::count(text, 1, 1 << 24).map(Some),
    });

/// The clock that a receiver's ACKs tell, or none.
pub(super) const RECEIVER_CLOCK: ValueReader<Option<ReceiverClock>> =
    ValueReader::text(ValueShape::Text("clock", "\"on(tick=1ms,drift=50)\""), spec::receiver_clock);

/// Segments by which a window grows.
pub(super) const GROWTH: ValueReader<u32> =
    ValueReader::text(ValueShape::Count(0, limits::MAX_GROWTH), |text| {
        let segments = units::count(text, 0, limits::MAX_GROWTH)?;
        Ok(u32::try_from(segments).unwrap_or(u32::MAX))
    });

/// A whole number within bounds.
macro_rules! count {
    ($name:ident, $low:expr, $high:expr) => {
        pub(super) const $name: ValueReader<u64> =
            ValueReader::text(ValueShape::Count($low, $high), |text| {
                units::count(text, $low, $high)
            });
    };
}

count!(FLOWS, 1, limits::MAX_FLOWS);
count!(FLOWS_OR_NONE, 0, limits::MAX_FLOWS);
count!(SEED, 0, u64::MAX);
count!(SEEDS, 1, limits::MAX_SEEDS);
count!(HOPS, 1, 1_000);
count!(INITIAL_WINDOW, 1, limits::MAX_INITIAL_WINDOW);
count!(AT_A_TIME, 1, 100_000);
count!(FRAMES, 1, 1_000);
count!(MOST_RUNS, 1, 10_000_000);
count!(MOST_FLOWS, 1, 1_000_000);
count!(MOST_PACKETS, 1, u64::MAX);

pub(super) const MEMORY: ValueReader<Bytes> =
    ValueReader::text(ValueShape::Text("size", "\"8 GiB\""), |text| {
        units::size_with_unit(text).map_err(|e| e.within("0B", "17179869183GiB"))
    });

pub(super) const PACKET: ValueReader<Bytes> =
    ValueReader::text(ValueShape::Text("size", "\"1500 B\""), |text| {
        limits::bytes_within(text, 1, limits::MAX_PACKET)
    });

/// The size of a full segment of a scenario's transport, as far as its `[tcp]` says it: before anything is
/// read, so that a refusal of another field can tell of it.
pub(super) fn full_segment(tcp: Option<&TableEntry>) -> Bytes {
    let value = |key: &str, field: &ValueReader<Bytes>, default: u64| {
        let table = tcp.map(|entry| &entry.node.value);
        let given = match table {
            Some(TomlValue::Table(table)) => table.get(key),
            _ => None,
        };
        let read = given.and_then(|entry| field.read(&entry.node, &mut Faults::default()));
        read.unwrap_or(Bytes::new(default))
    };
    value("packet", &PACKET, USUAL_PACKET) + value("header", &HEADER, 0)
}

/// The default of `packet`.
const USUAL_PACKET: u64 = 1_500;

pub(super) const HEADER: ValueReader<Bytes> =
    ValueReader::text(ValueShape::Text("size", "\"52 B\""), |text| {
        limits::bytes_within(text, 0, limits::MAX_HEADER)
    });

pub(super) const ACK: ValueReader<Bytes> =
    ValueReader::text(ValueShape::Text("size", "\"40 B\""), |text| {
        limits::bytes_within(text, 1, limits::MAX_HEADER)
    });

pub(super) const TRANSFER: ValueReader<Bytes> =
    ValueReader::text(ValueShape::Text("size", "\"2 MB\""), limits::transfer);

pub(super) const RANDOM_SPAN: ValueReader<ValueDistribution> =
    ValueReader::text(ValueShape::Text("random time", "\"exponential(10 s)\""), spec::random_span);

pub(super) const RANDOM_SIZE: ValueReader<ValueDistribution> = ValueReader::text(
    ValueShape::Text("random size", "\"pareto(30 kB, shape=1.5)\""),
    spec::random_size,
);

fn span(text: &str) -> Result<Duration, BadInput> {
    limits::duration_within(text, Duration::ZERO, limits::MAX_TIME)
}

/// A name: it stands in tables and paths, so it has neither dots nor quotes.
fn name(text: &str) -> Result<String, BadInput> {
    const MOST: usize = 60;
    let allowed = |c: char| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_' | '+');
    let text = text.trim();
    let hint = "write letters, digits, spaces, '-', '_' or '+'";
    if text.is_empty() {
        Err(BadInput::new("the name is empty").hint(hint))
    } else if text.chars().count() > MOST {
        Err(BadInput::new(format!("{} is longer than {MOST} letters", quoted(text))))
    } else if let Some(c) = text.chars().find(|&c| !allowed(c)) {
        let what = format!("{} has a {} in it", quoted(text), quoted(&c.to_string()));
        Err(BadInput::new(what).hint(hint))
    } else {
        Ok(text.to_owned())
    }
}

/// Two times, the earlier one first.
fn interval(text: &str) -> Result<(Duration, Duration), BadInput> {
    let Some((from, to)) = text.split_once(" to ") else {
        let what = BadInput::new(format!("{} is not an interval", quoted(text)));
        return Err(what.hint("write 250 s to 500 s"));
    };
    match (span(from)?, span(to)?) {
        (from, to) if from < to => Ok((from, to)),
        _ => Err(BadInput::new(format!("{} ends before it begins", quoted(text)))),
    }
}

/// A time, a spread of times, or a list of times.
fn times(node: &Node, faults: &mut Faults, low: Duration, high: Duration) -> Option<PerFlowTime> {
    let within = |text: &str| PerFlowTime::within(text, low, high);
    let TomlValue::List(_) = &node.value else {
        let text = node.text(faults, "\"20 ms to 250 ms\"")?.to_owned();
        return faults.check(node.place, within(&text));
    };
    let single = |text: &str| match within(text)? {
        PerFlowTime::Same(time) => Ok(time),
        _ => Err(BadInput::new("a list holds single times").hint("write [\"50 ms\", \"200 ms\"]")),
    };
    each(node, faults, "[\"50 ms\", \"200 ms\"]", single).map(PerFlowTime::Each)
}
