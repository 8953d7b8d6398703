//! A controller's parameters as its programs read them: one declaration for the loader and for the C.
//!
//! `WORDS` lists the words of `struct params`. The loader fills them in from a specification, and
//! `bpf/params.h` is written from the same list; a test compares the two.

use std::fmt::Write;

use westwood_cc::Ratio;
use westwood_cc::controllers::Choice;
use westwood_cc::params::{ParamKind, Value};
use westwood_scenario::spec::ControllerSpec;

use crate::names::OURS;

/// A word of `struct params`.
#[derive(Clone, Copy, Debug)]
struct ParamWord {
    /// Its name in C.
    field: &'static str,
    /// The parameter's name in crates/cc.
    parameter: &'static str,
    form: WordForm,
}

/// How a parameter becomes a word, and the word of a controller that lacks it: such that no divisor is
/// zero.
#[derive(Clone, Copy, Debug)]
enum WordForm {
    /// The raw unit: nanoseconds, a count, 2^-32 segments, 0 or 1.
    Raw {
        absent: u64,
    },
    /// The place of the word among those that the parameter may be.
    Place,
    /// A share with 32 fractional bits.
    Fraction,
    /// The two halves of a ratio.
    Numerator {
        absent: Ratio,
    },
    Denominator {
        absent: Ratio,
    },
    /// Whether the specification asks for pacing, which is no parameter of the controller.
    Paced,
}

const fn word(field: &'static str, parameter: &'static str, form: WordForm) -> ParamWord {
    ParamWord { field, parameter, form }
}

const ZERO: WordForm = WordForm::Raw { absent: 0 };
const GAIN: Ratio = Ratio::new(4, 100);

/// All words, in their order.
const WORDS: [ParamWord; 19] = [
    word("tau_ns", "tau", WordForm::Raw { absent: 500_000_000 }),
    word("samples_per_tau", "m", WordForm::Raw { absent: 2 }),
    word("corrected", "count", WordForm::Place),
    word("guard", "guard", ZERO),
    word("window_rtt", "window", WordForm::Place),
    word("filter", "filter", WordForm::Place),
    word("filter_gain", "filter_gain", WordForm::Fraction),
    word("start", "start", WordForm::Place),
    word("interval_rtt", "rtt", WordForm::Place),
    word("floor_ns", "floor", ZERO),
    word("threshold", "threshold", ZERO),
    word("gain_num", "gain", WordForm::Numerator { absent: GAIN }),
    word("gain_den", "gain", WordForm::Denominator { absent: GAIN }),
    word("a", "a", WordForm::Raw { absent: 1 }),
    word("adapt", "adapt", ZERO),
    word("cap", "cap", ZERO),
    word("pacing", "", WordForm::Paced),
    word("decay", "decay", WordForm::Raw { absent: 1 }),
    word("given", "bwe", ZERO),
];

/// The words of `struct params` for a specification.
pub fn words(spec: &ControllerSpec) -> [u64; WORDS.len()] {
    WORDS.map(|word| word.of(spec))
}

impl ParamWord {
    fn of(&self, spec: &ControllerSpec) -> u64 {
        let value = spec.choice.get(self.parameter);
        match (self.form, value) {
            (WordForm::Paced, _) => u64::from(spec.is_paced()),
            (WordForm::Place, Some(Value::Choice(word))) => {
                let place = self.alternatives(&spec.choice).iter().position(|w| *w == word);
                place.map_or(0, |place| place as u64)
            }
            (WordForm::Fraction, Some(Value::Ratio(ratio))) => ratio.q32(),
            (WordForm::Numerator { .. }, Some(Value::Ratio(ratio))) => u64::from(ratio.num()),
            (WordForm::Denominator { .. }, Some(Value::Ratio(ratio))) => u64::from(ratio.den()),
            (WordForm::Raw { .. }, Some(Value::Duration(d))) => d.as_nanos(),
            (WordForm::Raw { .. }, Some(Value::Count(n))) => n,
            (WordForm::Raw { .. }, Some(Value::Segments(s))) => s.raw(),
            (WordForm::Raw { .. }, Some(Value::Rate(rate))) => rate.raw(),
            (WordForm::Raw { .. }, Some(Value::Flag(yes))) => u64::from(yes),
            _ => self.form.absent(),
        }
    }

