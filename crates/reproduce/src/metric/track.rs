//! A quantity that holds its value until it changes, and statistics of it over time.

use super::Stat;

/// Values over time, in order of time; each holds until the next one.
#[derive(Clone, Debug, Default)]
pub(super) struct Track {
    pub(super) points: Vec<(f64, f64)>,
    /// Its end.
    pub(super) end: f64,
}

impl Track {
    /// The stretches within a span of time: when each begins, how long it is, its value.
    fn stretches(&self, from: f64, to: f64) -> impl Iterator<Item = (f64, f64, f64)> + '_ {
        let ends = self.points.iter().skip(1).map(|p| p.0).chain([self.end]);
        self.points.iter().zip(ends).filter_map(move |(&(start, value), end)| {
            let (start, end) = (start.max(from), end.min(to));
            (end > start).then_some((start, end - start, value))
        })
    }

    /// A statistic over a span of time; none if there is no value in it.
    pub(super) fn stat(&self, stat: Stat, from: f64, to: f64) -> Option<f64> {
        let weighted: Vec<(f64, f64)> =
            self.stretches(from, to).map(|(_, length, value)| (value, length)).collect();
        match stat {
            Stat::Slope => self.line(from, to, |v| v),
            Stat::Growth => self.line(from, to, f64::ln),
            _ => of_weighted(weighted, stat),
        }
    }

    /// The slope of the straight line through values at equal steps of time.
    fn line(&self, from: f64, to: f64, of: impl Fn(f64) -> f64) -> Option<f64> {
        const STEPS: u32 = 1_000;
        let (from, to) = (from.max(self.points.first()?.0), to.min(self.end));
        let step = (to - from) / f64::from(STEPS);
        let points = (0..STEPS).filter_map(|i| {
            let at = from + step * f64::from(i);
            self.at(at).map(|value| (at, of(value)))
        });
        let slope = crate::expr::slope_of(points);
        slope.is_finite().then_some(slope)
    }

    /// The value at a time; none before the first one.
    pub(super) fn at(&self, time: f64) -> Option<f64> {
        let next = self.points.partition_point(|p| p.0 <= time);
        next.checked_sub(1).map(|i| self.points[i].1)
    }

    /// The value at a time on the straight line between its neighbours, for quantities that grow:
    /// zero before the first point.
    pub(super) fn between(&self, time: f64) -> f64 {
        let next = self.points.partition_point(|p| p.0 <= time);
        let before = next.checked_sub(1).map_or((0.0, 0.0), |i| self.points[i]);
        match self.points.get(next) {
            Some(after) if after.0 > before.0 => {
                before.1 + (after.1 - before.1) * (time - before.0) / (after.0 - before.0)
            }
            _ => before.1,
        }
    }

    /// Points for a drawing, no more than so many columns of lowest and highest values.
    pub(super) fn drawn(&self, from: f64, to: f64) -> Vec<(f64, f64)> {
        const COLUMNS: usize = 400;
        let inside: Vec<(f64, f64)> =
            self.stretches(from, to).map(|(start, _, value)| (start, value)).collect();
        if inside.len() <= 2 * COLUMNS {
            return inside;
        }
        let mut envelope = westwood_report::reduce::Envelope::new(to - from, COLUMNS);
        for (at, value) in &inside {
            envelope.add(at - from, *value);
        }
        let samples = envelope.samples();
        #[expect(clippy::cast_precision_loss, reason = "a few hundred columns")]
        let step = (to - from) / samples.len() as f64;
        let place = |i: usize| {
            #[expect(clippy::cast_precision_loss, reason = "a few hundred columns")]
            let i = i as f64;
            from + step * (i + 0.5)
        };
        samples.iter().enumerate().filter_map(|(i, v)| v.map(|v| (place(i), v))).collect()
    }
}

/// A statistic of values with weights; none of nothing.
pub(super) fn of_weighted(mut values: Vec<(f64, f64)>, stat: Stat) -> Option<f64> {
    let total: f64 = values.iter().map(|(_, weight)| weight).sum();
    let (first, last) = (values.first()?.0, values.last()?.0);
    let mean =
        |of: &dyn Fn(f64) -> f64| values.iter().map(|(v, w)| of(*v) * w).sum::<f64>() / total;
    let std = || {
        let middle = mean(&|v| v);
        mean(&|v| (v - middle).powi(2)).sqrt()
    };
    Some(match stat {
        Stat::Mean => mean(&|v| v),
        Stat::Std => std(),
        Stat::Cv => std() / mean(&|v| v),
        Stat::Error(truth) => mean(&|v| (v - truth).abs() / truth),
        Stat::Min => values.iter().map(|p| p.0).fold(f64::INFINITY, f64::min),
        Stat::Max => values.iter().map(|p| p.0).fold(f64::NEG_INFINITY, f64::max),
        Stat::First => first,
        Stat::Last => last,
        Stat::Percentile(percent) => {
            values.sort_by(|a, b| a.0.total_cmp(&b.0));
            let due = total * percent / 100.0;
            let mut so_far = 0.0;
            let reached = values.iter().find(|(_, weight)| {
                so_far += weight;
                so_far >= due
            });
            reached.or(values.last())?.0
        }
        Stat::Slope | Stat::Growth | Stat::Series => return None,
    })
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "these sums are exact")]
mod tests {
    use super::*;

