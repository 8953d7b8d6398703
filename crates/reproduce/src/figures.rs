//! The figures of a paper with the lines of its runs: pages and JSON have them from here.

use westwood_report::figure::{Chart, ChartBand, ChartLine, ChartPoint};

use crate::drawn::DrawnFigure;
use crate::expr::{Expr, ExprValue};
use crate::paper::{FigureBand, Paper, PaperFigure};
use crate::plan::scope;
use crate::results::JudgedClaim;
use crate::runs::{PaperRuns, estimate};
use crate::text;

/// The figures of a paper whose runs are there. `claims` are those whose numbers are drawn in.
pub(crate) fn drawn(
    paper: &Paper,
    claims: &[JudgedClaim],
    runs: &mut PaperRuns<'_>,
) -> Vec<DrawnFigure> {
    let figures = paper.figures.iter();
    figures.filter_map(|figure| one(paper, figure, claims, runs)).collect()
}

fn one(
    paper: &Paper,
    figure: &PaperFigure,
    claims: &[JudgedClaim],
    runs: &mut PaperRuns<'_>,
) -> Option<DrawnFigure> {
    let lines: Option<Vec<ChartLine>> =
        figure.lines.iter().map(|named| line(paper, figure, named, runs)).collect();
    Some(DrawnFigure {
        paper: paper.key.clone(),
        id: figure.id.clone(),
        title: figure.title.clone(),
        experiment: figure.experiment.clone(),
        said: figure.said.clone(),
        chart: Chart {
            title: text::heading(&figure.id, &figure.title),
            x: figure.x.clone(),
            y: figure.y.clone(),
            x_log: figure.x_log,
            y_log: figure.y_log,
            x_range: figure.x_range,
            y_range: figure.y_range,
            x_names: figure.x_names.clone(),
            lines: lines?,
            bands: figure.bands.iter().filter_map(|band| accepted(band, claims)).collect(),
        },
    })
}

/// A line with its intervals; none if its runs are missing.
fn line(
    paper: &Paper,
    figure: &PaperFigure,
    (name, expr): &(String, Expr),
    runs: &mut PaperRuns<'_>,
) -> Option<ChartLine> {
    let found = estimate(expr, &scope(paper, figure.experiment.as_deref()), runs)?;
    let ExprValue::Curve(curve) = found.value else { return None };
    // Of few seeds an end is not known, and nothing is drawn.
    let interval = |i: usize| {
        let interval = found.intervals.as_ref().and_then(|all| all.get(i)).copied();
        interval.filter(|(low, high)| low.is_finite() && high.is_finite() && low < high)
    };
    let points = curve.points().enumerate();
    let points =
        points.map(|(i, (x, y))| ChartPoint { x: x / figure.x_unit, y, interval: interval(i) });
    let mut points: Vec<ChartPoint> = points.collect();
    if figure.x.starts_with("time") {
        hold(&mut points);
    }
    Some(ChartLine { name: name.clone(), points })
}

/// Where a quantity over time keeps its value, it leaves no points, and a straight line to its next value
/// would show a slope. The last moment of its old value becomes a point.
fn hold(points: &mut Vec<ChartPoint>) {
    /// A gap is a stretch without change from so many usual ones on, and from this share of the whole on.
    const USUAL: f64 = 8.0;
    const SHARE: f64 = 0.02;
    let mut gaps: Vec<f64> = points.windows(2).map(|pair| pair[1].x - pair[0].x).collect();
    gaps.sort_by(f64::total_cmp);
    let Some(&usual) = gaps.get(gaps.len() / 2) else { return };
    let long = (USUAL * usual).max(SHARE * gaps.iter().sum::<f64>());
    let next: Vec<f64> = points.iter().skip(1).map(|point| point.x).collect();
    let mut held = Vec::with_capacity(points.len());
    for (i, point) in points.iter().enumerate() {
        held.push(*point);
        if let Some(next) = next.get(i).filter(|&next| next - point.x > long) {
            held.push(ChartPoint { x: next - usual.min((next - point.x) / 2.0), ..*point });
        }
    }
    *points = held;
}

/// A claim's number in the unit of the vertical axis; none if its runs are missing.
fn accepted(band: &FigureBand, claims: &[JudgedClaim]) -> Option<ChartBand> {
    let claim = claims.iter().find(|claim| claim.id == band.claim)?;
    let is_part = |(name, _): &(Option<String>, String)| *name == band.part;
    let part = match &band.part {
        None => 0,
        Some(_) => claim.names.iter().position(is_part)?,
    };
    let strip = claim.strips().into_iter().nth(part)?;
    let scaled = |x: f64| x * band.scale;
    Some(ChartBand {
        name: claim.id.clone(),
        x: band.x,
        accepted: (strip.accepted.0.map(scaled), strip.accepted.1.map(scaled)),
        paper: strip.paper.map(|(low, high)| (scaled(low), scaled(high))),
        seeds: strip.seeds.into_iter().map(scaled).collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(points: &[(f64, f64)]) -> Vec<ChartPoint> {
        points.iter().map(|&(x, y)| ChartPoint { x, y, interval: None }).collect()
    }

    #[test]
    fn a_window_that_stands_still_is_drawn_level_until_it_changes() {
        let mut points = line(&[(0.0, 1.0), (1.0, 9.0), (181.0, 3.0), (182.0, 3.5), (183.0, 4.0)]);
        hold(&mut points);
        assert_eq!(points.len(), 6);
        assert!((points[2].x - 180.0).abs() < 1e-9 && (points[2].y - 9.0).abs() < 1e-9);
    }

    #[test]
    fn values_at_equal_steps_are_joined_as_they_are() {
        let mut points: Vec<ChartPoint> = (0..5_u8)
            .map(|i| ChartPoint { x: f64::from(i) * 50.0, y: f64::from(i), interval: None })
            .collect();
        hold(&mut points);
        assert_eq!(points.len(), 5);
        let mut none = line(&[(0.0, 1.0)]);
        hold(&mut none);
        assert_eq!(none.len(), 1);
    }
}
