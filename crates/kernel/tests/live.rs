//! Controllers in the running kernel, under live transfers over bad paths.
#![cfg(feature = "load")]

#[path = "common/turn.rs"]
mod turn;
#[path = "common/wait.rs"]
mod wait;

use std::fs::File;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::os::fd::AsFd as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use socket2::SockRef;
use westwood_cc::Rate;
use westwood_kernel::estimate::Estimates;
use westwood_kernel::load::{self, LoadOutcome, Loaded};
use westwood_kernel::record::Recorder;
use westwood_kernel::{
    CONTROLLERS, CallKind, Event, KernelController, KernelError, ReplayVerdict, Verifier,
    environment,
};
use westwood_scenario::spec::ControllerSpec;

use wait::wait_until;

/// The kernel, if this machine lets us have it and nobody else uses our names; else one line.
fn kernel() -> Option<File> {
    let turn = turn::turn();
    let device = File::options().read(true).write(true).open("/dev/net/tun");
    let why = match environment::ready().and_then(|()| load::loaded()) {
        Err(error) => error.to_string(),
        Ok(loaded) if loaded.iter().any(|l| l.registered) => {
            "somebody has loaded our controllers".to_owned()
        }
        Ok(_) => match device {
            Err(error) => format!("/dev/net/tun cannot be opened: {error}"),
            Ok(_) => return Some(turn),
        },
    };
    assert!(std::env::var_os("WESTWOOD_REQUIRE_KERNEL").is_none(), "needed: {why}");
    // Past the test harness, which would keep it to itself.
    let _ = writeln!(std::io::stderr(), "skipped: {why}");
    None
}

/// Loaded for a test, unloaded after it even if it fails.
struct Present(KernelController);

impl Present {
    fn new(name: &str, parameters: &str) -> Self {
        let controller = KernelController::named(name).unwrap();
        let spec = ControllerSpec::parse(&format!("{}{parameters}", controller.simulated)).unwrap();
        assert_eq!(load::load(&controller, &spec, false).unwrap(), LoadOutcome::New);
        Self(controller)
    }
}

impl Drop for Present {
    fn drop(&mut self) {
        if let Ok(loaded) = load::find(&self.0) {
            let _ = load::unload(&loaded);
        }
    }
}

/// The program that makes connections over a bad path, in a network namespace of its own.
fn traffic() -> &'static Path {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    PROGRAM.get_or_init(|| {
        let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join("traffic");
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/traffic/traffic.c");
        let built = Command::new("cc")
            .args(["-O2", "-Wall", "-Wextra", "-Werror", "-o"])
            .arg(&program)
            .arg(source)
            .status();
        assert!(built.unwrap().success());
        program
    })
}

