//! The tree keeps its own rules: columns, sentences with a subject, paths that exist, dependencies as
//! the architecture states them, files without circles, and one meaning for a type's name.

#[path = "tidy/circles.rs"]
mod circles;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The folders of the project's own text.
const FOLDERS: [&str; 13] = [
    "bench",
    "contrib",
    "crates",
    "criteria",
    "docs",
    "examples",
    "fuzz",
    "papers",
    "python",
    "results",
    "scenarios",
    "scripts",
    "web",
];

/// The files of the root that are the project's own text.
const ROOT_FILES: [&str; 8] = [
    "README.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    "Cargo.toml",
    "Makefile",
    "book.toml",
    "clippy.toml",
    "rustfmt.toml",
];

/// Folders that builds, npm and fuzzers leave.
const LEFT_BY_TOOLS: [&str; 5] = ["target", "node_modules", "dist", "corpus", "artifacts"];

/// rustfmt breaks code at 100 columns, and leaves comments and strings as they are.
const COLUMNS: usize = 110;

const ARCHITECTURE: &str = "docs/explanation/architecture.md";

/// Names that several types bear, with how many do.
const SHARED_NAMES: &str = "crates/cli/tests/tidy/shared_type_names.txt";

/// Named in pages, and made by their readers.
const MADE_BY_READERS: [&str; 3] = [
    "crates/cc/src/controllers/gaimd.rs",
    "crates/cc/src/controllers/dual.rs",
    "fuzz/corpus/capture",
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// Adds the files below a folder, but those that tools leave.
fn collect(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.starts_with('.') || LEFT_BY_TOOLS.contains(&name.as_str()) {
            continue;
        }
        let path = entry.path();
        if path.is_dir() { collect(&path, found) } else { found.push(path) }
    }
}

fn ending(name: &str) -> &str {
    name.rsplit_once('.').map_or("", |(_, ending)| ending)
}

/// A text file of the project.
struct Text {
    /// Its path from the root, with `/`.
    name: String,
    contents: String,
}

impl Text {
    fn ending(&self) -> &str {
        ending(&self.name)
    }

    fn is_script(&self) -> bool {
        self.name.starts_with("scripts/")
    }

    fn is_python(&self) -> bool {
        let first = self.contents.lines().next().unwrap_or_default();
        ["py", "pyi"].contains(&self.ending())
            || (first.starts_with("#!") && first.contains("python"))
    }

    /// The part of a line that is prose: all of it in a page, the comment in a program.
    fn prose<'a>(&self, line: &'a str) -> &'a str {
        let comment = |mark| comment(line, mark);
        match self.ending() {
            "md" => line,
            "rs" => comment("//"),
            "js" | "ts" | "css" if line.trim_start().starts_with('*') => line,
            "js" | "ts" | "css" => line.split_once("/*").map_or_else(|| comment("//"), |it| it.1),
            "toml" => comment("#"),
            "c" | "h" if line.trim_start().starts_with(['*', '/']) => line,
            _ if self.is_script() => comment("#"),
            _ => "",
        }
    }

    /// The sentences of each line: its [prose](Self::prose), and also docstrings, the description of a
    /// package, and the comments of the Makefile and of scripts in any folder.
    fn sentences(&self) -> Vec<&str> {
        if self.is_python() {
            return python_prose(&self.contents);
        }
        let lines = self.contents.lines();
        match self.ending() {
            "" | "tcl" | "service" => lines.map(|line| comment(line, "#")).collect(),
            "cc" => lines.map(|line| comment(line, "//")).collect(),
            "toml" => lines
                .map(|line| line.strip_prefix("description = ").unwrap_or_else(|| self.prose(line)))
                .collect(),
            _ => lines.map(|line| self.prose(line)).collect(),
        }
    }
}

/// The text behind a comment's mark.
fn comment<'a>(line: &'a str, mark: &str) -> &'a str {
    line.split_once(mark).map_or("", |(_, comment)| comment)
}

