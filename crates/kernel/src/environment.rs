//! The features that the running kernel offers, and those that it lacks.

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::Mutex;

use libbpf_rs::{PrintCallback, PrintLevel, set_print};

use crate::error::KernelError;

const AVAILABLE: &str = "/proc/sys/net/ipv4/tcp_available_congestion_control";
const DEFAULT: &str = "/proc/sys/net/ipv4/tcp_congestion_control";
const RELEASE: &str = "/proc/sys/kernel/osrelease";
/// The privileges of this process.
const OWN_STATUS: &str = "/proc/self/status";
/// The users of the machine that this process' user namespace maps.
const OWN_USERS: &str = "/proc/self/uid_map";
/// The kernel's description of its own types.
const BTF: &str = "/sys/kernel/btf/vmlinux";
/// Older kernels were not tried.
const OLDEST: (u32, u32) = (6, 1);

/// Whether programs can be loaded here.
pub fn ready() -> Result<(), KernelError> {
    root()?;
    let release = release()?;
    if version(&release).is_some_and(|v| v < OLDEST) {
        return Err(KernelError::TooOld(release));
    }
    if Path::new(BTF).exists() { Ok(()) } else { Err(KernelError::NoBtf) }
}

/// Refuses those who may not look at programs.
pub(crate) fn root() -> Result<(), KernelError> {
    // The owner of the process' folder is its effective user.
    match fs::metadata("/proc/self") {
        Ok(own) if own.uid() == 0 => {}
        _ => return Err(KernelError::NotRoot),
    }
    // The root of a user namespace is root there only.
    let whole_machine = read(OWN_USERS)?.split_whitespace().eq(["0", "0", "4294967295"]);
    if whole_machine && may_load(&read(OWN_STATUS)?) {
        Ok(())
    } else {
        Err(KernelError::NotCapable)
    }
}

/// Whether a process with this status has `CAP_NET_ADMIN`, to load controllers, and `CAP_SYS_ADMIN`, to
/// find maps by their numbers.
fn may_load(status: &str) -> bool {
    const NEEDED: u64 = 1 << 12 | 1 << 21;
    let effective = status.lines().find_map(|line| line.strip_prefix("CapEff:"));
    let effective = effective.and_then(|set| u64::from_str_radix(set.trim(), 16).ok());
    effective.is_none_or(|set| set & NEEDED == NEEDED)
}

/// The release of the kernel, such as 6.1.0-40-amd64.
pub fn release() -> Result<String, KernelError> {
    read(RELEASE)
}

fn version(release: &str) -> Option<(u32, u32)> {
    let mut parts = release.split(|c: char| !c.is_ascii_digit());
    Some((parts.next()?.parse().ok()?, parts.next()?.parse().ok()?))
}

/// The controllers that sockets can choose.
pub fn available() -> Result<Vec<String>, KernelError> {
    Ok(read(AVAILABLE)?.split_whitespace().map(str::to_owned).collect())
}

/// The controller of sockets that do not choose, in this network namespace.
pub fn default_controller() -> Result<String, KernelError> {
    read(DEFAULT)
}

pub(crate) fn set_default_controller(name: &str) -> Result<(), KernelError> {
    fs::write(DEFAULT, name).map_err(|error| file(DEFAULT, error))
}

fn read(path: &str) -> Result<String, KernelError> {
    let text = fs::read_to_string(path).map_err(|error| file(path, error))?;
    Ok(text.trim().to_owned())
}

fn file(path: &str, error: io::Error) -> KernelError {
    KernelError::File { path: path.to_owned(), error }
}

/// The messages of libbpf, instead of on stderr.
static SAID: Mutex<String> = Mutex::new(String::new());

/// While it lives, libbpf's messages are kept for the error that may come of them.
pub(crate) struct LibbpfMessages {
    before: Option<(PrintLevel, PrintCallback)>,
    said: &'static Mutex<String>,
}

impl LibbpfMessages {
    pub(crate) fn new() -> Self {
        if let Ok(mut said) = SAID.lock() {
            said.clear();
        }
        Self { before: set_print(Some((PrintLevel::Warn, keep))), said: &SAID }
    }

    /// The error, with the end of what the kernel's verifier said.
    pub(crate) fn refused(&self, step: &'static str, error: &libbpf_rs::Error) -> KernelError {
        const LINES: usize = 12;
        let said = self.said.lock().map(|said| said.clone()).unwrap_or_default();
        let lines: Vec<&str> = said.lines().filter(|line| !line.trim().is_empty()).collect();
        let log = lines[lines.len().saturating_sub(LINES)..].join("\n");
        KernelError::Refused { step, why: error.to_string(), log }
    }
}

impl Drop for LibbpfMessages {
    fn drop(&mut self) {
        set_print(self.before);
    }
}

#[expect(clippy::needless_pass_by_value, reason = "libbpf-rs wants this signature")]
fn keep(_: PrintLevel, text: String) {
    if let Ok(mut said) = SAID.lock() {
        said.push_str(&text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernels_are_as_old_as_their_first_two_numbers() {
        for (release, expected) in [
            ("6.1.0-40-amd64", Some((6, 1))),
            ("5.15.0", Some((5, 15))),
            ("6.18.44", Some((6, 18))),
            ("7.0-rc1", Some((7, 0))),
            ("unknown", None),
        ] {
            assert_eq!(version(release), expected, "{release}");
        }
        assert!(version("5.19.17") < Some(OLDEST) && version("6.10.1") > Some(OLDEST));
    }

    #[test]
    fn root_of_a_container_may_not_load() {
        assert!(may_load("Name:\tx\nCapEff:\t000001ffffffffff\nCapBnd:\t0\n"));
        // The capabilities that docker gives.
        assert!(!may_load("CapEff:\t00000000a80425fb\n"));
        assert!(!may_load("CapEff:\t0000000000200000\n"), "CAP_NET_ADMIN lacks");
    }
}
