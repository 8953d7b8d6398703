//! `westwood formula`: the throughput formulas of the papers, as a calculator.

use std::fmt::Write as _;

use westwood_reproduce::formulas::{MODELS, Model};
use westwood_reproduce::text::number;
use westwood_scenario::{BadInput, units};

use crate::args::FormulaArgs;
use crate::exit::Stop;
use crate::output::print;

/// The arithmetic of a fast path, one formula feeding the next: the name of each step's argument that the
/// steps before give.
const FLOYD: [(&str, &str); 5] = [
    ("floyd_window", "window"),
    ("floyd_loss", "p"),
    ("floyd_packets", ""),
    ("floyd_time", ""),
    ("floyd_bit_errors", ""),
];
const FLOYD_ARGUMENTS: [&str; 3] = ["rate", "rtt", "size"];

pub(crate) fn run(args: &FormulaArgs) -> Result<(), Stop> {
    let text = match &args.name {
        None => listed(),
        Some(name) => value(name, &args.arguments).map_err(Stop::bad_input)?,
    };
    print(&text)
}

/// Every formula with its arguments.
fn listed() -> String {
    let mut text = String::from(
        "westwood formula NAME ARGUMENT=VALUE ...\n\nfloyd rate= rtt= size=\n    what a fast path takes \
         of Reno: window, loss rate, time between losses\n",
    );
    for model in MODELS {
        let arguments = model.arguments.iter().map(|argument| format!(" {argument}="));
        let arguments: String = arguments.collect();
        let _ = writeln!(text, "{}{arguments}\n    {}", model.name, model.about);
    }
    text
}

fn value(name: &str, arguments: &[String]) -> Result<String, BadInput> {
    if name == "floyd" {
        return floyd(&given(arguments, &FLOYD_ARGUMENTS)?);
    }
    let model = named(name)?;
    let given = given(arguments, model.arguments)?;
    let value = value_of(model, &given)?;
    Ok(line(model, value))
}

fn named(name: &str) -> Result<&'static Model, BadInput> {
    let found = MODELS.iter().find(|model| model.name == name);
    found.ok_or_else(|| {
        let names = MODELS.iter().map(|model| model.name).chain(["floyd"]);
        BadInput::unknown("formula", name, names.collect::<Vec<_>>())
    })
}

/// `83333 segments: mean window that fills a path`.
fn line(model: &Model, value: f64) -> String {
    let unit = if model.unit.is_empty() { String::new() } else { format!(" {}", model.unit) };
    format!("{}{unit}: {}\n", number(value), model.about)
}

type Given = Vec<(String, f64)>;

fn floyd(given: &Given) -> Result<String, BadInput> {
    let (mut known, mut text) = (given.clone(), String::new());
    for (name, gives) in FLOYD {
        let model = named(name)?;
        let value = value_of(model, &known)?;
        text += &line(model, value);
        known.push((gives.to_owned(), value));
    }
    Ok(text)
}

fn value_of(model: &Model, given: &Given) -> Result<f64, BadInput> {
    let of = |argument: &&str| given.iter().find(|(name, _)| name == argument).map(|(_, x)| *x);
    let values: Option<Vec<f64>> = model.arguments.iter().map(of).collect();
    let lacks = || {
        let lacking = model.arguments.iter().find(|a| of(a).is_none()).copied().unwrap_or("");
        lacks(model.name, lacking, model.arguments)
    };
    let values = values.ok_or_else(lacks)?;
    model.value(&values).map_err(|error| {
        BadInput::new(format!("{}: {error}", model.name)).hint("see docs/explanation/formulas.md")
    })
}

fn lacks(name: &str, lacking: &str, all: &[&str]) -> BadInput {
    let hint =
        format!("write {}", all.iter().map(|a| format!("{a}=...")).collect::<Vec<_>>().join(" "));
    BadInput::new(format!("{name} lacks '{lacking}'")).hint(hint)
}

/// `NAME=VALUE` for each argument, in any order.
fn given(texts: &[String], known: &[&str]) -> Result<Given, BadInput> {
    let one = |text: &String| {
        let Some((name, value)) = text.split_once('=') else {
            let hint = format!("write {text}=VALUE, or {}=...", known.first().unwrap_or(&""));
            return Err(BadInput::new(format!("'{text}' has no value")).hint(hint));
        };
        if !known.contains(&name) {
            return Err(BadInput::unknown("argument", name, known.to_vec()));
        }
        Ok((name.to_owned(), quantity(name, value).map_err(|e| e.at(name))?))
    };
    let given = texts.iter().map(one).collect::<Result<Given, BadInput>>()?;
    let is_again = |(i, (name, _)): (usize, &(String, f64))| {
        given.iter().take(i).any(|(n, _)| n == name).then(|| name.clone())
    };
    if let Some(name) = given.iter().enumerate().find_map(is_again) {
        return Err(BadInput::new("is given twice").at(name));
    }
    if let Some(name) = known.iter().find(|name| given.iter().all(|(n, _)| n != *name)) {
        return Err(lacks("this formula", name, known));
    }
    Ok(given)
}

/// A value in the unit of the formulas: bit/s, s, bytes, a share, or a number.
fn quantity(name: &str, text: &str) -> Result<f64, BadInput> {
    #[expect(clippy::cast_precision_loss, reason = "formulas need no more than 53 bits")]
    let number = match name {
        "rate" => units::rate(text)?.bits_per_s() as f64,
        "rtt" | "rto" | "queueing" | "tq" | "step" | "tau" => {
            units::duration(text)?.as_nanos() as f64 / 1e9
        }
        "size" => units::size(text)?.get() as f64,
        "p" => units::share(text)?,
        _ => text.parse().map_err(|_| {
            BadInput::new(format!("'{text}' is no number")).hint(format!("write {name}=1500"))
        })?,
    };
    Ok(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(name: &str, arguments: &[&str]) -> String {
        let arguments: Vec<String> = arguments.iter().map(|a| (*a).to_owned()).collect();
        value(name, &arguments).unwrap_or_else(|e| e.to_string())
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
        assert!(said("reno", &["p=2", "rtt=1s"]).contains('2'));
    }
}
