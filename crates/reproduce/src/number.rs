//! Numbers as text.

/// A number with three or four digits that mean something.
///
/// ```
/// use westwood_reproduce::text::number;
/// assert_eq!(number(0.0), "0");
/// assert_eq!(number(1.8649), "1.865");
/// assert_eq!(number(83_333.0), "83333");
/// assert_eq!(number(2e-10), "2e-10");
/// assert_eq!(number(-0.5), "-0.5");
/// assert_eq!(number(1.0 / 0.0), "infinite");
/// ```
pub fn number(x: f64) -> String {
    if x == 0.0 {
        return "0".to_owned();
    }
    if x.is_infinite() {
        return if x > 0.0 { "infinite" } else { "-infinite" }.to_owned();
    }
    if x.is_nan() {
        return "no value".to_owned();
    }
    let size = x.abs();
    if !(1e-4..1e7).contains(&size) {
        let text = format!("{x:.3e}");
        let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        return format!("{}e{exponent}", trimmed(digits));
    }
    let places = match size {
        s if s >= 1000.0 => 0,
        s if s >= 100.0 => 1,
        s if s >= 10.0 => 2,
        s if s >= 0.1 => 3,
        _ => 5,
    };
    trimmed(&format!("{x:.places$}")).to_owned()
}

/// Without zeros at the end of a fraction.
fn trimmed(digits: &str) -> &str {
    if digits.contains('.') { digits.trim_end_matches('0').trim_end_matches('.') } else { digits }
}
