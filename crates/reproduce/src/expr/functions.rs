//! The functions of expressions.

use westwood_expr::{NumberFunction, wrong_count};
use westwood_scenario::BadInput;
use westwood_scenario::file::reading::Location;

use super::value::{ExprValue, PaperCurve};
use super::{ExprError, is_true};

/// Every function: its name, and the least and the largest number of values that it takes.
pub(super) const FUNCTIONS: [(&str, usize, usize); 36] = [
    ("min", 1, 8),
    ("max", 1, 8),
    ("mean", 1, 1),
    ("sum", 1, 1),
    ("std", 1, 1),
    ("abs", 1, 1),
    ("sqrt", 1, 1),
    ("ln", 1, 1),
    ("log10", 1, 1),
    ("exp", 1, 1),
    ("argmax", 1, 1),
    ("argmin", 1, 1),
    ("first", 1, 1),
    ("last", 1, 1),
    ("at", 2, 2),
    ("within", 3, 3),
    ("x", 1, 1),
    ("slope", 1, 1),
    ("linear_slope", 1, 1),
    ("rise", 1, 1),
    ("fall", 1, 1),
    ("crossing", 2, 2),
    ("first_x", 1, 2),
    ("count", 1, 1),
    ("all", 1, 1),
    ("any", 1, 1),
    ("size", 1, 1),
    ("if", 3, 3),
    ("concave", 1, 1),
    ("last_x", 1, 1),
    ("round", 1, 1),
    ("floor", 1, 1),
    ("ceil", 1, 1),
    ("differences", 1, 1),
    ("against", 2, 2),
    ("points", 1, 8),
];

/// The least and the largest number of values of a function; refuses one that there is not.
pub(super) fn known(name: &str, place: Location) -> Result<(usize, usize), ExprError> {
    let found = FUNCTIONS.iter().find(|(n, ..)| *n == name);
    found.map(|&(_, least, most)| (least, most)).ok_or_else(|| {
        let names = FUNCTIONS.iter().map(|(n, ..)| *n).chain(crate::metric::names());
        let error = BadInput::unknown("function or metric", name, names.collect::<Vec<_>>());
        ExprError { place, error }
    })
}

/// Refuses a wrong number of values.
pub(super) fn check(name: &str, place: Location, values: usize) -> Result<(), ExprError> {
    wrong_count(name, values, known(name, place)?)
        .map_or(Ok(()), |what| Err(ExprError::new(place, what)))
}

/// The value of a function of these values.
pub(super) fn call(
    name: &str,
    place: Location,
    values: &[ExprValue],
) -> Result<ExprValue, ExprError> {
    let all_numbers = || {
        let number = |v: &ExprValue| if let ExprValue::Number(x) = v { Some(*x) } else { None };
        values.iter().map(number).collect::<Option<Vec<f64>>>()
    };
    if let (Some(function), [value]) = (of_numbers(name), values) {
        return Ok(value.map(|x| function.of(x)));
    }
    match (name, values) {
        ("min" | "max", [_, _, ..]) => extreme_of_several(name, place, values),
        ("against", [ExprValue::Curve(a), ExprValue::Curve(b)]) => {
            Ok(ExprValue::Curve(against(a, b)))
        }
        ("points", _) => {
            let y = all_numbers();
            y.map(points).ok_or_else(|| ExprError::new(place, "'points' takes numbers, no curve"))
        }
        ("if", [condition, yes, no]) => chosen(condition, yes, no).ok_or_else(|| different(place)),
        (_, [ExprValue::Curve(curve), rest @ ..]) => {
            let rest: Option<Vec<f64>> = rest
                .iter()
                .map(|v| if let ExprValue::Number(x) = v { Some(*x) } else { None })
                .collect();
            let Some(rest) = rest else {
                return Err(ExprError::new(place, format!("'{name}' takes one curve only")));
            };
            Ok(of_curve(name, curve, &rest))
        }
        // A number is a curve of one point, so that quick runs may have one.
        (_, [_, ..]) if all_numbers().is_some() => {
            let wrong =
                ExprError::new(place, format!("'{name}' takes a curve, and this is a number"));
            Err(wrong.hint("leave one axis of the sweep free"))
        }
        _ => Err(ExprError::new(place, format!("'{name}' takes a curve first"))),
    }
}

