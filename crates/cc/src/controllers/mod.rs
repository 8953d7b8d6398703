//! The controllers, one file each, and the catalog of them all.
//!
//! To add one: write its file with `INFO`, `Params` and `new`, and name it in the list below. It
//! then appears in `westwood list`, on the command line, in scenarios and in every report.

use crate::controller::{
    Ack, Cause, ControlScope, Controller, Grant, LostSegment, Reduction, Setup, Window,
};
use crate::ecn::{Ecn, EcnFeedback};
use crate::own::{OwnChoice, OwnRunning};
use crate::params::{Param, ParamError, Parameters, Value};
use crate::units::{Duration, Instant, Rate};

/// How the catalog names a controller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Info {
    /// The canonical name.
    pub name: &'static str,
    /// Other names that are accepted.
    pub aliases: &'static [&'static str],
    /// Its rule, in a line.
    pub summary: &'static str,
    /// The paper, RFC or code it follows.
    pub source: &'static str,
}

/// Writes the catalog: a module and its controller's type in each line.
macro_rules! catalog {
    ($( $module:ident : $variant:ident, )*) => {
        $( pub mod $module; )*

        /// Any controller, of the catalog or from outside, without allocation.
        #[derive(Clone, Copy, Debug)]
        pub enum AnyController {
            $( #[doc = concat!("See [`", stringify!($module), "`].")] $variant($module::$variant), )*
            /// One from outside.
            Own(OwnRunning),
        }

        /// A controller, of the catalog with its parameters or from outside, before a connection uses it.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Choice {
            $( #[doc = concat!("See [`", stringify!($module), "`].")] $variant($module::Params), )*
            /// One from outside.
            Own(OwnChoice),
        }

        impl Choice {
            /// Every controller of the catalog with its default parameters, in its order.
            pub fn all() -> impl Iterator<Item = Self> {
                [$( Self::$variant($module::Params::default()), )*].into_iter()
            }

            /// Names and summary.
            pub fn info(&self) -> &'static Info {
                match self {
                    $( Self::$variant(_) => &$module::INFO, )*
                    Self::Own(own) => own.0.info(),
                }
            }

            /// The parameters that this controller has.
            pub fn list(&self) -> &'static [Param] {
                match self {
                    $( Self::$variant(_) => $module::Params::LIST, )*
                    Self::Own(own) => own.0.parameters().map_or(&[], |own| own.list()),
                }
            }

            /// The value of a parameter.
            pub fn get(&self, name: &str) -> Option<Value<'static>> {
                match self {
                    $( Self::$variant(p) => p.get(name), )*
                    Self::Own(own) => own.0.parameters()?.get(name),
                }
            }

            /// Sets a parameter, or says why not and leaves everything as it was.
            pub fn set(&mut self, name: &str, value: Value<'_>) -> Result<(), ParamError> {
                match self {
                    $( Self::$variant(p) => p.set(name, value), )*
                    Self::Own(own) => {
                        let parameters = own.0.parameters().ok_or(ParamError::Unknown)?;
                        *own = parameters.with(name, value)?;
                        Ok(())
                    }
                }
            }

            /// The same controller with its usual parameters.
            pub fn usual(&self) -> Self {
                match self {
                    $( Self::$variant(_) => Self::$variant($module::Params::default()), )*
                    Self::Own(own) => {
                        let usual = own.0.parameters().and_then(|parameters| parameters.usual());
                        Self::Own(usual.unwrap_or(*own))
                    }
                }
            }

            /// The controller for a new connection.
            pub fn build(&self, setup: &Setup) -> AnyController {
                match self {
                    $( Self::$variant(p) => AnyController::$variant($module::new(p, setup)), )*
                    Self::Own(own) => AnyController::Own(own.build(setup)),
                }
            }
        }

        /// Passes one verb on to whichever controller it is.
        macro_rules! each {
            ($any:expr, $c:ident => $call:expr) => {
                match $any {
                    $( AnyController::$variant($c) => $call, )*
                    AnyController::Own($c) => $call,
                }
            };
        }
    };
}

