//! The command and the running kernel.

#[path = "../../../kernel/tests/common/turn.rs"]
mod turn;
#[path = "../../../kernel/tests/common/wait.rs"]
mod wait;

use std::fs::{File, Permissions};
use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::OnceLock;
use std::time::Instant;

use westwood_kernel::{environment, load};

use super::{code, said, westwood};
use wait::wait_until;

/// The kernel, if this machine lets us have it and nobody else uses our names; else one line.
pub(super) fn kernel() -> Option<Kernel> {
    let turn = turn::turn();
    let device = File::options().read(true).write(true).open("/dev/net/tun");
    let why = match environment::ready().and_then(|()| load::loaded()) {
        Err(error) => error.to_string(),
        Ok(loaded) if loaded.iter().any(|l| l.registered) => {
            "somebody has loaded our controllers".to_owned()
        }
        Ok(_) => match device {
            Err(error) => format!("/dev/net/tun cannot be opened: {error}"),
            Ok(_) => return Some(Kernel { _turn: turn }),
        },
    };
    assert!(std::env::var_os("WESTWOOD_REQUIRE_KERNEL").is_none(), "needed: {why}");
    // Past the test harness, which would keep it to itself.
    let _ = writeln!(std::io::stderr(), "skipped: {why}");
    None
}

/// Leaves the kernel as it was, even if the test fails.
pub(super) struct Kernel {
    _turn: File,
}

impl Drop for Kernel {
    fn drop(&mut self) {
        for loaded in load::loaded().unwrap_or_default().iter().filter(|l| l.registered) {
            let _ = load::unload(loaded);
        }
    }
}

fn available(name: &str) -> bool {
    environment::available().unwrap().iter().any(|n| n == name)
}

#[test]
fn what_is_loaded_stays_and_is_shown() {
    let Some(_kernel) = kernel() else { return };
    let output = westwood(&["load", "log-westwood+", "--set", "a=4", "--set", "pacing=on"]);
    assert_eq!(code(&output), Some(0), "{}", said(&output.stderr));
    assert!(available("log_westwood"));
    let status = said(&westwood(&["status"]).stdout);
    assert!(status.contains("log-westwood+(a=4,pacing=on)"), "{status}");
    assert!(
        said(&westwood(&["list"]).stdout).contains("log_westwood     log-westwood+      loaded")
    );
    assert_eq!(code(&westwood(&["load", "log_westwood"])), Some(2));
    assert_eq!(code(&westwood(&["unload", "log_westwood"])), Some(0));
    assert!(!available("log_westwood"));
    assert_eq!(code(&westwood(&["unload", "log_westwood"])), Some(2));
}

/// Kills the command at 30 moments from its start to a while after its usual end, and once more from
/// the start if it was never `early`: killed before it had done anything.
fn killed_at_any_moment(
    arguments: &[&str],
    prepare: impl Fn(),
    early: impl Fn(Option<&load::Loaded>) -> bool,
) {
    const ROUNDS: usize = 5;
    let killed_early = (0..ROUNDS).any(|_| killed_at_30_moments(arguments, &prepare, &early) > 0);
    assert!(killed_early, "the first ones are killed before they can do anything");
}

/// The number of those killed early, of 30.
fn killed_at_30_moments(
    arguments: &[&str],
    prepare: &impl Fn(),
    early: &impl Fn(Option<&load::Loaded>) -> bool,
) -> usize {
    let start = || {
        Command::new(env!("CARGO_BIN_EXE_westwood"))
            .arg("kernel")
            .args(arguments)
            .stdout(Stdio::null())
            .spawn()
            .unwrap()
    };
    let loaded = || load::loaded().unwrap().into_iter().find(|l| l.registered);
    prepare();
    let began = Instant::now();
    assert!(start().wait().unwrap().success());
    let usual = began.elapsed();
    if let Some(loaded) = loaded() {
        load::unload(&loaded).unwrap();
    }
    let mut killed_early = 0;
    for moment in 0..30 {
        prepare();
        let mut child = start();
        std::thread::sleep(usual * moment / 24);
        let _ = child.kill();
        child.wait().unwrap();
        let loaded = loaded();
        assert_eq!(loaded.is_some(), available("westwood_plus"), "listed if it is there");
        killed_early += usize::from(early(loaded.as_ref()));
        if let Some(loaded) = loaded {
            assert_eq!((loaded.spec.as_str(), loaded.users), ("westwood+", 0));
            load::unload(&loaded).unwrap();
        }
        assert!(!available("westwood_plus"));
    }
    killed_early
}