/// The docstrings and the comments of Python. Another string of several lines is no prose.
fn python_prose(program: &str) -> Vec<&str> {
    const QUOTES: &str = "\"\"\"";
    // Some in a string of several lines; true in a docstring.
    let mut inside: Option<bool> = None;
    let mut prose = Vec::new();
    for line in program.lines() {
        let is_docstring = inside.unwrap_or_else(|| line.trim_start().starts_with(QUOTES));
        prose.push(match inside {
            _ if is_docstring => line,
            Some(_) => "",
            None => comment(line, "#"),
        });
        if line.matches(QUOTES).count() % 2 == 1 {
            inside = inside.is_none().then_some(is_docstring);
        }
    }
    prose
}

fn texts() -> Vec<Text> {
    let root = root();
    let mut paths = Vec::new();
    for folder in FOLDERS {
        collect(&root.join(folder), &mut paths);
    }
    paths.extend(ROOT_FILES.map(|name| root.join(name)));
    paths.sort();
    let read = |path: &PathBuf| {
        let name = path.strip_prefix(&root).unwrap().to_str().unwrap().replace('\\', "/");
        fs::read_to_string(path).ok().map(|contents| Text { name, contents })
    };
    paths.iter().filter_map(read).collect()
}

#[track_caller]
fn assert_none(faults: &[String]) {
    assert!(faults.is_empty(), "\n{}\n", faults.join("\n"));
}

#[test]
fn no_line_of_a_source_is_wider_than_a_reader_s_window() {
    // A row of a table and a string stay whole.
    let stays_whole = |line: &str| {
        let line = line.trim_start();
        match line.strip_prefix("//").map(|text| text.trim_start_matches(['/', '!']).trim_start()) {
            Some(comment) => comment.starts_with('|'),
            None => line.contains(['"', '\'']),
        }
    };
    let mut faults = Vec::new();
    for text in texts() {
        if !["rs", "c", "h", "py"].contains(&text.ending()) && !text.is_script() {
            continue;
        }
        for (line, number) in text.contents.lines().zip(1..) {
            let columns = line.chars().count();
            if columns > COLUMNS && !stays_whole(line) {
                faults.push(format!("{}:{number}: {columns} columns", text.name));
            }
        }
    }
    assert_none(&faults);
}

/// The headings that a text names behind a page: `docs/evidence/kernel.md, "The proof"`.
fn named_headings(contents: &str) -> Vec<(String, String)> {
    let is_mark = |word: &&str| ["//", "///", "//!", "*", "#"].contains(word);
    let words: Vec<&str> = contents.split_whitespace().filter(|word| !is_mark(word)).collect();
    let text = words.join(" ");
    let pages = text.match_indices(".md, \"").filter_map(|(end, mark)| {
        let page = &text[text[..end].rfind("docs/")?..end];
        let (heading, _) = text[end + mark.len()..].split_once('"')?;
        (!page.contains(' ')).then(|| (format!("{page}.md"), heading.to_owned()))
    });
    pages.collect()
}

#[test]
fn a_page_has_the_headings_that_comments_name() {
    let mut faults = Vec::new();
    let texts = texts();
    let has = |page: &str, heading: &str| {
        let page = texts.iter().find(|text| text.name == page);
        let lines = page.into_iter().flat_map(|page| page.contents.lines());
        let mut headings = lines.filter(|line| line.starts_with('#'));
        headings.any(|line| line.trim_start_matches('#').trim() == heading)
    };
    let mut found = 0;
    for text in texts.iter().filter(|text| !text.name.ends_with("tests/tidy.rs")) {
        for (page, heading) in named_headings(&text.contents) {
            found += 1;
            if !has(&page, &heading) {
                faults.push(format!("{}: {page} has no heading '{heading}'", text.name));
            }
        }
    }
    assert!(found > 0, "comments name headings");
    assert_none(&faults);
}

