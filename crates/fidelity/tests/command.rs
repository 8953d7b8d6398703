//! The command refuses wrong arguments in one line: nothing is run, nothing is written.

use std::path::Path;
use std::process::{Command, Output};

fn fidelity(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_westwood-fidelity")).args(arguments).output().expect("runs")
}

#[test]
fn help_names_every_argument_and_runs_nothing() {
    let asked = fidelity(&["--help"]);
    assert_eq!(asked.status.code(), Some(0));
    let text = String::from_utf8_lossy(&asked.stdout);
    for word in ["Usage: westwood-fidelity", "WORD", "--missing", "--document", "--rows"] {
        assert!(text.contains(word), "{word} is not in:\n{text}");
    }
}

#[test]
fn an_argument_that_does_not_exist_is_named_with_exit_code_2_and_no_file_changes() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../results/fidelity.csv");
    let changed = || file.metadata().and_then(|m| m.modified()).expect("a file");
    let before = changed();
    for (arguments, place) in [
        (&["--mising"][..], "'--mising'"),
        (&["--document", "reno"], "'--document'"),
        (&["--rows", "no-such-case"], "'no-such-case'"),
        (&["reno", "no-such-case"], "'reno' and 'no-such-case'"),
    ] {
        let asked = fidelity(arguments);
        assert_eq!(asked.status.code(), Some(2), "{arguments:?}");
        let text = String::from_utf8_lossy(&asked.stderr);
        assert!(text.contains(place), "{arguments:?}: {text}");
    }
    assert_eq!(changed(), before);
}
