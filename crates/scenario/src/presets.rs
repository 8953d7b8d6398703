//! Bundles of settings under which our numbers are those of another implementation.
//!
//! A preset is data: settings that a user could write one by one, by the names of the command's
//! flags (without the dashes) and in the same notation. A user's setting wins over the preset.

use std::fmt::Write as _;

use crate::error::BadInput;

/// A bundle of settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Preset {
    /// The name for `--like` and `like =`.
    pub name: &'static str,
    /// The implementation whose numbers it gives.
    pub summary: &'static str,
    /// Its settings.
    pub settings: &'static [PresetSetting],
}

/// A setting of a bundle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PresetSetting {
    /// The flag, without its dashes.
    pub name: &'static str,
    /// Its value, as a user writes it.
    pub value: &'static str,
    /// The reason.
    pub reason: &'static str,
}

const fn set(name: &'static str, value: &'static str, reason: &'static str) -> PresetSetting {
    PresetSetting { name, value, reason }
}

/// The latency with which links of Linux wake up.
pub const LINUX_WAKE_UP: &str = "10ns";

/// All presets.
pub const PRESETS: &[Preset] = &[NS2, RFC, LINUX, LINUX_6_18];

const RFC: Preset = Preset {
    name: "rfc",
    summary: "the RFCs' stack with SACK, as plain as they leave it; an ACK counts the segments that it \
              acknowledges",
    settings: &[
        set("packet", "1500", "a packet's stated size counts on the link and as goodput"),
        set("header", "0", "it includes its header"),
        set("ack", "40", "a bare header"),
        set("recovery", "sack", "RFC 6675"),
        set("delayed-ack", "on", "RFC 5681 section 4.2: every second segment"),
        set("initial-window", "10", "RFC 6928"),
        set("initial-rto", "1s", "RFC 6298 section 2.1"),
        set("min-rto", "1s", "RFC 6298 section 2.4"),
        set("timestamps", "on", "RFC 7323"),
        set("limited-transmit", "on", "RFC 3042"),
        set("cwnd-validation", "on", "RFC 7661: an unused window does not grow; by Linux's rule"),
        set(
            "credit",
            "limited",
            "RFC 3465, RFC 5681 section 3.1, RFC 9438 section 4: segments_acked",
        ),
    ],
};

const NS2: Preset = Preset {
    name: "ns-2",
    summary: "ns-2.35's classical agents as the papers ran them: newreno; reno and sack-1996 with \
              --recovery; --cc vegas with --recovery vegas and --delayed-ack off",
    settings: &[
        set("packet", "1500", "a packet's stated size counts on the link and as goodput"),
        set("header", "0", "it includes its header"),
        set("ack", "40", "a bare header"),
        set("sack-block", "8", "each SACK block lengthens the ACK by 8 bytes (sa_size)"),
        set("recovery", "newreno", "Agent/TCP/Newreno; the papers' Reno is most often this"),
        set("delayed-ack", "on", "Agent/TCPSink/DelAck: every second packet, 100 ms"),
        set("credit", "ack", "each ACK counts one segment, whatever it acknowledges"),
        set("initial-window", "2", "windowInit_ of the reference runs (S1, S5, S6, S9: 3)"),
        set("initial-ssthresh", "20000", "ssthresh begins at window_"),
        set("receive-window", "20000", "window_ of the reference runs"),
        set("initial-rto", "3s", "rtxcur_init_"),
        set("min-rto", "200ms", "minrto_"),
        set("rto-tick", "10ms", "tcpTick_: samples and timeouts in whole ticks, in integers"),
        set("timestamps", "off", "one timed segment a window (S1, S5, S6, S9: on)"),
        set("limited-transmit", "on", "singledup_"),
        set("reduce-each-timeout", "on", "TcpAgent::timeout: each one lowers ssthresh"),
        set(
            "ns2-habits",
            "on",
            "send_one, newack, rtt_backoff, slowdown, ecn and timeout of TcpAgent; partialnewack; \
             DelAckSink and Sacker",
        ),
        set("impatient", "on", "newreno_changes1_: only the first partial ACK resets the timer"),
        set("last-ack-grows", "on", "the ACK that ends fast recovery opens the window as well"),
        set("idle-timeout", "on", "slow_start_restart_: one segment after an idle timeout"),
        set("cwnd-validation", "off", "the window grows though the receiver's limits the sender"),
        set("handshake", "on", "a first packet of 40 bytes, alone, gives a round-trip time"),
        set(
            "buffer-in-service",
            "on",
            "queue limit q: an arrival finding q, the one in service \
             included, is dropped",
        ),
    ],
};

