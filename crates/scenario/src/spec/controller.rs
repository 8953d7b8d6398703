//! Controllers: `westwood+(tau=0.3s,filter=b)`.
//!
//! Every controller also takes `pacing=on|off|fq`: whether its segments are spread over the round-trip
//! time, and by what of Linux, TCP's own timer or the `fq` queue. On by default for those that compute a
//! pacing rate of their own. One that commands the window alone takes the [`Modifiers`] as well.

use std::fmt;

use westwood_cc::controller::ControlScope;
use westwood_cc::controllers::{Choice, Info};
use westwood_cc::modifiers::Modifiers;
use westwood_cc::own::OwnChoice;
use westwood_cc::params::{Param, ParamError, ParamKind, Parameters as _, Value};
use westwood_cc::{Ratio, Segments};
use westwood_tcp::{Pacing, Recovery};

use super::call::{Call, no_parameter, split_list};
use super::own;
use crate::decimal::Decimal;
use crate::error::{BadInput, quoted, some_of};
use crate::nearest::nearest;
use crate::units;

/// A controller with its parameters, whether it is paced, and what goes beside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ControllerSpec {
    /// The controller.
    pub choice: Choice,
    /// Whether segments are spread over the round-trip time, and by what.
    pub pacing: Pacing,
    /// How its first slow start ends, and what a mark leaves.
    pub modifiers: Modifiers,
}

impl ControllerSpec {
    /// A controller as its catalog entry has it.
    pub fn new(choice: Choice) -> Self {
        Self { choice, pacing: usual_pacing(&choice), modifiers: Modifiers::default() }
    }

    /// True if segments are spread over the round-trip time at all.
    pub fn is_paced(&self) -> bool {
        self.pacing != Pacing::Off
    }

    /// The parameters that it has besides its own and `pacing`.
    pub fn modifiers(choice: &Choice) -> &'static [Param] {
        if Modifiers::fit(choice.control_scope()) { Modifiers::LIST } else { &[] }
    }

    /// Reads `name` or `name(key=value,...)`.
    ///
    /// ```
    /// use westwood_scenario::spec::ControllerSpec;
    /// let spec = ControllerSpec::parse("reno(keep=0.7,pacing=on)").unwrap();
    /// assert_eq!(spec.to_string(), "reno(keep=0.7,pacing=on)");
    /// assert_eq!(ControllerSpec::parse("RENO").unwrap().to_string(), "reno");
    /// assert_eq!(ControllerSpec::parse("bbr(pacing=FQ)").unwrap().to_string(), "bbr(pacing=fq)");
    /// let refused = ControllerSpec::parse("reno(pacing=maybe)").unwrap_err().to_string();
    /// assert!(refused.contains("write on, off or fq"));
    /// ```
    pub fn parse(text: &str) -> Result<Self, BadInput> {
        Self::parse_among(text, &[])
    }

    /// The same where a scenario has controllers of its own.
    pub fn parse_among(text: &str, own: &[OwnChoice]) -> Result<Self, BadInput> {
        let mut call = Call::parse(text)?;
        let choice = named(call.name, own)?;
        let mut spec = Self::new(choice);
        if let Some(pacing) = call.take("pacing", pacing)? {
            spec.pacing = pacing;
        }
        let name = spec.choice.info().name;
        for (key, text) in call.pairs()? {
            spec.set(key, text).map_err(|e| e.at(name))?;
        }
        Ok(spec)
    }

    fn set(&mut self, key: &str, text: &str) -> Result<(), BadInput> {
        let (own, beside) = (self.choice.list(), Self::modifiers(&self.choice));
        let Some(param) = own.iter().chain(beside).find(|p| p.name == key) else {
            let all = own.iter().chain(beside).map(|p| p.name);
            let known: Vec<&str> = all.chain(["pacing"]).collect();
            return Err(no_parameter(self.choice.info().name, key, &known).without_place());
        };
        let is_own = own.iter().any(|p| p.name == key);
        let accepts = |text: &str| {
            let (mut choice, mut modifiers) = (self.choice, self.modifiers);
            value(text, param).is_ok_and(|value| {
                let set = if is_own { choice.set(key, value) } else { modifiers.set(key, value) };
                set.is_ok()
            })
        };
        let value =
            value(text, param).map_err(|e| in_bounds(e.accepted_by(accepts), param).at(key))?;
        let set = if is_own { self.choice.set(key, value) } else { self.modifiers.set(key, value) };
        set.map_err(|error| {
            match error {
                ParamError::OutOfBounds(low, high) => {
                    BadInput::out_of_range(text, parameter_text(&low), parameter_text(&high))
                }
                ParamError::Kind(kind) => wrong_kind(text, kind),
                ParamError::Unknown => BadInput::new("is unknown"),
            }
            .at(key)
        })
    }
}

