//! The command's conclusions, and how scripts ask for them.

mod support;

use serde_json::Value;
use support::{Folder, Run};

const QUICK: [&str; 9] =
    ["compare", "--time", "10s", "--seeds", "3", "--like", "rfc", "--cc", "reno,westwood"];

fn compare(folder: &Folder, flags: &[&str]) -> Run {
    folder.run(&[&QUICK[..], flags].concat())
}

#[test]
fn the_json_has_means_intervals_differences_front_and_sentence() {
    let folder = Folder::new();
    let run = compare(&folder, &["--json", "-"]);
    let report: Value = serde_json::from_str(&run.stdout).unwrap();
    let summary = &report["summary"];
    assert_eq!(summary["leader"], "westwood");
    assert!(summary["sentence"].as_str().unwrap().contains("westwood carries"));
    let reno = &summary["contestants"][0];
    assert_eq!(reno["name"], "reno");
    assert!(reno["means"]["goodput"]["half_width"].as_f64().unwrap() > 0.0);
    let behind = &reno["behind_leader"]["goodput"];
    assert!(behind["mean"].as_f64().unwrap() > 1e6 && behind["clear"] == true, "{behind}");
    assert!(summary["front"].as_array().unwrap().contains(&"westwood".into()));
}

#[test]
fn run_judges_each_setting_of_a_sweep() {
    let folder = Folder::new();
    folder.write(
        "f.toml",
        "like = \"rfc\"\ncc = \"reno,westwood\"\ntime = \"10 s\"\nseeds = 3\ndumbbell = {}\n\
         sweep.\"dumbbell.loss\" = [\"0.1 %\", \"1 %\", \"2 %\"]\n",
    );
    let run = folder.run(&["run", "f.toml", "--json", "out.json"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(run.stdout.contains("westwood carries"), "{}", run.stdout);
    assert!(run.stderr.contains("wrote out.json"), "{}", run.stderr);
    let report: Value = serde_json::from_str(&folder.read("out.json")).unwrap();
    let summaries = report["summaries"].as_array().unwrap();
    assert_eq!(summaries.len(), 3);
    assert_eq!(summaries[1]["settings"][0], "1 %");
    assert_eq!(summaries[1]["leader"], "westwood");
}

#[test]
fn a_criterion_may_be_about_one_controller() {
    let folder = Folder::new();
    let quiet = |criterion| compare(&folder, &["-q", "--fail-if", criterion]);
    assert_eq!(quiet("reno: goodput<6Mbit/s").code, Some(3));
    assert_eq!(quiet("westwood: goodput<6Mbit/s").code, Some(0));
    let run = quiet("cubic: goodput<6Mbit/s");
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.contains("--fail-if: 'cubic' is not compared; add it to cc"), "{run:?}");
    folder.write("f.toml", "cc = \"reno\"\ntime = \"5 s\"\nseeds = 1\ndumbbell = {}\n");
    let run = folder.run(&["run", "f.toml", "-q", "--fail-if", "goodput>1bit/s"]);
    assert_eq!(run.code, Some(3), "{run:?}");
}

#[test]
fn a_scenario_under_other_settings_is_another_experiment() {
    let folder = Folder::new();
    folder.write(
        "f.toml",
        "cc = [\"reno\", \"cubic\"]\ntime = \"3 s\"\nseeds = 2\n\
         [dumbbell]\nrate = \"10 Mbit/s\"\nloss = \"0.5 %\"\n",
    );
    let run = |flags: &[&str]| folder.run(&[&["run", "f.toml", "-q"], flags].concat());
    assert_eq!(run(&["--json", "base.json"]).code, Some(0));
    // The same in another spelling, with a default and of other controllers.
    for set in ["dumbbell.loss=0.005", "dumbbell.flows=1", "cc=reno"] {
        let same = run(&["--set", set, "--fail-if-worse-than", "base.json"]);
        assert_eq!(same.code, Some(0), "{set}: {same:?}");
    }
    for (set, said) in [
        ("dumbbell.loss=2%", "dumbbell.loss 2%, was 0.5 %"),
        ("dumbbell.rate=5Mbit/s", "dumbbell.rate 5Mbit/s, was 10 Mbit/s"),
        ("dumbbell.aqm=codel", "dumbbell.aqm codel, was droptail"),
    ] {
        let flags = ["--set", set, "--json", "now.json", "--fail-if-worse-than", "base.json"];
        let other = run(&flags);
        assert_eq!(other.code, Some(2), "{other:?}");
        let why = format!("the result is of another experiment: {said}; make both with the same");
        assert!(other.stderr.contains(&why), "{other:?}");
        let diff = folder.run(&["diff", "base.json", "now.json", "--json", "-"]);
        let diff: Value = serde_json::from_str(&diff.stdout).unwrap();
        assert_eq!(diff["settings"], serde_json::json!([said]));
    }
}

#[test]
fn what_got_worse_than_a_saved_result_is_found_and_named() {
    let folder = Folder::new();
    assert_eq!(compare(&folder, &["-q", "--loss", "0.3%", "--json", "base.json"]).code, Some(0));
    let same = compare(&folder, &["-q", "--loss", "0.3%", "--fail-if-worse-than", "base.json"]);
    assert_eq!(same.code, Some(0), "{same:?}");
    let flags = ["-q", "--loss", "5%", "--json", "now.json", "--fail-if-worse-than", "base.json"];
    let other = compare(&folder, &flags);
    assert_eq!(other.code, Some(2), "{other:?}");
    let why = "the result is of another experiment: loss 5%, was 0.3%; make both with the same";
    assert!(other.stderr.contains(why), "{other:?}");
    let diff = folder.run(&["diff", "base.json", "now.json"]);
    assert!(
        diff.stdout.starts_with("point") && diff.stdout.contains("Beware: the two are of"),
        "{diff:?}"
    );
    // The same experiment of a program whose controllers were better.
    folder.write(
        "base.json",
        &folder.read("base.json").replace("\"loss\": \"0.3%\"", "\"loss\": \"5%\""),
    );
    let worse = compare(&folder, &flags);
    assert_eq!(worse.code, Some(3), "{worse:?}");
    assert!(worse.stderr.contains("goodput"), "{worse:?}");
    let diff = folder.run(&["diff", "base.json", "now.json", "--html", "d.html"]);
    assert_eq!(diff.code, Some(0), "{diff:?}");
    assert!(diff.stdout.contains("goodput") && diff.stdout.contains("worse"), "{}", diff.stdout);
    assert!(diff.stdout.lines().all(|line| line.chars().count() <= 80), "{}", diff.stdout);
    assert!(folder.read("d.html").contains("What changed"));
    let narrow = folder.command(&["diff", "base.json", "now.json"]).env("COLUMNS", "60").output();
    let narrow = String::from_utf8(narrow.unwrap().stdout).unwrap();
    let table: Vec<&str> = narrow.lines().take_while(|line| !line.starts_with("Beyond")).collect();
    let rows = table.iter().filter(|line| line.ends_with("worse") || line.ends_with("better"));
    assert!(rows.count() > 1, "{narrow}");
    assert!(table.iter().all(|line| line.chars().count() <= 60), "{narrow}");
    let none = folder.run(&["diff", "base.json", "base.json", "--json", "-"]);
    let none: Value = serde_json::from_str(&none.stdout).unwrap();
    assert_eq!(
        (&none["schema"], none["changes"].as_array().unwrap().len()),
        (&"westwood.diff/1".into(), 0)
    );
    let same = folder.run(&["diff", "base.json", "base.json"]);
    assert!(same.stdout.starts_with("Nothing changed beyond chance and 1 % in"), "{same:?}");
    let run = folder.run(&["diff", ".", "base.json"]);
    assert_eq!(run.code, Some(2), "{run:?}");
    assert!(run.stderr.contains("OLD: '.' is a folder; name the results.json in it"), "{run:?}");
    folder.write("other.json", "{\"schema\": \"westwood.reproduce/1\"}");
    let run = folder.run(&["diff", "base.json", "other.json"]);
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.contains("'other.json' is no saved result: its schema is"), "{run:?}");
}

