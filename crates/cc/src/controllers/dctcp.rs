//! # DCTCP: as large a cut as there are marks
//!
//! M. Alizadeh et al., "Data Center TCP (DCTCP)", ACM SIGCOMM 2010; RFC 8257; in detail Linux 6.1,
//! `net/ipv4/tcp_dctcp.c`.
//!
//! A switch marks every packet that finds more than K others waiting, and the receiver tells of each mark
//! ([`EcnFeedback::EachSegment`](crate::EcnFeedback)). The sender keeps the share of marked segments and
//! cuts its window by half of that share: by little if few are marked, by half if all are. In the
//! RFC's notation, sections 3.3 and 3.4:
//!
//! ```text
//! once a window:   M = bytes marked / bytes acknowledged
//!                  DCTCP.Alpha = DCTCP.Alpha (1 - g) + g M        g = 1/16
//! mark, once a window:  cwnd = cwnd (1 - DCTCP.Alpha / 2)
//! loss:            cwnd = cwnd / 2
//! growth:          Reno's
//! ```
//!
//! | kernel | here | unit |
//! |---|---|---|
//! | `dctcp_alpha` | `alpha` | 10 fractional bits |
//! | `dctcp_shift_g` | `shift_g` | g = 2^-`shift_g` |
//! | `old_delivered`, `old_delivered_ce` | `round` | segments |
//! | `next_seq` | `round_end` | segment |
//! | `delivered`, `delivered_ce` at `in_ack_event` | `seen` | segments |
//! | `loss_cwnd` | `loss_cwnd` | segments |
//!
//! The ACK that ends a window counts in it: the kernel takes its segments off the queue first. Without ECN no
//! mark comes, and what is left is Reno.
//!
//! Deviations:
//! * A loss within the window of a mark's reduction lowers ssthresh once more, and retransmissions are
//!   ECN-capable, as in the kernel and against RFC 3168, sections 6.1.2 and 6.1.5: both are the transport's
//!   part.
//! * A tail loss which a probe has repaired counts as a mark, since the kernel goes through CWR then and not
//!   through Recovery (`tcp_process_tlp_ack`); this, too, is the transport's.
//!
//! Rounding: as in the kernel. Alpha below 1/64 goes to zero at once; the cut is rounded down.

use crate::controller::{
    Ack, Cause, Controller, Grant, Reason, Reduction, Setup, Window, window_only,
};
use crate::controllers::Info;
use crate::linux::{self, Count};
use crate::units::{Duration, Instant, Ratio, Segments};

/// How the catalog names this controller.
pub const INFO: Info = Info {
    name: "dctcp",
    aliases: &[],
    summary: "cuts by half of the share of marked segments; needs ECN and a queue that marks early",
    source: "RFC 8257; Linux 6.1 tcp_dctcp.c",
};

/// `DCTCP_MAX_ALPHA`: every segment is marked.
const MAX_ALPHA: u64 = 1 << ALPHA_BITS;
const ALPHA_BITS: u32 = 10;

crate::parameters! {
    /// The module's parameters.
    pub struct Params {
        /// The gain of the share of marks is 2 to the power of minus this.
        pub shift_g: u64 = 4, in 0, 10;
        /// The share at the start, in 1/1024.
        pub alpha_on_init: u64 = MAX_ALPHA, in 0, MAX_ALPHA;
        /// Send ECT(1), which asks a dual queue for low latency: in a data centre only, since DCTCP does not
        /// meet the requirements of RFC 9331 section 4.
        pub ect1: bool = false;
    }
}

/// Segments delivered, and those of them whose marks were echoed.
#[derive(Clone, Copy, Debug, Default)]
struct DeliveryCounts {
    all: u64,
    marked: u64,
}

/// DCTCP.
#[derive(Clone, Copy, Debug)]
pub struct Dctcp {
    params: Params,
    alpha: u64,
    /// The window of which marks are counted ends here ...
    round_end: u64,
    /// ... and began with these.
    round: DeliveryCounts,
    /// As the ACK before told.
    seen: DeliveryCounts,
    loss_cwnd: u64,
    count: Count,
}

/// A DCTCP with these parameters.
pub fn new(params: &Params, _: &Setup) -> Dctcp {
    Dctcp {
        params: *params,
        alpha: params.alpha_on_init,
        round_end: 0,
        round: DeliveryCounts::default(),
        seen: DeliveryCounts::default(),
        loss_cwnd: 0,
        count: Count::default(),
    }
}

impl Dctcp {
    /// `DCTCP.Alpha` in 1/1024.
    pub fn alpha(&self) -> u64 {
        self.alpha
    }