#[test]
fn the_command_prints_by_functions_that_do_not_panic() {
    let prints = |line: &str| ["print!(", "println!("].iter().any(|name| line.contains(name));
    let mut faults = Vec::new();
    for text in texts().iter().filter(|text| text.name.starts_with("crates/cli/src/")) {
        let lines = text.contents.lines().zip(1..).filter(|(line, _)| prints(line));
        faults.extend(lines.map(|(_, number)| format!("{}:{number}: output::tell", text.name)));
    }
    assert_none(&faults);
}

/// Words that open a question. A statement that opens with one has no noun for its subject.
const QUESTION_WORDS: [&str; 5] = ["What", "Who", "Whoever", "Whatever", "Whose"];

/// True if a statement that begins in the first of these lines of prose opens with one of [`QUESTION_WORDS`].
/// A question may.
fn opens_without_subject(lines: &[&str]) -> bool {
    let Some(first) = lines.first() else { return false };
    let text = first.trim_start_matches(|c: char| !c.is_alphabetic());
    let starts = [". ", "? ", "! ", ": ", "| ", "* "].iter();
    let starts = starts.flat_map(|end| text.match_indices(end)).map(|(at, end)| at + end.len());
    std::iter::once(0).chain(starts).any(|start| {
        let rest = &text[start..];
        let word = rest.split(' ').next().unwrap_or_default();
        if !QUESTION_WORDS.contains(&word) {
            return false;
        }
        let sentence = std::iter::once(rest).chain(lines[1..].iter().copied());
        let ends = sentence.flat_map(str::chars).find(|c| ['.', '?', '|'].contains(c));
        ends != Some('?')
    })
}

#[test]
fn no_statement_opens_with_a_question_s_word() {
    let mut faults = Vec::new();
    for text in texts() {
        let sentences = text.sentences();
        for number in 0..sentences.len() {
            let few = &sentences[number..sentences.len().min(number + 4)];
            if opens_without_subject(few) {
                faults.push(format!("{}:{}: a statement needs a subject", text.name, number + 1));
            }
        }
    }
    assert_none(&faults);
}

#[test]
fn statements_without_subject_are_told_from_questions() {
    assert!(opens_without_subject(&["/ What waits at `now`."]));
    assert!(opens_without_subject(&["It waits. What leaves", "/ takes the fast path."]));
    assert!(opens_without_subject(&["It waits. What", "/ leaves takes the fast path."]));
    assert!(opens_without_subject(&["It says what it does. Whatever comes waits."]));
    assert!(opens_without_subject(&["/ Whose turn it is."]));
    assert!(!opens_without_subject(&["What leaves", "/ first?"]));
    assert!(!opens_without_subject(&["It waits for what", "/ leaves. Whom it serves, it knows."]));
}

