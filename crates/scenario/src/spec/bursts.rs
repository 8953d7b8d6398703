//! Links whose packets leave in bursts: `a-mpdu(packets=64,airtime=4ms,overhead=186us)`.

use std::fmt;

use westwood_cc::Duration;
use westwood_net::BurstConfig;

use super::call::Call;
use crate::error::BadInput;
use crate::limits::within;
use crate::units::{count, duration, duration_text};

/// How a link puts packets together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BurstSpec(BurstConfig);

impl BurstSpec {
    /// The window of a block ACK in 802.11n and 802.11ac.
    const USUAL_PACKETS: u64 = 64;
    /// An assumption: Linux's drivers of 802.11n stay below it, and the standard below 5.484 ms.
    const USUAL_AIRTIME: Duration = Duration::from_millis(4);
    /// An assumption, added up for 5 GHz: DIFS 34 us, a mean backoff of 7.5 slots of 9 us, a preamble of
    /// 36 us, SIFS 16 us and a block ACK of 32 us, rounded up.
    const USUAL_OVERHEAD: Duration = Duration::from_micros(186);

    /// Reads `a-mpdu`, with `packets`, `airtime` and `overhead` if they are not the usual ones.
    ///
    /// ```
    /// use westwood_scenario::spec::BurstSpec;
    /// let bursts = BurstSpec::parse("a-mpdu(packets=32)").unwrap();
    /// assert_eq!(bursts.to_string(), "a-mpdu(packets=32,airtime=4ms,overhead=186us)");
    /// assert!(BurstSpec::parse("a-mpdu(packets=0)").is_err());
    /// ```
    pub fn parse(text: &str) -> Result<Self, BadInput> {
        let mut call = Call::parse(text)?;
        if !call.name.eq_ignore_ascii_case("a-mpdu") {
            return Err(BadInput::unknown("burst", call.name, ["a-mpdu"]));
        }
        let packets = call.take("packets", |text| count(text, 1, 1024))?;
        let airtime = call.take("airtime", up_to_a_second)?.unwrap_or(Self::USUAL_AIRTIME);
        let overhead = call.take("overhead", up_to_a_second)?.unwrap_or(Self::USUAL_OVERHEAD);
        call.finish()?;
        let packets = u32::try_from(packets.unwrap_or(Self::USUAL_PACKETS)).unwrap_or(u32::MAX);
        Ok(Self(BurstConfig { packets, airtime, overhead }))
    }

    /// As a link takes it.
    pub fn config(self) -> BurstConfig {
        self.0
    }
}

fn up_to_a_second(text: &str) -> Result<Duration, BadInput> {
    within(text, duration, "0s", "1s")
}

impl fmt::Display for BurstSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let BurstConfig { packets, airtime, overhead } = self.0;
        let (airtime, overhead) = (duration_text(airtime), duration_text(overhead));
        write!(f, "a-mpdu(packets={packets},airtime={airtime},overhead={overhead})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_burst_is_refused_in_words() {
        for (text, says) in [
            ("wifi", "unknown burst 'wifi'"),
            ("a-mpdu(packets=1025)", "packets"),
            ("a-mpdu(airtime=2s)", "airtime"),
            ("a-mpdu(overhead=short)", "overhead"),
            ("a-mpdu(n=3)", "has no parameter 'n'"),
        ] {
            let error = BurstSpec::parse(text).unwrap_err().to_string();
            assert!(error.contains(says), "{error}");
        }
    }
}
