//! Options that few connections use: explicit loss notification, a router's fair share, one-way delays by
//! the receiver's clock, what goes beside the controller, and shadow estimators, which read the controller's
//! ACKs and decide nothing.

use westwood_cc::controller::{Grant, Reason, Reduction};
use westwood_cc::estimate::{EstimatorKind, EstimatorKinds, ShadowEstimator};
use westwood_cc::modifiers::Modifiers;
use westwood_cc::slow_start::SlowStartWatcher;
use westwood_cc::{Ack, Bytes, Cause, Duration, Instant, Rate, RelativeDelay, Segments, Window};

use super::Core;
use super::host::HostLimits;
use crate::config::{Config, Pacing, Recovery};
use crate::receiver::misbehaviour::ReceiverBehaviour;
use crate::segment::AckSegment;
use crate::sender::note::{Note, Signal};

/// The state of these options, behind a pointer: most connections have none.
#[derive(Clone, Debug, Default)]
pub(crate) struct Extensions {
    /// Explicit loss notification is negotiated.
    eln: bool,
    /// The fair share bounds reductions.
    fair_share: bool,
    /// The latest share that an ACK returned.
    share: Option<Rate>,
    /// The one-way delay of the ACK in work, where ACKs have the receiver's clock.
    one_way_delay: Option<RelativeDelay>,
    /// The last ACK said that the segment it asks for arrived damaged.
    damaged: bool,
    /// The present recovery repairs a damaged segment and has not reduced the window.
    spared: bool,
    /// The modifiers beside the controller.
    modifiers: Modifiers,
    /// The watcher of the first slow start, until that is over.
    watcher: Option<SlowStartWatcher>,
    /// Shadow estimators.
    estimators: Vec<ShadowEstimator>,
    /// The receiver's window and the send buffer.
    pub(super) limits: HostLimits,
}

impl Extensions {
    /// The state of the options that a connection has, if any.
    /// `everything`: the controller commands everything, as BBR.
    pub(super) fn of(config: &Config, modifiers: Modifiers, everything: bool) -> Option<Box<Self>> {
        // Tahoe answers a loss by more than a reduction, and Linux judges losses by its own signs.
        let eln = config.eln && !matches!(config.recovery, Recovery::Tahoe | Recovery::Linux);
        let fair_share = config.fair_share;
        let clock = config.timestamps && config.receiver_clock.is_some();
        let none = !eln
            && !fair_share
            && !clock
            && modifiers == Modifiers::default()
            && !config.buffers.limit()
            && !matches!(config.receiver, ReceiverBehaviour::Divide { .. });
        // `ca->sndbuf_expand`.
        let limits = HostLimits::new(config, if everything { 3 } else { 2 });
        let watcher = SlowStartWatcher::new(modifiers.slow_start, config.pacing != Pacing::Off);
        let it = Self { eln, fair_share, modifiers, watcher, limits, ..Self::default() };
        (!none).then(|| Box::new(it))
    }

    /// Lets what watches the first slow start and the shadow estimators take in an ACK that finds the
    /// window at `cwnd`.
    pub(super) fn measure(&mut self, ack: &Ack, cwnd: Segments) {
        if let Some(watcher) = &mut self.watcher {
            watcher.measure(ack);
        }
        for estimator in &mut self.estimators {
            estimator.on_ack(ack, cwnd);
        }
    }

    /// The one-way delay that the ACK in work tells.
    pub(super) fn take_one_way_delay(&mut self) -> Option<RelativeDelay> {
        self.one_way_delay.take()
    }

    /// The reduction in place of the controller's, if there is one: by a router's share, or by
    /// alternative backoff. It ends the first slow start.
    pub(super) fn reduction(
        &mut self,
        path: (Option<Duration>, Bytes),
        window: Window,
        cause: Cause,
        now: Instant,
    ) -> Option<Reduction> {
        self.watcher = None;
        self.shared(path).or_else(|| self.modifiers.reduction(window, cause, now))
    }