    /// `dctcp_update_alpha`, once a window.
    fn update_alpha(&mut self) {
        let shift = self.params.shift_g;
        // `min_not_zero`: what the shift would leave alone goes at once.
        let forgotten = match self.alpha >> shift {
            0 => self.alpha,
            part => part,
        };
        self.alpha -= forgotten;
        let delivered = (self.seen.all - self.round.all).max(1);
        let marked = self.seen.marked - self.round.marked;
        let share = (marked << (u64::from(ALPHA_BITS) - shift)) / delivered;
        self.alpha = (self.alpha + share).min(MAX_ALPHA);
    }
}

impl Controller for Dctcp {
    fn measure(&mut self, ack: &Ack) {
        self.seen = DeliveryCounts { all: ack.delivered, marked: ack.delivered_ce };
        if ack.snd_una >= self.round_end {
            self.update_alpha();
            self.round = self.seen;
            self.round_end = ack.snd_nxt;
        }
    }

    fn grow(&mut self, w: Window, grant: &Grant) -> Window {
        linux::reno(linux::whole(w), grant.credit.whole(), &mut self.count)
    }

    /// `dctcp_ssthresh` for marks, `dctcp_react_to_loss` for the rest.
    fn reduce(&mut self, w: Window, cause: Cause, _: Instant) -> Reduction {
        self.count.clear();
        let cwnd = w.cwnd.whole();
        self.loss_cwnd = cwnd;
        let (cut, share) = match cause {
            Cause::Ecn => {
                let twice = 2 << ALPHA_BITS;
                let alpha = u32::try_from(self.alpha).unwrap_or(twice);
                let share = Ratio::new(twice.saturating_sub(alpha), twice);
                ((cwnd * self.alpha) >> (ALPHA_BITS + 1), share)
            }
            Cause::FastRetransmit | Cause::Timeout => (cwnd - cwnd / 2, Ratio::new(1, 2)),
        };
        let ssthresh = Segments::new(cwnd - cut).max(Segments::TWO);
        Reduction { ssthresh, resume: ssthresh, reason: Reason::Share(share) }
    }

    fn recovered(&mut self, w: Window, _: Instant) -> Window {
        w
    }

    /// `dctcp_cwnd_undo`.
    fn undone(&mut self, now_w: Window, before: Window, _: Instant) -> Window {
        let cwnd = now_w.cwnd.whole().max(self.loss_cwnd);
        Window { ssthresh: now_w.ssthresh.max(before.ssthresh), ..linux::with_cwnd(now_w, cwnd) }
    }

    fn restarted(&mut self, w: Window, _: Duration, _: Instant) -> Window {
        w
    }

    window_only!();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{ack, avoidance, setup};

    fn dctcp() -> Dctcp {
        new(&Params::default(), &setup())
    }

    /// Windows of 100 segments, each acknowledged at once, of which so many are marked.
    fn windows(c: &mut Dctcp, marks: &[u64]) {
        for &marked in marks {
            let (end, seen) = (c.round_end, c.seen);
            c.measure(&Ack {
                delivered: seen.all + 100,
                delivered_ce: seen.marked + marked,
                ..ack(0, 100, end, end + 100)
            });
        }
    }

    #[test]
    fn rfc8257_3_3_alpha_moves_by_a_sixteenth_towards_the_share_of_marks() {
        let mut c = dctcp();
        assert_eq!(c.alpha(), 1_024);
        // The ACK that ends a window counts in it.
        windows(&mut c, &[100]);
        assert_eq!(c.alpha(), 1_024);
        windows(&mut c, &[0, 0]);
        assert_eq!(c.alpha(), 1_024 - 64 - 60);
        windows(&mut c, &[50; 200]);
        // Half of the segments, 512, and the sixteen of which a sixteenth is one.
        assert!((512..528).contains(&c.alpha()), "{}", c.alpha());
        windows(&mut c, &[0; 200]);
        assert_eq!(c.alpha(), 0);
    }

    #[test]
    fn rfc8257_3_3_a_mark_cuts_by_half_of_alpha_and_a_loss_by_half() {
        let mut c = dctcp();
        let cut = |c: &mut Dctcp, cause| {
            c.reduce(avoidance(Segments::new(100)), cause, Instant::ZERO).ssthresh.whole()
        };
        // Every segment is marked, as far as it knows.
        assert_eq!(cut(&mut c, Cause::Ecn), 50);
        windows(&mut c, &[10; 300]);
        assert!((94..=96).contains(&cut(&mut c, Cause::Ecn)), "alpha {}", c.alpha());
        assert_eq!(cut(&mut c, Cause::FastRetransmit), 50);
        assert_eq!(cut(&mut c, Cause::Timeout), 50);
    }

    #[test]
    fn an_undone_reduction_restores_the_window() {
        let mut c = dctcp();
        let before = avoidance(Segments::new(100));
        let r = c.reduce(before, Cause::FastRetransmit, Instant::ZERO);
        let now = Window { cwnd: r.resume, ssthresh: r.ssthresh };
        assert_eq!(c.undone(now, before, Instant::ZERO).cwnd, before.cwnd);
    }
}
