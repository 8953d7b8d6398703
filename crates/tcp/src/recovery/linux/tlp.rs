//! Tail loss probe: RFC 8985 section 7; `tcp_send_loss_probe`, `tcp_process_tlp_ack`.
//!
//! Losses at the end of a flight leave no later segment to reveal them. After two round trips without
//! an ACK one segment more is sent, new or the last once again, and its acknowledgment reveals the
//! rest to RACK. If the probe itself repaired the only loss, its acknowledgment alone shows that, and
//! reduces the window.

use westwood_cc::Instant;

use super::flags::AckFlags;
use super::timer::Timer;
use super::{CaState, LinuxRecovery};
use crate::sender::{Core, Signal};

/// The tail loss probe.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Probe {
    /// The segment to send as a probe, whatever the window says.
    pub(super) due: Option<u64>,
    /// The probe that awaits its ACK.
    episode: Option<Episode>,
}

/// A tail loss episode, from the probe to its ACK.
#[derive(Clone, Copy, Debug)]
struct Episode {
    /// `snd_max` when the probe had left (`tlp_high_seq`).
    high: u64,
    /// The probe was the last segment once again, not a new one (`tlp_retrans`).
    is_retransmission: bool,
}

impl Probe {
    /// The episode ends.
    pub(super) fn end(&mut self) {
        self.episode = None;
    }

    /// True if a probe that was sent once again awaits its ACK.
    pub(super) fn awaits_retransmission(&self) -> bool {
        self.episode.is_some_and(|episode| episode.is_retransmission)
    }

    /// True if the probe that awaits its ACK ends at `end`.
    pub(super) fn ends_at(&self, end: u64) -> bool {
        self.episode.is_some_and(|episode| episode.high == end)
    }
}

impl LinuxRecovery {
    /// The probe timer has fired. At most one probe is outstanding.
    pub(super) fn send_probe(&mut self, core: &mut Core, now: Instant) {
        if self.probe.episode.is_none() && core.outstanding() > 0 {
            let is_retransmission = !core.has_new();
            let due = core.snd_max() - u64::from(is_retransmission);
            self.probe = Probe {
                due: Some(due),
                episode: Some(Episode { high: due + 1, is_retransmission }),
            };
            // The timeout starts from now.
            self.timer = Timer::Timeout;
        }
        self.rearm_rto(core, now);
    }

    /// An ACK during a tail loss episode.
    #[inline]
    pub(super) fn on_probe_ack(&mut self, core: &mut Core, flags: &AckFlags) {
        if let Some(episode) = self.probe.episode.filter(|e| core.snd_una() >= e.high) {
            self.judge_episode(core, flags, episode);
        }
    }

    /// The ACK covers the data that was outstanding when the probe left.
    #[inline(never)]
    fn judge_episode(&mut self, core: &mut Core, flags: &AckFlags, episode: Episode) {
        let Episode { high, is_retransmission } = episode;
        if !is_retransmission || flags.dsack_of_probe {
            // New data arrived, or both copies did.
            self.probe.end();
        } else if core.snd_una() > high {
            // The probe was acknowledged, and so was a later segment: it repaired a loss.
            self.begin_reduction(core, flags.now, Signal::ProbeRepaired);
            self.state = CaState::Cwr;
            self.end_reduction(core, flags.now);
            self.try_keep_open(core);
        } else if !flags.advanced && !flags.sacked {
            // `tcp_process_tlp_ack` takes a pure duplicate so, with a DSACK of another segment, too.
            self.probe.end();
        }
    }
}
