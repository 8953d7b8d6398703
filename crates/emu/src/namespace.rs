//! Network namespaces without names: they last as long as something refers to them.

use std::fs::File;
use std::io;
use std::os::fd::AsFd as _;
use std::os::unix::fs::MetadataExt as _;
use std::process::{Child, Command};
use std::sync::Arc;
use std::thread;

use nix::sched::{CloneFlags, setns, unshare};

/// A network namespace. It is gone when nothing refers to it and no process is in it.
#[derive(Clone, Debug)]
pub struct Namespace {
    file: Arc<File>,
}

impl Namespace {
    /// A new one, with nothing in it but a loopback device that is down.
    pub fn new() -> io::Result<Self> {
        let made = || {
            unshare(CloneFlags::CLONE_NEWNET)?;
            File::open("/proc/thread-self/ns/net")
        };
        // In a thread of its own, because a thread cannot always go back to the namespace that it
        // has left.
        let file = thread::scope(|scope| joined(scope.spawn(made)))?;
        Ok(Self { file: Arc::new(file) })
    }

    /// Does something in it. Sockets that are made there stay there.
    pub fn enter<T: Send>(&self, work: impl FnOnce() -> io::Result<T> + Send) -> io::Result<T> {
        let inside = || {
            self.join()?;
            work()
        };
        thread::scope(|scope| joined(scope.spawn(inside)))
    }

    /// Moves the calling thread there, for good.
    pub fn join(&self) -> io::Result<()> {
        Ok(setns(self.file.as_fd(), CloneFlags::CLONE_NEWNET)?)
    }

    /// Starts a command there.
    pub fn spawn(&self, command: &mut Command) -> io::Result<Child> {
        self.enter(|| command.spawn())
    }

    /// The processes that are there, those of other programs included.
    pub(crate) fn processes(&self) -> io::Result<Vec<i32>> {
        let here = self.file.metadata()?;
        let is_here = |pid: &i32| {
            let theirs = std::fs::metadata(format!("/proc/{pid}/ns/net"));
            theirs.is_ok_and(|it| (it.dev(), it.ino()) == (here.dev(), here.ino()))
        };
        Ok(all_processes()?.into_iter().filter(is_here).collect())
    }
}

/// The numbers of all processes.
pub(crate) fn all_processes() -> io::Result<Vec<i32>> {
    let entries = std::fs::read_dir("/proc")?;
    let number =
        |entry: io::Result<std::fs::DirEntry>| entry.ok()?.file_name().to_str()?.parse().ok();
    Ok(entries.filter_map(number).collect())
}

/// The result of a thread; its panic goes on here.
fn joined<T>(handle: thread::ScopedJoinHandle<'_, io::Result<T>>) -> io::Result<T> {
    handle.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}
