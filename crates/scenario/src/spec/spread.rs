//! Random quantities: `10s`, `exponential(10s)`, `uniform(1s,5s)`, `pareto(30kB,shape=1.5)`.

use westwood_cc::{Bytes, Duration};
use westwood_net::{Jitter, JitterDistribution};
use westwood_sim::ValueDistribution;

use super::SpecForm;
use super::call::Call;
use crate::decimal::Decimal;
use crate::error::BadInput;
use crate::limits::{MIN_RTT, transfer, within};
use crate::units::{duration, duration_text};

/// The distributions.
pub const SPREADS: &[SpecForm] = &[
    SpecForm {
        name: "constant",
        aliases: &[],
        example: "10s",
        summary: "always the same; a quantity alone means this",
        parameters: &[],
    },
    SpecForm {
        name: "exponential",
        aliases: &["exp"],
        example: "exponential(10s)",
        summary: "exponential of this mean",
        parameters: &[("mean", "", "the mean; also without its name")],
    },
    SpecForm {
        name: "uniform",
        aliases: &[],
        example: "uniform(1s,5s)",
        summary: "every value between the two alike",
        parameters: &[],
    },
    SpecForm {
        name: "pareto",
        aliases: &[],
        example: "pareto(30kB,shape=1.5)",
        summary: "Pareto of this mean: a few are very large",
        parameters: &[("mean", "", "the mean; also without its name"), ("shape", "1.5", "above 1")],
    },
];

/// Reads a random duration, in seconds. No path reacts within less than its shortest round-trip time, and
/// shorter spans cost an event each.
pub fn random_span(text: &str) -> Result<ValueDistribution, BadInput> {
    let least = duration_text(MIN_RTT);
    spread(text, "10s", |text| within(text, duration, &least, "86400s").map(seconds))
}

/// Reads a random size, in bytes.
pub fn random_size(text: &str) -> Result<ValueDistribution, BadInput> {
    spread(text, "30kB", |text| transfer(text).map(bytes))
}

fn spread(
    text: &str,
    example: &str,
    read: impl Fn(&str) -> Result<f64, BadInput>,
) -> Result<ValueDistribution, BadInput> {
    if text.trim_start().starts_with(|c: char| c.is_ascii_digit() || matches!(c, '.' | '+' | '-')) {
        return Ok(ValueDistribution::Constant(read(text)?));
    }
    let mut call = Call::parse(text)?;
    let name = call.name.to_ascii_lowercase();
    let form = SPREADS.iter().find(|f| f.name == name || f.aliases.contains(&name.as_str()));
    let values = call.positional();
    let wrong = |what: &str, example: &str| {
        Err(BadInput::new(what).hint(format!("write {example}")).at(&name))
    };
    let spread = match (form.map(|f| f.name), values.as_slice()) {
        (Some("exponential"), [mean]) => ValueDistribution::Exponential(read(mean)?),
        (Some("exponential"), []) => {
            ValueDistribution::Exponential(call.need("mean", example, &read)?)
        }
        (Some("uniform"), [low, high]) => match (read(low)?, read(high)?) {
            (low, high) if low <= high => ValueDistribution::Uniform(low, high),
            _ => {
                return wrong(
                    "the first value must not exceed the second",
                    "the smaller one first",
                );
            }
        },
        (Some("pareto"), [mean]) => {
            ValueDistribution::Pareto { mean: read(mean)?, shape: shape(&mut call)? }
        }
        (Some("pareto"), []) => ValueDistribution::Pareto {
            mean: call.need("mean", example, &read)?,
            shape: shape(&mut call)?,
        },
        (Some("constant"), [value]) => ValueDistribution::Constant(read(value)?),
        (Some("uniform"), _) => return wrong("takes two values", "uniform(1s,5s)"),
        (Some(_), _) => return wrong("takes one value", &format!("{name}({example})")),
        (None, _) => {
            return Err(BadInput::unknown("distribution", &name, SPREADS.iter().map(|f| f.name)));
        }
    };
    call.finish()?;
    Ok(spread)
}

