//! The bandwidth estimates of sockets that one holds.
//!
//! A look costs as much as there are sockets that are followed, in whatever network namespace they
//! are, and the connections nothing. [`Watcher`](crate::watch::Watcher) looks at all connections of
//! one.

use std::fmt;
use std::io::Read as _;

use libbpf_rs::{Iter, Link, MapCore as _, MapFlags, Object};
use rustix::fd::{AsFd as _, AsRawFd as _, BorrowedFd};
use westwood_cc::Rate;

use crate::environment::{self, Quietly};
use crate::error::KernelError;
use crate::load::open;
use crate::names::InLinux;
use crate::status::text;

const OBJECT: &[u8] = include_bytes!("../objects/estimate.bpf.o");
/// The map that names the sockets, in the object.
const FOLLOWED: &str = "followed";
/// `struct followed` of `bpf/followed.h`.
const SIZE: usize = 32;

/// Follows sockets. The program, and what it knows of them, is gone with it.
pub struct Estimates {
    object: Object,
    link: Link,
}

impl fmt::Debug for Estimates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Estimates").finish_non_exhaustive()
    }
}

impl Estimates {
    /// Loads the program that reads the sockets.
    pub fn new() -> Result<Self, KernelError> {
        environment::ready()?;
        let quietly = Quietly::new();
        let refused = |e: libbpf_rs::Error| quietly.refused("the program for estimates", &e);
        let object = open(OBJECT, &quietly)?.load().map_err(refused)?;
        let sockets = object.maps().find(|map| map.name() == FOLLOWED);
        let program = object.progs_mut().next();
        let (Some(sockets), Some(program)) = (sockets, program) else {
            return Err(KernelError::NothingLoaded);
        };
        let link = program.attach_iter(sockets.as_fd()).map_err(refused)?;
        Ok(Self { object, link })
    }

    /// The estimate of this socket's controller; none if that is none of ours, or if the kernel does
    /// not let us look.
    pub fn of(&self, socket: BorrowedFd<'_>) -> Option<Rate> {
        let sockets = self.object.maps().find(|map| map.name() == FOLLOWED)?;
        // A descriptor is one socket's as long as it is borrowed.
        let number = u64::try_from(socket.as_raw_fd()).ok()?;
        let key = socket.as_raw_fd().to_ne_bytes();
        sockets.update(&key, &number.to_ne_bytes(), MapFlags::ANY).ok()?;
        let mut bytes = Vec::new();
        Iter::new(&self.link).ok()?.read_to_end(&mut bytes).ok()?;
        let word = |row: &[u8], at: usize| Some(u64::from_ne_bytes(*row.get(at..)?.first_chunk()?));
        let row = bytes.chunks_exact(SIZE).find(|row| word(row, 0) == Some(number))?;
        InLinux::ours(&text(&row[8..24]))?;
        word(row, 24).map(Rate::from_raw)
    }
}
