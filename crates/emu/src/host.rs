//! A host: a network namespace with one way out, a device that the emulator holds.

use std::fmt::Write as _;
use std::fs;
use std::io::{self, Write as _};
use std::net::{Ipv4Addr, Ipv6Addr};
use std::ops::Range;
use std::process::{Command, Stdio};

use crate::addresses::FlowEnd;
use crate::error::EmuError;
use crate::namespace::Namespace;
use crate::tun::Tun;

/// The device's name inside the namespace.
const DEVICE: &str = "westwood";
/// Packets that may wait to be read by the emulator: a burst of the largest window that the tests of
/// throughput have seen, many times.
const READ_QUEUE: usize = 20_000;
/// IPv6 asks for at least this MTU (RFC 8200 section 5).
const IPV6_MTU: u16 = 1280;

/// The network settings of a host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostConfig {
    /// Its end of the flows.
    pub end: FlowEnd,
    /// The flows that begin or end here: an address for each.
    pub flows: Range<usize>,
    /// The largest packet, headers included.
    pub mtu: u16,
    /// Every segment is a packet of its own when it leaves TCP, and not cut from a larger one later.
    pub single_segments: bool,
    /// Attributes of the route out, such as `initcwnd 10`, as `ip route` takes them.
    pub route: String,
    /// Settings of this host alone: names below `/proc/sys/net` and values.
    pub settings: Vec<(String, String)>,
}

/// A host.
#[derive(Debug)]
pub struct Host {
    /// The network namespace of its processes.
    pub namespace: Namespace,
    pub(crate) tun: Tun,
}

impl Host {
    /// Makes a host.
    pub fn new(config: &HostConfig) -> Result<Self, EmuError> {
        let made = EmuError::environment(
            "no network namespace can be made",
            "run it as root, or raise user.max_net_namespaces",
        );
        let namespace = Namespace::new().map_err(made)?;
        let opened = EmuError::environment(
            "no TUN device can be made",
            "load the module (modprobe tun), and see that /dev/net/tun is there and may be opened",
        );
        let tun = namespace.enter(|| Tun::open(DEVICE)).map_err(opened)?;
        let host = Self { namespace, tun };
        host.configure(config)?;
        Ok(host)
    }

    fn configure(&self, config: &HostConfig) -> Result<(), EmuError> {
        let failed = EmuError::environment(
            "the host's network cannot be set up",
            "install iproute2, which has the command ip, and see that the kernel has IPv4",
        );
        let set_up = || batch(&commands(config, allow_ipv6()));
        self.namespace.enter(set_up).map_err(failed)?;
        self.namespace.enter(|| apply(&config.settings)).map_err(EmuError::environment(
            "a setting of the host cannot be made",
            "use a kernel from 5.15 on",
        ))
    }

    /// Packets that the kernel dropped before the emulator could read them.
    pub fn unread(&self) -> io::Result<u64> {
        let text = self.namespace.enter(|| fs::read_to_string("/proc/thread-self/net/dev"))?;
        let line =
            text.lines().find_map(|line| line.trim().strip_prefix(DEVICE)?.strip_prefix(':'));
        let dropped = line.and_then(|numbers| numbers.split_whitespace().nth(11)?.parse().ok());
        dropped.ok_or_else(|| io::Error::other("the device is not listed"))
    }
}

/// Sees that the kernel has a congestion controller of this name.
pub fn check_controller(name: &str) -> Result<(), EmuError> {
    let read = fs::read_to_string("/proc/sys/net/ipv4/tcp_available_congestion_control");
    let available = read.map_err(EmuError::environment(
        "the kernel's congestion controllers cannot be listed",
        "mount /proc",
    ))?;
    if available.split_whitespace().any(|known| known == name) {
        return Ok(());
    }
    let available = available.split_whitespace().collect::<Vec<_>>().join(", ");
    Err(EmuError::NoController { name: name.to_owned(), available })
}

/// Lets the device in the calling thread's namespace have IPv6, which a machine may forbid to all that
/// are new. False if the kernel has none, or does not allow it.
fn allow_ipv6() -> bool {
    let forbidden = format!("/proc/sys/net/ipv6/conf/{DEVICE}/disable_ipv6");
    let now = fs::read_to_string(&forbidden);
    now.is_ok_and(|now| now.trim() == "0" || fs::write(&forbidden, "0").is_ok())
}

/// The input of `ip`.
fn commands(config: &HostConfig, ipv6_allowed: bool) -> String {
    let HostConfig { end, flows, mtu, route, .. } = config;
    let ipv6 = ipv6_allowed && *mtu >= IPV6_MTU;
    let segments = if config.single_segments { " gso_max_segs 1" } else { "" };
    let mut text = format!(
        "link set lo up\n\
         link set {DEVICE} mtu {mtu} txqueuelen {READ_QUEUE}{segments} up\n"
    );
    for flow in flows.clone() {
        let (v4, v6): (Ipv4Addr, Ipv6Addr) = (end.ipv4(flow), end.ipv6(flow));
        let _ = writeln!(text, "address add {v4}/32 dev {DEVICE}");
        if ipv6 {
            let _ = writeln!(text, "address add {v6}/128 dev {DEVICE} nodad");
        }
    }
    let _ = writeln!(text, "route add default dev {DEVICE} {route}");
    if ipv6 {
        let _ = writeln!(text, "route add ::/0 dev {DEVICE} {route}");
    }
    text
}

/// Lets `ip` carry out commands in the calling thread's namespace.
fn batch(commands: &str) -> io::Result<()> {
    let mut ip = Command::new("ip")
        .args(["-batch", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()?;
    if let Some(mut stdin) = ip.stdin.take() {
        stdin.write_all(commands.as_bytes())?;
    }
    let output = ip.wait_with_output()?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    Err(io::Error::other(format!("ip: {}", said.lines().next().unwrap_or("failed"))))
}

/// Makes settings of the calling thread's namespace.
fn apply(settings: &[(String, String)]) -> io::Result<()> {
    settings.iter().try_for_each(|(name, value)| {
        let failed = |e: io::Error| io::Error::other(format!("net/{name}: {e}"));
        fs::write(format!("/proc/sys/net/{name}"), value).map_err(failed)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_without_ipv6_or_with_small_packets_has_ipv4_alone() {
        let config = |mtu| HostConfig {
            end: FlowEnd::Client,
            flows: 0..1,
            mtu,
            single_segments: false,
            route: String::new(),
            settings: Vec::new(),
        };
        assert!(commands(&config(1500), true).contains("2001:2:0:1::1/128"));
        for without in [commands(&config(1500), false), commands(&config(576), true)] {
            assert!(without.contains("198.18.0.1/32") && !without.contains("::"), "{without}");
        }
    }
}
