//! The runs of an experiment that a metric is about.

use westwood_scenario::file::reading::Location;
use westwood_scenario::file::{GridPoint, Scenario};
use westwood_scenario::spec::ControllerSpec;
use westwood_scenario::{BadInput, units};

use super::Query;
use crate::expr::ExprError;

/// A choice of runs. Every text knows its place.
#[derive(Clone, Debug, Default)]
pub struct Select {
    /// The controller under test.
    pub cc: Option<(String, Location)>,
    /// The variant.
    pub variant: Option<(String, Location)>,
    /// Another experiment.
    pub experiment: Option<(String, Location)>,
    /// The variable x: an axis, or a parameter of its values as in `loss(bad)`.
    pub over: Option<(String, Location)>,
    /// Axes of the sweep by the end of their path, and their values.
    pub axes: Vec<(String, String, Location)>,
}

/// Points of a grid.
#[derive(Clone, Debug, PartialEq)]
pub enum PointSelection {
    /// One point.
    One(usize),
    /// Points along an axis, each with its x.
    Along(Vec<(f64, usize)>),
}

impl Select {
    /// The points of a scenario that are meant; `variant` is the one without another word.
    pub fn points(
        &self,
        scenario: &Scenario,
        variant: Option<&str>,
        place: Location,
    ) -> Result<PointSelection, ExprError> {
        let cc = self.controller(scenario)?;
        let variant = match &self.variant {
            Some((name, _)) => (name != "none").then_some(name.as_str()),
            None => variant,
        };
        let paths = self.paths(scenario)?;
        let mut found: Vec<&GridPoint> = scenario.points().iter().collect();
        keep(&mut found, place, "variant", |p| p.variant.as_deref() == variant)?;
        if let Some((name, at)) = &self.cc {
            keep(&mut found, *at, &format!("controller '{name}'"), |p| p.cc == cc)?;
        }
        for (path, (_, value, at)) in paths.iter().zip(&self.axes) {
            let is =
                |p: &GridPoint| p.settings.iter().any(|s| s.path == *path && same(&s.value, value));
            keep(&mut found, *at, &format!("{path} = {value}"), is)?;
        }
        self.one_curve(&found, scenario, place)
    }

    fn controller(&self, scenario: &Scenario) -> Result<Option<ControllerSpec>, ExprError> {
        let Some((name, place)) = &self.cc else { return Ok(None) };
        let spec = scenario.controller(name).map_err(|error| ExprError { place: *place, error })?;
        Ok(Some(spec))
    }

    /// The whole paths of the axes that are named.
    fn paths(&self, scenario: &Scenario) -> Result<Vec<String>, ExprError> {
        let axes: Vec<&str> = scenario.axes().collect();
        self.axes
            .iter()
            .map(|(name, _, place)| {
                axis_named(&axes, name).map(str::to_owned).ok_or_else(|| ExprError {
                    place: *place,
                    error: BadInput::unknown("argument or axis of the sweep", name, axes.clone()),
                })
            })
            .collect()
    }

    /// One point, or points that differ in one axis only.
    fn one_curve(
        &self,
        found: &[&GridPoint],
        scenario: &Scenario,
        place: Location,
    ) -> Result<PointSelection, ExprError> {
        let [first, ..] = found else {
            return Err(ExprError::new(place, "there are no runs"));
        };
        if found.iter().any(|p| p.cc != first.cc) {
            let wrong = ExprError::new(place, "these are runs of several controllers");
            return Err(wrong.hint("write cc=\"...\""));
        }
        let axes: Vec<&str> = scenario.axes().collect();
        let differs =
            |i: &usize| found.iter().any(|p| p.settings[*i].value != first.settings[*i].value);
        let free: Vec<usize> = (0..axes.len()).filter(differs).collect();
        let over = self.over.as_ref().map(|(text, at)| (split(text), *at));
        // A sweep of one value, as quick runs may have it, is a curve of one point.
        let named = over.as_ref().and_then(|((axis, _), _)| axis_named(&axes, axis));
        let swept = named.and_then(|path| axes.iter().position(|axis| *axis == path));
        if let (Some(((axis, _), at)), None) = (&over, named) {
            let error = BadInput::unknown("axis of the sweep", axis, axes);
            return Err(ExprError { place: *at, error });
        }
        let along = match free.as_slice() {
            [] => swept,
            [one] if swept.is_none_or(|s| s == *one) => Some(*one),
            several => {
                let free: Vec<&str> = several.iter().map(|i| axes[*i]).collect();
                let what = format!("these axes are free: {}", free.join(", "));
                return Err(ExprError::new(place, what).hint("fix all but one of them"));
            }
        };
        let Some(along) = along else {
            return Ok(PointSelection::One(first.number()));
        };
        let parameter = over.as_ref().and_then(|((_, parameter), _)| *parameter);
        let places = places(found, along, parameter);
        Ok(PointSelection::Along(
            places.into_iter().zip(found.iter().map(|p| p.number())).collect(),
        ))
    }
}

