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