    /// The words that the parameter of a controller may be.
    fn alternatives(&self, choice: &Choice) -> &'static [&'static str] {
        let param = choice.list().iter().find(|param| param.name == self.parameter);
        match param.map(|param| param.kind) {
            Some(ParamKind::Choice(words)) => words,
            _ => &[],
        }
    }

    /// The comment beside the word in C.
    fn comment(&self) -> String {
        match self.form {
            WordForm::Paced => "the connection is paced".to_owned(),
            WordForm::Place => {
                let choices = OURS.iter().filter_map(|c| Choice::named(c.name));
                let words = choices.map(|c| self.alternatives(&c)).find(|words| !words.is_empty());
                let places = words.unwrap_or_default().iter().enumerate();
                let places: Vec<String> = places.map(|(n, word)| format!("{n} {word}")).collect();
                format!("{}: {}", self.parameter, places.join(", "))
            }
            WordForm::Fraction => format!("{}, 32 fractional bits", self.parameter),
            WordForm::Raw { .. } if self.parameter == "threshold" => {
                "threshold in segments, 32 fractional bits".to_owned()
            }
            WordForm::Raw { .. } | WordForm::Numerator { .. } | WordForm::Denominator { .. } => {
                self.parameter.to_owned()
            }
        }
    }
}

impl WordForm {
    fn absent(self) -> u64 {
        match self {
            Self::Raw { absent } => absent,
            Self::Numerator { absent } => u64::from(absent.num()),
            Self::Denominator { absent } => u64::from(absent.den()),
            Self::Place | Self::Fraction | Self::Paced => 0,
        }
    }
}

/// The comment above the structure in C.
const ABOVE: &str = "\
/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/*
 * The parameters of a controller: written from the list in crates/kernel/src/parameters.rs, whose test
 * compares the two (WESTWOOD_WRITE=1 writes it anew). Names and bounds are those of crates/cc.
 */
#ifndef WESTWOOD_PARAMS_H
#define WESTWOOD_PARAMS_H

struct params {
";

/// `bpf/params.h`.
pub fn header() -> String {
    let mut text = ABOVE.to_owned();
    for word in &WORDS {
        let field = format!("{};", word.field);
        let _ = writeln!(text, "\tu64 {field:<20}/* {} */", word.comment());
    }
    text.push_str("};\n\n#endif\n");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spec(text: &str) -> ControllerSpec {
        ControllerSpec::parse(text).unwrap()
    }

    #[test]
    fn the_c_has_the_words_of_the_loader() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/bpf/params.h");
        if std::env::var_os("WESTWOOD_WRITE").is_some() {
            std::fs::write(path, header()).unwrap();
        }
        let shipped = std::fs::read_to_string(path).unwrap();
        assert_eq!(shipped, header(), "WESTWOOD_WRITE=1 writes bpf/params.h anew");
    }

    #[test]
    fn a_word_is_the_parameter_in_its_raw_unit_or_a_harmless_value() {
        let plus = words(&spec("westwood+(tau=300ms, start=settled, filter=a)"));
        assert_eq!((plus[0], plus[5], plus[7]), (300_000_000, 0, 2));
        // Westwood+ has neither m nor gain: what divides is not zero.
        assert_eq!((plus[1], plus[11], plus[12]), (2, 4, 100));
        let paced = words(&spec("westwood+"));
        assert_eq!(paced[16], 0);
        let given = |text| words(&spec(text))[18];
        assert_eq!((given("westwood"), given("westwood+(bwe=8Mbit/s)")), (0, 1_000_000 << 16));
        let decay = |text| words(&spec(text))[17];
        assert_eq!(
            (decay("westwood"), decay("westwood(decay=off)"), decay("westwood+")),
            (1, 0, 1)
        );
    }

    #[test]
    fn every_parameter_of_our_controllers_has_a_word() {
        for choice in OURS.iter().filter_map(|c| Choice::named(c.name)) {
            for param in choice.list() {
                let has = WORDS.iter().any(|word| word.parameter == param.name);
                assert!(has, "{} of {}", param.name, choice.info().name);
            }
        }
    }
}
