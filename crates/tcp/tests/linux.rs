//! Linux 6.1's rules one by one: a sender driven by hand-made ACKs.

use westwood_cc::controller::{
    Ack, Cause, ControlScope, Controller, Grant, LostSegment, Reason, Reduction, Setup, Window,
};
use westwood_cc::controllers::{Choice, Info};
use westwood_cc::own::{self, OwnChoice, OwnController, StateWords};
use westwood_cc::{Bytes, Duration, Ecn, Instant, Rate, Segments};
use westwood_tcp::{
    AckOptions, AckPolicy, AckSegment, Config, Credit, DataSegment, Receiver, Recovery, RtoConfig,
    Sender, SeqRange,
};

const fn at(ms: u64) -> Instant {
    Instant::from_nanos(ms * 1_000_000)
}

const fn ms(n: u64) -> Duration {
    Duration::from_millis(n)
}

fn config() -> Config {
    Config {
        recovery: Recovery::Linux,
        acks: AckPolicy::LINUX,
        rto: RtoConfig { min: ms(200), ..RtoConfig::default() },
        credit: Credit::PerSegment,
        ..Config::default()
    }
}

/// A sender under test.
struct Bench {
    sender: Sender,
}

impl Bench {
    fn with(config: &Config) -> Self {
        Self::of("reno", config)
    }

    fn of(controller: &str, config: &Config) -> Self {
        let setup = Setup {
            smss: Bytes::new(1500),
            initial_window: config.initial_window,
            seed: 1,
            handshake_rtt: None,
            paced: false,
        };
        let controller = Choice::named(controller).expect("in the catalog");
        let mut sender = Sender::new(config, controller.build(&setup));
        sender.supply_forever();
        Self { sender }
    }

    /// Ten segments left at 0.
    fn started() -> Self {
        let mut bench = Self::with(&config());
        assert_eq!(bench.sent(0), (0..10).collect::<Vec<_>>());
        bench
    }

    fn without_timestamps() -> Self {
        let mut bench = Self::with(&Config { timestamps: false, ..config() });
        bench.sent(0);
        bench
    }

    /// The segments that leave now.
    fn sent(&mut self, now: u64) -> Vec<u64> {
        core::iter::from_fn(|| self.sender.transmit(at(now)))
            .flat_map(|burst| burst.segments())
            .map(|segment| segment.seq)
            .collect()
    }

    /// An ACK arrives; answers what leaves then. `echo`: the timestamp in ms, if any.
    fn ack(&mut self, now: u64, ack: u64, sack: &[(u64, u64)], echo: Option<u64>) -> Vec<u64> {
        let mut blocks = AckOptions::NONE;
        for &(start, end) in sack {
            blocks.push_block(SeqRange { start, end });
        }
        self.arrive(now, ack, blocks, echo, false)
    }

    /// An ACK arrives that reports segment `seq` as a duplicate.
    fn duplicate(&mut self, now: u64, ack: u64, seq: u64) -> Vec<u64> {
        let mut blocks = AckOptions::NONE;
        blocks.push_duplicate(SeqRange { start: seq, end: seq + 1 });
        self.arrive(now, ack, blocks, None, false)
    }

    fn arrive(
        &mut self,
        now: u64,
        ack: u64,
        options: AckOptions,
        echo: Option<u64>,
        ece: bool,
    ) -> Vec<u64> {
        let ack = AckSegment { ack, options, echo: echo.map(at), ece, eln: false };
        self.sender.on_ack(at(now), &ack);
        self.sent(now)
    }

    /// The time of the next timer comes; answers it in ms and what leaves then.
    fn wait(&mut self) -> (u64, Vec<u64>) {
        let due = self.sender.deadline();
        self.sender.on_timer(due);
        let now = due.as_nanos() / 1_000_000;
        (now, self.sent(now))
    }

    fn cwnd(&self) -> u64 {
        self.sender.window().cwnd.whole()
    }

    fn ssthresh(&self) -> u64 {
        self.sender.window().ssthresh.whole()
    }
}

// --- ECN.

/// Whether each segment that leaves now carries CWR.
fn cwr(b: &mut Bench, now: u64) -> Vec<bool> {
    core::iter::from_fn(|| b.sender.transmit(at(now)))
        .flat_map(|burst| burst.segments())
        .map(|segment| segment.cwr)
        .collect()
}

#[test]
fn tcp_ecn_withdraw_cwr_a_reduction_taken_back_is_not_told_of() {
    let mut b = Bench::with(&Config { ecn: true, ..config() });
    b.sender.supply_segments(10);
    b.sent(0);
    assert_eq!(b.ack(100, 0, &[(1, 4)], None), [0], "a copy does not tell");
    b.ack(101, 4, &[], Some(0));
    assert_eq!(b.sender.counts().undone, 1);
    b.sender.supply_segments(30);
    let told = cwr(&mut b, 102);
    assert!(!told.is_empty() && !told.contains(&true), "{told:?}");
}

#[test]
fn tcp_enter_loss_each_timeout_tells_of_a_reduction() {
    let mut b = Bench::with(&Config { ecn: true, ..config() });
    b.sender.supply_segments(11);
    b.sent(0);
    // The new segment tells of the recovery's reduction, and nothing new is left.
    assert_eq!(b.ack(100, 0, &[(1, 4)], None), [0, 10]);
    // The copy is lost: the timeout falls into the window that has been answered.
    assert_eq!(b.wait().1, [0]);
    assert_eq!(b.sender.counts().timeouts, 1);
    b.ack(900, 11, &[], None);
    b.sender.supply_segments(30);
    assert!(cwr(&mut b, 900).contains(&true));
}