/// One course over another: where both are, moment by moment, in the order of time. Windows and
/// estimates keep their value until they change.
fn against(a: &PaperCurve, b: &PaperCurve) -> PaperCurve {
    let held = |curve: &PaperCurve, at: f64| {
        let after = curve.x.partition_point(|x| *x <= at);
        after.checked_sub(1).map(|i| curve.y[i])
    };
    let mut moments: Vec<f64> = a.x.iter().chain(&b.x).copied().collect();
    moments.sort_by(f64::total_cmp);
    let both = moments.into_iter().filter_map(|at| Some((held(b, at)?, held(a, at)?)));
    let (x, y) = both.unzip();
    PaperCurve { x, y }
}

/// A curve of these values at the places 1, 2 and so on.
fn points(y: Vec<f64>) -> ExprValue {
    let x = (1_u32..).map(f64::from).take(y.len()).collect();
    ExprValue::Curve(PaperCurve { x, y })
}

/// One of two values, point by point; none if they are curves over different places.
pub(super) fn chosen(condition: &ExprValue, yes: &ExprValue, no: &ExprValue) -> Option<ExprValue> {
    // The branch that is not chosen counts as nothing, even if it has no value.
    let yes = condition.both(yes, |c, x| if is_true(c) { x } else { 0.0 })?;
    let no = condition.both(no, |c, x| if is_true(c) { 0.0 } else { x })?;
    yes.both(&no, |a, b| a + b)
}

/// The function of this name that is one of numbers alone.
fn of_numbers(name: &str) -> Option<NumberFunction> {
    let function = NumberFunction::named(name)?;
    (!matches!(function, NumberFunction::Min | NumberFunction::Max)).then_some(function)
}

/// The smaller one; a missing value wins.
fn least(a: f64, b: f64) -> f64 {
    NumberFunction::Min.of_two(a, b)
}

fn most(a: f64, b: f64) -> f64 {
    NumberFunction::Max.of_two(a, b)
}

fn extreme_of_several(
    name: &str,
    place: Location,
    values: &[ExprValue],
) -> Result<ExprValue, ExprError> {
    let pick = if name == "min" { least } else { most };
    let mut values = values.iter();
    let first = values.next().cloned().unwrap_or(ExprValue::Number(f64::NAN));
    values.try_fold(first, |a, b| a.both(b, pick)).ok_or_else(|| different(place))
}

pub(super) fn different(place: Location) -> ExprError {
    ExprError::new(place, "these curves do not have the same places x")
        .hint("sweep the same values, or take parts of them by within(...)")
}

#[expect(clippy::cast_precision_loss, reason = "a curve has few points")]
fn of_curve(name: &str, curve: &PaperCurve, rest: &[f64]) -> ExprValue {
    let (x, y) = (&curve.x, &curve.y);
    let n = y.len() as f64;
    let sum: f64 = y.iter().sum();
    let number = |value: Option<f64>| ExprValue::Number(value.unwrap_or(f64::NAN));
    let arg = |of: fn(f64, f64) -> f64| {
        let best = y.iter().copied().reduce(of)?;
        curve.points().find(|p| p.1.total_cmp(&best).is_eq()).map(|p| p.0)
    };
    let truth = |condition: bool| ExprValue::Number(f64::from(u8::from(condition)));
    let relative = |sign: f64| {
        let steps = y.windows(2).map(|pair| sign * (pair[1] - pair[0]) / pair[0].abs());
        number(steps.reduce(most).map(|worst| worst.max(0.0)))
    };
    match (name, rest) {
        ("min", []) => number(y.iter().copied().reduce(least)),
        ("max", []) => number(y.iter().copied().reduce(most)),
        ("mean", []) => ExprValue::Number(sum / n),
        ("sum", []) => ExprValue::Number(sum),
        ("std", []) => {
            ExprValue::Number((y.iter().map(|v| (v - sum / n).powi(2)).sum::<f64>() / n).sqrt())
        }
        ("argmax", []) => number(arg(most)),
        ("argmin", []) => number(arg(least)),
        ("first", []) => number(y.first().copied()),
        ("last", []) => number(y.last().copied()),
        ("at", [at]) => ExprValue::Number(interpolated(curve, *at)),
        ("within", [low, high]) => {
            let inside = curve.points().filter(|(x, _)| (*low..=*high).contains(x));
            ExprValue::Curve(PaperCurve::new(inside.collect()))
        }
        ("x", []) => ExprValue::Curve(PaperCurve { x: x.clone(), y: x.clone() }),
        ("slope", []) => ExprValue::Number(slope(curve.points().map(|(x, y)| (x.ln(), y.ln())))),
        ("linear_slope", []) => ExprValue::Number(slope(curve.points())),
        ("rise", []) => relative(1.0),
        ("fall", []) => relative(-1.0),
        ("crossing", [level]) => ExprValue::Number(crossing(curve, *level)),
        ("first_x", []) => number(first_x(curve)),
        ("first_x", [beyond]) => number(first_x(curve).or(Some(*beyond))),
        ("last_x", []) => number(curve.points().filter(|p| is_true(p.1)).last().map(|p| p.0)),
        ("count", []) => ExprValue::Number(y.iter().filter(|v| is_true(**v)).count() as f64),
        ("all", []) => truth(y.iter().all(|v| is_true(*v))),
        ("any", []) => truth(y.iter().any(|v| is_true(*v))),
        ("size", []) => ExprValue::Number(n),
        ("differences", []) => ExprValue::Curve(differences(curve)),
        ("concave", []) => {
            let steps = differences(curve);
            truth(steps.y.windows(2).all(|pair| pair[1] < pair[0]))
        }
        _ => ExprValue::Number(f64::NAN),
    }
}

