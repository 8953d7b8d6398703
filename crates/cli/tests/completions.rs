//! Completions in the shells themselves: keys are typed at a terminal, and what the shell then runs is
//! compared.

mod support;

use std::io::Write as _;
use std::process::{Command, Stdio};

use serde_json::Value;
use support::Folder;

/// The keys typed, and the arguments that the command gets. Each of them for every shell.
const TYPED: &[(&str, &[&str])] = &[
    ("westwood compa<TAB>--cc x", &["compare", "--cc", "x"]),
    ("westwood compare --reco<TAB>sack-<TAB>", &["compare", "--recovery", "sack-1996"]),
    ("westwood compare --cc vegas-l<TAB>", &["compare", "--cc", "vegas-linux"]),
    ("westwood compare --cc 'reno,vegas-l<TAB>'", &["compare", "--cc", "reno,vegas-linux"]),
    ("westwood compare --cc reno,compo<TAB>", &["compare", "--cc", "reno,compound"]),
    ("westwood compare --cc=reno,compo<TAB>", &["compare", "--cc=reno,compound"]),
    (
        "westwood compare --cc westwood+\\(filter=<TAB>a\\)",
        &["compare", "--cc", "westwood+(filter=a)"],
    ),
    (
        "westwood compare --cc westwood+\\(floo<TAB>1ms\\)",
        &["compare", "--cc", "westwood+(floor=1ms)"],
    ),
    (
        "westwood compare --cc 'reno,westwood+(filter=a,floo<TAB>1ms)'",
        &["compare", "--cc", "reno,westwood+(filter=a,floor=1ms)"],
    ),
    ("westwood compare --cc \"bbr,reno(pac<TAB>on)\"", &["compare", "--cc", "bbr,reno(pacing=on)"]),
    (
        "westwood compare --aqm fq_c<TAB> --loss none",
        &["compare", "--aqm", "fq_codel", "--loss", "none"],
    ),
    ("westwood compare --aqm 'red(gent<TAB>on)'", &["compare", "--aqm", "red(gentle=on)"]),
    ("westwood compare --loss 'gilbert(soj<TAB>'", &["compare", "--loss", "gilbert(sojourns="]),
    ("westwood compare --like ns<TAB>", &["compare", "--like", "ns-2"]),
    ("westwood compare --on li<TAB>", &["compare", "--on", "linux"]),
    ("westwood compare --delayed-ack of<TAB>", &["compare", "--delayed-ack", "off"]),
    ("westwood compare --against vegas-linux:<TAB>", &["compare", "--against", "vegas-linux:1"]),
    ("westwood run satellite-g<TAB>", &["run", "satellite-geo"]),
    (
        "westwood run satellite-geo tcpeval-pa<TAB>",
        &["run", "satellite-geo", "tcpeval-parking-lot"],
    ),
    ("westwood run mine.t<TAB>--quiet", &["run", "mine.toml", "--quiet"]),
    (
        "westwood run x.toml --set tcp.recov<TAB>newr<TAB>",
        &["run", "x.toml", "--set", "tcp.recovery=newreno"],
    ),
    ("westwood run x.toml --json mine.j<TAB>", &["run", "x.toml", "--json", "mine.json"]),
    ("westwood show dsl<TAB>", &["show", "dsl-bufferbloat"]),
    ("westwood emulate dsl<TAB>", &["emulate", "dsl-bufferbloat"]),
    ("westwood list contr<TAB>", &["list", "controllers"]),
    ("westwood list rec<TAB>", &["list", "recoveries"]),
    ("westwood kernel unl<TAB>log<TAB>", &["kernel", "unload", "log_westwood"]),
    ("westwood man reprod<TAB>", &["man", "reproduce"]),
];

/// True if there is such a program; says that the test is skipped if there is none.
fn there_is(program: &str) -> bool {
    let found = Command::new(program).arg("--version").stdout(Stdio::null()).status().is_ok();
    if !found {
        let needed = std::env::var_os("WESTWOOD_NEEDS_SHELLS").is_some();
        assert!(!needed, "{program} is missing");
        eprintln!("skipped: {program} is not installed");
    }
    found
}

fn typed_into(shell: &str) {
    if !there_is(shell) || !there_is("python3") {
        return;
    }
    let folder = Folder::new();
    folder.write("mine.toml", "");
    folder.write("mine.json", "");
    let script = folder.run(&["completions", shell]);
    assert_eq!(script.code, Some(0), "{}", script.stderr);
    folder.write("script", &script.stdout);
    let bin = std::path::Path::new(env!("CARGO_BIN_EXE_westwood")).parent().unwrap();
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
    let mut child = Command::new("python3")
        .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/completions/type.py"))
        .args([shell, "./script"])
        .current_dir(folder.path())
        .env("PATH", path)
        .env("HOME", folder.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let attempts: Vec<String> =
        TYPED.iter().map(|one| serde_json::json!(one).to_string()).collect();
    let attempts = attempts.join("\n") + "\n";
    child.stdin.take().unwrap().write_all(attempts.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let lines = String::from_utf8(output.stdout).unwrap();
    assert_eq!(lines.lines().count(), TYPED.len(), "{lines}");
    let mut wrong = Vec::new();
    for (line, (keys, expected)) in lines.lines().zip(TYPED) {
        let got: Value = serde_json::from_str(line).unwrap();
        if got != serde_json::json!(expected) {
            wrong.push(format!("{keys}\n  gives {got}\n  and not {expected:?}"));
        }
    }
    assert!(wrong.is_empty(), "{shell}:\n{}", wrong.join("\n"));
}

#[test]
fn bash_completes_what_is_typed() {
    typed_into("bash");
}

#[test]
fn zsh_completes_what_is_typed() {
    typed_into("zsh");
}

#[test]
fn fish_completes_what_is_typed() {
    typed_into("fish");
}

#[test]
fn other_shells_get_commands_and_flags() {
    let folder = Folder::new();
    for shell in ["elvish", "powershell"] {
        let run = folder.run(&["completions", shell]);
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        assert!(run.stdout.contains("--recovery"), "{shell}");
    }
}