// --- RACK.

#[test]
fn rfc8985_6_2_one_segment_sacked_beyond_a_gap_waits_a_quarter_of_the_round_trip_time() {
    let mut b = Bench::started();
    // Limited transmit: the sacked segment lets a new one out.
    assert_eq!(b.ack(100, 0, &[(1, 2)], None), [10]);
    assert!(!b.sender.in_recovery());
    // 25 ms and 2 ms beside are 7 ticks, and the slot of the 32nd tick ends with it.
    assert_eq!(b.wait(), (132, vec![0]));
    assert!(b.sender.in_recovery());
    assert_eq!(b.sender.counts().timeouts, 0);
}

#[test]
fn rfc8985_6_2_step_4_three_segments_sacked_need_no_waiting_before_reordering_is_seen() {
    let mut b = Bench::started();
    b.ack(100, 0, &[(1, 2)], None);
    b.ack(101, 0, &[(1, 3)], None);
    assert_eq!(b.ack(102, 0, &[(1, 4)], None), [0]);
    assert_eq!(b.ssthresh(), 5);
}

#[test]
fn rfc8985_6_2_step_4_once_reordering_is_seen_three_segments_wait_too() {
    let mut b = Bench::started();
    b.ack(100, 0, &[(1, 4)], None);
    // Recovery began; the original arrives after all, and Eifel sees it.
    b.ack(101, 4, &[], Some(0));
    assert!(!b.sender.in_recovery());
    // Segment 4 seems missing: five sacked beyond it do not suffice now.
    b.ack(110, 4, &[(5, 10)], Some(0));
    assert!(!b.sender.in_recovery());
    let (due, sent) = b.wait();
    // 27 ms in ticks of 4 ms, from the 27th on.
    assert_eq!((due, sent[0]), (140, 4));
}

#[test]
fn tcp_sacktag_one_an_original_sacked_below_the_highest_block_is_reordering() {
    let mut b = Bench::started();
    b.ack(100, 0, &[(5, 6)], None);
    b.ack(101, 0, &[(1, 2), (5, 6)], None);
    // Three are sacked, as above, but reordering has been seen: the window is a quarter of 100 ms.
    b.ack(102, 0, &[(1, 3), (5, 6)], None);
    assert!(!b.sender.in_recovery());
    assert_eq!(b.wait().1[0], 0);
    assert!(b.sender.in_recovery());
}

#[test]
fn rfc8985_6_2_a_copy_that_is_lost_is_found_and_sent_again_without_a_timeout() {
    let mut b = Bench::started();
    b.ack(100, 0, &[(1, 4)], None);
    // The copy of 0 left at 100 ms; so does new data while the window allows.
    let mut new = Vec::new();
    for end in 5..=10 {
        new.extend(b.ack(100 + end, 0, &[(1, end)], None));
    }
    assert!(!new.is_empty() && new.iter().all(|&seq| seq >= 10), "{new:?}");
    // New data sent after the copy is sacked a round trip later; the copy is not.
    let sent = b.ack(210, 0, &[(1, new[0] + 1)], None);
    assert_eq!(sent[0], 0);
    assert_eq!(b.sender.counts().retransmitted, 2);
    assert_eq!(b.sender.counts().timeouts, 0);
}

#[test]
fn tcp_rack_update_reo_wnd_a_duplicate_after_reordering_widens_the_window() {
    let mut b = Bench::started();
    b.ack(100, 0, &[(1, 4)], None);
    b.ack(101, 4, &[], Some(0));
    // The copy of 0 turns out to be a duplicate.
    b.duplicate(200, 4, 0);
    b.ack(201, 10, &[], None);
    let flight = b.sender.snd_max();
    assert!(flight > 12);
    b.ack(305, 10, &[(11, 12)], None);
    let (due, _) = b.wait();
    // The segments left at 100 and 101 ms; half of the smallest round-trip time instead of a quarter.
    assert!(due >= 305 + 2, "{due}");
    assert_eq!(b.sender.counts().timeouts, 0);
}

#[test]
fn tcp_ack_old_ack_segments_that_an_overtaken_ack_reports_never_count_as_delivered() {
    let mut b = Bench::started();
    b.ack(100, 2, &[], Some(0));
    let in_flight = b.sender.in_flight();
    assert_eq!(b.sender.delivered(), 2);
    // The report of 5 makes room for a new segment.
    assert_eq!(b.ack(101, 1, &[(5, 6)], None).len(), 1);
    assert_eq!((b.sender.in_flight(), b.sender.delivered()), (in_flight, 2));
    // 2, 3 and 4 are delivered.
    b.ack(102, 6, &[], Some(0));
    assert_eq!(b.sender.delivered(), 5);
}

#[test]
fn tcp_ack_old_ack_a_duplicate_that_an_overtaken_ack_reports_undoes_and_does_not_count() {
    let mut b = Bench::without_timestamps();
    assert_eq!(b.ack(100, 0, &[(1, 4)], None), [0, 10]);
    b.ack(200, 11, &[], None);
    assert_eq!((b.sender.delivered(), b.sender.counts().undone), (11, 0));
    b.duplicate(201, 5, 0);
    assert_eq!((b.sender.delivered(), b.sender.counts().undone), (11, 1));
}

