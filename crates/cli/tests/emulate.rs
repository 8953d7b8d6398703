//! `westwood emulate`, on the running kernel.

#[path = "../../emu/tests/support/judged.rs"]
mod judged;
mod support;

use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use support::{Folder, paths_can_be_emulated};

const WESTWOOD: &str = env!("CARGO_BIN_EXE_westwood");

fn kernel_helps() -> bool {
    paths_can_be_emulated(|why| judged::skipped(why))
}

fn westwood() -> Command {
    Command::new(WESTWOOD)
}

fn emulate(arguments: &[&str]) -> Output {
    westwood().arg("emulate").args(arguments).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// A transfer of some bytes from the command to the server, and how many came.
const LISTEN: &str = "python3 -c '
import socket
s = socket.create_server((\"198.19.0.1\", 4000))
c = s.accept()[0]
n = 0
while (data := c.recv(65536)):
    n += len(data)
c.sendall(str(n).encode())
'";
/// Connects to it, however long it takes to listen.
const CONNECT: &str = "
import os, socket, time
while True:
    try:
        c = socket.create_connection((os.environ['WESTWOOD_SERVER'], 4000))
        break
    except ConnectionRefusedError:
        time.sleep(0.05)
";
const SEND: &str = "
c.sendall(bytes(300_000))
c.shutdown(socket.SHUT_WR)
print(c.recv(100).decode())
";

/// A path that is fast, so that only what is tested takes time; on a busy machine it may be late.
const QUICK: [&str; 8] =
    ["--rate", "50Mbit/s", "--rtt", "20ms", "--loss", "none", "--bound", "10s"];

fn transfer(more: &[&str]) -> Output {
    let send = CONNECT.to_owned() + SEND;
    let flags = [&QUICK[..], more, &["--server", LISTEN, "--", "python3", "-c", &send]].concat();
    emulate(&flags)
}

#[test]
fn a_transfer_passes_whole_over_a_path_and_takes_its_time() {
    if !kernel_helps() {
        return;
    }
    let begun = Instant::now();
    let output = transfer(&["--live"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert_eq!(text(&output.stdout), "300000\n");
    // 300 kB at 50 Mbit/s, a handshake and the last answer.
    assert!(begun.elapsed() > Duration::from_millis(48 + 40), "{:?}", begun.elapsed());
    let said = text(&output.stderr).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains("packets in") && said.contains("the bound is 10 s"), "{said}");
}

#[test]
fn the_exit_code_of_the_command_is_passed_on() {
    if !kernel_helps() {
        return;
    }
    for (script, code) in [("exit 0", 0), ("exit 7", 7), ("kill -9 $$", 137)] {
        let output = emulate(&["--quiet", "--bound", "10s", "--", "sh", "-c", script]);
        assert_eq!(output.status.code(), Some(code), "{script}: {}", text(&output.stderr));
    }
}

#[test]
fn the_controller_of_connections_is_the_one_that_is_asked_for() {
    if !kernel_helps() {
        return;
    }
    let ask = CONNECT.to_owned()
        + "print(c.getsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, 16).rstrip(b'\\0').decode())";
    let flags = [&QUICK[..], &["--cc", "reno", "--server", LISTEN, "--", "python3", "-c", &ask]];
    assert_eq!(text(&emulate(&flags.concat()).stdout), "reno\n");
    let output = emulate(&["--cc", "nonesuch", "--", "true"]);
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(4), "{said}");
    assert!(said.contains("no congestion controller 'nonesuch'") && said.contains("load it"));
}

#[test]
fn a_capture_holds_what_came_off_the_bottleneck() {
    if !kernel_helps() {
        return;
    }
    let folder = Folder::new();
    let caps = folder.path().join("caps");
    let output = transfer(&["--pcap", caps.to_str().unwrap()]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let mut names: Vec<_> =
        std::fs::read_dir(&caps).unwrap().map(|e| e.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["bottleneck-return.pcapng", "bottleneck.pcapng"]);
    // The payload and its headers; the other one has ACKs alone.
    let size = |name: &str| std::fs::metadata(caps.join(name)).unwrap().len();
    let (there, back) = (size("bottleneck.pcapng"), size("bottleneck-return.pcapng"));
    assert!(there > 300_000 && there > 2 * back, "{there} and {back} bytes");
    // A command that cannot run leaves nothing.
    let none = folder.path().join("none");
    let output = emulate(&["--pcap", none.to_str().unwrap(), "--", "no-such-command-anywhere"]);
    assert_eq!(output.status.code(), Some(2), "{}", text(&output.stderr));
    assert!(!none.exists());
}

#[test]
fn a_late_emulation_is_invalid() {
    if !kernel_helps() {
        return;
    }
    // No machine keeps a microsecond at the 99th percentile: a packet is written when it is due.
    let flags = ["--quiet", "--loss", "none", "--bound", "1us", "--server", LISTEN];
    let send = CONNECT.to_owned() + SEND;
    let output = emulate(&[&flags[..], &["--", "python3", "-c", &send]].concat());
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(5), "{said}");
    assert!(said.contains("the emulation is invalid: packets were late"), "{said}");
}

#[test]
fn an_interrupted_emulation_ends_its_command() {
    if !kernel_helps() {
        return;
    }
    let (near, far) = (nap(1), nap(2));
    let mut child = westwood()
        .args(["emulate", "--quiet", "--server", &far.join(" "), "--", &near[0], &near[1]])
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let begun = Instant::now();
    while !runs(&near) || !runs(&far) {
        assert!(begun.elapsed() < Duration::from_secs(60), "the commands have not begun");
        std::thread::sleep(Duration::from_millis(10));
    }
    let kill = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(kill.unwrap().success());
    // Long before the commands would have ended by themselves.
    let begun = Instant::now();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!(begun.elapsed() < Duration::from_secs(60), "{:?}", begun.elapsed());
    assert!(!runs(&near) && !runs(&far), "something goes on");
}

#[test]
fn what_a_killed_emulator_left_is_ended_by_the_next() {
    if !kernel_helps() {
        return;
    }
    let nap = nap(3);
    let mut child = westwood().args(["emulate", "--quiet", "--"]).args(&nap).spawn().unwrap();
    let begun = Instant::now();
    while !runs(&nap) {
        assert!(begun.elapsed() < Duration::from_secs(60), "the command has not begun");
        std::thread::sleep(Duration::from_millis(10));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let output = emulate(&["--loss", "none", "--bound", "10s", "--", "true"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(!runs(&nap), "{}", text(&output.stderr));
}

/// A command that takes ten minutes and that no other test runs.
fn nap(number: u32) -> [String; 2] {
    ["sleep".to_owned(), format!("60{number}.{}", std::process::id())]
}

/// Whether a process runs with this command line.
fn runs(line: &[String; 2]) -> bool {
    let wanted = line.join("\0") + "\0";
    std::fs::read_dir("/proc").unwrap().flatten().any(|entry| {
        std::fs::read(entry.path().join("cmdline")).is_ok_and(|text| text == wanted.as_bytes())
    })
}

/// The command where every user may run it: a folder of a build may be its owner's alone.
struct Reachable(Folder);

impl Reachable {
    /// The same where it can be shown [devices](Self::with_devices) of its own.
    fn new_with_devices() -> Option<Self> {
        if !kernel_helps() {
            return None;
        }
        if !is_root() {
            judged::skipped("only root can show other devices to a command");
            return None;
        }
        Self::new()
    }

    /// None, and a word, if there is no such place.
    fn new() -> Option<Self> {
        let reachable = Self(Folder::new());
        let allow = |path: &Path, mode| {
            std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
        };
        // By another process: one that a test starts meanwhile cannot hold the file open for writing.
        let copy =
            Command::new("cp").args([WESTWOOD.as_ref(), reachable.path().as_os_str()]).status();
        assert!(copy.unwrap().success());
        std::fs::create_dir(reachable.state()).unwrap();
        allow(reachable.0.path(), 0o755);
        allow(&reachable.path(), 0o755);
        allow(&reachable.state(), 0o777);
        let runs = as_another(Command::new(reachable.path()).arg("--version"));
        if runs.is_ok_and(|output| output.status.success()) {
            return Some(reachable);
        }
        judged::skipped("the folder for temporary files is closed to other users");
        None
    }

    fn path(&self) -> PathBuf {
        self.0.path().join("westwood")
    }

    /// A folder for the command's state of its user.
    fn state(&self) -> PathBuf {
        self.0.path().join("state")
    }

    /// The rest of a command line that ends in this program.
    fn asks_for_the_user<'a>(&self, command: &'a mut Command) -> &'a mut Command {
        command.args(["emulate", "--quiet", "--loss", "none", "--bound", "10s", "--", "id", "-u"]);
        command.env("XDG_RUNTIME_DIR", self.state())
    }

    /// The command as another user, of all devices with these alone.
    fn with_devices(&self, devices: &str, arguments: impl FnOnce(&mut Command)) -> Output {
        let script = format!(
            "mount -t tmpfs none /dev/net; {devices}; \
             exec setpriv --reuid=65534 --regid=65534 --clear-groups \"$0\" \"$@\""
        );
        let mut command = Command::new("unshare");
        command.args(["--mount", "sh", "-ec", &script]).arg(self.path());
        arguments(&mut command);
        command.output().unwrap()
    }
}

fn is_root() -> bool {
    std::fs::metadata("/proc/self").unwrap().uid() == 0
}

/// Runs a command as a user who is not root: the one of this test unless that is root.
fn as_another(command: &mut Command) -> std::io::Result<Output> {
    if is_root() {
        command.uid(65_534).gid(65_534);
    }
    command.output()
}

/// Exit code 4 and one line that says this.
fn refused(output: &Output, part: &str) {
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(4), "{said}");
    assert!(said.contains(part) && said.lines().count() == 1, "{part}: {said}");
}

#[test]
fn a_user_who_is_not_root_gets_a_user_namespace_or_a_clear_refusal() {
    let Some(reachable) = Reachable::new() else { return };
    let succeeds = |shell: &str| {
        let output = as_another(Command::new("sh").args(["-c", shell])).unwrap();
        output.status.success()
    };
    let mut command = Command::new(reachable.path());
    let output = as_another(reachable.asks_for_the_user(&mut command)).unwrap();
    let said = text(&output.stderr);
    // Only the attempt tells whether a program may make user namespaces.
    if said.contains("user namespaces") {
        refused(&output, "no network namespace can be made");
    } else if !succeeds("test -c /dev/net/tun && : <>/dev/net/tun") {
        refused(&output, "see that /dev/net/tun is there and may be opened");
    } else if !succeeds("command -v ip") {
        refused(&output, "install iproute2");
    } else {
        assert_eq!((output.status.code(), &*text(&output.stdout)), (Some(0), "0\n"), "{said}");
    }
}

#[test]
fn whether_a_user_gets_a_device_is_up_to_the_permissions_of_its_node() {
    let Some(reachable) = Reachable::new_with_devices() else { return };
    let with = |devices: &str| {
        reachable.with_devices(devices, |command| {
            reachable.asks_for_the_user(command);
        })
    };
    let open = with("mknod -m 666 /dev/net/tun c 10 200");
    let said = text(&open.stderr);
    let refuses_itself = said.starts_with("error:") && !said.contains("user namespaces");
    if open.status.code() != Some(0) && !refuses_itself {
        return judged::skipped(said);
    }
    assert_eq!((open.status.code(), &*text(&open.stdout)), (Some(0), "0\n"), "{said}");
    for devices in ["mknod -m 600 /dev/net/tun c 10 200", "true"] {
        refused(&with(devices), "see that /dev/net/tun is there and may be opened");
    }
}

#[test]
fn an_examination_on_linux_enters_a_user_namespace_before_it_has_threads() {
    let Some(reachable) = Reachable::new_with_devices() else { return };
    let line = "evaluate rfc9743 --cc reno-linux --only 7.4 --on linux --quiet --fresh";
    let output = reachable.with_devices("true", |command| {
        command.args(line.split(' ')).env("XDG_RUNTIME_DIR", reachable.state());
    });
    let said = text(&output.stderr);
    let is_forbidden = said.contains("user namespaces") && !said.contains("Invalid argument");
    if is_forbidden || !said.starts_with("error:") {
        return judged::skipped(said);
    }
    assert!(said.contains("see that /dev/net/tun is there and may be opened"), "{said}");
}

#[test]
fn the_path_of_a_scenario_is_emulated_if_it_has_one() {
    if !kernel_helps() {
        return;
    }
    let folder = Folder::new();
    let file = |text: &str| {
        folder.write("path.toml", text);
        folder.path().join("path.toml").to_str().unwrap().to_owned()
    };
    let one =
        file("cc = \"reno\"\n[dumbbell]\nrate = \"50Mbit/s\"\nrtt = \"20ms\"\nloss = \"none\"\n");
    let send = CONNECT.to_owned() + SEND;
    let output =
        emulate(&[&one, "--bound", "10s", "--server", LISTEN, "--", "python3", "-c", &send]);
    assert_eq!(text(&output.stdout), "300000\n", "{}", text(&output.stderr));
    let output = emulate(&[&one, "--set", "dumbbell.rtt=20ms,40ms", "--", "true"]);
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("choose one with --set"), "{said}");
    let output = emulate(&[&one, "--rate", "1Mbit/s", "--", "true"]);
    assert_eq!(output.status.code(), Some(2), "{}", text(&output.stderr));
}

#[test]
fn wrong_flags_are_refused_in_one_line() {
    for (flags, part) in [
        (&["--mtu", "20", "--", "true"][..], "--mtu"),
        (&["--rate", "fast", "--", "true"], "--rate"),
        (&["--loss", "none"], "COMMAND"),
        (&["--set", "dumbbell.rate=1Mbit/s", "--", "true"], "--set: needs <SCENARIO>"),
        (&["no-such-scenario", "--", "true"], "no-such-scenario"),
        (&["--server", " ", "--", "true"], "--server: the command is empty"),
        (&["--cc", "", "--", "true"], "--cc: no controller is given"),
        (&["--cc", "reno initcwnd 99", "--", "true"], "--cc: 'reno initcwnd 99' is no name"),
        (&["--cc", "westwood+(tau=1s)", "--", "true"], "has parameters"),
        (&["--", "no-such-command-anywhere"], "no-such-command-anywhere"),
    ] {
        if part == "no-such-command-anywhere" && !kernel_helps() {
            continue;
        }
        let output = emulate(flags);
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{flags:?}: {said}");
        assert!(said.contains(part), "{flags:?}: {said}");
        assert!(said.lines().filter(|l| l.starts_with("error")).count() == 1, "{said}");
    }
}
