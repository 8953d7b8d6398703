//! Tables as TOML again: an experiment as a file.

use std::fmt::Write as _;

use super::declaration::{Section, ValueShape};
use super::node::{TableEntry, TomlTable, TomlValue};
use super::settings::{Measure, Tcp};
use super::tables::{Dumbbell, Top};

/// The tables as a file says them: read again, they are the same.
pub(super) fn toml(tree: &TomlTable) -> String {
    let mut text = String::new();
    // Values before the first table: behind one they would be in it.
    for entry in tree.entries.iter().filter(|entry| tables_of(&entry.node.value).is_none()) {
        line(&mut text, Some(&Top::SECTION), entry);
    }
    for entry in &tree.entries {
        let section = match entry.key.as_str() {
            "dumbbell" => Some(&Dumbbell::SECTION),
            "tcp" => Some(&Tcp::SECTION),
            "measure" => Some(&Measure::SECTION),
            _ => None,
        };
        let (open, close) = match entry.node.value {
            TomlValue::List(_) => ("[[", "]]"),
            _ => ("[", "]"),
        };
        for table in tables_of(&entry.node.value).into_iter().flatten() {
            let _ = writeln!(text, "\n{open}{}{close}", key(&entry.key));
            table.entries.iter().for_each(|entry| line(&mut text, section, entry));
        }
    }
    text
}

/// The tables that have headings of their own: a table, or all of a list that holds nothing else.
fn tables_of(value: &TomlValue) -> Option<Vec<&TomlTable>> {
    fn table(value: &TomlValue) -> Option<&TomlTable> {
        match value {
            TomlValue::Table(table) => Some(table),
            _ => None,
        }
    }
    match value {
        TomlValue::List(nodes) if nodes.is_empty() => None,
        TomlValue::List(nodes) => nodes.iter().map(|node| table(&node.value)).collect(),
        one => table(one).map(|table| vec![table]),
    }
}

fn line(text: &mut String, section: Option<&Section>, entry: &TableEntry) {
    let mut fields = section.into_iter().flat_map(|section| section.fields);
    let field = fields.find(|field| field.name == entry.key);
    let bare = field.is_some_and(|f| matches!(f.shape, ValueShape::Count(..) | ValueShape::Switch));
    let _ = writeln!(text, "{} = {}", key(&entry.key), value(&entry.node.value, bare));
}

/// A key, in quotes where TOML wants them.
fn key(key: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if !key.is_empty() && key.chars().all(plain) { key.to_owned() } else { quoted(key) }
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
        TomlValue::Table(table) => {
            let pair =
                |e: &TableEntry| format!("{} = {}", key(&e.key), self::value(&e.node.value, false));
            format!("{{ {} }}", table.entries.iter().map(pair).collect::<Vec<_>>().join(", "))
        }
        // No field takes one.
        TomlValue::Date => String::new(),
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
            '\n' => quoted.push_str("\\n"),
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

    use super::super::{Assignment, FlagValue, GridPoint, Scenario};
    use crate::library;

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
         reduce-each-timeout=on ns2-habits=on impatient=off last-ack-grows=on cwnd-validation=off \
         handshake=on buffer-in-service=on wake-up=1us max-rto=30s idle-restart=no \
         idle-timeout=on access-rate=1Gbit/s \
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
                assert_eq!(network(&given, a), network(&again, b), "{text}");
            }
        }
    }

    /// The network of a point with the first seed, as text.
    fn network(scenario: &Scenario, point: &GridPoint) -> String {
        format!("{:#?}", scenario.build(point, scenario.seeds()[0]).unwrap().network)
    }

    fn written_again(text: &str) -> Scenario {
        Scenario::parse("f", text, &[], &library::read).unwrap_or_else(|e| panic!("{text}\n{e}"))
    }

    #[test]
    fn every_ready_scenario_that_is_written_out_and_read_again_has_the_same_points() {
        for ready in library::all() {
            let given = Scenario::parse("f", ready.text, &[], &library::read).unwrap();
            let again = written_again(&given.text());
            assert_eq!(given.points().len(), again.points().len(), "{}", ready.name);
            for (a, b) in given.points().iter().zip(again.points()) {
                assert_eq!(a.name(), b.name(), "{}", ready.name);
                // A network of thousands of flows is long as a text: few points show what all do.
                if a.number() < 3 {
                    assert_eq!(network(&given, a), network(&again, b), "{}", ready.name);
                }
            }
        }
    }

    const SWEPT: &str = r#"
