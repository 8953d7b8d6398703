//! Every command line of README.md and docs/ runs.
//!
//! A code block is run line by line in a folder of its own, since later lines use what earlier ones
//! write. The lines run as printed, but for the replacements of `shortened` (times, seeds), and for
//! names of things that only a reader has, for which `STAND_INS` has substitutes. Blocks that show
//! what is printed are `printed.rs`'s.

#[path = "../../emu/tests/support/judged.rs"]
mod judged;
mod support;
#[path = "../../kernel/tests/common/turn.rs"]
mod turn;

use std::io::Write as _;
use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::sync::Mutex;

use clap::CommandFactory as _;
use judged::skipped;
use support::{Folder, pages, paths_can_be_emulated, root};
use westwood_cli::args::Westwood;

/// Substitutes for things that only a reader has.
const STAND_INS: [(&str, &str); 9] = [
    ("--server host.example", "--server 127.0.0.1 --port $PORT"),
    ("--server 10.78.0.2", "--server 127.0.0.1 --port $PORT"),
    // The folder of a line has no folders.
    ("--markdown docs/evidence/", "--markdown "),
    (" --criteria mine", ""),
    (" --criteria rfc9743", ""),
    ("-o FILE", "-o calls"),
    ("verify FILE", "verify calls"),
    // Long measurements.
    ("--size 32MB --repeat 50", "--size 100kB --repeat 1 --pause 0s"),
    ("--repeat 4 --pause 200ms", "--repeat 1 --pause 0s"),
];

/// Lines that are run elsewhere or cannot be.
const NOT_HERE: [(&str, &str); 2] = [
    ("gaimd", "a controller that the page adds: scripts/worked-example runs it"),
    ("dual", "the other one"),
];

/// The time for which ready scenarios are simulated here.
const SCENARIOS: [(&str, &str); 6] = [
    ("call.toml", "--set time=10s --seeds 1"),
    ("pep.toml", "--set time=25s --seeds 1"),
    ("mine.toml", "--set time=10s --set warmup=5s --seeds 1"),
    ("tcpeval-delay-throughput", "--set time=6s --seeds 1"),
    ("satellite-leo", "--set time=31s --seeds 1"),
    ("sweep.toml", "--seeds 1"),
];

/// A command line of a page.
#[derive(Clone, Debug)]
struct Line {
    place: String,
    /// As it is printed, its parts joined.
    text: String,
    /// Behind `#`.
    comment: String,
}

/// The lines of one code block.
#[derive(Clone, Debug, Default)]
struct Block {
    lines: Vec<Line>,
    /// Its kind is `console`: `printed.rs` runs it, and holds it to what it prints.
    printed: bool,
}

/// The blocks of a page that have command lines.
fn blocks(page: &Path) -> Vec<Block> {
    let name = page.file_name().unwrap().to_string_lossy().into_owned();
    let text = std::fs::read_to_string(page).unwrap();
    let mut blocks = Vec::new();
    let mut block: Option<Block> = None;
    let mut lines = (1..).zip(text.lines());
    while let Some((number, line)) = lines.next() {
        if block.is_none() && line.trim() == "```text" {
            // `--help`, whose examples name files that only a reader has.
            while lines.next().is_some_and(|(_, line)| line.trim() != "```") {}
            continue;
        }
        if line.trim_start().starts_with("```") {
            if let Some(block) = block.take() {
                blocks.push(block);
            } else {
                let printed = line.trim() == "```console";
                block = Some(Block { lines: Vec::new(), printed });
            }
            continue;
        }
        let Some(block) = &mut block else { continue };
        let mut whole = line.trim().trim_start_matches("$ ").to_owned();
        while let Some(begun) = whole.strip_suffix('\\') {
            let next = lines.next().map_or("", |(_, next)| next.trim());
            whole = format!("{} {next}", begun.trim_end());
        }
        if is_command(&whole) {
            let (text, comment) = whole.split_once(" # ").unwrap_or((&whole, ""));
            block.lines.push(Line {
                place: format!("{name}:{number}"),
                text: text.trim().to_owned(),
                comment: comment.to_owned(),
            });
        }
    }
    blocks.retain(|block: &Block| !block.lines.is_empty());
    blocks
}

