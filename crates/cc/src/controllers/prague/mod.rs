//! # Prague: DCTCP for the Internet's low-latency queues (L4S)
//!
//! K. De Schepper, O. Tilmans, B. Briscoe, V. Goel, "Prague Congestion Control",
//! draft-briscoe-iccrg-prague-congestion-control-04, 2024; in detail `tcp_prague.c` 0.7 of the authors'
//! Linux 6.18; the requirements are those of RFC 9331 section 4.
//!
//! Its segments carry ECT(1), which asks a dual queue (RFC 9332) for the low-latency queue: it marks many
//! segments early, and the receiver counts them ([`EcnFeedback::Accurate`](crate::EcnFeedback)). The
//! window falls by half of the share of marked segments, and grows for every segment that is not marked,
//! marks or no marks. Below a round-trip time of 25 ms it behaves as if it had one of 25 ms, so that short
//! paths leave room to long ones. A loss halves the window.
//!
//! ```text
//! once a virtual round (2.3.2):   alpha = alpha + g (marked / delivered - alpha)            g = 1/16
//! first mark of all:              cwnd = cwnd / 2, and slow start is over                   (2.4.5)
//! mark, once a virtual round:     cwnd = cwnd (1 - alpha / 2)                               (2.4.2)
//! loss:                           cwnd = cwnd / 2                                           (2.4.1)
//! segment that is not marked:     cwnd = cwnd + M^2 / cwnd       M = min(srtt / rtt_virt, 1)  (2.4.3, 2.4.4)
//! pace:                           max(cwnd, in flight) / srtt, twice that below ssthresh/2  (2.5.1)
//! ```
//!
//! | draft, kernel | here | unit |
//! |---|---|---|
//! | `frac_cwnd`, 20 fractional bits | `frac` | segments, 32 fractional bits |
//! | `upscaled_alpha` | `share` | 16/2^24 |
//! | `RTT_virt_min`, `prague_rtt_target` | `rtt_target` | us |
//! | D, `prague_rtt_transition` | `rtt_transition` | rounds |
//! | `ai_ack_increase` | `growth_per_segment` | segments, 20 fractional bits |
//! | `round`, `next_seq` | `rounds`, `round_end` | -, segment |
//! | `cwr_stamp`, `alpha_stamp` | `cut_at`, `share` | us |
//! | `saw_ce`, `in_loss` | `saw_ce`, `in_loss` | - |
//!
//! The window in force is `frac` rounded up, two segments at least, and moves by one segment an ACK.
//!
//! Rounding: alpha keeps its remainder; cuts and growth are rounded down to 2^-32 segments, M^2 to the
//! nearest 2^-20.
//!
//! Deviations from the module:
//! * Its rate mode for windows up to four packets, and with it packets of less than full size and the pace
//!   3 % higher in the first half of a round, is left out: two segments are the least.
//! * M^2 is computed at each ACK and not once a round.
//! * The module is told of a mark once a window of data, so that on a path of 20 ms it cuts every 40 ms at
//!   most; here the first mark after 25 ms cuts, as the draft says.
//! * The kernel lets the window grow if it was full in the last round. One that is paced by cwnd / srtt need
//!   never be: here it grows too if half of it was in flight and the application had more to send.
//! * Without ECN the kernel runs Reno in its place; here the same rules go on without marks.
//! * A burst is one segment, where the kernel's lasts up to 1/4096 s.
//!
//! Deviations from the draft, which the module shares:
//! * The first mark halves the window and alpha begins at zero, where the draft's alpha begins at 1 with that
//!   mark (`alpha_from_one`).
//! * Round-trip times count as longer from the fourth round after slow start on, where the draft has 500.
//! * A loss in the round of a cut halves what the cut has left.
//! * Nothing looks out for a single queue with classic ECN, though RFC 9331 section 4.3 asks for that outside
//!   controlled networks.
//! * The draft's section 3 (faster start, less dependence on the round-trip time, fractional windows) is
//!   future work.

mod share;
#[cfg(test)]
mod tests;

use crate::controller::{
    Ack, Cause, ControlScope, Controller, Grant, LostSegment, Phase, Reason, Reduction, Setup,
    Window,
};
use crate::controllers::Info;
use crate::linux::{self, micros, stamp};
use crate::math::scale;
use crate::units::{Bytes, Duration, Instant, Rate, Ratio, Segments};
use share::{ALPHA_BITS, Share};

/// How the catalog names this controller.
pub const INFO: Info = Info {
    name: "prague",
    aliases: &["tcp-prague"],
    summary: "cuts by half of the share of marks and sends ECT(1); for dual queues (L4S)",
    source: "draft-briscoe-iccrg-prague-congestion-control-04; tcp_prague.c 0.7",
};

/// `MIN_CWND_RTT`.
const MIN_WINDOW: u64 = 2;

/// `MINIMUM_RATE`: 100 kbit/s.
const MIN_RATE: u64 = 12_500;

