//! The bandwidth estimates of sockets that one holds.
//!
//! A look costs as much as this process has descriptors, in whatever network namespace its sockets are,
//! and the connections nothing. [`Watcher`](crate::watch::Watcher) looks at all connections of one
//! namespace.

use std::io::{self, Read as _};
use std::os::fd::{AsRawFd as _, BorrowedFd};
use std::ptr::{self, NonNull};
use std::{fmt, process};

use libbpf_rs::{AsRawLibbpf as _, Iter, Link, Object, ProgramMut, libbpf_sys};
use westwood_cc::Rate;

use crate::environment::{self, LibbpfMessages};
use crate::error::KernelError;
use crate::load::open;
use crate::names::KernelName;
use crate::status::text;

const OBJECT: &[u8] = include_bytes!("../objects/estimate.bpf.o");
/// `struct estimate` of `bpf/estimate.h`.
const SIZE: usize = 32;

/// Looks at the sockets of this process. The program is gone with it.
pub struct Estimates {
    _object: Object,
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
        let quietly = LibbpfMessages::new();
        let refused = |e: libbpf_rs::Error| quietly.refused("the program for estimates", &e);
        let object = open(OBJECT, &quietly)?.load().map_err(refused)?;
        let program = object.progs_mut().next().ok_or(KernelError::NothingLoaded)?;
        let link = attach_to_this_process(&program).map_err(refused)?;
        Ok(Self { _object: object, link })
    }

    /// The estimate of this socket's controller; none if that is none of ours, or if the kernel does
    /// not let us look.
    pub fn of(&self, socket: BorrowedFd<'_>) -> Option<Rate> {
        let number = u64::try_from(socket.as_raw_fd()).ok()?;
        let mut bytes = Vec::new();
        Iter::new(&self.link).ok()?.read_to_end(&mut bytes).ok()?;
        let word = |row: &[u8], at: usize| Some(u64::from_ne_bytes(*row.get(at..)?.first_chunk()?));
        let row = bytes.chunks_exact(SIZE).find(|row| word(row, 0) == Some(number))?;
        KernelName::ours(&text(&row[8..24]))?;
        word(row, 24).map(Rate::from_raw)
    }
}

/// Lets an iterator over tasks and their files look at this process alone.
#[expect(unsafe_code, reason = "libbpf-rs attaches iterators to maps and control groups only")]
#[expect(clippy::cast_possible_truncation, reason = "the size of a few words")]
fn attach_to_this_process(program: &ProgramMut<'_>) -> libbpf_rs::Result<Link> {
    let mut about = libbpf_sys::bpf_iter_link_info::default();
    about.task.pid = process::id();
    let options = libbpf_sys::bpf_iter_attach_opts {
        sz: size_of::<libbpf_sys::bpf_iter_attach_opts>() as libbpf_sys::size_t,
        link_info: ptr::from_mut(&mut about),
        link_info_len: size_of::<libbpf_sys::bpf_iter_link_info>() as u32,
        ..Default::default()
    };
    let program = program.as_libbpf_object().as_ptr();
    // SAFETY: `program` is one of a loaded object that is borrowed for the call. `options` tells its own
    // size and that of `about`; both live until the call returns, and libbpf copies from them and keeps
    // neither.
    let link = unsafe { libbpf_sys::bpf_program__attach_iter(program, &raw const options) };
    let link = NonNull::new(link).ok_or_else(io::Error::last_os_error)?;
    // SAFETY: libbpf answers null, which has left above, or a new link that is the caller's to destroy:
    // nobody else holds this pointer, and it is not used after this.
    Ok(unsafe { Link::from_ptr(link) })
}