#[test]
fn tcp_sacktag_one_a_duplicate_takes_its_copy_out_of_flight_where_nothing_can_be_undone_too() {
    let mut b = Bench::with(&config());
    b.sender.supply_segments(8);
    b.sent(0);
    b.ack(100, 2, &[], Some(0));
    assert_eq!(b.wait().1, [7]);
    assert_eq!(b.wait(), (640, vec![2]));
    // The timeout was real, as it seems, and all that is left is sent again.
    assert_eq!(b.ack(710, 3, &[], Some(640)), [3, 4]);
    assert_eq!(b.ack(820, 4, &[], Some(710)), [5, 6]);
    assert_eq!(b.ack(825, 5, &[], Some(710)), [7]);
    // It was not: the original of 5 arrives. Two segments and two copies are in flight.
    b.ack(840, 6, &[], Some(0));
    assert_eq!((b.sender.counts().undone, b.sender.in_flight()), (1, 4));
    // Both of 7 have arrived: 6 is left, and its copy.
    let mut blocks = AckOptions::NONE;
    blocks.push_duplicate(SeqRange { start: 7, end: 8 });
    blocks.push_block(SeqRange { start: 7, end: 8 });
    b.arrive(850, 6, blocks, None, false);
    assert_eq!(b.sender.in_flight(), 2);
}

// --- PRR.

#[test]
fn rfc9937_a_loss_halves_the_window_over_one_round_trip() {
    let mut b = Bench::started();
    // Ten in flight, ssthresh 5. Two new segments leave by limited transmit.
    assert_eq!(b.ack(100, 0, &[(1, 2)], None), [10]);
    assert_eq!(b.ack(101, 0, &[(1, 3)], None), [11]);
    // Eight in flight: ceil(5 x delivered / 10) - sent. The last ACK leaves five, which is ssthresh.
    let sent: Vec<usize> =
        (4..=10).map(|end| b.ack(98 + end, 0, &[(1, end)], None).len()).collect();
    assert_eq!(sent, [1, 0, 1, 0, 1, 0, 0]);
    assert_eq!(b.sender.in_flight(), 5);
    // The end of recovery: cwnd = ssthresh.
    b.ack(202, 12, &[], Some(102));
    assert_eq!((b.cwnd(), b.ssthresh()), (5, 5));
    assert!(!b.sender.in_recovery());
}

#[test]
fn tcp_cwnd_reduction_a_mark_reduces_the_window_gradually_and_is_never_undone() {
    let mut b = Bench::with(&Config { ecn: true, ..config() });
    b.sent(0);
    let mut sent = Vec::new();
    for ack in 1..=9 {
        let ece = ack == 1;
        sent.push(b.arrive(100 + ack, ack, AckOptions::NONE, Some(0), ece).len());
    }
    // One segment for two delivered, until five are in flight.
    assert_eq!(sent, [1, 0, 1, 0, 1, 0, 1, 0, 0]);
    assert_eq!(b.ssthresh(), 5);
    assert_eq!(b.sender.in_flight(), 5);
    assert_eq!(b.sender.counts().retransmitted, 0);
}

// --- TLP.

/// Eight of ten segments are acknowledged at 100 ms, and there is nothing more to send.
fn tail() -> Bench {
    let mut b = Bench::with(&config());
    b.sender.supply_segments(10);
    b.sent(0);
    assert!(b.ack(100, 8, &[], Some(0)).is_empty());
    b
}

#[test]
fn rfc8985_7_2_a_probe_leaves_after_two_round_trips() {
    let mut b = tail();
    assert_eq!(b.wait(), (308, vec![9]));
    assert_eq!(b.sender.counts().timeouts, 0);
}

#[test]
fn rfc8985_7_2_for_a_lone_segment_the_probe_waits_for_a_delayed_ack_but_not_beyond_the_timeout() {
    let mut b = Bench::with(&config());
    b.sender.supply_segments(10);
    b.sent(0);
    b.ack(100, 9, &[], Some(0));
    // 2 x 100 + 200 ms, bounded by 100 + 200: 75 ticks, which end in a slot of eight.
    assert_eq!(b.wait(), (416, vec![9]));
}

#[test]
fn rfc8985_7_3_new_data_is_the_better_probe() {
    let mut b = tail();
    b.sender.supply_segments(30);
    b.sent(100);
    let max = b.sender.snd_max();
    let (_, sent) = b.wait();
    assert_eq!(sent, [max]);
}

#[test]
fn rfc8985_7_3_there_is_one_probe_and_then_the_timeout() {
    let mut b = tail();
    b.wait();
    let (due, sent) = b.wait();
    assert_eq!((due, sent), (640, vec![8]));
    assert_eq!(b.sender.counts().timeouts, 1);
}

#[test]
fn rfc8985_7_4_the_probe_lets_rack_find_the_loss_before_it() {
    let mut b = tail();
    b.wait();
    // The probe, segment 9, arrived; segment 8 was lost.
    assert_eq!(b.ack(408, 8, &[(9, 10)], None), [8]);
    assert_eq!(b.sender.counts().timeouts, 0);
}

#[test]
fn rfc8985_7_4_2_a_probe_that_repaired_a_loss_reduces_the_window() {
    let mut b = tail();
    b.wait();
    b.ack(408, 10, &[], Some(308));
    b.sender.supply_segments(12);
    b.sent(409);
    let before = b.cwnd();
    b.ack(510, 12, &[], Some(409));
    assert_eq!(b.ssthresh(), before / 2);
    assert!(!b.sender.in_recovery());
}

/// ssthresh after an ACK of a probe of segment 9, one that reports a copy of `segment`, and one of new data.
fn ssthresh_after_probe_and_copy_of(segment: u64) -> Segments {
    let mut b = tail();
    b.wait();
    b.ack(330, 10, &[], Some(0));
    b.duplicate(408, 10, segment);
    b.sender.supply_segments(12);
    b.sent(409);
    b.ack(510, 12, &[], Some(409));
    b.sender.window().ssthresh
}

