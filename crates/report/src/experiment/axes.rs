//! The axes of a sweep as a figure has them: one or two.

use westwood_experiment::run::{GridReport, PointRecord};
use westwood_scenario::file::short_path;
use westwood_scenario::sorting::sort_by;
use westwood_scenario::{spec, units};

use crate::document::{AxisValue, SweepAxis};

/// A field that is swept, or several as one: a figure has two axes at most.
pub(super) struct SweptField {
    pub(super) axis: SweepAxis,
    /// Places among the report's axes.
    fields: Vec<usize>,
    /// Their settings, in the order of the axis.
    settings: Vec<Vec<String>>,
}

/// The axes that figures have; the third field and those after it share one with the second.
/// Controllers are no axis: they are the contestants.
pub(super) fn axes(report: &GridReport) -> Vec<SweptField> {
    let fields: Vec<usize> =
        (0..report.axes.len()).filter(|&i| report.axes.get(i).is_some_and(|a| a != "cc")).collect();
    let parts: Vec<Vec<usize>> = match fields.split_first() {
        None => Vec::new(),
        Some((first, [])) => vec![vec![*first]],
        Some((first, rest)) => vec![vec![*first], rest.to_vec()],
    };
    parts.into_iter().map(|fields| SweptField::of(report, fields)).collect()
}

impl SweptField {
    fn of(report: &GridReport, fields: Vec<usize>) -> Self {
        let mut settings: Vec<Vec<String>> = Vec::new();
        for point in &report.points {
            let here = chosen(point, &fields);
            if !settings.contains(&here) {
                settings.push(here);
            }
        }
        let labels: Vec<String> = settings.iter().map(|s| s.join(", ")).collect();
        let numbers = if fields.len() == 1 { numbers(&labels) } else { None };
        let value = |(i, label): (usize, String)| AxisValue {
            label,
            number: numbers.as_ref().and_then(|n| n.get(i).copied()),
        };
        let values = labels.into_iter().enumerate().map(value);
        let mut all: Vec<(AxisValue, Vec<String>)> = values.zip(settings).collect();
        // Numbers stand from the least up, in whatever order they were given.
        if numbers.is_some() {
            let number = |value: &AxisValue| value.number.unwrap_or(f64::NAN);
            sort_by(&mut all, |(a, _), (b, _)| number(a).total_cmp(&number(b)));
        }
        let name: Vec<&str> = fields.iter().map(|&i| short_name(report, i)).collect();
        let (values, settings) = all.into_iter().unzip();
        Self { axis: SweepAxis { name: name.join(", "), values }, fields, settings }
    }

    /// The place of a point.
    pub(super) fn place(&self, point: &PointRecord) -> Option<usize> {
        let here = chosen(point, &self.fields);
        self.settings.iter().position(|settings| *settings == here)
    }
}

fn chosen(point: &PointRecord, fields: &[usize]) -> Vec<String> {
    fields.iter().map(|&i| point.settings.get(i).cloned().unwrap_or_default()).collect()
}

/// A field's name in a figure.
pub(super) fn short_name(report: &GridReport, i: usize) -> &str {
    let paths = report.axes.iter().map(String::as_str);
    report.axes.get(i).map_or("", |path| short_path(path, paths))
}

/// The values as numbers of one unit, if they are. Zero is zero in every unit, and no loss is a loss
/// of zero.
fn numbers(labels: &[String]) -> Option<Vec<f64>> {
    let all = |number: &dyn Fn(&str) -> Option<f64>| -> Option<Vec<f64>> {
        let value = |label: &String| if is_zero(label) { Some(0.0) } else { number(label) };
        labels.iter().map(value).collect()
    };
    let first = labels.iter().find(|label| !is_zero(label)).or(labels.first())?;
    let unit = parts(first).1.to_owned();
    let alike = |label: &str| {
        let (number, of) = parts(label);
        number.parse::<f64>().ok().filter(|_| of == unit)
    };
    #[expect(clippy::cast_precision_loss, reason = "a place on an axis")]
    let seconds = |label: &str| units::duration(label).ok().map(|d| d.as_nanos() as f64);
    #[expect(clippy::cast_precision_loss, reason = "a place on an axis")]
    let bits = |label: &str| units::rate(label).ok().map(|rate| rate.raw() as f64);
    #[expect(clippy::cast_precision_loss, reason = "a place on an axis")]
    let bytes = |label: &str| units::size_with_unit(label).ok().map(|size| size.get() as f64);
    // A loss is read and written anew, so that its spelling is of no effect.
    let share = |label: &str| match spec::losses_text(&spec::losses(label).ok()?).as_str() {
        "none" => Some(0.0),
        loss => units::share(loss).ok(),
    };
    all(&alike)
        .or_else(|| all(&seconds))
        .or_else(|| all(&bits))
        .or_else(|| all(&bytes))
        .or_else(|| all(&share))
}

