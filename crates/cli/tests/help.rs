//! Every page of help fits a terminal of 80 columns.

mod support;

use support::Folder;

/// The page of a command's help as it is printed in so many columns.
fn page(command: &[String], flag: &str, columns: Option<&str>) -> String {
    let folder = Folder::new();
    let words: Vec<&str> = command.iter().map(String::as_str).chain([flag]).collect();
    let mut command = folder.command(&words);
    columns.map(|columns| command.env("COLUMNS", columns));
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{words:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// The commands that a page names.
fn commands(page: &str) -> Vec<String> {
    let lines = page.lines().skip_while(|line| *line != "Commands:").skip(1);
    let lines = lines.take_while(|line| !line.is_empty());
    // The text of a command may go on in lines that stand further in.
    let named = lines.filter_map(|line| line.strip_prefix("  "));
    let named = named.filter(|rest| rest.starts_with(|c: char| c.is_ascii_lowercase()));
    named.filter_map(|rest| rest.split(' ').next()).map(str::to_owned).collect()
}

/// The lines of a page's examples that do not stand in: the rest of one that was broken.
fn broken_examples(page: &str) -> Vec<&str> {
    let examples = page.lines().skip_while(|line| *line != "Examples:").skip(1);
    let examples = examples.take_while(|line| *line != "Exit codes:");
    examples.filter(|line| !line.is_empty() && !line.starts_with("  ")).collect()
}

#[test]
fn no_page_has_a_line_beyond_80_columns() {
    let (mut left, mut seen) = (vec![Vec::new()], 0);
    while let Some(command) = left.pop() {
        let of = format!("westwood {}", command.join(" "));
        // Into a file or a pipe as into a terminal of 80 columns.
        for (flag, columns) in [("--help", None), ("--help", Some("80")), ("-h", None)] {
            let page = page(&command, flag, columns);
            let wide = page.lines().find(|line| line.chars().count() > 80);
            assert_eq!(wide, None, "{of} {flag}");
            assert_eq!(broken_examples(&page), [""; 0], "{of} {flag}");
        }
        let inner = commands(&page(&command, "--help", None));
        left.extend(inner.into_iter().map(|name| [command.clone(), vec![name]].concat()));
        seen += 1;
    }
    assert!(seen > 20, "{seen} pages");
}
