//! Listens to a loaded controller.
//!
//! The recorder lends the controller a ring and says until when it listens; it prolongs that time
//! while it lives. A recorder that was killed is written to for [`LEASE`] at most, and its ring is
//! taken away by the next recorder, by any look at what is loaded, or by unloading.

use std::os::fd::{AsFd as _, AsRawFd as _};
use std::time::{Duration, Instant};

use libbpf_rs::libbpf_sys::bpf_map_create_opts;
use libbpf_rs::{MapCore, MapFlags, MapHandle, MapType, RingBufferBuilder};
use nix::time::ClockId;

use crate::environment::LibbpfMessages;
use crate::error::KernelError;
use crate::event::{CallKind, Event, KernelWindow};
use crate::load::{KEY, Loaded, value};
use crate::status::{Counts, Maps};

/// How long a recorder is listened for without a sign of life.
pub const LEASE: Duration = Duration::from_secs(3);

/// A ring's name in the kernel.
pub(crate) const RING: &str = "westwood_ring";

/// A recorder that listens.
#[derive(Debug)]
pub struct Recorder {
    maps: Maps,
    ring: MapHandle,
    lost_before: u64,
}

impl Recorder {
    /// Listens to a controller from now on, with room for `ring_bytes` of events, a power of two.
    pub fn new(loaded: &Loaded, ring_bytes: u32) -> Result<Self, KernelError> {
        let maps = loaded.maps;
        if listened_until(maps) > monotonic() {
            return Err(KernelError::Recorded(loaded.controller.name));
        }
        let quietly = LibbpfMessages::new();
        let refused = |e: libbpf_rs::Error| quietly.refused("the recorder's ring", &e);
        let options = bpf_map_create_opts {
            sz: size_of::<bpf_map_create_opts>() as libbpf_rs::libbpf_sys::size_t,
            ..bpf_map_create_opts::default()
        };
        let ring = MapHandle::create(MapType::RingBuf, Some(RING), 0, 0, ring_bytes, &options)
            .map_err(refused)?;
        let recorder = Self { maps, ring, lost_before: counts(maps).lost };
        let fd = recorder.ring.as_fd().as_raw_fd().to_ne_bytes();
        MapHandle::from_map_id(maps.rings)
            .and_then(|rings| rings.update(&KEY, &fd, MapFlags::ANY))
            .map_err(refused)?;
        recorder.prolong().map_err(refused)?;
        Ok(recorder)
    }

    fn prolong(&self) -> Result<(), libbpf_rs::Error> {
        listen(self.maps, monotonic() + LEASE)
    }

    /// Passes events on until `stop` says so, then those that are still in the ring, then an
    /// [`End`](CallKind::End).
    pub fn run(
        self,
        mut stop: impl FnMut() -> bool,
        mut sink: impl FnMut(&[u8]),
    ) -> Result<(), KernelError> {
        const WAIT: Duration = Duration::from_millis(100);
        let quietly = LibbpfMessages::new();
        let refused = |e: libbpf_rs::Error| quietly.refused("the recorder's ring", &e);
        {
            let mut builder = RingBufferBuilder::new();
            let each = |bytes: &[u8]| {
                sink(bytes);
                0
            };
            builder.add(&self.ring, each).map_err(refused)?;
            let events = builder.build().map_err(refused)?;
            let mut prolonged = Instant::now();
            while !stop() {
                // A signal ends the wait early, and stop() knows of it.
                let _ = events.poll(WAIT);
                if prolonged.elapsed() > LEASE / 6 {
                    self.prolong().map_err(refused)?;
                    prolonged = Instant::now();
                }
            }
            listen(self.maps, Duration::ZERO).map_err(refused)?;
            let _ = events.consume();
        }
        sink(&self.end().to_bytes());
        Ok(())
    }

    fn end(&self) -> Event {
        let lost = counts(self.maps).lost.saturating_sub(self.lost_before);
        let mut input = [0; 8];
        input[0] = u32::try_from(lost).unwrap_or(u32::MAX);
        Event {
            now_us: 0,
            bwe: 0,
            id: 0,
            sequence: 0,
            kind: CallKind::End,
            before: KernelWindow::default(),
            after: KernelWindow::default(),
            min_rtt_us: 0,
            input,
        }
    }
}

impl Drop for Recorder {
    /// Nobody is written to, and the ring is freed.
    fn drop(&mut self) {
        let _ = listen(self.maps, Duration::ZERO);
        remove_ring(self.maps);
    }
}

/// Frees the ring of a recorder that was killed.
pub(crate) fn tidy(maps: Maps) {
    let until = listened_until(maps);
    if until > Duration::ZERO && until < monotonic() {
        let _ = listen(maps, Duration::ZERO);
        remove_ring(maps);
    }
}

fn remove_ring(maps: Maps) {
    // There may be none.
    let _ = MapHandle::from_map_id(maps.rings).and_then(|rings| rings.delete(&KEY));
}

fn counts(maps: Maps) -> Counts {
    value(maps.counts).and_then(|bytes| Counts::from_bytes(&bytes)).unwrap_or_default()
}

fn listened_until(maps: Maps) -> Duration {
    let raw = value(maps.listen).and_then(|bytes| bytes.first_chunk().copied());
    Duration::from_nanos(u64::from_ne_bytes(raw.unwrap_or_default()))
}

fn listen(maps: Maps, until: Duration) -> Result<(), libbpf_rs::Error> {
    let ns = u64::try_from(until.as_nanos()).unwrap_or(u64::MAX);
    MapHandle::from_map_id(maps.listen)?.update(&KEY, &ns.to_ne_bytes(), MapFlags::ANY)
}

/// The clock of `bpf_ktime_get_ns`, which every kernel has.
fn monotonic() -> Duration {
    ClockId::CLOCK_MONOTONIC.now().map_or(Duration::ZERO, Duration::from)
}
