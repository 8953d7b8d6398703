//! The pages show what the command prints, and their prose says no other number.
//!
//! A block of the kind `console` has command lines behind `$` and below each what it prints on stdout,
//! where a line `...` stands for any lines. Blocks of a page run in one folder, one after another.
//! `$ cat FILE` for a file that is not there shows a file that the reader writes.
//!
//! `WESTWOOD_WRITE=1 cargo test -p westwood-cli --test printed` writes what is printed now into the pages.

mod support;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

use support::Folder;

/// The units whose numbers prose may only take from what is shown.
const UNITS: [&str; 12] =
    ["Mbit/s", "kbit/s", "Gbit/s", "ns", "us", "ms", "s", "%", "times", "packets", "seconds", "kB"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn pages() -> Vec<PathBuf> {
    let mut pages = vec![root().join("README.md")];
    let mut folders = vec![root().join("docs")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "md") {
                pages.push(path);
            }
        }
    }
    pages.retain(|page| {
        let text = std::fs::read_to_string(page).unwrap();
        text.contains("```console") || text.contains("<!-- numbers: ")
    });
    pages.sort();
    pages
}

/// A command line of a page, and its output by the page.
#[derive(Debug)]
struct Shown {
    /// The number of its last line in the page, from 0.
    at: usize,
    /// Spaces before each line of the block.
    indent: usize,
    command: String,
    printed: Vec<String>,
}

fn shown(text: &str) -> Vec<Shown> {
    let mut all: Vec<Shown> = Vec::new();
    let mut indent = None;
    let mut lines = text.lines().enumerate();
    while let Some((number, line)) = lines.next() {
        if line.trim_start().starts_with("```") {
            let begins = line.trim() == "```console" && indent.is_none();
            indent = begins.then(|| line.len() - line.trim_start().len());
            continue;
        }
        let Some(indent) = indent else { continue };
        let line = line.get(indent..).unwrap_or_default();
        if let Some(command) = line.strip_prefix("$ ") {
            let (mut at, mut command) = (number, command.to_owned());
            while command.ends_with('\\') {
                let Some((number, next)) = lines.next() else { break };
                at = number;
                command = format!("{}\n{}", command, next.trim());
            }
            all.push(Shown { at, indent, command, printed: Vec::new() });
        } else if let Some(last) = all.last_mut() {
            last.printed.push(line.trim_end().to_owned());
        }
    }
    all
}

/// True if the lines are those of the pattern, in which `...` stands for any.
fn fits(pattern: &[String], lines: &[String]) -> bool {
    match pattern.split_first() {
        None => lines.is_empty(),
        Some((first, rest)) if first.trim() == "..." => {
            (0..=lines.len()).any(|skipped| fits(rest, &lines[skipped..]))
        }
        Some((first, rest)) => {
            lines.first().is_some_and(|line| line == first) && fits(rest, &lines[1..])
        }
    }
}

/// The output of a command; if it fails, why.
fn run(folder: &Folder, command: &str) -> Result<Vec<String>, String> {
    let westwood = Path::new(env!("CARGO_BIN_EXE_westwood")).parent().unwrap();
    let path = format!("{}:{}", westwood.display(), std::env::var("PATH").unwrap_or_default());
    let output = Command::new("sh")
        .args(["-c", command])
        .current_dir(folder.path())
        .env("PATH", path)
        .env_remove("COLUMNS")
        .output()
        .unwrap();
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    let stdout = String::from_utf8_lossy(&output.stdout);
    Ok(stdout.trim_end().lines().map(|line| line.trim_end().to_owned()).collect())
}

/// Runs a page; the faults, and the page as it should be.
fn examined(page: &Path) -> (Vec<String>, String) {
    let text = std::fs::read_to_string(page).unwrap();
    let name = page.strip_prefix(root()).unwrap().display().to_string();
    let folder = Folder::new();
    let mut faults = Vec::new();
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let mut moved = 0_isize;
    for one in shown(&text) {
        let file = one.command.strip_prefix("cat ").filter(|f| !folder.path().join(f).exists());
        if let Some(file) = file {
            folder.write(file, &(one.printed.join("\n") + "\n"));
            continue;
        }
        let printed = match run(&folder, &one.command) {
            Ok(printed) => printed,
            Err(why) => {
                faults.push(format!("{name}:{}: {} fails: {why}", one.at + 1, one.command));
                continue;
            }
        };
        if fits(&one.printed, &printed) {
            continue;
        }
        let (at, now) = (one.at + 1, printed.join("\n"));
        faults.push(format!("{name}:{at}: {} now prints\n{now}", one.command));
        if !one.printed.iter().any(|line| line.trim() == "...") {
            let begin = at.checked_add_signed(moved).unwrap();
            let pad = " ".repeat(one.indent);
            let new: Vec<String> =
                printed.iter().map(|l| format!("{pad}{l}").trim_end().to_owned()).collect();
            moved += isize::try_from(new.len()).unwrap();
            moved -= isize::try_from(one.printed.len()).unwrap();
            lines.splice(begin..begin + one.printed.len(), new);
        }
    }
    (faults, lines.join("\n") + "\n")
}