/// True for `westwood run x`, and false for a row of a table or a sentence about `westwood`.
fn is_command(line: &str) -> bool {
    let mut words = line.split(' ');
    let known =
        |word: &str| word.starts_with("--") || Westwood::command().find_subcommand(word).is_some();
    words.next() == Some("westwood") && words.next().is_some_and(known)
}

/// A follow-up line in full: for `...` stand the flags of the last full line, without those that the
/// comment says it is `instead of`.
fn in_full(line: &Line, last: &str) -> String {
    let Some((head, tail)) = line.text.split_once(" ... ") else {
        return line.text.clone();
    };
    let mut flags =
        last.strip_prefix(head).unwrap_or_else(|| panic!("{}: {last}", line.place)).to_owned();
    let gone = line.comment.split_once("instead of ").map_or("", |(_, gone)| gone);
    for flag in gone.split([' ', ',', ':']).filter(|word| word.starts_with("--")) {
        let value = flags.split_once(&format!(" {flag} ")).map(|(_, rest)| rest);
        let value = value.unwrap_or_else(|| panic!("{}: there is no {flag}", line.place));
        let value = value.split(' ').next().unwrap_or_default().to_owned();
        flags = flags.replacen(&format!(" {flag} {value}"), "", 1);
    }
    format!("{head}{flags} {tail}")
}

/// The flag's value replaced, or the flag added before a command behind `--`.
fn with(text: &str, flag: &str, value: &str) -> String {
    let set = format!(" {flag} {value}");
    match text.split_once(&format!(" {flag} ")) {
        Some((before, rest)) => {
            let after = rest.split_once(' ').map_or("", |(_, after)| after);
            format!("{before}{set} {after}").trim_end().to_owned()
        }
        None => format!("{text}{set}"),
    }
}

/// A line whose work is made small.
fn shortened(text: &str) -> String {
    let mut text = text.to_owned();
    for (real, stand_in) in STAND_INS {
        text = text.replace(real, stand_in);
    }
    let command = text.split(' ').nth(1).unwrap_or_default();
    match command {
        "compare" => {
            text = with(&with(&text, "--warmup", "0s"), "--seeds", "1");
            // Transfers end by themselves.
            if !text.contains("--size ") {
                text = with(&text, "--time", "2s");
            }
            if text.contains("--on ") {
                text = with(&with(&text, "--bound", "10s"), "--time", "1s");
            }
        }
        "run" => {
            let scenario = SCENARIOS.iter().find(|(name, _)| text.contains(name));
            let (_, flags) = scenario.unwrap_or_else(|| panic!("how long does it take? {text}"));
            text = format!("{text} {flags}");
        }
        // An empty folder has no runs to be judged.
        "reproduce" => text.push_str(" --kept --cache kept"),
        // Sections that ask for words run nothing.
        "evaluate" => text = with(&text, "--only", "5.3") + " --fresh",
        "emulate" => {
            text = text.replace("-t 60", "-t 1").replace("-t 30", "-t 1").replace("-c 5", "-c 1");
            text = text.replace("--time 10s --repeat 3", "--time 500ms --repeat 1 --pause 0s");
            text = text.replacen("emulate ", "emulate --bound 10s ", 1);
        }
        "kernel" if text.contains("kernel watch") => text.push_str(" --time 1s"),
        "kernel" if text.contains("kernel record") => text.push_str(" --time 3s"),
        "kernel" if text.contains("--live") => text = with(&text, "--time", "3s"),
        _ => {}
    }
    text
}

/// The exit code that a page promises.
fn promised(line: &Line) -> i32 {
    let code = line.comment.split_once("exit code ").map(|(_, rest)| rest);
    let digits = code.map(|rest| rest.chars().take_while(char::is_ascii_digit).collect::<String>());
    digits.map_or(0, |digits| digits.parse().unwrap())
}

/// The abilities of this machine.
struct Machine {
    /// Paths can be emulated.
    paths: bool,
    /// Our controllers can be loaded.
    loads: bool,
    /// The port of an iperf3 server, if there is one.
    server: Option<u16>,
    /// Controllers of its kernel.
    available: String,
}

