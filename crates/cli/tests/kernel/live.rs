//! The command and the running kernel.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use westwood_kernel::{environment, load};

use super::{code, said, westwood};

/// Names in the kernel are for the whole machine: one test at a time.
static KERNEL: Mutex<()> = Mutex::new(());

/// The kernel, if this machine lets us have it and nobody else uses our names; else one line.
fn kernel() -> Option<Kernel> {
    let guard = KERNEL.lock().unwrap_or_else(PoisonError::into_inner);
    let why = match environment::ready().and_then(|()| load::loaded()) {
        Err(error) => error.to_string(),
        Ok(loaded) if loaded.iter().any(|l| l.registered) => {
            "somebody has loaded our controllers".to_owned()
        }
        Ok(_) if !Path::new("/dev/net/tun").exists() => "there is no /dev/net/tun".to_owned(),
        Ok(_) => return Some(Kernel { _guard: guard }),
    };
    assert!(std::env::var_os("WESTWOOD_REQUIRE_KERNEL").is_none(), "needed: {why}");
    eprintln!("skipped: {why}");
    None
}

/// Leaves the kernel as it was, even if the test fails.
struct Kernel {
    _guard: MutexGuard<'static, ()>,
}

impl Drop for Kernel {
    fn drop(&mut self) {
        for loaded in load::loaded().unwrap_or_default().iter().filter(|l| l.registered) {
            let _ = load::unload(loaded);
        }
    }
}

fn in_own_namespace(script: &str) -> Output {
    let westwood = env!("CARGO_BIN_EXE_westwood");
    let script = script.replace("westwood kernel", &format!("{westwood} kernel"));
    Command::new("unshare").args(["--net", "sh", "-ec", &script]).output().unwrap()
}

fn available(name: &str) -> bool {
    environment::available().unwrap().iter().any(|n| n == name)
}

#[test]
fn loading_needs_no_bpffs_stays_and_is_shown() {
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

#[test]
fn a_default_is_of_one_namespace_and_the_one_before_comes_back() {
    let Some(_kernel) = kernel() else { return };
    let default = "cat /proc/sys/net/ipv4/tcp_congestion_control";
    let here = environment::default_controller().unwrap();
    let output = in_own_namespace(&format!(
        "echo reno >/proc/sys/net/ipv4/tcp_congestion_control; \
         westwood kernel load westwood_plus >/dev/null; {default}; \
         westwood kernel load westwood_plus --default >/dev/null; {default}; \
         westwood kernel unload westwood_plus >/dev/null; {default}"
    ));
    assert_eq!(said(&output.stdout), "reno\nwestwood_plus\nreno\n", "{}", said(&output.stderr));
    assert_eq!(environment::default_controller().unwrap(), here);
}

#[test]
fn a_loader_killed_at_any_moment_leaves_all_or_nothing() {
    let Some(_kernel) = kernel() else { return };
    let (mut whole, mut nothing) = (0, 0);
    for ms in (0..120).step_by(6) {
        let mut child = Command::new(env!("CARGO_BIN_EXE_westwood"))
            .args(["kernel", "load", "westwood_plus"])
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis(ms));
        let _ = child.kill();
        child.wait().unwrap();
        let mut loaded = load::loaded().unwrap();
        loaded.retain(|l| l.registered);
        assert_eq!(loaded.len(), usize::from(available("westwood_plus")));
        if let Some(one) = loaded.first() {
            whole += 1;
            assert_eq!((one.registered, one.spec.as_str()), (true, "westwood+"));
            load::unload(one).unwrap();
        } else {
            nothing += 1;
        }
    }
    assert_eq!(whole + nothing, 20);
    assert_eq!(code(&westwood(&["load", "westwood_plus"])), Some(0));
}

