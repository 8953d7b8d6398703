//! What few connections have beside the ordinary: word from links and routers, and estimators that
//! watch.

use westwood_cc::controller::{Reason, Reduction};
use westwood_cc::estimate::{Beside, EstimatorKind, Kinds};
use westwood_cc::{Ack, Duration, Instant, Rate, Segments};

use super::core::Core;
use super::note::{Note, Sign};
use crate::config::{Config, Recovery};
use crate::segment::AckSegment;

/// What few connections have. Apart, so that the others carry a pointer and no more.
#[derive(Clone, Debug, Default)]
pub(crate) struct Aside {
    /// Explicit loss notification is negotiated.
    eln: bool,
    /// The fair share is heeded.
    fair_share: bool,
    /// The latest share that came back.
    share: Option<Rate>,
    /// The last ACK said that the segment it asks for arrived damaged.
    damaged: bool,
    /// The present recovery has reduced nothing, because what it repairs was damaged.
    spared: bool,
    estimators: Vec<Beside>,
}

impl Aside {
    /// Nothing, for a connection that heeds nobody.
    pub(crate) fn of(config: &Config) -> Option<Box<Self>> {
        // Tahoe's answer to a loss is not a reduction, and Linux judges losses by its own signs.
        let eln = config.eln && !matches!(config.recovery, Recovery::Tahoe | Recovery::Linux);
        let fair_share = config.fair_share;
        (eln || fair_share).then(|| Box::new(Self { eln, fair_share, ..Self::default() }))
    }

    /// Lets the estimators take in an ACK that finds the window at `cwnd`.
    pub(crate) fn measure(&mut self, ack: &Ack, cwnd: Segments) {
        for estimator in &mut self.estimators {
            estimator.on_ack(ack, cwnd);
        }
    }

    /// The reduction that a router's share asks for: `share x min_rtt`, in place of the
    /// controller's.
    pub(crate) fn told(
        &self,
        min_rtt: Option<Duration>,
        smss: westwood_cc::Bytes,
    ) -> Option<Reduction> {
        let (share, min_rtt) = (self.share.filter(|_| self.fair_share)?, min_rtt?);
        let window = share.pipe(min_rtt, smss).max(Segments::TWO);
        let reason = Reason::Told { share, min_rtt };
        Some(Reduction { ssthresh: window, resume: window, reason })
    }
}

impl Core {
    /// Takes in what an ACK says beside the ordinary, before recovery does.
    #[cold]
    pub(super) fn heed(&mut self, ack: &AckSegment) {
        let news = ack.ack >= self.snd_una;
        if let Some(aside) = self.aside.as_mut().filter(|_| news) {
            aside.damaged = aside.eln && ack.eln;
            aside.share = ack.sack.share().or(aside.share);
        }
    }

    /// After recovery has taken in an ACK: if it goes on without a reduction, and what is missing
    /// now was not damaged, congestion has taken it.
    #[cold]
    pub(super) fn reconsider(&mut self, now: Instant, ack: &AckSegment, repairing: bool) {
        let Some(aside) = self.aside.as_mut().filter(|aside| aside.spared) else { return };
        if !repairing {
            aside.spared = false;
        } else if ack.ack == self.snd_una && !aside.damaged {
            aside.spared = false;
            self.reduce(now, Sign::NotDamaged);
        }
    }

    /// True if the loss that begins a recovery needs no reduction, because the segment that is
    /// missing was damaged.
    pub(super) fn spares(&mut self) -> bool {
        let Some(aside) = self.aside.as_mut().filter(|aside| aside.damaged) else { return false };
        aside.spared = true;
        self.resume = self.window.cwnd;
        self.note(Note::Damaged);
        true
    }

    /// Runs these estimators on the ACKs to come.
    pub(crate) fn estimate(&mut self, kinds: Kinds) {
        if !kinds.is_empty() {
            let aside = self.aside.get_or_insert_default();
            aside.estimators = kinds.iter().map(Beside::new).collect();
        }
    }

    /// What the estimators say.
    pub(crate) fn estimates(&self) -> impl Iterator<Item = (EstimatorKind, Rate)> + '_ {
        let all = self.aside.iter().flat_map(|aside| &aside.estimators);
        all.map(|estimator| (estimator.kind(), estimator.rate()))
    }
}
