//! The emulator over real devices of the running kernel.

mod support;

use std::net::UdpSocket;
use std::sync::{Arc, Mutex};
use std::time::Duration as Span;

use nix::sys::socket::{setsockopt, sockopt};
use support::judged::skipped;
use support::{host, kernel_helps};
use westwood_cc::{Bytes, Duration, Instant, Rate};
use westwood_emu::emulation::EmulationOutcome;
use westwood_emu::stale_processes::end_all;
use westwood_emu::{CarrierProbes, Counters, Emulation, FlowDirection, FlowEnd, Host, Observer};
use westwood_net::{Interval, Limit, LinkConfig, LossConfig, PacketFate, PredictedLink};
use westwood_sim::{FlowSpec, LinkId, LinkSpec, Network, Probes, Traffic};

/// A path of one link each way, which is all that matters of a network here.
fn network(there: LinkConfig) -> Network {
    let back = LinkConfig::new(
        Rate::from_bits_per_s(1_000_000_000),
        Duration::from_millis(1),
        Limit::Unlimited,
    );
    let spec = |name: &str, from, to, config| LinkSpec { name: name.into(), from, to, config };
    let any = Traffic::Udp {
        rate: Rate::from_bits_per_s(1),
        size: Bytes::new(1),
        phases: westwood_sim::Phases::Always,
        poisson: false,
    };
    Network {
        nodes: vec!["client".into(), "server".into()],
        links: vec![spec("there", 0, 1, there.into()), spec("back", 1, 0, back.into())],
        flows: vec![FlowSpec {
            path: Some(vec![0]),
            return_path: Some(vec![1]),
            ..FlowSpec::between("flow", 0, 1, any)
        }],
        agents: Vec::new(),
        seed: 7,
        duration: Duration::from_secs(60),
        warmup: Duration::ZERO,
        probes: Probes::default(),
    }
}

/// A packet's time and contents.
type Passed = (Instant, Vec<u8>);

/// The packets that entered the path, and those that came off its link.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<(Vec<Passed>, Vec<Passed>)>>);

impl Observer for Log {
    fn entered(&mut self, at: Instant, way: FlowDirection, packet: &[u8]) {
        if way.from == FlowEnd::Client {
            self.0.lock().unwrap().0.push((at, packet.to_vec()));
        }
    }

    fn came_off(&mut self, at: Instant, link: LinkId, packet: &[u8]) {
        if link == 0 {
            self.0.lock().unwrap().1.push((at, packet.to_vec()));
        }
    }

    /// There is one link, whose far end is the end of the way.
    fn arrived(&mut self, _: Instant, _: FlowDirection, _: &[u8]) {}
}

fn started<O: Observer + Send + 'static>(network: &Network, observer: O) -> Emulation<O> {
    let hosts = vec![
        Host::new(&host(FlowEnd::Client)).unwrap(),
        Host::new(&host(FlowEnd::Server)).unwrap(),
    ];
    Emulation::start(network, hosts, vec![(0, 1)], CarrierProbes::default(), observer).unwrap()
}

/// A datagram socket at a host, and where the other host listens.
fn socket(
    emulation: &Emulation<impl Observer + Send + 'static>,
    end: FlowEnd,
    v6: bool,
) -> UdpSocket {
    let host = &emulation.hosts()[usize::from(end == FlowEnd::Server)];
    let bound = host.namespace.enter(|| {
        if v6 {
            UdpSocket::bind((end.ipv6(0), 5_001))
        } else {
            UdpSocket::bind((end.ipv4(0), 5_001))
        }
    });
    let socket = bound.unwrap();
    // Room for all that a test sends, however late it is read.
    setsockopt(&socket, sockopt::RcvBufForce, &(1 << 22)).unwrap();
    socket.set_read_timeout(Some(Span::from_secs(60))).unwrap();
    let other = if end == FlowEnd::Client { FlowEnd::Server } else { FlowEnd::Client };
    if v6 {
        socket.connect((other.ipv6(0), 5_001)).unwrap();
    } else {
        socket.connect((other.ipv4(0), 5_001)).unwrap();
    }
    socket
}

/// So many datagrams, in order.
fn received(socket: &UdpSocket, count: u64) -> Vec<Vec<u8>> {
    let mut datagram = [0; 2_000];
    let mut next = || {
        let len = socket.recv(&mut datagram).expect("a datagram that was handed over comes");
        datagram[..len].to_vec()
    };
    (0..count).map(|_| next()).collect()
}

/// Waits until so many packets have entered the path and none is left inside; answers the totals.
fn carried(emulation: &Emulation<impl Observer + Send + 'static>, entered: u64) -> Counters {
    let begun = std::time::Instant::now();
    loop {
        let counters = emulation.counters();
        if counters.entered == entered && counters.inside == 0 {
            return counters;
        }
        assert!(begun.elapsed() < Span::from_secs(60), "{counters:?} of {entered}");
        std::thread::sleep(Span::from_millis(5));
    }
}

/// Sends a known schedule of datagrams, and hands back the log and the arrivals.
fn sent_by_schedule(there: LinkConfig, v6: bool) -> (Vec<Passed>, Vec<Passed>, Vec<Vec<u8>>) {
    let log = Log::default();
    let emulation = started(&network(there), log.clone());
    let (client, server) =
        (socket(&emulation, FlowEnd::Client, v6), socket(&emulation, FlowEnd::Server, v6));
    // Bursts that overflow, and pauses in which the queue drains a little.
    let mut number = 0_u32;
    for burst in [40, 3, 25, 1, 60, 10] {
        for _ in 0..burst {
            let mut datagram = vec![0; 200 + (number as usize * 97) % 1_200];
            datagram[..4].copy_from_slice(&number.to_be_bytes());
            client.send(&datagram).unwrap();
            number += 1;
        }
        std::thread::sleep(Span::from_millis(8));
    }
    let arrived = received(&server, carried(&emulation, u64::from(number)).arrived);
    let (finished, _) = emulation.finish().unwrap();
    assert_eq!((finished.unread, finished.carried.counters.refused), (0, 0));
    let log = std::mem::take(&mut *log.0.lock().unwrap());
    assert_eq!(log.0.len(), 139, "every datagram entered");
    (log.0, log.1, arrived)
}

