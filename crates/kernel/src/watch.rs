//! The TCP connections of this network namespace, with what their controllers keep.

use std::io::Read;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use libbpf_rs::{Iter, Link, Object};
use westwood_cc::{Duration, Rate};

use crate::controller::CONTROLLERS;
use crate::environment::{self, LibbpfMessages};
use crate::error::KernelError;
use crate::load::open;
use crate::status::text;

const OBJECT: &[u8] = include_bytes!("../objects/watch.bpf.o");
/// `struct socket` of `bpf/socket.h`.
const SIZE: usize = 200;
/// Where `struct state` begins in it.
const STATE: usize = 96;
/// `min_rtt_us` in `struct state`.
const MIN_RTT: usize = STATE + 44;
const INET6: u32 = 10;

/// One connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WatchedConnection {
    /// Its controller's name.
    pub controller: String,
    /// Its own address.
    pub local: SocketAddr,
    /// The other's address.
    pub remote: SocketAddr,
    /// The window in whole segments.
    pub cwnd: u32,
    /// The threshold in whole segments; none before the first reduction.
    pub ssthresh: Option<u32>,
    /// Segments in flight.
    pub packets_out: u32,
    /// The smoothed round-trip time.
    pub srtt: Duration,
    /// The smallest round-trip time, of a controller of ours.
    pub min_rtt: Option<Duration>,
    /// The bandwidth estimate, of a controller of ours.
    pub bwe: Option<Rate>,
    /// Bytes acknowledged so far.
    pub bytes_acked: u64,
    /// Segments retransmitted so far.
    pub retransmitted: u32,
}

/// Looks at connections. The program is gone with it.
pub struct Watcher {
    _object: Object,
    link: Link,
}

impl Watcher {
    /// Loads the program that reads the sockets.
    pub fn new() -> Result<Self, KernelError> {
        environment::ready()?;
        let quietly = LibbpfMessages::new();
        let refused = |e: libbpf_rs::Error| quietly.refused("the watcher's program", &e);
        let object = open(OBJECT, &quietly)?.load().map_err(refused)?;
        let program = object.progs_mut().next().ok_or(KernelError::NothingLoaded)?;
        let link = program.attach().map_err(refused)?;
        Ok(Self { link, _object: object })
    }

    /// Every connection of this network namespace, as it is now.
    pub fn connections(&self) -> Result<Vec<WatchedConnection>, KernelError> {
        let failed = |error| KernelError::File { path: "the kernel's sockets".to_owned(), error };
        let mut bytes = Vec::new();
        let quietly = LibbpfMessages::new();
        Iter::new(&self.link)
            .map_err(|e| quietly.refused("a look at the sockets", &e))?
            .read_to_end(&mut bytes)
            .map_err(failed)?;
        Ok(bytes.as_chunks::<SIZE>().0.iter().map(connection).collect())
    }
}

fn connection(bytes: &[u8; SIZE]) -> WatchedConnection {
    let word =
        |at: usize| u32::from_ne_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
    let long = |at: usize| u64::from(word(at)) | u64::from(word(at + 4)) << 32;
    let controller = text(&bytes[..16]);
    let ours = CONTROLLERS.iter().any(|c| c.name == controller);
    let micros = |us: u32| Duration::from_micros(u64::from(us));
    let ssthresh = word(80);
    WatchedConnection {
        local: address(bytes, 24, word(56), word(60)),
        remote: address(bytes, 40, word(56), word(64)),
        cwnd: word(72),
        ssthresh: (ssthresh < 0x7fff_ffff).then_some(ssthresh),
        srtt: micros(word(84)),
        retransmitted: word(88),
        packets_out: word(92),
        bytes_acked: long(16),
        bwe: ours.then(|| Rate::from_raw(long(STATE))),
        min_rtt: (ours && word(MIN_RTT) > 0).then(|| micros(word(MIN_RTT))),
        controller,
    }
}

fn address(bytes: &[u8; SIZE], at: usize, family: u32, port: u32) -> SocketAddr {
    let mut raw = [0; 16];
    raw.copy_from_slice(&bytes[at..at + 16]);
    let ip = if family == INET6 {
        IpAddr::V6(Ipv6Addr::from(raw)).to_canonical()
    } else {
        IpAddr::V4(Ipv4Addr::new(raw[0], raw[1], raw[2], raw[3]))
    };
    SocketAddr::new(ip, u16::try_from(port).unwrap_or_default())
}
