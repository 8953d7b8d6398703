//! Bandwidth estimates from a capture: tables, curves, a page.

mod charts;
mod page;
mod text;

use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;

use serde::Serialize;
use westwood_capture::read::{
    Accuracy, CaptureFormatError, Contents, EstimatorReplay, KINDS, READ_LINKS, Transfer, accuracy,
    contents,
};
use westwood_cc::{Bytes, Duration, Instant};
use westwood_scenario::dumbbell::{bps, millis, seconds};
use westwood_scenario::{BadInput, counted, limits, units};

use crate::data_frame::{ColumnType, DataFrame, FrameValue};

pub use charts::{chart_files, charts};
pub use page::page;
pub use text::terminal;

/// A capture with the transfers that are shown.
#[derive(Debug)]
pub struct EstimatedCapture {
    /// The file's name.
    pub file: String,
    /// Packets read.
    pub packets: u64,
    /// Those of them that are no TCP segments.
    pub others: u64,
    /// Packets of each link type that is not read, by its number.
    pub unread: BTreeMap<u16, u64>,
    /// The reason why the file was not read to its end.
    pub damage: Option<String>,
    /// The window over which deliveries are averaged.
    pub window: Duration,
    /// Transfers that are not shown.
    pub hidden: usize,
    /// Those that are.
    pub transfers: Vec<EstimatorResult>,
}

/// The longest window, and the longest interval.
const LONGEST: Duration = Duration::from_secs(3_600);

/// The rules by which a capture is estimated.
#[derive(Clone, Copy, Debug)]
pub struct EstimateRules {
    /// Transfers that are shown at most, those with the most data.
    pub transfers: usize,
    /// Deliveries are averaged over this much time.
    pub window: Duration,
    /// Estimates are kept at most this often.
    pub interval: Duration,
    /// The payload of the sender's full segments; if it is not said, what each transfer says.
    pub segment: Option<Bytes>,
}

impl EstimateRules {
    /// Reads how many transfers are shown.
    pub fn transfers(text: &str) -> Result<usize, BadInput> {
        units::count(text, 1, 1_000).map(|n| usize::try_from(n).unwrap_or(1_000))
    }

    /// Reads the window.
    pub fn window(text: &str) -> Result<Duration, BadInput> {
        limits::duration_within(text, Duration::from_millis(1), LONGEST)
    }

    /// Reads the interval; 0 keeps an estimate for every ACK.
    pub fn interval(text: &str) -> Result<Duration, BadInput> {
        limits::duration_within(text, Duration::ZERO, LONGEST)
    }

    /// Reads the payload of full segments.
    pub fn segment(text: &str) -> Result<Bytes, BadInput> {
        limits::bytes_within(text, 1, limits::MAX_PACKET)
    }
}

/// A transfer and its estimates.
#[derive(Debug)]
pub struct EstimatorResult {
    /// The transfer.
    pub transfer: Transfer,
    /// Its estimates.
    pub replay: EstimatorReplay,
    /// Their errors.
    pub accuracy: Vec<Accuracy>,
}

impl EstimatorResult {
    /// Holds the estimates of a transfer against its deliveries.
    pub fn new(transfer: Transfer, replay: EstimatorReplay, window: Duration) -> Self {
        Self { accuracy: accuracy(&replay, window), transfer, replay }
    }

    /// The sender and the receiver.
    pub fn name(&self) -> String {
        format!("{} > {}", self.transfer.from, self.transfer.to)
    }

    /// The warnings about it.
    fn doubts(&self) -> Vec<String> {
        self.transfer.doubts(self.replay.min_rtt).iter().map(ToString::to_string).collect()
    }

    fn lasts(&self) -> Duration {
        self.replay.delivered.span().map_or(Duration::ZERO, |(first, last)| last.since(first))
    }
}

impl EstimatedCapture {
    /// Reads a capture and replays it through the estimators; `path` is its name.
    ///
    /// # Errors
    /// If it is no capture, or shows no TCP data.
    pub fn read(
        path: &Path,
        from: impl Read + Send,
        rules: EstimateRules,
    ) -> Result<Self, BadInput> {
        let refused = |why: String| BadInput::new(format!("'{}' {why}", path.display()));
        let contents = contents(from).map_err(|error| {
            let refused = refused(error.to_string());
            match error {
                CaptureFormatError::Unreadable => refused,
                CaptureFormatError::Empty | CaptureFormatError::Unrecognized => {
                    refused.hint("name a file that tcpdump -w or Wireshark has written")
                }
            }
        })?;
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let empty = contents.transfers.is_empty();
        let capture = Self::of(name, contents, rules);
        if !empty {
            return Ok(capture);
        }
        let damage =
            capture.damage.as_ref().map_or_else(String::new, |damage| format!("; {damage}"));
        let what = refused(format!("shows no TCP data ({}{damage})", capture.packets_text()));
        Err(if capture.unread.is_empty() {
            what.hint("capture at the sender with tcpdump -s 128 -w FILE tcp")
        } else {
            what.hint(format!("capture at the sender, on a link that is read: {READ_LINKS}"))
        })
    }

    /// The packets of the capture, and those of them that are of no use here.
    fn packets_text(&self) -> String {
        let others = match self.others {
            0 => String::new(),
            n => format!(", {n} of them no TCP"),
        };
        let unread = self.unread.iter();
        let unread: Vec<String> = unread
            .map(|(link, packets)| format!(", {packets} of link type {link}, which is not read"))
            .collect();
        counted(self.packets, "packet") + &others + &unread.concat()
    }