#[test]
fn a_loader_killed_at_any_moment_leaves_all_or_nothing() {
    let Some(_kernel) = kernel() else { return };
    let before = load::maps();
    killed_at_any_moment(&["load", "westwood_plus"], || (), |left| left.is_none());
    // The kernel frees unused programs in its own time.
    wait_until("what was loaded goes", || load::maps() <= before);
    assert_eq!(code(&westwood(&["load", "westwood_plus"])), Some(0));
}

#[test]
fn an_unloader_killed_at_any_moment_leaves_all_or_nothing() {
    let Some(_kernel) = kernel() else { return };
    killed_at_any_moment(
        &["unload", "westwood_plus"],
        || assert_eq!(code(&westwood(&["load", "westwood_plus"])), Some(0)),
        |left| left.is_some(),
    );
}

/// One line on stderr and exit code 4: the environment lacks something.
fn lacks(output: &Output, parts: &[&str]) {
    let text = said(&output.stderr);
    assert_eq!(code(output), Some(4), "{text}");
    assert_eq!(text.lines().count(), 1, "{text}");
    for part in parts {
        assert!(text.contains(part), "{text}");
    }
}

/// Loads in a world of its own, of which `changes` are made first, by a shell.
fn loaded_in_another_world(changes: &str) -> Output {
    let script = format!("{changes}; exec {} kernel load log_westwood", westwood_path());
    Command::new("unshare").args(["--mount", "sh", "-ec", &script]).output().unwrap()
}

fn westwood_path() -> &'static str {
    env!("CARGO_BIN_EXE_westwood")
}

#[test]
fn those_who_are_not_root_learn_what_to_do() {
    let Some(_kernel) = kernel() else { return };
    // A place that this user can reach.
    let command = std::env::temp_dir().join(format!("westwood-{}", std::process::id()));
    std::fs::copy(westwood_path(), &command).unwrap();
    std::fs::set_permissions(&command, Permissions::from_mode(0o755)).unwrap();
    let output = Command::new("setpriv")
        .args(["--reuid=65534", "--clear-groups"])
        .arg(&command)
        .args(["kernel", "load", "westwood_plus"])
        .output();
    std::fs::remove_file(&command).unwrap();
    lacks(&output.unwrap(), &["only root", "sudo westwood kernel"]);
}

#[test]
fn root_of_a_container_learns_what_it_lacks() {
    let Some(_kernel) = kernel() else { return };
    let without = |capability: &str| {
        Command::new("setpriv")
            .arg(format!("--bounding-set=-{capability}"))
            .args([westwood_path(), "kernel", "load", "westwood_plus"])
            .output()
            .unwrap()
    };
    let says = ["CAP_NET_ADMIN or CAP_SYS_ADMIN", "outside of the container"];
    for capability in ["net_admin", "sys_admin"] {
        lacks(&without(capability), &says);
    }
    assert!(!available("westwood_plus"));
    let elsewhere = |arguments: &[&str]| {
        let namespace = ["--user", "--map-root-user"];
        Command::new("unshare").args(namespace).args(arguments).output().unwrap()
    };
    // A machine may forbid user namespaces even to root.
    if elsewhere(&["true"]).status.success() {
        lacks(&elsewhere(&[westwood_path(), "kernel", "status"]), &says);
    }
}