/// The first place at which the curve is true.
fn first_x(curve: &PaperCurve) -> Option<f64> {
    curve.points().find(|p| is_true(p.1)).map(|p| p.0)
}

/// The slope from each point to the next, at the middle between them.
fn differences(curve: &PaperCurve) -> PaperCurve {
    let points: Vec<(f64, f64)> = curve.points().collect();
    let step = |pair: &[(f64, f64)]| {
        let (a, b) = (pair[0], pair[1]);
        (f64::midpoint(a.0, b.0), (b.1 - a.1) / (b.0 - a.0))
    };
    PaperCurve::new(points.windows(2).map(step).collect())
}

/// The curve's value at a place, on the straight line between its neighbours; none outside.
fn interpolated(curve: &PaperCurve, at: f64) -> f64 {
    // Places come from texts in units, such as 0.1 %: equal up to the last bits.
    let near = |x: f64| (x - at).abs() <= 1e-9 * at.abs();
    if let Some((_, y)) = curve.points().find(|p| near(p.0)) {
        return y;
    }
    let points: Vec<(f64, f64)> = curve.points().collect();
    let between = points.windows(2).find(|pair| pair[0].0 <= at && at <= pair[1].0);
    between.map_or(f64::NAN, |pair| {
        let share = (at - pair[0].0) / (pair[1].0 - pair[0].0);
        pair[0].1 + share * (pair[1].1 - pair[0].1)
    })
}

/// The first place at which the curve has this level.
fn crossing(curve: &PaperCurve, level: f64) -> f64 {
    let points: Vec<(f64, f64)> = curve.points().collect();
    if let Some(first) = points.first().filter(|p| p.1.total_cmp(&level).is_eq()) {
        return first.0;
    }
    let crosses = |pair: &&[(f64, f64)]| (pair[0].1 - level) * (pair[1].1 - level) <= 0.0;
    points.windows(2).find(crosses).map_or(f64::NAN, |pair| {
        let share = (level - pair[0].1) / (pair[1].1 - pair[0].1);
        pair[0].0 + share * (pair[1].0 - pair[0].0)
    })
}

/// The slope of the straight line through these points by least squares.
pub(crate) fn slope(points: impl Iterator<Item = (f64, f64)>) -> f64 {
    let points: Vec<(f64, f64)> = points.collect();
    #[expect(clippy::cast_precision_loss, reason = "a curve has few points")]
    let n = points.len() as f64;
    let (mx, my) = points.iter().fold((0.0, 0.0), |m, p| (m.0 + p.0 / n, m.1 + p.1 / n));
    let (sxy, sxx) = points
        .iter()
        .fold((0.0, 0.0), |s, p| (s.0 + (p.0 - mx) * (p.1 - my), s.1 + (p.0 - mx).powi(2)));
    sxy / sxx
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "these sums are exact")]
mod tests {
    use super::*;

    fn curve(points: &[(f64, f64)]) -> PaperCurve {
        PaperCurve::new(points.to_vec())
    }

    fn number(name: &str, points: &[(f64, f64)], rest: &[f64]) -> f64 {
        match of_curve(name, &curve(points), rest) {
            ExprValue::Number(x) => x,
            ExprValue::Curve(c) => panic!("{c:?}"),
        }
    }