#[test]
fn rfc8985_7_4_2_a_probe_that_arrived_twice_reduces_nothing() {
    assert_eq!(ssthresh_after_probe_and_copy_of(9), Segments::MAX);
}

#[test]
fn tcp_process_tlp_ack_a_copy_of_any_segment_ends_the_episode() {
    assert_eq!(ssthresh_after_probe_and_copy_of(3), Segments::MAX);
}

// --- Timeouts, F-RTO, undo.

/// A timeout: segments 2 to 13 are outstanding, and 2 was sent again.
fn timed_out(b: &mut Bench) -> u64 {
    assert_eq!(b.ack(100, 2, &[], Some(0)), [10, 11, 12, 13]);
    let (_, probe) = b.wait();
    assert_eq!(probe, [14]);
    let (now, sent) = b.wait();
    assert_eq!(sent, [2]);
    assert_eq!((b.sender.counts().timeouts, b.cwnd()), (1, 1));
    assert_eq!(b.ssthresh(), 6);
    now
}

#[test]
fn tcp_process_loss_the_state_ends_when_all_that_was_out_is_acknowledged() {
    let mut b = Bench::without_timestamps();
    let now = timed_out(&mut b);
    let new = b.ack(now + 100, 3, &[], None);
    b.ack(now + 200, 3, &[(new[0], new[0] + 1)], None);
    b.sender.hold();
    assert!(b.sender.in_recovery());
    let end = b.sender.snd_max();
    b.ack(now + 300, end, &[], None);
    assert_eq!((b.sender.counts().undone, b.sender.in_recovery()), (0, false));
}

#[test]
fn tcp_dsack_seen_a_duplicate_beyond_the_copies_that_left_is_the_networks() {
    let mut b = Bench::without_timestamps();
    assert_eq!(b.ack(100, 0, &[(1, 4)], None), [0, 10]);
    b.ack(200, 11, &[], None);
    let before = b.sender.delivered();
    // One copy was sent: the first report is of it.
    for (seq, delivered) in [(0, 1), (1, 1), (2, 1)] {
        b.duplicate(201 + seq, 11, seq);
        assert_eq!(b.sender.delivered(), before + delivered);
    }
}

#[test]
fn rfc5682_3_1_step_2b_the_first_ack_after_a_timeout_lets_new_data_out() {
    let mut b = Bench::without_timestamps();
    let now = timed_out(&mut b);
    let sent = b.ack(now + 50, 3, &[], None);
    assert!(!sent.is_empty() && sent.iter().all(|&seq| seq > 14), "{sent:?}");
}

#[test]
fn rfc5682_3_1_step_3b_an_original_acknowledged_then_shows_a_spurious_timeout() {
    let mut b = Bench::without_timestamps();
    let now = timed_out(&mut b);
    b.ack(now + 50, 3, &[], None);
    b.ack(now + 51, 4, &[], None);
    assert_eq!(b.sender.counts().undone, 1);
    assert!(b.cwnd() >= 12, "{}", b.cwnd());
    assert_eq!(b.sender.window().ssthresh, Segments::MAX);
    assert_eq!(b.sender.counts().retransmitted, 1);
}

#[test]
fn rfc5682_3_1_step_3a_only_new_data_sacked_means_that_the_loss_was_real() {
    let mut b = Bench::without_timestamps();
    let now = timed_out(&mut b);
    let new = b.ack(now + 100, 3, &[], None);
    let sent = b.ack(now + 200, 3, &[(new[0], new[0] + 1)], None);
    assert_eq!(sent[0], 3);
    assert_eq!(b.sender.counts().undone, 0);
}

#[test]
fn rfc3522_an_echo_older_than_the_copy_undoes_a_timeout() {
    let mut b = Bench::started();
    let now = timed_out(&mut b);
    b.ack(now + 10, 3, &[], Some(0));
    assert_eq!(b.sender.counts().undone, 1);
    assert!(!b.sender.in_recovery());
    assert!(b.cwnd() >= 12, "{}", b.cwnd());
}

#[test]
fn rfc3522_an_echo_older_than_the_copy_undoes_a_fast_recovery() {
    let mut b = Bench::started();
    assert_eq!(b.ack(100, 0, &[(1, 4)], None), [0, 10]);
    b.ack(101, 10, &[], Some(0));
    assert_eq!(b.sender.counts().undone, 1);
    // Ten as before, and slow start goes on with the seven that this ACK delivered.
    assert_eq!(b.cwnd(), 17);
    assert_eq!(b.sender.window().ssthresh, Segments::MAX);
}

#[test]
fn tcp_try_undo_dsack_a_duplicate_of_every_copy_undoes_a_fast_recovery() {
    let mut b = Bench::without_timestamps();
    assert_eq!(b.ack(100, 0, &[(1, 4)], None)[0], 0);
    b.ack(101, 5, &[], None);
    assert!(b.sender.in_recovery());
    b.duplicate(200, 5, 0);
    assert_eq!(b.sender.counts().undone, 1);
    assert_eq!(b.sender.window().ssthresh, Segments::MAX);
}

#[test]
fn tcp_enter_loss_the_threshold_falls_once_for_one_window() {
    let mut b = Bench::without_timestamps();
    timed_out(&mut b);
    let ssthresh = b.ssthresh();
    let (_, sent) = b.wait();
    assert_eq!(sent, [2]);
    assert_eq!((b.sender.counts().timeouts, b.ssthresh()), (2, ssthresh));
}