/// Zero, with a unit or without.
fn is_zero(label: &str) -> bool {
    parts(label).0.parse::<f64>().is_ok_and(|n| n == 0.0)
}

/// A number and what follows it.
fn parts(label: &str) -> (&str, &str) {
    let label = label.trim();
    let end = label.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(label.len());
    (&label[..end], label[end..].trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(labels: &[&str]) -> Option<Vec<f64>> {
        let labels: Vec<String> = labels.iter().map(|l| (*l).to_owned()).collect();
        let found = numbers(&labels)?;
        Some(found.iter().map(|n| n / found[0]).collect())
    }

    #[test]
    fn values_of_one_kind_are_numbers_whatever_their_units() {
        assert_eq!(of(&["1.5bdp", "3 bdp"]), Some(vec![1.0, 2.0]));
        assert_eq!(of(&["20 ms", "1 s"]), Some(vec![1.0, 50.0]));
        assert_eq!(of(&["500 kbit/s", "1Mbit/s", "2M"]), Some(vec![1.0, 2.0, 4.0]));
        assert_eq!(of(&["0.1 %", "0.01"]), Some(vec![1.0, 10.0]));
    }

    #[test]
    fn zero_is_zero_in_every_unit_and_without_one() {
        let plain =
            |labels: &[&str]| numbers(&labels.iter().map(|l| (*l).to_owned()).collect::<Vec<_>>());
        assert_eq!(plain(&["0", "1ms", "10ms"]), Some(vec![0.0, 1.0, 10.0]));
        assert_eq!(plain(&["1 ms", "0", "1 s"]), Some(vec![1e6, 0.0, 1e9]));
        let rates = plain(&["0", "500kbit/s", "1Mbit/s"]).unwrap();
        assert!(rates[0].abs() < 1e-9 && (rates[2] / rates[1] - 2.0).abs() < 1e-9, "{rates:?}");
        assert_eq!(plain(&["0.0", "0.1 %", "0.01"]), Some(vec![0.0, 0.001, 0.01]));
        assert_eq!(plain(&["0", "1bdp"]), Some(vec![0.0, 1.0]));
        assert_eq!(plain(&["0 packets", "10 ms"]), Some(vec![0.0, 10.0]));
        assert_eq!(plain(&["0", "codel"]), None);
        assert_eq!(plain(&["1", "10ms"]), None, "a bare 1 has no unit");
    }

    #[test]
    fn values_of_several_kinds_or_none_are_words() {
        assert_eq!(of(&["droptail", "codel"]), None);
        assert_eq!(of(&["1bdp", "20pkt"]), None);
    }

    #[test]
    fn no_loss_is_zero_however_it_is_spelled() {
        let plain =
            |labels: &[&str]| numbers(&labels.iter().map(|l| (*l).to_owned()).collect::<Vec<_>>());
        assert_eq!(plain(&["3%", "none", "1 %"]), Some(vec![0.03, 0.0, 0.01]));
        assert_eq!(plain(&["off", "bernoulli(p=0.02)", "0.01"]), Some(vec![0.0, 0.02, 0.01]));
        assert_eq!(plain(&["none", "1 %", "outage(every=4s,for=100ms)"]), None);
        // A window of none is no window of zero.
        assert_eq!(plain(&["none", "20", "40"]), None);
    }
}
