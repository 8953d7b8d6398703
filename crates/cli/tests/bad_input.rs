//! Every wrong value gets one clear line, exit code 2, and nothing else happens.

mod support;

use support::Folder;

/// Flags of `westwood compare`, and a part of the message.
const WRONG_FLAGS: &[(&[&str], &str)] = &[
    // Rates.
    (&["--rate", "10"], "--rate: '10' has no unit; write 10Mbit/s or 10kbit/s"),
    (&["--rate", "10000000"], "--rate: '10000000' has no unit; write 10000000bit/s"),
    (&["--rate", ""], "--rate: the value is empty"),
    (&["--rate", "fast"], "--rate: 'fast' does not begin with a number; write 10Mbit/s"),
    (
        &["--rtt", "1e400ms"],
        "--rtt: '1e400' has too large an exponent; write a value from 1us to 10s",
    ),
    (&["--rate", "-5M"], "--rate: '-5' is negative; write a value from 1kbit/s to 400Gbit/s"),
    (&["--rate", "10Mbots"], "unknown unit 'Mbots'"),
    (&["--rate", "10MBPS"], "unknown unit 'MBPS'"),
    (&["--rate", "10ms"], "unknown unit 'ms'"),
    (
        &["--rate", "0Mbit/s"],
        "--rate: '0Mbit/s' is out of range; write a value from 1kbit/s to 400Gbit/s",
    ),
    (&["--rate", "1Tbit/s"], "out of range"),
    (&["--rate", "1e40Gbit/s"], "is too large; write a value from 1kbit/s to 400Gbit/s"),
    (&["--rate", "1..5M"], "is not a number"),
    (&["--rate", "1,5Mbit/s"], "unknown unit ',5Mbit/s'"),
    (&["--rate", "inf"], "does not begin with a number"),
    (&["--rate", "10M\nbit/s"], "unknown unit"),
    (&["--rate"], "--rate: a value is missing"),
    (&["--rate", "1M", "--rate", "2M"], "--rate: is given twice"),
    (&["--rate", "1M", "--trace", "t"], "--trace: cannot be used together with --rate"),
    (&["--return-rate", "5"], "--return-rate: '5' has no unit"),
    (&["--access-rate", "5Tbit/s"], "--access-rate"),
    // Durations.
    (&["--rtt", "100"], "--rtt: '100' has no unit; write 100ms"),
    (&["--time", "0"], "--time: '0' has no unit; write a value from 1ms to 86400s"),
    (&["--size", "0"], "--size: '0' has no unit; write a value from 1B to 1048576GiB"),
    (&["--rtt", "0ms"], "out of range; write a value from 1us to 10s"),
    (&["--rtt", "11s"], "out of range"),
    (&["--rtt", "100msec"], "unknown unit 'msec'"),
    (&["--rtt", "0.1ns"], "shorter than 1 ns; write a value from 1us to 10s"),
    (&["--rtt-spread", "-1ms-5ms"], "is negative; write a value from 1us to 10s"),
    (&["--rtt", "10ms", "--rtt-spread", "1ms-2ms"], "cannot be used together"),
    (&["--rtt-spread", "20ms"], "--rtt-spread: '20ms' is not MIN-MAX; write 20ms-250ms"),
    (&["--rtt-spread", "20-250ms"], "'20' has no unit"),
    (&["--rtt-spread", "250ms-20ms"], "write the smaller one first"),
    (&["--time", "1e9s"], "--time: '1e9s' is out of range; write a value from 1ms to 86400s"),
    (&["--time", "-1s"], "--time: '-1' is negative; write a value from 1ms to 86400s"),
    (&["--time", "1e30s"], "--time: '1e30s' is too large; write a value from 1ms to 86400s"),
    (&["--time", "30"], "has no unit"),
    (&["--time", "0s"], "out of range"),
    (&["--warmup", "5"], "--warmup: '5' has no unit"),
    (&["--warmup", "60s"], "--warmup: the warm-up of 60 s is not shorter than the time of 60 s"),
    (&["--min-rto", "0s"], "--min-rto"),
    (&["--min-rto", "2min"], "from 1ms to 60s"),
    // The transport.
    (&["--like", "ns3"], "--like: unknown preset 'ns3'; there are ns-2, rfc, linux and linux-6.18"),
    (&["--like", "ns2"], "--like: unknown preset 'ns2'; did you mean 'ns-2'?"),
    (&["--like", "linux", "--packet", "0"], "--packet: '0' is out of range"),
    (
        &["--sack-block", "1001"],
        "--sack-block: '1001' is out of range; write a value from 0B to 1000B",
    ),
    (&["--initial-ssthresh", "0"], "--initial-ssthresh: '0' is out of range"),
    (&["--receive-window", "all"], "--receive-window"),
    (
        &["--receive-growth", "20000000"],
        "--receive-growth: '20000000' is out of range; write a value from 0 to 16777216",
    ),
    (
        &["--initial-rto", "0s"],
        "--initial-rto: '0s' is out of range; write a value from 1ms to 600s",
    ),
    (
        &["--max-rto", "1ms"],
        "--max-rto: 1 ms is below the smallest timeout of 200 ms; raise max_rto or lower min_rto",
    ),
    (&["--rto-tick", "2s"], "--rto-tick: '2s' is out of range; write a value from 0s to 1s"),
    (&["--timestamps", "often"], "--timestamps"),
    (&["--handshake", "maybe"], "--handshake"),
    (&["--buffer-in-service", ""], "--buffer-in-service"),
    (&["--wake-up", "2ms"], "--wake-up: '2ms' is out of range; write a value from 0s to 1ms"),
    // Buffers and queues.
    (&["--buffer", "83"], "--buffer: '83' has no unit; write 83pkt, 83kB, 83ms or 83bdp"),
    (&["--buffer", "1.5pkt"], "is not a whole number of packets"),
    (&["--buffer", "1e9pkt"], "more than 16777216 packets"),
    (&["--buffer", "100B"], "--buffer: 100 B is less than a packet of 1500 B"),
    (&["--buffer", "5parsecs"], "unknown unit 'parsecs'"),
    (&["--aqm", "codle"], "--aqm: unknown queue 'codle'; did you mean 'codel'?"),
    (&["--aqm", "red(min=20,max=10)"], "'max' must be above 'min'"),
    (&["--aqm", "red(minimum=20)"], "red: has no parameter 'minimum'; did you mean 'min'?"),
    (&["--aqm", "codel(target=1s)"], "'target' must not exceed 'interval'"),
    (&["--aqm", "fq_codel(flows=0)"], "write a value from 1 to 65536"),
    (&["--aqm", "red", "--buffer", "0pkt"], "must be above 'min'"),
    // Losses.
    (&["--loss", "5"], "--loss: '5' is more than 100 %; write 5% or 0.05"),
    (&["--loss", "101%"], "more than 100 %"),
    (&["--loss", "-1%"], "is negative; write a value from 0% to 100%"),
    (&["--loss", ""], "the value is empty"),
    (&["--loss", "gilbret(good=1s,bad=1s,p=1%)"], "did you mean 'gilbert'?"),
    (&["--loss", "markov(good=8s,bad=4s)"], "markov: 'p' is missing"),
    (&["--loss", "markov(good=8,bad=4s,p=5%)"], "markov: good: '8' has no unit"),
    (&["--loss", "outage(every=1s,for=2s)"], "'for' must be shorter than 'every'"),
    (&["--loss", "ber(1e-6"], "does not end with ')'"),
    (&["--loss-both", "ber"], "--loss-both: ber: 'p' is missing"),
    (&["--loss", "1%,"], "has an empty entry"),
    // Controllers and flows.
    (&["--cc", "westwod"], "--cc: unknown controller 'westwod'; did you mean 'westwood'?"),
    (&["--cc", "tachyon"], " more; westwood list controllers lists all"),
    (&["--cc", "westwood(tau=-1ms)"], "westwood: tau: '-1' is negative; write a value from "),
    (&["--cc", ""], "no controller is given"),
    (&["--cc", "reno,,cubic"], "has an empty entry"),
    (&["--cc", "reno,reno"], "'reno' is given twice"),
    (&["--cc", "reno(keep=2)"], "reno: keep: '2' is out of range; write a value from 0.1 to 0.99"),
    (&["--cc", "reno(keeep=0.5)"], "did you mean 'keep'?"),
    (&["--cc", "reno(keep=0.5"], "does not end with ')'"),
    (
        &["--cc", "reno(pacing=perhaps)"],
        "reno: pacing: 'perhaps' is no pacing; write on, off or fq",
    ),
    (&["--recovery", "sock"], "--recovery: unknown recovery 'sock'; did you mean 'sack'?"),
    (&["--flows", "0"], "--flows: '0' is out of range; write a value from 1 to 10000"),
    (&["--flows", "1e3"], "is not a whole number"),
    (&["--flows", "10001"], "out of range"),
    (&["--flows", "9999", "--reverse-flows", "2"], "--flows: 10001 flows in all"),
    (&["--against", "reno"], "--against: 'reno' is not CC:N; write reno:1"),
    (&["--against", "renu:1"], "did you mean 'reno'?"),
    (&["--against", "reno:0"], "out of range"),
    (&["--reverse-flows", "-1"], "is not a whole number"),
    (&["--reverse-cc", "reno"], "--reverse-cc: there are no reverse flows"),
    (&["--size", "10"], "--size: '10' has no unit; write 10kB or 10MB"),
    (&["--size", "0kB"], "out of range"),
    (&["--packet", "0"], "--packet: '0' is out of range; write a value from 1B to 65535B"),
    (&["--packet", "1500b"], "unknown unit 'b'"),
    (&["--header", "1MB"], "--header"),
    (&["--ack", "0"], "--ack"),
    (&["--delayed-ack", "maybe"], "--delayed-ack: 'maybe' is neither on nor off"),
    (&["--initial-window", "0"], "--initial-window"),
    // Measuring.
    (&["--seed", "-1"], "is not a whole number"),
    (&["--seed", "18446744073709551615", "--seeds", "2"], "--seed"),
    (&["--seeds", "0"], "--seeds"),
    (&["--seeds", "1000000"], "from 1 to 10000"),
    (&["--jobs", "0"], "--jobs"),
    (&["--rate", "400Gbit/s"], "at most 20000 million are allowed"),
    (
        &[
            "--rate", "1kbit/s", "--time", "1440min", "--seeds", "10000", "--rtt", "1us",
            "--packet", "1", "--header", "0",
        ],
        "runs would send about",
    ),
    (
        &[
            "--rate",
            "400Gbit/s",
            "--rtt",
            "10s",
            "--time",
            "4s",
            "--seeds",
            "1",
            "--cc",
            "reno",
            "--buffer",
            "9pkt",
        ],
        "MiB of memory; at most",
    ),
    (&["--rate", "10", "--rtt", "5"], "--rtt: '5' has no unit"),
    // Flags that can have no effect.
    (&["--like", "rfc", "--receive-growth", "9"], "--receive-growth: only receivers of"),
    (&["--rtt-spread", "10ms-50ms"], "--rtt-spread: a single flow has one round-trip time"),
    // Criteria and outputs.
    (&["--fail-if", "jain"], "--fail-if: 'jain' has neither '<' nor '>'"),
    (&["--fail-if", "jian<0.9"], "unknown quantity 'jian'; did you mean 'jain'?"),
    (&["--fail-if", "goodput<5"], "goodput: '5' has no unit"),
    (&["--fail-if", "fct_mean>1s"], "'fct_mean' needs a size to transfer"),
    (&["--fail-if", "against_goodput<1M"], "needs flows to compete against"),
    (&["--fail-if", "harm>5%"], "'harm' needs flows to compete against"),
    (
        &["--prefer", "fairness"],
        "--prefer: 'fairness' needs several flows that last, or flows to compete",
    ),
    (&["--prefer", "delay", "--delays", "off"], "--prefer: 'delay' needs measure.delays"),
    (&["--practical", "200%"], "--practical: '200%' is out of range; write a value from 0% to 99%"),
    (&["--fail-if", "solo_harm_rate>1%"], "needs flows to compete against"),
    (&["--fail-if", "frame_delay_p95>1s"], "'frame_delay_p95' needs a media flow"),
    (&["--fail-if", "convergence>1s"], "'convergence' needs several flows that last"),
    (&["--fail-if", "recovery>1s"], "'recovery' needs flows that last, and a link that changes"),
    (&["--fail-if", "ack_cost>1us"], "'ack_cost' needs measure.ack_cost"),
    (&["--delays", "off", "--fail-if", "rtt_p95>1s"], "'rtt_p95' needs measure.delays"),
    (&["--ack-cost", "on", "--on", "linux"], "leave out ack_cost, or --on linux"),
    (&["--json", ""], "--json: names no file"),
    (&["--json", "no/such/folder/x.json"], "is in a folder that does not exist"),
    (&["--json", "."], "is a directory"),
    (&["--json", "new/"], "--json: 'new/' names a directory; name a file"),
    (
        &["--json", "x", "--csv", "x"],
        "--csv: 'x' is named twice; give each output a place of its own",
    ),
    (
        &["--json", "x", "--out", "x"],
        "--out: 'x' is named twice; give each output a place of its own",
    ),
    (&["--csv", "a-file"], "--csv: 'a-file' is a file; name a folder"),
    (&["--csv", "no/such/folder"], "is in a folder that does not exist"),
    (&["--json", "a-file/x.json"], "--json: 'a-file/x.json' is below 'a-file', a file"),
    (&["--html", "a-file/b/x.html"], "--html: 'a-file/b/x.html' is below 'a-file', a file"),
    (&["--csv", "a-file/x"], "--csv: 'a-file/x' is below 'a-file', a file"),
    (&["--out", "a-file/x"], "--out: 'a-file/x' is below 'a-file', a file"),
    (&["--pcap", "a-file/x"], "--pcap: 'a-file/x' is below 'a-file', a file"),
    (&["--csv", "-"], "'-' is no folder"),
    (&["--html", ""], "--html: names no file; write FILE"),
    (&["--html", "-"], "--html: '-' is no file"),
    (&["--html", "."], "--html: '.' is a directory"),
    (&["--html", "no/such/folder/x.html"], "is in a folder that does not exist"),
    (&["--play", "-"], "--play: '-' is no file"),
    (&["--play", "."], "--play: '.' is a directory"),
    (&["--svg", "-"], "--svg: '-' is no folder"),
    (&["--svg", "a-file"], "--svg: 'a-file' is a file; name a folder"),
    (&["--svg", "no/such/folder"], "--svg: 'no/such/folder' is in a folder"),
    (&["--svg", "figures", "--html", "no/such/folder/x.html"], "--html"),
    // Traces.
    (&["--trace", "missing.down"], "--trace: 'missing.down': No such file"),
    (&["--trace", "a-file"], "line 1 is not a whole number of milliseconds"),
    (&["--trace", "empty"], "the trace has no line"),
    (&["--trace", "a,b,c"], "is not DOWN[,UP]"),
    (&["--trace", "good", "--buffer", "0pkt"], "so none would pass"),
    (
        &["--trace", "good,good", "--return-rate", "1M"],
        "--return-rate: cannot be used together with --trace",
    ),
    // The command line itself.
    (&["--rat", "10M"], "there is no argument '--rat'; did you mean --rate?"),
    (&["--iw", "10"], "there is no argument '--iw'; see westwood compare --help"),
    (&["--set", "cc=reno"], "there is no argument '--set'; see westwood compare --help"),
    (&["geo.toml"], "there is no argument 'geo.toml'; write westwood run geo.toml"),
    (&["extra"], "there is no argument 'extra'"),
    (&["--rate", "10", "Mbit/s"], "'Mbit/s'; a value with a space in it needs quotes"),
    (&["--quiet=yes"], "--quiet"),
];

