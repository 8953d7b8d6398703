//! # Linux's Reno: whole segments
//!
//! Linux 6.1, net/ipv4/tcp_cong.c; the algorithm is RFC 5681's, see [`reno`](super::reno).
//!
//! The window is a whole number of segments, and growth by less than one is a count of segments
//! acknowledged beside it. It grows as fast as the RFC's `1/cwnd`, but halves without a fraction and
//! starts each climb from a count of zero.
//!
//! ```text
//! slow start:  cwnd += acked, up to ssthresh              tcp_slow_start
//! avoidance:   cwnd += 1 for every cwnd segments acked    tcp_cong_avoid_ai
//! loss, ECN:   ssthresh = max(cwnd / 2, 2)                tcp_reno_ssthresh
//! undo:        cwnd = max(cwnd, window before)            tcp_reno_undo_cwnd
//! ```
//!
//! | kernel | here | unit |
//! |---|---|---|
//! | snd_cwnd | [`Window::cwnd`] | segments |
//! | snd_cwnd_cnt | `count` | segments |
//! | snd_ssthresh | [`Window::ssthresh`] | segments |
//!
//! Under random loss the count matters: the fraction of [`reno`](super::reno) gives less goodput than the
//! kernel has (crates/fidelity/reference/differences.md).
//!
//! Rounding: as the kernel's, down to whole segments. Deviation: none. ECN: like a loss
//! (`tcp_enter_cwr`).

use crate::controller::{
    Ack, Cause, Controller, Grant, Reduction, Setup, Window, window_only_without_memory,
};
use crate::controllers::Info;
use crate::linux::{self, Count};
use crate::units::Instant;

/// How the catalog names this controller.
pub const INFO: Info = Info {
    name: "reno-linux",
    aliases: &["linux-reno"],
    summary: "reno in whole segments, as the kernel counts",
    source: "Linux 6.1, net/ipv4/tcp_cong.c",
};

crate::parameters! {
    /// Linux's Reno has no parameters.
    pub struct Params {}
}

/// Linux's Reno.
#[derive(Clone, Copy, Debug, Default)]
pub struct RenoLinux {
    count: Count,
}

/// A Reno as Linux has it.
pub fn new(_: &Params, _: &Setup) -> RenoLinux {
    RenoLinux::default()
}

impl Controller for RenoLinux {
    fn measure(&mut self, _: &Ack) {}

    fn grow(&mut self, w: Window, grant: &Grant) -> Window {
        linux::reno(linux::whole(w), grant.credit.whole(), &mut self.count)
    }

    fn reduce(&mut self, w: Window, _: Cause, _: Instant) -> Reduction {
        self.count.clear();
        linux::halved(w)
    }

    window_only_without_memory!(linux::undone);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::Segments;

    #[test]
    fn seven_segments_are_halved_to_three_and_need_three_acks_for_the_next() {
        let mut reno = RenoLinux::default();
        let w = Window { cwnd: Segments::new(7), ssthresh: Segments::new(7) };
        let r = reno.reduce(w, Cause::FastRetransmit, Instant::ZERO);
        let mut w = Window { cwnd: r.resume, ssthresh: r.ssthresh };
        let grown: std::vec::Vec<u64> = (0..8)
            .map(|_| {
                w = reno.grow(w, &Grant::open(Instant::ZERO, Segments::ONE));
                w.cwnd.whole()
            })
            .collect();
        assert_eq!(grown, [3, 3, 4, 4, 4, 4, 5, 5]);
    }

    #[test]
    fn tcp_init_cwnd_reduction_a_loss_begins_the_count_of_acks_anew() {
        let mut reno = RenoLinux::default();
        let ack = Grant::open(Instant::ZERO, Segments::ONE);
        let w = |n| Window { cwnd: Segments::new(n), ssthresh: Segments::new(n) };
        for _ in 0..6 {
            assert_eq!(reno.grow(w(7), &ack).cwnd.whole(), 7);
        }
        reno.reduce(w(7), Cause::FastRetransmit, Instant::ZERO);
        assert_eq!([3, 3, 3].map(|n| reno.grow(w(n), &ack).cwnd.whole()), [3, 3, 4]);
    }
}
