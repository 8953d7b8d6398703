//! The processes that a killed emulator has left running, and their end.
//!
//! Namespaces and devices vanish with their process; commands that it started may live on, in a
//! network that leads nowhere. Each emulator therefore keeps a file in a state folder while it works,
//! named after itself, and gives its commands a variable of the environment with that name. The next
//! emulator ends the processes that have the name of one that is no more.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::{Pid, geteuid};

use crate::namespace::{Namespace, all_processes};

/// The variable that tells a command's processes apart.
pub const VARIABLE: &str = "WESTWOOD_EMULATION";
/// The time that processes have to end by themselves.
const PATIENCE: Duration = Duration::from_millis(500);

/// The mark of a working emulator, which is taken away when this is dropped.
#[derive(Debug)]
pub struct EmulatorMark {
    name: String,
    file: PathBuf,
}

impl EmulatorMark {
    /// Leaves a mark, after ending what dead emulators have left. Answers the number of those
    /// processes.
    pub fn leave() -> io::Result<(Self, usize)> {
        let folder = folder();
        fs::create_dir_all(&folder)?;
        let ended = sweep(&folder);
        let pid = std::process::id();
        let begun = start_time(i32::try_from(pid).unwrap_or(0));
        let name = format!("emulation-{pid}-{}-{}", begun.unwrap_or(0), boot());
        let file = folder.join(&name);
        fs::write(&file, "")?;
        Ok((Self { name, file }, ended))
    }

    /// The value of [`VARIABLE`] for this emulator's commands.
    pub fn name(&self) -> &str {
        &self.name
    }
}

impl Drop for EmulatorMark {
    fn drop(&mut self) {
        // If it stays, the next emulator takes it away.
        let _ = fs::remove_file(&self.file);
    }
}

/// Ends every process in these namespaces: asks first, and insists after a moment.
pub fn end_all(namespaces: &[&Namespace]) {
    let here = || -> Vec<i32> {
        namespaces.iter().flat_map(|n| n.processes().unwrap_or_default()).collect()
    };
    let asked = here();
    signal_all(&asked, Signal::SIGTERM);
    let begun = Instant::now();
    while !here().is_empty() {
        if begun.elapsed() > PATIENCE {
            signal_all(&here(), Signal::SIGKILL);
            return;
        }
        thread::sleep(Duration::from_millis(10));
    }
}

fn signal_all(processes: &[i32], signal: Signal) {
    for &pid in processes {
        // One that has ended meanwhile needs no signal.
        let _ = kill(Pid::from_raw(pid), signal);
    }
}

/// The folder of marks: one of the user's own that does not outlive the boot.
fn folder() -> PathBuf {
    let user = geteuid();
    match std::env::var_os("XDG_RUNTIME_DIR") {
        _ if user.is_root() && Path::new("/run").is_dir() => PathBuf::from("/run/westwood"),
        Some(folder) if !folder.is_empty() => PathBuf::from(folder).join("westwood"),
        _ => std::env::temp_dir().join(format!("westwood-{user}")),
    }
}

/// Ends what dead emulators have left, and takes their marks away.
fn sweep(folder: &Path) -> usize {
    let mut ended = 0;
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let Ok(name) = entry.file_name().into_string() else { continue };
        let Some((pid, begun, boot_id)) = parse(&name) else { continue };
        let same_boot = boot_id == boot();
        if same_boot && start_time(pid) == Some(begun) {
            continue;
        }
        if same_boot {
            ended += end_marked(&name);
        }
        let _ = fs::remove_file(entry.path());
    }
    ended
}

/// Process, start time and boot of a mark.
fn parse(name: &str) -> Option<(i32, u64, &str)> {
    let mut parts = name.strip_prefix("emulation-")?.splitn(3, '-');
    Some((parts.next()?.parse().ok()?, parts.next()?.parse().ok()?, parts.next()?))
}

/// Ends the processes with this mark in their environment.
fn end_marked(name: &str) -> usize {
    let wanted = format!("{VARIABLE}={name}");
    let marked = |pid: &i32| {
        let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        environment.split(|&b| b == 0).any(|variable| variable == wanted.as_bytes())
    };
    let left: Vec<i32> = all_processes().unwrap_or_default().into_iter().filter(marked).collect();
    signal_all(&left, Signal::SIGKILL);
    left.len()
}

/// The start of a process, in ticks since boot: with its number this names it for good.
fn start_time(pid: i32) -> Option<u64> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name is in parentheses and may contain anything; the start time is the 20th number after.
    stat.rsplit_once(')')?.1.split_whitespace().nth(19)?.parse().ok()
}

/// This boot's name.
fn boot() -> String {
    let id = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    id.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_marks_name_tells_the_process_that_left_it() {
        assert_eq!(parse("emulation-12-345-ab-cd"), Some((12, 345, "ab-cd")));
        for other in ["emulation-12", "emulation-x-3-b", "kernel-12-345-ab", ""] {
            assert_eq!(parse(other), None, "{other}");
        }
    }

    #[test]
    fn this_process_has_begun_once() {
        let me = i32::try_from(std::process::id()).unwrap();
        assert!(start_time(me).is_some());
        assert_eq!(start_time(me), start_time(me));
        assert_eq!(start_time(0), None);
    }
}
