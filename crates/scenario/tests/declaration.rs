//! A setting is declared once: flag, file key, documents, schema and results come from there.

use std::fs;
use std::path::{Path, PathBuf};

use westwood_scenario::file::{FlagValue, Scenario, documents, flags, schema};

/// A switch like any other.
const SWITCH: &str = "last_ack_grows";

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            found.push(path);
        }
    }
}

#[test]
fn a_switch_stands_in_its_declaration_and_where_it_is_used_and_nowhere_else() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut files = Vec::new();
    for name in ["scenario", "experiment", "report", "reproduce", "cli", "emu", "measure"] {
        sources(&crates.join(name).join("src"), &mut files);
    }
    // Tests within a file are no place that a new switch would have to touch.
    let code = |text: &str| text.split("#[cfg(test)]").next().unwrap_or_default().to_owned();
    let dashes = format!("\"{}\"", SWITCH.replace('_', "-"));
    let has = |path: &&PathBuf| {
        let text = code(&fs::read_to_string(path).unwrap());
        text.contains(SWITCH) || text.contains(&dashes)
    };
    let mut named: Vec<String> = files
        .iter()
        .filter(has)
        .map(|path| path.strip_prefix(crates).unwrap().display().to_string())
        .collect();
    named.sort();
    // A preset is data that sets it; the declaration; where it becomes the transport's.
    assert_eq!(
        named,
        [
            "scenario/src/file/build/transport.rs",
            "scenario/src/file/settings.rs",
            "scenario/src/presets.rs",
        ]
    );
}

#[test]
fn what_is_declared_is_a_flag_a_file_key_a_schema_and_a_line_of_the_documents() {
    let flag = SWITCH.replace('_', "-");
    assert!(flags().iter().any(|known| known.name == flag));
    assert!(documents().contains(&format!("| `{SWITCH}` |")));
    assert!(!schema()["definitions"]["tcp"]["properties"][SWITCH].is_null());
    let read = |_: &Path| Err("no files".to_owned());
    let word = FlagValue { flag, value: "on".to_owned() };
    let (scenario, text) = Scenario::of_flags("f", &[word], &[], &read).unwrap();
    assert!(text.contains(&format!("{SWITCH} = true")), "{text}");
    let path = scenario.path().unwrap();
    assert_eq!(path.transport[SWITCH], true);
    let name = SWITCH.replace('_', " ");
    assert!(scenario.settings().iter().any(|s| s.name == name && s.value == "on" && s.given));
}

/// The values that an error tells to write instead: those of `write 0ms or 0s`.
fn proposed(error: &str) -> Vec<String> {
    let (_, hint) = error.split_once("write ").unwrap_or_default();
    let values = hint.split(", ").flat_map(|part| part.split(" or "));
    let is_value = |value: &&str| value.starts_with(|c: char| c.is_ascii_digit());
    values.map(str::trim).filter(is_value).map(str::to_owned).collect()
}

#[test]
fn each_value_that_a_refusal_proposes_is_accepted_by_the_flag() {
    let read = |_: &Path| Err("no files".to_owned());
    // The flag's own refusal: two settings that do not fit together have another, which advises to raise
    // one of them.
    let refused = |flag: &str, value: &str| {
        // A spread of round-trip times is one of several flows.
        let flows = ("flows", "2");
        let all = [flows, (flag, value)]
            .into_iter()
            .filter(|one| *one == (flag, value) || flag != "flows");
        let given =
            all.map(|(flag, value)| FlagValue { flag: flag.to_owned(), value: value.to_owned() });
        let error =
            Scenario::of_flags("f", &given.collect::<Vec<_>>(), &[], &read).err()?.to_string();
        let own = error.contains(&format!("--{flag}: ")) && !error.contains("; raise ");
        own.then_some(error)
    };
    let (mut tried, mut wrong) = (0, Vec::new());
    for flag in flags() {
        for given in ["", "0", "1", "7", "1.5", "100000", "1e12", "2m", "150", "x"] {
            let Some(error) = refused(&flag.name, given) else { continue };
            for value in proposed(&error) {
                tried += 1;
                wrong.extend(refused(&flag.name, &value).map(|next| format!("{error}\n  {next}")));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(tried > 100, "{tried}");
}

#[test]
fn a_buffer_is_proposed_that_holds_a_packet_of_the_flow() {
    let read = |_: &Path| Err("no files".to_owned());
    let refusal = |given: &[(&str, &str)]| {
        let word = |(flag, value): &(&str, &str)| FlagValue {
            flag: (*flag).to_owned(),
            value: (*value).to_owned(),
        };
        let words: Vec<FlagValue> = given.iter().map(word).collect();
        Scenario::of_flags("f", &words, &[], &read).unwrap_err().to_string()
    };
    let hint = |given: &[(&str, &str)]| {
        let error = refusal(given);
        error.split_once("write ").map(|(_, hint)| hint.to_owned()).unwrap_or_default()
    };
    let all = "5pkt, 5kB, 5ms or 5bdp";
    assert_eq!(hint(&[("buffer", "5")]), all);
    // A packet of 9,000 bytes is larger, be it payload or payload and header.
    for large in [&[("packet", "9000")][..], &[("packet", "4990"), ("header", "52")]] {
        let hint = hint(&[large, &[("buffer", "5")]].concat());
        assert_eq!(hint, "5pkt, 5ms or 5bdp", "{large:?}");
    }
    // A thousand bytes are no usual packet, and three of a small one.
    assert_eq!(hint(&[("buffer", "1")]), "1pkt, 1ms or 1bdp");
    assert_eq!(hint(&[("packet", "300"), ("buffer", "1")]), "1pkt, 1kB, 1ms or 1bdp");
    let file = "[tcp]\npacket = \"9000 B\"\n[dumbbell]\nbuffer = 5\n";
    let error = Scenario::parse("f.toml", file, &[], &read).unwrap_err().to_string();
    assert!(error.contains("5pkt, 5ms or 5bdp"), "{error}");
}

#[test]
fn a_number_that_no_unit_makes_right_has_the_range_for_a_hint() {
    let read = |_: &Path| Err("no files".to_owned());
    let refusal = |flag: &str, value: &str| {
        let given = FlagValue { flag: flag.to_owned(), value: value.to_owned() };
        Scenario::of_flags("f", &[given], &[], &read).unwrap_err().to_string()
    };
    for (flag, value, hint) in [
        ("time", "0", "write a value from 1ms to 86400s"),
        ("size", "0", "write a value from 1B to 1048576GiB"),
        ("rtt", "100", "write 100ms"),
        ("rtt-spread", "20-250ms", "write 20ms"),
        ("buffer", "0", "write 0pkt, 0ms or 0bdp"),
        ("cc", "westwood+(tau=0)", "write a value from 1ms to 3.8s"),
        ("cc", "westwood+(tau=2)", "write 2ms or 2s"),
        ("cc", "westwood+(tau=20)", "write 20ms"),
    ] {
        let error = refusal(flag, value);
        assert!(error.ends_with(&format!("has no unit; {hint}")), "{error}");
    }
}