#[test]
fn those_who_are_not_root_learn_what_to_do() {
    let Some(_kernel) = kernel() else { return };
    let command = std::env::temp_dir().join(format!("westwood-{}", std::process::id()));
    std::fs::copy(env!("CARGO_BIN_EXE_westwood"), &command).unwrap();
    let output = Command::new("setpriv")
        .args(["--reuid=65534", "--clear-groups"])
        .arg(&command)
        .args(["kernel", "load", "westwood_plus"])
        .output();
    std::fs::remove_file(&command).unwrap();
    let output = output.unwrap();
    assert_eq!(code(&output), Some(4));
    let text = said(&output.stderr);
    assert!(text.contains("sudo westwood kernel") && text.lines().count() == 1, "{text}");
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

#[test]
fn connections_are_watched_where_they_are() {
    let Some(_kernel) = kernel() else { return };
    assert_eq!(code(&westwood(&["load", "westwood_plus"])), Some(0));
    let mut running = transfer("2 4 30 20 100 0 0 0 0");
    std::thread::sleep(Duration::from_secs(2));
    let csv = Path::new(env!("CARGO_TARGET_TMPDIR")).join("watch.csv");
    let output = Command::new("nsenter")
        .arg(format!("--net=/proc/{}/ns/net", running.id()))
        .arg(env!("CARGO_BIN_EXE_westwood"))
        .args(["kernel", "watch", "--time", "1ms", "--csv"])
        .arg(&csv)
        .output()
        .unwrap();
    assert_eq!(code(&output), Some(0), "{}", said(&output.stderr));
    assert!(running.wait().unwrap().success());
    let text = std::fs::read_to_string(&csv).unwrap();
    let rows: Vec<Vec<&str>> = text.lines().skip(1).map(|l| l.split(',').collect()).collect();
    let senders: Vec<_> = rows.iter().filter(|r| r[3] == "10.77.0.2:5999").collect();
    assert_eq!(senders.len() % 2, 0);
    assert!(!senders.is_empty(), "{text}");
    for row in senders {
        let number = |at: usize| row[at].parse::<u64>().unwrap();
        assert_eq!(row[1], "westwood_plus");
        // Two flows share 30 Mbit/s, with 20 ms between them and a buffer of 40 ms.
        assert!((1_000_000..60_000_000).contains(&number(7)), "{text}");
        assert!((20_000..40_000).contains(&number(8)), "{text}");
    }
}

#[test]
fn what_is_recorded_is_verified_and_a_changed_answer_is_found() {
    let Some(_kernel) = kernel() else { return };
    assert_eq!(code(&westwood(&["load", "westwood_plus"])), Some(0));
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("recording");
    let mut recorder = Command::new(env!("CARGO_BIN_EXE_westwood"))
        .args(["kernel", "record", "--port", "5999", "--time", "6s", "-o"])
        .arg(&path)
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    std::thread::sleep(Duration::from_secs(1));
    assert!(transfer("2 3 20 20 60 50 50 4 0").wait().unwrap().success());
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
    let mut recorder = Command::new(env!("CARGO_BIN_EXE_westwood"))
        .args(["kernel", "verify", "--live"])
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    std::thread::sleep(Duration::from_secs(1));
    recorder.kill().unwrap();
    recorder.wait().unwrap();
    assert!(transfer("1 1 20 20 60 0 0 0 0").wait().unwrap().success());
    let began = Instant::now();
    while code(&westwood(&["verify", "--live", "--time", "1ms"])) != Some(5) {
        assert!(began.elapsed() < Duration::from_secs(6), "its lease does not end");
        std::thread::sleep(Duration::from_millis(200));
    }
    assert_eq!(load::rings(), 0);
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
            eprintln!("skipped: {command} is needed for Debian's 6.1");
            return;
        }
    }
    let output = Command::new("sh")
        .arg(root.join("scripts/linux-6.1"))
        .arg(root.join("crates/kernel/tests/linux-6.1.sh"))
        .env("WESTWOOD", env!("CARGO_BIN_EXE_westwood"))
        .output()
        .unwrap();
    let text = said(&output.stdout);
    assert!(text.contains("job ended: 0"), "{text}{}", said(&output.stderr));
    assert!(text.contains("6.1."), "{text}");
    assert_eq!(text.matches("verdict: equal").count(), 4, "{text}");
}