#[test]
fn tcp_timeout_mark_lost_of_segments_sent_within_a_round_trip_time_the_oldest_alone_is_lost() {
    // A round trip of 600 ms, and timers of at most 250 ms: one of the probe and one of the timeout.
    let rto = RtoConfig { max: ms(250), ..config().rto };
    let mut b = Bench::with(&Config { rto, ..config() });
    b.sender.supply_segments(3);
    b.sent(0);
    b.ack(600, 3, &[], Some(0));
    b.sender.supply_segments(10);
    b.sent(600);
    while b.sender.counts().timeouts == 0 {
        b.sender.on_timer(b.sender.deadline());
    }
    // `tcp_enter_loss`: the window is what is left in flight, and one segment more.
    assert_eq!(b.cwnd(), b.sender.snd_max() - 3 - 1 + 1);
}

/// Reno that counts what it is told of: timeouts in its lowest 16 bits, segments lost in the next, reductions
/// in its upper half. It may command everything.
struct Listener<const EVERYTHING: bool>(u64);

impl<const EVERYTHING: bool> Controller for Listener<EVERYTHING> {
    fn measure(&mut self, _: &Ack) {}

    fn grow(&mut self, w: Window, _: &Grant) -> Window {
        w
    }

    fn reduce(&mut self, w: Window, _: Cause, _: Instant) -> Reduction {
        self.0 += 1 << 32;
        let half = w.cwnd.half().max(Segments::TWO);
        Reduction { ssthresh: half, resume: half, reason: Reason::Model }
    }

    fn timed_out(&mut self, _: Instant) {
        self.0 += 1;
    }

    fn lost(&mut self, _: &LostSegment) {
        self.0 += 1 << 16;
    }

    fn recovered(&mut self, w: Window, _: Instant) -> Window {
        w
    }

    fn undone(&mut self, now_w: Window, _: Window, _: Instant) -> Window {
        now_w
    }

    fn restarted(&mut self, w: Window, _: Duration, _: Instant) -> Window {
        w
    }

    fn control_scope(&self) -> ControlScope {
        if EVERYTHING { ControlScope::Everything } else { ControlScope::Window }
    }

    fn pacing_rate(&self) -> Option<Rate> {
        None
    }

    fn bwe(&self) -> Option<Rate> {
        Some(Rate::from_bytes_per_s(self.0))
    }
}

impl<const EVERYTHING: bool> OwnController for Listener<EVERYTHING> {
    const INFO: Info = Info { name: "listener", aliases: &[], summary: "", source: "" };

    fn new(_: &Setup) -> Self {
        Self(0)
    }

    fn load(state: &StateWords) -> Self {
        Self(state[0])
    }

    fn save(&self) -> StateWords {
        let mut state = StateWords::default();
        state[0] = self.0;
        state
    }
}

/// A sender with a listener for its controller.
fn listened<const EVERYTHING: bool>(config: &Config) -> Bench {
    let setup = Setup {
        smss: Bytes::new(1500),
        initial_window: Segments::new(10),
        seed: 1,
        handshake_rtt: None,
        paced: false,
    };
    let listener = Choice::Own(OwnChoice(own::entry::<Listener<EVERYTHING>>()));
    Bench { sender: Sender::new(config, listener.build(&setup)) }
}

#[test]
fn tcp_enter_loss_every_timeout_reaches_the_controller_and_the_first_asks_it() {
    let mut b = listened::<false>(&Config { timestamps: false, ..config() });
    b.sender.supply_segments(10);
    b.sent(0);
    let told = |b: &Bench| {
        let told = b.sender.bwe().expect("it always has one").bits_per_s() / 8;
        (told >> 32, told & u64::from(u32::MAX))
    };
    b.ack(100, 2, &[], None);
    let mut timeouts = 0;
    while timeouts < 3 {
        b.wait();
        timeouts = b.sender.counts().timeouts;
    }
    assert_eq!(told(&b), (1, 3));
}

#[test]
fn tcp_undo_cwnd_reduction_the_threshold_returns_whatever_the_controller_answers() {
    let mut b = listened::<false>(&config());
    b.sender.supply_segments(10);
    b.sent(0);
    b.ack(100, 0, &[(1, 4)], None);
    assert_eq!(b.ssthresh(), 5);
    b.ack(101, 4, &[], Some(0));
    assert_eq!((b.sender.counts().undone, b.sender.window().ssthresh), (1, Segments::MAX));
}

#[test]
fn a_controller_that_commands_everything_is_told_of_each_loss_and_of_each_lost_copy() {
    for everything in [true, false] {
        let config = config();
        let mut b = if everything { listened::<true>(&config) } else { listened::<false>(&config) };
        b.sender.supply_forever();
        let told = |b: &Bench| {
            let told = b.sender.bwe().expect("it always has one").bits_per_s() / 8;
            (told >> 16) & 0xffff
        };
        b.sent(0);
        // Segments 0 and 1 are lost.
        b.ack(100, 0, &[(2, 5)], None);
        assert_eq!(told(&b), if everything { 2 } else { 0 });
        // Segments that left after the copies are delivered a round trip later: both copies are lost.
        b.ack(110, 0, &[(2, 10)], None);
        b.sent(150);
        let end = b.sender.snd_max();
        b.ack(300, 0, &[(2, end)], None);
        b.wait();
        assert_eq!(told(&b), if everything { 4 } else { 0 });
    }
}

#[test]
fn tcp_ack_is_dubious_a_duplicate_reported_by_an_ack_in_order_undoes_too() {
    let mut b = Bench::without_timestamps();
    assert_eq!(b.ack(100, 0, &[(1, 4)], None), [0, 10]);
    b.ack(150, 11, &[], None);
    assert!(!b.sender.in_recovery());
    assert_eq!(b.sender.counts().undone, 0);
    b.duplicate(250, 12, 0);
    assert_eq!(b.sender.counts().undone, 1);
}

