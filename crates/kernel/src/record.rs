//! Listens to a loaded controller.
//!
//! A small program is attached to the function that every program of the controller calls with each
//! event. It is gone when the recorder ends, even by SIGKILL. Several recorders may listen at once.

use std::os::fd::{AsFd, AsRawFd};
use std::time::Duration;

use libbpf_rs::query::{ProgInfoIter, ProgInfoQueryOptions};
use libbpf_rs::{Link, MapCore, MapFlags, Object, Program, ProgramType, RingBufferBuilder};

use crate::environment::Quietly;
use crate::error::KernelError;
use crate::event::{Event, KernelWindow, Kind};
use crate::load::{Loaded, open};

const OBJECT: &[u8] = include_bytes!("../objects/record.bpf.o");
const RING: &str = "westwood_ring";
const LOST: &str = "westwood_lost";
const FUNCTION: &str = "westwood_event";
/// The program that sees a connection begin. It is listened to last, so that a connection whose
/// beginning is recorded is recorded from there on.
const FIRST: &str = "westwood_init";

/// A recorder that listens.
pub struct Recorder {
    /// The first holds the ring and the count.
    objects: Vec<Object>,
    _links: Vec<Link>,
}

impl Recorder {
    /// Listens to a controller from now on, with room for `ring_bytes` of events, a power of two.
    pub fn new(loaded: &Loaded, ring_bytes: u32) -> Result<Self, KernelError> {
        let quietly = Quietly::new();
        let mut programs = programs_of(loaded.status_map);
        programs.sort_by_key(|(name, _)| name == FIRST);
        let mut recorder = Self { objects: Vec::new(), _links: Vec::new() };
        for (_, id) in programs {
            recorder.listen(id, ring_bytes, &quietly)?;
        }
        if recorder.objects.is_empty() {
            return Err(KernelError::NotLoaded(loaded.controller.name));
        }
        Ok(recorder)
    }

    fn listen(&mut self, id: u32, ring_bytes: u32, quietly: &Quietly) -> Result<(), KernelError> {
        const STEP: &str = "the recorder's program";
        let refused = |e: libbpf_rs::Error| quietly.refused(STEP, &e);
        let target = Program::fd_from_id(id).map_err(refused)?;
        let mut object = open(OBJECT, quietly)?;
        for mut map in object.maps_mut() {
            let name = map.name().to_owned();
            let shared = self.objects.first().and_then(|o| o.maps().find(|m| m.name() == name));
            if let Some(shared) = shared {
                map.reuse_fd(shared.as_fd()).map_err(refused)?;
            } else if name == RING {
                map.set_max_entries(ring_bytes).map_err(refused)?;
            }
        }
        for mut program in object.progs_mut() {
            program
                .set_attach_target(target.as_raw_fd(), Some(FUNCTION.to_owned()))
                .map_err(refused)?;
        }
        let object = object.load().map_err(refused)?;
        for program in object.progs_mut() {
            self._links.push(program.attach().map_err(refused)?);
        }
        self.objects.push(object);
        Ok(())
    }

    /// Passes events on until `stop` says so, then those that are still in the ring, then an
    /// [`End`](Kind::End).
    pub fn run(
        &self,
        mut stop: impl FnMut() -> bool,
        mut sink: impl FnMut(&[u8]),
    ) -> Result<(), KernelError> {
        const STEP: &str = "the recorder's ring";
        const WAIT: Duration = Duration::from_millis(100);
        let quietly = Quietly::new();
        let refused = |e: libbpf_rs::Error| quietly.refused(STEP, &e);
        let end = {
            let Some(ring) = self.map(RING) else { return Ok(()) };
            let mut builder = RingBufferBuilder::new();
            let each = |bytes: &[u8]| {
                sink(bytes);
                0
            };
            builder.add(&ring, each).map_err(refused)?;
            let events = builder.build().map_err(refused)?;
            while !stop() {
                // A signal ends the wait early, and stop() knows of it.
                let _ = events.poll(WAIT);
            }
            let _ = events.consume();
            self.end()
        };
        sink(&end.to_bytes());
        Ok(())
    }

    fn map(&self, name: &str) -> Option<libbpf_rs::Map<'_>> {
        self.objects.first()?.maps().find(|m| m.name() == name)
    }

    /// Events that found the ring full.
    pub fn lost(&self) -> u64 {
        let bytes = self.map(LOST).and_then(|m| m.lookup(&[0; 4], MapFlags::ANY).ok().flatten());
        let raw = bytes.and_then(|b| <[u8; 8]>::try_from(b).ok()).unwrap_or_default();
        u64::from_ne_bytes(raw)
    }

    fn end(&self) -> Event {
        let mut input = [0; 8];
        input[0] = u32::try_from(self.lost()).unwrap_or(u32::MAX);
        Event {
            now_us: 0,
            bwe: 0,
            id: 0,
            sequence: 0,
            kind: Kind::End,
            before: KernelWindow::default(),
            after: KernelWindow::default(),
            min_rtt_us: 0,
            input,
        }
    }
}

/// Name and number of the programs that use a status map: those of one controller.
fn programs_of(status_map: u32) -> Vec<(String, u32)> {
    let options = ProgInfoQueryOptions::default().include_map_ids(true);
    ProgInfoIter::with_query_opts(options)
        .filter(|info| info.ty == ProgramType::StructOps && info.map_ids.contains(&status_map))
        .map(|info| (info.name.to_string_lossy().into_owned(), info.id))
        .collect()
}
