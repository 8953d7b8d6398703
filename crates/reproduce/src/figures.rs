//! The figures of a paper with the lines of its runs: pages and JSON have them from here.

use westwood_report::figure::{Chart, ChartBand, ChartLine, ChartPoint};

use crate::drawn::DrawnFigure;
use crate::expr::{Expr, ExprValue};
use crate::paper::{FigureBand, Paper, PaperFigure};
use crate::plan::scope;
use crate::results::Judged;
use crate::runs::{PaperRuns, estimate};
use crate::text;

/// The figures of a paper whose runs are there. `claims` are those whose numbers are drawn in.
pub(crate) fn drawn(
    paper: &Paper,
    claims: &[Judged],
    runs: &mut PaperRuns<'_>,
) -> Vec<DrawnFigure> {
    let figures = paper.figures.iter();
    figures.filter_map(|figure| one(paper, figure, claims, runs)).collect()
}

fn one(
    paper: &Paper,
    figure: &PaperFigure,
    claims: &[Judged],
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
    let half = |i: usize| {
        let interval = found.intervals.as_ref().and_then(|all| all.get(i)).copied();
        let half = interval.map(|(low, high)| (high - low) / 2.0);
        half.filter(|h| h.is_finite()).unwrap_or(0.0)
    };
    let points = curve.points().enumerate();
    let points = points.map(|(i, (x, y))| ChartPoint { x: x / figure.x_unit, y, half: half(i) });
    Some(ChartLine { name: name.clone(), points: points.collect() })
}

/// A claim's number in the unit of the vertical axis; none if its runs are missing.
fn accepted(band: &FigureBand, claims: &[Judged]) -> Option<ChartBand> {
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
