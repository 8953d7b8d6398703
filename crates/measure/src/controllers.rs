//! Controllers by their names here and in the kernel.

use std::fmt;
use std::io;

use westwood_kernel::names::{KernelName, LONGEST_NAME, OURS};

const AVAILABLE: &str = "/proc/sys/net/ipv4/tcp_available_congestion_control";

/// A controller to measure.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct MeasuredController {
    /// As the user names it.
    pub name: String,
    /// As the kernel does.
    pub kernel: String,
}

/// The name is none that a controller can have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoController(pub String);

impl fmt::Display for NoController {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "'{}' is no name of a controller: the kernel's have at most {LONGEST_NAME} letters, digits, - and _",
            self.0.escape_debug()
        )
    }
}

impl std::error::Error for NoController {}

impl MeasuredController {
    /// A controller by name. Names of this project's controllers mean its own programs in the kernel;
    /// any other is the kernel's. So `westwood` is that of 2002, and Linux's of that name cannot be
    /// asked for by it; write `linux:westwood`.
    pub fn named(name: &str) -> Result<Self, NoController> {
        let wanted = name.trim();
        let plain = wanted.to_ascii_lowercase().replace("-plus", "+");
        let ours = OURS.into_iter().find(|ours| ours.name == plain);
        let kernel = match (ours, wanted.strip_prefix("linux:")) {
            (Some(ours), _) => ours.kernel,
            (None, Some(stock)) => stock,
            (None, None) => wanted,
        };
        let usable = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        if kernel.is_empty() || kernel.len() > LONGEST_NAME || !kernel.chars().all(usable) {
            return Err(NoController(name.to_owned()));
        }
        let name = ours.map_or(wanted, |ours| ours.name);
        Ok(Self { name: name.to_owned(), kernel: kernel.to_owned() })
    }

    /// True if it is one of this project's, which have to be loaded.
    pub fn is_ours(&self) -> bool {
        KernelName::ours(&self.kernel).is_some()
    }
}

/// True if the kernel starts a connection with the slow-start threshold of an earlier one to the same
/// host, whatever controller that had. Since Linux 5.6 it does only if told to.
pub fn remembers_ssthresh() -> bool {
    let is_off = |name: &str| {
        let path = format!("/proc/sys/net/ipv4/{name}");
        std::fs::read_to_string(path).is_ok_and(|value| value.trim() == "0")
    };
    is_off("tcp_no_metrics_save") && is_off("tcp_no_ssthresh_metrics_save")
}

/// The controllers that this kernel has at present.
pub fn available() -> io::Result<Vec<String>> {
    let text = std::fs::read_to_string(AVAILABLE)?;
    Ok(text.split_whitespace().map(str::to_owned).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kernel(name: &str) -> Option<String> {
        MeasuredController::named(name).ok().map(|c| c.kernel)
    }

    #[test]
    fn our_names_mean_our_programs_and_others_the_kernels() {
        for (name, expected) in [
            ("westwood", "westwood_2002"),
            ("westwood+", "westwood_plus"),
            ("Westwood-Plus", "westwood_plus"),
            ("westwood+probing", "westwood_probe"),
            ("log-westwood+", "log_westwood"),
            ("log_westwood", "log_westwood"),
            ("linux:westwood", "westwood"),
            ("cubic", "cubic"),
        ] {
            assert_eq!(kernel(name).as_deref(), Some(expected), "{name}");
        }
    }

    #[test]
    fn what_no_kernel_can_call_a_controller_is_refused() {
        for name in ["", "a b", "reno,cubic", "sixteen_letters_", "linux:", "../x"] {
            assert_eq!(kernel(name), None, "{name}");
        }
    }
}