#[test]
fn what_the_pages_show_is_printed() {
    let pages = pages();
    let faults = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for page in &pages {
            let faults = &faults;
            scope.spawn(move || {
                let (found, text) = examined(page);
                if std::env::var_os("WESTWOOD_WRITE").is_some() && !found.is_empty() {
                    std::fs::write(page, text).unwrap();
                }
                faults.lock().unwrap().extend(found);
            });
        }
    });
    let faults = faults.into_inner().unwrap();
    assert!(faults.is_empty(), "{}", faults.join("\n\n"));
}

/// The numbers of a text, with the text behind each.
fn numbers(text: &str) -> Vec<(String, &str)> {
    let mut found = Vec::new();
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        if !bytes[at].is_ascii_digit() {
            at += 1;
            continue;
        }
        let begin = at;
        let dot = |i: usize| bytes[i] == b'.' && bytes.get(i + 1).is_some_and(u8::is_ascii_digit);
        while at < bytes.len() && (bytes[at].is_ascii_digit() || dot(at)) {
            at += 1;
        }
        let in_word = begin > 0 && (bytes[begin - 1].is_ascii_alphanumeric());
        if !in_word {
            found.push((text[begin..at].to_owned(), &text[at..]));
        }
    }
    found
}

/// True if a unit stands behind a number.
fn has_unit(rest: &str) -> bool {
    let rest = rest.strip_prefix([' ', '\n', '-']).unwrap_or(rest);
    UNITS.iter().any(|unit| {
        rest.strip_prefix(unit).is_some_and(|more| !more.starts_with(|c: char| c.is_alphanumeric()))
    })
}

/// True if a number is another one, or that one with fewer decimal places.
fn is_rounded(number: &str, exact: &str) -> bool {
    let places = |text: &str| text.split_once('.').map_or(0, |(_, behind)| behind.len());
    let (wanted, known) = (places(number), places(exact));
    let rounded = exact.parse::<f64>().map(|value| format!("{value:.wanted$}"));
    number == exact || (wanted < known && rounded.is_ok_and(|text| text == number))
}

/// A page's prose, and what its blocks, its comments `<!-- known: ... -->` and the files of its comments
/// `<!-- numbers: FILE -->` say.
fn parts(text: &str) -> (String, String) {
    let (mut prose, mut said) = (String::new(), String::new());
    let mut in_block = false;
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            in_block = !in_block;
        } else if let Some(file) = line.strip_prefix("<!-- numbers: ") {
            let file = root().join(file.trim_end_matches("-->").trim());
            said.push_str(&std::fs::read_to_string(file).unwrap());
        } else if in_block || line.trim_start().starts_with("<!-- known:") {
            said.push_str(line);
            said.push('\n');
        } else {
            prose.push_str(line);
            prose.push('\n');
        }
    }
    (prose, said)
}

#[test]
fn prose_says_no_number_that_is_not_shown() {
    let mut faults = Vec::new();
    for page in pages() {
        let text = std::fs::read_to_string(&page).unwrap();
        let (prose, said) = parts(&text);
        let known: Vec<String> = numbers(&said).into_iter().map(|(number, _)| number).collect();
        // Verdicts are about shares and ratios, which have no unit.
        let is_about_verdicts = text.contains("<!-- numbers: results/reproduction");
        let is_measured = |number: &str| is_about_verdicts && number.contains('.');
        for (number, rest) in numbers(&prose) {
            let counts = has_unit(rest) || is_measured(&number);
            if counts && !known.iter().any(|known| is_rounded(&number, known)) {
                let unit: String = rest.chars().take(12).collect();
                faults.push(format!("{}: {number}{}", page.display(), unit.replace('\n', " ")));
            }
        }
    }
    let mend = "show it, or say where it is from: <!-- known: 0.7 (RFC 9438, 4.6) -->";
    assert!(faults.is_empty(), "{}\n{mend}", faults.join("\n"));
}

#[test]
fn a_number_may_be_rounded_and_not_changed() {
    assert!(is_rounded("16.7", "16.72") && is_rounded("40", "39.5") && is_rounded("5", "5"));
    assert!(!is_rounded("16.8", "16.72") && !is_rounded("5.0", "5"));
}

#[test]
fn a_pattern_fits_what_it_shows_and_nothing_else() {
    let lines = |text: &str| text.split('|').map(str::to_owned).collect::<Vec<_>>();
    assert!(fits(&lines("a|...|d"), &lines("a|b|c|d")));
    assert!(fits(&lines("a|..."), &lines("a")));
    assert!(!fits(&lines("a|...|d"), &lines("a|b|c")));
    assert!(!fits(&lines("a"), &lines("a|b")));
}