#[test]
fn tcp_init_undo_the_copy_of_a_probe_counts() {
    let mut b = Bench::with(&Config { timestamps: false, ..config() });
    b.sender.supply_segments(10);
    b.sent(0);
    b.ack(100, 4, &[], None);
    assert_eq!(b.wait().1, [9]);
    // Segment 4 alone was lost; the probe's original arrives, then its copy.
    assert_eq!(b.ack(320, 4, &[(5, 10)], None), [4]);
    b.duplicate(330, 4, 9);
    b.ack(430, 10, &[], None);
    assert_eq!(b.sender.counts().undone, 0);
}

#[test]
fn tcp_set_rto_the_variation_of_a_handshake_has_the_minimum_and_not_the_timeout() {
    let mut b = Bench::with(&Config { handshake_rtt: Some(ms(50)), ..config() });
    b.sender.supply_segments(1);
    b.sent(0);
    // The probe of a lone segment waits for 2 x 50 + 200 ms, bounded by the timeout of 50 + 200, which is 63
    // ticks and ends in a slot of eight.
    assert_eq!(b.wait(), (256, vec![0]));
}

#[test]
fn rfc6298_5_5_each_timeout_doubles_the_next() {
    let mut b = Bench::started();
    let first = timed_out(&mut b);
    let (second, _) = b.wait();
    let (third, _) = b.wait();
    assert_eq!(third - second, 2 * (second - first));
}

// --- The window and its use.

#[test]
fn tcp_is_cwnd_limited_a_window_that_is_not_used_does_not_grow() {
    let mut b = Bench::with(&config());
    b.sender.supply_segments(4);
    b.sent(0);
    b.ack(100, 4, &[], Some(0));
    assert_eq!(b.cwnd(), 10);
}

#[test]
fn cubictcp_acked_hystart_lowers_ssthresh_on_an_ack_that_lets_nothing_grow() {
    let config = Config { initial_window: Segments::new(40), ..config() };
    let mut b = Bench::of("cubic-linux", &config);
    // Ten segments a round of a window of forty, which does not limit the sender.
    b.sender.supply_segments(10);
    b.sent(0);
    (1..=10).for_each(|ack| drop(b.ack(100, ack, &[], Some(0))));
    b.sender.supply_segments(20);
    b.sent(100);
    (11..=18).for_each(|ack| drop(b.ack(220, ack, &[], Some(100))));
    assert_eq!((b.cwnd(), b.sender.window().ssthresh), (40, Segments::MAX));
    // The ninth sample of the round is above 100 ms by more than an eighth, as are the eight before.
    b.ack(220, 19, &[], Some(100));
    assert_eq!((b.cwnd(), b.ssthresh()), (40, 40));
}

#[test]
fn tcp_slow_start_byte_counting_an_ack_of_many_segments_counts_for_all() {
    let mut b = Bench::started();
    b.ack(100, 10, &[], Some(0));
    assert_eq!(b.cwnd(), 20);
}

#[test]
fn tcp_cwnd_restart_the_window_is_halved_for_each_timeout_of_silence() {
    let mut b = Bench::started();
    b.ack(100, 10, &[], Some(0));
    b.sender.hold();
    let end = b.sender.snd_max();
    b.ack(200, end, &[], Some(100));
    assert_eq!(b.cwnd(), 40);
    b.sender.supply_forever();
    // The timeout is 300 ms; 400 ms after the last segment one has passed.
    assert_eq!(b.sent(500).len(), 20);
}

/// True once `tcp_vegas_init` has run: rounds are counted while a loss is repaired.
fn counts_rounds(b: &mut Bench) -> bool {
    format!("{:?}", b.sender.controller_mut()).contains("counting: true")
}

#[test]
fn tcp_event_data_sent_the_copy_of_a_timeout_is_a_start_only_with_nothing_in_flight() {
    let after_timeout = |late_data: bool| {
        let mut b = Bench::of("vegas-linux", &config());
        b.sent(0);
        b.sender.hold();
        // The first segment's copy is lost, too. The last segment is in flight.
        assert_eq!(b.ack(100, 0, &[(1, 9)], None), [0]);
        assert!(!counts_rounds(&mut b));
        if late_data {
            // It is younger than a round trip when the timer fires, and stays in flight.
            b.sender.supply_segments(11);
            assert_eq!(b.sent(390), [10]);
        }
        while b.sender.counts().timeouts == 0 {
            b.wait();
        }
        counts_rounds(&mut b)
    };
    assert_eq!([false, true].map(after_timeout), [true, false]);
}

#[test]
fn tcp_event_data_sent_copies_of_a_lost_flight_start_anew_without_a_timeout() {
    let mut b = Bench::of("vegas-linux", &config());
    b.sent(0);
    b.sender.hold();
    // All but the first arrive, which is lost: nothing is in flight when its copy leaves.
    assert_eq!(b.ack(100, 0, &[(1, 10)], None), [0]);
    assert!(b.sender.in_recovery() && counts_rounds(&mut b));
    // With one more in flight the reduction keeps rounds from being counted.
    let mut b = Bench::of("vegas-linux", &config());
    b.sent(0);
    b.sender.hold();
    assert_eq!(b.ack(100, 0, &[(1, 9)], None), [0]);
    assert!(b.sender.in_recovery() && !counts_rounds(&mut b));
}