const LINUX: Preset = Preset {
    name: "linux",
    summary: "the TCP stack of Linux 6.1 on a plain path: SACK, RACK-TLP, PRR, timestamps",
    settings: &linux([
        set(
            "receive-growth",
            "2880",
            "where tcp-rmem is none: two segments for each, from 64 KiB to half of 16 MiB",
        ),
        set(
            "tcp-rmem",
            "4 KiB 16 MiB 64 MiB",
            "hosts tuned for long paths, as those of the reference; a kernel boots with 4 KiB 128 KiB 6 MiB",
        ),
        set("tcp-wmem", "4 KiB 1 MiB 64 MiB", "the same; a kernel boots with 4 KiB 16 KiB 4 MiB"),
    ]),
};

const LINUX_6_18: Preset = Preset {
    name: "linux-6.18",
    summary: "the same with the receive window of Linux from 6.10 to 6.18, as on hosts of --on linux",
    settings: &linux([
        set(
            "receive-growth",
            "1449",
            "tcp_grow_window: two segments for each, from half of a buffer of 32 MiB to 5/8 of it",
        ),
        set("tcp-rmem", "none", "--on linux gives its hosts 32 MiB, which never limit"),
        set("tcp-wmem", "none", "the same"),
    ]),
};

const fn linux(buffers: [PresetSetting; 3]) -> [PresetSetting; 22] {
    let [receive_growth, receive, send] = buffers;
    [
        set(
            "cc",
            "cubic-linux,bbr,bbr3,illinois,hybla,westwood-linux,westwood,westwood+",
            "what hosts run today, what Linux has for long paths, and the Westwood family",
        ),
        set("packet", "1448", "MSS on an MTU of 1500 with timestamps; goodput counts it"),
        set("header", "52", "IP, TCP and the timestamp option; links count IP bytes"),
        set("ack", "52", "the same without data"),
        set("sack-block", "8", "RFC 2018 section 3"),
        set("recovery", "linux", "RACK-TLP, PRR, F-RTO and undo; growth counts segments"),
        set("delayed-ack", "on", "with quick ACKs in slow start, as the kernel"),
        set("initial-window", "10", "TCP_INIT_CWND"),
        set("initial-ssthresh", "none", "TCP_INFINITE_SSTHRESH"),
        set("receive-window", "none", "the buffers limit"),
        receive_growth,
        receive,
        send,
        set("initial-rto", "1s", "TCP_TIMEOUT_INIT"),
        set("min-rto", "200ms", "TCP_RTO_MIN"),
        set("max-rto", "120s", "TCP_RTO_MAX"),
        set("rto-tick", "0s", "microseconds, against which jiffies of 4 ms weigh little"),
        set("timestamps", "on", "net.ipv4.tcp_timestamps"),
        set("cwnd-validation", "on", "tcp_is_cwnd_limited"),
        set("handshake", "on", "the SYN's round trip gives the first sample"),
        set("buffer-in-service", "off", "so many packets wait beside the one in service"),
        set(
            "wake-up",
            LINUX_WAKE_UP,
            "a timer is late; so little orders events, and delays nothing",
        ),
    ]
}

/// The preset of a name.
pub fn named(text: &str) -> Result<&'static Preset, BadInput> {
    let found = PRESETS.iter().find(|preset| preset.name.eq_ignore_ascii_case(text));
    found.ok_or_else(|| BadInput::unknown("preset", text, PRESETS.iter().map(|p| p.name)))
}

/// The tables of docs/reference/presets.md.
pub fn markdown() -> String {
    let mut text = String::new();
    for preset in PRESETS {
        let _ = writeln!(text, "`--like {}`: {}.\n", preset.name, preset.summary);
        text.push_str("| flag | value | reason |\n|---|---|---|\n");
        for setting in preset.settings {
            let PresetSetting { name, value, reason } = setting;
            let _ = writeln!(text, "| `--{name}` | `{value}` | {reason} |");
        }
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_preset_says_each_thing_once() {
        for preset in PRESETS {
            for (i, setting) in preset.settings.iter().enumerate() {
                let again = preset.settings[..i].iter().any(|s| s.name == setting.name);
                assert!(!again, "{}: {} twice", preset.name, setting.name);
            }
        }
    }

    #[test]
    fn the_page_has_the_tables_that_the_data_make() {
        let page = include_str!("../../../docs/reference/presets.md");
        assert!(
            page.contains(markdown().trim_end()),
            "docs/reference/presets.md wants:\n{}",
            markdown()
        );
    }

    #[test]
    fn an_unknown_preset_names_those_that_there_are() {
        let error = named("ns3").unwrap_err().to_string();
        assert!(error.contains("ns-2"), "{error}");
    }
}
