//! Quantities with units, as people write them.
//!
//! | quantity | examples |
//! |---|---|
//! | rate | `10Mbit/s`, `10 Mbps`, `10mbit`, `10M`, `1.25MB/s` |
//! | duration | `250ns`, `10us`, `100 ms`, `1.5s`, `2min`, `1h` |
//! | size | `1500`, `1500B`, `125kB`, `10MiB` |
//! | buffer | `83pkt`, `125kB`, `100ms`, `1.5bdp` |
//! | share | `0.1%`, `1e-3` |
//!
//! `Mbps` is megabits a second, `MB/s` megabytes; `m` before `bit` is mega, since nobody sends
//! millibits. Numbers are decimal and exact: a rate keeps 2^-16 byte/s, a duration whole
//! nanoseconds.

use std::fmt;

use westwood_cc::{Bytes, Duration, Rate};

use crate::decimal::Decimal;
use crate::error::{BadInput, quoted};

/// Splits `1.5 Mbit/s` into its number and its unit; a refusal proposes the `examples`.
fn split<'a>(text: &'a str, examples: &[&str]) -> Result<(Decimal, &'a str), BadInput> {
    let text = text.trim();
    let bytes = text.as_bytes();
    let digits_from = |start: usize| {
        bytes[start..].iter().take_while(|b| b.is_ascii_digit() || **b == b'.').count()
    };
    let sign = usize::from(matches!(bytes.first(), Some(b'+' | b'-')));
    let mut end = sign + digits_from(sign);
    if end > sign && matches!(bytes.get(end), Some(b'e' | b'E')) {
        let exponent = end + 1 + usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        if bytes.get(exponent).is_some_and(u8::is_ascii_digit) {
            end = exponent + digits_from(exponent);
        }
    }
    let examples = || examples.iter().map(|example| (*example).to_owned());
    if text.is_empty() {
        return Err(BadInput::new("the value is empty").propose(examples()));
    }
    if end == sign {
        let what = BadInput::new(format!("{} does not begin with a number", quoted(text)));
        return Err(what.propose(examples()));
    }
    Ok((Decimal::parse(&text[..end])?, text[end..].trim()))
}

fn no_unit(text: &str, number: Decimal, units: &[&str]) -> BadInput {
    let what = BadInput::new(format!("{} has no unit", quoted(text.trim())));
    what.propose(units.iter().map(|unit| format!("{number}{unit}")))
}

fn bad_unit(text: &str, unit: &str, examples: &str) -> BadInput {
    let what = BadInput::new(format!("{} has the unknown unit {}", quoted(text), quoted(unit)));
    what.hint(format!("write {examples}"))
}

fn to_word(value: Option<u128>, text: &str) -> Result<u64, BadInput> {
    let too_large = || BadInput::beyond(text, "is too large");
    value.and_then(|v| u64::try_from(v).ok()).ok_or_else(too_large)
}

/// Reads a rate.
///
/// ```
/// use westwood_cc::Rate;
/// use westwood_scenario::units::rate;
/// assert_eq!(rate("10 Mbps"), Ok(Rate::from_bits_per_s(10_000_000)));
/// assert_eq!(rate("1.25MB/s"), Ok(Rate::from_bits_per_s(10_000_000)));
/// assert_eq!(rate("10").unwrap_err().to_string(),
///            "'10' has no unit; write 10Mbit/s or 10kbit/s");
/// ```
pub fn rate(text: &str) -> Result<Rate, BadInput> {
    let (number, unit) = split(text, &["10Mbit/s"])?;
    if unit.is_empty() {
        // A large number counts bits, as in ns-3 and in iperf3.
        let is_of_bits = number.times(1).is_some_and(|whole| whole >= 100_000);
        let units: &[&str] = if is_of_bits { &["bit/s"] } else { &["Mbit/s", "kbit/s"] };
        return Err(no_unit(text, number, units));
    }
    let bits = bits_per_unit(unit)
        .ok_or_else(|| bad_unit(text.trim(), unit, "bit/s, kbit/s, Mbit/s, Gbit/s or MB/s"))?;
    // A bit a second is 2^13 units of a rate.
    let raw = to_word(number.times(bits << 13), text)?;
    if raw == 0 && !number.is_zero() {
        return Err(BadInput::beyond(text, "is too small"));
    }
    Ok(Rate::from_raw(raw))
}