catalog! {
    reno: Reno,
    reno_linux: RenoLinux,
    westwood: Westwood,
    westwood_plus: WestwoodPlus,
    westwood_probe: WestwoodProbe,
    log_westwood: LogWestwood,
    westwood_linux: WestwoodLinux,
    scalable: Scalable,
    highspeed: HighSpeed,
    bic: Bic,
    bic_linux: BicLinux,
    cubic: Cubic,
    cubic_linux: CubicLinux,
    compound: Compound,
    vegas: Vegas,
    vegas_linux: VegasLinux,
    illinois: Illinois,
    hybla: Hybla,
    yeah: Yeah,
    veno: Veno,
    htcp: Htcp,
    scalable_linux: ScalableLinux,
    highspeed_linux: HighSpeedLinux,
    cdg: Cdg,
    nv: Nv,
    dctcp: Dctcp,
    prague: Prague,
    bbr: Bbr,
    bbr3: Bbr3,
    copa: Copa,
    vivace: Vivace,
    ledbat: Ledbat,
    ledbat_plus_plus: LedbatPlusPlus,
}

impl Choice {
    /// The controller called `name` (canonical, an alias, or without its `+`: `westwood-plus`), with
    /// default parameters.
    ///
    /// ```
    /// use westwood_cc::controllers::Choice;
    /// assert_eq!(Choice::named("newreno").map(|c| c.info().name), Some("reno"));
    /// assert!(Choice::named("tachyon").is_none());
    /// ```
    pub fn named(name: &str) -> Option<Self> {
        Self::all().find(|c| c.info().name == name || c.info().aliases.contains(&name))
    }

    /// How its receiver is to tell it of congestion marks.
    pub const fn ecn_feedback(&self) -> EcnFeedback {
        match self {
            Self::Dctcp(_) => EcnFeedback::EachSegment,
            Self::Prague(_) => EcnFeedback::Accurate,
            _ => EcnFeedback::UntilAnswered,
        }
    }

    /// The codepoint that its segments carry, with ECN: ECT(1) if it is scalable (RFC 9331 section 4.1).
    pub const fn ect(&self) -> Ecn {
        match self {
            Self::Prague(_) => Ecn::Ect1,
            Self::Dctcp(params) if params.ect1 => Ecn::Ect1,
            _ => Ecn::Ect0,
        }
    }

    /// True if it learns what it needs from this feedback. A sender of ECT(1) needs counts of marks (RFC
    /// 9331 section 4.2), or DCTCP's echo, of which a lost ACK takes a part away.
    pub const fn works_with(&self, feedback: EcnFeedback) -> bool {
        match self {
            Self::Prague(_) => feedback.counts_marks(),
            Self::Dctcp(params) if params.ect1 => !matches!(feedback, EcnFeedback::UntilAnswered),
            _ => true,
        }
    }

    /// True if the packets of its handshake are ECN-capable, against RFC 3168 section 6.1.1
    /// (`tcp_ca_needs_ecn` in Linux).
    pub const fn ect_on_syn(&self) -> bool {
        matches!(self, Self::Dctcp(_))
    }

    /// How far the controller's command reaches, whatever the connection.
    pub fn control_scope(&self) -> ControlScope {
        if let Self::Own(own) = self {
            return own.0.control_scope();
        }
        self.build(&Setup::example(0)).control_scope()
    }

    /// True if it draws lots, so that another [seed](Setup::seed) may give another result where nothing else
    /// is random.
    pub fn uses_randomness(&self) -> bool {
        match self {
            Self::Bbr(_) | Self::Bbr3(_) | Self::Cdg(_) | Self::Nv(_) | Self::Vivace(_) => true,
            Self::Own(own) => own.0.uses_randomness(),
            _ => false,
        }
    }
}

impl AnyController {
    /// True if it is to be asked to [grow](Controller::grow) where the window does not limit the sender, too,
    /// and judges by [`Grant::cwnd_limited`] itself, as modules of Linux do that have more to do then.
    pub const fn handles_cwnd_limited(&self) -> bool {
        matches!(self, Self::VegasLinux(_) | Self::Illinois(_) | Self::Cdg(_))
    }

    /// True if it is to be told that sending begins [again](Controller::restarted). BBR is told where the
    /// application, or BBR itself, had limited what was sent, and not where a closed window had
    /// (`bbr_cwnd_event`, `HandleRestartFromIdle()`). `app_limited`: the application had.
    pub fn wants_restart_event(&self, app_limited: bool) -> bool {
        match self {
            Self::Bbr(bbr) => app_limited || bbr.is_limited(),
            Self::Bbr3(bbr) => app_limited || bbr.is_limited(),
            _ => true,
        }
    }

