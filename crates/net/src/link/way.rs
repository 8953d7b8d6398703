//! What lies between the transmitter and the far end: losses, delay, jitter.

use westwood_cc::{Bytes, Duration, Instant};

use crate::error::LinkError;
use crate::jitter::JitterSource;
use crate::link::config::LinkConfig;
use crate::loss::{Loss, Passing};
use crate::random::Random;

/// Says of each packet that leaves the transmitter when it arrives, and whether it is lost.
#[derive(Debug)]
pub(crate) struct Way {
    delay: Duration,
    /// The latest arrival so far, which no packet may come before if order is kept.
    latest: Instant,
    /// Most links have none. Apart, so that those are small and crossing one is short.
    trouble: Option<Box<Trouble>>,
}

/// Losses and jitter.
#[derive(Debug)]
struct Trouble {
    losses: Vec<Loss>,
    jitter: Option<JitterSource>,
    reorder: bool,
}

/// A packet's arrival at the far end.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Landing {
    pub(crate) at: Instant,
    pub(crate) lost: bool,
}

impl Way {
    pub(crate) fn new(config: &LinkConfig, seed: u64, name: &str) -> Result<Self, LinkError> {
        let jitter = match &config.jitter {
            Some(jitter) => {
                let random = Random::new(seed, &format!("{name}/jitter"));
                Some(JitterSource::new(jitter, random)?)
            }
            None => None,
        };
        let losses = Loss::all(&config.losses, seed, name, Instant::ZERO)?;
        let troubled = jitter.is_some() || !losses.is_empty();
        let reorder = config.jitter.is_some_and(|j| j.reorder);
        let mut way = Self {
            delay: Duration::ZERO,
            latest: Instant::ZERO,
            trouble: troubled.then(|| Box::new(Trouble { losses, jitter, reorder })),
        };
        way.set_delay(config.delay);
        Ok(way)
    }

    pub(crate) fn set_delay(&mut self, delay: Duration) {
        self.delay = delay.max(Duration::from_nanos(1));
    }

    pub(crate) fn set_losses(&mut self, losses: Vec<Loss>) {
        match &mut self.trouble {
            Some(trouble) => trouble.losses = losses,
            None if losses.is_empty() => {}
            None => {
                self.trouble = Some(Box::new(Trouble { losses, jitter: None, reorder: false }));
            }
        }
    }

    /// True if packets arrive in the order in which they left.
    pub(crate) fn keeps_order(&self) -> bool {
        self.trouble.as_ref().is_none_or(|t| !t.reorder)
    }

    /// The arrival of the packet that leaves the transmitter at `departure`, the `number`-th that
    /// was offered to the link. Calls come in the order of departures.
    #[inline]
    pub(crate) fn send(&mut self, departure: Instant, number: u64, size: Bytes) -> Landing {
        let mut at = departure + self.delay;
        let mut lost = false;
        if let Some(trouble) = &mut self.trouble {
            lost = trouble.loses(&Passing { at: departure, size, number });
            if let Some(jitter) = &mut trouble.jitter {
                at += jitter.draw();
            }
            if trouble.reorder {
                return Landing { at, lost };
            }
        }
        self.latest = self.latest.max(at);
        Landing { at: self.latest, lost }
    }
}

impl Trouble {
    fn loses(&mut self, passing: &Passing) -> bool {
        let mut lost = false;
        for process in &mut self.losses {
            // Every process judges every packet, so that none moves another's draws.
            lost |= process.loses(passing);
        }
        lost
    }
}
