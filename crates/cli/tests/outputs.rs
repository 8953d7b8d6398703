//! Outputs: files are whole or not there, and streams are written as the shell has opened them.

#![cfg(target_os = "linux")]

mod support;

use std::fs::{self, File, OpenOptions};
use std::os::unix::fs::symlink;
use std::process::Command;

use support::Folder;

/// A comparison that is over at once.
const QUICK: [&str; 7] = ["compare", "--cc", "reno", "--time", "2s", "--seeds", "1"];

/// The code with which the command ends that writes to a file, at its end or from its beginning.
fn code_into(folder: &Folder, file: &str, flags: &[&str], appends: bool) -> Option<i32> {
    let to = folder.path().join(file);
    let to = OpenOptions::new().append(appends).write(true).open(to).unwrap();
    let mut command = folder.command(&[&QUICK[..], flags].concat());
    command.stdout(to).output().unwrap().status.code()
}

#[test]
fn what_the_shell_leads_into_a_file_is_kept_whole_and_in_order() {
    let folder = Folder::new();
    for path in ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"] {
        folder.write("log", "before\n");
        assert_eq!(code_into(&folder, "log", &["--json", path], true), Some(0), "{path}");
        let text = folder.read("log");
        let order = ["before\n", "controller ", "\"schema\": \"westwood.compare/1\""];
        let at: Vec<usize> = order.iter().map(|part| text.find(part).unwrap()).collect();
        assert!(at.is_sorted() && text.ends_with("}\n"), "{path}: {text}");
    }
    symlink("/dev/stdout", folder.path().join("link")).unwrap();
    folder.write("log", "");
    assert_eq!(code_into(&folder, "log", &["-q", "--json", "link"], false), Some(0));
    assert!(folder.read("log").starts_with("{\n"), "{}", folder.read("log"));
    assert_eq!(folder.names(), ["link", "log"]);
}

#[test]
fn a_pipe_gets_everything_and_may_close_early() {
    let folder = Folder::new();
    let pipe = folder.path().join("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let line = [&QUICK[..], &["-q", "--html", "pipe"]].concat();
    let reader = std::thread::spawn({
        let pipe = pipe.clone();
        move || fs::read_to_string(pipe).unwrap()
    });
    let run = folder.run(&line);
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
    assert!(reader.join().unwrap().ends_with("</html>\n"));
    // A page is longer than what a pipe holds.
    let reader = std::thread::spawn(move || drop(File::open(pipe).unwrap()));
    let run = folder.run(&line);
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
    reader.join().unwrap();
    assert_eq!(folder.names(), ["pipe"]);
}

#[test]
fn a_link_stays_and_the_file_behind_it_is_written() {
    let folder = Folder::new();
    fs::create_dir(folder.path().join("there")).unwrap();
    for (link, to) in [("new", "there/new.json"), ("lost", "nowhere/x.json"), ("loop", "loop")] {
        symlink(to, folder.path().join(link)).unwrap();
    }
    let json = |name| folder.run(&[&QUICK[..], &["-q", "--json", name]].concat());
    // Once it is made, and once it is replaced.
    for _ in 0..2 {
        assert_eq!(json("new").code, Some(0));
        assert!(folder.read("there/new.json").contains("westwood.compare/1"));
    }
    for (link, part) in [
        ("lost", "--json: 'lost' links to 'nowhere/x.json', in a folder that does not exist"),
        ("loop", "--json: 'loop' cannot be written: too many links"),
    ] {
        let run = json(link);
        assert_eq!(run.code, Some(2), "{run:?}");
        assert!(run.stderr.contains(part), "{run:?}");
    }
    let twice = ["-q", "--json", "new", "--html", "there/new.json"];
    let run = folder.run(&[&QUICK[..], &twice].concat());
    assert!(run.code == Some(2) && run.stderr.contains("is named twice"), "{run:?}");
    assert!(fs::symlink_metadata(folder.path().join("new")).unwrap().is_symlink());
    assert_eq!(folder.names(), ["loop", "lost", "new", "there"]);
}