    /// Replays a capture's contents through the estimators. `file` is its name.
    fn of(file: String, contents: Contents, rules: EstimateRules) -> Self {
        let replayed = |transfer: Transfer| {
            let segment = rules.segment.unwrap_or_else(|| transfer.smss());
            let replay = EstimatorReplay::of(&transfer, segment, rules.interval);
            EstimatorResult::new(transfer, replay, rules.window)
        };
        Self {
            file,
            packets: contents.packets,
            others: contents.others,
            unread: contents.unread,
            damage: contents.damage.map(|damage| damage.to_string()),
            window: rules.window,
            hidden: contents.transfers.len().saturating_sub(rules.transfers),
            transfers: contents.transfers.into_iter().take(rules.transfers).map(replayed).collect(),
        }
    }

    /// The beginning of the first transfer, from which times are counted.
    fn begins(&self) -> Instant {
        let spans = self.transfers.iter().filter_map(|t| t.replay.delivered.span());
        spans.map(|span| span.0).min().unwrap_or(Instant::ZERO)
    }

    /// Estimates over time, a row for each that was kept.
    pub fn frame(&self) -> DataFrame {
        let text = ["from", "to"].map(|name| (name.to_owned(), ColumnType::Text));
        let numbers = ["time_s", "delivered_bps"].map(|name| (name.to_owned(), ColumnType::Float));
        let estimators = KINDS.map(|kind| (format!("{}_bps", kind.name()), ColumnType::Float));
        let columns = text.into_iter().chain(numbers).chain(estimators).collect();
        let begins = self.begins();
        let rows = self.transfers.iter().flat_map(|t| t.rows(begins, self.window)).collect();
        DataFrame { name: "estimates", columns, rows }
    }

    /// Everything but the curves as JSON, schema `westwood.estimate/1`.
    pub fn json(&self) -> Result<String, serde_json::Error> {
        let begins = self.begins();
        let document = EstimatesDocument {
            schema: "westwood.estimate/1",
            version: env!("CARGO_PKG_VERSION"),
            file: &self.file,
            packets: self.packets,
            not_tcp: self.others,
            not_read: self.unread.values().sum(),
            damage: self.damage.as_deref(),
            window_s: seconds(self.window),
            transfers_not_shown: self.hidden,
            transfers: self.transfers.iter().map(|t| t.json(begins)).collect(),
        };
        serde_json::to_string_pretty(&document).map(|text| text + "\n")
    }
}

impl EstimatorResult {
    fn rows(
        &self,
        begins: Instant,
        window: Duration,
    ) -> impl Iterator<Item = Vec<FrameValue>> + '_ {
        let ends = [&self.transfer.from, &self.transfer.to].map(ToString::to_string);
        self.replay.samples.iter().map(move |sample| {
            let delivered = self.replay.delivered.rate(sample.at, window).map(bps);
            let mut row: Vec<FrameValue> = ends.iter().map(FrameValue::from).collect();
            row.push(seconds(sample.at.since(begins)).into());
            row.push(delivered.into());
            row.extend(sample.rates.map(|rate| FrameValue::Float(bps(rate))));
            row
        })
    }

    fn json(&self, begins: Instant) -> TransferJson {
        let (transfer, replay) = (&self.transfer, &self.replay);
        let began = replay.delivered.span().map(|span| seconds(span.0.since(begins)));
        TransferJson {
            from: transfer.from.to_string(),
            to: transfer.to.to_string(),
            begin_s: began,
            duration_s: seconds(self.lasts()),
            sent_bytes: transfer.bytes(),
            retransmission_ratio: transfer.resent_share(),
            packet_bytes: replay.smss.get(),
            acks: replay.acks,
            rtt_min_ms: replay.min_rtt.map(millis),
            delivered_bps: replay.delivered.mean().map(bps),
            doubts: self.doubts(),
            estimators: self.accuracy.iter().map(EstimatorJson::of).collect(),
        }
    }
}

#[derive(Serialize)]
struct EstimatesDocument<'a> {
    schema: &'static str,
    version: &'static str,
    file: &'a str,
    packets: u64,
    not_tcp: u64,
    not_read: u64,
    damage: Option<&'a str>,
    window_s: f64,
    transfers_not_shown: usize,
    transfers: Vec<TransferJson>,
}

#[derive(Serialize)]
struct TransferJson {
    from: String,
    to: String,
    begin_s: Option<f64>,
    duration_s: f64,
    sent_bytes: u64,
    retransmission_ratio: f64,
    packet_bytes: u64,
    acks: u64,
    rtt_min_ms: Option<f64>,
    delivered_bps: Option<f64>,
    doubts: Vec<String>,
    estimators: Vec<EstimatorJson>,
}

#[derive(Serialize)]
struct EstimatorJson {
    name: &'static str,
    mean_bps: f64,
    off_median_share: Option<f64>,
    over_p95_ratio: Option<f64>,
}

impl EstimatorJson {
    fn of(accuracy: &Accuracy) -> Self {
        Self {
            name: accuracy.kind.name(),
            mean_bps: bps(accuracy.mean),
            off_median_share: accuracy.off_median,
            over_p95_ratio: accuracy.over_p95,
        }
    }
}
