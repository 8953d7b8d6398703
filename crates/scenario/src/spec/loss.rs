//! Losses: `1%`, `ber(1e-6)`, `markov(good=8s,bad=4s,p=5%)`.

use westwood_cc::Duration;
use westwood_net::{LossConfig, Sojourns};

use super::SpecForm;
use super::call::{Call, split_list};
use crate::decimal::Decimal;
use crate::error::BadInput;
use crate::limits::within;
use crate::units::{count, duration, duration_text, share, share_text};

/// The loss processes.
pub const LOSSES: &[SpecForm] = &[
    SpecForm {
        name: "bernoulli",
        aliases: &["random"],
        example: "0.5%",
        summary: "each packet alike, independently; a share alone means this",
        parameters: &[("p", "", "share of the packets that are lost; also without its name")],
    },
    SpecForm {
        name: "ber",
        aliases: &["bit-errors"],
        example: "ber(1e-6)",
        summary: "each bit alike: long packets are lost more often",
        parameters: &[("p", "", "share of the bits that are damaged; also without its name")],
    },
    SpecForm {
        name: "markov",
        aliases: &[],
        example: "markov(good=8s,bad=4s,p=5%)",
        summary: "two states with exponential sojourns (westwood-2002 section 5.2)",
        parameters: &[
            ("good", "", "mean sojourn in Good"),
            ("bad", "", "mean sojourn in Bad"),
            ("p", "", "share lost in Bad"),
            ("p_good", "0%", "share lost in Good"),
        ],
    },
    SpecForm {
        name: "gilbert",
        aliases: &[],
        example: "gilbert(good=1s,bad=10ms,p=10%)",
        summary: "two states with fixed sojourns and fair coins (ccr-2004 section 3.4)",
        parameters: &[
            ("good", "", "length of a sojourn in Good"),
            ("bad", "", "length of a sojourn in Bad"),
            ("p", "", "share lost in Bad"),
            ("sojourns", "clock", "what ends them: the clock, or packets as in ns-2's MultiState"),
        ],
    },
    SpecForm {
        name: "gemodel",
        aliases: &["gilbert-elliott"],
        example: "gemodel(p=0.5%,r=25%)",
        summary: "two states that packets change (tc netem's loss gemodel): bursts of 1/r packets",
        parameters: &[
            ("p", "", "chance that a packet in Good leaves the link in Bad"),
            ("r", "", "chance that a packet in Bad leaves the link in Good"),
            ("p_bad", "100%", "share lost in Bad (tc's 1-h)"),
            ("p_good", "0%", "share lost in Good (tc's 1-k)"),
        ],
    },
    SpecForm {
        name: "outage",
        aliases: &["outages"],
        example: "outage(every=4s,for=100ms)",
        summary: "everything is lost for a while, again and again (handoffs)",
        parameters: &[
            ("every", "", "from one outage's beginning to the next"),
            ("for", "", "how long each lasts"),
        ],
    },
    SpecForm {
        name: "list",
        aliases: &[],
        example: "list(20,21,35)",
        summary: "just these packets, counted from 1 as they enter the link",
        parameters: &[],
    },
];

/// The independent losses of a list that are written as plain numbers, without a percent sign.
///
/// ```
/// use westwood_scenario::spec::plain_losses;
/// assert_eq!(plain_losses("0.5, outage(every=4s,for=100ms)"), [0.5]);
/// assert_eq!(plain_losses("bernoulli(p=0.3)"), [0.3]);
/// assert!(plain_losses("50%, ber(1e-6)").is_empty());
/// ```
pub fn plain_losses(text: &str) -> Vec<f64> {
    let plain = |part: &str| {
        let part = part.trim();
        let named = ["bernoulli(", "random("].iter().find_map(|name| part.strip_prefix(name));
        let inside = named.and_then(|rest| rest.strip_suffix(')')).unwrap_or(part).trim();
        let value = inside.strip_prefix('p').map_or(inside, str::trim_start);
        Decimal::parse(value.trim_start_matches('=').trim()).ok().map(Decimal::to_f64)
    };
    split_list(text).unwrap_or_default().into_iter().filter_map(plain).collect()
}

