//! `westwood formula`: the throughput formulas of the papers, as a calculator.

use std::fmt::Write as _;

use westwood_report::table::wrapped;
use westwood_reproduce::formulas::{ArgumentKind, MODELS, Model, ModelArgument, OutOfRange};
use westwood_reproduce::text::number;
use westwood_scenario::{BadInput, units};

use crate::args::FormulaArgs;
use crate::exit::Stop;
use crate::output::print;
use crate::terminal;

/// The arithmetic of a fast path, one formula feeding the next: the name of each step's argument that the
/// steps before give.
const FLOYD: [(&str, &str); 5] = [
    ("floyd_window", "window"),
    ("floyd_loss", "p"),
    ("floyd_packets", ""),
    ("floyd_time", ""),
    ("floyd_bit_errors", ""),
];

pub(crate) fn run(args: &FormulaArgs) -> Result<(), Stop> {
    let width = terminal::style().width;
    let text = match &args.name {
        None => listed(width),
        Some(name) => {
            let lines = value(name, &args.arguments).map_err(Stop::bad_input)?;
            lines.iter().map(|line| wrapped(line, width) + "\n").collect()
        }
    };
    print(&text)
}

/// Every formula with its arguments.
fn listed(width: usize) -> String {
    let mut text = String::from("westwood formula NAME ARGUMENT=VALUE ...\n\n");
    let mut add = |name: &str, arguments: &[&str], about: &str| {
        let arguments: Vec<String> = arguments.iter().map(|one| format!(" {one}=")).collect();
        let arguments = arguments.concat();
        let about = wrapped(about, width.saturating_sub(4)).replace('\n', "\n    ");
        let _ = writeln!(text, "{name}{arguments}\n    {about}");
    };
    let floyd = "what a fast path takes of Reno: window, loss rate, time between losses";
    add("floyd", &["rate", "rtt", "size"], floyd);
    for model in MODELS {
        add(model.name, &model.names().collect::<Vec<_>>(), model.about);
    }
    text
}

/// The lines of the answer.
fn value(name: &str, arguments: &[String]) -> Result<Vec<String>, BadInput> {
    if name == "floyd" {
        // Its first formula has all of its arguments.
        return floyd(&given(arguments, named(FLOYD[0].0)?.arguments)?);
    }
    let model = named(name)?;
    let given = given(arguments, model.arguments)?;
    let value = value_of(model, &given).map_err(|error| refused(model, &error, &given))?;
    Ok(vec![line(model, value)])
}

fn named(name: &str) -> Result<&'static Model, BadInput> {
    let found = MODELS.iter().find(|model| model.name == name);
    found.ok_or_else(|| {
        let names: Vec<&str> = MODELS.iter().map(|model| model.name).chain(["floyd"]).collect();
        BadInput::unknown_among("formula", name, names, "westwood formula")
    })
}

/// `83333 segments: mean window that fills a path`.
fn line(model: &Model, value: f64) -> String {
    let unit = if model.unit.is_empty() { String::new() } else { format!(" {}", model.unit) };
    format!("{}{unit}: {}", number(value), model.about)
}

type Given = Vec<(String, f64)>;

fn floyd(given: &Given) -> Result<Vec<String>, BadInput> {
    let (mut known, mut lines) = (given.clone(), Vec::new());
    for (name, gives) in FLOYD {
        let model = named(name)?;
        let value = value_of(model, &known).map_err(|error| {
            if given.len() == known.len() {
                return refused(model, &error, given);
            }
            // The argument is a step before.
            let what = BadInput::new(format!("rate, rtt and size give a {error}"));
            what.hint("raise rate or rtt, or lower size")
        })?;
        lines.push(line(model, value));
        known.push((gives.to_owned(), value));
    }
    Ok(lines)
}

/// A formula's value.
fn value_of(model: &Model, given: &Given) -> Result<f64, OutOfRange> {
    let of = |argument: &str| given.iter().find(|(name, _)| name == argument).map(|(_, x)| *x);
    // Every argument is among those given.
    let values: Vec<f64> = model.names().map(|name| of(name).unwrap_or(f64::NAN)).collect();
    model.value(&values)
}