#[test]
fn vegas_enable_a_round_that_begins_at_a_timeout_ends_beyond_all_that_was_sent() {
    for controller in ["vegas-linux", "yeah"] {
        let mut b = Bench::of(controller, &config());
        b.sent(0);
        // No ACK tells the controller of what these two let out.
        b.ack(100, 2, &[], Some(0));
        while b.sender.counts().timeouts == 0 {
            b.wait();
        }
        let end = format!("end: {},", b.sender.snd_max());
        assert!(format!("{:?}", b.sender.controller_mut()).contains(&end), "{controller}");
    }
}

#[test]
fn bbr_cwnd_event_a_copy_is_a_restart_where_the_application_limits_and_nothing_is_in_flight() {
    let restarts = |sacked: u64| {
        let mut b = Bench::of("bbr", &config());
        b.sender.hold();
        b.sender.supply_segments(5);
        (0..50).for_each(|now| drop(b.sent(now)));
        // A write that finds nothing unsent.
        b.sender.supply_segments(6);
        (50..60).for_each(|now| drop(b.sent(now)));
        b.ack(150, 0, &[(1, sacked)], None);
        (150..200).for_each(|now| drop(b.sent(now)));
        assert_eq!(b.sender.counts().retransmitted, 1);
        format!("{:?}", b.sender.controller_mut()).contains("idle_restart: true")
    };
    assert_eq!([6, 5].map(restarts), [true, false]);
}

#[test]
fn tcp_cwnd_restart_tells_cdg_the_window_of_before_and_a_shorter_pause_nothing() {
    let shadow_after = |config: &Config, pause: u64| {
        let mut b = Bench::of("cdg", config);
        b.sent(0);
        b.ack(100, 10, &[], Some(0));
        b.sender.hold();
        b.ack(200, b.sender.snd_max(), &[], Some(100));
        let before = b.cwnd();
        b.sender.supply_forever();
        b.sent(100 + pause);
        let cdg = format!("{:?}", b.sender.controller_mut());
        let forgets = cdg.contains("round: MinMax { min: 0, max: 0 }, previous: MinMax { min: 0,");
        (forgets, cdg.contains(&format!("shadow: {before},")), b.cwnd() < before)
    };
    // The timeout is 300 ms.
    assert_eq!(shadow_after(&config(), 290), (false, true, false));
    assert_eq!(shadow_after(&config(), 400), (true, true, true));
    let keeps = Config { idle_restart: false, ..config() };
    assert_eq!(shadow_after(&keeps, 400), (false, true, false));
}

/// A sender with a window of 40 that has been silent since 100 ms.
fn silent(config: &Config) -> Bench {
    let mut b = Bench::with(config);
    b.sent(0);
    b.ack(100, 10, &[], Some(0));
    b.sender.hold();
    let end = b.sender.snd_max();
    b.ack(200, end, &[], Some(100));
    assert_eq!(b.cwnd(), 40);
    b
}

#[test]
fn tcp_current_ssthresh_after_a_silence_is_three_quarters_of_the_window_at_least() {
    let mut b = Bench::with(&Config { initial_ssthresh: Segments::new(4), ..config() });
    b.sent(0);
    b.sender.hold();
    b.ack(100, 10, &[], Some(0));
    assert_eq!((b.cwnd(), b.ssthresh()), (11, 4));
    b.sender.supply_forever();
    b.sent(1_000);
    // 11 >> 1, and 11 >> 2.
    assert_eq!(b.ssthresh(), 5 + 2);
}

#[test]
fn tcp_slow_start_after_idle_switched_off_keeps_the_window_over_a_silence() {
    let mut b = silent(&Config { idle_restart: false, ..config() });
    b.sender.supply_forever();
    assert_eq!(b.sent(5_000).len(), 40);
}

// --- The receiver.

fn segment(seq: u64, now: u64) -> DataSegment {
    DataSegment {
        seq,
        payload: Bytes::new(1448),
        sent_at: at(now),
        retransmission: false,
        ecn: Ecn::NotEct,
        cwr: false,
        push: false,
    }
}

/// A receiver that has left quick mode, and the next segment it expects.
fn calm_receiver() -> (Receiver, u64) {
    calm_receiver_with(&config())
}

fn calm_receiver_with(config: &Config) -> (Receiver, u64) {
    let mut r = Receiver::new(config);
    for seq in 0..3_000 {
        let _ = r.on_data(at(seq), &segment(seq, seq), false);
    }
    (r, 3_000)
}

#[test]
fn tcp_incr_quickack_a_connection_begins_with_an_ack_for_each_segment() {
    let mut r = Receiver::new(&config());
    assert!((0..100).all(|seq| r.on_data(at(seq), &segment(seq, seq), false).is_some()));
}

#[test]
fn tcp_ack_snd_check_later_every_second_segment_is_acknowledged() {
    let (mut r, next) = calm_receiver();
    let acks: Vec<bool> = (next..next + 6)
        .map(|seq| r.on_data(at(seq), &segment(seq, seq), false).is_some())
        .collect();
    assert_eq!(acks.iter().filter(|a| **a).count(), 3);
    assert!(acks.windows(2).all(|pair| pair[0] != pair[1]));
}

#[test]
fn tcp_grow_window_each_segment_is_acknowledged_for_as_long_as_the_window_grows() {
    // Sixteen quick ACKs of a new connection are left when the window has grown: each segment until
    // then asks for one and uses it up.
    for (growth, quick) in [(0, 16), (100, 116), (1_449, 1_465)] {
        let acks = AckPolicy::Linux { growth };
        let mut r = Receiver::new(&Config { acks, ..config() });
        let silent =
            (0..3_000).find(|&seq| r.on_data(at(seq), &segment(seq, seq), false).is_none());
        assert_eq!(silent, Some(quick), "growth {growth}");
    }
}