#[test]
fn a_kernel_without_btf_is_told_with_what_to_boot() {
    let Some(_kernel) = kernel() else { return };
    let output = loaded_in_another_world("mount -t tmpfs none /sys/kernel/btf");
    lacks(&output, &["/sys/kernel/btf/vmlinux", "CONFIG_DEBUG_INFO_BTF=y"]);
}

#[test]
fn a_kernel_that_is_too_old_is_told_with_what_to_boot() {
    let Some(_kernel) = kernel() else { return };
    let old = Path::new(env!("CARGO_TARGET_TMPDIR")).join("osrelease");
    std::fs::write(&old, "5.15.0-91-generic\n").unwrap();
    let hide = format!("mount --bind {} /proc/sys/kernel/osrelease", old.display());
    let output = loaded_in_another_world(&hide);
    lacks(&output, &["Linux 5.15.0-91-generic is too old", "boot Linux 6.1 or later"]);
}

#[test]
fn bpffs_need_not_be_mounted() {
    let Some(_kernel) = kernel() else { return };
    let output = loaded_in_another_world(
        "while mountpoint -q /sys/fs/bpf; do umount --lazy /sys/fs/bpf; done",
    );
    assert_eq!(code(&output), Some(0), "{}", said(&output.stderr));
    assert!(available("log_westwood"), "it stays though nothing is pinned");
}

fn traffic() -> &'static Path {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    PROGRAM.get_or_init(|| {
        let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join("traffic");
        let source =
            Path::new(env!("CARGO_MANIFEST_DIR")).join("../kernel/tests/traffic/traffic.c");
        let built = Command::new("cc").args(["-O2", "-o"]).arg(&program).arg(source).status();
        assert!(built.unwrap().success());
        program
    })
}

