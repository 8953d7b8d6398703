//! `westwood kernel` as its users meet it.

#[cfg(feature = "kernel")]
mod live;
#[cfg(feature = "kernel")]
mod namespaces;

use std::path::PathBuf;
use std::process::{Command, Output};

fn westwood(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_westwood")).arg("kernel").args(arguments).output().unwrap()
}

fn code(output: &Output) -> Option<i32> {
    output.status.code()
}

fn said(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// A file of this test's own.
fn file(name: &str, bytes: &[u8]) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, bytes).unwrap();
    path
}

#[test]
fn a_file_that_is_no_recording_is_refused_in_one_line() {
    let path = file("no-recording", b"hello\n");
    let output = westwood(&["verify", path.to_str().unwrap()]);
    assert_eq!(code(&output), Some(2));
    let text = said(&output.stderr);
    assert!(text.contains("is no recording") && text.lines().count() == 1, "{text}");
    assert_eq!(code(&westwood(&["verify", "/nowhere/at-all"])), Some(2));
}

#[test]
fn a_recording_of_nothing_proves_nothing() {
    let head = b"westwood.recording/1\ncontroller westwood+\nkernel 6.18\n\n";
    let output = westwood(&["verify", file("empty-recording", head).to_str().unwrap()]);
    assert_eq!(code(&output), Some(5), "{}", said(&output.stderr));
}

#[cfg(not(feature = "kernel"))]
#[test]
fn a_build_without_libbpf_says_what_it_needs() {
    for arguments in [&["list"][..], &["load", "westwood_plus"], &["unload", "--all"]] {
        let output = westwood(arguments);
        assert_eq!(code(&output), Some(4));
        let text = said(&output.stderr);
        assert!(text.contains("libelf-dev") && text.lines().count() == 1, "{text}");
    }
}
