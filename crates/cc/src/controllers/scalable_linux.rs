//! # Scalable TCP as Linux 6.1 ships it
//!
//! T. Kelly, "Scalable TCP: Improving Performance in Highspeed Wide Area Networks", ACM CCR 33(2), 2003.
//! Linux 6.1, `net/ipv4/tcp_scalable.c`.
//!
//! A loss takes an eighth of the window, and a hundredth of what is acknowledged is added, so that a
//! recovery takes a fixed number of round-trip times. In the paper's notation, section 3, with `a = 0.01`
//! and `b = 1/8`:
//!
//! ```text
//! avoidance:  cwnd += a     for each segment acknowledged; up to 100 segments 1 / cwnd
//! loss:       cwnd -= b cwnd
//! ```
//!
//! | kernel | here | unit |
//! |---|---|---|
//! | `TCP_SCALABLE_AI_CNT` | `AI_COUNT` | segments acknowledged for one of growth |
//! | `TCP_SCALABLE_MD_SCALE` | - | 3: a loss takes 2^-3 |
//! | `snd_cwnd_cnt` | `count` | segments |
//!
//! Beside [`scalable`](super::scalable), the kernel counts segments and not ACKs, grows like Reno up to 100
//! segments, and takes an eighth of small windows too.
//!
//! Rounding: windows are whole; an eighth is rounded down, so that windows below eight stay at a loss.
//!
//! Deviation: none. ECN: like a loss (`tcp_enter_cwr`).

use crate::controller::{
    Ack, Cause, Controller, Grant, Reason, Reduction, Setup, Window, window_only_without_memory,
};
use crate::controllers::Info;
use crate::linux::{self, Count};
use crate::units::{Instant, Ratio, Segments};

/// How the catalog names this controller.
pub const INFO: Info = Info {
    name: "scalable-linux",
    aliases: &[],
    summary: "Scalable TCP in whole segments, Reno's growth up to 100",
    source: "Linux 6.1 tcp_scalable.c",
};

crate::parameters! {
    /// The module has no parameters.
    pub struct Params {}
}

/// Segments acknowledged for one of growth, once the window is as large.
const AI_COUNT: u64 = 100;

/// Linux's Scalable TCP.
#[derive(Clone, Copy, Debug, Default)]
pub struct ScalableLinux {
    count: Count,
}

/// A Scalable TCP of Linux's.
pub fn new(_: &Params, _: &Setup) -> ScalableLinux {
    ScalableLinux::default()
}

impl Controller for ScalableLinux {
    fn measure(&mut self, _: &Ack) {}

    fn grow(&mut self, w: Window, grant: &Grant) -> Window {
        let (w, acked) = (linux::whole(w), grant.credit.whole());
        let (w, left) = if w.in_slow_start() { linux::slow_start(w, acked) } else { (w, acked) };
        if left == 0 {
            return w;
        }
        let cwnd = w.cwnd.whole();
        linux::with_cwnd(w, self.count.spend(cwnd, cwnd.min(AI_COUNT), left))
    }

    fn reduce(&mut self, w: Window, _: Cause, _: Instant) -> Reduction {
        self.count.clear();
        let cwnd = w.cwnd.whole();
        let ssthresh = Segments::new(cwnd - cwnd / 8).max(Segments::TWO);
        Reduction { ssthresh, resume: ssthresh, reason: Reason::Share(Ratio::new(7, 8)) }
    }

    window_only_without_memory!(linux::undone);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::avoidance;

    fn after(cwnd: u64, acked: u64) -> u64 {
        let mut c = ScalableLinux::default();
        let grant = Grant::open(Instant::ZERO, Segments::new(acked));
        c.grow(avoidance(Segments::new(cwnd)), &grant).cwnd.whole()
    }

    #[test]
    fn a_window_above_a_hundred_grows_by_a_segment_for_a_hundred_and_a_smaller_one_like_renos() {
        assert_eq!(
            (after(1_000, 99), after(1_000, 100), after(1_000, 1_000)),
            (1_000, 1_001, 1_010)
        );
        assert_eq!((after(50, 49), after(50, 50)), (50, 51));
    }

    #[test]
    fn a_loss_takes_an_eighth_and_nothing_of_seven_segments() {
        let mut c = ScalableLinux::default();
        for (cwnd, left) in [(1_000, 875), (15, 14), (7, 7), (1, 2)] {
            let w = avoidance(Segments::new(cwnd));
            assert_eq!(c.reduce(w, Cause::FastRetransmit, Instant::ZERO).ssthresh.whole(), left);
        }
    }

    #[test]
    fn tcp_init_cwnd_reduction_a_loss_begins_the_count_of_acks_anew() {
        let mut c = ScalableLinux::default();
        let grown = |c: &mut ScalableLinux, cwnd, acked| {
            let grant = Grant::open(Instant::ZERO, Segments::new(acked));
            c.grow(avoidance(Segments::new(cwnd)), &grant).cwnd.whole()
        };
        assert_eq!(grown(&mut c, 50, 49), 50);
        c.reduce(avoidance(Segments::new(50)), Cause::FastRetransmit, Instant::ZERO);
        assert_eq!((grown(&mut c, 44, 43), grown(&mut c, 44, 1)), (44, 45));
    }
}