    /// 10 for 3 s, then 20 for 1 s.
    fn steps() -> Track {
        Track { points: vec![(0.0, 10.0), (3.0, 20.0)], end: 4.0 }
    }

    #[test]
    fn a_mean_counts_each_value_as_long_as_it_holds() {
        let stat = |stat, from, to| steps().stat(stat, from, to).unwrap();
        assert_eq!(stat(Stat::Mean, 0.0, 4.0), 12.5);
        assert_eq!(stat(Stat::Mean, 2.0, 4.0), 15.0);
        assert_eq!(stat(Stat::Percentile(75.0), 0.0, 4.0), 10.0);
        assert_eq!(stat(Stat::Percentile(76.0), 0.0, 4.0), 20.0);
        assert_eq!(stat(Stat::Error(10.0), 0.0, 4.0), 0.25);
        // Three quarters below for 3 s, half below for 1 s.
        assert_eq!(stat(Stat::Error(40.0), 0.0, 4.0), 0.6875);
        // A percentile does not depend on the order of the values.
        assert_eq!(of_weighted(vec![(20.0, 1.0), (10.0, 3.0)], Stat::Percentile(25.0)), Some(10.0));
        assert_eq!(steps().stat(Stat::Mean, 5.0, 6.0), None);
    }

    #[test]
    fn the_spread_and_the_ends_of_a_track_are_those_of_its_values_by_time() {
        let stat = |stat| steps().stat(stat, 0.0, 4.0).unwrap();
        // 3 s at 2.5 below the mean of 12.5 and 1 s at 7.5 above it: a variance of 18.75.
        assert!((stat(Stat::Std) - 4.330_127).abs() < 1e-6);
        assert!((stat(Stat::Cv) - 0.346_410).abs() < 1e-6);
        assert_eq!([stat(Stat::Min), stat(Stat::Max)], [10.0, 20.0]);
        assert_eq!([stat(Stat::First), stat(Stat::Last)], [10.0, 20.0]);
        assert_eq!(of_weighted(Vec::new(), Stat::Mean), None);
    }

    #[test]
    fn a_value_holds_from_its_own_time_on_and_a_growing_one_lies_between_its_neighbours() {
        let track = Track { points: vec![(1.0, 10.0), (3.0, 30.0)], end: 4.0 };
        assert_eq!(
            [0.9, 1.0, 2.9, 3.0, 9.0].map(|t| track.at(t)),
            [None, Some(10.0), Some(10.0), Some(30.0), Some(30.0)]
        );
        // From nothing at time zero, and no further than the last point.
        assert_eq!(
            [0.5, 1.0, 2.0, 2.5, 9.0].map(|t| track.between(t)),
            [5.0, 10.0, 20.0, 25.0, 30.0]
        );
        // The stretches of a span are cut at its ends.
        let stretches: Vec<_> = track.stretches(2.0, 3.5).collect();
        assert_eq!(stretches, [(2.0, 1.0, 10.0), (3.0, 0.5, 30.0)]);
    }

    #[test]
    fn slope_and_growth_are_those_of_the_law_that_made_the_values() {
        let of = |law: fn(f64) -> f64| Track {
            points: (0..10_000).map(|i| f64::from(i) / 100.0).map(|t| (t, law(t))).collect(),
            end: 100.0,
        };
        let line = of(|t| 5.0 + 0.25 * t).stat(Stat::Slope, 10.0, 90.0).unwrap();
        assert!((line - 0.25).abs() < 1e-3, "{line}");
        let growth = of(|t| 5.0 * (0.04 * t).exp()).stat(Stat::Growth, 10.0, 90.0).unwrap();
        assert!((growth - 0.04).abs() < 1e-4, "{growth}");
    }

    #[test]
    fn a_slope_is_that_of_its_span_and_of_no_time_beyond_the_track() {
        let law = |t: f64| if t < 50.0 { 5.0 } else { 5.0 + 0.25 * (t - 50.0) };
        let points = (0..10_000).map(|i| f64::from(i) / 100.0).map(|t| (t, law(t))).collect();
        let track = Track { points, end: 100.0 };
        for (from, to, slope) in [(0.0, 50.0, 0.0), (50.0, 100.0, 0.25), (50.0, 200.0, 0.25)] {
            let found = track.stat(Stat::Slope, from, to).unwrap();
            assert!((found - slope).abs() < 1e-3, "{from} to {to}: {found}");
        }
    }

    #[test]
    fn a_part_of_a_long_track_is_drawn_at_its_own_times() {
        let mut points: Vec<(f64, f64)> = (0..100_000).map(|i| (f64::from(i), 1.0)).collect();
        points[70_000].1 = 99.0;
        let drawn = Track { points, end: 100_000.0 }.drawn(50_000.0, 90_000.0);
        let peak = drawn.iter().find(|p| p.1 > 98.0).unwrap();
        // Of 400 columns one is 100 wide.
        assert!((peak.0 - 70_000.0).abs() < 200.0, "{}", peak.0);
    }

    #[test]
    fn a_long_track_is_drawn_with_its_peak() {
        let mut points: Vec<(f64, f64)> = (0..100_000).map(|i| (f64::from(i), 1.0)).collect();
        points[70_000].1 = 99.0;
        let drawn = Track { points, end: 100_000.0 }.drawn(0.0, 100_000.0);
        assert!(drawn.len() < 1_000 && drawn.iter().any(|p| p.1 > 98.0), "{}", drawn.len());
    }
}
