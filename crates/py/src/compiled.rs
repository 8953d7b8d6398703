//! Controllers of compiled functions: the addresses of C functions, as numba's `cfunc` makes them.
//!
//! They need no interpreter, so that their runs go on in as many threads as any others. The state of a
//! connection is an array of doubles, all zero at first, which every function is given.

use std::mem::transmute;

use westwood_cc::controller::{Ack, Cause, Command, Grant, LostSegment, Reason, Reduction, Setup};
use westwood_cc::controllers::Info;
use westwood_cc::own::{OwnVerbs, STATE_WORDS, StateWords};
use westwood_cc::{Controller, Duration, Instant, Rate, Segments, Window};

use crate::scripted::reno;
use crate::units::{count, seconds, segments, time, window};

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

/// A window that a function has answered, if it is one.
fn answered(segments: f64) -> Option<Segments> {
    segments.is_finite().then(|| window(segments))
}

impl OwnVerbs for Compiled {
    fn info(&self) -> &'static Info {
        self.info
    }

    fn command(&self) -> Command {
        Command::Window
    }

    fn build(&self, _: &Setup) -> StateWords {
        [0; STATE_WORDS]
    }

    fn measure(&self, state: &mut StateWords, ack: &Ack) {
        let Some(measure) = self.measure else { return };
        let rtt = ack.rtt.map_or(f64::NAN, seconds);
        let (newly, in_flight) = (count(ack.newly), count(ack.in_flight));
        with(state, |s| measure(s, time(ack.now), rtt, newly, in_flight, count(ack.delivered)));
    }

    fn grow(&self, state: &mut StateWords, w: Window, grant: &Grant) -> Window {
        let Some(grow) = self.grow else { return reno().grow(w, grant) };
        let (cwnd, ssthresh) = (segments(w.cwnd), segments(w.ssthresh));
        let next =
            with(state, |s| grow(s, cwnd, ssthresh, segments(grant.credit), time(grant.now)));
        Window { cwnd: answered(next).unwrap_or(w.cwnd), ..w }
    }

    fn reduce(&self, state: &mut StateWords, w: Window, cause: Cause, now: Instant) -> Reduction {
        let Some(reduce) = self.reduce else { return reno().reduce(w, cause, now) };
        let cause = match cause {
            Cause::FastRetransmit => 0.0,
            Cause::Timeout => 1.0,
            Cause::Ecn => 2.0,
        };
        let (cwnd, ssthresh) = (segments(w.cwnd), segments(w.ssthresh));
        let next = with(state, |s| reduce(s, cwnd, ssthresh, cause, time(now)));
        let ssthresh = answered(next).unwrap_or(w.cwnd).max(Segments::TWO);
        // A sign of congestion opens no window.
        let resume = ssthresh.min(w.cwnd.max(Segments::ONE));
        Reduction { ssthresh, resume, reason: Reason::Model }
    }

    fn lost(&self, _: &mut StateWords, _: &LostSegment) {}

    fn recovered(&self, _: &mut StateWords, w: Window, _: Instant) -> Window {
        w
    }

    fn undone(&self, _: &mut StateWords, now_w: Window, before: Window, now: Instant) -> Window {
        reno().undone(now_w, before, now)
    }

    fn restarted(&self, _: &mut StateWords, w: Window, _: Duration, _: Instant) -> Window {
        w
    }

    fn pacing_rate(&self, _: &StateWords) -> Option<Rate> {
        None
    }

    fn bwe(&self, _: &StateWords) -> Option<Rate> {
        None
    }
}
