//! The kernel's controllers.

use std::io;

const AVAILABLE: &str = "/proc/sys/net/ipv4/tcp_available_congestion_control";

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
