//! The pages show what the command prints, and their prose says no number without a source.
//!
//! A number with a unit must be one of these, and may have fewer decimal places:
//!
//! * it is in a block or in inline code of the page;
//! * it is in a file that the page names: `<!-- numbers: results/bench.md -->`, or a source of the program;
//! * it is in a table below `<!-- table: crates/cli/tests/book.rs -->`, which that test compares;
//! * it is a setting, or known from elsewhere, and the page says from where, in brackets:
//!   `<!-- known: 0.7 (RFC 9438, 4.6) -->`.
//!
//! A block of the kind `console` has command lines behind `$` and below each what it prints on stdout,
//! where a line `...` stands for any lines. Blocks of a page run in one folder, one after another.
//! `$ cat FILE` for a file that is not there shows a file that the reader writes.
//!
//! `WESTWOOD_WRITE=1 cargo test -p westwood-cli --test printed` writes what is printed now into the pages.

mod support;

use std::path::Path;
use std::process::Command;
use std::sync::Mutex;

use support::numbers::{is_rounded, numbers, unit};
use support::{Folder, pages, root};

/// Pages that the program writes, each compared with it by a test of its own.
const MADE: [&str; 7] = [
    "docs/evidence/fidelity.md",
    "docs/reference/command-line.md",
    "docs/reference/criteria.md",
    "docs/reference/presets.md",
    "docs/reference/ready-scenarios.md",
    "docs/reference/results.md",
    "docs/reference/scenarios.md",
];

/// A page's name from the root.
fn name(page: &Path) -> String {
    page.strip_prefix(root()).unwrap().display().to_string()
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
    let name = name(page);
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

/// A page's prose, and all that its numbers may come from.
fn parts(page: &str, text: &str) -> (String, String) {
    let read = |file: &str| {
        std::fs::read_to_string(root().join(file)).unwrap_or_else(|e| panic!("{page}: {file}: {e}"))
    };
    let (mut prose, mut said) = (String::new(), String::new());
    let (mut in_block, mut in_table) = (false, false);
    for line in text.lines() {
        in_table &= line.is_empty() || line.starts_with('|');
        let comment = |kind: &str| line.strip_prefix(kind)?.strip_suffix(" -->");
        if line.trim_start().starts_with("```") {
            in_block = !in_block;
        } else if in_block || in_table {
            said.push_str(line);
        } else if let Some(file) = comment("<!-- numbers: ") {
            said.push_str(&read(file));
        } else if let Some(test) = comment("<!-- table: ") {
            assert!(read(test).contains(page), "{page}: {test} does not read it");
            in_table = true;
        } else if let Some(known) = comment("<!-- known: ") {
            assert!(known.contains('('), "{page}: known from where? {known}");
            said.push_str(known);
        } else {
            prose.push_str(line);
        }
        prose.push('\n');
        said.push('\n');
    }
    (prose, said)
}

#[test]
fn prose_says_no_number_without_a_source() {
    let mut faults = Vec::new();
    for page in pages() {
        let text = std::fs::read_to_string(&page).unwrap();
        let page = name(&page);
        if MADE.contains(&page.as_str()) {
            continue;
        }
        let (prose, mut said) = parts(&page, &text);
        // Every second piece between backticks is inline code.
        for code in prose.split('`').skip(1).step_by(2) {
            said.push_str(code);
            said.push('\n');
        }
        // A comma groups digits, or it separates numbers.
        let separate = said.replace(',', " ");
        let known: Vec<String> = numbers(&said)
            .into_iter()
            .chain(numbers(&separate))
            .map(|(number, _)| number)
            .collect();
        // Verdicts are about shares and ratios, which have no unit.
        let is_about_verdicts = text.contains("<!-- numbers: results/reproduction");
        let is_measured = |number: &str| is_about_verdicts && number.contains('.');
        for (number, rest) in prose.split('`').step_by(2).flat_map(numbers) {
            let counts = unit(rest).is_some() || is_measured(&number);
            if counts && !known.iter().any(|known| is_rounded(&number, known)) {
                let behind: String = rest.chars().take(12).collect();
                faults.push(format!("{page}: {number}{}", behind.replace('\n', " ")));
            }
        }
    }
    let mend = "show it, or name its source as the head of this test says";
    assert!(faults.is_empty(), "{}\n{mend}", faults.join("\n"));
}

#[test]
fn the_first_page_says_how_many_words_are_by_hand_and_how_many_by_the_program() {
    let (mut by_hand, mut made) = (0, 0);
    for page in pages() {
        let words = std::fs::read_to_string(&page).unwrap().split_whitespace().count();
        *if MADE.contains(&name(&page).as_str()) { &mut made } else { &mut by_hand } += words;
    }
    let index = std::fs::read_to_string(root().join("docs/index.md")).unwrap();
    let (_, sentence) = index.split_once("These pages and the README have about").unwrap();
    let said: Vec<usize> = numbers(sentence).iter().map(|it| it.0.parse().unwrap()).collect();
    // A page more or less does not change the sentence.
    let is_said = |said: usize, words: usize| said.abs_diff(words) * 20 <= words;
    assert_eq!(said.len(), 2, "{sentence}");
    assert!(is_said(said[0], by_hand), "by hand: {by_hand}, said: {}", said[0]);
    assert!(is_said(said[1], made), "by the program: {made}, said: {}", said[1]);
}

#[test]
fn a_number_may_be_rounded_and_not_changed() {
    assert!(is_rounded("16.7", "16.72") && is_rounded("40", "39.5") && is_rounded("5", "5"));
    assert!(!is_rounded("16.8", "16.72") && !is_rounded("5.0", "5"));
}

#[test]
fn commas_group_digits_and_separate_numbers() {
    let found =
        |text: &str| numbers(text).into_iter().map(|(number, _)| number).collect::<Vec<_>>();
    assert_eq!(found("10,000 packets, 20,30 and 4.5: 1_500"), ["10000", "20", "30", "4.5", "1500"]);
}

#[test]
fn a_pattern_fits_what_it_shows_and_nothing_else() {
    let lines = |text: &str| text.split('|').map(str::to_owned).collect::<Vec<_>>();
    assert!(fits(&lines("a|...|d"), &lines("a|b|c|d")));
    assert!(fits(&lines("a|..."), &lines("a")));
    assert!(!fits(&lines("a|...|d"), &lines("a|b|c")));
    assert!(!fits(&lines("a"), &lines("a|b")));
}