/// Reads a list of loss processes that all act on the same packets; `none` is none.
///
/// ```
/// use westwood_scenario::spec::{losses, losses_text};
/// let handoffs = losses("0.1%, outage(every=4s,for=100ms)").unwrap();
/// assert_eq!(losses_text(&handoffs), "0.1%,outage(every=4s,for=100ms)");
/// ```
pub fn losses(text: &str) -> Result<Vec<LossConfig>, BadInput> {
    if matches!(text.trim(), "none" | "off") {
        return Ok(Vec::new());
    }
    let parts = split_list(text)?;
    if parts.is_empty() {
        return Err(BadInput::new("the value is empty").hint("write 0.5% or none"));
    }
    let all: Result<Vec<_>, _> = parts.into_iter().map(loss).collect();
    let never = |l: &LossConfig| matches!(l, LossConfig::Bernoulli { p } if *p == 0.0);
    Ok(all?.into_iter().filter(|l| !never(l)).collect())
}

fn loss(text: &str) -> Result<LossConfig, BadInput> {
    if text.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '.' | '+' | '-')) {
        return Ok(LossConfig::Bernoulli { p: share(text)? });
    }
    let mut call = Call::parse(text)?;
    let name = call.name.to_ascii_lowercase();
    let form = LOSSES.iter().find(|f| f.name == name || f.aliases.contains(&name.as_str()));
    let Some(form) = form else {
        return Err(BadInput::unknown("loss", &name, LOSSES.iter().map(|f| f.name)));
    };
    let loss = match form.name {
        "bernoulli" => LossConfig::Bernoulli { p: single(&mut call, "0.5%", share)? },
        "ber" => LossConfig::BitErrors { ber: single(&mut call, "ber(1e-6)", share)? },
        "markov" => LossConfig::Markov {
            good: call.need("good", form.example, sojourn)?,
            bad: call.need("bad", form.example, sojourn)?,
            p_bad: call.need("p", form.example, share)?,
            p_good: call.take("p_good", share)?.unwrap_or(0.0),
        },
        "gilbert" => LossConfig::Gilbert {
            good: call.need("good", form.example, sojourn)?,
            bad: call.need("bad", form.example, sojourn)?,
            p: call.need("p", form.example, share)?,
            sojourns: call.take("sojourns", sojourns)?.unwrap_or_default(),
        },
        "gemodel" => LossConfig::GilbertElliott {
            p: call.need("p", form.example, share)?,
            r: call.need("r", form.example, share)?,
            p_bad: call.take("p_bad", share)?.unwrap_or(1.0),
            p_good: call.take("p_good", share)?.unwrap_or(0.0),
        },
        "outage" => outage(&mut call, form.example)?,
        _ => LossConfig::List(numbers(&mut call)?),
    };
    call.finish()?;
    Ok(loss)
}

/// The one value of a loss that needs no name: `ber(1e-6)` or `ber(p=1e-6)`.
fn single<T>(
    call: &mut Call<'_>,
    example: &str,
    parse: impl Fn(&str) -> Result<T, BadInput>,
) -> Result<T, BadInput> {
    match call.positional().as_slice() {
        [] => call.need("p", example, parse),
        [only] => parse(only).map_err(|e| e.at(call.name)),
        _ => Err(BadInput::new("takes one value").hint(format!("write {example}")).at(call.name)),
    }
}

/// A sojourn: long enough to be simulated, short enough to matter.
fn sojourn(text: &str) -> Result<Duration, BadInput> {
    within(text, duration, "1us", "1440min")
}

fn sojourns(text: &str) -> Result<Sojourns, BadInput> {
    match text {
        "clock" => Ok(Sojourns::Clock),
        "packets" => Ok(Sojourns::Packets),
        other => Err(BadInput::unknown("end of sojourns", other, ["clock", "packets"])),
    }
}

fn outage(call: &mut Call<'_>, example: &str) -> Result<LossConfig, BadInput> {
    let every = call.need("every", example, sojourn)?;
    let lasts = call.need("for", example, sojourn)?;
    if lasts >= every {
        let what = BadInput::new("'for' must be shorter than 'every'");
        return Err(what.hint(format!("write {example}")).at(call.name));
    }
    Ok(LossConfig::Outage { every, lasts })
}

