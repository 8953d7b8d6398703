//! An emulated path at work: its hosts, and a thread that carries their packets.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread::JoinHandle;
use std::time::{Duration as Span, Instant as Clock};

use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::{TimeVal, TimeValLike as _};
use westwood_cc::Instant;
use westwood_sim::Network;

use crate::carrier::{CarriedTotals, CarrierHandle, CarrierProbes, Counters, PathCarrier};
use crate::devices::HostDevices;
use crate::error::EmuError;
use crate::host::Host;
use crate::path::{EmulatedPath, Observer};

/// A path that carries the packets of hosts.
#[derive(Debug)]
pub struct Emulation<O> {
    hosts: Arc<Vec<Host>>,
    shared: Arc<CarrierHandle>,
    origin: Clock,
    thread: JoinHandle<(CarriedTotals, O, Span)>,
}

impl<O: Observer + Send + 'static> Emulation<O> {
    /// Lets packets of these hosts pass over the links of a network, whose time begins now. Of each
    /// flow `ends` says which host is its client and which its server.
    pub fn start(
        network: &Network,
        hosts: Vec<Host>,
        ends: Vec<(usize, usize)>,
        notes: CarrierProbes,
        observer: O,
    ) -> Result<Self, EmuError> {
        if !network.agents.is_empty() {
            return Err(EmuError::Unsupported {
                what: "agents beside links read the simulator's packets, not real ones".to_owned(),
                mend: "leave the agents out",
            });
        }
        let path = EmulatedPath::new(network)?;
        let (hosts, shared) = (Arc::new(hosts), Arc::new(CarrierHandle::default()));
        let origin = Clock::now();
        let work = {
            let (hosts, shared) = (Arc::clone(&hosts), Arc::clone(&shared));
            move || {
                let devices = HostDevices::new(&hosts, origin);
                let moving = PathCarrier::new(path, devices, ends, notes, observer);
                let (carried, observer) = moving.run(Instant::FAR_FUTURE, &shared);
                (carried, observer, cpu_time())
            }
        };
        let thread = std::thread::Builder::new().name("path".to_owned()).spawn(work);
        let thread = thread.map_err(EmuError::environment(
            "no thread can be started",
            "raise the limit of processes (ulimit -u)",
        ))?;
        Ok(Self { hosts, shared, origin, thread })
    }

    /// The hosts.
    pub fn hosts(&self) -> &[Host] {
        &self.hosts
    }

    /// The beginning of the path's time.
    pub fn origin(&self) -> Clock {
        self.origin
    }

    /// The totals of a moment ago.
    pub fn counters(&self) -> Counters {
        self.shared.counters()
    }

    /// The counters for another thread.
    pub fn shared(&self) -> Arc<CarrierHandle> {
        Arc::clone(&self.shared)
    }

    /// Ends it: the outcome, and the observer. Packets under way are gone.
    pub fn finish(self) -> Result<(EmulationOutcome, O), EmuError> {
        self.shared.stop.store(true, Ordering::Relaxed);
        let (carried, observer, cpu) =
            self.thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        let mut unread = 0;
        for host in self.hosts.iter() {
            unread += host.unread().map_err(EmuError::environment(
                "the counters of a device cannot be read",
                "mount /proc",
            ))?;
        }
        Ok((EmulationOutcome { carried, unread, cpu }, observer))
    }
}

/// The time of a processor that the calling thread has used; zero if the kernel does not tell.
fn cpu_time() -> Span {
    let Ok(usage) = getrusage(UsageWho::RUSAGE_THREAD) else { return Span::ZERO };
    let span = |time: TimeVal| {
        let micros = u64::try_from(time.num_microseconds()).unwrap_or(0);
        Span::from_micros(micros)
    };
    span(usage.user_time()) + span(usage.system_time())
}

/// The outcome of an emulation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EmulationOutcome {
    /// The totals of the loop.
    pub carried: CarriedTotals,
    /// Packets that the kernel dropped before the emulator could read them: losses that the path
    /// does not have.
    pub unread: u64,
    /// The cost of the emulation: the time of a processor, the kernel's work on the way included.
    pub cpu: Span,
}

impl EmulationOutcome {
    /// Why the emulation cannot be believed, if it stood still for longer than `limit`: the 99th
    /// percentile does not show one stall in a minute, and the burst after it overflows a queue that
    /// takes no longer to empty than that.
    pub fn stall(&self, limit: westwood_cc::Duration) -> Option<String> {
        let worst = self.carried.lateness.worst();
        let us = |d: westwood_cc::Duration| d.as_nanos() / 1_000;
        (worst > limit).then(|| {
            format!(
                "packets stood still for {} us, and the shortest buffer lasts {} us",
                us(worst),
                us(limit)
            )
        })
    }

    /// The reason why the emulation cannot be believed, if it cannot: too late, or packets lost
    /// beside the path.
    pub fn fault(&self, bound: westwood_cc::Duration) -> Option<String> {
        let CarriedTotals { lateness, counters, .. } = &self.carried;
        let us = |d: westwood_cc::Duration| d.as_nanos() / 1_000;
        if lateness.p99() > bound {
            return Some(format!(
                "packets were late by {lateness}; the bound is {} us at the 99th percentile",
                us(bound)
            ));
        }
        let lost = self.unread + counters.refused;
        let s = if lost == 1 { "" } else { "s" };
        (lost > 0).then(|| {
            format!(
                "this machine lost {lost} packet{s} beside the path: it is too slow for this load"
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use westwood_cc::Duration;

    #[test]
    fn one_stall_in_a_run_is_found_though_hardly_any_packet_was_late() {
        let mut finished = EmulationOutcome::default();
        for _ in 0..10_000 {
            finished.carried.lateness.add(Duration::from_micros(20));
        }
        finished.carried.lateness.add(Duration::from_millis(30));
        assert_eq!(finished.fault(Duration::from_micros(100)), None);
        assert_eq!(finished.stall(Duration::from_millis(40)), None);
        assert!(finished.stall(Duration::from_millis(10)).is_some());
    }
}