impl fmt::Display for ControllerSpec {
    /// The canonical name with the parameters that differ from their defaults.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.choice.info().name;
        let (usual, none) = (self.choice.usual(), Modifiers::default());
        let own = |param: &Param| (self.choice.get(param.name), usual.get(param.name));
        let beside = |param: &Param| (self.modifiers.get(param.name), none.get(param.name));
        let own = self.choice.list().iter().map(|param| (param, own(param)));
        let beside = Self::modifiers(&self.choice).iter().map(|param| (param, beside(param)));
        let mut changed: Vec<String> = Vec::new();
        for (param, (value, usual)) in own.chain(beside) {
            if value != usual
                && let Some(value) = value
            {
                changed.push(format!("{}={}", param.name, parameter_text(&value)));
            }
        }
        if self.pacing != usual_pacing(&self.choice) {
            changed.push(format!("pacing={}", pacing_text(self.pacing)));
        }
        if changed.is_empty() {
            f.write_str(name)
        } else {
            write!(f, "{name}({})", changed.join(","))
        }
    }
}

/// Reads a list of different controllers.
pub fn controllers(text: &str) -> Result<Vec<ControllerSpec>, BadInput> {
    controllers_among(text, &[])
}

/// The same where a scenario has controllers of its own.
pub(crate) fn controllers_among(
    text: &str,
    own: &[OwnChoice],
) -> Result<Vec<ControllerSpec>, BadInput> {
    let mut specs: Vec<ControllerSpec> = Vec::new();
    for part in split_list(text)? {
        let spec = ControllerSpec::parse_among(part, own)?;
        if specs.contains(&spec) {
            return Err(BadInput::new(format!("'{spec}' is given twice")));
        }
        specs.push(spec);
    }
    if specs.is_empty() {
        return Err(BadInput::new("no controller is given").hint("write reno,cubic"));
    }
    Ok(specs)
}

/// BBR is nothing without pacing; the others leave as the window allows.
fn usual_pacing(choice: &Choice) -> Pacing {
    if choice.control_scope() == ControlScope::Everything { Pacing::On } else { Pacing::Off }
}

fn pacing(text: &str) -> Result<Pacing, BadInput> {
    if text.trim().eq_ignore_ascii_case("fq") {
        return Ok(Pacing::Fq);
    }
    let wrong =
        |_| BadInput::new(format!("{} is no pacing", quoted(text))).hint("write on, off or fq");
    units::switch(text).map(|on| if on { Pacing::On } else { Pacing::Off }).map_err(wrong)
}

/// The word for whether and by what segments are paced: `on`, `off` or `fq`.
pub const fn pacing_text(pacing: Pacing) -> &'static str {
    match pacing {
        Pacing::Off => "off",
        Pacing::On => "on",
        Pacing::Fq => "fq",
    }
}

/// The controller that has exactly this name or alias. Case does not count, and `_` is `-`, so that
/// the names of ours in the kernel work too (`westwood_plus`).
fn named(name: &str, own: &[OwnChoice]) -> Result<Choice, BadInput> {
    let plain = name.to_ascii_lowercase().replace('_', "-");
    let here = || own.iter().copied().find(|own| own.0.info().name == plain);
    let outside = || here().or_else(|| own::registered_named(&plain)).map(Choice::Own);
    Choice::named(&plain).or_else(outside).ok_or_else(|| unknown(name, &plain, own))
}

/// The error for a name that no controller has.
fn unknown(given: &str, plain: &str, own: &[OwnChoice]) -> BadInput {
    let error = BadInput::new(format!("unknown controller {}", quoted(given)));
    // ns-2 has an agent for each of these.
    if let Some(recovery) = Recovery::ALL.into_iter().find(|r| r.name() == plain) {
        return error
            .hint(format!("{recovery} is a loss recovery: set recovery, and reno as controller"));
    }
    let all: Vec<&Info> = Choice::all().map(|choice| choice.info()).collect();
    // `bbrv2` is no misspelt `bbr` but another algorithm, which must not be taken for it.
    if let Some(info) =
        all.iter().filter(|info| is_version_of(plain, info)).max_by_key(|i| i.name.len())
    {
        return error
            .hint(format!("there is '{}', which is another one: {}", info.name, info.source));
    }
    let own = own.iter().map(|own| own.0.info().name);
    let names: Vec<&str> = own.chain(all.iter().map(|info| info.name)).collect();
    match nearest(plain, names.iter().copied()) {
        Some(near) => error.hint(format!("did you mean '{near}'?")),
        None => {
            error.hint(format!("there are {}", some_of(plain, names, "westwood list controllers")))
        }
    }
}

