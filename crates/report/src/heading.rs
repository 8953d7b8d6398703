//! The heading of an experiment in words: its path in a line.

use std::fmt::Write as _;

use westwood_cc::{Duration, Rate};
use westwood_experiment::results::ComparisonPath;
use westwood_scenario::counted;

/// The path in a line, without its usual settings.
pub fn path_line(path: &ComparisonPath) -> String {
    let ms = |ms: f64| Duration::from_nanos(to_word(ms * 1e6)).to_string();
    let rate = |bps: f64| Rate::from_bits_per_s(to_word(bps)).to_string();
    let mut parts = Vec::new();
    parts.push(match &path.trace_down {
        Some(file) => format!("{file} (mean {})", rate(path.rate_bps)),
        None => rate(path.rate_bps),
    });
    if to_word(path.return_rate_bps) != to_word(path.rate_bps) {
        parts.push(format!("{} back", rate(path.return_rate_bps)));
    }
    if path.access_rate_bps < path.rate_bps.max(path.return_rate_bps) {
        parts.push(format!("access links of {}", rate(path.access_rate_bps)));
    }
    parts.push(if to_word(path.rtt_min_ms * 1e6) == to_word(path.rtt_max_ms * 1e6) {
        format!("RTT {}", ms(path.rtt_max_ms))
    } else {
        format!("RTTs {} to {}", ms(path.rtt_min_ms), ms(path.rtt_max_ms))
    });
    parts.push(match path.buffer_packets {
        Some(n) => format!("buffer {}", counted(n, "packet")),
        None => format!("buffer {}", path.buffer),
    });
    if path.aqm != "droptail" {
        parts.push(path.aqm.clone());
    }
    parts.extend(path.policer.as_ref().map(|policer| format!("policed to {policer}")));
    parts.push(match path.loss.as_str() {
        "none" => "no loss".to_owned(),
        loss => format!("loss {loss}"),
    });
    if path.return_loss != "none" {
        parts.push(format!("loss {} back", path.return_loss));
    }
    parts.extend(path.arq.as_ref().map(|arq| format!("repaired {arq}")));
    parts.extend(path.fec.as_ref().map(|it| format!("coded {it}")));
    parts.extend(path.bursts.as_ref().map(|it| format!("bursts {it}")));
    parts.extend(path.reorder.as_ref().map(|it| format!("reordered {it}")));
    parts.extend(path.ecn_path.as_ref().map(|it| format!("ECN path {it}")));
    parts.extend(path.ack_filter.as_ref().map(|it| format!("ACKs thinned {it}")));
    parts.push(flows(path));
    parts.push(format!("recovery {}", path.recovery));
    let time = |s: f64| Duration::from_nanos(rounded(to_word(s * 1e9))).to_string();
    let warmup = match path.warmup_s {
        s if s > 0.0 => format!(" after {} of warm-up", time(s)),
        _ => String::new(),
    };
    let until = if path.size_bytes.is_some() { "at most " } else { "" };
    let measured = time(path.time_s - path.warmup_s);
    let seeds = match path.seeds.as_slice() {
        [] => String::new(),
        [only] => format!(", seed {only}"),
        [first, .., last] => format!(", seeds {first} to {last}"),
    };
    format!("{}; {until}{measured}{warmup}{seeds}", parts.join(", "))
}

fn flows(path: &ComparisonPath) -> String {
    let kind = match path.size_bytes {
        Some(n) if n.is_multiple_of(1_000_000) => format!("transfer of {} MB", n / 1_000_000),
        Some(n) if n.is_multiple_of(1_000) => format!("transfer of {} kB", n / 1_000),
        Some(n) => format!("transfer of {n} B"),
        None => "flow".to_owned(),
    };
    let mut text = match (path.flows, path.size_bytes) {
        (1, _) => format!("1 {kind}"),
        (n, None) => format!("{n} flows"),
        (n, Some(_)) => format!("{n} x {kind}"),
    };
    if let Some(cc) = &path.against_cc {
        let _ = write!(text, " against {} of {cc}", path.against_flows);
    }
    if path.reverse_flows > 0 {
        let cc = path.reverse_cc.as_ref().map(|cc| format!(" of {cc}")).unwrap_or_default();
        let _ = write!(text, ", {} reverse{cc}", path.reverse_flows);
    }
    text
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "for display only")]
fn to_word(x: f64) -> u64 {
    x.round() as u64
}

/// Nanoseconds to the third decimal of the unit in which a duration is written, which cuts the rest.
fn rounded(ns: u64) -> u64 {
    let step = match ns {
        0..1_000_000 => 1,
        1_000_000..1_000_000_000 => 1_000,
        _ => 1_000_000,
    };
    (ns + step / 2) / step * step
}

/// A title for so many controllers.
pub(crate) fn title(names: &[String]) -> String {
    match names {
        [only] => format!("{only} over one path"),
        _ => format!("{} congestion controllers over one path", number_word(names.len())),
    }
}

/// A small number as a title begins with it.
fn number_word(n: usize) -> String {
    const WORDS: [&str; 11] = [
        "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine", "Ten", "Eleven", "Twelve",
    ];
    let word = n.checked_sub(2).and_then(|i| WORDS.get(i));
    word.map_or_else(|| n.to_string(), |word| (*word).to_owned())
}