/// Whole command lines, and a part of the message.
const WRONG_COMMANDS: &[(&[&str], &str)] = &[
    (&[], "no command is given"),
    (&["trace"], "westwood trace needs a command; write one of "),
    (&["kernel"], "westwood kernel needs a command; write one of "),
    (&["diff"], "<OLD> is missing; see westwood diff --help"),
    (&["kernel", "unload"], "<NAME|--all> is missing; see westwood kernel unload --help"),
    (&["run", "satellite-geo", "--resume"], "--resume: needs --out; see westwood run --help"),
    (&["run", "satellite-geo", "--shard=1/2"], "--shard: needs --out; see westwood run --help"),
    (&["measure", "--server", "h", "--cc", "reno", "--resume"], "--resume: needs --out"),
    (&["compare", "--pcap-points", "all"], "--pcap-points: needs --pcap"),
    (&["compare", "--pcap-seeds", "all"], "--pcap-seeds: needs --pcap"),
    (&["compare", "--pcap-snaplen", "80"], "--pcap-snaplen: needs --pcap"),
    (&["evaluate", "rfc9743", "--cc", "reno", "--play", "p.html"], "--play: needs --html"),
    (
        &["run", "satellite-geo", "--seed", "1", "--set", "seed=2"],
        "--seed: cannot be used together with --set seed",
    ),
    (&["schema", "--markdown", "--results"], "--markdown: cannot be used together with --results"),
    (&["schema", "--criteria", "--results"], "--criteria: cannot be used together with --results"),
    (&["man", "--out", "x", "--markdown"], "--out: cannot be used together with --markdown"),
    (&["reproduce", "--fresh", "--kept"], "--fresh: cannot be used together with --kept"),
    (&["reproduce", "--fresh", "--cache", "x"], "--fresh: cannot be used together with --cache"),
    (
        &["evaluate", "rfc9743", "--cc", "reno", "--write", "x"],
        "--cc: cannot be used together with --write",
    ),
    (
        &["evaluate", "rfc9743", "--write", "x", "--criteria", "y"],
        "--write: cannot be used together with --criteria",
    ),
    (&["compare", "--json", "x.json", "--html", "x.json"], "'x.json' is named twice"),
    (&["formula", "reno", "p=1%", "p=2%", "rtt=1s"], "p: is given twice"),
    (&["formula", "floyd", "rate=10", "rtt=1s", "size=1500B"], "rate: '10' has no unit"),
    (&["compar"], "unknown command 'compar'; did you mean 'compare'?"),
    (&["trace", "leo"], "unknown command 'leo'; there are import and generate"),
    (&["trace", "help"], "unknown command 'help'; see westwood trace --help"),
    (&["help", "run"], "unknown command 'help'; see westwood --help"),
    (&["emulate", "true"], "<COMMAND> is missing; write it behind --, as in westwood emulate -- "),
    (
        &["emulate", "ping", "-c", "3"],
        "no argument '-c'; write a command and its arguments behind --",
    ),
    (&["emulate", "--duration", "3s", "--", "true"], "'--duration'; see westwood emulate --help"),
    (&["run", "satellite-geo", "--cc", "bbr"], "'--cc'; --set changes a setting, as in --set cc="),
    (&["run", "-"], "'-' is no file; write FILE or /dev/stdin"),
    (&["compare", "--html", "-"], "--html: '-' is no file; write FILE or /dev/stdout"),
    (&["list", "queue"], "did you mean 'queues'?"),
    (
        &["list", "everything"],
        "there are controllers, recoveries, queues, losses, presets, scenarios and claims",
    ),
    (&["completions"], "is missing"),
    (&["completions", "tcsh"], "there are bash"),
    (
        &["trace", "import", "good", "--profile", "a,b,c,d"],
        "write --format errant, or leave out --profile",
    ),
    (&["man", "nothing"], " more; westwood --help lists all"),
    (&["man", "--out", "a-file"], "--out: 'a-file' is a file; name a folder"),
];

