//! The value of a query for a run.

use serde::{Deserialize, Serialize};
use westwood_cc::{Instant, Segments};
use westwood_experiment::run::{GroupRecord, LinkRecord, Notes, RunRecord, RunResult, SeriesValue};
use westwood_experiment::stats::jain;
use westwood_scenario::dumbbell::bps;

use super::track::{Track, of_weighted};
use super::{FlowStatistic, Flows, PaperMetric, Query, ReductionSide, Stat};

/// The value of a query: a number, or a curve over time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum MetricOutcome {
    /// A number; none if the run has none, such as the estimate of a controller without one.
    Number(Option<f64>),
    /// Points in order of time.
    Curve(Vec<(f64, f64)>),
    /// The goodput of each flow, bit/s.
    Flows(Vec<f64>),
}

/// The values of these queries for a run.
pub fn measure(queries: &[Query], finished: &RunResult) -> Vec<MetricOutcome> {
    let tracks = Tracks::of(finished);
    queries.iter().map(|query| QueriedRun { query, finished, tracks: &tracks }.outcome()).collect()
}

/// A window reduction of a flow: when, and the values before and after it.
#[derive(Clone, Copy, Debug)]
struct ReductionPoint {
    at: f64,
    before: Windows,
    after: Windows,
}

/// The windows of a sender at a time.
#[derive(Clone, Copy, Debug, Default)]
struct Windows {
    cwnd: Option<f64>,
    ssthresh: Option<f64>,
    bwe: Option<f64>,
}

/// The time series of a run, by flow and by link.
#[derive(Debug, Default)]
struct Tracks {
    flows: Vec<FlowTracks>,
    queues: Vec<Track>,
    end: f64,
}

#[derive(Clone, Debug, Default)]
struct FlowTracks {
    cwnd: Track,
    ssthresh: Track,
    bwe: Track,
    delivered: Track,
    rtts: Vec<(f64, f64)>,
    /// The estimates beside the controller's own, by name.
    estimator_track: Vec<(&'static str, Track)>,
    reductions: Vec<ReductionPoint>,
    now: Windows,
}

impl Tracks {
    fn of(finished: &RunResult) -> Self {
        let end = finished.record.summary.as_ref().map_or(0.0, |run| run.sim_s);
        let mut all = Self {
            flows: vec![FlowTracks::default(); finished.flows.len()],
            queues: vec![Track::default(); finished.links.len()],
            end,
        };
        for record in &finished.series {
            all.add(seconds(record.at), &record.what);
        }
        for flow in &mut all.flows {
            let tracks = [&mut flow.cwnd, &mut flow.ssthresh, &mut flow.bwe, &mut flow.delivered];
            for track in
                tracks.into_iter().chain(flow.estimator_track.iter_mut().map(|(_, track)| track))
            {
                track.end = end;
            }
        }
        for track in &mut all.queues {
            track.end = end;
        }
        all
    }

    #[expect(clippy::cast_precision_loss, reason = "counts of one run are far below 2^53")]
    fn add(&mut self, at: f64, what: &SeriesValue) {
        match what {
            SeriesValue::Window { flow, cwnd, ssthresh, bwe, cause } => {
                let Some(flow) = self.flows.get_mut(*flow) else { return };
                let now = Windows {
                    cwnd: Some(packets(*cwnd)),
                    ssthresh: (*ssthresh < Segments::MAX).then(|| packets(*ssthresh)),
                    bwe: bwe.map(bps),
                };
                flow.window(at, now, cause.as_ref().is_some_and(Notes::is_reduction));
            }
            SeriesValue::Rtt { flow, rtt } => {
                if let Some(flow) = self.flows.get_mut(*flow) {
                    flow.rtts.push((at, rtt.as_nanos() as f64 / 1e9));
                }
            }
            SeriesValue::Delivered { flow, bytes } => {
                if let Some(flow) = self.flows.get_mut(*flow) {
                    flow.delivered.points.push((at, *bytes as f64));
                }
            }
            SeriesValue::Queue { link, packets } => {
                if let Some(queue) = self.queues.get_mut(*link) {
                    queue.points.push((at, *packets as f64));
                }
            }
            SeriesValue::Estimate { flow, kind, bwe } => {
                if let Some(flow) = self.flows.get_mut(*flow) {
                    flow.estimator_track(kind.name()).points.push((at, bps(*bwe)));
                }
            }
            SeriesValue::Drop { .. } => {}
        }
    }
}

impl FlowTracks {
    /// The track of an estimator beside the controller.
    fn estimator_track(&mut self, name: &'static str) -> &mut Track {
        let found = self.estimator_track.iter().position(|(n, _)| *n == name);
        let at = found.unwrap_or_else(|| {
            self.estimator_track.push((name, Track::default()));
            self.estimator_track.len() - 1
        });
        &mut self.estimator_track[at].1
    }