/// `MAX_SCALED_RTT`: beyond it growth is not scaled.
const MAX_SCALED_RTT_US: u64 = 100_000;

crate::parameters! {
    /// The module's parameters.
    pub struct Params {
        /// The round-trip time as which shorter ones count; 0 for none.
        pub rtt_target: Duration = Duration::from_millis(25),
            in Duration::from_nanos(0), Duration::from_millis(100);
        /// So many rounds after slow start shorter round-trip times begin to count so.
        pub rtt_transition: u64 = 4, in 0, 1 << 20;
        /// Alpha is 1 at the first mark and decays, else the first mark halves the window and alpha grows
        /// from 0 (`prague_alpha_mode`).
        pub alpha_from_one: bool = false;
    }
}

/// Prague.
#[derive(Clone, Copy, Debug)]
pub struct Prague {
    params: Params,
    smss: Bytes,
    /// The window with its fraction.
    frac: Segments,
    share: Share,
    /// Rounds since slow start.
    rounds: u64,
    round_end: u64,
    saw_ce: bool,
    in_loss: bool,
    in_slow_start: bool,
    /// When a mark cut the window last.
    cut_at: Option<u64>,
    /// The window before the last loss.
    before_loss: Segments,
    pacing: Option<Rate>,
    /// The ACK in work, and the marks told before it.
    ack: Option<Ack>,
    marked: u64,
}

/// A Prague with these parameters.
pub fn new(params: &Params, setup: &Setup) -> Prague {
    Prague {
        params: *params,
        smss: setup.smss,
        frac: setup.initial_window.floor().max(Segments::ONE),
        share: Share::new(params.alpha_from_one),
        rounds: 0,
        round_end: 0,
        saw_ce: false,
        in_loss: false,
        in_slow_start: true,
        cut_at: None,
        before_loss: Segments::ZERO,
        pacing: None,
        ack: None,
        marked: 0,
    }
}

/// `prague_rate_scaled_ai_ack_increase`: M^2 with 20 fractional bits (draft, section 2.4.4). The window
/// grows by a segment each virtual round at the rate of a flow with that round-trip time.
fn growth_per_segment(rtt_us: u64, target_us: u64) -> u64 {
    if rtt_us == 0 || rtt_us >= target_us || rtt_us > MAX_SCALED_RTT_US {
        return 1 << 20;
    }
    let divisor = target_us * target_us;
    (((rtt_us * rtt_us) << 20) + divisor / 2) / divisor
}

impl Prague {
    /// The share of marked segments, in 2^-24.
    pub fn alpha(&self) -> u64 {
        self.share.alpha()
    }

    /// The window with its fraction.
    pub fn fractional_window(&self) -> Segments {
        self.frac
    }

    fn target_us(&self) -> u64 {
        micros(self.params.rtt_target)
    }

    /// `prague_is_rtt_indep`.
    fn is_rtt_independent(&self) -> bool {
        !self.in_slow_start && self.rounds >= self.params.rtt_transition
    }

    /// `prague_frac_cwnd_to_snd_cwnd`.
    fn whole_window(&self) -> u64 {
        self.frac.raw().div_ceil(1 << 32).max(MIN_WINDOW)
    }

    /// Before the first mark nothing has told that the path marks at all (section 2.4.5).
    fn see_mark(&mut self) {
        if !self.saw_ce && !self.params.alpha_from_one {
            self.frac = self.frac.half();
        }
        self.saw_ce = true;
    }

    /// `prague_enter_cwr`: a cut by half of alpha, once a virtual round (section 2.4.2).
    fn cut(&mut self, now_us: u64) {
        let since = self.cut_at.map_or(u64::MAX, |at| now_us.saturating_sub(at));
        if self.is_rtt_independent() && since < self.target_us() {
            return;
        }
        self.cut_at = Some(now_us);
        let cut = scale(self.frac.raw(), self.share.alpha(), 2 << ALPHA_BITS);
        self.frac -= Segments::from_raw(cut);
        self.see_mark();
    }

    /// `prague_update_cwnd`, the growth of it: for each segment that is not marked.
    fn grow_for(&mut self, acked: u64, w: Window, srtt_us: u64) -> Window {
        let (mut w, mut acked) = (w, acked);
        if w.in_slow_start() {
            (w, acked) = linux::slow_start(w, acked);
            self.frac = w.cwnd;
        }
        let target = if self.rounds < self.params.rtt_transition { 0 } else { self.target_us() };
        let each = Segments::from_raw(growth_per_segment(srtt_us, target) << 12);
        let increase = Segments::new(acked).times_q32(each).over(self.frac);
        self.frac += increase.max(Segments::from_raw(acked << 12));
        w
    }

    /// `prague_update_cwnd`, the end of it: the window in force follows by one segment an ACK.
    fn step(&self, w: Window) -> Window {
        let (cwnd, wanted) = (w.cwnd.whole(), self.whole_window());
        if cwnd > wanted {
            let cwnd = Segments::new(cwnd - 1);
            Window { cwnd, ssthresh: cwnd.max(Segments::TWO) }
        } else {
            linux::with_cwnd(w, if cwnd < wanted { cwnd + 1 } else { cwnd })
        }
    }

