//! The Makefile and the scripts work for users whose cargo builds elsewhere than in `target`.

use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize().expect("the workspace is there")
}

/// The answer of `scripts/built` with this variable set.
fn built(variable: &str, value: &str) -> String {
    let mut command = Command::new(root().join("scripts/built"));
    command.env_remove("CARGO_TARGET_DIR").env_remove("CARGO_BUILD_TARGET_DIR");
    let output = command.env(variable, value).output().expect("the script starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).trim_end().to_owned()
}

#[test]
fn the_scripts_look_where_cargo_builds() {
    assert_eq!(built("CARGO_TARGET_DIR", "/else/where"), "/else/where");
    assert_eq!(built("CARGO_TARGET_DIR", "here"), root().join("here").to_string_lossy());
    // The variable for `build.target-dir` of a configuration.
    assert_eq!(built("CARGO_BUILD_TARGET_DIR", "/by/configuration"), "/by/configuration");
}

#[test]
fn neither_the_makefile_nor_a_script_supposes_a_folder_of_its_own() {
    let mut files = vec![root().join("Makefile")];
    for folder in ["scripts", "bench/kernel", "bench"] {
        let entries = std::fs::read_dir(root().join(folder)).expect("the folder is there");
        files.extend(entries.map(|entry| entry.expect("it can be listed").path()));
    }
    let mut looked_at = 0;
    for file in files.iter().filter(|path| path.is_file()) {
        let text = std::fs::read_to_string(file).expect("it is text");
        for profile in ["release", "debug", "demo"] {
            let supposed = format!("target/{profile}/");
            assert!(!text.contains(&supposed), "{} has {supposed}", file.display());
        }
        looked_at += 1;
    }
    assert!(looked_at > 10, "{looked_at} files");
}