#[test]
fn tcp_send_delayed_ack_a_lone_segment_waits_forty_milliseconds() {
    let (mut r, next) = calm_receiver();
    let mut now = next;
    let mut seq = next;
    while r.on_data(at(now), &segment(seq, now), false).is_some() {
        now += 1;
        seq += 1;
    }
    assert_eq!(r.deadline(), at(now + 40));
    assert!(r.on_timer(at(now + 40)).is_some());
}

#[test]
fn tcp_comp_sack_after_three_reports_of_a_gap_the_next_are_gathered_for_a_millisecond() {
    let (mut r, next) = calm_receiver();
    let now = at(next);
    let acks: Vec<bool> = (next + 1..next + 7)
        .map(|seq| r.on_data(now, &segment(seq, next), false).is_some())
        .collect();
    assert_eq!(acks, [true, true, true, false, false, false]);
    // And a tenth more, by which its timer may be late.
    let due = now + Duration::from_micros(1_100);
    assert_eq!(r.deadline(), due);
    let ack = r.on_timer(due).expect("due");
    let block = ack.options.blocks().next().expect("a range is held");
    assert_eq!((block.start, block.end), (next + 1, next + 7));
}

#[test]
fn tcp_comp_sack_reports_wait_for_a_twentieth_of_the_handshakes_round_trip_and_a_millisecond_at_most()
 {
    for (handshake, wait_us) in [(6, 400), (8, 500), (20, 1_100), (250, 1_100)] {
        let (mut r, next) =
            calm_receiver_with(&Config { handshake_rtt: Some(ms(handshake)), ..config() });
        let now = at(next);
        for seq in next + 1..next + 5 {
            let _ = r.on_data(now, &segment(seq, next), false);
        }
        assert_eq!(r.deadline(), now + Duration::from_micros(wait_us), "{handshake} ms");
    }
}

#[test]
fn tcp_comp_sack_at_most_forty_four_reports_are_gathered() {
    let (mut r, next) = calm_receiver();
    let silent = (next + 1..next + 200)
        .skip(3)
        .take_while(|&seq| {
            if seq == next + 4 {
                for early in next + 1..next + 4 {
                    let _ = r.on_data(at(next), &segment(early, next), false);
                }
            }
            r.on_data(at(next), &segment(seq, next), false).is_none()
        })
        .count();
    assert_eq!(silent, 44);
}

#[test]
fn tcp_sack_compress_send_ack_the_ack_before_a_third_range_is_that_of_its_segment_too() {
    let (mut r, next) = calm_receiver();
    let mut at_once = |offset: u64| {
        r.on_data(at(next), &segment(next + offset, next), false).map(|ack| {
            ack.options.blocks().map(|b| (b.start - next, b.end - next)).collect::<Vec<_>>()
        })
    };
    for reported in [2, 4, 5] {
        assert!(at_once(reported).is_some());
    }
    assert_eq!(at_once(6), None);
    assert_eq!(at_once(9), Some(vec![(4, 7), (2, 3)]));
    // 9 does not wait for a report of its own, so that nothing has to go before 12's.
    assert_eq!(at_once(12), None);
}

#[test]
fn rfc2883_4_a_duplicate_behind_a_gap_is_gathered_and_reported_in_the_next_ack() {
    let (mut r, next) = calm_receiver();
    for seq in next + 1..next + 4 {
        assert!(r.on_data(at(next), &segment(seq, next), false).is_some());
    }
    let twice = next + 2;
    assert_eq!(r.on_data(at(next), &segment(twice, next), false), None);
    let ack = r.on_timer(r.deadline()).expect("due");
    assert_eq!(ack.options.duplicate(), Some(SeqRange { start: twice, end: twice + 1 }));
    assert_eq!(ack.options.blocks().next(), Some(SeqRange { start: next + 1, end: next + 4 }));
}

#[test]
fn tcp_data_queue_a_filled_gap_is_acknowledged_at_once() {
    let (mut r, next) = calm_receiver();
    let _ = r.on_data(at(next), &segment(next + 1, next), false);
    let ack = r.on_data(at(next), &segment(next, next), false).expect("at once");
    assert_eq!(ack.ack, next + 2);
}

#[test]
fn rfc2883_4_a_segment_that_arrives_twice_is_reported_and_begins_quick_mode() {
    let (mut r, next) = calm_receiver();
    let ack = r.on_data(at(next), &segment(5, next), false).expect("at once");
    assert_eq!(ack.options.duplicate(), Some(SeqRange { start: 5, end: 6 }));
    let acks = (next..next + 15)
        .filter(|&seq| r.on_data(at(seq), &segment(seq, seq), false).is_some())
        .count();
    assert_eq!(acks, 15);
}

#[test]
fn tcp_ecn_check_ce_a_copy_that_is_not_ecn_capable_makes_two_acks_quick() {
    for (ect, expected) in [(Ecn::Ect0, [true, true, false]), (Ecn::NotEct, [true, false, true])] {
        let (mut r, next) = calm_receiver_with(&Config { ecn: true, ..config() });
        let capable = |seq| DataSegment { ecn: ect, ..segment(seq, next) };
        for seq in next..next + 2 {
            let _ = r.on_data(at(seq), &capable(seq), false);
        }
        let _ = r.on_data(at(next + 2), &capable(next + 3), false);
        // The copy fills the gap; its ACK is never delayed.
        let copy = segment(next + 2, next);
        let mut acks = vec![r.on_data(at(next + 2), &copy, false).is_some()];
        for seq in next + 4..next + 6 {
            acks.push(r.on_data(at(seq), &capable(seq), false).is_some());
        }
        assert_eq!(acks, expected, "{ect:?}");
    }
}
