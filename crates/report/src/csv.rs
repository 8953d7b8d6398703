//! Results as tables of comma-separated values (RFC 4180), units in the column names.

use std::fmt::{Display, Write as _};

use westwood_cc::{Instant, Segments};
use westwood_scenario::compare::Series;
use westwood_scenario::dumbbell::{bps, millis};
use westwood_scenario::results::{Report, Run};

/// A file's name and text.
pub type File = (&'static str, String);

/// The names of all files, in the order in which they are written.
pub const NAMES: [&str; 5] = ["runs.csv", "flows.csv", "cwnd.csv", "queue.csv", "rtt.csv"];

/// All files of a comparison.
pub fn render(report: &Report, series: &[Series]) -> [File; 5] {
    let [runs_name, flows_name, cwnd_name, queue_name, rtt_name] = NAMES;
    [
        (runs_name, runs(report)),
        (flows_name, flows(report)),
        (cwnd_name, cwnd(series)),
        (queue_name, queue(series)),
        (rtt_name, rtt(series)),
    ]
}

fn runs(report: &Report) -> String {
    let mut text = String::from(
        "cc,recovery,seed,goodput_bps,throughput_bps,utilization,retransmission_ratio,\
         fast_recoveries,timeouts,jain,rtt_min_ms,rtt_mean_ms,rtt_p50_ms,rtt_p95_ms,rtt_p99_ms,\
         queue_mean_packets,queue_p95_packets,queue_max_packets,drops_overflow_packets,\
         drops_aqm_packets,drops_random_packets,against_goodput_bps,reverse_goodput_bps,\
         data_packets,events,sim_s,wall_s\n",
    );
    for run in &report.runs {
        row(&mut text, &run_fields(run));
    }
    text
}

fn run_fields(run: &Run) -> Vec<String> {
    let rtt = |pick: fn(&westwood_scenario::results::RttMs) -> f64| {
        or_empty(run.rtt_ms.as_ref().map(pick))
    };
    vec![
        run.cc.clone(),
        run.recovery.clone(),
        run.seed.to_string(),
        run.goodput_bps.to_string(),
        run.throughput_bps.to_string(),
        run.utilization.to_string(),
        run.retransmission_ratio.to_string(),
        run.fast_recoveries.to_string(),
        run.timeouts.to_string(),
        run.jain.to_string(),
        rtt(|r| r.min),
        rtt(|r| r.mean),
        rtt(|r| r.p50),
        rtt(|r| r.p95),
        rtt(|r| r.p99),
        run.queue_packets.mean.to_string(),
        run.queue_packets.p95.to_string(),
        run.queue_packets.max.to_string(),
        run.drops.overflow.to_string(),
        run.drops.aqm.to_string(),
        run.drops.random.to_string(),
        or_empty(run.against_goodput_bps),
        or_empty(run.reverse_goodput_bps),
        run.data_packets.to_string(),
        run.events.to_string(),
        run.sim_s.to_string(),
        run.wall_s.to_string(),
    ]
}

fn flows(report: &Report) -> String {
    let mut text = String::from("run_cc,seed,flow,flow_cc,goodput_bps,base_rtt_ms,fct_ms\n");
    for run in &report.runs {
        for (flow, number) in run.flows.iter().zip(1..) {
            let number: u64 = number;
            row(
                &mut text,
                &[
                    run.cc.clone(),
                    run.seed.to_string(),
                    number.to_string(),
                    flow.cc.clone(),
                    flow.goodput_bps.to_string(),
                    flow.base_rtt_ms.to_string(),
                    or_empty(flow.fct_ms),
                ],
            );
        }
    }
    text
}

fn cwnd(series: &[Series]) -> String {
    let mut text =
        String::from("cc,seed,flow,time_s,cwnd_packets,ssthresh_packets,bwe_bps,cause\n");
    for s in series {
        for p in &s.windows {
            let ssthresh = (p.ssthresh < Segments::MAX).then(|| packets(p.ssthresh));
            row(
                &mut text,
                &[
                    s.cc.clone(),
                    s.seed.to_string(),
                    (p.flow + 1).to_string(),
                    time(p.at),
                    packets(p.cwnd),
                    or_empty(ssthresh),
                    or_empty(p.bwe.map(bps)),
                    or_empty(p.cause.as_deref()),
                ],
            );
        }
    }
    text
}

fn queue(series: &[Series]) -> String {
    let mut text = String::from("cc,seed,time_s,queue_packets\n");
    for s in series {
        for (at, n) in &s.queue {
            row(&mut text, &[s.cc.clone(), s.seed.to_string(), time(*at), n.to_string()]);
        }
    }
    text
}

fn rtt(series: &[Series]) -> String {
    let mut text = String::from("cc,seed,flow,time_s,rtt_ms\n");
    for s in series {
        for (at, flow, rtt) in &s.rtts {
            let flow = (flow + 1).to_string();
            let sample = millis(*rtt).to_string();
            row(&mut text, &[s.cc.clone(), s.seed.to_string(), flow, time(*at), sample]);
        }
    }
    text
}

fn or_empty(value: Option<impl Display>) -> String {
    value.map(|v| v.to_string()).unwrap_or_default()
}

/// Seconds with nine places: exact.
fn time(at: Instant) -> String {
    let ns = at.as_nanos();
    format!("{}.{:09}", ns / 1_000_000_000, ns % 1_000_000_000)
}

/// Packets with three places.
fn packets(w: Segments) -> String {
    let thousandths = ((w.raw() & 0xffff_ffff) * 1_000) >> 32;
    format!("{}.{thousandths:03}", w.whole())
}

/// Appends a line of values, quoted where they need it.
pub(crate) fn row(text: &mut String, fields: &[String]) {
    for (i, field) in fields.iter().enumerate() {
        let comma = if i == 0 { "" } else { "," };
        let _ = if field.contains([',', '"', '\n', '\r']) {
            write!(text, "{comma}\"{}\"", field.replace('"', "\"\""))
        } else {
            write!(text, "{comma}{field}")
        };
    }
    text.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_with_commas_and_quotes_are_quoted() {
        let mut text = String::new();
        row(&mut text, &["a(b=1,c=2)".to_owned(), "say \"x\"".to_owned(), "1".to_owned()]);
        assert_eq!(text, "\"a(b=1,c=2)\",\"say \"\"x\"\"\",1\n");
    }

    #[test]
    fn times_are_exact() {
        assert_eq!(time(Instant::from_nanos(1_000_000_001)), "1.000000001");
        assert_eq!(packets(Segments::from_raw(3 << 31)), "1.500");
    }
}
