//! The TUN devices of hosts, by the machine's clock.

use std::io;
use std::os::fd::AsFd as _;
use std::time::{Duration as Span, Instant as Clock};

use nix::poll::{PollFd, PollFlags, ppoll};
use nix::sys::time::TimeSpec;
use westwood_cc::{Duration, Instant};

use crate::carrier::Devices;
use crate::host::Host;
use crate::privileges::{Turn, be_punctual};

/// The last stretch before an event is waited for by looking at the clock: a sleeping thread is woken
/// so much later than asked for.
const LAST_STRETCH: Duration = Duration::from_micros(60);
/// Somebody may want to end the loop: it sleeps no longer than this.
const LONGEST_SLEEP: Duration = Duration::from_millis(20);

/// The devices of hosts.
#[derive(Debug)]
pub struct HostDevices<'a> {
    hosts: &'a [Host],
    origin: Clock,
    /// Which devices had a packet, or may have one, when last asked.
    ready: Vec<bool>,
}

impl<'a> HostDevices<'a> {
    /// The devices of these hosts; time begins at `origin`. The calling thread becomes as punctual as
    /// it may.
    pub fn new(hosts: &'a [Host], origin: Clock) -> Self {
        be_punctual(Turn::First);
        Self { hosts, origin, ready: vec![true; hosts.len()] }
    }
}

impl Devices for HostDevices<'_> {
    fn now(&mut self) -> Instant {
        Instant::from_nanos(u64::try_from(self.origin.elapsed().as_nanos()).unwrap_or(u64::MAX))
    }

    fn wait(&mut self, until: Instant) {
        let left = until.since(self.now());
        let sleep = (left - LAST_STRETCH).min(LONGEST_SLEEP);
        let events = PollFlags::POLLIN;
        let mut asked: Vec<PollFd<'_>> =
            self.hosts.iter().map(|host| PollFd::new(host.tun.as_fd(), events)).collect();
        let timeout = TimeSpec::from_duration(Span::from_nanos(sleep.as_nanos()));
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
