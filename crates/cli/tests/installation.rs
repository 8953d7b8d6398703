//! `make install` and `make uninstall`.

mod support;

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use support::{Folder, root};

/// Every file below a folder, by its path within it.
fn files(root: &Path, below: &Path, all: &mut BTreeSet<String>) {
    for entry in std::fs::read_dir(below).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(root, &path, all);
        } else {
            all.insert(path.strip_prefix(root).unwrap().display().to_string());
        }
    }
}

fn make(target: &str, folder: &Folder) -> BTreeSet<String> {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    let output = Command::new("make")
        .args(["-C", root, target, "PREFIX=/usr/local"])
        .arg(format!("DESTDIR={}", folder.path().display()))
        .arg(format!("BINARY={}", env!("CARGO_BIN_EXE_westwood")))
        .env_remove("MAKEFLAGS")
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let mut all = BTreeSet::new();
    files(folder.path(), folder.path(), &mut all);
    all
}

#[test]
fn what_is_installed_stands_where_it_is_looked_for_and_can_be_removed() {
    if Command::new("make").arg("--version").output().is_err() {
        eprintln!("skipped: make is not installed");
        return;
    }
    let folder = Folder::new();
    let all = make("install", &folder);
    for file in [
        "bin/westwood",
        "share/man/man1/westwood.1",
        "share/man/man1/westwood-compare.1",
        "share/man/man1/westwood-run.1",
        "share/man/man1/westwood-show.1",
        "share/man/man1/westwood-kernel-load.1",
        "share/bash-completion/completions/westwood",
        "share/zsh/site-functions/_westwood",
        "share/fish/vendor_completions.d/westwood.fish",
    ] {
        assert!(all.contains(&format!("usr/local/{file}")), "{file}: {all:?}");
    }
    assert!(!all.iter().any(|file| file.contains("westwood-complete.1")), "hidden");
    let commands = folder.run(&["complete", "fish", "--", ""]).stdout;
    for command in commands.lines().filter_map(|line| line.split('\t').next()) {
        let page = format!("usr/local/share/man/man1/westwood-{command}.1");
        assert!(all.contains(&page), "{page}");
    }
    let command = folder.path().join("usr/local/bin/westwood");
    let version = Command::new(&command).arg("--version").output().unwrap();
    assert!(version.status.success());
    for shell in ["bash", "zsh"] {
        let file = folder.path().join(match shell {
            "bash" => "usr/local/share/bash-completion/completions/westwood",
            _ => "usr/local/share/zsh/site-functions/_westwood",
        });
        if let Ok(checked) = Command::new(shell).arg("-n").arg(&file).status() {
            assert!(checked.success(), "{shell} cannot read its completions");
        }
    }
    assert_eq!(make("uninstall", &folder), BTreeSet::new(), "everything is removed");
}

#[test]
fn the_unit_starts_the_command_where_the_page_installs_it() {
    let root = root();
    let read = |name: &str| std::fs::read_to_string(root.join(name)).unwrap();
    let unit = read("contrib/westwood-kernel.service");
    let install = "cargo install --root /usr/local --path crates/cli --features kernel";
    for text in [&unit, &read("docs/how-to/kernel.md")] {
        assert!(text.lines().any(|line| line.trim_start_matches("#   ") == install), "{text}");
    }
    let starts = |line: &&str| line.starts_with("Exec");
    let mut commands = unit.lines().filter(starts).filter_map(|line| line.split_once('='));
    assert!(commands.all(|(_, command)| command.starts_with("/usr/local/bin/westwood kernel ")));
}
