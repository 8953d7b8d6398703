//! A figure with the lines of its runs, and its form in the schema `westwood.reproduce/1`.

use serde::Serialize;
use westwood_report::figure::{Chart, ChartBand, ChartLine};

/// A figure of a paper with the lines of its runs.
#[derive(Clone, Debug)]
pub struct DrawnFigure {
    /// The paper's key.
    pub paper: String,
    /// Its number.
    pub id: String,
    /// Its contents.
    pub title: String,
    /// The experiment whose runs its lines mean, if it has one.
    pub experiment: Option<String>,
    /// The paper's remark on it.
    pub said: Option<String>,
    /// Its lines, axes and accepted bands.
    pub chart: Chart,
}

/// A figure as the schema has it. A value that is no number is null.
#[derive(Serialize)]
pub(crate) struct FigureRow<'a> {
    paper: &'a str,
    id: &'a str,
    title: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    experiment: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    said: Option<&'a str>,
    x: FigureAxisRow<'a>,
    y: FigureAxisRow<'a>,
    lines: Vec<FigureLineRow<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    bands: Vec<FigureBandRow<'a>>,
}

/// An axis of a figure.
#[derive(Serialize)]
struct FigureAxisRow<'a> {
    /// The quantity with its unit.
    label: &'a str,
    logarithmic: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    range: Option<(f64, f64)>,
    /// The names of the places 1, 2 and so on.
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    names: &'a [String],
}

/// A line of a figure: the points' places, values and intervals, each in a list.
#[derive(Serialize)]
struct FigureLineRow<'a> {
    name: &'a str,
    x: Vec<f64>,
    y: Vec<f64>,
    /// The ends of the 95 % intervals, null where seeds are too few; absent where nothing is random.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    interval: Vec<Option<(f64, f64)>>,
}

/// A claim's number in a figure, in the unit of the vertical axis.
#[derive(Serialize)]
struct FigureBandRow<'a> {
    claim: &'a str,
    /// From where to where on the horizontal axis.
    x: (f64, f64),
    /// The least and the largest value that is accepted; null where there is none.
    accepted: (Option<f64>, Option<f64>),
    /// The paper's value, as the ends of a range.
    paper: Option<(f64, f64)>,
    by_seed: &'a [f64],
}

impl<'a> FigureRow<'a> {
    pub(crate) fn of(figure: &'a DrawnFigure) -> Self {
        let chart = &figure.chart;
        Self {
            paper: &figure.paper,
            id: &figure.id,
            title: &figure.title,
            experiment: figure.experiment.as_deref(),
            said: figure.said.as_deref(),
            x: FigureAxisRow {
                label: &chart.x,
                logarithmic: chart.x_log,
                range: chart.x_range,
                names: &chart.x_names,
            },
            y: FigureAxisRow {
                label: &chart.y,
                logarithmic: chart.y_log,
                range: chart.y_range,
                names: &[],
            },
            lines: chart.lines.iter().map(FigureLineRow::of).collect(),
            bands: chart.bands.iter().map(FigureBandRow::of).collect(),
        }
    }
}

impl<'a> FigureLineRow<'a> {
    fn of(line: &'a ChartLine) -> Self {
        let points = &line.points;
        let is_random = points.iter().any(|point| point.interval.is_some());
        let interval = points.iter().filter(|_| is_random).map(|point| point.interval);
        Self {
            name: &line.name,
            x: points.iter().map(|point| point.x).collect(),
            y: points.iter().map(|point| point.y).collect(),
            interval: interval.collect(),
        }
    }
}

impl<'a> FigureBandRow<'a> {
    fn of(band: &'a ChartBand) -> Self {
        Self {
            claim: &band.name,
            x: band.x,
            accepted: band.accepted,
            paper: band.paper,
            by_seed: &band.seeds,
        }
    }
}