/// Bits a second that a unit of rate stands for.
fn bits_per_unit(unit: &str) -> Option<u128> {
    let tail = |tail: &str| match tail {
        "bps" | "b/s" => Some(1),
        "Bps" | "B/s" => Some(8),
        _ => match tail.to_ascii_lowercase().as_str() {
            "bit" | "bits" | "bit/s" | "bits/s" => Some(1),
            "byte/s" | "bytes/s" => Some(8),
            _ => None,
        },
    };
    if let Some(bits) = tail(unit) {
        return Some(bits);
    }
    let power = match unit.as_bytes().first()? {
        b'k' | b'K' => 1_000,
        b'm' | b'M' => 1_000_000,
        b'g' | b'G' => 1_000_000_000,
        b't' | b'T' => 1_000_000_000_000,
        _ => return None,
    };
    let rest = &unit[1..];
    if rest.is_empty() { Some(power) } else { tail(rest).map(|bits| bits * power) }
}

/// Reads a duration.
///
/// ```
/// use westwood_cc::Duration;
/// use westwood_scenario::units::duration;
/// assert_eq!(duration("1.5 h"), Ok(Duration::from_secs(5_400)));
/// assert_eq!(duration("2m").unwrap_err().to_string(),
///            "'2m' may mean minutes or milliseconds; write 2min or 2ms");
/// ```
pub fn duration(text: &str) -> Result<Duration, BadInput> {
    let (number, unit) = split(text, &["100ms"])?;
    if unit.is_empty() {
        return Err(no_unit(text, number, &["ms", "s"]));
    }
    let ns = ns_per_unit(unit).ok_or_else(|| bad_duration(text.trim(), number, unit))?;
    to_duration(number, ns, text)
}

/// The error for a unit that is none of time. `m` is refused: some take it for minutes, some for
/// the milliseconds of `ping`, and a factor of 60,000 lies between them.
fn bad_duration(text: &str, number: Decimal, unit: &str) -> BadInput {
    if unit == "m" {
        return BadInput::new(format!("{} may mean minutes or milliseconds", quoted(text)))
            .propose([format!("{number}min"), format!("{number}ms")]);
    }
    bad_unit(text, unit, "ns, us, ms, s, min or h")
}

fn to_duration(number: Decimal, ns: u128, text: &str) -> Result<Duration, BadInput> {
    let span = to_word(number.times(ns), text)?;
    if span == 0 && !number.is_zero() {
        return Err(BadInput::beyond(text, "is shorter than 1 ns"));
    }
    Ok(Duration::from_nanos(span))
}

fn ns_per_unit(unit: &str) -> Option<u128> {
    Some(match unit {
        "ns" => 1,
        "us" | "µs" | "μs" => 1_000,
        "ms" => 1_000_000,
        "s" | "sec" => 1_000_000_000,
        "min" => 60_000_000_000,
        "h" => 3_600_000_000_000,
        _ => return None,
    })
}

/// Reads a size. A number alone is in bytes.
pub fn size(text: &str) -> Result<Bytes, BadInput> {
    let (number, unit) = split(text, &["1500B"])?;
    let bytes = if unit.is_empty() { Some(1) } else { bytes_per_unit(unit) };
    let bytes = bytes.ok_or_else(|| bad_unit(text.trim(), unit, "B, kB, MB, GB, KiB or MiB"))?;
    whole_bytes(number, bytes, text)
}

/// Reads a size that must name its unit.
pub fn size_with_unit(text: &str) -> Result<Bytes, BadInput> {
    let (number, unit) = split(text, &["125kB"])?;
    if unit.is_empty() {
        return Err(no_unit(text, number, &["kB", "MB"]));
    }
    size(text)
}

fn whole_bytes(number: Decimal, unit: u128, text: &str) -> Result<Bytes, BadInput> {
    whole(number, unit, text, "bytes").map(Bytes::new)
}

fn whole(number: Decimal, unit: u128, text: &str, what: &str) -> Result<u64, BadInput> {
    to_word(number.times_floor(unit), text)?;
    number
        .times_exact(unit)
        .and_then(|n| u64::try_from(n).ok())
        .ok_or_else(|| BadInput::new(format!("{} is not a whole number of {what}", quoted(text))))
}

