//! Captures of real packets, written as they pass by a thread that may take its time.

use std::fs::File;
use std::io::BufWriter;
use std::sync::PoisonError;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use westwood_capture::write::{CaptureError, CapturePoint, RawCapture};
use westwood_cc::Instant;
use westwood_emu::{FlowDirection, FlowEnd, Observer};
use westwood_experiment::run::RunTask;
use westwood_sim::{LinkId, Network, NodeId};

use crate::capture::{CapturePlan, Draft, not_written};

/// A packet that was seen at a place: how long it is, and its first bytes.
struct ObservedPacket {
    place: CapturePoint,
    at: Instant,
    len: usize,
    bytes: Vec<u8>,
}

/// A capture at a place.
struct PointCapture {
    place: CapturePoint,
    capture: RawCapture<BufWriter<File>>,
    draft: Draft,
}

/// Captures that are ready to begin.
pub(super) struct PreparedCapture {
    files: Vec<PointCapture>,
    /// Each flow's sender and receiver.
    ends: Vec<(NodeId, NodeId)>,
    snaplen: u32,
}

/// Captures under way.
pub(super) struct CaptureWriter(JoinHandle<Result<Vec<PointCapture>, CaptureError>>);

/// The observer of a path that hands packets on to a thread.
pub(super) struct PacketCapture {
    to: Sender<ObservedPacket>,
    places: Vec<CapturePoint>,
    ends: Vec<(NodeId, NodeId)>,
    snaplen: usize,
}

impl PreparedCapture {
    /// Files for places of a network; of each packet `snaplen` bytes are kept.
    pub(super) fn new(
        network: &Network,
        drafts: Vec<(CapturePoint, Draft)>,
        snaplen: u32,
    ) -> Result<Self, CaptureError> {
        let begun = |(place, draft): (CapturePoint, Draft)| {
            let file = File::create(&draft.path).map_err(CaptureError::Io)?;
            let capture = RawCapture::new(BufWriter::new(file), place.name(network), snaplen)?;
            Ok(PointCapture { place, capture, draft })
        };
        let files = drafts.into_iter().map(begun).collect::<Result<_, CaptureError>>()?;
        let ends = network.flows.iter().map(|flow| (flow.from, flow.to)).collect();
        Ok(Self { files, ends, snaplen })
    }

    /// Begins to write the packets seen.
    pub(super) fn begin(self) -> (PacketCapture, CaptureWriter) {
        let (to, from) = channel();
        let places = self.files.iter().map(|at| at.place).collect();
        let snaplen = usize::try_from(self.snaplen).unwrap_or(usize::MAX);
        let origin = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let files = self.files;
        let thread = std::thread::spawn(move || write_all(files, &from, origin));
        (PacketCapture { to, places, ends: self.ends, snaplen }, CaptureWriter(thread))
    }
}

fn write_all(
    mut files: Vec<PointCapture>,
    from: &Receiver<ObservedPacket>,
    origin: Duration,
) -> Result<Vec<PointCapture>, CaptureError> {
    for packet in from {
        let Some(at) = files.iter_mut().find(|at| at.place == packet.place) else { continue };
        let len = u32::try_from(packet.len).unwrap_or(u32::MAX);
        let time = origin + Duration::from_nanos(packet.at.as_nanos());
        at.capture.write(time, &packet.bytes, len)?;
    }
    Ok(files)
}

impl CaptureWriter {
    /// Ends the files once no observer is left, and gives them their names: how many there are, and
    /// their bytes.
    pub(super) fn finish(self) -> Result<(usize, u64), CaptureError> {
        let files = self.joined()?;
        let (count, mut bytes) = (files.len(), 0);
        for at in files {
            at.capture.finish()?;
            bytes += at.draft.keep().map_err(CaptureError::Io)?;
        }
        Ok((count, bytes))
    }

    /// Ends the files and leaves nothing of them.
    pub(super) fn discard(self) {
        // Drafts vanish when they are dropped, whatever has come to be in them.
        drop(self.joined());
    }

    fn joined(self) -> Result<Vec<PointCapture>, CaptureError> {
        self.0.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    }
}

impl PacketCapture {
    fn sees(&self, place: CapturePoint, at: Instant, packet: &[u8]) {
        if self.places.contains(&place) {
            let bytes = packet[..packet.len().min(self.snaplen)].to_vec();
            // If the writer has failed, it tells at the end.
            let _ = self.to.send(ObservedPacket { place, at, len: packet.len(), bytes });
        }
    }

    /// The host at which a way begins, and the one at which it ends.
    fn hosts(&self, way: FlowDirection) -> Option<(NodeId, NodeId)> {
        let &(client, server) = self.ends.get(way.flow)?;
        Some(if way.from == FlowEnd::Client { (client, server) } else { (server, client) })
    }
}

impl Observer for PacketCapture {
    fn entered(&mut self, at: Instant, way: FlowDirection, packet: &[u8]) {
        if let Some((host, _)) = self.hosts(way) {
            self.sees(CapturePoint::Host(host), at, packet);
        }
    }

    fn came_off(&mut self, at: Instant, link: LinkId, packet: &[u8]) {
        self.sees(CapturePoint::Link(link), at, packet);
    }

    fn arrived(&mut self, at: Instant, way: FlowDirection, packet: &[u8]) {
        if let Some((_, host)) = self.hosts(way) {
            self.sees(CapturePoint::Host(host), at, packet);
        }
    }
}

/// Begins to capture a real run; none if it is not one of those that are wanted.
pub(super) fn begin(
    captures: &CapturePlan<'_>,
    task: RunTask,
) -> Result<Option<(PacketCapture, CaptureWriter)>, String> {
    let point = captures.scenario.points().get(task.point);
    let Some(point) = point.filter(|_| captures.tasks.contains(&task)) else { return Ok(None) };
    let built = captures.scenario.build(point, task.seed);
    let built = built.map_err(|e| e.lines().join("; "))?;
    let files = captures.drafts(task, &built).map_err(|e| e.to_string())?;
    let real = PreparedCapture::new(&built.network, files, captures.args.pcap_snaplen);
    real.map(|real| Some(real.begin())).map_err(|e| not_written(captures.folder, &e))
}

/// Keeps the capture of a real run.
pub(super) fn keep(captures: &CapturePlan<'_>, writing: CaptureWriter) -> Result<(), String> {
    let (files, bytes) = writing.finish().map_err(|e| not_written(captures.folder, &e))?;
    let mut tally = captures.done.lock().unwrap_or_else(PoisonError::into_inner);
    tally.files += files;
    tally.bytes += bytes;
    Ok(())
}
