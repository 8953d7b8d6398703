//! The behaviour on which users of the command rely.

mod support;

use serde_json::Value;
use support::Folder;

/// A comparison that is over at once.
const QUICK: &[&str] = &["compare", "--cc", "reno,cubic", "--time", "4s", "--seeds", "2"];

fn quick(more: &[&'static str]) -> Vec<&'static str> {
    [QUICK, more].concat()
}

fn json(more: &[&'static str]) -> Value {
    let run = Folder::new().run(&quick(&[&["--json", "-"], more].concat()));
    assert_eq!(run.code, Some(0), "{run:?}");
    serde_json::from_str(&run.stdout).unwrap()
}

fn keys(value: &Value) -> Vec<&str> {
    value.as_object().unwrap().keys().map(String::as_str).collect()
}

#[test]
fn the_json_has_the_names_of_its_schema() {
    let report = json(&[]);
    let sorted = |mut names: Vec<&'static str>| {
        names.sort_unstable();
        names
    };
    assert_eq!(report["schema"], "westwood.compare/1");
    assert_eq!(keys(&report), sorted(vec!["schema", "version", "path", "runs", "summary"]));
    let run = &report["runs"][0];
    assert_eq!(
        keys(run),
        sorted(vec![
            "cc",
            "conduct",
            "recovery",
            "seed",
            "goodput_bps",
            "throughput_bps",
            "utilization",
            "retransmission_ratio",
            "fast_recoveries",
            "timeouts",
            "jain",
            "harm",
            "rtt_ms",
            "queue_delay_ms",
            "one_way_delay_ms",
            "queue_packets",
            "drops",
            "flows",
            "against_goodput_bps",
            "reverse_goodput_bps",
            "data_packets",
            "events",
            "sim_s",
            "wall_s",
        ])
    );
    assert_eq!(keys(&run["rtt_ms"]), sorted(vec!["min", "mean", "p50", "p95", "p99"]));
    assert_eq!(keys(&run["queue_packets"]), sorted(vec!["mean", "p95", "max"]));
    assert_eq!(keys(&run["drops"]), sorted(vec!["overflow", "aqm", "random"]));
    assert_eq!(keys(&run["flows"][0]), sorted(vec!["cc", "goodput_bps", "base_rtt_ms", "fct_ms"]));
}

#[test]
fn results_do_not_depend_on_the_number_of_jobs() {
    let results = |jobs| {
        let mut report = json(&["--jobs", jobs, "--flows", "2", "--reverse-flows", "1"]);
        for run in report["runs"].as_array_mut().unwrap() {
            run["wall_s"] = Value::Null;
        }
        report
    };
    assert_eq!(results("1"), results("3"));
}

#[test]
fn an_acks_cost_is_in_every_result_that_asks_for_it_and_changes_nothing_else() {
    let folder = Folder::new();
    let outputs = ["--json", "r.json", "--csv", "csv", "--html", "r.html", "--svg", "svg"];
    let run = |more: &[&'static str]| {
        let run = folder.run(&quick(&[&outputs, more].concat()));
        assert_eq!(run.code, Some(0), "{run:?}");
        let mut report: Value = serde_json::from_str(&folder.read("r.json")).unwrap();
        let mut costs = Vec::new();
        for run in report["runs"].as_array_mut().unwrap() {
            run["wall_s"] = Value::Null;
            let mut taken = |key| run.as_object_mut().unwrap().remove(key)?.as_f64();
            costs.push((taken("ack_cost_ns"), taken("ack_cost_cycles")));
        }
        for one in report["summary"]["contestants"].as_array_mut().unwrap() {
            for metric in ["ack_cost", "ack_cycles"] {
                one["means"].as_object_mut().unwrap().remove(metric);
            }
        }
        let shown = run.stdout.contains("ACK cost");
        let page = folder.read("r.html").contains("ACK cost");
        let table = folder.read("csv/runs.csv");
        let figure = folder.path().join("svg/ack_cost.svg").exists();
        (report, costs, table, [shown, page, figure])
    };
    let (without, none, table_without, shown) = run(&[]);
    assert_eq!((none, shown), (vec![(None, None); 4], [false; 3]));
    let (with, costs, table, shown) = run(&["--ack-cost", "on"]);
    assert_eq!((with, shown), (without, [true; 3]));
    assert!(costs.iter().all(|(ns, _)| ns.is_some_and(|ns| ns > 0.0)), "{costs:?}");
    let has_cycles = westwood_experiment::ack_cost::counts_cycles();
    assert!(costs.iter().all(|(_, n)| n.is_some() == has_cycles && n.is_none_or(|n| n > 0.0)));
    // A controller has one cost, and the table has it in two columns more.
    assert_eq!((costs[0], costs[2]), (costs[1], costs[3]));
    for (line, before) in table.lines().zip(table_without.lines()) {
        assert_eq!(line.rsplitn(3, ',').last().unwrap(), before);
    }
    let failed = folder.run(&quick(&["--ack-cost", "on", "--fail-if", "reno: ack_cost>0ns"]));
    assert_eq!(failed.code, Some(3), "{failed:?}");
}

/// Takes what `measure.delays` measures out of a run, and says how many results that were.
fn take_delays(value: &mut Value) -> usize {
    const OF_DELAYS: [&str; 5] =
        ["rtt_ms", "rtt_mean_ms", "queue_delay_ms", "one_way_delay_ms", "convergence_ms"];
    match value {
        Value::Object(fields) => {
            let mut taken = 0;
            for key in OF_DELAYS {
                taken += usize::from(fields.remove(key).is_some_and(|value| !value.is_null()));
            }
            fields.remove("wall_s");
            taken + fields.values_mut().map(take_delays).sum::<usize>()
        }
        Value::Array(values) => values.iter_mut().map(take_delays).sum(),
        _ => 0,
    }
}

#[test]
fn without_delays_every_other_result_is_the_same_and_a_warning_says_so() {
    let runs = |more: &[&'static str]| {
        let mut runs = json(&[&["--flows", "2"], more].concat())["runs"].take();
        let taken = take_delays(&mut runs);
        (runs, taken)
    };
    let ((with, measured), (without, none)) = (runs(&[]), runs(&["--delays", "off"]));
    assert_eq!((&with, none), (&without, 0));
    assert!(measured >= 4 * 3, "{measured}");
    let folder = Folder::new();
    let printed =
        |more: &[&'static str]| folder.run(&quick(more)).stdout.contains("Delays were not");
    assert!(printed(&["--delays", "off"]) && !printed(&[]));
}

#[test]
fn runs_come_by_controller_and_then_by_seed() {
    let report = json(&["--seed", "5"]);
    let runs = report["runs"].as_array().unwrap();
    let order: Vec<(&str, u64)> =
        runs.iter().map(|r| (r["cc"].as_str().unwrap(), r["seed"].as_u64().unwrap())).collect();
    assert_eq!(order, [("reno", 5), ("reno", 6), ("cubic", 5), ("cubic", 6)]);
}

#[test]
fn goodput_never_exceeds_the_link_and_headers_never_count() {
    let report =
        json(&["--loss", "none", "--header", "100", "--packet", "1400", "--buffer", "2bdp"]);
    for run in report["runs"].as_array().unwrap() {
        let goodput = run["goodput_bps"].as_f64().unwrap();
        let utilization = run["utilization"].as_f64().unwrap();
        // Up to one packet more may arrive than was sent within the 3.3 s.
        let packet = 1400.0 * 8.0 / 3.3;
        assert!(goodput <= 10e6 * 1400.0 / 1500.0 + packet, "{goodput}");
        assert!((0.5..=1.0).contains(&utilization), "{utilization}");
    }
}

#[test]
fn competing_and_reverse_flows_are_counted_apart() {
    let report = json(&["--against", "reno:2", "--reverse-flows", "1", "--reverse-cc", "cubic"]);
    let run = &report["runs"][0];
    assert_eq!(run["flows"].as_array().unwrap().len(), 3);
    assert!(run["against_goodput_bps"].as_f64().unwrap() > 0.0);
    assert!(run["reverse_goodput_bps"].as_f64().unwrap() > 0.0);
    assert!(json(&[])["runs"][0]["against_goodput_bps"].is_null());
}

#[test]
fn transfers_have_completion_times_and_end_the_run() {
    let report = json(&["--size", "100kB", "--loss", "none", "--like", "rfc"]);
    let run = &report["runs"][0];
    let fct_ms = run["flows"][0]["fct_ms"].as_f64().unwrap();
    // 67 packets of 1.2 ms, half a round trip to the receiver, and some round trips of slow start.
    assert!((130.0..1000.0).contains(&fct_ms), "{fct_ms}");
    assert!((run["sim_s"].as_f64().unwrap() * 1e3 - fct_ms).abs() < 1e-3);
}

#[test]
fn a_transfer_that_does_not_finish_makes_the_measurement_invalid() {
    let run = Folder::new().run(&quick(&["--size", "1GB", "--quiet"]));
    assert_eq!(run.code, Some(5));
    assert!(run.stderr.contains("raise time"));
}

#[test]
fn a_criterion_that_is_met_fails_with_its_own_code_and_names_the_controllers() {
    let run = Folder::new().run(&quick(&["--quiet", "--fail-if", "utilization<=100%"]));
    assert_eq!(run.code, Some(3));
    assert!(run.stderr.contains("reno") && run.stderr.contains("cubic"), "{}", run.stderr);
    assert_eq!(run.stderr.lines().count(), 1);
    let run = Folder::new().run(&quick(&["--quiet", "--flows", "2", "--fail-if", "jain<0.1"]));
    assert_eq!((run.code, run.stdout.as_str(), run.stderr.as_str()), (Some(0), "", ""));
}

#[test]
fn a_criterion_on_fairness_needs_several_flows_and_leaves_single_ones_out() {
    let folder = Folder::new();
    let one = folder.run(&quick(&["--fail-if", "jain<0.9"]));
    let why = "error: --fail-if: 'jain' needs several flows under test; raise flows\n";
    assert_eq!((one.code, one.stdout.as_str(), one.stderr.as_str()), (Some(2), "", why));
    let one = folder.run(&quick(&["--fail-if", "least_share<0.5"]));
    assert!(one.stderr.contains("'least_share' needs several flows; raise flows"), "{one:?}");
    let alone = folder.run(&quick(&["--flows", "2", "--fail-if", "least_competing_share<0.1"]));
    let why = "'least_competing_share' needs flows to compete against";
    assert!(alone.code == Some(2) && alone.stderr.contains(why), "{alone:?}");
    folder.write(
        "f.toml",
        "cc = \"reno\"\ntime = \"5 s\"\nseeds = 1\n[dumbbell]\nrate = \"5 Mbit/s\"\n\
         [sweep]\n\"dumbbell.flows\" = [1, 2]\n",
    );
    let swept = folder.run(&["run", "f.toml", "-q", "--fail-if", "jain<=1"]);
    assert_eq!(swept.code, Some(3), "{swept:?}");
    let named = |point: &str| swept.stderr.contains(point);
    assert!(named("flows=2 has jain") && !named("flows=1"), "{swept:?}");
}

#[cfg(target_os = "linux")]
#[test]
fn drafts_that_a_killed_process_left_are_removed_and_no_others() {
    let mut ended = std::process::Command::new("true").spawn().unwrap();
    let killed = ended.id();
    ended.wait().unwrap();
    let folder = Folder::new();
    let abandoned = [format!(".a.json.{killed}.part"), format!("p/.1-x.pcapng.{killed}.part")];
    let others = [
        format!(".a.json.{}.part", std::process::id()),
        format!(".b.json.{killed}.part"),
        ".a.json.part".to_owned(),
        format!("p/.notes.{killed}.part"),
    ];
    std::fs::create_dir(folder.path().join("p")).unwrap();
    abandoned.iter().chain(&others).for_each(|name| folder.write(name, "a half"));
    let files = ["--seeds", "1", "--json", "a.json", "--pcap", "p"];
    let run = folder.run(
        &["compare", "-q", "--cc", "reno", "--time", "2s"]
            .iter()
            .chain(&files)
            .copied()
            .collect::<Vec<_>>(),
    );
    assert_eq!(run.code, Some(0), "{run:?}");
    let is_there = |name: &String| folder.path().join(name).exists();
    assert!(!abandoned.iter().any(is_there), "{:?}", folder.names());
    assert!(others.iter().all(is_there), "{:?}", folder.names());
}

#[test]
fn one_packet_is_not_counted_as_several() {
    let run = Folder::new().run(&quick(&["--buffer", "1pkt"]));
    assert!(run.stdout.contains(", buffer 1 packet, "), "{}", run.stdout);
}

#[test]
fn one_run_is_not_counted_as_several() {
    let folder = Folder::new();
    let line = ["compare", "--cc", "reno", "--time", "2s", "--seeds", "1", "--size", "1GB"];
    let run = folder.run(&[&line[..], &["--json", "r.json"]].concat());
    assert!(run.stdout.contains("In the run not every transfer"), "{}", run.stdout);
    assert!(run.stderr.contains("in the run not every transfer"), "{}", run.stderr);
    let same = folder.run(&["diff", "r.json", "r.json"]).stdout;
    assert!(same.contains(" over 1 pair of runs."), "{same}");
    let dry = folder.run(&[&line[..], &["--dry-run"]].concat()).stdout;
    assert!(dry.contains("1 point x 1 seed = 1 run,"), "{dry}");
}

#[test]
fn negative_values_have_as_many_decimal_places_as_positive_ones() {
    let run = Folder::new().run(&quick(&["--against", "bbr:2", "--loss", "1%"]));
    let harms: Vec<f64> = run
        .stdout
        .split_whitespace()
        .filter(|word| word.starts_with('-') && word.len() > 1)
        .map(|word| {
            let places = word.split_once('.').map_or(0, |(_, places)| places.len());
            assert!(places < 2, "{word} in {}", run.stdout);
            word.parse().unwrap()
        })
        .collect();
    assert!(harms.len() == 2 && harms.iter().all(|harm| *harm <= -10.0), "{}", run.stdout);
}

#[test]
fn failed_runs_fill_no_screen_and_no_line_beyond_80_columns() {
    let folder = Folder::new();
    folder.write(
        "f.toml",
        "cc = [\"mine\", \"reno\"]\ntime = \"5 s\"\nseeds = 12\n\
         dumbbell = { rate = \"5 Mbit/s\" }\ncontrollers.mine.reduce = \"cwnd / 0\"\n",
    );
    let run = folder.run(&["run", "f.toml"]);
    assert_eq!(run.code, Some(1), "{run:?}");
    let widest = run.stdout.lines().map(|line| line.chars().count()).max();
    assert!(widest <= Some(80), "{}", run.stdout);
    assert!(run.stdout.contains("12 of 24 runs failed:\nmine, seed 1: "), "{}", run.stdout);
    assert!(run.stdout.contains("\nand 2 more.\n"), "{}", run.stdout);
    assert!(!run.stdout.contains("seed 11:"), "{}", run.stdout);
}

#[test]
fn a_path_that_loses_every_packet_is_said_to_and_more_time_is_not_advised() {
    for more in [&["--loss", "100%"][..], &["--loss", "100%", "--size", "30kB"]] {
        let run = Folder::new().run(&quick(more));
        let text = run.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(
            text.contains("The measured link lost every packet, so nothing is concluded."),
            "{text}"
        );
        assert!(text.contains("lost at random: nothing crosses that link, ever."), "{text}");
        assert!(!text.to_lowercase().contains("raise"), "{text}");
        assert!(!run.stderr.contains("raise"), "{}", run.stderr);
    }
}

#[test]
fn without_a_terminal_there_is_no_colour_no_progress_and_no_line_beyond_80_columns() {
    let run = Folder::new().run(&quick(&["--flows", "2", "--against", "reno:1"]));
    assert_eq!(run.code, Some(0));
    assert_eq!(run.stderr, "");
    assert!(!run.stdout.contains('\u{1b}'));
    let widest = run.stdout.lines().map(|l| l.chars().count()).max();
    assert!(widest <= Some(80), "{}", run.stdout);
    for part in ["reno", "cubic", "goodput", "Mbit/s", "cwnd", "±"] {
        assert!(run.stdout.contains(part), "{part} in {}", run.stdout);
    }
    assert!(!Folder::new().run(&["compare", "--help"]).stdout.contains('\u{1b}'));
}

#[test]
fn json_goes_to_a_file_while_the_table_goes_to_stdout() {
    let folder = Folder::new();
    let run = folder.run(&quick(&["--json", "out.json"]));
    assert!(run.stdout.contains("goodput"));
    assert_eq!(folder.names(), ["out.json"]);
    assert!(serde_json::from_str::<Value>(&folder.read("out.json")).is_ok());
}

#[test]
fn a_report_and_its_figures_are_written_and_change_no_number() {
    let folder = Folder::new();
    let without = folder.run(&quick(&["--json", "a.json", "--quiet"]));
    assert_eq!(without.code, Some(0), "{without:?}");
    let with =
        folder.run(&quick(&["--json", "b.json", "--quiet", "--html", "r.html", "--svg", "s"]));
    assert_eq!(with.code, Some(0), "{with:?}");
    let runs = |name: &str| {
        let mut report: Value = serde_json::from_str(&folder.read(name)).unwrap();
        for run in report["runs"].as_array_mut().unwrap() {
            // A drawn run takes other events than one that is only counted.
            (run["wall_s"], run["events"]) = (Value::Null, Value::Null);
        }
        report
    };
    assert_eq!(runs("a.json"), runs("b.json"));
    assert_eq!(folder.names(), ["a.json", "b.json", "r.html", "s"]);
    let page = folder.read("r.html");
    assert!(page.starts_with("<!DOCTYPE html>") && page.trim_end().ends_with("</html>"));
    let command = "westwood compare --cc reno,cubic --time 4s --seeds 2 --json b.json --quiet \
                   --html r.html --svg s";
    assert!(page.contains(command), "{page:.2000}");
    for name in ["path.svg", "goodput.svg", "cwnd_over_time.svg", "rtt_over_time.svg"] {
        assert!(folder.read(&format!("s/{name}")).contains("</svg>"), "{name}");
    }
    // Of the figures that this comparison does not have, nothing is left behind.
    let names = std::fs::read_dir(folder.path().join("s")).unwrap();
    let names: Vec<String> =
        names.map(|e| e.unwrap().file_name().to_string_lossy().into_owned()).collect();
    assert!(names.iter().all(|n| !n.starts_with('.')), "{names:?}");
    assert!(!names.contains(&"fct_mean.svg".to_owned()));
}

#[test]
fn csv_files_have_units_in_their_columns_and_as_many_fields_in_each_row() {
    let folder = Folder::new();
    let run = folder.run(&quick(&["--csv", "out", "--quiet"]));
    assert_eq!(run.code, Some(0), "{run:?}");
    for name in ["runs.csv", "flows.csv", "links.csv", "windows.csv", "queues.csv", "rtts.csv"] {
        let text = folder.read(&format!("out/{name}"));
        let mut lines = text.lines();
        let head = lines.next().unwrap();
        assert!(["_bps", "_s", "_ms", "_packets"].iter().any(|u| head.contains(u)), "{head}");
        let fields = head.split(',').count();
        assert!(text.lines().count() > 2, "{name}");
        if name != "windows.csv" {
            assert!(lines.all(|l| l.split(',').count() == fields), "{name}");
        }
    }
}

#[test]
fn recorded_capacity_replaces_the_rate() {
    let folder = Folder::new();
    let times: Vec<String> = (0..1000).map(|ms| ms.to_string()).collect();
    folder.write("down", &times.join("\n"));
    let run = folder.run(&quick(&["--trace", "down", "--json", "-", "--loss", "none"]));
    let report: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(report["path"]["trace_down"], "down");
    let rate = report["path"]["rate_bps"].as_f64().unwrap();
    assert!((11.9e6..12.1e6).contains(&rate), "{rate}");
    assert!(report["runs"][0]["goodput_bps"].as_f64().unwrap() > 1e6);
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_stderr_changes_neither_results_nor_exit_code() {
    let folder = Folder::new();
    let code = |line: &[&str]| {
        let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
        let output = folder.command(line).stderr(full).output().unwrap();
        output.status.code()
    };
    assert_eq!(code(&quick(&["--json", "r.json"])), Some(0));
    assert!(folder.read("r.json").contains("westwood.compare/1"));
    assert_eq!(code(&["compar"]), Some(2));
}

#[test]
fn a_reader_that_closes_early_is_no_error() {
    let folder = Folder::new();
    let mut child = folder
        .command(&["list", "controllers"])
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stderr.len()), (Some(0), 0));
}

#[cfg(unix)]
/// True once the process has a handler for SIGINT: its bit among the signals caught is set.
fn catches_interrupts(pid: u32) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).unwrap_or("0");
    u64::from_str_radix(caught.trim(), 16).unwrap() & (1 << 1) != 0
}