fn bytes_per_unit(unit: &str) -> Option<u128> {
    Some(match unit {
        "B" | "byte" | "bytes" => 1,
        "kB" | "KB" => 1_000,
        "MB" => 1_000_000,
        "GB" => 1_000_000_000,
        "KiB" | "kiB" => 1 << 10,
        "MiB" => 1 << 20,
        "GiB" => 1 << 30,
        _ => return None,
    })
}

/// The buffer of a bottleneck, as the user writes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Buffer {
    /// So many packets.
    Packets(u64),
    /// So many bytes.
    Bytes(Bytes),
    /// The bytes that the link sends in this time.
    Time(Duration),
    /// Bandwidth-delay products.
    Bdp(Decimal),
}

/// Reads a buffer.
pub fn buffer(text: &str) -> Result<Buffer, BadInput> {
    let (number, unit) = split(text, &["83pkt", "125kB", "100ms", "1.5bdp"])?;
    if unit.is_empty() {
        return Err(no_unit(text, number, &["pkt", "kB", "ms", "bdp"]));
    }
    match unit {
        "pkt" | "pkts" | "packet" | "packets" => {
            whole(number, 1, text, "packets").map(Buffer::Packets)
        }
        "bdp" | "BDP" => Ok(Buffer::Bdp(number)),
        _ => {
            if let Some(bytes) = bytes_per_unit(unit) {
                whole_bytes(number, bytes, text).map(Buffer::Bytes)
            } else if let Some(ns) = ns_per_unit(unit) {
                to_duration(number, ns, text).map(Buffer::Time)
            } else {
                Err(bad_unit(text.trim(), unit, "pkt, kB, ms or bdp"))
            }
        }
    }
}

impl fmt::Display for Buffer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Packets(n) => write!(f, "{n}pkt"),
            Self::Bytes(n) => write!(f, "{}B", n.get()),
            Self::Time(d) => f.write_str(&duration_text(*d)),
            Self::Bdp(x) => write!(f, "{x}bdp"),
        }
    }
}

/// Reads a share from 0 to 1: with `%`, or as a plain number.
pub fn share(text: &str) -> Result<f64, BadInput> {
    let (number, unit) = split(text, &["0.1%"]).map_err(|e| e.within("0%", "100%"))?;
    let value = match unit {
        "%" => number.shifted(2),
        "" => number,
        _ => return Err(bad_unit(text.trim(), unit, "1% or 0.01")),
    };
    let share = value.to_f64();
    if share > 1.0 {
        const FAULT: &str = "is more than 100 %";
        return Err(if unit.is_empty() && number.to_f64() <= 100.0 {
            let what = BadInput::new(format!("{} {FAULT}", quoted(text.trim())));
            what.propose([format!("{number}%"), number.shifted(2).to_string()])
        } else {
            BadInput::beyond(text.trim(), FAULT).within("0%", "100%")
        });
    }
    Ok(share)
}

/// Reads a whole number within bounds.
pub fn count(text: &str, low: u64, high: u64) -> Result<u64, BadInput> {
    let text = text.trim();
    let refused = || BadInput::new(format!("{} is not a whole number", quoted(text)));
    let hint = format!("write a number from {low} to {high}");
    if text.is_empty() || !text.bytes().all(|b| b.is_ascii_digit()) {
        return Err(refused().hint(hint));
    }
    match text.parse() {
        Ok(n) if (low..=high).contains(&n) => Ok(n),
        _ => Err(BadInput::out_of_range(text, low, high)),
    }
}

/// Reads a switch.
pub fn switch(text: &str) -> Result<bool, BadInput> {
    match text.trim().to_ascii_lowercase().as_str() {
        "on" | "yes" | "true" => Ok(true),
        "off" | "no" | "false" => Ok(false),
        _ => Err(BadInput::new(format!("{} is neither on nor off", quoted(text)))
            .hint("write on or off")),
    }
}

/// The word for a switch.
pub const fn switch_text(on: bool) -> &'static str {
    if on { "on" } else { "off" }
}