/// The error for arguments outside a formula's range, with an example of the one at fault where that
/// helps.
fn refused(model: &Model, error: &OutOfRange, given: &Given) -> BadInput {
    let fault = BadInput::new(format!("{}: {error}", model.name));
    let Some(argument) = model.arguments.iter().find(|one| one.name == error.quantity) else {
        return fault.hint("see docs/explanation/formulas.md");
    };
    let mended = quantity(argument, argument.example).ok().filter(|value| {
        let other = |(name, old): &(String, f64)| {
            (name.clone(), if name == argument.name { *value } else { *old })
        };
        value_of(model, &given.iter().map(other).collect()).is_ok()
    });
    if mended.is_some() { fault.hint(format!("write {}", example(argument))) } else { fault }
}

/// `p=1%`.
fn example(argument: &ModelArgument) -> String {
    format!("{}={}", argument.name, argument.example)
}

/// `NAME=VALUE` for each argument, in any order.
fn given(texts: &[String], known: &[ModelArgument]) -> Result<Given, BadInput> {
    let all = || known.iter().map(example).collect::<Vec<_>>().join(" ");
    let find = |name: &str| known.iter().find(|argument| argument.name == name);
    let one = |text: &String| {
        let Some((name, value)) = text.split_once('=') else {
            let hint = find(text).map_or_else(all, example);
            return Err(
                BadInput::new(format!("'{text}' has no value")).hint(format!("write {hint}"))
            );
        };
        let Some(argument) = find(name) else {
            let names: Vec<&str> = known.iter().map(|argument| argument.name).collect();
            return Err(BadInput::unknown("argument", name, names));
        };
        let hint = format!("write {}", example(argument));
        let value = quantity(argument, value).map_err(|e| e.if_beyond(hint).at(name))?;
        Ok((name.to_owned(), value))
    };
    let given = texts.iter().map(one).collect::<Result<Given, BadInput>>()?;
    let is_again = |(i, (name, _)): (usize, &(String, f64))| {
        given.iter().take(i).any(|(n, _)| n == name).then(|| name.clone())
    };
    if let Some(name) = given.iter().enumerate().find_map(is_again) {
        return Err(BadInput::new("is given twice").at(name));
    }
    if let Some(lacks) = known.iter().find(|one| given.iter().all(|(n, _)| n != one.name)) {
        let what = format!("this formula lacks '{}'", lacks.name);
        return Err(BadInput::new(what).hint(format!("write {}", all())));
    }
    Ok(given)
}