/// Flows, seconds, Mbit/s, ms, packets of buffer, losses and reorderings in 10,000, ms between
/// bursts of ACKs, ms of outage every two seconds.
fn transfer(controller: &str, path: &str) -> Child {
    Command::new(traffic())
        .arg(controller)
        .args(path.split(' '))
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

/// The bytes that were delivered in the end; that no connection broke.
fn delivered(transfer: Child) -> u64 {
    let output = transfer.wait_with_output().unwrap();
    assert!(output.status.success(), "a connection broke");
    let told = String::from_utf8(output.stdout).unwrap();
    told.lines().next_back().unwrap().parse().unwrap()
}

/// The bytes that a transfer has delivered so far, told now and then.
fn deliveries(transfer: &mut Child) -> impl Iterator<Item = u64> + use<> {
    let lines = BufReader::new(transfer.stdout.take().unwrap()).lines();
    lines.map(|line| line.unwrap().parse().unwrap())
}

fn end(transfer: &mut Child) {
    let ended = Command::new("kill").args(["-TERM", &transfer.id().to_string()]).status();
    assert!(ended.unwrap().success());
    assert!(transfer.wait().unwrap().success(), "a connection broke");
}

/// Every call of the connections of a transfer.
fn recorded(loaded: &Loaded, path: &str, mut take: impl FnMut(&Event)) {
    let recorder = Recorder::new(loaded, 1 << 24).unwrap();
    let mut child = Some(transfer(loaded.controller.name, path));
    recorder
        .run(
            || child.as_mut().is_none_or(|c| c.try_wait().unwrap().is_some()),
            |bytes| take(&Event::from_bytes(bytes.first_chunk().unwrap()).unwrap()),
        )
        .unwrap();
    assert!(delivered(child.take().unwrap()) > 0);
}

/// Every call of the connections of a transfer, through the simulator's controller.
fn verified(name: &str, parameters: &str, path: &str) -> Verifier {
    let present = Present::new(name, parameters);
    let loaded = load::find(&present.0).unwrap();
    let mut verifier = Verifier::new(ControllerSpec::parse(&loaded.spec).unwrap().choice);
    recorded(&loaded, path, |event| verifier.take(event));
    verifier
}

/// Losses, reordering and compressed ACKs.
const LOSSY: &str = "4 5 30 40 60 50 40 6 0";
/// The same, and half a second without anything every two seconds.
const OUTAGES: &str = "4 7 20 40 60 30 40 6 700";

fn kernel_and_simulator_agree(name: &str, parameters: &str) {
    let Some(_kernel) = kernel() else { return };
    for path in [LOSSY, OUTAGES] {
        let verifier = verified(name, parameters, path);
        let tally = verifier.tally();
        assert_eq!(verifier.verdict(), ReplayVerdict::Equal, "{tally}{:?}", tally.first);
        assert_eq!((tally.connections, tally.earlier), (4, 0), "{tally}");
        assert!(tally.acks > 100 && tally.growths > 50 && tally.reductions > 4, "{tally}");
        assert!(path == LOSSY || tally.timeouts > 0, "{tally}");
    }
}

#[test]
fn westwood_in_the_kernel_is_that_of_the_simulator() {
    kernel_and_simulator_agree("westwood_2002", "");
}

#[test]
fn westwood_without_decay_in_the_kernel_is_that_of_the_simulator() {
    kernel_and_simulator_agree("westwood_2002", "(decay=off)");
}

#[test]
fn westwood_plus_in_the_kernel_is_that_of_the_simulator() {
    kernel_and_simulator_agree("westwood_plus", "");
}

#[test]
fn westwood_plus_with_filter_a_and_guard_is_that_of_the_simulator() {
    kernel_and_simulator_agree("westwood_plus", "(filter=a,guard=true,start=settled,rtt=smoothed)");
}

#[test]
fn probing_in_the_kernel_is_that_of_the_simulator() {
    kernel_and_simulator_agree("westwood_probe", "(threshold=20,pacing=on)");
}

#[test]
fn log_westwood_in_the_kernel_is_that_of_the_simulator() {
    kernel_and_simulator_agree("log_westwood", "");
}

/// Children whose parents are gone, one after another, which process 1 has to bury.
fn keep_process_1_busy(while_this_runs: impl FnOnce()) {
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !over.load(Ordering::Relaxed) {
                let orphans = "for i in 1 2 3 4 5 6 7 8; do ((:) & (:) & (:) &); done";
                assert!(Command::new("sh").args(["-c", orphans]).status().unwrap().success());
            }
        });
        while_this_runs();
        over.store(true, Ordering::Relaxed);
    });
}

#[test]
fn a_threshold_that_no_controller_answered_does_not_outlive_the_next_ack() {
    /// `TCP_INFINITE_SSTHRESH`, and the most that a controller answers.
    const NONE: u32 = 0x7fff_ffff;
    const MOST: u32 = 1 << 24;
    let Some(_kernel) = kernel() else { return };
    let present = Present::new("log_westwood", "");
    let loaded = load::find(&present.0).unwrap();
    let (mut acks, mut wild) = (0, None);
    keep_process_1_busy(|| {
        recorded(&loaded, LOSSY, |event| {
            let before = event.before;
            let sane = before.ssthresh == NONE || before.ssthresh <= MOST;
            if event.kind == CallKind::Measure {
                acks += 1;
                wild = wild.or((!sane || before.cwnd > MOST).then_some(*event));
            }
        });
    });
    assert!(acks > 100 && wild.is_none(), "{acks} ACKs, {wild:?}");
}

#[test]
fn a_controller_loads_once_whatever_is_asked_and_unloads_without_a_trace() {
    let Some(_kernel) = kernel() else { return };
    for controller in CONTROLLERS {
        let spec = ControllerSpec::parse(controller.simulated).unwrap();
        let other = ControllerSpec::parse(&format!("{}(tau=1s)", controller.simulated)).unwrap();
        assert_eq!(load::load(&controller, &spec, false).unwrap(), LoadOutcome::New);
        assert_eq!(load::load(&controller, &spec, false).unwrap(), LoadOutcome::Already);
        let refused = load::load(&controller, &other, false);
        assert!(matches!(refused, Err(KernelError::AlreadyLoaded { .. })));
        assert!(environment::available().unwrap().iter().any(|name| name == controller.name));
        let loaded = load::find(&controller).unwrap();
        assert_eq!((loaded.users, loaded.opened, loaded.is_default), (0, 0, false));
        load::unload(&loaded).unwrap();
        assert!(matches!(load::find(&controller), Err(KernelError::NotLoaded(_))));
        assert!(environment::available().unwrap().iter().all(|name| name != controller.name));
    }
}