fn transfer(path: &str) -> Child {
    Command::new(traffic())
        .arg("westwood_plus")
        .args(path.split(' '))
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Waits until a recorder says that it listens.
fn listening(recorder: &mut Child) {
    let mut lines = BufReader::new(recorder.stderr.take().unwrap()).lines();
    assert!(lines.any(|line| line.unwrap().starts_with("listening")), "it ended before");
}

#[test]
fn connections_are_watched_where_they_are() {
    let Some(_kernel) = kernel() else { return };
    assert_eq!(code(&westwood(&["load", "westwood_plus"])), Some(0));
    let mut running = transfer("2 600 30 20 100 0 0 0 0");
    let mut senders = Vec::new();
    // Both flows have an estimate soon, but not at once.
    wait_until("two senders have estimates", || {
        senders = watched(running.id());
        senders.retain(|row| row[3] == "10.77.0.2:5999" && row[7] != "0" && row[8] != "0");
        senders.len() == 2
    });
    let ended = Command::new("kill").args(["-TERM", &running.id().to_string()]).status();
    assert!(ended.unwrap().success() && running.wait().unwrap().success());
    for row in senders {
        assert_eq!(row[1], "westwood_plus");
        // No round trip takes less than the path's 20 ms.
        assert!(row[8].parse::<f64>().unwrap() >= 20.0, "{row:?}");
    }
}

/// One look at the connections of a process' network namespace, as a table.
fn watched(process: u32) -> Vec<Vec<String>> {
    let csv = Path::new(env!("CARGO_TARGET_TMPDIR")).join("watch.csv");
    let output = Command::new("nsenter")
        .arg(format!("--net=/proc/{process}/ns/net"))
        .arg(env!("CARGO_BIN_EXE_westwood"))
        .args(["kernel", "watch", "--time", "1ms", "--csv"])
        .arg(&csv)
        .output()
        .unwrap();
    assert_eq!(code(&output), Some(0), "{}", said(&output.stderr));
    let text = std::fs::read_to_string(&csv).unwrap();
    let cells = |line: &str| line.split(',').map(str::to_owned).collect();
    text.lines().skip(1).map(cells).collect()
}

#[test]
fn what_is_recorded_is_verified_and_a_changed_answer_is_found() {
    let Some(_kernel) = kernel() else { return };
    assert_eq!(code(&westwood(&["load", "westwood_plus"])), Some(0));
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("recording");
    let mut recorder = Command::new(env!("CARGO_BIN_EXE_westwood"))
        .args(["kernel", "record", "--port", "5999", "-o"])
        .arg(&path)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    listening(&mut recorder);
    assert!(transfer("2 3 20 20 60 50 50 4 0").wait().unwrap().success());
    let interrupted = Command::new("kill").args(["-INT", &recorder.id().to_string()]).status();
    assert!(interrupted.unwrap().success());
    assert!(recorder.wait().unwrap().success());
    let verify = |path: &Path| westwood(&["verify", path.to_str().unwrap()]);
    let output = verify(&path);
    assert_eq!(code(&output), Some(0), "{}{}", said(&output.stdout), said(&output.stderr));
    let mut bytes = std::fs::read(&path).unwrap();
    let last = bytes.len() - 1;
    std::fs::write(&path, &bytes[..last]).unwrap();
    assert_eq!(code(&verify(&path)), Some(5));
    // The estimate after the call before the last two: the recorder's own, and a release.
    let answer = bytes.len() - 10 * 88 + 8;
    bytes[answer] ^= 1;
    std::fs::write(&path, &bytes).unwrap();
    let output = verify(&path);
    assert_eq!(code(&output), Some(1));
    assert!(said(&output.stdout).contains("first: connection"));
}

#[test]
fn a_recorder_that_is_killed_leaves_nothing_to_the_next() {
    let Some(_kernel) = kernel() else { return };
    assert_eq!(code(&westwood(&["load", "westwood_plus"])), Some(0));
    let before = load::maps();
    let mut recorder = Command::new(env!("CARGO_BIN_EXE_westwood"))
        .args(["kernel", "verify", "--live"])
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    listening(&mut recorder);
    recorder.kill().unwrap();
    recorder.wait().unwrap();
    assert!(transfer("1 1 20 20 60 0 0 0 0").wait().unwrap().success());
    wait_until("its lease ends", || {
        code(&westwood(&["verify", "--live", "--time", "1ms"])) == Some(5)
    });
    wait_until("the ring goes", || load::maps() <= before);
}

/// The kernel that most servers run; the other tests are about the one of this machine.
#[test]
fn debians_6_1_answers_as_the_simulator_does() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let there = |command: &str| {
        let found = Command::new("sh").args(["-c", &format!("command -v {command}")]).output();
        found.is_ok_and(|output| output.status.success())
    };
    for command in ["qemu-system-x86_64", "busybox", "cpio", "ip", "gcc"] {
        if !there(command) {
            assert!(std::env::var_os("WESTWOOD_REQUIRE_KERNEL").is_none(), "needed: {command}");
            // Past the test harness, which would keep it to itself.
            let _ = writeln!(std::io::stderr(), "skipped: {command} is needed for Debian's 6.1");
            return;
        }
    }
    let output = Command::new("sh")
        .arg(root.join("scripts/linux-6.1"))
        .arg(root.join("crates/kernel/tests/linux-6.1.sh"))
        .env("WESTWOOD", env!("CARGO_BIN_EXE_westwood"))
        .output()
        .unwrap();
    // A console ends its lines with both characters.
    let text = said(&output.stdout).replace('\r', "");
    assert!(text.contains("job ended: 0"), "{text}{}", said(&output.stderr));
    assert!(text.contains("6.1."), "{text}");
    assert_eq!(text.matches("verdict: equal").count(), 4, "{text}");
    assert_eq!(text.matches("is unloaded.\n").count(), 4, "nobody uses them: {text}");
    assert!(text.contains("No controller is loaded."), "{text}");
}