    fn window(&mut self, at: f64, now: Windows, reduced: bool) {
        if reduced {
            self.reductions.push(ReductionPoint { at, before: self.now, after: now });
        }
        self.now = now;
        let pairs = [
            (&mut self.cwnd, now.cwnd),
            (&mut self.ssthresh, now.ssthresh),
            (&mut self.bwe, now.bwe),
        ];
        for (track, value) in pairs {
            track.points.extend(value.map(|value| (at, value)));
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "2^53 ns are 104 days, longer than any run")]
fn seconds(at: Instant) -> f64 {
    at.as_nanos() as f64 / 1e9
}

#[expect(clippy::cast_precision_loss, reason = "a window needs no more than 53 bits")]
fn packets(window: Segments) -> f64 {
    window.raw() as f64 / 2_f64.powi(32)
}

/// A query and the run that it is about.
struct QueriedRun<'a> {
    query: &'a Query,
    finished: &'a RunResult,
    tracks: &'a Tracks,
}

impl<'a> QueriedRun<'a> {
    fn outcome(&self) -> MetricOutcome {
        if self.query.of_means {
            return MetricOutcome::Flows(self.goodputs());
        }
        if self.query.is_series() {
            return MetricOutcome::Curve(self.curve().unwrap_or_default());
        }
        MetricOutcome::Number(self.number().filter(|x| x.is_finite()))
    }

    fn record(&self) -> &'a RunRecord {
        &self.finished.record
    }