#[test]
fn unloading_breaks_no_connection_and_leaves_nothing_when_they_end() {
    let Some(_kernel) = kernel() else { return };
    let present = Present::new("westwood_plus", "");
    let id = load::find(&present.0).unwrap().id();
    // Connections of others may still keep what they had; they are no concern of this test.
    let leaving = || load::loaded().unwrap().into_iter().find(|l| l.id() == id && !l.registered);
    let began = Instant::now();
    let mut running = transfer("westwood_plus", "4 600 30 20 100 0 0 0 0");
    let mut told = deliveries(&mut running);
    wait_until("four connections", || load::find(&present.0).unwrap().users == 4);
    load::unload(&load::find(&present.0).unwrap()).unwrap();
    let before = began.elapsed();
    assert_eq!(leaving().map(|l| l.users), Some(4));
    // The name is free while the old connections go on, and the new one knows nothing of them.
    let again = Present::new("westwood_plus", "(tau=1s)");
    assert_eq!(load::find(&again.0).unwrap().users, 0);
    drop(again);
    // More than 30 Mbit/s could carry before the unloading.
    let at_most_before = 30_000_000 / 8 * before.as_millis() / 1_000;
    assert!(told.any(|bytes| u128::from(bytes) > at_most_before), "connections go on: {before:?}");
    end(&mut running);
    wait_until("the controller goes", || leaving().is_none());
}

#[test]
fn an_unloaded_controller_is_shown_while_a_listener_gives_it_to_new_connections() {
    let Some(_kernel) = kernel() else { return };
    let present = Present::new("westwood_plus", "");
    let loaded = load::find(&present.0).unwrap();
    let leaving = || load::loaded().unwrap().into_iter().find(|l| l.id() == loaded.id());
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    SockRef::from(&listener).set_tcp_congestion(b"westwood_plus").unwrap();
    let unloaded = load::unload(&loaded).unwrap();
    assert_eq!((unloaded.users, unloaded.holders, unloaded.default), (0, 1, None));
    let users = || leaving().map(|l| (l.registered, l.users, l.holders));
    assert_eq!(users(), Some((false, 0, 1)));
    let _connecting = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    let accepted = listener.accept().unwrap().0;
    assert!(SockRef::from(&accepted).tcp_congestion().unwrap().starts_with(b"westwood_plus"));
    assert_eq!(users(), Some((false, 1, 1)));
    drop(listener);
    assert_eq!(users(), Some((false, 1, 0)));
    drop(accepted);
    wait_until("the controller goes", || leaving().is_none());
}

#[test]
fn a_recorder_that_cannot_keep_up_says_so() {
    let Some(_kernel) = kernel() else { return };
    let present = Present::new("westwood_plus", "");
    let loaded = load::find(&present.0).unwrap();
    let recorder = Recorder::new(&loaded, 4_096).unwrap();
    assert!(matches!(Recorder::new(&loaded, 4_096), Err(KernelError::Recorded(_))));
    let mut verifier = Verifier::new(ControllerSpec::parse("westwood+").unwrap().choice);
    let mut child = Some(transfer("westwood_plus", "2 3 30 20 100 0 0 0 0"));
    recorder
        .run(
            || child.as_mut().is_none_or(|c| c.try_wait().unwrap().is_some()),
            |bytes| {
                std::thread::sleep(Duration::from_millis(20));
                verifier.take(&Event::from_bytes(bytes.first_chunk().unwrap()).unwrap());
            },
        )
        .unwrap();
    delivered(child.take().unwrap());
    assert_eq!(verifier.verdict(), ReplayVerdict::Incomplete);
    assert_eq!(verifier.tally().different, 0);
    // The next one may listen at once.
    drop(Recorder::new(&loaded, 4_096).unwrap());
}

#[test]
fn the_estimate_of_a_socket_is_read_from_it_and_from_no_other() {
    let Some(_kernel) = kernel() else { return };
    let _present = Present::new("westwood_plus", "");
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let connected = || {
        let ours = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        (ours, listener.accept().unwrap().0)
    };
    let ((mut sender, mut receiver), (silent, other)) = (connected(), connected());
    for socket in [&sender, &silent] {
        SockRef::from(socket).set_tcp_congestion(b"westwood_plus").unwrap();
    }
    let estimates = Estimates::new().unwrap();
    let of = |socket: &TcpStream| estimates.of(socket.as_fd());
    wait_until("an estimate", || {
        sender.write_all(&[0; 16_384]).unwrap();
        receiver.read_exact(&mut [0; 16_384]).unwrap();
        of(&sender) > Some(Rate::default())
    });
    assert_eq!([of(&silent), of(&receiver), of(&other)], [Some(Rate::default()), None, None]);
}