#[test]
fn every_wrong_value_is_refused_in_a_line_of_its_own_before_anything_happens() {
    assert!(WRONG_FLAGS.len() + WRONG_COMMANDS.len() >= 60);
    let flags = WRONG_FLAGS.iter().map(|(flags, part)| {
        (["compare"].iter().chain(*flags).copied().collect::<Vec<_>>(), *part)
    });
    let commands = WRONG_COMMANDS.iter().map(|(line, part)| (line.to_vec(), *part));
    let wrong: Vec<String> =
        flags.chain(commands).filter_map(|(line, part)| complaint(&line, part)).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The fault in the refusal of a command line.
fn complaint(line: &[&str], part: &str) -> Option<String> {
    let folder = Folder::new();
    folder.write("a-file", "not a trace\n");
    folder.write("empty", "");
    folder.write("good", "0\n1\n2\n");
    let before = folder.names();
    let run = folder.run(line);
    let refused = run.code == Some(2)
        && run.stdout.is_empty()
        && run.stderr.starts_with("error: ")
        && run.stderr.lines().all(|line| line.starts_with("error: "))
        && run.stderr.contains(part)
        && folder.names() == before;
    (!refused).then(|| format!("{line:?}: {part:?} in {run:?}"))
}

#[cfg(target_os = "linux")]
#[test]
fn a_file_without_an_end_is_refused_and_so_are_folders_and_bytes_that_are_no_text() {
    let folder = Folder::new();
    std::fs::create_dir(folder.path().join("dir")).unwrap();
    std::fs::write(folder.path().join("bytes"), b"0\n1\n\xff\n").unwrap();
    for (file, part) in [
        ("/dev/zero", "line 1 has a zero byte"),
        ("dir", "it is a folder"),
        ("bytes", "line 3 is not UTF-8"),
        ("none", "No such file"),
    ] {
        for line in [
            &["run", file, "-q"][..],
            &["compare", "--trace", file, "-q"],
            &["trace", "import", file],
            &["run", "satellite-geo", "-q", "--fail-if-worse-than", file],
        ] {
            let run = folder.run(line);
            let named = run.stderr.contains(file) || line.contains(&"satellite-geo");
            assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{line:?}: {run:?}");
            assert!(named && run.stderr.lines().count() == 1, "{line:?}: {run:?}");
            let is_result = file == "dir" && line.contains(&"satellite-geo");
            assert!(is_result || run.stderr.contains(part) || file == "none", "{line:?}: {run:?}");
        }
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_scenario_from_a_pipe_without_an_end_takes_little_memory() {
    let folder = Folder::new();
    let shell = "ulimit -v 1000000; yes '# more' | \"$WESTWOOD\" run /dev/stdin -q";
    let mut command = std::process::Command::new("sh");
    command.args(["-c", shell]).current_dir(folder.path());
    let run = support::Run::from(
        command.env("WESTWOOD", env!("CARGO_BIN_EXE_westwood")).output().unwrap(),
    );
    assert_eq!(run.code, Some(2), "{run:?}");
    let part = "'/dev/stdin' cannot be read: it has more than 1048576 bytes";
    assert!(run.stderr.contains(part), "{run:?}");
}

#[cfg(unix)]
#[test]
fn an_argument_that_is_no_text_is_named() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;

    let folder = Folder::new();
    let mut command = folder.command(&["run"]);
    let output = command.arg(OsStr::from_bytes(b"f\xff.toml")).output().unwrap();
    let run = support::Run::from(output);
    assert_eq!(run.code, Some(2), "{run:?}");
    assert_eq!(run.stderr, "error: the argument 'f\u{fffd}.toml' is not UTF-8; rename the file\n");
}

#[cfg(target_os = "linux")]
#[test]
fn an_output_that_the_system_refuses_is_the_environments_fault_whatever_its_flag() {
    let quick = ["compare", "--cc", "reno", "--time", "1s", "--seeds", "1", "-q"];
    for flag in ["--out", "--json", "--html", "--csv", "--svg", "--pcap", "--write-scenario"] {
        let run = Folder::new().run(&[&quick[..], &[flag, "/proc/none"]].concat());
        assert_eq!(run.code, Some(4), "{run:?}");
        let part = format!("{flag}: '/proc/none' cannot be written");
        assert!(run.stderr.contains(&part), "{run:?}");
        assert!(!run.stderr.contains("make room"), "{run:?}");
    }
}