    fn group(&self) -> Option<&'a GroupRecord> {
        let mut groups = self.record().groups.iter();
        match &self.query.group {
            Some(name) => groups.find(|group| group.name == *name),
            None => groups.find(|group| group.tested),
        }
    }

    fn link(&self) -> Option<&'a LinkRecord> {
        let name = self.query.link.as_deref().unwrap_or(&self.finished.measured_link);
        self.record().links.iter().find(|link| link.name == name)
    }

    fn span(&self) -> (f64, f64) {
        let query = self.query;
        (query.from.unwrap_or(self.finished.warmup_s), query.to.unwrap_or(self.tracks.end))
    }

    /// The tracks of the group's flows.
    fn flows(&self) -> Vec<&'a FlowTracks> {
        let group = self.group();
        let names = group.iter().flat_map(|group| &group.flows).map(|flow| &flow.name);
        let place = |name: &String| self.finished.flows.iter().position(|n| n == name);
        names.filter_map(place).filter_map(|i| self.tracks.flows.get(i)).collect()
    }

    #[expect(clippy::cast_precision_loss, reason = "counts of one run are far below 2^53")]
    fn number(&self) -> Option<f64> {
        let query = self.query;
        let (from, to) = self.span();
        match query.metric {
            PaperMetric::Goodput | PaperMetric::Delivered => self.goodput(),
            PaperMetric::Jain => self.jain(),
            PaperMetric::Throughput => self.group().map(|g| g.throughput_bps),
            PaperMetric::Retransmissions => self.of_group(
                |g| g.retransmission_ratio,
                |f| f.retransmitted_packets as f64 / (f.sent_packets as f64).max(1.0),
            ),
            PaperMetric::Recoveries => {
                self.of_group(|g| g.fast_recoveries as f64, |f| f.fast_recoveries as f64)
            }
            PaperMetric::Timeouts => self.of_group(|g| g.timeouts as f64, |f| f.timeouts as f64),
            PaperMetric::Rtt => self.rtt(),
            PaperMetric::Utilization => self.link().map(|link| link.utilization),
            PaperMetric::Queue => self.queue(),
            PaperMetric::Drops => self.link().map(|link| {
                let d = link.drops;
                (match query.cause.as_deref() {
                    Some("overflow") => d.overflow,
                    Some("random") => d.random,
                    Some("aqm") => d.aqm,
                    _ => d.overflow + d.random + d.aqm + d.policer,
                }) as f64
            }),
            PaperMetric::Cwnd => self.windows(|t| &t.cwnd, |w| w.cwnd),
            PaperMetric::Ssthresh => self.windows(|t| &t.ssthresh, |w| w.ssthresh),
            PaperMetric::Bwe if query.estimator.is_some() => self.estimates(),
            PaperMetric::Bwe => self.windows(|t| &t.bwe, |w| w.bwe),
            PaperMetric::Reductions => self.across(FlowStatistic::Sum, |flow| {
                Some(flow.reductions.iter().filter(|r| (from..=to).contains(&r.at)).count() as f64)
            }),
            PaperMetric::ReductionTime => {
                self.of_flow(|flow| self.chosen(flow).next().map(|reduction| reduction.at))
            }
            PaperMetric::Recovery => self.of_flow(|flow| self.recovery(flow)),
            PaperMetric::Climb => self.of_flow(|flow| self.climb(flow)),
        }
    }

    /// The group's own value, or a statistic over its flows.
    fn of_group(
        &self,
        whole: impl Fn(&GroupRecord) -> f64,
        each: impl Fn(&westwood_experiment::run::GroupFlow) -> f64,
    ) -> Option<f64> {
        let group = self.group()?;
        let values = || group.flows.iter().map(&each).collect::<Vec<f64>>();
        match self.query.flows {
            Flows::Usual => Some(whole(group)),
            Flows::One(n) => values().get(n - 1).copied(),
            Flows::Over(across) => reduce(&values(), across),
        }
    }

    /// A value of the first flow, of another one, or a statistic over all.
    fn of_flow(&self, of: impl Fn(&FlowTracks) -> Option<f64>) -> Option<f64> {
        let flows = self.flows();
        match self.query.flows {
            Flows::Usual => of(flows.first()?),
            Flows::One(n) => of(flows.get(n - 1)?),
            Flows::Over(across) => {
                let values: Vec<f64> = flows.into_iter().filter_map(of).collect();
                reduce(&values, across)
            }
        }
    }

    /// As [`of_flow`](Self::of_flow), but over all flows if nothing else is said.
    fn across(&self, usual: FlowStatistic, of: impl Fn(&FlowTracks) -> Option<f64>) -> Option<f64> {
        if self.query.flows != Flows::Usual {
            return self.of_flow(of);
        }
        let values: Vec<f64> = self.flows().into_iter().filter_map(of).collect();
        reduce(&values, usual)
    }

    /// Goodput in bit/s, or payload in bytes.
    fn goodput(&self) -> Option<f64> {
        let query = self.query;
        let bytes = query.metric == PaperMetric::Delivered;
        if query.series().is_empty() {
            let measured = self.tracks.end - self.finished.warmup_s;
            let scale = if bytes { measured / 8.0 } else { 1.0 };
            return self.of_group(|g| g.goodput_bps * scale, |f| f.goodput_bps * scale);
        }
        let (from, to) = self.span();
        if let (Some(stat), Some(interval)) = (query.stat, query.interval) {
            let values = self
                .spans(interval)
                .map(|(start, end)| (self.rates(start, end).iter().sum::<f64>(), 1.0));
            return of_weighted(values.collect(), stat);
        }
        let scale = if bytes { (to - from) / 8.0 } else { 1.0 };
        let rates = self.rates(from, to);
        match query.flows {
            Flows::Usual => Some(rates.iter().sum::<f64>() * scale),
            Flows::One(n) => rates.get(n - 1).map(|rate| rate * scale),
            Flows::Over(across) => reduce(&rates, across).map(|rate| rate * scale),
        }
    }

    /// The goodput of each flow over the measuring interval.
    fn goodputs(&self) -> Vec<f64> {
        let flows = self.group().into_iter().flat_map(|group| &group.flows);
        flows.map(|flow| flow.goodput_bps).collect()
    }

    /// The goodput of each flow over a span of time.
    fn rates(&self, from: f64, to: f64) -> Vec<f64> {
        let rate = |flow: &FlowTracks| {
            (flow.delivered.between(to) - flow.delivered.between(from)) * 8.0 / (to - from)
        };
        self.flows().into_iter().map(rate).collect()
    }

    /// Spans of this length, from beginning to end.
    fn spans(&self, interval: f64) -> impl Iterator<Item = (f64, f64)> + use<> {
        let (from, to) = self.span();
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "limited")]
        let count = ((to - from) / interval + 1e-9).clamp(0.0, 1e6) as u32;
        (0..count).map(move |i| {
            let start = from + interval * f64::from(i);
            (start, start + interval)
        })
    }

    fn jain(&self) -> Option<f64> {
        let query = self.query;
        if query.series().is_empty() {
            return self.group().map(|group| group.jain);
        }
        let (from, to) = self.span();
        match (query.interval, query.stat) {
            (Some(interval), Some(stat)) => {
                let values = self.spans(interval).map(|(a, b)| (jain(&self.rates(a, b)), 1.0));
                of_weighted(values.collect(), stat)
            }
            _ => Some(jain(&self.rates(from, to))),
        }
    }

    fn rtt(&self) -> Option<f64> {
        let query = self.query;
        let stat = query.stat.unwrap_or(Stat::Mean);
        if query.series().is_empty() {
            let group = self.group()?;
            let rtt = group.rtt_ms?;
            let ms = match stat {
                Stat::Min => rtt.min,
                Stat::Percentile(p) if p < 90.0 => rtt.p50,
                Stat::Percentile(p) if p < 97.0 => rtt.p95,
                Stat::Percentile(_) => rtt.p99,
                _ => rtt.mean,
            };
            return Some(ms / 1e3);
        }
        let (from, to) = self.span();
        self.of_flow(|flow| {
            let inside = flow.rtts.iter().filter(|(at, _)| (from..to).contains(at));
            of_weighted(inside.map(|(_, rtt)| (*rtt, 1.0)).collect(), stat)
        })
    }

    #[expect(clippy::cast_precision_loss, reason = "a queue is far below 2^53 packets")]
    fn queue(&self) -> Option<f64> {
        let link = self.link()?;
        let stat = self.query.stat.unwrap_or(Stat::Mean);
        if self.query.series().is_empty() {
            let queue = link.queue_packets;
            return Some(match stat {
                Stat::Max => queue.max as f64,
                Stat::Percentile(_) => queue.p95 as f64,
                _ => queue.mean,
            });
        }
        let (from, to) = self.span();
        self.queue_track()?.stat(stat, from, to)
    }

    fn queue_track(&self) -> Option<&'a Track> {
        let name = &self.link()?.name;
        let place = self.finished.links.iter().position(|link| link == name)?;
        self.tracks.queues.get(place)
    }

    /// A statistic of the windows over time, or at reductions.
    fn windows(
        &self,
        track: impl Fn(&FlowTracks) -> &Track,
        value: impl Fn(&Windows) -> Option<f64>,
    ) -> Option<f64> {
        let (from, to) = self.span();
        let stat = self.query.stat.unwrap_or(Stat::Mean);
        self.of_flow(|flow| {
            let Some(when) = self.query.when else {
                return track(flow).stat(stat, from, to);
            };
            let side = |r: &ReductionPoint| match when {
                ReductionSide::Before => value(&r.before),
                ReductionSide::After => value(&r.after),
            };
            let values = self.chosen(flow).filter_map(side).map(|value| (value, 1.0));
            of_weighted(values.collect(), stat)
        })
    }

    /// The track of the estimator that is asked for.
    fn estimator_track<'f>(&self, flow: &'f FlowTracks) -> Option<&'f Track> {
        let name = self.query.estimator.as_deref()?;
        flow.estimator_track.iter().find(|(n, _)| *n == name).map(|(_, track)| track)
    }

    /// A statistic of it over time, or at reductions: before and after are then the same.
    fn estimates(&self) -> Option<f64> {
        let (from, to) = self.span();
        let stat = self.query.stat.unwrap_or(Stat::Mean);
        self.of_flow(|flow| {
            let track = self.estimator_track(flow)?;
            if self.query.when.is_none() {
                return track.stat(stat, from, to);
            }
            let values = self.chosen(flow).filter_map(|r| track.at(r.at)).map(|x| (x, 1.0));
            of_weighted(values.collect(), stat)
        })
    }

    /// The reductions of a flow within the span of time, or the one with the number that is asked
    /// for.
    fn chosen<'f>(
        &self,
        flow: &'f FlowTracks,
    ) -> impl Iterator<Item = &'f ReductionPoint> + use<'f> {
        let (from, to) = self.span();
        let nth = match (self.query.nth, self.query.metric) {
            (None, PaperMetric::ReductionTime) => Some(1),
            (nth, _) => nth,
        };
        let inside = flow.reductions.iter().filter(move |r| (from..=to).contains(&r.at));
        inside.zip(1..).filter(move |(_, i)| nth.is_none_or(|n| n == *i)).map(|(r, _)| r)
    }

    /// The mean time from a reduction to the window `level`.
    fn recovery(&self, flow: &FlowTracks) -> Option<f64> {
        let level = self.query.level?;
        let mut times = Vec::new();
        for reduction in self.chosen(flow) {
            let later = flow.cwnd.points.iter().skip_while(|(at, _)| *at <= reduction.at);
            let next = flow.reductions.iter().find(|r| r.at > reduction.at).map(|r| r.at);
            let reached = later.take_while(|(at, _)| next.is_none_or(|next| *at < next));
            times.extend(reached.clone().find(|p| p.1 >= level).map(|p| (p.0 - reduction.at, 1.0)));
        }
        of_weighted(times, Stat::Mean)
    }

    /// The time from the window `low` to the window `high`.
    fn climb(&self, flow: &FlowTracks) -> Option<f64> {
        let (from, to) = self.span();
        let (low, high) = (self.query.low?, self.query.high?);
        let mut inside = flow.cwnd.points.iter().filter(|(at, _)| (from..=to).contains(at));
        let start = inside.find(|p| p.1 >= low)?;
        let end = std::iter::once(start).chain(inside).find(|p| p.1 >= high)?;
        Some(end.0 - start.0)
    }

    /// The values over time.
    fn curve(&self) -> Option<Vec<(f64, f64)>> {
        let query = self.query;
        let (from, to) = (query.from.unwrap_or(0.0), query.to.unwrap_or(self.tracks.end));
        if let Some(interval) = query.interval {
            let spans = || self.spans(interval);
            let middle = |a: f64, b: f64| f64::midpoint(a, b);
            let curve: Vec<(f64, f64)> = match query.metric {
                PaperMetric::Jain => {
                    spans().map(|(a, b)| (middle(a, b), jain(&self.rates(a, b)))).collect()
                }
                _ => {
                    spans().filter_map(|(a, b)| Some((middle(a, b), self.rate_of(a, b)?))).collect()
                }
            };
            return Some(Track { points: curve, end: to }.drawn(from, to));
        }
        let flows = self.flows();
        let flow = match query.flows {
            Flows::One(n) => flows.get(n - 1)?,
            Flows::Usual | Flows::Over(_) => flows.first()?,
        };
        Some(match query.metric {
            PaperMetric::Cwnd => flow.cwnd.drawn(from, to),
            PaperMetric::Ssthresh => flow.ssthresh.drawn(from, to),
            PaperMetric::Bwe if query.estimator.is_some() => {
                self.estimator_track(flow)?.drawn(from, to)
            }
            PaperMetric::Bwe => flow.bwe.drawn(from, to),
            PaperMetric::Delivered | PaperMetric::Goodput => flow.delivered.drawn(from, to),
            PaperMetric::Queue => self.queue_track()?.drawn(from, to),
            PaperMetric::Rtt => Track { points: flow.rtts.clone(), end: to }.drawn(from, to),
            _ => return None,
        })
    }

    /// The goodput that is asked for over a span of time.
    fn rate_of(&self, from: f64, to: f64) -> Option<f64> {
        let rates = self.rates(from, to);
        match self.query.flows {
            Flows::Usual => Some(rates.iter().sum()),
            Flows::One(n) => rates.get(n - 1).copied(),
            Flows::Over(across) => reduce(&rates, across),
        }
    }
}

