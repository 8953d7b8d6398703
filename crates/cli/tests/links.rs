//! Experiments as links: the playground keeps one in its address, and the command runs it to the same bits.

mod support;

use std::path::Path;

use support::Folder;
use westwood_experiment::link::of_text;
use westwood_experiment::plan::ExperimentPlan;

const QUICK: [&str; 9] =
    ["--cc", "reno,westwood", "--loss", "1%", "--time", "4s", "--seeds", "2", "--quiet"];

/// The experiment that a page has inside, as a link.
fn link_in(page: &str) -> String {
    let (_, rest) = page.split_once("id=\"experiment\">").unwrap();
    let (code, _) = rest.split_once("</script>").unwrap();
    format!("https://example.org/playground.html#{code}")
}

#[test]
fn a_playground_has_the_comparison_inside_and_its_link_runs_to_the_same_bits() {
    let folder = Folder::new();
    let written = ["--write-scenario", "experiment.toml", "--play", "p.html"];
    let made = folder.run(&[&["compare"][..], &QUICK, &written].concat());
    assert_eq!((made.code, made.stdout.as_str()), (Some(0), ""), "{made:?}");
    assert_eq!(folder.names(), ["experiment.toml", "p.html"]);
    let page = folder.read("p.html");
    assert!(page.starts_with("<!doctype html>") && page.contains("id=\"engine\">H4sI"));
    let link = link_in(&page);
    let [file, link] = [&["experiment.toml"][..], &[&link]]
        .map(|which| folder.run(&[&["run"][..], which, &["--json", "-", "--quiet"]].concat()));
    assert_eq!(file.code, Some(0), "{file:?}");
    assert!(file == link, "{:.300}", link.stdout);
}

#[test]
fn the_address_is_told_beside_the_page_unless_nothing_is_to_be_told() {
    let folder = Folder::new();
    let told = folder
        .run(&["compare", "--cc", "reno", "--time", "3s", "--seeds", "1", "--play", "p.html"]);
    let (_, code) = told.stderr.split_once("playground.html#").unwrap();
    assert_eq!(
        format!("https://example.org/playground.html#{}", code.trim()),
        link_in(&folder.read("p.html"))
    );
}

/// The first address in a page that opens a playground.
fn way_in(page: &str) -> &str {
    let (_, rest) = page.split_once("class=\"press\" href=\"").unwrap();
    rest.split_once('"').unwrap().0
}

#[test]
fn a_report_leads_to_the_playground_that_is_written_with_it_wherever_that_is() {
    let folder = Folder::new();
    std::fs::create_dir(folder.path().join("to class")).unwrap();
    let made = folder.run(
        &[&["compare"][..], &QUICK, &["--html", "r.html", "--play", "to class/p ü.html"]].concat(),
    );
    assert_eq!(made.code, Some(0), "{made:?}");
    let page = folder.read("r.html");
    let (address, code) = way_in(&page).split_once('#').unwrap();
    assert_eq!(address, "to%20class/p%20%C3%BC.html");
    assert!(!page.contains("class=\"notes way\""));
    assert!(link_in(&folder.read("to class/p ü.html")).ends_with(&format!("#{code}")));
}

#[test]
fn a_report_without_a_playground_beside_it_has_its_experiment_as_a_link_to_copy() {
    let folder = Folder::new();
    let given = ["--set", "dumbbell.rate=3Mbit/s", "--set", "seeds=2", "--set", "time=4s"];
    folder
        .write("e.toml", "cc = [\"reno\", \"bbr\"]\nwarmup = \"1s\"\n[dumbbell]\nloss = \"1%\"\n");
    let json = ["--json", "-", "--quiet"];
    let made = folder.run(&[&["run", "e.toml", "--html", "r.html"][..], &given, &json].concat());
    assert_eq!(made.code, Some(0), "{made:?}");
    let page = folder.read("r.html");
    assert!(!page.contains("class=\"press\""));
    // It says so at its top, where a reader begins.
    let (_, top) = page.split_once("class=\"notes way\"").unwrap();
    let way = top.split_once("</p>").unwrap().0;
    assert!(way.contains("href=\"#link\"") && way.contains("--play playground.html"), "{way}");
    let (_, rest) = page.split_once("id=\"link\">").unwrap();
    let link = rest.split_once('<').unwrap().0;
    let again = folder.run(&[&["run", link][..], &json].concat());
    let renamed = made.stdout.replacen("\"name\": \"e\"", "\"name\": \"experiment\"", 1);
    assert!(renamed == again.stdout && again.code == Some(0), "{again:?}");
}