/// A rate, exact, in the notation that [`rate`] reads.
pub fn rate_text(rate: Rate) -> String {
    // raw / 2^13 bits = raw * 5^13 / 10^13 bits.
    let bits = |places| Decimal::new(u128::from(rate.raw()) * 5_u128.pow(13), -13 - places);
    match rate.bits_per_s() {
        0..1_000 => format!("{}bit/s", bits(0)),
        1_000..1_000_000 => format!("{}kbit/s", bits(3)),
        1_000_000..1_000_000_000 => format!("{}Mbit/s", bits(6)),
        _ => format!("{}Gbit/s", bits(9)),
    }
}

/// A duration, exact, in the notation that [`duration`] reads.
pub fn duration_text(d: Duration) -> String {
    let ns = d.as_nanos();
    let (places, unit) = match ns {
        1..1_000 => (0, "ns"),
        1_000..1_000_000 => (3, "us"),
        1_000_000..1_000_000_000 => (6, "ms"),
        _ => (9, "s"),
    };
    format!("{}{unit}", Decimal::new(u128::from(ns), -places))
}

/// A share in the notation that [`share`] reads: percent down to 0.01 %, below that a plain number.
pub fn share_text(p: f64) -> String {
    let percent = Decimal::parse(&format!("{p:e}")).map(|d| d.shifted(-2));
    match percent {
        Ok(percent) if p >= 1e-4 || p == 0.0 => format!("{percent}%"),
        _ => format!("{p:e}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mbit(n: u64) -> Rate {
        Rate::from_bits_per_s(n * 1_000_000)
    }

    #[test]
    fn rates_are_read_in_every_common_spelling() {
        for text in [
            "10Mbit/s",
            "10 Mbit/s",
            "10Mbps",
            "10mbit",
            "10M",
            "10 Mb/s",
            "10000kbit",
            "0.01Gbps",
            "1.25MB/s",
            "1.25 MBps",
            "10MBIT",
            "10000000bit/s",
            "1e7bps",
            "+10M",
            "1250 kbyte/s",
        ] {
            assert_eq!(rate(text), Ok(mbit(10)), "{text}");
        }
    }

    #[test]
    fn a_rate_keeps_fractions_of_a_bit() {
        assert_eq!(rate("0.5bit/s").unwrap().raw(), 1 << 12);
        assert_eq!(rate("1.000001Mbit/s").unwrap().bits_per_s(), 1_000_001);
    }

    #[test]
    fn durations_are_read_in_every_common_spelling() {
        for text in ["100ms", "100 ms", "0.1s", "100000us", "100000µs", "1e8ns", ".1 sec"] {
            assert_eq!(duration(text), Ok(Duration::from_millis(100)), "{text}");
        }
        for text in ["2min", "2 min", "120s"] {
            assert_eq!(duration(text), Ok(Duration::from_secs(120)), "{text}");
        }
        for text in ["1.5h", "1.5 h", "90min", "5400 s"] {
            assert_eq!(duration(text), Ok(Duration::from_secs(5_400)), "{text}");
        }
    }

    #[test]
    fn an_m_alone_is_no_unit_of_time() {
        for text in ["2m", "2 m"] {
            let error = duration(text).unwrap_err().to_string();
            assert!(error.ends_with("write 2min or 2ms"), "{error}");
        }
        assert!(buffer("2m").is_err());
        assert_eq!(duration("2ms"), Ok(Duration::from_millis(2)));
    }

    #[test]
    fn sizes_are_decimal_unless_they_say_otherwise() {
        assert_eq!(size("1500"), Ok(Bytes::new(1500)));
        assert_eq!(size("1.5kB"), Ok(Bytes::new(1500)));
        assert_eq!(size("1KiB"), Ok(Bytes::new(1024)));
        assert!(size("1Mb").is_err());
        assert!(size("0.5B").is_err());
        assert!(size_with_unit("10").is_err());
    }

    #[test]
    fn each_unit_of_size_stands_for_its_power_of_ten_or_of_two() {
        let bytes = |text: &str| size(text).unwrap().get();
        assert_eq!(["1B", "1 byte", "2 bytes"].map(bytes), [1, 1, 2]);
        assert_eq!(
            ["1kB", "1KB", "1MB", "1GB"].map(bytes),
            [1_000, 1_000, 1_000_000, 1_000_000_000]
        );
        assert_eq!(["1kiB", "1MiB", "1GiB"].map(bytes), [1_024, 1_048_576, 1_073_741_824]);
    }

    #[test]
    fn each_unit_of_rate_stands_for_its_power_of_ten() {
        let bits = |text: &str| rate(text).unwrap().bits_per_s();
        assert_eq!(
            ["1k", "1m", "1g", "1T"].map(bits),
            [1_000, 1_000_000, 1_000_000_000, 1_000_000_000_000]
        );
        assert_eq!(["1kB/s", "1Mbyte/s", "1Bps"].map(bits), [8_000, 8_000_000, 8]);
        assert!(rate("1 PB/s").is_err() && rate("1 kX").is_err());
        // Less than the smallest rate is refused; nothing at all is none.
        assert!(rate("1e-9bit/s").is_err());
        assert_eq!(rate("0bit/s"), Ok(Rate::ZERO));
    }

    #[test]
    fn counts_are_whole_and_within_their_bounds() {
        assert_eq!([count("2", 2, 4), count(" 4 ", 2, 4)], [Ok(2), Ok(4)]);
        for refused in ["1", "5", "", "-3", "+3", "3.0", "0x3", "99999999999999999999"] {
            assert!(count(refused, 2, 4).is_err(), "{refused}");
        }
    }

    #[test]
    fn quantities_are_printed_in_the_largest_unit_that_they_fill() {
        let rates = [999, 1_000, 999_999, 1_000_000, 1_000_000_000];
        let texts = rates.map(|bits| rate_text(Rate::from_bits_per_s(bits)));
        assert_eq!(texts, ["999bit/s", "1kbit/s", "999.999kbit/s", "1Mbit/s", "1Gbit/s"]);
        let spans = [0, 999, 1_000, 999_999, 1_000_000, 1_000_000_000];
        let texts = spans.map(|ns| duration_text(Duration::from_nanos(ns)));
        assert_eq!(texts, ["0s", "999ns", "1us", "999.999us", "1ms", "1s"]);
        assert_eq!([1e-4, 9e-5].map(share_text), ["0.01%", "9e-5"]);
    }

    #[test]
    fn buffers_are_read_in_four_units() {
        assert_eq!(buffer("83 packets"), Ok(Buffer::Packets(83)));
        assert_eq!(buffer("125kB"), Ok(Buffer::Bytes(Bytes::new(125_000))));
        assert_eq!(buffer("100ms"), Ok(Buffer::Time(Duration::from_millis(100))));
        assert_eq!(buffer("1.5bdp").unwrap().to_string(), "1.5bdp");
        assert!(buffer("1.5pkt").is_err());
    }

    #[test]
    fn shares_are_percent_or_plain() {
        assert_eq!(share("0.1 %"), Ok(0.001));
        assert_eq!(share("1e-3"), Ok(0.001));
        assert_eq!(share("100%"), Ok(1.0));
        assert_eq!(share("5").unwrap_err().to_string(), "'5' is more than 100 %; write 5% or 0.05");
    }

    #[test]
    fn a_number_alone_is_refused_where_a_unit_is_needed() {
        for refused in [rate("10").err(), duration("10").err(), buffer("10").err()] {
            assert!(refused.unwrap().to_string().contains("has no unit"));
        }
    }

    #[test]
    fn overflow_is_an_error() {
        assert!(rate("1e20Tbit/s").is_err());
        assert!(duration("1e30s").is_err());
        assert!(size("1e25GB").is_err());
    }

    #[test]
    fn printed_quantities_are_read_back_unchanged() {
        for raw in [1, 8191, 8192, 12_345_678_901_234, 1 << 50] {
            let rate_in = Rate::from_raw(raw);
            assert_eq!(rate(&rate_text(rate_in)), Ok(rate_in));
        }
        for ns in [0, 1, 999, 1_000, 1_234_567, 40_000_000, 90_000_000_001] {
            let span = Duration::from_nanos(ns);
            assert_eq!(duration(&duration_text(span)), Ok(span));
        }
        for p in [0.0, 0.005, 0.3, 1.0, 1e-6, 1.0 / 3.0] {
            assert_eq!(share(&share_text(p)), Ok(p));
        }
    }

    #[test]
    fn printing_is_short() {
        assert_eq!(rate_text(mbit(10)), "10Mbit/s");
        assert_eq!(duration_text(Duration::from_millis(300)), "300ms");
        assert_eq!(share_text(0.005), "0.5%");
        assert_eq!(share_text(1e-6), "1e-6");
    }
}
