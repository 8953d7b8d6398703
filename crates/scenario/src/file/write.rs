//! Tables as TOML again: an experiment in words as a file.

use std::fmt::Write as _;

use super::declaration::{Section, ValueShape};
use super::node::{TableEntry, TomlTable, TomlValue};
use super::settings::{Measure, Tcp};
use super::tables::{Dumbbell, Top};

/// The tables as a file says them: read again, they are the same.
pub(super) fn toml(tree: &TomlTable) -> String {
    let mut text = String::new();
    let single = |entry: &&TableEntry| !matches!(entry.node.value, TomlValue::Table(_));
    for entry in tree.entries.iter().filter(single) {
        line(&mut text, &Top::SECTION, entry);
    }
    for entry in &tree.entries {
        let TomlValue::Table(table) = &entry.node.value else { continue };
        let _ = writeln!(text, "\n[{}]", entry.key);
        let section = match entry.key.as_str() {
            "tcp" => &Tcp::SECTION,
            "measure" => &Measure::SECTION,
            _ => &Dumbbell::SECTION,
        };
        table.entries.iter().for_each(|entry| line(&mut text, section, entry));
    }
    text
}

fn line(text: &mut String, section: &Section, entry: &TableEntry) {
    let field = section.fields.iter().find(|field| field.name == entry.key);
    let bare = field.is_some_and(|f| matches!(f.shape, ValueShape::Count(..) | ValueShape::Switch));
    let _ = writeln!(text, "{} = {}", entry.key, value(&entry.node.value, bare));
}

/// A value; numbers and switches that were said as texts are written `bare`.
fn value(value: &TomlValue, bare: bool) -> String {
    match value {
        TomlValue::Text(text) | TomlValue::Number(text) if bare => match text.trim() {
            "on" | "yes" => "true".to_owned(),
            "off" | "no" => "false".to_owned(),
            text if text == "true" || text == "false" || is_whole(text) => text.to_owned(),
            text => quoted(text),
        },
        TomlValue::Text(text) => quoted(text),
        TomlValue::Number(text) => text.clone(),
        TomlValue::Switch(on) => on.to_string(),
        TomlValue::List(nodes) => {
            let each: Vec<String> = nodes.iter().map(|n| self::value(&n.value, bare)).collect();
            format!("[{}]", each.join(", "))
        }
        TomlValue::Table(_) | TomlValue::Date => String::new(),
    }
}

/// A number that TOML reads as it stands.
fn is_whole(text: &str) -> bool {
    !text.is_empty()
        && text.chars().all(|c| c.is_ascii_digit())
        && (text == "0" || !text.starts_with('0'))
        && text.parse::<i64>().is_ok()
}

/// A basic string of TOML.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            c if c.is_control() => {
                let _ = write!(quoted, "\\u{:04X}", u32::from(c));
            }
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::super::{FlagValue, Scenario};

    /// Experiments that together say every flag.
    const LINES: &[&str] = &[
        "",
        "rate=123456789bit/s return-rate=2M rtt-spread=20.000001ms-250ms buffer=1.5bdp flows=3 \
         aqm=red(ecn=on,gentle=on) loss=0.1%,gilbert(good=1s,bad=10ms,p=10%) \
         loss-both=gilbert(good=1s,bad=10ms,p=10%) recovery=linux against=reno(keep=0.7):2 \
         reverse-flows=2 reverse-cc=cubic packet=1448 header=52 ack=52 delayed-ack=off \
         initial-window=3 min-rto=200ms time=11s warmup=1.500000001s seeds=2 seed=5 sack-block=8 \
         initial-ssthresh=100 receive-window=20000 receive-growth=1449 \
         tcp-rmem=4096B,16KiB,4MiB tcp-wmem=4KiB,16KiB,4MiB tcp-notsent-lowat=128KiB write-size=16KiB \
         receiver=withhold(8) reading=pause(from=1s,for=2s) initial-rto=3s rto-tick=10ms \
         timestamps=off limited-transmit=off careful=off \
         reduce-each-timeout=on impatient=off last-ack-grows=on cwnd-validation=off \
         handshake=on buffer-in-service=on max-rto=30s idle-restart=no access-rate=1Gbit/s \
         credit=limited cc=westwood+(tau=0.3s,filter=b),bbr(pacing=off)",
        "trace=a\"b\"\\c.trace size=1234567B like=ns-2 cc=reno",
        "like=linux-6.18 ecn=on eln=off fair-share=off ack-delay=40ms",
    ];

    fn words(line: &str) -> Vec<FlagValue> {
        let pairs = line.split_whitespace().map(|word| word.split_once('=').unwrap());
        pairs
            .map(|(flag, value)| FlagValue { flag: flag.to_owned(), value: value.to_owned() })
            .collect()
    }

    #[test]
    fn an_experiment_in_words_that_is_written_out_and_read_again_is_the_same() {
        let read = |_: &Path| Ok("0\n1\n5\n".to_owned());
        for line in LINES {
            let (given, text) = Scenario::of_flags("f", &words(line), &[], &read).unwrap();
            let again = Scenario::parse("f", &text, &[], &read);
            let again = again.unwrap_or_else(|e| panic!("{text}\n{e}"));
            assert_eq!(
                (given.seeds(), given.points().len()),
                (again.seeds(), again.points().len())
            );
            for (a, b) in given.points().iter().zip(again.points()) {
                let network = |scenario: &Scenario, point| {
                    format!("{:#?}", scenario.build(point, given.seeds()[0]).unwrap().network)
                };
                assert_eq!(network(&given, a), network(&again, b), "{text}");
            }
        }
    }
}