/// Keeps the points of which something is true; refuses to keep none.
fn keep(
    points: &mut Vec<&GridPoint>,
    place: Location,
    what: &str,
    is: impl Fn(&GridPoint) -> bool,
) -> Result<(), ExprError> {
    points.retain(|point| is(point));
    if points.is_empty() {
        let wrong = ExprError::new(place, format!("there is no run with {what}"));
        return Err(wrong.hint("write values as the scenario file, or quick mode, has them"));
    }
    Ok(())
}

/// The x of each point: a number if all values are numbers, else 1, 2 and so on.
#[expect(clippy::cast_precision_loss, reason = "a sweep has few values")]
fn places(points: &[&GridPoint], axis: usize, parameter: Option<&str>) -> Vec<f64> {
    let value = |p: &&GridPoint| match parameter {
        None => number_of(&p.settings[axis].value),
        Some(parameter) => number_of(parameter_of(&p.settings[axis].value, parameter)?),
    };
    let numbers: Option<Vec<f64>> = points.iter().map(value).collect();
    numbers.unwrap_or_else(|| (1..=points.len()).map(|i| i as f64).collect())
}

/// `axis(parameter)` or `axis` alone.
fn split(over: &str) -> (&str, Option<&str>) {
    match over.split_once('(') {
        Some((axis, rest)) => (axis.trim(), Some(rest.trim_end_matches(')').trim())),
        None => (over.trim(), None),
    }
}

/// The value of a parameter of `name(a=1, b=2)`.
fn parameter_of<'a>(value: &'a str, parameter: &str) -> Option<&'a str> {
    let inside = value.split_once('(')?.1.split(')').next()?;
    inside.split(',').find_map(|part| {
        let (name, value) = part.split_once('=')?;
        (name.trim() == parameter).then(|| value.trim())
    })
}

/// The axis that has this path, or whose path ends so.
fn axis_named<'a>(axes: &[&'a str], name: &str) -> Option<&'a str> {
    let ending = format!(".{name}");
    let exact = axes.iter().find(|axis| **axis == name);
    exact.or_else(|| axes.iter().find(|axis| axis.ends_with(&ending))).copied()
}

/// True if two values are written alike, or mean the same number.
fn same(a: &str, b: &str) -> bool {
    let plain = |text: &str| text.split_whitespace().collect::<String>();
    let equal = |a: Option<f64>, b: Option<f64>| {
        a.is_some_and(|a| b.is_some_and(|b| (a - b).abs() <= 1e-9 * a.abs().max(b.abs())))
    };
    plain(a) == plain(b) || equal(number_of(a), number_of(b))
}

/// A value with its unit as a number: bit/s, seconds, bytes, packets, bandwidth-delay products, or
/// a share.
#[expect(clippy::cast_precision_loss, reason = "no value is exact to 2^-53")]
pub fn number_of(text: &str) -> Option<f64> {
    let text = text.trim();
    if let Ok(number) = text.parse::<f64>() {
        return Some(number);
    }
    for unit in ["bdp", "packets", "packet"] {
        if let Some(number) = text.strip_suffix(unit) {
            return number.trim().parse().ok();
        }
    }
    let share = || text.contains('%').then(|| units::share(text).ok()).flatten();
    let rate = || units::rate(text).ok().map(|r| r.bits_per_s() as f64);
    let time = || units::duration(text).ok().map(|d| d.as_nanos() as f64 / 1e9);
    let size = || units::size_with_unit(text).ok().map(|s| s.get() as f64);
    share().or_else(rate).or_else(time).or_else(size)
}

impl Query {
    /// A name for messages.
    pub fn name(&self) -> &str {
        &self.key
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_with_units_are_numbers_in_base_units() {
        for (text, number) in [
            ("10 Mbit/s", 1e7),
            ("250 ms", 0.25),
            ("0.4 %", 0.004),
            ("1.5 bdp", 1.5),
            ("83 packets", 83.0),
            ("1e-7", 1e-7),
            ("64 kB", 64e3),
        ] {
            let found = number_of(text).unwrap_or(f64::NAN);
            assert!((found - number).abs() <= 1e-12 * number, "{text}: {found}");
        }
        assert_eq!(number_of("markov(good=8s)"), None);
    }

    #[test]
    fn a_parameter_of_a_value_may_be_the_place() {
        let value = "markov(good=8 s, bad=4 s, p=5 %)";
        assert_eq!(parameter_of(value, "p"), Some("5 %"));
        assert_eq!(split("loss_both(p)"), ("loss_both", Some("p")));
    }
}