fn reduce(values: &[f64], across: FlowStatistic) -> Option<f64> {
    let weighted = || values.iter().map(|v| (*v, 1.0)).collect::<Vec<_>>();
    let stat = |stat| of_weighted(weighted(), stat);
    match across {
        FlowStatistic::Sum => Some(values.iter().sum()),
        FlowStatistic::Mean => stat(Stat::Mean),
        FlowStatistic::Min => stat(Stat::Min),
        FlowStatistic::Max => stat(Stat::Max),
        FlowStatistic::Std => stat(Stat::Std),
        FlowStatistic::Cv => stat(Stat::Cv),
        FlowStatistic::Spread => Some(stat(Stat::Max)? - stat(Stat::Min)?),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statistics_over_flows_count_each_flow_once() {
        let expected = [
            (FlowStatistic::Sum, 12.0),
            (FlowStatistic::Mean, 4.0),
            (FlowStatistic::Min, 1.0),
            (FlowStatistic::Max, 8.0),
            (FlowStatistic::Spread, 7.0),
            // Distances of 3, 1 and 4 from the mean: a variance of 26/3.
            (FlowStatistic::Std, 2.943_920),
            (FlowStatistic::Cv, 0.735_980),
        ];
        for (across, value) in expected {
            let found = reduce(&[1.0, 3.0, 8.0], across).unwrap();
            assert!((found - value).abs() < 1e-6, "{across:?}: {found}");
        }
        assert_eq!(reduce(&[], FlowStatistic::Spread), None);
        assert_eq!(reduce(&[], FlowStatistic::Sum), Some(0.0));
    }
}
