//! # Linux's Westwood+: the kernel's own variant
//!
//! Linux 6.1, net/ipv4/tcp_westwood.c; A. Dell'Aera, L. A. Grieco, S. Mascolo, "Linux 2.4
//! Implementation of Westwood+ TCP with Rate-Halving: A Performance Evaluation over the Internet",
//! ICC 2004.
//!
//! The kernel reduces the window gradually during recovery, so it asks for a target when a loss is
//! seen and has a second look when recovery ends. Its Westwood+ answers with Reno's half at first,
//! and with the estimate at the end. The estimate is taken in jiffies, over at least 50 ms, and
//! smoothed by two filters in cascade.
//!
//! Equations, in whole bytes, jiffies and segments:
//!
//! ```text
//! b_k = bk / delta,  delta > max(rtt, HZ/20)
//! bw_ns_est = (7 bw_ns_est + b_k) / 8
//! bw_est    = (7 bw_est + bw_ns_est) / 8
//! loss, ECN:         ssthresh = max(cwnd / 2, 2)
//! recovery ends:     cwnd = ssthresh = max(bw_est rtt_min / mss, 2)
//! timeout:           ssthresh = max(bw_est rtt_min / mss, 2);  rtt_min learnt anew
//! ```
//!
//! | kernel | here | unit |
//! |---|---|---|
//! | bw_ns_est, bw_est, bk, rtt_win_sx, rtt, rtt_min | [`LinuxEstimate`] | byte/jiffy, byte, jiffy |
//! | HZ | [`Params::hz`] | 1/s |
//! | mss_cache | `smss` | byte |
//! | snd_cwnd, snd_cwnd_cnt | [`Window::cwnd`], [`Counted`] | segments |
//!
//! Rounding: as the kernel's, integers rounded down; RTT samples up to whole jiffies. Windows are
//! whole segments when reduced and grow by whole segments.
//!
//! Deviations: 32-bit products do not wrap. Where the receiver tells no window, no ACK takes the kernel's
//! fast path by default, see [`LinuxEstimate`].
//!
//! ECN: like a loss; the reduction after a mark ends as recovery does. An undone reduction brings
//! the window back.
//!
//! [`Window::cwnd`]: crate::Window::cwnd

use crate::controller::{
    Ack, Cause, Controller, Grant, Reason, Reduction, Setup, Window, window_only,
};
use crate::controllers::Info;
use crate::estimate::{Estimator, LinuxEstimate};
use crate::increase::{Counted, Increase, after_slow_start};
use crate::linux;
use crate::units::{Bytes, Duration, Instant, Segments};

/// How the catalog names this controller.
pub const INFO: Info = Info {
    name: "westwood-linux",
    aliases: &["linux-westwood"],
    summary: "Linux's westwood+: half on loss, the bandwidth estimate when recovery ends",
    source: "Linux 6.1, net/ipv4/tcp_westwood.c",
};

crate::parameters! {
    /// The parameters of Linux's Westwood+.
    pub struct Params {
        /// Clock ticks a second of the kernel.
        pub hz: u64 = 250, in 20, 1_000;
        /// The ACK that fills a gap takes the kernel's fast path, as from a receiver with a constant
        /// window. Of no effect where the receiver tells its window.
        pub fast_path: bool = false;
    }
}

/// Linux's Westwood+.
#[derive(Clone, Copy, Debug)]
pub struct WestwoodLinux {
    up: Counted,
    estimate: LinuxEstimate,
    smss: Bytes,
}

/// A Linux Westwood+ with these parameters.
pub fn new(params: &Params, setup: &Setup) -> WestwoodLinux {
    WestwoodLinux {
        up: Counted::default(),
        estimate: LinuxEstimate::new(params.hz, params.fast_path),
        smss: setup.smss,
    }
}

impl WestwoodLinux {
    /// tcp_westwood_bw_rttmin.
    fn bw_rttmin(&self) -> Segments {
        let mss = self.smss.get().max(1);
        Segments::new(self.estimate.pipe_bytes() / mss).max(Segments::TWO)
    }
}

impl Controller for WestwoodLinux {
    fn measure(&mut self, ack: &Ack) {
        self.smss = ack.smss;
        self.estimate.on_ack(ack);
    }

    fn grow(&mut self, w: Window, grant: &Grant) -> Window {
        after_slow_start(&mut self.up, w, grant)
    }

    fn reduce(&mut self, w: Window, cause: Cause, now: Instant) -> Reduction {
        let (ssthresh, reason) = match cause {
            Cause::FastRetransmit | Cause::Ecn => {
                let Reduction { ssthresh, reason, .. } = linux::halved(w);
                (ssthresh, reason)
            }
            Cause::Timeout => {
                let bwe = self.estimate.rate();
                let min_rtt = self.estimate.min_rtt();
                let ssthresh = self.bw_rttmin();
                self.estimate.forget_min_rtt();
                (ssthresh, Reason::Estimate { bwe, min_rtt })
            }
        };
        self.up.reduced(w.cwnd, ssthresh, cause, now);
        Reduction { ssthresh, resume: ssthresh, reason }
    }

    fn recovered(&mut self, _: Window, _: Instant) -> Window {
        let window = self.bw_rttmin();
        Window { cwnd: window, ssthresh: window }
    }

    fn undone(&mut self, now_w: Window, before: Window, _: Instant) -> Window {
        self.up.undone();
        now_w.or_larger(before)
    }

    fn restarted(&mut self, w: Window, idle: Duration, _: Instant) -> Window {
        self.up.restarted(idle);
        w
    }

    window_only!(|c| Some(c.estimate.rate()));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{avoidance, setup};

    #[test]
    fn tcp_init_cwnd_reduction_a_loss_begins_the_count_of_a_window_anew() {
        let mut c = new(&Params::default(), &setup());
        let grant = Grant::open(Instant::ZERO, Segments::ONE);
        let full = avoidance(Segments::new(10));
        (0..9).for_each(|_| assert_eq!(c.grow(full, &grant), full));
        c.reduce(full, Cause::FastRetransmit, Instant::ZERO);
        let half = avoidance(Segments::new(5));
        let windows: std::vec::Vec<u64> =
            (0..5).map(|_| c.grow(half, &grant).cwnd.whole()).collect();
        assert_eq!(windows, [5, 5, 5, 5, 6]);
    }

    #[test]
    fn an_undone_reduction_brings_the_larger_window_and_the_larger_threshold_back() {
        let mut c = new(&Params::default(), &setup());
        let window = |cwnd, ssthresh| Window {
            cwnd: Segments::new(cwnd),
            ssthresh: Segments::new(ssthresh),
        };
        let now = Instant::ZERO;
        assert_eq!(c.undone(window(5, 5), window(10, 40), now), window(10, 40));
        assert_eq!(c.undone(window(12, 50), window(10, 40), now), window(12, 50));
    }
}