/// The outcome of packets that enter at these times, by the simulator's other form of the link.
fn foreseen(there: &LinkConfig, entered: &[Passed]) -> Vec<Passed> {
    let interval = Interval { begin: Instant::ZERO, end: Instant::FAR_FUTURE };
    let mut link = PredictedLink::new(there, 7, "there", &interval).unwrap().unwrap();
    let mut arrivals = Vec::new();
    for (at, packet) in entered {
        let size = Bytes::new(packet.len() as u64);
        if let PacketFate::Arrives { at, .. } = link.offer(&interval, *at, size, false) {
            arrivals.push((at, packet.clone()));
        }
    }
    arrivals
}

#[test]
fn a_schedule_of_datagrams_leaves_as_the_simulator_computes() {
    if !kernel_helps() {
        return;
    }
    // So slow that the queue of twelve overflows even if a burst is sent with pauses.
    let rate = Rate::from_bits_per_s(2_000_000);
    let plain = LinkConfig::new(rate, Duration::from_millis(5), Limit::Packets(12));
    let lossy = LinkConfig { losses: vec![LossConfig::Bernoulli { p: 0.1 }], ..plain.clone() };
    let has_ipv6 = {
        let host = Host::new(&host(FlowEnd::Client)).unwrap();
        host.namespace.enter(|| UdpSocket::bind((FlowEnd::Client.ipv6(0), 0))).is_ok()
    };
    if !has_ipv6 {
        skipped("no IPv6: only IPv4's datagrams are sent");
    }
    for (there, v6) in [(plain, false), (lossy, has_ipv6)] {
        let header = if v6 { 48 } else { 28 };
        let (entered, left, arrived) = sent_by_schedule(there.clone(), v6);
        let expected = foreseen(&there, &entered);
        assert!(expected.len() < entered.len(), "the schedule fills the queue");
        assert_eq!(left, expected, "times, order, drops and bytes");
        let payloads: Vec<_> = expected.iter().map(|(_, p)| p[header..].to_vec()).collect();
        assert_eq!(arrived, payloads, "what the other host received");
    }
}

#[test]
fn listed_packets_are_lost_and_no_others() {
    if !kernel_helps() {
        return;
    }
    let rate = Rate::from_bits_per_s(100_000_000);
    let config = LinkConfig::new(rate, Duration::from_millis(2), Limit::Unlimited);
    let there = LinkConfig { losses: vec![LossConfig::List(vec![1, 5, 6, 139])], ..config };
    let (_, _, arrived) = sent_by_schedule(there, false);
    let number = |d: &Vec<u8>| u32::from_be_bytes([d[0], d[1], d[2], d[3]]);
    let numbers: Vec<u32> = arrived.iter().map(number).collect();
    let expected: Vec<u32> = (0..139).filter(|n| ![0, 4, 5, 138].contains(n)).collect();
    assert_eq!(numbers, expected);
}

#[test]
fn an_answer_takes_at_least_the_round_trip_time_of_the_path() {
    if !kernel_helps() {
        return;
    }
    let rate = Rate::from_bits_per_s(100_000_000);
    let there = LinkConfig::new(rate, Duration::from_millis(30), Limit::Unlimited);
    let emulation = started(&network(there), ());
    let (client, server) =
        (socket(&emulation, FlowEnd::Client, false), socket(&emulation, FlowEnd::Server, false));
    let begun = std::time::Instant::now();
    client.send(b"there").unwrap();
    assert_eq!(received(&server, 1), [b"there"]);
    let half = begun.elapsed();
    assert!(half >= Span::from_millis(30), "{half:?}");
    server.send(b"and back").unwrap();
    assert_eq!(received(&client, 1), [b"and back"]);
    let (finished, ()) = emulation.finish().unwrap();
    let counters = finished.carried.counters;
    assert_eq!((counters.entered, counters.arrived), (2, 2));
    assert_eq!(counters.entered_bytes, 5 + 8 + 2 * 28);
}

#[test]
fn too_late_a_path_is_not_to_be_believed() {
    let mut finished = EmulationOutcome::default();
    assert_eq!(finished.fault(Duration::from_micros(100)), None);
    finished.unread = 3;
    let fault = finished.fault(Duration::from_micros(100)).unwrap();
    assert!(fault.contains("lost 3 packets beside the path"), "{fault}");
}

#[test]
fn processes_in_a_namespace_are_ended_and_no_others() {
    if !kernel_helps() {
        return;
    }
    let host = Host::new(&host(FlowEnd::Client)).unwrap();
    let sleep = || {
        let mut command = std::process::Command::new("sleep");
        command.arg("600");
        command
    };
    let mut inside = host.namespace.spawn(&mut sleep()).unwrap();
    let mut outside = sleep().spawn().unwrap();
    end_all(&[&host.namespace]);
    assert!(!inside.wait().unwrap().success());
    assert!(outside.try_wait().unwrap().is_none(), "the other one goes on");
    outside.kill().unwrap();
    outside.wait().unwrap();
}
