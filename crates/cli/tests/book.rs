//! The pages of the book are all in its contents, and no link of any page is dead.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::process::Command;

/// Links to files outside the book lead to the repository, since the book is read elsewhere.
const REPOSITORY: &str = "https://github.com/westwood-cc/westwood/";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

fn pages_below(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            pages_below(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "md") {
            found.push(path);
        }
    }
}

/// A page without its code blocks.
fn prose(page: &Path) -> String {
    let text = fs::read_to_string(page).unwrap();
    let mut in_code = false;
    let mut kept = String::new();
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            in_code = !in_code;
        } else if !in_code {
            kept.push_str(line);
            kept.push('\n');
        }
    }
    kept
}

/// The targets of `[text](target)`.
fn links(text: &str) -> Vec<String> {
    let targets = text.split("](").skip(1);
    targets.filter_map(|rest| rest.split_once(')')).map(|(target, _)| target.to_owned()).collect()
}

/// A heading as the address within a page that GitHub and mdBook make of it.
fn anchor(heading: &str) -> String {
    let kept = heading.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.collect::<String>().trim().to_lowercase().replace(' ', "-")
}

fn anchors(page: &Path) -> Vec<String> {
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    let text = prose(page);
    let headings = text.lines().filter(|line| line.starts_with('#'));
    headings
        .map(|line| {
            let name = anchor(line.trim_start_matches('#'));
            let times = seen.entry(name.clone()).or_default();
            *times += 1;
            if *times == 1 { name } else { format!("{name}-{}", *times - 1) }
        })
        .collect()
}

/// A path without `..` in it.
fn plain(path: &Path) -> PathBuf {
    let mut parts = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    parts
}

/// The fault of a link of a page.
fn fault(root: &Path, page: &Path, link: &str) -> Option<String> {
    let in_book = page.starts_with(root.join("docs"));
    let (target, fragment) = link.split_once('#').unwrap_or((link, ""));
    let path = if let Some(rest) = target.strip_prefix(REPOSITORY) {
        let path = rest.strip_prefix("blob/main/").or_else(|| rest.strip_prefix("tree/main/"));
        root.join(path?)
    } else if target.contains("://") {
        return None;
    } else if target.is_empty() {
        page.to_owned()
    } else {
        let path = plain(&page.parent()?.join(target));
        if in_book && !path.starts_with(root.join("docs")) {
            return Some(format!("leads out of the book; write {REPOSITORY}blob/main/..."));
        }
        path
    };
    if !path.exists() {
        return Some("leads nowhere".to_owned());
    }
    let is_page = path.extension().is_some_and(|ending| ending == "md");
    (!fragment.is_empty() && is_page && !anchors(&path).iter().any(|a| a == fragment))
        .then(|| format!("names no heading of {}", path.display()))
}

#[test]
fn no_link_is_dead() {
    let root = root();
    let mut pages =
        vec![root.join("README.md"), root.join("CONTRIBUTING.md"), root.join("CHANGELOG.md")];
    pages_below(&root.join("docs"), &mut pages);
    pages_below(&root.join("papers"), &mut pages);
    pages_below(&root.join("results"), &mut pages);
    let mut faults = Vec::new();
    for page in &pages {
        for link in links(&prose(page)) {
            if let Some(fault) = fault(&root, page, &link) {
                let name = page.strip_prefix(&root).unwrap().display();
                faults.push(format!("{name}: ({link}) {fault}"));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn the_contents_name_every_page_once() {
    let docs = root().join("docs");
    let mut pages = Vec::new();
    pages_below(&docs, &mut pages);
    let contents = docs.join("SUMMARY.md");
    let mut named: Vec<PathBuf> =
        links(&prose(&contents)).iter().map(|link| docs.join(link)).collect();
    pages.retain(|page| *page != contents);
    pages.sort();
    named.sort();
    assert_eq!(named, pages);
}

#[test]
fn the_summary_of_real_runs_is_that_of_their_results() {
    let output = Command::new("python3")
        .args(["scripts/fidelity-linux-table", "--summary", "results/real-runs"])
        .current_dir(root())
        .output()
        .unwrap();
    let table = String::from_utf8(output.stdout).unwrap();
    assert!(table.lines().count() > 4, "{}", String::from_utf8_lossy(&output.stderr));
    let page = fs::read_to_string(root().join("docs/evidence/fidelity-linux.md")).unwrap();
    assert!(page.contains(&table), "the page should have\n{table}");
}

/// The rows of the first table below a heading.
fn table(page: &str, heading: &str) -> String {
    let below = page.split_once(heading).map_or("", |(_, below)| below);
    let rows = below.lines().skip_while(|line| !line.starts_with('|'));
    let rows: Vec<&str> = rows.take_while(|line| line.starts_with('|')).collect();
    rows.join("\n")
}

#[test]
fn the_scoreboards_are_those_of_the_verdicts() {
    let read = |path: &str| fs::read_to_string(root().join(path)).unwrap();
    let page = read("docs/evidence/papers.md");
    for (verdicts, heading) in [
        ("results/reproduction.md", "## Simulated"),
        ("results/reproduction-linux.md", "## On Linux"),
    ] {
        let scores = table(&read(verdicts), "## The scoreboard");
        assert!(scores.lines().count() > 3);
        assert_eq!(table(&page, heading), scores, "{verdicts}");
    }
}