#[test]
fn an_experiment_that_reads_a_file_of_its_own_has_no_playground() {
    let folder = Folder::new();
    folder.write("own.trace", "0\n1\n5\n");
    let flags = ["compare", "--cc", "reno", "--trace", "own.trace", "--time", "3s", "--seeds", "1"];
    let refused = folder.run(&[&flags[..], &["--play", "p.html"]].concat());
    assert_eq!(refused.code, Some(2), "{refused:?}");
    let words = "error: --play: the experiment reads 'own.trace', which the page cannot\nhint: ";
    assert!(refused.stderr.starts_with(words), "{}", refused.stderr);
    assert_eq!(folder.names(), ["own.trace"]);
    let report = folder.run(&[&flags[..], &["--html", "r.html", "--quiet"]].concat());
    assert_eq!(report.code, Some(0), "{report:?}");
    let page = folder.read("r.html");
    assert!(!page.contains("id=\"link\"") && !page.contains("class=\"notes way\""));
}

#[test]
fn a_link_that_is_damaged_or_wrong_is_refused_in_words() {
    let folder = Folder::new();
    let wrong = of_text("cc = \"renno\"\n");
    for (link, words) in [
        ("playground.html#nonsense", "the experiment in this link is damaged; copy the whole link"),
        ("#!", "the experiment in this link is damaged"),
        (
            "playground.html#",
            "this link has no experiment behind a #; copy the whole link, and quote it",
        ),
        ("file:///p.html?lesson=queue", "this link has no experiment behind a #"),
        (&wrong, "experiment:1:6: unknown controller 'renno'; did you mean 'reno'?"),
    ] {
        let run = folder.run(&["run", link]);
        assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{run:?}");
        let said = run.stderr.replace("\nhint: ", "; ");
        assert!(said.contains(words.split("; ").next().unwrap()), "{words} in {said}");
    }
}

/// An experiment of a moment.
const SHORT: &str =
    "cc = \"reno\"\ntime = \"3s\"\nwarmup = \"1s\"\nseeds = 1\n[dumbbell]\nrate = \"5Mbit/s\"\n";

/// The link of a page that has two experiments side by side.
fn link_of_two(first: &str, second: &str) -> String {
    let [first, second] = [first, second].map(of_text);
    format!("https://example.org/playground.html?lesson=queue&beside={}{first}", &second[1..])
}

#[test]
fn both_experiments_of_a_link_are_run_each_under_its_letter() {
    let folder = Folder::new();
    let run = |arguments: &[&str]| {
        let run = folder.run(&[&["run"], arguments].concat());
        assert_eq!(run.code, Some(0), "{run:?}");
        run.stdout
    };
    let slow = SHORT.replace("5Mbit/s", "2Mbit/s");
    let (link, each) = (link_of_two(SHORT, &slow), [SHORT, slow.as_str()].map(of_text));
    let [a, b] = each.each_ref().map(|link| run(&[link]));
    assert_eq!(run(&[&link]), format!("Experiment A\n\n{a}\nExperiment B\n\n{b}"));
    let [a, b] = each.each_ref().map(|link| run(&[link, "--json", "-"]));
    assert_ne!(a, b);
    // On stdout each document has a line.
    let value = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
    let both = run(&[&link, "--json", "-"]);
    assert!(both.lines().map(value).collect::<Vec<_>>() == [value(&a), value(&b)]);
    // A folder has a file for each, though both are called the same.
    run(&[&link, "--json", "both", "--quiet"]);
    assert_eq!(folder.names(), ["both"]);
    assert!(folder.read("both/experiment-a.json") == a);
    assert!(folder.read("both/experiment-b.json") == b);
}

#[test]
fn a_fault_of_the_second_experiment_says_that_it_is_the_second() {
    let folder = Folder::new();
    let damaged = format!("playground.html?beside=AAAA{}", of_text(SHORT));
    let lost = format!("playground.html?beside={}", of_text(SHORT));
    for (link, words) in [
        (link_of_two(SHORT, "cc = \"renno\"\n"), "experiment:1:6: unknown controller 'renno'"),
        (damaged, "the experiment in this link is damaged"),
        (lost, "this link has no experiment behind a #"),
    ] {
        let run = folder.run(&["run", &link]);
        assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{run:?}");
        let words = format!("error: experiment B of the link: {words}");
        assert!(run.stderr.starts_with(&words), "{words} in {}", run.stderr);
    }
}

#[test]
fn a_link_of_two_experiments_is_refused_where_one_is_asked_for() {
    let link = link_of_two(SHORT, SHORT);
    let error = ExperimentPlan::of_file(Path::new(&link), &[]).unwrap_err().to_string();
    assert!(error.starts_with("this link holds two experiments"), "{error}");
}

#[test]
fn a_file_whose_name_has_a_number_sign_is_still_a_file() {
    let folder = Folder::new();
    folder.write("a#b.toml", "cc = \"reno\"\ntime = \"3s\"\nwarmup = \"1s\"\nseeds = 1\n[dumbbell]\nrate = \"5Mbit/s\"\n");
    let run = folder.run(&["run", "a#b.toml", "--quiet"]);
    assert_eq!(run.code, Some(0), "{run:?}");
}