    /// `share x min_rtt`, with a router's share and the path's smallest round-trip time.
    fn shared(&self, (min_rtt, smss): (Option<Duration>, Bytes)) -> Option<Reduction> {
        let (share, min_rtt) = (self.share.filter(|_| self.fair_share)?, min_rtt?);
        let window = share.pipe(min_rtt, smss).max(Segments::TWO);
        let reason = Reason::RouterShare { share, min_rtt };
        Some(Reduction { ssthresh: window, resume: window, reason })
    }
}

impl Core {
    /// True if some of these options are in use.
    #[inline]
    pub(crate) fn has_extensions(&self) -> bool {
        self.extensions.is_some()
    }

    /// The watcher of the first slow start may slow the window's growth down, or end slow start.
    #[cold]
    pub(super) fn apply_slow_start_modifier(&mut self, grant: &Grant) -> Grant {
        let Some(extensions) = &mut self.extensions else { return *grant };
        let Some(watcher) = &mut extensions.watcher else { return *grant };
        let led = watcher.apply(self.window, grant.credit);
        self.window = led.window;
        if !self.window.in_slow_start() {
            extensions.watcher = None;
            self.note(Note::SlowStartEnded);
        }
        Grant { credit: led.credit, ..*grant }
    }

    /// Reads the options of an ACK, before its first step. True if the ACK tells of a larger window and of
    /// nothing else.
    #[inline(never)]
    pub(crate) fn read_options(&mut self, now: Instant, ack: &AckSegment) -> bool {
        let news = ack.ack >= self.snd_una();
        let eln = self.extensions.as_ref().is_some_and(|extensions| extensions.eln);
        if news && (eln || ack.options.has_others()) {
            self.read_reports(ack);
        }
        self.read_window(now, ack)
    }

    /// Reads what links, routers and the receiver's clock report.
    #[inline(never)]
    fn read_reports(&mut self, ack: &AckSegment) {
        // An ACK that covers nothing new echoes an old time (RFC 7323 section 4.3).
        let delay = ack.one_way_delay().filter(|_| ack.ack > self.snd_una());
        if let Some(extensions) = &mut self.extensions {
            extensions.damaged = extensions.eln && ack.eln;
            extensions.share = ack.options.share().or(extensions.share);
            extensions.one_way_delay = delay;
        }
    }

    /// True if the present recovery has spared the window.
    #[inline]
    pub(crate) fn has_spared_window(&self) -> bool {
        self.extensions.as_ref().is_some_and(|extensions| extensions.spared)
    }

    /// After the last step of an ACK: a recovery that has spared the window reduces it after all, once
    /// the segment asked for was not damaged. Congestion took that one.
    #[cold]
    pub(crate) fn reduce_if_not_damaged(
        &mut self,
        now: Instant,
        ack: &AckSegment,
        repairing: bool,
    ) {
        let snd_una = self.snd_una();
        let Some(extensions) = self.extensions.as_mut().filter(|e| e.spared) else { return };
        if !repairing {
            extensions.spared = false;
        } else if ack.ack == snd_una && !extensions.damaged {
            extensions.spared = false;
            self.reduce(now, Signal::NotDamaged);
        }
    }

    /// True if the loss that begins a recovery needs no reduction, because the missing segment
    /// arrived damaged.
    pub(super) fn spares_window(&mut self) -> bool {
        let damaged = self.extensions.as_mut().filter(|extensions| extensions.damaged);
        let Some(extensions) = damaged else { return false };
        extensions.spared = true;
        self.post_recovery_cwnd = self.window.cwnd;
        self.note(Note::Damaged);
        true
    }

    /// Runs shadow estimators of these kinds on the ACKs to come.
    pub(crate) fn estimate(&mut self, kinds: EstimatorKinds) {
        if !kinds.is_empty() {
            let extensions = self.extensions.get_or_insert_default();
            extensions.estimators = kinds.iter().map(ShadowEstimator::new).collect();
        }
    }

    /// The shadow estimates.
    pub(crate) fn estimates(&self) -> impl Iterator<Item = (EstimatorKind, Rate)> + '_ {
        let all = self.extensions.iter().flat_map(|extensions| &extensions.estimators);
        all.map(|estimator| (estimator.kind(), estimator.rate()))
    }
}