about = """a "quoted" text
of two lines"""
cc = ["reno", "cubic"]
time = "5 s"
warmup = "1 s"
[[link]]
name = "a b"
from = "x"
to = "y"
rate = "10 Mbit/s"
delay = "20 ms"
[[flow]]
name = "f"
from = "x"
to = "y"
[tcp]
packet = 1_500
[variant.marking]
"link.a b.aqm" = "codel(ecn=on)"
tcp.ecn = true
[sweep]
"link.a b.loss" = ["0.1 %", "1 %"]
"link.1.delay" = ["10 ms", "40 ms"]
"#;

    #[test]
    fn settings_from_elsewhere_are_in_the_text() {
        let set = [
            "flow.f.count=3",
            "tcp.timestamps=off",
            "link.1.delay=5ms,7ms",
            "link.1.loss=2%",
            "seeds=4",
        ];
        let set: Vec<Assignment> = set.iter().map(|s| Assignment::parse(s).unwrap()).collect();
        let given = Scenario::parse("f", SWEPT, &set, &library::read).unwrap();
        let again = written_again(&given.text());
        assert_eq!(given.seeds(), again.seeds());
        assert_eq!(given.points().len(), again.points().len());
        for (a, b) in given.points().iter().zip(again.points()) {
            assert_eq!((a.name(), network(&given, a)), (b.name(), network(&again, b)));
        }
    }

    #[test]
    fn the_text_of_a_setting_has_the_networks_of_its_points_and_no_sweep() {
        let given = Scenario::parse("f", SWEPT, &[], &library::read).unwrap();
        assert_eq!(given.points().len(), 2 * 2 * 2 * 2);
        for point in given.points() {
            let alone = written_again(&given.setting_text(point));
            assert_eq!(alone.axes().count(), 0);
            let here = given.points().iter().filter(|other| other.setting().0 == point.setting().0);
            let all: Vec<_> = here.map(|other| network(&given, other)).collect();
            let again: Vec<_> = alone.points().iter().map(|one| network(&alone, one)).collect();
            assert_eq!(all, again);
        }
    }

    #[test]
    fn a_field_without_effect_at_a_setting_is_accepted_in_its_text() {
        let text = "cc = [\"reno\", \"bbr\"]\n[dumbbell]\nrate = \"10 Mbit/s\"\nreverse_cc = \"cubic\"\n\
                    [sweep]\n\"dumbbell.reverse_flows\" = [0, 2]\n\"dumbbell.loss\" = [\"0 %\", \"1 %\"]\n";
        let given = Scenario::parse("f", text, &[], &library::read).unwrap();
        for point in given.points() {
            let alone = written_again(&given.setting_text(point));
            let has_reverse = point.settings[0].value == "2";
            assert_eq!(alone.axes().count(), if has_reverse { 0 } else { 2 });
            let here = given.points().iter().filter(|other| other.setting() == point.setting());
            let all: Vec<_> = here.map(|other| network(&given, other)).collect();
            let again: Vec<_> = alone.points().iter().map(|one| network(&alone, one)).collect();
            assert_eq!(all, again);
        }
    }

    #[test]
    fn controllers_that_are_an_axis_stay_one_in_the_text_of_a_setting() {
        let set = Assignment::parse("cc=reno,bbr").unwrap();
        let given = Scenario::parse("f", SWEPT, &[set], &library::read).unwrap();
        let alone = written_again(&given.setting_text(&given.points()[0]));
        let names: Vec<_> =
            alone.points().iter().map(|point| point.cc.unwrap().to_string()).collect();
        assert_eq!(names, ["reno", "reno", "bbr", "bbr"]);
    }
}