#[test]
fn sentences_are_found_in_docstrings_manifests_and_scripts() {
    let sentences = |name: &str, contents: &str| -> Vec<String> {
        let text = Text { name: name.to_owned(), contents: contents.to_owned() };
        text.sentences().into_iter().map(str::to_owned).collect()
    };
    let function =
        ["def f():", r#""""Says"#, r#"more.""""#, r#"x = """data"#, r#"""""#, "x  # Why."];
    let of_function = ["", r#""""Says"#, r#"more.""""#, "", "", " Why."];
    assert_eq!(sentences("python/westwood/f.py", &function.join("\n")), of_function);
    let script = "#!/usr/bin/env python3\n\"\"\"Draws.\"\"\"";
    assert_eq!(sentences("scripts/f", script)[1], "\"\"\"Draws.\"\"\"");
    let manifest = "name = \"f\"\ndescription = \"Units\"\n";
    assert_eq!(sentences("crates/f/Cargo.toml", manifest), ["", "\"Units\""]);
    assert_eq!(sentences("Makefile", "demo: # Builds."), [" Builds."]);
    assert_eq!(sentences("bench/kernel/cost", "# Measures."), [" Measures."]);
    assert_eq!(sentences("bench/ns-3/dumbbell.cc", "int a; // A flow."), [" A flow."]);
}

/// Paths from the root that a text names: words that begin with one of the root's folders.
fn named_paths(prose: &str) -> Vec<String> {
    let belongs = |c: char| c.is_ascii_alphanumeric() || "_./+-".contains(c);
    let mut found = Vec::new();
    let mut rest = prose;
    while let Some(start) = rest.find(belongs) {
        let word = &rest[start..];
        let (word, after) = word.split_at(word.find(|c| !belongs(c)).unwrap_or(word.len()));
        rest = after;
        if word.split_once('/').is_none_or(|(folder, _)| !FOLDERS.contains(&folder)) {
            continue;
        }
        // `crates/*/src` and `docs/{a,b}.md` name what stands before the pattern.
        let is_pattern = after.starts_with(['*', '{', '<', '$']);
        let path = if is_pattern { &word[..=word.rfind('/').unwrap_or(0)] } else { word };
        found.push(path.trim_end_matches(['.', '-']).to_owned());
    }
    found
}

/// True if part of a path stands for something else: `papers/KEY`.
fn has_a_placeholder(path: &str) -> bool {
    path.split('/').any(|part| part.len() > 1 && part.chars().all(|c| c.is_ascii_uppercase()))
}

#[test]
fn paths_in_comments_and_pages_exist() {
    let root = root();
    let mut faults = Vec::new();
    for text in texts() {
        for (line, number) in text.contents.lines().zip(1..) {
            for path in named_paths(text.prose(line)) {
                let made_later =
                    has_a_placeholder(&path) || MADE_BY_READERS.contains(&path.as_str());
                if !made_later && !root.join(&path).exists() {
                    faults.push(format!("{}:{number}: {path} does not exist", text.name));
                }
            }
        }
    }
    assert_none(&faults);
}

#[test]
fn rust_files_named_in_comments_and_pages_exist() {
    let texts = texts();
    let sources: Vec<&str> =
        texts.iter().filter(|text| text.ending() == "rs").map(|text| text.name.as_str()).collect();
    let mut faults = Vec::new();
    for text in &texts {
        for (line, number) in text.contents.lines().zip(1..) {
            for quoted in text.prose(line).split('`').skip(1).step_by(2) {
                let is_a_file = ending(quoted) == "rs" && !quoted.contains([' ', '*', '{']);
                let tail = format!("/{quoted}");
                let exists = MADE_BY_READERS.contains(&quoted)
                    || sources.iter().any(|name| *name == quoted || name.ends_with(&tail));
                if is_a_file && !exists {
                    faults.push(format!("{}:{number}: {quoted} does not exist", text.name));
                }
            }
        }
    }
    assert_none(&faults);
}

/// The crates of the project that a Cargo.toml names as dependencies, but those of tests alone.
fn dependencies(manifest: &str) -> BTreeSet<String> {
    let mut in_dependencies = false;
    let mut found = BTreeSet::new();
    for line in manifest.lines() {
        if let Some(section) = line.strip_prefix('[') {
            in_dependencies = section.trim_end_matches(']').ends_with("dependencies")
                && !section.contains("dev-dependencies");
        } else if let Some(rest) = line.strip_prefix("westwood-").filter(|_| in_dependencies) {
            let name = rest.find([' ', '.', '=']).map_or(rest, |end| &rest[..end]);
            found.insert(name.to_owned());
        }
    }
    found
}

/// Rows `| crate | dependencies |` of the architecture's table.
fn stated_dependencies() -> BTreeMap<String, BTreeSet<String>> {
    let page = fs::read_to_string(root().join(ARCHITECTURE)).unwrap();
    let table = page.lines().skip_while(|line| !line.starts_with("| crate | depends on |")).skip(2);
    table
        .take_while(|line| line.starts_with('|'))
        .map(|line| {
            let mut cells = line.split('|').skip(1).map(str::trim);
            let name = cells.next().unwrap_or_default().trim_matches('`').to_owned();
            let used = cells.next().unwrap_or_default().split(", ");
            (name, used.filter(|used| *used != "nothing").map(str::to_owned).collect())
        })
        .collect()
}

#[test]
fn crates_depend_on_what_the_architecture_says() {
    let mut actual = BTreeMap::new();
    let crates = fs::read_dir(root().join("crates")).unwrap().map(|entry| entry.unwrap().path());
    for folder in crates.chain([root().join("bench")]) {
        let name = folder.file_name().unwrap().to_str().unwrap().to_owned();
        let manifest = fs::read_to_string(folder.join("Cargo.toml")).unwrap();
        actual.insert(name, dependencies(&manifest));
    }
    let stated = stated_dependencies();
    let mut faults = Vec::new();
    for name in actual.keys().chain(stated.keys()).collect::<BTreeSet<_>>() {
        let (actual, stated) = (actual.get(name), stated.get(name));
        if actual != stated {
            faults.push(format!(
                "{name}: its Cargo.toml says {actual:?}, {ARCHITECTURE} says {stated:?}"
            ));
        }
    }
    assert_none(&faults);
}

/// Each library of these packages with its version and its features, as cargo unites them.
fn libraries(packages: &[&str]) -> BTreeSet<String> {
    let how = ["tree", "--offline", "--locked", "--edges", "normal,build", "--prefix", "none"];
    let mut cargo = Command::new("cargo");
    cargo.current_dir(root()).args(how).args(["--no-dedupe", "--format", "{p} {f}"]);
    cargo.args(["--features", "westwood-py/command"]);
    for package in packages {
        cargo.args(["--package", package]);
    }
    let output = cargo.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect()
}

/// `scripts/command` builds the command and the package's half at once. The wheel of the tests is built
/// alone, and each library that has other features there is compiled again.
#[test]
fn the_wheel_of_the_tests_is_made_of_the_libraries_of_the_command() {
    let (alone, at_once) =
        (libraries(&["westwood-py"]), libraries(&["westwood-py", "westwood-cli"]));
    let compiled_again: Vec<&String> = alone.difference(&at_once).collect();
    let mend = "the feature `command` of crates/py/Cargo.toml asks for too little";
    assert!(alone.len() > 50 && compiled_again.is_empty(), "{mend}: {compiled_again:#?}");
}

/// Crates whose files may still use one another in a circle.
const WITH_CIRCLES: [&str; 5] = ["cc", "kernel", "net", "sim", "tcp"];

#[test]
fn no_file_is_used_by_a_file_that_it_uses() {
    let texts = texts();
    let mut faults = Vec::new();
    for name in stated_dependencies().keys().filter(|name| *name != "bench") {
        let folder = format!("crates/{name}/src/");
        let sources = texts
            .iter()
            .filter(|text| text.ending() == "rs")
            .filter_map(|text| Some((text.name.strip_prefix(&folder)?, text.contents.as_str())));
        let read = circles::Crate::read(sources);
        let circles = read.circles();
        if WITH_CIRCLES.contains(&name.as_str()) {
            assert!(!circles.is_empty(), "{name} has no circle: WITH_CIRCLES need not name it");
            continue;
        }
        for circle in circles {
            faults.push(format!("{name}: {}", circle.join(", ")));
            faults.extend(read.edges(&circle).iter().map(|edge| format!("    {edge}")));
        }
    }
    assert_none(&faults);
}

/// The name of a type that a line at the left margin defines.
fn defined_type(line: &str) -> Option<&str> {
    let line = line.strip_prefix("pub").map_or(line, |rest| {
        let rest =
            rest.strip_prefix('(').and_then(|rest| rest.split_once(')')).map_or(rest, |r| r.1);
        rest.trim_start()
    });
    let rest =
        ["struct ", "enum ", "trait ", "union "].iter().find_map(|w| line.strip_prefix(w))?;
    let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
    rest[..end].starts_with(char::is_uppercase).then(|| &rest[..end])
}

/// The places where the crates define the types of each name.
fn definitions(texts: &[Text]) -> BTreeMap<&str, Vec<&str>> {
    let mut found: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for text in texts {
        if text.ending() == "rs" && text.name.contains("/src/") {
            for name in text.contents.lines().filter_map(defined_type) {
                found.entry(name).or_default().push(&text.name);
            }
        }
    }
    found
}

/// The list of names that several types may bear.
fn shared_names(list: &str) -> BTreeMap<&str, usize> {
    let lines = list.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.map(|line| line.split_once(' ').unwrap()).map(|(n, c)| (n, c.parse().unwrap())).collect()
}

#[test]
fn a_new_type_takes_no_name_that_another_one_bears() {
    let texts = texts();
    let list = fs::read_to_string(root().join(SHARED_NAMES)).unwrap();
    let allowed = shared_names(&list);
    let mut faults = Vec::new();
    for (name, places) in definitions(&texts) {
        let most = allowed.get(name).copied().unwrap_or(1);
        if places.len() > most {
            let places = places.join(", ");
            faults.push(format!("{name} is the name of several types ({most} at most): {places}"));
        }
    }
    assert_none(&faults);
}

#[test]
fn the_list_of_shared_names_shrinks_with_the_names() {
    let texts = texts();
    let definitions = definitions(&texts);
    let list = fs::read_to_string(root().join(SHARED_NAMES)).unwrap();
    let mut faults = Vec::new();
    let comment = list.lines().take_while(|line| line.starts_with('#'));
    let mut shrunk: String = comment.flat_map(|line| [line, "\n"]).collect();
    for (name, listed) in shared_names(&list) {
        let borne = definitions.get(name).map_or(0, Vec::len);
        if borne < listed {
            faults.push(format!("{name}: {listed} in {SHARED_NAMES}, {borne} in the sources"));
        }
        if borne.min(listed) > 1 {
            writeln!(shrunk, "{name} {}", borne.min(listed)).unwrap();
        }
    }
    if std::env::var_os("WESTWOOD_WRITE").is_some() {
        fs::write(root().join(SHARED_NAMES), shrunk).unwrap();
    } else if !faults.is_empty() {
        faults.push("WESTWOOD_WRITE=1 shrinks the list".to_owned());
    }
    assert_none(&faults);
}

#[test]
fn circles_are_found_through_re_exports_and_inline_paths() {
    let circles_of =
        |sources: &[(&str, &str)]| circles::Crate::read(sources.iter().copied()).circles();
    let root = ("lib.rs", "mod a; mod b; pub use a::A; pub use b::B;");
    let a = ("a.rs", "use crate::B; pub struct A(B);");
    assert_eq!(
        circles_of(&[root, a, ("b.rs", "pub struct B; fn of() { super::a::of() }")]),
        [["a.rs", "b.rs"]]
    );
    assert!(circles_of(&[root, a, ("b.rs", "pub struct B;")]).is_empty());
    let in_tests = "pub struct B; #[cfg(test)] mod tests { use crate::A; }";
    assert!(circles_of(&[root, a, ("b.rs", in_tests)]).is_empty());
}

#[test]
fn paths_are_found_in_prose() {
    let line = "see `crates/cc/src/lib.rs`, docs/{a,b}.md, crates/*/src and xdocs/none.";
    assert_eq!(named_paths(line), ["crates/cc/src/lib.rs", "docs/", "crates/"]);
    assert_eq!(named_paths("as scripts/test."), ["scripts/test"]);
    assert!(has_a_placeholder("papers/KEY"));
    assert!(!has_a_placeholder("papers/README.md"));
}

#[test]
fn definitions_are_told_from_uses() {
    assert_eq!(defined_type("pub(crate) struct Row<'a> {"), Some("Row"));
    assert_eq!(defined_type("enum Cause {"), Some("Cause"));
    assert_eq!(defined_type("    struct Inner;"), None);
    assert_eq!(defined_type("impl Row {"), None);
}

#[test]
fn dependencies_of_tests_are_told_from_the_others() {
    let manifest = "[package]\nname = \"westwood-a\"\n[dependencies]\nwestwood-b.workspace = true\n\
                    [dev-dependencies]\nwestwood-c.workspace = true\n\
                    [target.'cfg(unix)'.dependencies]\nwestwood-d = { path = \"d\" }\n";
    assert_eq!(dependencies(manifest), ["b", "d"].map(str::to_owned).into());
}
