//! The dumbbell of a comparison as a sketch.

use westwood_cc::{Duration, Rate};
use westwood_scenario::results::Path;

use crate::document::{Link, Node, Sketch};

/// The dumbbell: senders, the bottleneck between two routers, receivers.
pub(super) fn sketch(path: &Path) -> Sketch {
    let kinds = kinds(path);
    let mut nodes = vec![router(), router()];
    let mut links = vec![bottleneck(path)];
    for (sends, _) in &kinds {
        links.push(Link { from: nodes.len(), to: 0, ..Link::default() });
        nodes.push(Node { label: sends.clone(), host: true });
    }
    for (_, receives) in &kinds {
        links.push(Link { from: 1, to: nodes.len(), ..Link::default() });
        nodes.push(Node { label: receives.clone(), host: true });
    }
    let access = vec![rate(path.access_rate_bps), access_delay(path)];
    let first_receiver = 1 + kinds.len();
    for place in [1, first_receiver] {
        if let Some(link) = links.get_mut(place) {
            link.above.clone_from(&access);
        }
    }
    Sketch { nodes, links }
}

/// For each kind of flow what stands at its sender or, of reverse flows, at its receiver, and at
/// the other end.
fn kinds(path: &Path) -> Vec<(String, String)> {
    let many = |n: u64, word: &str| match n {
        1 => word.to_owned(),
        n => format!("{n} {word}s"),
    };
    let mut kinds = vec![(many(path.flows, "sender"), many(path.flows, "receiver"))];
    if let Some(cc) = &path.against_cc {
        let n = path.against_flows;
        kinds.push((format!("{n} competing: {cc}"), many(n, "receiver")));
    }
    if path.reverse_flows > 0 {
        let n = path.reverse_flows;
        kinds.push((many(n, "receiver"), format!("{n} in reverse")));
    }
    kinds
}

fn router() -> Node {
    Node { label: String::new(), host: false }
}

fn bottleneck(path: &Path) -> Link {
    let mut above = vec![match &path.trace_down {
        Some(_) => format!("recorded, mean {}", rate(path.rate_bps)),
        None => rate(path.rate_bps),
    }];
    if (path.return_rate_bps - path.rate_bps).abs() > 0.5 {
        above.push(format!("{} back", rate(path.return_rate_bps)));
    }
    above.push(delay(path.bottleneck_delay_ms));
    let queue = match path.buffer_packets {
        Some(n) => format!("queue of {n} packets"),
        None => format!("queue of {}", path.buffer),
    };
    let mut below = vec![queue];
    if path.aqm != "droptail" {
        below.push(path.aqm.clone());
    }
    below.push(match path.loss.as_str() {
        "none" => "no loss".to_owned(),
        loss => format!("loss {loss}"),
    });
    if path.return_loss != "none" {
        below.push(format!("loss {} back", path.return_loss));
    }
    Link { from: 0, to: 1, above, below, bottleneck: true }
}

/// What a flow's access links take of its round-trip time, shared by four of them.
fn access_delay(path: &Path) -> String {
    let one = |rtt_ms: f64| (rtt_ms / 2.0 - path.bottleneck_delay_ms) / 2.0;
    let (least, most) = (one(path.rtt_min_ms), one(path.rtt_max_ms));
    if (most - least).abs() < 1e-6 {
        delay(most)
    } else {
        format!("{} to {}", delay(least), delay(most))
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "for display only")]
fn delay(ms: f64) -> String {
    Duration::from_nanos((ms * 1e6).round() as u64).to_string()
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "for display only")]
fn rate(bps: f64) -> String {
    Rate::from_bits_per_s(bps.round() as u64).to_string()
}
