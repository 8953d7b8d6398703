//! `westwood estimate`: a capture of a simulated transfer, from the file to tables, curves and pages.

mod support;

use serde_json::Value;
use support::Folder;

/// A capture at the sender of a westwood+ transfer over 10 Mbit/s and 100 ms.
const CAPTURED: [&str; 12] = [
    "compare",
    "--cc",
    "westwood+",
    "--time",
    "20s",
    "--warmup",
    "0s",
    "--seeds",
    "1",
    "--quiet",
    "--pcap",
    "caps",
];
const FILE: &str = "caps/1-westwood+-seed1-sender-of-flow-1.pcapng";

fn captured() -> Folder {
    let folder = Folder::new();
    let run = folder.run(&[&CAPTURED[..], &["--json", "run.json"]].concat());
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    folder
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

#[test]
fn a_capture_of_a_run_shows_its_goodput_and_every_estimator() {
    let folder = captured();
    let run = folder.run(&["estimate", FILE, "--json", "-"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let document = json(&run.stdout);
    assert_eq!(document["schema"], "westwood.estimate/1");
    let transfer = &document["transfers"][0];
    let goodput = json(&folder.read("run.json"))["runs"][0]["goodput_bps"].as_f64().unwrap();
    let delivered = transfer["delivered_bps"].as_f64().unwrap();
    // The first round trip is without delivery, and ACKs are half a round trip behind.
    assert!((delivered / goodput - 1.0).abs() < 0.02, "{delivered} {goodput}");
    assert_eq!(transfer["packet_bytes"], 1448);
    let names: Vec<_> = transfer["estimators"].as_array().unwrap().iter().collect();
    let names: Vec<_> = names.iter().map(|e| e["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["westwood", "westwood+a", "westwood+b", "linux", "packet-pair", "hoe"]);
}

#[test]
fn every_output_is_written_and_the_terminal_has_the_table() {
    let folder = captured();
    let run = folder.run(&[
        "estimate",
        FILE,
        "--csv",
        "e.csv",
        "--html",
        "e.html",
        "--svg",
        "figures",
        "--interval",
        "0s",
    ]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    for said in ["delivered", "westwood+b", "packet-pair", "10.0.0.3:49152 > 10.0.0.4:5001"] {
        assert!(run.stdout.contains(said), "{said}: {}", run.stdout);
    }
    let csv = folder.read("e.csv");
    let mut lines = csv.lines();
    let head = "from,to,time_s,delivered_bps,westwood_bps,westwood+a_bps,westwood+b_bps,linux_bps,\
                packet-pair_bps,hoe_bps";
    assert_eq!(lines.next(), Some(head));
    assert!(lines.count() > 3_000, "a line for every ACK");
    assert!(folder.read("e.html").contains("<svg"));
    for name in ["figures/1_westwood.svg", "figures/1_pairs.svg"] {
        assert!(folder.read(name).contains("<svg"), "{name}");
    }
}

#[test]
fn a_capture_that_is_cut_off_is_used_and_said_to_be() {
    let folder = captured();
    let bytes = std::fs::read(folder.path().join(FILE)).unwrap();
    std::fs::write(folder.path().join("cut.pcapng"), &bytes[..bytes.len() - 7]).unwrap();
    let run = folder.run(&["estimate", "cut.pcapng"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(run.stdout.contains("note: the file ends within a packet"), "{}", run.stdout);
}

#[test]
fn one_direction_alone_gives_no_table_of_zeros() {
    let folder = captured();
    let run = folder.run(&["estimate", "caps/1-westwood+-seed1-bottleneck.pcapng"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let said = run.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains("nothing can be estimated"), "{said}");
    for absent in ["of them no TCP", "in 0.0 s", "0.000", "packet-pair", "off by"] {
        assert!(!said.contains(absent), "{absent}: {said}");
    }
    let bytes = std::fs::read(folder.path().join(FILE)).unwrap();
    std::fs::write(folder.path().join("head.pcapng"), &bytes[..200]).unwrap();
    let run = folder.run(&["estimate", "head.pcapng"]);
    assert_eq!(run.code, Some(2), "{run:?}");
    assert!(run.stderr.contains("shows no TCP data (0 packets; the file "), "{run:?}");
}

/// A pcap file of one packet of this link type.
fn packet_of_link(number: u32, packet: &[u8]) -> Vec<u8> {
    let len = u32::try_from(packet.len()).unwrap();
    let words = [0xa1b2_c3d4, 0x0004_0002, 0, 0, 65_535, number, 1, 0, len, len];
    let mut file: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    file.extend(packet);
    file
}

#[test]
fn a_link_type_that_is_not_read_is_named() {
    let folder = Folder::new();
    for (number, said) in [
        // IEEE 802.11, alone and with the length of a checksum above it.
        (
            105,
            "(1 packet, 1 of link type 105, which is not read); capture at the sender, on a link",
        ),
        (
            0x2400_0069,
            "(1 packet, 1 of link type 105, which is not read); capture at the sender, on a link",
        ),
        (0x2400_0001, "(1 packet, 1 of them no TCP); capture at the sender with tcpdump"),
    ] {
        std::fs::write(folder.path().join("link.pcap"), packet_of_link(number, &[0; 60])).unwrap();
        let run = folder.run(&["estimate", "link.pcap"]);
        assert_eq!(run.code, Some(2), "{run:?}");
        assert!(run.stderr.contains(said), "{run:?}");
    }
}

#[test]
fn what_cannot_be_used_is_refused_in_one_line() {
    let folder = Folder::new();
    folder.write("text.txt", "this is a text of more than twenty-four bytes");
    folder.write("empty.pcap", "");
    for (arguments, said) in [
        (&["estimate"][..], "CAPTURE> is missing"),
        (&["estimate", "absent.pcap"], "'absent.pcap' cannot be read"),
        (&["estimate", "."], "'.' is a directory"),
        (&["estimate", "text.txt"], "'text.txt' is neither a pcap nor a pcapng file"),
        (&["estimate", "empty.pcap"], "'empty.pcap' is empty"),
        (&["estimate", "text.txt", "--window", "0s"], "--window"),
        (&["estimate", "text.txt", "--segment", "0"], "--segment"),
        (&["estimate", "text.txt", "--transfers", "0"], "--transfers"),
    ] {
        let run = folder.run(arguments);
        assert_eq!(run.code, Some(2), "{arguments:?}");
        assert!(run.stderr.contains(said), "{arguments:?}: {}", run.stderr);
        assert_eq!(run.stderr.trim_end().lines().count(), 1, "{}", run.stderr);
    }
    assert_eq!(folder.names(), ["empty.pcap", "text.txt"]);
}