    /// Idle time is about to shrink the window `w` (`CA_EVENT_CWND_RESTART`).
    /// [`Controller::restarted`] follows when a segment leaves. Linux's CDG alone tells the two apart.
    pub fn window_restarts(&mut self, w: Window) {
        if let Self::Cdg(cdg) = self {
            cdg.restart(w);
        }
    }

    /// True if a copy, too, or new data that leaves while everything outstanding is lost or selectively
    /// acknowledged, is told as [`Controller::restarted`]: `CA_EVENT_TX_START` of Linux's modules, which
    /// look at the segments in flight, and `HandleRestartFromIdle()`. For all others sending begins again
    /// when nothing is outstanding.
    pub const fn hears_empty_flight(&self) -> bool {
        matches!(
            self,
            Self::Bbr(_)
                | Self::Bbr3(_)
                | Self::CubicLinux(_)
                | Self::VegasLinux(_)
                | Self::Veno(_)
                | Self::Yeah(_)
        )
    }

    /// The next segment to be sent for the first time, before [`Controller::restarted`] at a copy: segments
    /// may have left since the last ACK, and a round that begins with the copy ends beyond them
    /// (`beg_snd_nxt`).
    pub fn note_snd_nxt(&mut self, snd_nxt: u64) {
        match self {
            Self::VegasLinux(vegas) => vegas.times.snd_nxt = snd_nxt,
            Self::Yeah(yeah) => yeah.times.snd_nxt = snd_nxt,
            _ => {}
        }
    }

    /// The window after what the ACK measured last has shown, before losses are judged and whatever that ACK
    /// lets grow: HyStart of Linux's CUBIC speaks in `pkts_acked`. A transport that does not ask has the same
    /// from the next ACK that lets the window grow.
    pub fn end_slow_start(&mut self, w: Window) -> Window {
        if let Self::CubicLinux(cubic) = self { cubic.end_slow_start(w) } else { w }
    }

    /// True if it reads [delivery-rate samples](Ack::sample). Taking them costs time and memory.
    pub fn reads_samples(&self) -> bool {
        matches!(self, Self::Nv(_)) || self.control_scope() == ControlScope::Everything
    }

    /// True if a loss reduces the window though a mark has reduced it in the same window of data (RFC 8257
    /// section 3.5), whatever the codepoint of its segments: it answers few marks by little.
    pub const fn reduces_for_loss_after_ecn(&self) -> bool {
        matches!(self, Self::Dctcp(_))
    }

    /// True if retransmissions are ECN-capable too, against RFC 3168 section 6.1.5 (`tcp_ca_needs_ecn` in
    /// Linux).
    pub const fn ect_on_retransmissions(&self) -> bool {
        matches!(self, Self::Dctcp(_))
    }
}

impl Controller for AnyController {
    fn measure(&mut self, ack: &Ack) {
        each!(self, c => c.measure(ack));
    }
    fn grow(&mut self, w: Window, grant: &Grant) -> Window {
        each!(self, c => c.grow(w, grant))
    }
    fn reduce(&mut self, w: Window, cause: Cause, now: Instant) -> Reduction {
        each!(self, c => c.reduce(w, cause, now))
    }
    fn timed_out(&mut self, now: Instant) {
        each!(self, c => c.timed_out(now));
    }
    fn lost(&mut self, segment: &LostSegment) {
        each!(self, c => c.lost(segment));
    }
    fn recovered(&mut self, w: Window, now: Instant) -> Window {
        each!(self, c => c.recovered(w, now))
    }
    fn undone(&mut self, now_w: Window, before: Window, now: Instant) -> Window {
        each!(self, c => c.undone(now_w, before, now))
    }
    fn restarted(&mut self, w: Window, idle: Duration, now: Instant) -> Window {
        each!(self, c => c.restarted(w, idle, now))
    }
    fn control_scope(&self) -> ControlScope {
        each!(self, c => c.control_scope())
    }
    fn pacing_rate(&self) -> Option<Rate> {
        each!(self, c => c.pacing_rate())
    }
    fn bwe(&self) -> Option<Rate> {
        each!(self, c => c.bwe())
    }
}