#[test]
fn an_interrupt_ends_with_130_and_leaves_no_file() {
    let folder = Folder::new();
    let long = [
        "compare", "--time", "1440min", "--seeds", "1", "--cc", "reno", "--json", "o.json",
        "--csv", "out",
    ];
    let child = folder
        .command(&long)
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    while !catches_interrupts(child.id()) {
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    let kill = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(kill.unwrap().success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    assert_eq!(folder.names(), Vec::<String>::new());
}

#[test]
fn everything_there_is_can_be_listed_and_used() {
    let folder = Folder::new();
    let run = folder.run(&["list", "--json"]);
    let all: Value = serde_json::from_str(&run.stdout).unwrap();
    for controller in all["controllers"].as_array().unwrap() {
        let name = controller["name"].as_str().unwrap();
        let run = folder.run(&["compare", "--cc", name, "--time", "2s", "--seeds", "1", "--quiet"]);
        assert_eq!(run.code, Some(0), "{name}: {}", run.stderr);
    }
    for (flag, kind) in [("--aqm", "queues"), ("--loss", "losses")] {
        for entry in all[kind].as_array().unwrap() {
            let example = entry["example"].as_str().unwrap();
            let line = [
                "compare", "--cc", "reno", "--time", "2s", "--seeds", "1", "--quiet", flag, example,
            ];
            assert_eq!(folder.run(&line).code, Some(0), "{example}");
        }
    }
    for recovery in all["recoveries"].as_array().unwrap() {
        let name = recovery["name"].as_str().unwrap();
        let line = [
            "compare",
            "--cc",
            "reno",
            "--time",
            "2s",
            "--seeds",
            "1",
            "--quiet",
            "--recovery",
            name,
        ];
        assert_eq!(folder.run(&line).code, Some(0), "{name}");
    }
}

#[test]
fn names_without_a_plus_are_accepted() {
    let all = [
        "compare",
        "--cc",
        "westwood-plus,log-westwood",
        "--time",
        "2s",
        "--seeds",
        "1",
        "--json",
        "-",
    ];
    let run = Folder::new().run(&all);
    let report: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(report["path"]["cc"], serde_json::json!(["westwood+", "log-westwood+"]));
}

#[test]
fn the_manual_knows_the_flags() {
    let folder = Folder::new();
    assert!(folder.run(&["man", "compare"]).stdout.contains("megabits"));
    assert!(folder.run(&["man"]).stdout.starts_with(".ie"));
    let help = folder.run(&["--help"]).stdout;
    assert!(help.contains("Examples:") && help.contains("130"), "{help}");
}

#[test]
fn times_in_the_head_are_rounded() {
    let line = ["compare", "--cc", "reno", "--time", "10001ms", "--seeds", "1"];
    let text = Folder::new().run(&line).stdout;
    let words = text.split_whitespace().collect::<Vec<&str>>().join(" ");
    assert!(words.contains("; 7.501 s after 2.5 s of warm-up"), "{text}");
}

#[test]
fn messages_and_sums_fit_the_width_that_is_given() {
    let folder = Folder::new();
    folder.write("f.toml", "cc = \"reno\"\n[dumbbell]\n");
    let printed = |line: &[&str], width: Option<&str>| {
        let mut command = folder.command(line);
        width.map(|width| command.env("COLUMNS", width));
        let output = command.output().unwrap();
        (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap())
    };
    let fits = |text: &str, width| text.lines().all(|line| line.chars().count() <= width);
    for line in [
        &["show", "nosuch"][..],
        &["formula", "nosuch"],
        &["compare", "--cc", "nosuch"],
        &["run", "f.toml", "--set", "dumbbell.nosuch=1"],
    ] {
        let (_, one) = printed(line, None);
        assert!(one.contains("lists all") && one.len() < 280, "{one}");
        let (_, wrapped) = printed(line, Some("60"));
        assert!(fits(&wrapped, 60), "{wrapped}");
        let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(words(&wrapped), words(&one));
    }
    for line in [
        &["formula"][..],
        &["formula", "floyd", "rate=10Gbit/s", "rtt=100ms", "size=1500B"],
        &["formula", "log_westwood", "p=1%", "target=1800", "a=2", "rtt=100ms", "tq=20ms"],
        &["run", "f.toml", "--dry-run"],
    ] {
        let (text, _) = printed(line, None);
        assert!(!text.is_empty() && fits(&text, 80), "{text}");
    }
}

/// The rows of the table of a comparison, whatever the width.
fn rows(text: &str) -> Vec<&str> {
    let table = text.lines().skip_while(|line| !line.starts_with("controller")).skip(2);
    table.take_while(|line| line.starts_with(['r', 'b', 'w', 'c'])).collect()
}

#[test]
fn signs_are_explained_where_they_are_shown_and_intervals_end_at_zero() {
    let folder = Folder::new();
    let line = ["compare", "--cc", "reno,bbr", "--time", "8s", "--seeds", "3", "--loss", "1%"];
    let (mut starred, mut bare, mut cut) = (0, 0, 0);
    for width in (30..200).step_by(10) {
        let output = folder.command(&line).env("COLUMNS", width.to_string()).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let rows = rows(&text);
        assert_eq!(rows.len(), 2, "{text}");
        let has = |sign: char| rows.iter().any(|row| row.contains(sign));
        let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(has('*'), words.contains("* clearly better"), "{text}");
        assert_eq!(has('≤') || has('≥'), words.contains("≤ and ≥ give"), "{text}");
        (starred, bare) = if has('*') { (starred + 1, bare) } else { (starred, bare + 1) };
        cut += usize::from(has('≤'));
        for row in rows {
            let words: Vec<&str> = row.split_whitespace().collect();
            for pair in words.windows(2) {
                let half = pair[1].strip_prefix('±').map(|half| half.trim_end_matches('*'));
                let Some(Ok(half)) = half.map(str::parse::<f64>) else { continue };
                let mean: f64 = pair[0].parse().unwrap();
                // Each number is rounded by itself.
                assert!(mean - half > -0.011, "{row}");
            }
        }
    }
    assert!(starred > 0 && cut > 0, "{starred} {bare} {cut}");
}
