//! Receivers that misbehave: Savage et al., 1999, section 2; RFC 9743 section 7.6.

use crate::support::{Host, Script, config, ms, segment};
use westwood_tcp::{
    AckOptions, AckSegment, Config, Credit, DataSegment, ReceiverBehaviour, Recovery,
};

fn host(receiver: ReceiverBehaviour) -> Host {
    Host::new(&Config { receiver, ..config(Recovery::Sack, 10) })
}

/// All ACKs upon a segment, in order: what they acknowledge, and the parts beyond.
fn acks(host: &mut Host, seq: u64) -> Vec<(u64, Option<u32>)> {
    let last = host.data(seq);
    let mut all = Vec::new();
    while let Some(ack) = host.receiver.take_prior() {
        all.push(ack);
    }
    all.extend(last);
    all.iter().map(|ack| (ack.ack, ack.options.part())).collect()
}

fn part(ack: u64, part: u32) -> AckSegment {
    let mut options = AckOptions::NONE;
    options.set_part(part);
    AckSegment { ack, options, echo: None, ece: false, eln: false }
}

#[test]
fn a_divided_ack_is_equal_parts_of_what_it_covers() {
    let mut host = host(ReceiverBehaviour::Divide { pieces: 3 });
    assert_eq!(acks(&mut host, 0), [(0, Some(1)), (0, Some(2)), (1, None)]);
    // A duplicate covers nothing that could be divided.
    assert_eq!(acks(&mut host, 2), [(1, None)]);
    // Two segments in three parts.
    assert_eq!(acks(&mut host, 1), [(1, Some(2)), (2, Some(1)), (3, None)]);
}

#[test]
fn a_part_counts_once_and_only_where_acks_count() {
    for (credit, grows) in
        [(Credit::PerAck, true), (Credit::PerSegment, false), (Credit::Limited, false)]
    {
        let receiver = ReceiverBehaviour::Divide { pieces: 3 };
        let base = config(Recovery::NewReno, 10);
        let config =
            Config { receiver, credit, initial_ssthresh: westwood_cc::Segments::MAX, ..base };
        let mut s = Script::new(&config);
        let grown = |n: u64| if grows { 10 + n } else { 10 };
        for (ack, window) in [(part(0, 1), 1), (part(0, 2), 2), (part(0, 2), 2), (part(0, 1), 2)] {
            let now = s.present();
            s.sender.on_ack(now, &ack);
            assert_eq!(s.cwnd(), grown(window), "{credit:?}");
        }
        assert_eq!(s.sender.snd_una(), 0);
        // The whole segment counts one more, and bytes are worth one in all.
        s.ack(1);
        assert_eq!(s.cwnd(), if grows { 13 } else { 11 }, "{credit:?}");
        assert_eq!(s.sender.counts().fast_recoveries, 0);
    }
}

#[test]
fn spoofed_duplicates_follow_each_ack() {
    let mut host = host(ReceiverBehaviour::Spoof { extra: 2 });
    assert_eq!(acks(&mut host, 0), [(1, None); 3]);
    assert_eq!(acks(&mut host, 1), [(2, None); 3]);
}

#[test]
fn an_optimistic_receiver_takes_a_lead_and_hides_what_is_missing() {
    let mut host = host(ReceiverBehaviour::Optimistic { lead: 3 });
    let claimed: Vec<u64> = [0, 1, 2, 3, 6].iter().map(|&seq| acks(&mut host, seq)[0].0).collect();
    assert_eq!(claimed, [2, 4, 6, 7, 10]);
    // Segments 4 and 5 count as not delivered.
    assert_eq!(host.receiver.counts().delivered, 5);
    // An old segment comes again: the sender has not believed the lead.
    host.now += ms(300);
    let old = DataSegment { retransmission: true, ..segment(6, host.now) };
    let ack = host.segment(&old, false).expect("an ACK");
    assert_eq!((ack.ack, ack.echo), (7, Some(host.now)));
    assert!(ack.options.has_no_block());
}

#[test]
fn withheld_acks_come_for_so_many_segments_or_after_a_time() {
    let mut host = host(ReceiverBehaviour::Withhold { segments: 4, time: ms(50) });
    let first: Vec<_> = (0..4).map(|seq| acks(&mut host, seq)).collect();
    assert_eq!(first, [vec![], vec![], vec![], vec![(4, None)]]);
    assert!(acks(&mut host, 4).is_empty());
    host.now += ms(20);
    assert!(acks(&mut host, 5).is_empty());
    // 50 ms after the first of them.
    assert_eq!(host.receiver.deadline(), host.now + ms(30));
    host.now = host.receiver.deadline();
    assert_eq!(host.receiver.on_timer(host.now).expect("an ACK").ack, 6);
    assert!(acks(&mut host, 6).is_empty());
}