    const HILL: [(f64, f64); 4] = [(1.0, 2.0), (2.0, 6.0), (4.0, 9.0), (8.0, 3.0)];

    #[test]
    fn extremes_and_where_they_are() {
        assert_eq!((number("max", &HILL, &[]), number("argmax", &HILL, &[])), (9.0, 4.0));
        assert_eq!((number("min", &HILL, &[]), number("argmin", &HILL, &[])), (2.0, 1.0));
        assert_eq!(number("last", &HILL, &[]), 3.0);
    }

    #[test]
    fn a_curve_is_straight_between_its_points_and_nothing_outside() {
        assert_eq!(number("at", &HILL, &[3.0]), 7.5);
        assert_eq!(number("at", &HILL, &[4.0]), 9.0);
        assert!(number("at", &HILL, &[0.5]).is_nan());
        assert_eq!(number("crossing", &HILL, &[4.0]), 1.5);
        assert!(number("crossing", &HILL, &[10.0]).is_nan());
    }

    #[test]
    fn a_condition_that_no_place_meets_has_the_place_that_is_given_for_it() {
        let met = [(1.0, 0.0), (2.0, 1.0), (4.0, 1.0)];
        assert_eq!(number("first_x", &met, &[f64::INFINITY]), 2.0);
        assert_eq!(number("first_x", &met[..1], &[f64::INFINITY]), f64::INFINITY);
        assert!(number("first_x", &met[..1], &[]).is_nan());
    }

    #[test]
    fn the_largest_step_up_and_down_counts_relative_to_where_it_begins() {
        assert_eq!(number("rise", &HILL, &[]), 2.0);
        assert!((number("fall", &HILL, &[]) - 2.0 / 3.0).abs() < 1e-12);
        assert_eq!(number("fall", &HILL[..3], &[]), 0.0);
    }

    #[test]
    fn the_slope_of_a_power_law_is_its_exponent() {
        let law: Vec<(f64, f64)> = [1.0, 10.0, 100.0].map(|x: f64| (x, 7.0 / x.sqrt())).to_vec();
        assert!((number("slope", &law, &[]) + 0.5).abs() < 1e-12);
    }

    #[test]
    fn a_choice_is_made_point_by_point() {
        let c = |points: &[(f64, f64)]| ExprValue::Curve(curve(points));
        let condition = c(&[(1.0, 1.0), (2.0, 0.0)]);
        let yes = c(&[(1.0, 5.0), (2.0, f64::NAN)]);
        let expected = c(&[(1.0, 5.0), (2.0, 9.0)]);
        assert_eq!(chosen(&condition, &yes, &ExprValue::Number(9.0)), Some(expected));
        assert_eq!(chosen(&condition, &c(&[(7.0, 1.0)]), &yes), None);
    }

    #[test]
    fn one_course_against_another_stays_in_the_order_of_time() {
        let (a, b) = (curve(&[(0.0, 1.0), (2.0, 5.0)]), curve(&[(1.0, 9.0), (3.0, 4.0)]));
        let phase = against(&a, &b);
        assert_eq!((phase.x, phase.y), (vec![9.0, 9.0, 4.0], vec![1.0, 5.0, 5.0]));
    }

    #[test]
    fn numbers_side_by_side_are_a_curve_over_their_places() {
        let call = |values: &[ExprValue]| call("points", Location::start(), values);
        let numbers = [7.0, 5.0].map(ExprValue::Number);
        let expected = ExprValue::Curve(curve(&[(1.0, 7.0), (2.0, 5.0)]));
        assert_eq!(call(&numbers).ok(), Some(expected));
        let refused = call(&[ExprValue::Number(7.0), ExprValue::Curve(curve(&HILL))]);
        assert!(refused.is_err_and(|wrong| wrong.error.to_string().contains("takes numbers")));
    }

    #[test]
    fn a_missing_value_is_not_hidden_by_an_extreme() {
        assert!(number("max", &[(1.0, f64::NAN), (2.0, 5.0)], &[]).is_nan());
    }

    #[test]
    fn a_logarithm_is_concave_and_a_straight_line_is_not() {
        let of = |f: fn(f64) -> f64| (1..6).map(|x| (f64::from(x), f(f64::from(x)))).collect();
        let (log, line): (Vec<_>, Vec<_>) = (of(f64::ln), of(|x| 2.0 * x));
        assert_eq!((number("concave", &log, &[]), number("concave", &line, &[])), (1.0, 0.0));
    }
}