/// True if the name is that of this controller with a version behind it: `bbr2`, `bbr-v3`.
fn is_version_of(given: &str, info: &Info) -> bool {
    let mut known = std::iter::once(&info.name).chain(info.aliases);
    known.any(|name| {
        let version = given.strip_prefix(name).map(|rest| rest.trim_start_matches(['-', '.']));
        let number = version.map(|version| version.strip_prefix('v').unwrap_or(version));
        number.is_some_and(|n| n.starts_with(|c: char| c.is_ascii_digit()))
    })
}

/// The error of a parameter's value, with the parameter's bounds if a number is beyond them.
fn in_bounds(error: BadInput, param: &Param) -> BadInput {
    match &param.bounds {
        Some((low, high)) => error.within(parameter_text(low), parameter_text(high)),
        None => error,
    }
}

/// Reads a parameter's value as the kind that it has.
fn value<'a>(text: &'a str, param: &Param) -> Result<Value<'a>, BadInput> {
    Ok(match param.kind {
        ParamKind::Duration => Value::Duration(units::duration(text)?),
        ParamKind::Rate => Value::Rate(units::rate(text)?),
        ParamKind::Flag => Value::Flag(units::switch(text)?),
        ParamKind::Count => Value::Count(units::count(text, 0, u64::MAX)?),
        ParamKind::Ratio => Value::Ratio(ratio(text)?),
        ParamKind::Segments => Value::Segments(segments(text)?),
        ParamKind::Choice(words) => match words.iter().find(|w| w.eq_ignore_ascii_case(text)) {
            Some(word) => Value::Choice(word),
            None => return Err(BadInput::unknown("value", text, words.iter().copied())),
        },
    })
}

/// Reads `0.85`, `85%` or `17/20`.
pub(crate) fn ratio(text: &str) -> Result<Ratio, BadInput> {
    let refused = || wrong_kind(text, ParamKind::Ratio);
    if let Some((num, den)) = text.split_once('/') {
        let word = |s: &str| s.trim().parse::<u32>().map_err(|_| refused());
        let (num, den) = (word(num)?, word(den)?);
        return if den == 0 { Err(refused()) } else { Ok(Ratio::new(num, den)) };
    }
    let (number, places) = match text.strip_suffix('%') {
        Some(percent) => (percent.trim_end(), 2),
        None => (text, 0),
    };
    let fraction = Decimal::parse(number)?.shifted(places).to_fraction();
    fraction.map(|(num, den)| Ratio::new(num, den)).ok_or_else(refused)
}

/// Reads a number of segments, `2` or `0.5`.
fn segments(text: &str) -> Result<Segments, BadInput> {
    let number = text.trim_end_matches("pkt").trim_end();
    let raw = Decimal::parse(number).map_err(|e| e.within(0, Segments::MAX))?.times(1 << 32);
    match raw.and_then(|raw| u64::try_from(raw).ok()) {
        Some(raw) if raw <= Segments::MAX.raw() => Ok(Segments::from_raw(raw)),
        _ => Err(BadInput::out_of_range(text, 0, Segments::MAX)),
    }
}

fn wrong_kind(text: &str, kind: ParamKind) -> BadInput {
    let what = match kind {
        ParamKind::Duration => "a duration such as 300ms",
        ParamKind::Ratio => "a share such as 0.85, 85% or 17/20",
        ParamKind::Count => "a whole number",
        ParamKind::Segments => "a number of segments",
        ParamKind::Rate => "a rate such as 10Mbit/s",
        ParamKind::Flag => "on or off",
        ParamKind::Choice(_) => "one of the words of this parameter",
    };
    BadInput::new(format!("{} is not {what}", quoted(text)))
}

/// A parameter's value in the notation in which it is given.
pub fn parameter_text(value: &Value<'_>) -> String {
    match value {
        Value::Duration(d) => units::duration_text(*d),
        Value::Ratio(r) => ratio_text(*r),
        Value::Count(n) => n.to_string(),
        Value::Segments(s) => {
            // raw / 2^32 = raw * 5^32 / 10^32; 2^56 segments of raw times 5^32 exceed a word of
            // 128 bits, so the common factors of 2 go first.
            let twos = s.raw().trailing_zeros().min(32);
            let places = 32 - twos;
            let digits = u128::from(s.raw() >> twos).checked_mul(5_u128.pow(places));
            digits.map_or_else(
                || s.to_string(),
                |d| Decimal::new(d, -i32::try_from(places).unwrap_or(0)).to_string(),
            )
        }
        Value::Rate(r) => units::rate_text(*r),
        Value::Flag(on) => units::switch_text(*on).to_owned(),
        Value::Choice(word) => (*word).to_owned(),
    }
}

