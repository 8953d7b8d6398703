//! What comes off links, written by a thread that may take its time.

use std::fs::File;
use std::io::BufWriter;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use westwood_cc::Instant;
use westwood_emu::{Observer, Way};
use westwood_pcap::{CaptureError, RawCapture};
use westwood_sim::LinkId;

use crate::args::EmulateArgs;
use crate::capture::{Draft, slug};
use crate::exit::{Exit, Stop};
use crate::output::Place;

use super::Road;

/// A packet that came off a link.
struct Packet {
    link: LinkId,
    at: Instant,
    bytes: Vec<u8>,
}

/// A capture at a link.
struct At {
    link: LinkId,
    capture: RawCapture<BufWriter<File>>,
    draft: Draft,
}

/// Captures that are ready to begin.
pub(super) struct Captures {
    files: Vec<At>,
    place: Place,
}

/// Captures under way.
pub(super) struct Writing {
    thread: JoinHandle<Result<Vec<At>, CaptureError>>,
    _place: Place,
}

/// Who watches the path: hands packets on.
pub(super) struct Watching {
    to: Option<Sender<Packet>>,
    links: Vec<LinkId>,
}

impl Captures {
    /// The files that `--pcap` asks for.
    pub(super) fn prepare(args: &EmulateArgs, road: &Road) -> Result<Option<Self>, Stop> {
        let Some(folder) = &args.pcap else { return Ok(None) };
        let place = Place::prepare("--pcap", folder)?;
        let failed = |e: &dyn std::fmt::Display| {
            Stop::new(Exit::Environment, format!("--pcap: '{}': {e}", folder.display()))
        };
        let mut files = Vec::new();
        for &link in &road.links {
            let name = &road.network.links[link].name;
            let draft = Draft::new(folder, &format!("{}.pcapng", slug(name)));
            let file = File::create(&draft.path).map_err(|e| failed(&e))?;
            let capture = RawCapture::new(BufWriter::new(file), name, u32::from(u16::MAX));
            files.push(At { link, capture: capture.map_err(|e| failed(&e))?, draft });
        }
        Ok(Some(Self { files, place }))
    }

    /// Begins to write what is watched.
    pub(super) fn begin(self) -> (Watching, Writing) {
        let (to, from) = channel();
        let links = self.files.iter().map(|at| at.link).collect();
        let origin = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let files = self.files;
        let thread = std::thread::spawn(move || write_all(files, &from, origin));
        (Watching { to: Some(to), links }, Writing { thread, _place: self.place })
    }
}

fn write_all(
    mut files: Vec<At>,
    from: &Receiver<Packet>,
    origin: Duration,
) -> Result<Vec<At>, CaptureError> {
    for packet in from {
        let Some(at) = files.iter_mut().find(|at| at.link == packet.link) else { continue };
        let len = u32::try_from(packet.bytes.len()).unwrap_or(u32::MAX);
        let time = origin + Duration::from_nanos(packet.at.as_nanos());
        at.capture.write(time, &packet.bytes, len)?;
    }
    Ok(files)
}

impl Writing {
    /// Ends the files, once nobody watches any more.
    pub(super) fn finish(self) -> Result<(), Stop> {
        let failed = |e: &dyn std::fmt::Display| {
            Stop::new(Exit::Environment, format!("--pcap: a capture cannot be written: {e}"))
        };
        let files = self.thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        for at in files.map_err(|e| failed(&e))? {
            at.capture.finish().map_err(|e| failed(&e))?;
            at.draft.keep().map_err(|e| failed(&e))?;
        }
        Ok(())
    }
}

impl Watching {
    /// One that watches for nobody, if there are no captures.
    pub(super) fn of(watching: Option<Self>) -> Self {
        watching.unwrap_or(Self { to: None, links: Vec::new() })
    }
}

impl Observer for Watching {
    /// Captures show the far ends of links alone.
    fn entered(&mut self, _: Instant, _: Way, _: &[u8]) {}

    fn came_off(&mut self, at: Instant, link: LinkId, packet: &[u8]) {
        let Some(to) = self.to.as_ref().filter(|_| self.links.contains(&link)) else { return };
        // If the writer has failed, it tells at the end.
        let _ = to.send(Packet { link, at, bytes: packet.to_vec() });
    }
}