/// An iperf3 server that ends with the tests.
struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn serve() -> Option<(Server, u16)> {
    let port = TcpListener::bind("127.0.0.1:0").ok()?.local_addr().ok()?.port();
    let child = Command::new("iperf3")
        .args(["--server", "--bind", "127.0.0.1", "--port", &port.to_string()])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    Some((Server(child.ok()?), port))
}

impl Machine {
    fn new(port: Option<u16>) -> Self {
        let folder = Folder::new();
        let loads = folder.run(&["kernel", "load", "westwood_plus"]).code == Some(0);
        if loads {
            folder.run(&["kernel", "unload", "westwood_plus"]);
        } else if cfg!(feature = "kernel") {
            skipped("our controllers cannot be loaded");
        }
        let list = "/proc/sys/net/ipv4/tcp_available_congestion_control";
        Self {
            paths: paths_can_be_emulated(|why| skipped(why)),
            loads,
            server: port,
            available: std::fs::read_to_string(list).unwrap_or_default(),
        }
    }

    /// The reason why a line cannot run here.
    fn lacks(&self, text: &str) -> Option<&'static str> {
        let has = |cc: &str| self.available.split_whitespace().any(|word| word == cc);
        let needs_path = text.contains(" emulate ") || text.contains("--on ");
        if needs_path && !self.paths {
            return Some("paths cannot be emulated here");
        }
        if text.contains("iperf3 ") && self.server.is_none() {
            return Some("iperf3 is not installed");
        }
        if (text.contains("kernel ") || text.contains("reproduce --on linux")) && !self.loads {
            return Some("our controllers cannot be loaded here");
        }
        if text.contains("measure ") && !text.contains("emulate ") {
            if self.server.is_none() {
                return Some("iperf3 is not installed");
            }
            if text.contains("bbr") && !has("bbr") {
                return Some("this kernel has no bbr");
            }
            if text.contains("westwood+") && !self.loads {
                return Some("our controllers cannot be loaded here");
            }
        }
        (text.contains("ping ") && Command::new("ping").arg("-V").output().is_err())
            .then_some("ping is not installed")
    }
}

/// A shell that finds our command.
fn shell(folder: &Folder, text: &str, machine: &Machine) -> Command {
    let bin = Path::new(env!("CARGO_BIN_EXE_westwood")).parent().unwrap();
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
    let mut command = Command::new("sh");
    command.args(["-c", text]).current_dir(folder.path()).env("PATH", path);
    command.env("PORT", machine.server.unwrap_or(0).to_string()).stdin(Stdio::null());
    command
}

/// Files that a reader has: a capture, recorded capacity, a table of rates, a scenario.
fn prepare(folder: &Folder, block: &[Line], machine: &Machine) {
    let needs = |what: &str| block.iter().any(|line| line.text.contains(what));
    let run = |text: &str| {
        let output = shell(folder, text, machine).output().unwrap();
        assert!(output.status.success(), "{text}: {}", String::from_utf8_lossy(&output.stderr));
    };
    if needs("mine.pcap") {
        run(
            "westwood compare --cc reno --time 1s --seeds 1 --pcap made -q && cp made/1-reno-seed1-sender*.pcapng mine.pcap",
        );
    }
    if needs("down.trace") {
        run(
            "westwood show lte-walk.trace > down.trace; westwood show lte-walk-up.trace > up.trace",
        );
    }
    if needs("drive.csv") {
        folder.write("drive.csv", "time,down\n0,40\n1,12.5\n2,25\n3,0.4\n4,30\n");
    }
    if needs("sweep.toml") {
        let sweep = "cc = \"reno\"\ntime = \"1 s\"\ndumbbell = {}\n[sweep]\n\"dumbbell.loss\" = [0, 0.01]\n";
        folder.write("sweep.toml", sweep);
    }
    // Scenarios that pages print.
    for (file, page) in [("call.toml", "traffic.md"), ("pep.toml", "paths.md")] {
        if needs(file) {
            let page = std::fs::read_to_string(root().join("docs/how-to").join(page)).unwrap();
            let printed = page.split("```toml").nth(1).and_then(|rest| rest.split("```").next());
            folder.write(file, printed.unwrap());
        }
    }
    if needs("docs/") {
        std::fs::create_dir_all(folder.path().join("docs/reference")).unwrap();
    }
}

