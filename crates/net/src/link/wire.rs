//! The wire between the transmitter and the far end: losses, delay, jitter.

use westwood_cc::{Bytes, Duration, Instant};

use crate::error::LinkError;
use crate::jitter::JitterSource;
use crate::link::config::LinkConfig;
use crate::loss::{Loss, TransmittedPacket};
use crate::random::Random;

/// The wire decides when each packet that leaves the transmitter arrives, and whether it is lost.
#[derive(Debug)]
pub(crate) struct Wire {
    delay: Duration,
    /// The latest arrival so far, which no packet may come before if order is kept.
    latest: Instant,
    /// Impairments are boxed: most links have none, stay small, and are crossed in few instructions.
    impairments: Option<Box<Impairments>>,
}

/// Losses and jitter.
#[derive(Debug)]
struct Impairments {
    losses: Vec<Loss>,
    jitter: Option<JitterSource>,
    reorder: bool,
}

/// A packet's arrival at the far end.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WireArrival {
    pub(crate) at: Instant,
    pub(crate) lost: bool,
}

impl Wire {
    pub(crate) fn new(config: &LinkConfig, seed: u64, name: &str) -> Result<Self, LinkError> {
        let jitter = match &config.jitter {
            Some(jitter) => {
                let random = Random::new(seed, &format!("{name}/jitter"));
                Some(JitterSource::new(jitter, random)?)
            }
            None => None,
        };
        let losses = Loss::all(&config.losses, seed, name, Instant::ZERO)?;
        let impaired = jitter.is_some() || !losses.is_empty();
        let reorder = config.jitter.is_some_and(|j| j.reorder);
        let mut wire = Self {
            delay: Duration::ZERO,
            latest: Instant::ZERO,
            impairments: impaired.then(|| Box::new(Impairments { losses, jitter, reorder })),
        };
        wire.set_delay(config.delay);
        Ok(wire)
    }

    pub(crate) fn set_delay(&mut self, delay: Duration) {
        self.delay = delay.max(Duration::from_nanos(1));
    }

    pub(crate) fn set_losses(&mut self, losses: Vec<Loss>) {
        match &mut self.impairments {
            Some(impairments) => impairments.losses = losses,
            None if losses.is_empty() => {}
            None => {
                self.impairments =
                    Some(Box::new(Impairments { losses, jitter: None, reorder: false }));
            }
        }
    }

    /// The loss processes count packets from the one after `offered` on.
    pub(crate) fn count_after(&mut self, offered: u64) {
        for process in self.impairments.iter_mut().flat_map(|impairments| &mut impairments.losses) {
            process.count_after(offered);
        }
    }

    /// True if there are losses or jitter.
    pub(crate) fn is_impaired(&self) -> bool {
        self.impairments.is_some()
    }

    /// The delay of a packet that meets no impairments.
    #[inline]
    pub(crate) fn delay(&self) -> Duration {
        self.delay
    }

    /// True if packets arrive in the order in which they left.
    pub(crate) fn keeps_order(&self) -> bool {
        self.impairments.as_ref().is_none_or(|t| !t.reorder)
    }

    /// The number of packets before the next possible loss, after `offered` packets; `u64::MAX` without
    /// losses. Such packets need not be [sent](Self::send), but must be [counted](Self::leave). None if each
    /// packet must be sent, because of jitter or of a loss process that does not count packets.
    pub(crate) fn spared(&self, offered: u64) -> Option<u64> {
        let Some(impairments) = &self.impairments else { return Some(u64::MAX) };
        match impairments.losses.as_slice() {
            _ if impairments.jitter.is_some() => None,
            [] => Some(u64::MAX),
            [Loss::Bernoulli(gap)] => Some(gap.left()),
            [Loss::List(listed)] => Some(listed.spared_after(offered)),
            [Loss::GilbertElliott(chain)] => Some(chain.spared()),
            _ => None,
        }
    }

    /// Tells the loss process that `left` of the [spared](Self::spared) packets have not come.
    pub(crate) fn leave(&mut self, left: u64) {
        let losses = self.impairments.as_mut().map(|impairments| impairments.losses.as_mut_slice());
        match losses {
            Some([Loss::Bernoulli(gap)]) => gap.leave(left),
            Some([Loss::GilbertElliott(chain)]) => chain.leave(left),
            _ => {}
        }
    }

    /// The arrival of the packet that leaves the transmitter at `departure`, the `number`-th that
    /// was offered to the link. Calls come in the order of departures.
    #[inline]
    pub(crate) fn send(&mut self, departure: Instant, number: u64, size: Bytes) -> WireArrival {
        if self.impairments.is_some() {
            return self.send_impaired(&TransmittedPacket { at: departure, size, number });
        }
        self.latest = self.latest.max(departure + self.delay);
        WireArrival { at: self.latest, lost: false }
    }

    #[inline(never)]
    fn send_impaired(&mut self, passing: &TransmittedPacket) -> WireArrival {
        let mut landing = WireArrival { at: passing.at + self.delay, lost: false };
        if let Some(impairments) = &mut self.impairments {
            landing.lost = impairments.loses(passing);
            if let Some(jitter) = &mut impairments.jitter {
                landing.at += jitter.draw(landing.at);
            }
            if impairments.reorder {
                return landing;
            }
        }
        self.latest = self.latest.max(landing.at);
        WireArrival { at: self.latest, ..landing }
    }
}

impl Impairments {
    fn loses(&mut self, passing: &TransmittedPacket) -> bool {
        let mut lost = false;
        for process in &mut self.losses {
            // Every process judges every packet, so that none moves another's draws.
            lost |= process.loses(passing);
        }
        lost
    }
}