fn shape(call: &mut Call<'_>) -> Result<f64, BadInput> {
    let above_one = |text: &str| match Decimal::parse_f64(text) {
        Ok(x) if x > 1.0 && x <= 100.0 => Ok(x),
        Err(error) if !error.is_beyond() => Err(error),
        _ => Err(BadInput::new("must be above 1 and at most 100").hint("write 1.5")),
    };
    Ok(call.take("shape", above_one)?.unwrap_or(1.5))
}

/// Reads a delay that varies from packet to packet: `uniform(5ms)`, `exponential(2ms)`,
/// `normal(5ms,1ms)` or `bunches(10ms)`. Whether packets may overtake each other is said apart.
pub fn jitter(text: &str) -> Result<Jitter, BadInput> {
    let mut call = Call::parse(text)?;
    let name = call.name.to_ascii_lowercase();
    let span = |text: &str| within(text, duration, "0s", "86400s");
    let values = call.positional();
    let spread = match (name.as_str(), values.as_slice()) {
        ("uniform", [most]) => JitterDistribution::Uniform { most: span(most)? },
        ("exponential" | "exp", [mean]) => JitterDistribution::Exponential { mean: span(mean)? },
        ("normal", [mean, deviation]) => {
            JitterDistribution::Normal { mean: span(mean)?, deviation: span(deviation)? }
        }
        ("bunches", [every]) => JitterDistribution::Bunches { every: span(every)? },
        ("uniform" | "exponential" | "exp" | "normal" | "bunches", _) => {
            let hint = "write uniform(5ms), exponential(2ms), normal(5ms,1ms) or bunches(10ms)";
            return Err(BadInput::new("has the wrong number of values").hint(hint).at(name));
        }
        _ => {
            return Err(BadInput::unknown(
                "jitter",
                &name,
                ["uniform", "exponential", "normal", "bunches"],
            ));
        }
    };
    call.finish()?;
    Ok(Jitter { spread, reorder: false })
}

#[expect(clippy::cast_precision_loss, reason = "2^53 ns are 104 days, longer than is allowed")]
fn seconds(span: Duration) -> f64 {
    span.as_nanos() as f64 / 1e9
}

#[expect(clippy::cast_precision_loss, reason = "random sizes need no more than 53 bits")]
fn bytes(size: Bytes) -> f64 {
    size.get() as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_distribution_is_read() {
        assert_eq!(random_span("250 ms"), Ok(ValueDistribution::Constant(0.25)));
        assert_eq!(random_span("exponential(2s)"), Ok(ValueDistribution::Exponential(2.0)));
        assert_eq!(random_span("exp(mean = 2s)"), Ok(ValueDistribution::Exponential(2.0)));
        assert_eq!(random_span("uniform(1s, 5s)"), Ok(ValueDistribution::Uniform(1.0, 5.0)));
        let pareto = ValueDistribution::Pareto { mean: 30_000.0, shape: 1.2 };
        assert_eq!(random_size("pareto(30kB,shape=1.2)"), Ok(pareto));
        for form in SPREADS {
            assert!(random_span(form.example).is_ok() || random_size(form.example).is_ok());
        }
    }

    #[test]
    fn a_wrong_distribution_is_refused_with_what_is_right() {
        let text = |t| random_span(t).unwrap_err().to_string();
        assert!(text("exponentail(1s)").contains("did you mean 'exponential'?"));
        assert!(text("uniform(1s)").contains("two values"));
        assert!(text("uniform(2s,1s)").contains("must not exceed"));
        assert!(text("pareto(1s,shape=1)").contains("above 1"));
        assert!(text("0s").contains("out of range"));
        for short in ["999ns", "exponential(1ns)", "uniform(0.5us, 1s)", "pareto(1 ns)"] {
            assert!(text(short).contains("write a value from 1us to 86400s"), "{}", text(short));
        }
        assert!(random_span("exponential(1us)").is_ok());
        assert!(text("10").contains("no unit"));
        assert!(text("exponential(1s,low=2s)").contains("no parameter 'low'"));
    }

    #[test]
    fn jitter_has_three_forms() {
        for text in ["uniform(5ms)", "exponential(2ms)", "normal(5ms, 1ms)"] {
            assert!(jitter(text).is_ok(), "{text}");
        }
        assert!(jitter("normal(5ms)").unwrap_err().to_string().contains("wrong number"));
        assert!(jitter("gauss(5ms)").is_err());
    }
}
