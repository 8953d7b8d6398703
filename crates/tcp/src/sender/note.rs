//! Why the window changed, in words.

use core::fmt;

use westwood_cc::controller::Reason;
use westwood_cc::{Cause, Segments};

/// Why the window changed. `Display` says it in a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Note {
    /// Congestion: `3 dupacks: bwe 3.1 Mbit/s x min_rtt 40 ms = 11 segments`.
    Reduced {
        /// The signal of congestion.
        signal: Signal,
        /// How the threshold came about.
        reason: Reason,
        /// The threshold.
        ssthresh: Segments,
    },
    /// A loss that explicit loss notification showed not to be congestion: nothing is reduced.
    Damaged,
    /// Recovery is over and the controller's window is in force.
    Recovered,
    /// The reduction was spurious and has been taken back.
    Undone,
    /// The modifier of the first slow start has ended it.
    SlowStartEnded,
    /// Sending begins again after an idle time.
    Restarted,
    /// A connection that gives no reasons, as the kernel's own, has begun a fast recovery.
    FastRecovery,
    /// A connection that gives no reasons is in recovery after its retransmission timer expired.
    TimedOut,
}

impl Note {
    /// True if there was congestion, and the window went down for it.
    pub const fn is_reduction(&self) -> bool {
        match self {
            Self::Reduced { .. } | Self::FastRecovery | Self::TimedOut => true,
            Self::Damaged
            | Self::Recovered
            | Self::Undone
            | Self::SlowStartEnded
            | Self::Restarted => false,
        }
    }
}

/// A signal of congestion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// This many duplicate ACKs.
    DuplicateAcks(u32),
    /// Enough segments beyond a gap were selectively acknowledged.
    Sack,
    /// Segments sent later were acknowledged earlier (RACK).
    Rack,
    /// A tail loss probe repaired a loss that nothing else had shown.
    ProbeRepaired,
    /// After the repair of a damaged segment another is missing that was not damaged.
    NotDamaged,
    /// The retransmission timer expired.
    Timeout,
    /// An ECN mark was echoed.
    EcnEcho,
}

impl Signal {
    /// The cause that the controller is told.
    pub const fn cause(self) -> Cause {
        match self {
            Self::DuplicateAcks(_)
            | Self::Sack
            | Self::Rack
            | Self::ProbeRepaired
            | Self::NotDamaged => Cause::FastRetransmit,
            Self::Timeout => Cause::Timeout,
            Self::EcnEcho => Cause::Ecn,
        }
    }
}

impl fmt::Display for Signal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::DuplicateAcks(n) => write!(f, "{n} dupacks"),
            Self::Sack => f.write_str("3 segments sacked beyond a gap"),
            Self::Rack => f.write_str("later segments acknowledged first (RACK)"),
            Self::ProbeRepaired => f.write_str("tail loss repaired by a probe"),
            Self::NotDamaged => f.write_str("a loss beside the damaged segment"),
            Self::Timeout => f.write_str("timeout"),
            Self::EcnEcho => f.write_str("ECN echo"),
        }
    }
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            // A model that never had a threshold sets none.
            Self::Reduced { signal, reason, ssthresh } if *ssthresh >= Segments::MAX => {
                write!(f, "{signal}: {reason}, without a threshold")
            }
            Self::Reduced { signal, reason, ssthresh } => {
                write!(f, "{signal}: {reason} = {ssthresh} segments")
            }
            Self::Damaged => f.write_str("damaged, not congested: nothing reduced"),
            Self::Recovered => f.write_str("recovery ends"),
            Self::Undone => f.write_str("spurious: reduction undone"),
            Self::SlowStartEnded => f.write_str("slow start ends before a loss"),
            Self::Restarted => f.write_str("restart after idle"),
            Self::FastRecovery => f.write_str("fast recovery"),
            Self::TimedOut => f.write_str("timeout"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use westwood_cc::Ratio;

    #[test]
    fn a_reduction_without_a_threshold_has_no_number_for_it() {
        let words = |ssthresh| {
            Note::Reduced { signal: Signal::Rack, reason: Reason::Model, ssthresh }.to_string()
        };
        let signal = "later segments acknowledged first (RACK)";
        assert_eq!(words(Segments::new(90)), format!("{signal}: model of the path = 90 segments"));
        let none = format!("{signal}: model of the path, without a threshold");
        assert_eq!(words(Segments::MAX), none);
    }

    #[test]
    fn reductions_are_told_from_other_notes() {
        let reason = Reason::Share(Ratio::new(1, 2));
        let ssthresh = Segments::new(2);
        assert!(Note::Reduced { signal: Signal::Timeout, reason, ssthresh }.is_reduction());
        assert!(Note::FastRecovery.is_reduction() && Note::TimedOut.is_reduction());
        for other in [Note::Damaged, Note::Recovered, Note::Undone, Note::Restarted] {
            assert!(!other.is_reduction(), "{other}");
        }
    }
}