    /// `prague_should_update_ewma`, `prague_update_alpha`, `prague_new_round`.
    fn end_round(&mut self, ack: &Ack) {
        let now_us = stamp(ack.now);
        let waits = self.is_rtt_independent() && self.share.age(now_us) < self.target_us();
        if ack.snd_una < self.round_end || waits {
            return;
        }
        self.share.end_round(ack.delivered, ack.delivered_ce, self.saw_ce.then_some(now_us));
        self.round_end = ack.snd_nxt;
        if !self.in_slow_start {
            self.rounds += 1;
        }
    }

    /// `prague_update_pacing_rate` (section 2.5.1).
    fn pace(&mut self, ack: &Ack, w: Window, in_flight: u64) {
        let rate = self.frac.floor().max(Segments::new(in_flight)).bytes(self.smss).per(ack.srtt);
        let Some(rate) = rate else { return };
        let rate = if rate < Rate::from_bytes_per_s(MIN_RATE) {
            Rate::from_bytes_per_s(MIN_RATE)
        } else {
            rate
        };
        let doubles = w.cwnd < w.ssthresh.half();
        self.pacing = Some(if doubles { rate.times(Ratio::new(2, 1)) } else { rate });
    }
}

/// True if the window, or the pace that goes with it, limits the sender.
fn is_limited(ack: &Ack, grant: &Grant, frac: Segments) -> bool {
    let before = grant.in_flight + grant.credit.whole();
    let has_data = ack.sample.is_none_or(|sample| !sample.app_limited);
    grant.cwnd_limited || has_data && 2 * before >= frac.whole()
}

impl Controller for Prague {
    fn measure(&mut self, ack: &Ack) {
        self.ack = Some(*ack);
    }

    /// `prague_cong_control`.
    fn grow(&mut self, w: Window, grant: &Grant) -> Window {
        let mut w = linux::whole(w);
        let Some(ack) = self.ack.take() else { return w };
        if grant.phase == Phase::Open {
            self.in_loss = false;
        }
        let marked = ack.delivered_ce.saturating_sub(self.marked);
        self.marked = ack.delivered_ce;
        if marked > 0 {
            self.see_mark();
            // Of several marks of a window the transport tells the first. Another one cuts if a virtual
            // round is over (section 2.4.4), and no loss has halved the window.
            let is_short = ack.srtt < self.params.rtt_target;
            if self.is_rtt_independent() && is_short && !self.in_loss {
                self.cut(stamp(ack.now));
            }
        }
        self.in_slow_start = w.in_slow_start();
        let acked = grant.credit.whole().saturating_sub(marked);
        if acked > 0 && !self.in_loss && is_limited(&ack, grant, self.frac) {
            w = self.grow_for(acked, w, micros(ack.srtt));
        }
        w = self.step(w);
        self.end_round(&ack);
        self.pace(&ack, w, grant.in_flight);
        w
    }

    /// `prague_state`, `prague_enter_loss`.
    fn reduce(&mut self, w: Window, cause: Cause, now: Instant) -> Reduction {
        let before = self.frac;
        match cause {
            Cause::Ecn => self.cut(stamp(now)),
            Cause::FastRetransmit | Cause::Timeout => {
                self.before_loss = self.frac;
                self.frac = self.frac.half();
                self.in_loss = true;
            }
        }
        self.in_slow_start = false;
        let window = Segments::new(self.whole_window());
        Reduction { ssthresh: window, resume: w.cwnd.min(window), reason: kept(before, self.frac) }
    }

    fn lost(&mut self, _: &LostSegment) {}

    /// `prague_ca_open`.
    fn recovered(&mut self, w: Window, _: Instant) -> Window {
        self.in_loss = false;
        w
    }

    /// `prague_cwnd_undo`.
    fn undone(&mut self, now_w: Window, before: Window, _: Instant) -> Window {
        self.in_loss = false;
        self.frac = self.frac.max(self.before_loss);
        linux::undone(now_w, before)
    }

    /// The window that the transport leaves grows back to `frac` by one segment an ACK.
    fn restarted(&mut self, w: Window, _: Duration, _: Instant) -> Window {
        w
    }

    fn control_scope(&self) -> ControlScope {
        ControlScope::Everything
    }

    fn pacing_rate(&self) -> Option<Rate> {
        self.pacing
    }

    fn bwe(&self) -> Option<Rate> {
        None
    }
}

/// The share of the window that a cut leaves, in 1/1024.
fn kept(before: Segments, after: Segments) -> Reason {
    let share = (after.raw() >> 22) / (before.raw() >> 32).max(1);
    Reason::Share(Ratio::new(u32::try_from(share.min(1_024)).unwrap_or(1_024), 1_024))
}
