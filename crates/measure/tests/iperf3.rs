//! Against a stock iperf3 server on the loopback interface. Without iperf3 these tests skip, unless
//! `WESTWOOD_REQUIRE_KERNEL` is set.

#![allow(clippy::unwrap_used, reason = "a test may")]

#[path = "../../emu/tests/support/judged.rs"]
mod judged;

use std::io::{BufRead as _, BufReader};
use std::net::TcpListener;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use westwood_measure::{Amount, Client, MeasureError, ServerAddress};

/// An iperf3 server that ends with the test.
struct Iperf3 {
    child: Child,
    server: ServerAddress,
    /// Its output.
    lines: Receiver<String>,
}

impl Iperf3 {
    fn start() -> Option<Self> {
        // A port that was free a moment ago.
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let mut command = Command::new("iperf3");
        command.args(["--server", "--forceflush", "--bind", "127.0.0.1", "--port"]);
        let started = command.arg(port.to_string()).stdout(Stdio::piped()).spawn();
        let Ok(mut child) = started else {
            judged::skipped("no iperf3 to measure against: install the package iperf3");
            return None;
        };
        let said = BufReader::new(child.stdout.take().unwrap()).lines();
        let (to, lines) = channel();
        // No server may listen any more.
        std::thread::spawn(move || said.for_each(|line| drop(to.send(line.unwrap()))));
        let iperf3 =
            Self { child, server: ServerAddress { host: "127.0.0.1".to_owned(), port }, lines };
        iperf3.says("listening");
        Some(iperf3)
    }

    /// Waits until it says that.
    fn says(&self, what: &str) {
        const PATIENCE: Duration = Duration::from_secs(60);
        while !self.lines.recv_timeout(PATIENCE).expect("iperf3 says it").contains(what) {}
    }
}

impl Drop for Iperf3 {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

const INTERVAL: Duration = Duration::from_millis(20);
static NOT_INTERRUPTED: AtomicBool = AtomicBool::new(false);

#[test]
fn transfers_of_a_size_are_received_whole_by_every_controller_again_and_again() {
    let Some(iperf3) = Iperf3::start() else { return };
    let client = Client::new(&iperf3.server, &NOT_INTERRUPTED, INTERVAL);
    // Without a pause between them: the server is away for a moment after each.
    let both = ["reno", "cubic"].into_iter().filter(|name| judged::kernel_has(name));
    for controller in both.collect::<Vec<_>>().repeat(5) {
        let measured = client.run(controller, Amount::SizeBytes(3_000_000), 1).unwrap();
        assert_eq!(measured.received_bytes, 3_000_000);
        assert!(measured.goodput_bps > 0.0 && measured.duration_s > 0.0);
    }
}

#[test]
fn several_flows_for_a_time_are_counted_by_the_server() {
    let Some(iperf3) = Iperf3::start() else { return };
    let client = Client::new(&iperf3.server, &NOT_INTERRUPTED, INTERVAL);
    let began = Instant::now();
    let measured = client.run("reno", Amount::TimeMs(2_000), 3).unwrap();
    let took = began.elapsed().as_secs_f64();
    assert!((2.0..=took).contains(&measured.duration_s), "{} of {took}", measured.duration_s);
    assert_eq!(measured.flow_goodputs_bps.len(), 3);
    assert!(measured.flow_goodputs_bps.iter().all(|goodput| *goodput > 0.0));
    assert!(measured.received_bytes > 0);
    for flow in 1..=3 {
        let mut of = measured.samples.iter().filter(|s| s.flow == flow);
        assert!(of.clone().is_sorted_by_key(|s| s.acked_bytes) && of.all(|s| s.cwnd_packets > 0));
    }
    assert!(measured.samples.iter().any(|s| s.acked_bytes > 0), "samples see how far it is");
}

#[test]
fn an_interrupted_test_leaves_the_server_free_for_the_next() {
    let Some(iperf3) = Iperf3::start() else { return };
    let interrupted = AtomicBool::new(true);
    let client = Client::new(&iperf3.server, &interrupted, INTERVAL);
    let stopped = client.run("reno", Amount::TimeMs(60_000), 1);
    assert!(matches!(stopped, Err(MeasureError::Interrupted)), "{stopped:?}");
    let next = Client::new(&iperf3.server, &NOT_INTERRUPTED, INTERVAL);
    next.run("reno", Amount::SizeBytes(1_000), 1).unwrap();
}

#[test]
fn a_server_that_ends_in_the_middle_is_an_error_that_says_so() {
    let Some(mut iperf3) = Iperf3::start() else { return };
    let server = iperf3.server.clone();
    let client = Client::new(&server, &NOT_INTERRUPTED, INTERVAL);
    let error = std::thread::scope(|scope| {
        let run = scope.spawn(|| client.run("reno", Amount::TimeMs(600_000), 1));
        iperf3.says("connected to");
        iperf3.child.kill().unwrap();
        run.join().unwrap().unwrap_err()
    });
    assert!(matches!(error, MeasureError::Closed | MeasureError::Connection(_)), "{error}");
}

#[test]
fn a_port_where_nobody_listens_is_told_with_the_way_to_mend_it() {
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let server = ServerAddress { host: "127.0.0.1".to_owned(), port };
    let client = Client::new(&server, &NOT_INTERRUPTED, INTERVAL);
    let error = client.run("reno", Amount::TimeMs(1_000), 1).unwrap_err().to_string();
    assert!(error.contains("run iperf3 -s there"), "{error}");
}
