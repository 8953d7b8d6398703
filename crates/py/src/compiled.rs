//! Controllers of compiled functions: the addresses of C functions, as numba's `cfunc` makes them.
//!
//! They need no interpreter, so that their runs go on in as many threads as any others. The state of a
//! connection is an array of doubles, all zero at first, which every function is given.

use std::mem::transmute;

use westwood_cc::controller::{Ack, Cause, ControlScope, LostSegment, Setup};
use westwood_cc::controllers::Info;
use westwood_cc::own::{OwnParameters, STATE_WORDS, StateWords};
use westwood_cc::{Rate, Segments};
use westwood_script::event::{
    CongestionDetected, GrowthRequested, RecoveryEnded, ReductionUndone, SendingRestarted,
};
use westwood_script::units::{self, count, seconds, segments, time};
use westwood_script::{FloatVerbs, WindowAnswer};

/// `measure(state, now, rtt, newly, in_flight, delivered)`; `rtt` is NaN without a sample.
type Measure = extern "C" fn(*mut f64, f64, f64, f64, f64, f64);
/// `grow(state, cwnd, ssthresh, credit, now)`: the next cwnd.
type Grow = extern "C" fn(*mut f64, f64, f64, f64, f64) -> f64;
/// `reduce(state, cwnd, ssthresh, cause, now)`: the next ssthresh; the cause is 0 for a loss, 1 for a
/// timeout, 2 for a mark.
type Reduce = extern "C" fn(*mut f64, f64, f64, f64, f64) -> f64;

/// Compiled functions as a controller.
pub(crate) struct Compiled {
    info: &'static Info,
    measure: Option<Measure>,
    grow: Option<Grow>,
    reduce: Option<Reduce>,
}

/// The addresses of the functions, zero for a verb that there is not.
#[derive(Clone, Copy)]
pub(crate) struct Addresses {
    pub(crate) measure: usize,
    pub(crate) grow: usize,
    pub(crate) reduce: usize,
}

impl Compiled {
    /// The functions at these addresses as a controller.
    ///
    /// # Safety
    ///
    /// Each address that is not zero is that of a C function with the signature above, which stays where it
    /// is as long as the process lives and writes to nothing but the [`STATE_WORDS`] doubles that it is
    /// given.
    #[expect(unsafe_code, reason = "an address becomes a function by nothing else")]
    pub(crate) unsafe fn at(info: &'static Info, at: Addresses) -> Self {
        let place = |address| std::ptr::with_exposed_provenance::<()>(address);
        // SAFETY: a pointer and an `Option` of an `extern "C"` function pointer have one size, and null is
        // `None` (both guaranteed by the documentation of `Option`). The caller promises that an address
        // that is not null is a function of this type.
        let measure = unsafe { transmute::<*const (), Option<Measure>>(place(at.measure)) };
        // SAFETY: as for `measure`, with the type of `grow`.
        let grow = unsafe { transmute::<*const (), Option<Grow>>(place(at.grow)) };
        // SAFETY: as for `measure`, with the type of `reduce`.
        let reduce = unsafe { transmute::<*const (), Option<Reduce>>(place(at.reduce)) };
        Self { info, measure, grow, reduce }
    }
}

/// Lets a function act on a state.
fn with<T>(state: &mut StateWords, act: impl FnOnce(*mut f64) -> T) -> T {
    let mut doubles: [f64; STATE_WORDS] = state.map(f64::from_bits);
    let answer = act(doubles.as_mut_ptr());
    *state = doubles.map(f64::to_bits);
    answer
}

/// A window that a function has answered; what is none leaves the one that there is.
fn answered(segments: f64, otherwise: Segments) -> WindowAnswer {
    let first = if segments.is_finite() { segments } else { units::segments(otherwise) };
    WindowAnswer { first, second: None }
}

impl FloatVerbs for Compiled {
    fn info(&self) -> &'static Info {
        self.info
    }

    fn parameters(&self) -> Option<&dyn OwnParameters> {
        None
    }

    fn control_scope(&self) -> ControlScope {
        ControlScope::Window
    }

    fn draws(&self) -> bool {
        false
    }

    fn start(&self, _: &Setup) -> StateWords {
        [0; STATE_WORDS]
    }

    fn measure(&self, state: &mut StateWords, ack: &Ack) {
        let Some(measure) = self.measure else { return };
        let rtt = ack.rtt.map_or(f64::NAN, seconds);
        let (newly, in_flight) = (count(ack.newly), count(ack.in_flight));
        with(state, |s| measure(s, time(ack.now), rtt, newly, in_flight, count(ack.delivered)));
    }

    fn lost(&self, _: &mut StateWords, _: &LostSegment) {}

    fn grow(
        &self,
        state: &mut StateWords,
        GrowthRequested(w, grant): &GrowthRequested,
    ) -> Option<WindowAnswer> {
        let grow = self.grow?;
        let (cwnd, ssthresh) = (segments(w.cwnd), segments(w.ssthresh));
        let next =
            with(state, |s| grow(s, cwnd, ssthresh, segments(grant.credit), time(grant.now)));
        Some(answered(next, w.cwnd))
    }

    fn reduce(
        &self,
        state: &mut StateWords,
        congestion: &CongestionDetected,
    ) -> Option<WindowAnswer> {
        let (reduce, CongestionDetected(w, cause, now)) = (self.reduce?, congestion);
        let cause = match cause {
            Cause::FastRetransmit => 0.0,
            Cause::Timeout => 1.0,
            Cause::Ecn => 2.0,
        };
        let (cwnd, ssthresh) = (segments(w.cwnd), segments(w.ssthresh));
        let next = with(state, |s| reduce(s, cwnd, ssthresh, cause, time(*now)));
        Some(answered(next, w.cwnd))
    }

    fn recovered(&self, _: &mut StateWords, _: &RecoveryEnded) -> Option<WindowAnswer> {
        None
    }

    fn undone(&self, _: &mut StateWords, _: &ReductionUndone) -> Option<WindowAnswer> {
        None
    }

    fn restarted(&self, _: &mut StateWords, _: &SendingRestarted) -> Option<WindowAnswer> {
        None
    }

    fn pacing_rate(&self, _: &StateWords) -> Option<Rate> {
        None
    }

    fn bwe(&self, _: &StateWords) -> Option<Rate> {
        None
    }
}