#[test]
fn what_is_the_same_after_reading_counts_once_and_is_refused() {
    let folder = Folder::new();
    let refused = |text: &str| {
        folder.write("f.toml", text);
        let run = folder.run(&["run", "f.toml", "-q"]);
        assert_eq!(run.code, Some(2), "{run:?}");
        run.stderr
    };
    let text = refused("cc = [\"reno\", \"reno(keep=0.5)\"]\ndumbbell = {}\n");
    assert!(text.contains("given twice"), "{text}");
    let sweep = "cc = \"reno\"\ndumbbell = {}\n[sweep]\n\"dumbbell.loss\" = ";
    let text = refused(&format!("{sweep}[\"0.1 %\", \"0.001\"]\n"));
    assert!(text.contains("0.001 is the same as 0.1 %"), "{text}");
    assert!(text.contains("f.toml:4:"), "{text}");
}

#[test]
fn a_result_that_means_little_says_so() {
    let folder = Folder::new();
    let run = folder.run(&["compare", "--loss", "0.5", "--time", "5s", "--cc", "reno,bbr"]);
    assert!(run.stdout.contains("was 0.5 % meant?"), "{}", run.stdout);
    let said = |text: &str| {
        folder.write("f.toml", text);
        let run = folder.run(&["run", "f.toml"]);
        run.stdout.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let quick = "cc = \"reno\"\ntime = \"2 s\"\nseeds = 1\n";
    let swept = said(&format!("{quick}dumbbell = {{}}\nsweep.\"dumbbell.loss\" = [0.01, 0.3]\n"));
    let some = "Note: At 1 of 2 settings: 30 % of the packets are lost at random; was 0.3 % meant?";
    assert!(swept.contains(some), "{swept}");
    assert!(swept.contains("another one may give other numbers."), "one controller: {swept}");
    let percent = said(&format!("{quick}dumbbell = {{ loss = \"50 %\" }}\n"));
    assert!(percent.contains("50 % of the packets are lost at random:"), "{percent}");
    assert!(!percent.contains("meant?"), "{percent}");
    let percent = folder.run(&["compare", "--loss", "50%", "--time", "5s", "--cc", "reno,bbr"]);
    assert!(!percent.stdout.contains("meant?"), "{}", percent.stdout);
    let short = folder.run(&["compare", "--time", "400ms", "--cc", "cubic", "--like", "ns-2"]);
    for note in ["4.0 round-trip times", "RFC 9438"] {
        assert!(short.stdout.contains(note), "{}", short.stdout);
    }
    let one = folder.run(&["compare", "--time", "5s", "--cc", "reno,bbr", "--seeds", "1"]);
    assert!(one.stdout.contains("another one may rank them otherwise."), "{}", one.stdout);
    let alone = folder.run(&["compare", "--time", "5s", "--cc", "reno", "--seeds", "1"]);
    assert!(alone.stdout.contains("another one may give other numbers."), "{}", alone.stdout);
    let window = ["--time", "3s", "--cc", "reno", "--loss", "none", "--receive-window", "2"];
    let window = folder.run(&[&["compare"][..], &window].concat());
    let said = window.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    let share = "limits flows on this path for this share of the time: reno 100 %.";
    assert!(said.contains(share), "{said}");
}

#[test]
fn notes_that_qualify_a_conclusion_stand_beside_it_in_every_output() {
    let folder = Folder::new();
    let path =
        ["--cc", "cubic-linux,bbr", "--loss", "none", "--time", "3s", "--access-rate", "5Mbit/s"];
    let outputs = ["--json", "c.json", "--html", "c.html", "--write-scenario", "f.toml"];
    let run = folder.run(&[&["compare"][..], &path, &outputs].concat());
    let printed = run.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    let json: Value = serde_json::from_str(&folder.read("c.json")).unwrap();
    let notes: Vec<&str> =
        json["warnings"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    assert_eq!(notes.len(), 2, "the access links, and waiting before them: {notes:?}");
    // A number and its unit stay in one line of a page.
    let page = folder.read("c.html").replace('\u{a0}', " ");
    for note in &notes {
        assert!(printed.contains(&format!("Note: {note}")), "{printed}");
        assert!(page.contains(note), "{note}");
    }
    assert_eq!(folder.run(&["run", "f.toml", "-q", "--json", "r.json"]).code, Some(0));
    let again: Value = serde_json::from_str(&folder.read("r.json")).unwrap();
    assert_eq!(again["warnings"], json["warnings"]);
}

#[test]
fn controllers_made_for_marks_are_noted_where_nothing_marks() {
    let said = |flags: &[&str]| {
        let run = Folder::new().run(&[&["compare", "--time", "3s"], flags].concat());
        assert_eq!(run.code, Some(0), "{run:?}");
        run.stdout.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let both = said(&["--cc", "prague,dctcp,reno"]);
    assert!(
        both.contains("Note: dctcp and prague slow down by ECN marks, and no packet here"),
        "{both}"
    );
    let marked = said(&["--cc", "dctcp,reno", "--aqm", "threshold(mark=20)"]);
    assert!(!marked.contains("ECN marks"), "{marked}");
    assert!(!said(&["--cc", "reno"]).contains("ECN marks"));
}

#[test]
fn access_links_slower_than_the_bottleneck_are_in_the_head_and_noted_where_they_limit() {
    let said = |flows: &str, access: &str| {
        let flags = ["--time", "3s", "--cc", "reno", "--flows", flows, "--access-rate", access];
        let run = Folder::new().run(&[&["compare", "--rate", "10Mbit/s"], &flags[..]].concat());
        run.stdout.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let note = "The access links, and not the link of 10 Mbit/s, are the bottleneck: each carries \
                4 Mbit/s. access-rate sets it.";
    let two = said("2", "4Mbit/s");
    assert!(two.starts_with("10 Mbit/s, access links of 4 Mbit/s, RTT"), "{two}");
    assert!(two.contains(note), "{two}");
    let three = said("3", "4Mbit/s");
    assert!(three.starts_with("10 Mbit/s, access links of 4 Mbit/s, RTT"), "{three}");
    assert!(!three.contains("are the bottleneck"), "three fill the link: {three}");
    assert!(said("1", "10Mbit/s").starts_with("10 Mbit/s, RTT"));
}

#[test]
fn a_star_says_as_much_as_the_sentence() {
    let said = |flags: &[&str]| {
        let run = Folder::new().run(&[&["compare"], flags].concat());
        (run.stdout.split_whitespace().collect::<Vec<_>>().join(" "), run.stdout)
    };
    // Beside illinois alone the lead of westwood is beyond chance, and among all pairs it is not.
    let (text, whole) = said(&[]);
    let undecided = "Compared with westwood alone, illinois (8.85 Mbit/s) would differ from it";
    assert!(text.contains(undecided), "{whole}");
    assert!(!whole.contains('*'), "{whole}");
    let path = "--rate 20Mbit/s --return-rate 2Mbit/s --rtt 600ms --loss 0.1% --time 120s --warmup 20s \
                --cc cubic-linux,bbr,bbr3,illinois,hybla,westwood";
    let (text, whole) = said(&path.split(' ').collect::<Vec<_>>());
    assert!(text.contains("westwood carries 18.2 of 20 Mbit/s, the most"), "{whole}");
    assert!(text.contains("18.2 ±0.4*"), "{whole}");
}

#[test]
fn a_change_over_one_seed_is_undecided_in_every_output() {
    let folder = Folder::new();
    let one = |loss: &str, flags: &[&str]| {
        let usual =
            ["compare", "-q", "--time", "5s", "--seeds", "1", "--cc", "reno", "--loss", loss];
        folder.run(&[&usual[..], flags].concat())
    };
    assert_eq!(one("0.1%", &["--json", "old.json"]).code, Some(0));
    // The same experiment of a program whose controller was better.
    folder.write(
        "old.json",
        &folder.read("old.json").replace("\"loss\": \"0.1%\"", "\"loss\": \"5%\""),
    );
    let run = one("5%", &["--json", "new.json", "--fail-if-worse-than", "old.json"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(run.stderr.contains("undecided") && run.stderr.contains("raise seeds"), "{run:?}");
    let diff = folder.run(&["diff", "old.json", "new.json", "--html", "d.html"]);
    let text = diff.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains("differences are undecided over too few seeds"), "{text}");
    assert!(text.contains("(reno): raise seeds in both."), "{text}");
    assert!(folder.read("d.html").contains("undecided"));
    let json = folder.run(&["diff", "old.json", "new.json", "--json", "-"]);
    let json: Value = serde_json::from_str(&json.stdout).unwrap();
    assert_eq!(json["undecided"][0]["name"], "reno");
}

/// A comparison of reno and westwood against cubic, which is not compared.
const AGAINST: [&str; 13] = [
    "compare",
    "--time",
    "6s",
    "--seeds",
    "2",
    "--like",
    "rfc",
    "--cc",
    "reno,westwood",
    "--against",
    "cubic:1",
    "--json",
    "out.json",
];

#[test]
fn harm_needs_nobody_to_compare_the_rivals_own_controller() {
    let folder = Folder::new();
    let run = folder.run(&AGAINST);
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(run.stdout.contains("harm"), "{}", run.stdout);
    // A row of the table, and no sentence that breaks before the name.
    assert!(!run.stdout.lines().any(|line| line.starts_with("cubic  ")), "{}", run.stdout);
    let own: Vec<&str> = run.stdout.split_whitespace().collect();
    assert!(own.join(" ").contains("beside its own kind."), "{}", run.stdout);
    let report: Value = serde_json::from_str(&folder.read("out.json")).unwrap();
    let names = |key: &str| -> Vec<&str> {
        report[key].as_array().unwrap().iter().map(|run| run["cc"].as_str().unwrap()).collect()
    };
    assert_eq!(names("runs"), ["reno", "reno", "westwood", "westwood"]);
    let alone = ["competing flows alone"; 2];
    assert_eq!(names("baselines"), [["cubic"; 2], alone].concat());
    assert_eq!(report["path"]["cc"], serde_json::json!(["reno", "westwood"]));
    assert_eq!(report["summary"]["contestants"].as_array().unwrap().len(), 2);
    // Harm is what the runs say it is, and the same as where cubic is compared.
    let (with, alone) = (&report["runs"][0], &report["baselines"][0]);
    let kept = |run: &Value| run["against_goodput_bps"].as_f64().unwrap();
    let harm = with["harm"].as_f64().unwrap();
    assert!((harm - (1.0 - kept(with) / kept(alone))).abs() < 1e-12);
    let listed: Vec<&str> = AGAINST
        .iter()
        .map(|a| if *a == "reno,westwood" { "cubic,reno,westwood" } else { a })
        .collect();
    assert_eq!(folder.run(&listed).code, Some(0));
    let listed: Value = serde_json::from_str(&folder.read("out.json")).unwrap();
    let beside: Vec<&Value> = listed["baselines"].as_array().unwrap().iter().collect();
    assert_eq!(
        beside.len(),
        2,
        "cubic is compared: its flows alone are beside it, and nothing else"
    );
    assert_eq!(listed["runs"][2]["harm"], harm);
}

#[test]
fn solo_harm_is_a_share_of_what_the_competing_flows_have_alone() {
    let folder = Folder::new();
    folder.write(
        "f.toml",
        "cc = \"cubic\"\ntime = \"10 s\"\nwarmup = \"3 s\"\nseeds = 2\n\
         dumbbell = { rate = \"8 Mbit/s\", rtt = \"40 ms\", against_cc = \"reno\" }\n",
    );
    let run = folder.run(&["run", "f.toml", "-q", "--json", "out.json", "--csv", "tables"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    let report: Value = serde_json::from_str(&folder.read("out.json")).unwrap();
    let solo = report["baselines"].as_array().unwrap().iter().find(|b| b["solo"] == true).unwrap();
    let rival = |run: &Value, field: &str| {
        let groups = run["groups"].as_array().unwrap();
        groups.iter().find(|group| group["name"] == "rival").unwrap()[field].clone()
    };
    for (with, alone) in [0, 1].map(|i| (&report["runs"][i], &solo["runs"][i])) {
        let conduct = &with["summary"]["conduct"];
        let number = |value: Value| value.as_f64().unwrap();
        let rate = |run| number(rival(run, "goodput_bps"));
        let delay = |run| number(rival(run, "rtt_ms")["mean"].clone());
        let harm = |name: &str| number(conduct["solo_harm"][name].clone());
        assert!(rate(alone) > 7e6, "alone it fills the link");
        assert!((harm("rate") - (1.0 - rate(with) / rate(alone))).abs() < 1e-12);
        assert!((harm("delay") - (1.0 - delay(alone) / delay(with))).abs() < 1e-12);
        let (own, other) = (number(with["summary"]["goodput_bps"].clone()), rate(with));
        let least = number(conduct["least_share"].clone());
        assert!((least - 2.0 * own.min(other) / (own + other)).abs() < 1e-6);
        let competing = number(conduct["least_competing_share"].clone());
        assert!((competing - 2.0 * other / (own + other)).abs() < 1e-6);
        assert_eq!(conduct["link_loss"], 0.0);
        assert!(number(conduct["self_inflicted_loss"].clone()) > 0.0);
    }
    assert!(folder.read("tables/runs.csv").lines().next().unwrap().contains("solo_harm_rate"));
}

#[test]
fn baselines_are_kept_resumed_divided_and_merged_like_runs() {
    let folder = Folder::new();
    folder.write(
        "f.toml",
        "cc = \"reno,westwood\"\ntime = \"3 s\"\nseeds = 2\nrecord = { series = [\"windows\"] }\n\
         dumbbell = { against_cc = \"cubic\", against_flows = 1 }\n\
         sweep.\"dumbbell.loss\" = [\"0.1 %\", \"1 %\"]\n",
    );
    let results = |out: &str| {
        let made = std::fs::read_dir(folder.path().join(out)).unwrap().next().unwrap().unwrap();
        std::fs::read_to_string(made.path().join("results.json")).unwrap()
    };
    let run = |flags: &[&str]| {
        let run = folder.run(&[&["run", "f.toml", "-q"], flags].concat());
        assert_eq!(run.code, Some(0), "{run:?}");
    };
    run(&["--out", "whole"]);
    let whole = results("whole");
    let report: Value = serde_json::from_str(&whole).unwrap();
    assert_eq!(report["points"].as_array().unwrap().len(), 4);
    let baselines = report["baselines"].as_array().unwrap();
    assert_eq!(baselines.len(), 4, "one beside their own kind and one alone for each setting");
    assert_eq!(baselines[3]["name"], "competing flows alone, loss=1 %");
    assert_eq!((&baselines[3]["solo"], baselines[1].get("solo")), (&Value::Bool(true), None));
    assert_eq!(baselines[1]["name"], "cubic, loss=1 %");
    assert_eq!(baselines[1]["runs"].as_array().unwrap().len(), 2);
    let harms = report["runs"].as_array().unwrap().iter().map(|run| &run["summary"]["harm"]);
    assert!(harms.clone().count() == 8 && harms.into_iter().all(Value::is_number));
    run(&["--out", "whole", "--resume"]);
    assert_eq!(results("whole"), whole);
    run(&["--out", "one", "--shard", "1/2"]);
    run(&["--out", "two", "--shard", "2/2"]);
    let part = |out: &str| {
        let made = std::fs::read_dir(folder.path().join(out)).unwrap().next().unwrap().unwrap();
        format!("{out}/{}", made.file_name().display())
    };
    let merged = folder.run(&["merge", &part("one"), &part("two"), "--out", "both", "-q"]);
    assert_eq!(merged.code, Some(0), "{merged:?}");
    assert_eq!(results("both"), whole);
    let dry = folder.run(&["run", "f.toml", "--dry-run"]).stdout;
    let words = dry.split_whitespace().collect::<Vec<&str>>().join(" ");
    let beside = "8 runs and 8 of competing flows beside their own kind or alone";
    assert!(words.contains(beside), "{dry}");
    let one = ["run", "f.toml", "--dry-run", "--seeds", "1", "--set", "cc=reno"];
    let one = folder.run(&one).stdout;
    assert!(one.contains(" x 1 seed = "), "{one}");
}

#[test]
fn a_preference_is_said() {
    let run = compare(&Folder::new(), &["--prefer", "sparing"]);
    assert!(run.stdout.contains("Preferring few copies"), "{}", run.stdout);
    let run = compare(&Folder::new(), &["--prefer", "speed"]);
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.contains("unknown preference 'speed'"), "{run:?}");
}

#[test]
fn an_interrupted_comparison_with_a_folder_goes_on() {
    let folder = Folder::new();
    let run = compare(&folder, &["-q", "--out", "out"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    let again = compare(&folder, &["-q", "--out", "out", "--resume"]);
    assert_eq!(again.code, Some(0), "{again:?}");
    assert_eq!(std::fs::read_dir(folder.path().join("out")).unwrap().count(), 1);
}
