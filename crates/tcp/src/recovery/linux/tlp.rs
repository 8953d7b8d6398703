//! Tail loss probe: RFC 8985 section 7; `tcp_send_loss_probe`, `tcp_process_tlp_ack`.
//!
//! Losses at the end of a flight leave no later segment to reveal them. After two round trips without
//! an ACK one segment more is sent, new or the last once again, and its acknowledgment reveals the
//! rest to RACK. If the probe itself repaired the one loss, nothing else shows it, and the window is
//! reduced as if it had been seen.

use westwood_cc::Instant;

use super::news::News;
use super::timer::Timer;
use super::{CaState, Linux};
use crate::sender::{Core, Sign};

/// A tail loss episode.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Probe {
    /// `snd_max` when the probe had left; none outside an episode (`tlp_high_seq`).
    pub(super) high: Option<u64>,
    /// The probe was the last segment once again, not a new one (`tlp_retrans`).
    copy: bool,
    /// The segment to send as a probe, whatever the window says.
    pub(super) due: Option<u64>,
    /// The segment on its way out is the probe.
    pub(super) leaving: bool,
}

impl Linux {
    /// The probe timer has fired. At most one probe is outstanding.
    pub(super) fn send_probe(&mut self, core: &mut Core, now: Instant) {
        if self.probe.high.is_none() && core.outstanding() > 0 {
            let new = core.has_new();
            self.probe = Probe {
                high: Some(core.snd_max() + u64::from(new)),
                copy: !new,
                due: Some(core.snd_max() - u64::from(!new)),
                leaving: false,
            };
            // The timeout starts from now.
            self.timer = Timer::Timeout;
        }
        self.rearm_rto(core, now);
    }

    /// An ACK during a tail loss episode.
    pub(super) fn on_probe_ack(&mut self, core: &mut Core, news: &News) {
        let Some(high) = self.probe.high.filter(|&high| core.snd_una() >= high) else {
            return;
        };
        if !self.probe.copy || news.dsack_of_probe {
            // New data arrived, or both copies did.
            self.probe.high = None;
        } else if core.snd_una() > high {
            // The probe was acknowledged and so was something beyond: it repaired a loss.
            self.begin_reduction(core, news.now, Sign::ProbeRepaired);
            self.state = CaState::Reducing;
            self.end_reduction(core, news.now);
            self.try_keep_open(core);
        } else if news.is_duplicate() && !news.sacked {
            self.probe.high = None;
        }
    }
}
