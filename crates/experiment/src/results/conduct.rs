//! A run's measures of what the flows under test do to others, to themselves and after a change.

use serde::{Deserialize, Serialize};

use super::delay::DelayMs;

/// Measures of what the flows under test do to others, to themselves and after a change.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Conduct {
    /// Starvation: the least goodput of a flow over the mean goodput, of the flows under test and those that
    /// compete with them; 1 if all have the same. `null` of a single flow.
    #[serde(default)]
    pub least_share: Option<f64>,
    /// Starvation of others: the least goodput of a competing flow over the mean goodput of the flows under
    /// test and those that compete with them; 1 is its fair share. `null` where none compete.
    #[serde(default)]
    pub least_competing_share: Option<f64>,
    /// Packets that the measured link's queue or policer dropped over those that came to it: the loss that
    /// the traffic itself causes.
    #[serde(default)]
    pub self_inflicted_loss: f64,
    /// Packets lost on the measured link over those that it sent: the loss that no sender causes.
    #[serde(default)]
    pub link_loss: f64,
    /// Data segments that each flow under test sends in its base round-trip time, copies included, on the
    /// mean: under persistent loss at most one (RFC 9743 section 5.1.1).
    #[serde(default)]
    pub sent_per_rtt: f64,
    /// Delta-fair convergence time with a delta of 0.1 (RFC 5166 section 2.3, after D. Bansal and others,
    /// SIGCOMM 2001): from the first data of the youngest flow under test to the end of the first twenty
    /// round-trip times in which each flow carries its fair share plus or minus a tenth. `null` if there is
    /// no such time in the run, or one flow alone.
    #[serde(default)]
    pub convergence_ms: Option<f64>,
    /// From the last change of a link in the measuring interval, such as the end of an outage, to the end of
    /// the first base round-trip time in which the flows under test carry nine tenths of what they carry in
    /// the last quarter of the time that is left. `null` without a change.
    #[serde(default)]
    pub recovery_ms: Option<f64>,
    /// From a media frame's capture until its last datagram arrived, all media flows together; `null` without
    /// any.
    #[serde(default)]
    pub frame_delay_ms: Option<DelayMs>,
    /// Harm to the competing flows, beside what they have alone; `null` where none compete.
    #[serde(default)]
    pub solo_harm: Option<SoloHarm>,
}

/// Harm: what flows under test take from the performance that the competing flows have alone, under the same
/// seed, as a share of it (R. Ware and others, "Beyond Jain's Fairness Index", HotNets 2019, section 3.1).
/// Zero is no harm, one the whole of it; less than zero is a gain.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SoloHarm {
    /// Of their goodput: (alone - with) / alone.
    pub rate: Option<f64>,
    /// Of their mean round-trip time: (with - alone) / with. A gain, here and below, is a share of what there
    /// was alone, so that it is at most one as well.
    pub delay: Option<f64>,
    /// Of their share of segments resent: (with - alone) / with; zero where nothing is resent.
    pub loss: Option<f64>,
    /// Of the mean completion time of their transfers: (with - alone) / with.
    pub fct: Option<f64>,
}

impl SoloHarm {
    /// Harm where more is better.
    pub fn of_more(alone: f64, with: f64) -> Option<f64> {
        (alone > 0.0).then(|| (alone - with) / alone)
    }

    /// Harm where less is better.
    pub fn of_less(alone: f64, with: f64) -> f64 {
        let larger = alone.max(with);
        if larger > 0.0 { (with - alone) / larger } else { 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn harm_is_a_share_of_what_there_was_alone() {
        // From 15 to 7.5 Mbit/s is a harm of 0.5; a latency from 50 to 100 ms too.
        assert_eq!(SoloHarm::of_more(15.0, 7.5), Some(0.5));
        assert!((SoloHarm::of_less(50.0, 100.0) - 0.5).abs() < 1e-12);
        assert_eq!(SoloHarm::of_more(10.0, 11.0), Some(-0.1));
    }

    #[test]
    fn nothing_lost_before_and_after_is_no_harm() {
        assert!((SoloHarm::of_less(0.0, 0.0)).abs() < 1e-12);
        assert!((SoloHarm::of_less(0.0, 0.01) - 1.0).abs() < 1e-12);
        assert_eq!(SoloHarm::of_more(0.0, 1.0), None);
    }

    #[test]
    fn a_gain_is_never_more_than_the_whole() {
        assert!((SoloHarm::of_less(0.01, 0.0) + 1.0).abs() < 1e-12);
        assert!((SoloHarm::of_less(100.0, 50.0) + 0.5).abs() < 1e-12);
    }
}