fn numbers(call: &mut Call<'_>) -> Result<Vec<u64>, BadInput> {
    let values = call.positional();
    if values.is_empty() {
        return Err(BadInput::new("names no packet").hint("write list(20,21,35)").at(call.name));
    }
    let numbers: Result<Vec<u64>, BadInput> =
        values.into_iter().map(|v| count(v, 1, 1 << 53)).collect();
    numbers.map_err(|e| e.at(call.name))
}

/// A loss process in the notation in which it is given.
pub fn loss_text(loss: &LossConfig) -> String {
    let time = duration_text;
    match loss {
        LossConfig::Bernoulli { p } => share_text(*p),
        LossConfig::BitErrors { ber } => {
            let ber = Decimal::parse(&format!("{ber:e}")).map_or(*ber, Decimal::to_f64);
            format!("ber({ber:e})")
        }
        LossConfig::Markov { good, bad, p_good, p_bad } => {
            let p_good = match *p_good {
                0.0 => String::new(),
                p => format!(",p_good={}", share_text(p)),
            };
            format!(
                "markov(good={},bad={},p={}{p_good})",
                time(*good),
                time(*bad),
                share_text(*p_bad)
            )
        }
        LossConfig::Gilbert { good, bad, p, sojourns } => {
            let sojourns = match sojourns {
                Sojourns::Clock => "",
                Sojourns::Packets => ",sojourns=packets",
            };
            let p = share_text(*p);
            format!("gilbert(good={},bad={},p={p}{sojourns})", time(*good), time(*bad))
        }
        LossConfig::GilbertElliott { p, r, p_good, p_bad } => {
            let p_bad = match *p_bad {
                1.0 => String::new(),
                p => format!(",p_bad={}", share_text(p)),
            };
            let p_good = match *p_good {
                0.0 => String::new(),
                p => format!(",p_good={}", share_text(p)),
            };
            format!("gemodel(p={},r={}{p_bad}{p_good})", share_text(*p), share_text(*r))
        }
        LossConfig::Outage { every, lasts } => {
            format!("outage(every={},for={})", time(*every), time(*lasts))
        }
        LossConfig::List(numbers) => {
            let numbers: Vec<String> = numbers.iter().map(u64::to_string).collect();
            format!("list({})", numbers.join(","))
        }
    }
}

/// A list of loss processes in the notation in which it is given; `none` for none.
pub fn losses_text(losses: &[LossConfig]) -> String {
    if losses.is_empty() {
        return "none".to_owned();
    }
    let texts: Vec<String> = losses.iter().map(loss_text).collect();
    texts.join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_listed_example_is_read_and_printed_back() {
        let by_packets = "gilbert(good=1s,bad=10ms,p=10%,sojourns=packets)";
        let in_both = "gemodel(p=1%,r=30%,p_bad=70%,p_good=0.1%)";
        for text in LOSSES.iter().map(|form| form.example).chain([by_packets, in_both]) {
            let parsed = losses(text).unwrap();
            assert_eq!(losses_text(&parsed), text);
        }
    }

    #[test]
    fn no_loss_is_an_empty_list() {
        for text in ["none", "0", "0%", "0.0"] {
            assert_eq!(losses(text), Ok(Vec::new()), "{text}");
        }
    }

    #[test]
    fn several_losses_act_together() {
        assert_eq!(losses("0.1%,outage(every=4s,for=100ms)").unwrap().len(), 2);
    }

    #[test]
    fn a_wrong_loss_is_refused_with_what_is_right() {
        let text = |t| losses(t).unwrap_err().to_string();
        assert!(text("5").contains("write 5% or 0.05"));
        assert!(text("gilbret(good=1s,bad=1s,p=1%)").contains("did you mean 'gilbert'?"));
        assert!(text("gilbert(good=1s,bad=1s,p=1%,sojourns=packet)").contains("'packets'"));
        assert!(text("markov(good=8s,bad=4s)").contains("'p' is missing"));
        assert!(text("gemodel(p=1%)").contains("'r' is missing"));
        assert!(text("gemodel(p=1%,r=20)").contains("write 20% or 0.2"));
        assert!(text("outage(every=1s,for=2s)").contains("shorter"));
        assert!(text("ber(1e-6,1e-5)").contains("one value"));
        assert!(text("list(0)").contains("from 1"));
    }
}