/// Connections of `westwood_plus`, one after another, for as long as a command listens.
fn beside_traffic(mut command: Command) -> Output {
    const TRAFFIC: &str = "
import socket, sys, time
until = time.monotonic() + 2
while time.monotonic() < until:
    server = socket.create_server(('127.0.0.1', 0))
    client = socket.socket()
    client.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, b'westwood_plus')
    client.connect(server.getsockname())
    there, _ = server.accept()
    for _ in range(20):
        client.sendall(bytes(10_000))
        got = 0
        while got < 10_000:
            got += len(there.recv(65536))
    client.close(); there.close(); server.close()
";
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    std::thread::sleep(std::time::Duration::from_millis(700));
    let traffic = Command::new("python3").args(["-c", TRAFFIC]).status().unwrap();
    assert!(traffic.success());
    child.wait_with_output().unwrap()
}

/// Past the test harness, which would keep it to itself.
fn say(text: &str) {
    let _ = writeln!(std::io::stderr(), "{text}");
}

/// Runs a block; answers what went wrong.
fn run(block: &[Line], machine: &Machine) -> Vec<String> {
    let folder = Folder::new();
    prepare(&folder, block, machine);
    // Names in the kernel are the whole machine's.
    let kernel = block
        .iter()
        .any(|line| line.text.contains("westwood_plus") || line.text.contains("kernel "));
    let ours =
        block.iter().any(|line| line.text.contains("measure ") && line.text.contains("westwood+"));
    let _turn = (machine.loads && (kernel || ours)).then(turn::turn);
    // These pages suppose that it is loaded.
    let load = ours || block.iter().any(|line| line.text.contains("kernel record"));
    let load = load && machine.loads;
    if load {
        assert_eq!(folder.run(&["kernel", "load", "westwood_plus"]).code, Some(0));
    }
    let mut wrong = Vec::new();
    let mut last = String::new();
    for line in block {
        let full = in_full(line, &last);
        if !line.text.contains(" ... ") {
            last.clone_from(&full);
        }
        let text = shortened(&full);
        if let Some((_, why)) = NOT_HERE.iter().find(|(part, _)| text.contains(part)) {
            say(&format!("not run here: {}: {}: {why}", line.place, line.text));
            continue;
        }
        if let Some(why) = machine.lacks(&text) {
            say(&format!("skipped: {}: {}: {why}", line.place, line.text));
            continue;
        }
        let mut command = shell(&folder, &text, machine);
        let listens = text.contains("kernel record") || text.contains("--live");
        let output = if listens { beside_traffic(command) } else { command.output().unwrap() };
        if output.status.code() != Some(promised(line)) {
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            wrong.push(format!(
                "{}: {}\n  as {text}\n  ends with {}: {said}",
                line.place, line.text, output.status
            ));
        }
    }
    if load {
        folder.run(&["kernel", "unload", "westwood_plus"]);
    }
    wrong
}

#[test]
fn every_command_line_of_the_documents_runs() {
    let server = serve();
    if server.is_none() {
        skipped("no iperf3 to measure against: install the package iperf3");
    }
    let machine = Machine::new(server.as_ref().map(|(_, port)| *port));
    // A follow-up line may stand in another block than the line that it follows.
    let mut all: Vec<Block> = Vec::new();
    for page in pages() {
        let mut joined: Vec<Block> = Vec::new();
        for block in blocks(&page) {
            match joined.last_mut() {
                Some(before) if block.lines[0].text.contains(" ... ") => {
                    before.lines.extend(block.lines);
                    before.printed = false;
                }
                _ => joined.push(block),
            }
        }
        joined.retain(|block| !block.printed);
        all.extend(joined);
    }
    let lines = all.iter().map(|block| block.lines.len()).sum::<usize>();
    assert!(lines >= 40, "the command lines are found");
    let queue = Mutex::new(all);
    let wrong = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                while let Some(block) = {
                    let mut queue = queue.lock().unwrap();
                    queue.pop()
                } {
                    let found = run(&block.lines, &machine);
                    wrong.lock().unwrap().extend(found);
                }
            });
        }
    });
    let wrong = wrong.into_inner().unwrap();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
