//! Numbers of a text, and when one is another one rounded.

/// The units whose numbers need a source.
pub(crate) const UNITS: [&str; 17] = [
    "bit/s", "kbit/s", "Mbit/s", "Gbit/s", "ns", "us", "ms", "s", "seconds", "minutes", "%",
    "times", "packets", "segments", "bytes", "kB", "MB",
];

/// The numbers of a text, without what groups their digits, and the text behind each.
pub(crate) fn numbers(text: &str) -> Vec<(String, &str)> {
    let mut found = Vec::new();
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        if !bytes[at].is_ascii_digit() {
            at += 1;
            continue;
        }
        let begin = at;
        let digits = |i: usize, n: usize| {
            bytes.get(i..i + n).is_some_and(|some| some.iter().all(u8::is_ascii_digit))
        };
        let joins = |i: usize| match bytes[i] {
            b'.' => digits(i + 1, 1),
            b',' | b'_' => digits(i + 1, 3),
            _ => false,
        };
        while at < bytes.len() && (bytes[at].is_ascii_digit() || joins(at)) {
            at += 1;
        }
        let in_word = begin > 0 && (bytes[begin - 1].is_ascii_alphanumeric());
        if !in_word {
            found.push((text[begin..at].replace([',', '_'], ""), &text[at..]));
        }
    }
    found
}

/// The unit that stands behind a number.
pub(crate) fn unit(rest: &str) -> Option<&'static str> {
    let rest = rest.strip_prefix([' ', '\n', '-']).unwrap_or(rest);
    UNITS.into_iter().find(|unit| {
        rest.strip_prefix(unit).is_some_and(|more| !more.starts_with(|c: char| c.is_alphanumeric()))
    })
}

/// True if a number is another one, or that one with fewer decimal places.
pub(crate) fn is_rounded(number: &str, exact: &str) -> bool {
    let places = |text: &str| text.split_once('.').map_or(0, |(_, behind)| behind.len());
    let (wanted, known) = (places(number), places(exact));
    let rounded = exact.parse::<f64>().map(|value| format!("{value:.wanted$}"));
    number == exact || (wanted < known && rounded.is_ok_and(|text| text == number))
}
