//! The privileges that the emulator needs, and how it gets them.

use std::fs;
use std::io;
use std::thread;
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::sched::{CloneFlags, unshare};
use nix::unistd::{getegid, geteuid};

use crate::error::EmuError;
use crate::namespace::Namespace;

const NOT_ALLOWED: &str = "run it as root, or allow user namespaces \
     (sysctl -w kernel.unprivileged_userns_clone=1 user.max_user_namespaces=10000; \
     kernel.apparmor_restrict_unprivileged_userns=0 on Ubuntu)";

/// Sees that network namespaces can be made: as root, or else in a user namespace, where the user
/// looks like root to the commands that are run.
///
/// To be called before the process has a second thread: the kernel moves only such processes.
pub fn obtain() -> Result<(), EmuError> {
    if Namespace::new().is_ok() {
        return Ok(());
    }
    enter_user_namespace()
        .and_then(|()| Namespace::new().map(|_| ()))
        .map_err(EmuError::environment("no network namespace can be made", NOT_ALLOWED))
}

fn enter_user_namespace() -> io::Result<()> {
    let (user, group) = (geteuid(), getegid());
    unshare_user()?;
    fs::write("/proc/self/setgroups", "deny")?;
    fs::write("/proc/self/uid_map", format!("0 {user} 1"))?;
    fs::write("/proc/self/gid_map", format!("0 {group} 1"))
}

/// The kernel refuses a process of several threads with EINVAL, and a thread that has been joined
/// may still count for a moment: its memory is released before its entry in the thread group.
fn unshare_user() -> nix::Result<()> {
    const PATIENCE: Duration = Duration::from_secs(1);
    let begin = Instant::now();
    loop {
        match unshare(CloneFlags::CLONE_NEWUSER) {
            Err(Errno::EINVAL) if begin.elapsed() < PATIENCE => {
                thread::sleep(Duration::from_millis(1));
            }
            done => return done,
        }
    }
}

/// The order in which threads that have to be punctual run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SchedulingRank {
    /// The one that carries packets.
    First,
    /// The programs of hosts. One that is put aside while it holds a socket would let packets wait,
    /// and then send a burst that no network has made.
    Second,
}

/// Lets the calling thread wake in time, as far as the machine allows: timers without slack, and
/// before all threads that are not real-time ones. True if the latter is so.
pub fn be_punctual(turn: SchedulingRank) -> bool {
    // Without it timers are 50 us later, which the lateness shows.
    let _ = nix::sys::prctl::set_timerslack(1);
    first_in_first_out(match turn {
        SchedulingRank::First => 2,
        SchedulingRank::Second => 1,
    })
}

#[expect(unsafe_code, reason = "no safe wrapper of sched_setscheduler is at hand")]
fn first_in_first_out(priority: libc::c_int) -> bool {
    // SAFETY: the structure is one integer and, on some systems, padding, for which zeros are valid.
    let mut parameters: libc::sched_param = unsafe { std::mem::zeroed() };
    parameters.sched_priority = priority;
    // SAFETY: 0 is the calling thread, and the pointer is to a structure that outlives the call,
    // which only reads it.
    let done = unsafe { libc::sched_setscheduler(0, libc::SCHED_FIFO, &raw const parameters) };
    done == 0
}
