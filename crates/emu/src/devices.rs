//! The TUN devices of hosts, by the machine's clock.

use std::io;
use std::os::fd::AsFd as _;
use std::time::{Duration as Span, Instant as Clock};

use nix::poll::{PollFd, PollFlags, ppoll};
use nix::sys::time::TimeSpec;
use nix::time::{ClockId, clock_gettime};
use westwood_cc::{Duration, Instant};

use crate::carrier::Devices;
use crate::host::Host;
use crate::privileges::{SchedulingRank, be_punctual};
use crate::processor_budget::{ProcessorBudget, WaitMode};

/// A loop may be ended at any time: it sleeps no longer than this.
const LONGEST_SLEEP: Duration = Duration::from_millis(20);

/// The devices of hosts.
#[derive(Debug)]
pub struct HostDevices<'a> {
    hosts: &'a [Host],
    origin: Clock,
    /// The devices that had a packet, or may have one, when last asked.
    ready: Vec<bool>,
    rest: ProcessorBudget,
}

impl<'a> HostDevices<'a> {
    /// The devices of these hosts; time begins at `origin`. The calling thread becomes as punctual as
    /// it may.
    pub fn new(hosts: &'a [Host], origin: Clock) -> Self {
        be_punctual(SchedulingRank::First);
        Self { hosts, origin, ready: vec![true; hosts.len()], rest: ProcessorBudget::default() }
    }
}

impl HostDevices<'_> {
    /// Sleeps for so long, or until a packet can be read, and notes the devices that have one.
    fn listen(&mut self, time: Duration) {
        let events = PollFlags::POLLIN;
        let mut asked: Vec<PollFd<'_>> =
            self.hosts.iter().map(|host| PollFd::new(host.tun.as_fd(), events)).collect();
        let timeout = TimeSpec::from_duration(Span::from_nanos(time.as_nanos()));
        match ppoll(&mut asked, Some(timeout), None) {
            Ok(_) => {
                for (ready, fd) in self.ready.iter_mut().zip(&asked) {
                    *ready = fd.any().unwrap_or(true);
                }
            }
            // A signal: all are looked at.
            Err(_) => self.ready.fill(true),
        }
    }
}

/// Time that the calling thread has had of a processor. Zero if the kernel does not tell, which no
/// Linux does.
fn used_by_this_thread() -> Duration {
    let used = clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID).map_or(Span::ZERO, Span::from);
    Duration::from_nanos(u64::try_from(used.as_nanos()).unwrap_or(u64::MAX))
}

impl Devices for HostDevices<'_> {
    fn now(&mut self) -> Instant {
        Instant::from_nanos(u64::try_from(self.origin.elapsed().as_nanos()).unwrap_or(u64::MAX))
    }

    fn wait(&mut self, until: Instant) {
        let now = self.now();
        match self.rest.wait(now, until.since(now), used_by_this_thread) {
            WaitMode::Listen(time) => self.listen(time.min(LONGEST_SLEEP)),
            WaitMode::Nap(time) => {
                std::thread::sleep(Span::from_nanos(time.as_nanos()));
                self.ready.fill(true);
            }
        }
    }

    fn count(&self) -> usize {
        self.hosts.len()
    }

    fn read(&mut self, device: usize, packet: &mut [u8]) -> io::Result<Option<usize>> {
        if !self.ready[device] {
            return Ok(None);
        }
        let read = self.hosts[device].tun.read(packet);
        if matches!(read, Ok(None)) {
            self.ready[device] = false;
        }
        read
    }

    fn write(&mut self, device: usize, packet: &[u8]) -> io::Result<()> {
        self.hosts[device].tun.write(packet)
    }
}