/// A decimal number if nine places hold it, else a fraction.
fn ratio_text(r: Ratio) -> String {
    let billion = 1_000_000_000_u64;
    let scaled = u64::from(r.num()) * billion;
    if scaled.is_multiple_of(u64::from(r.den())) {
        Decimal::new(u128::from(scaled / u64::from(r.den())), -9).to_string()
    } else {
        format!("{}/{}", r.num(), r.den())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_controller_is_found_by_its_own_name_and_prints_it() {
        for choice in Choice::all() {
            let name = choice.info().name;
            assert_eq!(ControllerSpec::parse(name).unwrap().to_string(), name);
        }
    }

    #[test]
    fn every_parameter_can_be_set_to_the_ends_of_its_bounds_and_read_back() {
        for choice in Choice::all() {
            for param in choice.list() {
                let Some((low, high)) = param.bounds else {
                    continue;
                };
                for bound in [low, high] {
                    let name = choice.info().name;
                    let text = format!("{name}({}={})", param.name, parameter_text(&bound));
                    let spec = ControllerSpec::parse(&text).unwrap();
                    let again = ControllerSpec::parse(&spec.to_string()).unwrap();
                    assert_eq!(spec, again, "{text}");
                }
            }
        }
    }

    #[test]
    fn a_name_that_no_controller_has_is_refused_and_never_runs_as_another() {
        let known = |name: &str| {
            Choice::all().any(|c| c.info().name == name || c.info().aliases.contains(&name))
        };
        let endings = ["2", "3", "v2", "v3", "-v3", ".2", "_3", "-2", "x", "+", "-linux2", "plus"];
        for choice in Choice::all() {
            let info = choice.info();
            for name in std::iter::once(&info.name).chain(info.aliases) {
                for ending in endings {
                    let given = format!("{name}{ending}");
                    if known(&given.replace('_', "-")) {
                        continue;
                    }
                    let error = ControllerSpec::parse(&given).expect_err(&given).to_string();
                    assert!(error.starts_with("unknown controller"), "{error}");
                }
            }
        }
    }

    #[test]
    fn the_name_of_a_recovery_is_told_to_be_one() {
        for name in ["tahoe", "sack", "sack-1996", "SACK_1996"] {
            let error = ControllerSpec::parse(name).unwrap_err().to_string();
            let plain = name.to_ascii_lowercase().replace('_', "-");
            assert!(
                error.contains(&format!("{plain} is a loss recovery: set recovery")),
                "{error}"
            );
        }
    }

    #[test]
    fn another_version_of_a_controller_is_not_taken_for_a_slip_of_the_pen() {
        let text = |t| ControllerSpec::parse(t).unwrap_err().to_string();
        for (given, near) in [
            ("bbr2", "bbr"),
            ("bbr-v2", "bbr"),
            ("cubic2", "cubic"),
            ("westwood2", "westwood"),
            ("westwood+2", "westwood+"),
            ("reno-linux2", "reno-linux"),
        ] {
            let error = text(given);
            assert!(!error.contains("did you mean"), "{error}");
            assert!(
                error.contains(&format!("there is '{near}', which is another one:")),
                "{error}"
            );
        }
        assert!(text("cubci").contains("did you mean 'cubic'?"));
        assert!(text("fast").contains("there are reno, "));
    }

    #[test]
    fn names_in_the_kernel_and_names_with_plus_mean_the_same() {
        for (given, name) in [
            ("westwood_plus", "westwood+"),
            ("Westwood-Plus", "westwood+"),
            ("westwood_2002", "westwood"),
            ("westwood_probe", "westwood+probing"),
            ("log_westwood", "log-westwood+"),
            ("log-westwood", "log-westwood+"),
            ("log-westwood-plus", "log-westwood+"),
        ] {
            assert_eq!(ControllerSpec::parse(given).unwrap().to_string(), name);
        }
    }

    #[test]
    fn commas_inside_parentheses_do_not_separate_controllers() {
        let specs = controllers("reno(keep=0.6,pacing=on),reno").unwrap();
        assert_eq!(specs.len(), 2);
    }

    #[test]
    fn the_same_controller_twice_is_refused() {
        assert!(controllers("reno,reno").is_err());
        assert!(controllers("reno,reno(keep=0.5)").is_err());
    }

    #[test]
    fn a_wrong_parameter_is_refused_with_what_is_right() {
        let text = |t| ControllerSpec::parse(t).unwrap_err().to_string();
        assert_eq!(text("reno(keeep=0.5)"), "reno: has no parameter 'keeep'; did you mean 'keep'?");
        assert!(text("reno(keep=2)").contains("0.1 to 0.99"));
        assert!(text("renu").contains("did you mean 'reno'?"));
        assert!(text("reno(keep=x)").contains("'x' is not a number"));
    }

    #[test]
    fn ratios_are_decimal_percent_or_fraction() {
        for text in ["0.85", "85%", "17/20"] {
            assert_eq!(ratio(text).map(ratio_text).unwrap(), "0.85");
        }
        assert_eq!(ratio("1/3").map(ratio_text).unwrap(), "1/3");
        assert!(ratio("1/0").is_err());
    }
}
