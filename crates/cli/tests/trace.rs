//! `westwood trace`: what it writes, what a link makes of it, and what it refuses without writing.

mod support;

use support::Folder;

const TABLE: &str = "time,down\n0,40\n1,12.5\n2,25\n";

#[test]
fn a_table_of_time_and_rate_becomes_a_trace_that_compare_reads() {
    let folder = Folder::new();
    folder.write("drive.csv", TABLE);
    let import = ["trace", "import", "drive.csv", "--rate-column", "down", "--out", "drive.trace"];
    let run = folder.run(&import);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    // 40, 12.5 and 25 Mbit for a second each are 77.5 Mbit, or 6458 times 12 kbit.
    assert_eq!(folder.read("drive.trace").lines().count(), 6_458);
    assert!(run.stderr.contains("6458 opportunities in 3 s"), "{}", run.stderr);
    let compare = ["compare", "--cc", "reno", "--trace", "drive.trace", "--time", "6s"];
    let run = folder.run(&[&compare[..], &["--warmup", "1s", "--seeds", "1"]].concat());
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(run.stdout.contains("mean 25.832 Mbit/s"), "{}", run.stdout);
    // From 1 s to 6 s it has 12.5, 25, 40, 12.5 and 25 Mbit.
    assert!(run.stdout.contains("of 23 Mbit/s mean capacity"), "{}", run.stdout);
    // A buffer that was chosen, if only by its default value, is no trap.
    let noted = |more: &[&str]| {
        let run = folder.run(&[&compare[..], &["--warmup", "1s", "--seeds", "1"], more].concat());
        let text = run.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
        text.contains("The recorded link has the default's buffer, one bandwidth-delay product")
    };
    assert!(noted(&[]) && noted(&["--rtt", "40ms"]));
    assert!(!noted(&["--buffer", "1bdp"]) && !noted(&["--buffer", "50pkt"]));
}

#[test]
fn the_mean_of_a_long_slow_trace_is_that_of_all_its_bits() {
    let folder = Folder::new();
    folder.write("slow", "20000\n20000\n20000\n");
    let run =
        folder.run(&["trace", "import", "slow", "--format", "mahimahi", "--out", "slow.trace"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    // Three times 12 kbit in 20 s.
    assert!(run.stderr.contains("in 20 s, 1.8 kbit/s on average"), "{}", run.stderr);
}

#[test]
fn without_a_file_the_trace_goes_to_stdout_and_nothing_else_does() {
    let folder = Folder::new();
    folder.write("mahimahi", "0\r\n5\r\n5\r\n");
    let run = folder.run(&["trace", "import", "mahimahi", "--format", "mahimahi"]);
    assert_eq!((run.code, run.stdout.as_str()), (Some(0), "0\n5\n5\n"));
    let generate = |seed| folder.run(&["trace", "generate", "lte", "--seed", seed]).stdout;
    assert_eq!(generate("3"), generate("3"));
    assert_ne!(generate("3"), generate("4"));
}

#[test]
fn a_mark_of_the_byte_order_is_no_part_of_a_text() {
    let folder = Folder::new();
    folder.write("drive.csv", &format!("\u{feff}{TABLE}"));
    let named = ["trace", "import", "drive.csv", "--time-column", "time", "--rate-column", "down"];
    let run = folder.run(&named);
    assert_eq!((run.code, run.stdout.lines().count()), (Some(0), 6_458), "{}", run.stderr);
    folder.write("m.trace", "\u{feff}0\n5\n");
    let run = folder.run(&["trace", "import", "m.trace", "--format", "mahimahi"]);
    assert_eq!((run.code, run.stdout.as_str()), (Some(0), "0\n5\n"), "{}", run.stderr);
    let scenario =
        "\u{feff}time = \"1 s\"\ncc = \"reno\"\n[dumbbell]\nrate = \"fast\"\ntrace = \"m.trace\"\n";
    folder.write("f.toml", scenario);
    let run = folder.run(&["run", "f.toml"]);
    assert!(run.code == Some(2) && run.stderr.contains("f.toml:4:8: 'fast'"), "{}", run.stderr);
    folder.write("f.toml", &scenario.replace("rate = \"fast\"\n", ""));
    assert_eq!(folder.run(&["run", "f.toml", "--dry-run"]).code, Some(0));
}

#[test]
fn a_profile_becomes_a_scenario_that_runs() {
    let folder = Folder::new();
    folder.write(
        "profiles.csv",
        "operator,country,rat,signal_quality,download_kbps,upload_kbps,latency_ms_avg,latency_ms_stdev\n\
         telia,sweden,4G,medium,28648.3,4224.3,104.5,56.8\n",
    );
    let import = ["trace", "import", "profiles.csv", "--format", "errant"];
    let profile = ["--profile", "telia,sweden,4G,medium", "--out", "telia.toml"];
    let run = folder.run(&[&import[..], &profile[..]].concat());
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let run = folder.run(&["run", "telia.toml", "--dry-run"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
}

#[test]
fn what_is_wrong_is_told_with_line_and_column_and_nothing_is_written() {
    let folder = Folder::new();
    folder.write("bad.csv", "time,down\n0,40\n1,fast\n");
    folder.write("bad.trace", "7\n5\n");
    let files = folder.names();
    for (arguments, says) in [
        (&["bad.csv"][..], "error: bad.csv:3:3: 'fast"),
        (&["bad.csv", "--rate-column", "up"], "error: bad.csv:1:1: unknown column 'up'"),
        (&["bad.trace", "--format", "mahimahi"], "error: bad.trace:2:1: line 2 is earlier"),
        (&["bad.csv", "--rate-unit", "furlong"], "error: --rate-unit: "),
        (&["bad.csv", "--format", "errant"], "error: --profile"),
        (&["none.csv"], "error: 'none.csv' cannot be read"),
    ] {
        let run = folder.run(&[&["trace", "import", "--out", "made.trace"], arguments].concat());
        assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{arguments:?}");
        assert!(run.stderr.starts_with(says), "{}", run.stderr);
        assert_eq!(folder.names(), files);
    }
}

#[test]
fn a_trace_that_is_too_long_or_empty_names_the_flags_that_mend_it() {
    let long = ["--time", "24h", "--most", "400Gbit/s"];
    let short = ["--time", "1s", "--most", "1kbit/s"];
    for (kind, flags, part) in [
        ("leo", long, "more than 20000000 opportunities; lower --time or --most"),
        ("wifi", long, "more than 20000000 opportunities; lower --time or --most"),
        ("leo", short, "carries no packet of 1500 bytes; raise --time or --most"),
        ("lte", short, "carries no packet of 1500 bytes; raise --time or --most"),
    ] {
        let run = Folder::new().run(&[&["trace", "generate", kind], &flags[..]].concat());
        assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{kind} {flags:?}");
        assert!(run.stderr.contains(part) && run.stderr.lines().count() == 1, "{}", run.stderr);
    }
}
