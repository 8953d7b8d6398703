//! Tries a controller on one path, beside Reno: what it carries, and its window as text.
//!
//! ```text
//! cargo run --release -p westwood-sim --example try_controller -- westwood+ 20 80 0.1
//! ```
//!
//! The arguments are the controller's name, Mbit/s, milliseconds and the percentage of packets lost; all
//! but the first may be left out. It is the shortest way from an edit of `crates/cc` to a result.

use std::fmt::Write as _;
use std::process::ExitCode;

use westwood_cc::controllers::Choice;
use westwood_cc::{Duration, Rate, Segments};
use westwood_net::{Limit, LinkConfig, LossConfig};
use westwood_sim::{
    FlowSpec, LinkSpec, Network, Outcome, Point, Probes, TcpSpec, Traffic, Workload, run,
};
use westwood_tcp::{Config, Recovery};

const TIME: Duration = Duration::from_secs(60);
/// The plot's size in characters.
const COLUMNS: usize = 72;
const ROWS: usize = 10;

/// A path: rate, round-trip time, share of packets lost, and a buffer of one bandwidth-delay product.
struct Path {
    mbit: f64,
    rtt_ms: f64,
    loss: f64,
}

impl Path {
    fn of(arguments: &[String]) -> Result<Self, String> {
        let number = |n: usize, name: &str, default: f64| match arguments.get(n) {
            None => Ok(default),
            Some(text) => match text.parse::<f64>() {
                Ok(x) if x > 0.0 && x <= 100_000.0 || x == 0.0 && n == 3 => Ok(x),
                _ => Err(format!("'{text}' is no {name}: write a number like {default}")),
            },
        };
        let loss = number(3, "percentage of packets lost", 0.0)? / 100.0;
        if loss > 1.0 {
            return Err("more than all packets cannot be lost: write at most 100".to_owned());
        }
        Ok(Self {
            mbit: number(1, "rate in Mbit/s", 10.0)?,
            rtt_ms: number(2, "round-trip time in ms", 100.0)?,
            loss,
        })
    }

    /// Packets of 1500 bytes in a bandwidth-delay product.
    fn packets(&self) -> f64 {
        self.mbit * self.rtt_ms * 1_000.0 / 8.0 / 1_500.0
    }

    fn network(&self, controller: Choice) -> Network {
        let rate = Rate::from_bits_per_s(whole(self.mbit * 1e6));
        let delay = Duration::from_nanos(whole(self.rtt_ms * 1e6 / 2.0));
        let mut config = LinkConfig::new(rate, delay, Limit::Packets(whole(self.packets()).max(1)));
        let back = config.clone();
        config.losses.extend((self.loss > 0.0).then_some(LossConfig::Bernoulli { p: self.loss }));
        let link = |name: &str, from, to, config: LinkConfig| LinkSpec {
            name: name.to_owned().into(),
            from,
            to,
            config: config.into(),
        };
        let config_of_tcp = Config { recovery: Recovery::Sack, ..Config::default() };
        let tcp = TcpSpec { controller, config: config_of_tcp };
        Network {
            agents: Vec::new(),
            nodes: vec!["sender".into(), "receiver".into()],
            links: vec![link("there", 0, 1, config), link("back", 1, 0, back)],
            flows: vec![FlowSpec::between(
                "flow",
                0,
                1,
                Traffic::Tcp(tcp.into(), Workload::Greedy),
            )],
            seed: 1,
            duration: TIME,
            warmup: Duration::ZERO,
            probes: Probes { windows: true, interval: TIME / 1_000, ..Probes::default() },
        }
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the numbers are positive and below 2^53"
)]
fn whole(x: f64) -> u64 {
    x.round() as u64
}

/// The largest window in each column of the plot.
fn columns(outcome: &Outcome) -> [u64; COLUMNS] {
    let mut most = [0; COLUMNS];
    for record in &outcome.records {
        let Point::Window { cwnd, .. } = record.what else { continue };
        let column = record.at.as_nanos() * COLUMNS as u64 / (TIME.as_nanos() + 1);
        if let Some(most) = usize::try_from(column).ok().and_then(|column| most.get_mut(column)) {
            *most = cwnd.whole().max(*most);
        }
    }
    // A window that does not change makes no points.
    for column in 1..COLUMNS {
        if most[column] == 0 {
            most[column] = most[column - 1];
        }
    }
    most
}

fn plot(outcome: &Outcome) -> String {
    let (columns, mut text) = (columns(outcome), String::new());
    let top = columns.iter().max().copied().unwrap_or(0).max(1);
    for row in (0..ROWS as u64).rev() {
        let label = if row + 1 == ROWS as u64 { top.to_string() } else { String::new() };
        let line: String = columns
            .iter()
            .map(|&cwnd| if cwnd * ROWS as u64 > row * top { '#' } else { ' ' })
            .collect();
        let _ = writeln!(text, "{label:>6} |{}", line.trim_end());
    }
    let _ = writeln!(
        text,
        "{:>6} +{} {} s",
        0,
        "-".repeat(COLUMNS - 5),
        TIME.as_nanos() / 1_000_000_000
    );
    text
}

fn report(name: &str, outcome: &Outcome) -> Option<String> {
    let flow = outcome.flows.first()?;
    let seconds = TIME.as_nanos() / 1_000_000_000;
    #[expect(clippy::cast_precision_loss, reason = "counts are below 2^53")]
    let (goodput, share) = (
        flow.delivered_bytes as f64 * 8e-6 / seconds as f64,
        100.0 * flow.retransmitted as f64 / flow.sent.max(1) as f64,
    );
    let rtt = flow.rtts.summary().map_or(Duration::ZERO, |summary| summary.mean);
    Some(format!(
        "{name}: {goodput:.2} Mbit/s, mean RTT {} ms, {share:.2} % resent, {} fast recoveries, {} timeouts\n\
         cwnd in segments\n{}",
        rtt.as_nanos() / 1_000_000,
        flow.fast_recoveries,
        flow.timeouts,
        plot(outcome)
    ))
}

fn tried(arguments: &[String]) -> Result<String, String> {
    let name = arguments.first().map_or("westwood+", String::as_str);
    let choice = Choice::named(name).ok_or_else(|| {
        let names: Vec<&str> = Choice::all().map(|choice| choice.info().name).collect();
        format!("there is no controller '{name}': write one of {}", names.join(", "))
    })?;
    let path = Path::of(arguments)?;
    let reno = Choice::named("reno").ok_or("there is no reno to compare with")?;
    let mut text = format!(
        "{} Mbit/s, {} ms, {} % lost, buffer of {} packets\n",
        path.mbit,
        path.rtt_ms,
        path.loss * 100.0,
        Segments::new(whole(path.packets()).max(1)).whole()
    );
    for (name, choice) in [(name, choice), ("reno", reno)] {
        let outcome = run(&path.network(choice)).map_err(|error| error.to_string())?;
        text += "\n";
        text += &report(name, &outcome).unwrap_or_default();
    }
    Ok(text)
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match tried(&arguments) {
        Ok(text) => {
            print!("{text}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("try_controller: {error}");
            ExitCode::from(2)
        }
    }
}