/// A value in the unit of the formulas: bit/s, s, bytes, a share, or a number.
fn quantity(argument: &ModelArgument, text: &str) -> Result<f64, BadInput> {
    #[expect(clippy::cast_precision_loss, reason = "formulas need no more than 53 bits")]
    let number = match argument.kind {
        ArgumentKind::Rate => units::rate(text)?.bits_per_s() as f64,
        ArgumentKind::Time => units::duration(text)?.as_nanos() as f64 / 1e9,
        ArgumentKind::Size => units::size(text)?.get() as f64,
        ArgumentKind::Share => units::share(text)?,
        ArgumentKind::Number => text.parse().map_err(|_| {
            let what = BadInput::new(format!("'{text}' is no number"));
            what.hint(format!("write {}", example(argument)))
        })?,
    };
    Ok(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(name: &str, arguments: &[&str]) -> String {
        let arguments: Vec<String> = arguments.iter().map(|a| (*a).to_owned()).collect();
        value(name, &arguments).map_or_else(|e| e.to_string(), |lines| lines.join("\n"))
    }

    #[test]
    fn a_path_of_ten_gigabits_takes_what_rfc_3649_says() {
        let text = said("floyd", &["rate=10Gbit/s", "rtt=100ms", "size=1500B"]);
        assert!(text.starts_with("83333 segments: "), "{text}");
        assert!(text.contains("2.16e-10: ") && text.contains("5556 s: "), "{text}");
    }

    #[test]
    fn renos_rate_under_one_percent_is_that_of_the_square_root() {
        // sqrt(2 * 0.99 / 0.01) / 0.1 s.
        assert!(said("reno", &["p=1%", "rtt=100ms"]).starts_with("140.7 segments/s: "));
    }

    #[test]
    fn slips_are_told_with_what_to_write() {
        assert!(said("floyd_windov", &[]).contains("floyd_window"));
        assert!(said("reno", &["p=1%"]).contains("lacks 'rtt'"));
        assert!(said("reno", &["q=1%", "rtt=1s"]).contains("unknown argument 'q'"));
        assert!(said("reno", &["p", "rtt=1s"]).contains("'p' has no value"));
        assert_eq!(said("reno", &["p", "rtt=1s"]), "'p' has no value; write p=0.01%");
        assert_eq!(said("reno", &["x", "p=1%"]), "'x' has no value; write p=0.01% rtt=100ms");
        assert!(said("nosuch", &[]).ends_with(" more; westwood formula lists all"));
    }

    #[test]
    fn a_value_out_of_range_is_named_with_one_that_is_taken() {
        for (line, expected) in [
            ("reno p=150% rtt=1s", "p: '150%' is more than 100 %; write p=0.01%"),
            ("reno p=100% rtt=1s", "reno: p of 1: must be above 0% and below 100%; write p=0.01%"),
            ("reno p=1% rtt=-1s", "rtt: '-1' is negative; write rtt=100ms"),
            ("reno p=1% rtt=0s", "reno: rtt of 0: must be above 0 s, and finite; write rtt=100ms"),
            (
                "westwood_plus p=1% rtt=100ms queueing=200ms",
                "westwood_plus: queueing of 0.2: must be below rtt, of which it is a part; \
                 write queueing=20ms",
            ),
            (
                "westwood_plus p=1% rtt=10ms queueing=20ms",
                "westwood_plus: queueing of 0.02: must be below rtt, of which it is a part",
            ),
            (
                "log_westwood p=1% target=1800 a=2 rtt=100ms tq=200ms",
                "log_westwood: tq of 0.2: must be below rtt, of which it is a part; write tq=20ms",
            ),
            (
                "additive_climb rate=10Gbit/s rtt=100ms size=1500B from=83333 to=100",
                "additive_climb: to of 100: must be from or more: a climb leads upwards",
            ),
            (
                "additive_climb rate=10Gbit/s rtt=100ms size=1500B from=1 to=1e300",
                "additive_climb: to of 1e300: must be 0 to 1e100 segments; write to=1000",
            ),
            (
                "multiplicative_climb rate=1Gbit/s rtt=100ms size=1500B from=0 to=100 factor=1.04",
                "multiplicative_climb: from of 0: must be above 0 segments, to 1e100; write from=100",
            ),
            (
                "floyd_loss window=0",
                "floyd_loss: window of 0: must be above 1.2247 segments, the window ",
            ),
            ("floyd rate=1bit/s rtt=1us size=1500B", "rate, rtt and size give a window of 8.3"),
            (
                "reno_moving p=1% rtt=1s kept=150%",
                "kept: '150%' is more than 100 %; write kept=50%",
            ),
            ("reno_moving p=90% rtt=1s kept=50%", "reno_moving: p of 0.9: must be rarer: "),
            ("filter_decay m=0", "filter_decay: m of 0: must be a whole number from 1 to "),
            ("filter_decay m=2.5", "filter_decay: m of 2.5: must be a whole number from 1 to "),
            (
                "log_westwood_decay_integrated p=0.1% reduced=0 target=0 a=2 rtt=100ms",
                "log_westwood_decay_integrated: target of 0: must be above 0 segments, to 1e100; write ",
            ),
        ] {
            let words: Vec<&str> = line.split(' ').collect();
            let text = said(words[0], &words[1..]);
            assert!(text.starts_with(expected), "{line}: {text}");
        }
    }

    #[test]
    fn every_formula_takes_the_examples_of_its_arguments() {
        for model in MODELS {
            let arguments: Vec<String> = model.arguments.iter().map(example).collect();
            assert!(value(model.name, &arguments).is_ok(), "{}: {arguments:?}", model.name);
        }
    }

    #[test]
    fn citations_name_the_section() {
        let about = |name: &str| named(name).unwrap().about;
        for name in ["floyd_window", "floyd_loss", "floyd_packets", "floyd_time"] {
            assert!(about(name).contains("RFC 3649, section 2"), "{name}");
        }
        assert!(about("reno_with_timeouts").contains("an ACK a segment (RFC 5348, section 3.1"));
        assert!(about("reno_moving").starts_with("for rare losses"));
    }
}
