//! A window that is set from outside, step by step: the controller of a learning agent.
//!
//! Time is cut into steps. In each the controller counts its ACKs ([`AgentControlled::take_step`]);
//! between two of them an agent sets a window and, if it wants, a pacing rate. Both are in force from
//! the next ACK on until they are set anew, recovery included. The transport repairs losses, which
//! change nothing: to answer them is the agent's part. Until an agent sets it the window stays the
//! initial one.

use crate::controller::{
    Ack, Cause, ControlScope, Controller, Grant, LostSegment, Reason, Reduction, Setup, Window,
};
use crate::controllers::Info;
use crate::own::{OwnController, STATE_WORDS, StateWords};
use crate::units::{Bytes, Duration, Instant, Rate, Segments};

/// The window that an agent sets, and what a step has counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AgentControlled {
    cwnd: Segments,
    pacing_rate: Option<Rate>,
    /// Counted since the connection began.
    total: DeliveredTotals,
    /// The counts when the step began.
    before: DeliveredTotals,
    step: StepCounts,
    begun: bool,
}

/// The counts of one step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StepCounts {
    /// Segments delivered: acknowledged, or selectively acknowledged, once.
    pub delivered: u64,
    /// Those of them that ACKs with an echo of a congestion mark delivered.
    pub marked: u64,
    /// Segments judged lost.
    pub lost: u64,
    /// Retransmission timeouts that asked for a reduction.
    pub timeouts: u64,
    /// Round-trip time samples.
    pub rtts: u64,
    /// Their sum.
    pub rtt_sum: Duration,
    /// The smallest of them; zero if there is none.
    pub min_rtt: Duration,
    /// The smoothed round-trip time at the end; zero before the connection's first sample.
    pub srtt: Duration,
    /// Segments in flight after the last ACK.
    pub in_flight: u64,
    /// Payload of a segment.
    pub smss: Bytes,
}

/// Segments delivered since a connection began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct DeliveredTotals {
    segments: u64,
    marked: u64,
}

impl AgentControlled {
    /// Sets the window, at least one segment, and a pacing rate; without one the transport paces by the
    /// window.
    pub fn set_window(&mut self, cwnd: Segments, pacing_rate: Option<Rate>) {
        self.cwnd = cwnd.max(Segments::ONE);
        self.pacing_rate = pacing_rate.filter(|rate| !rate.is_zero());
    }

    /// The window that was set last, or the initial one.
    pub const fn cwnd(&self) -> Segments {
        self.cwnd
    }

    /// True once an ACK has come, or the timer has expired for lack of one: before, there is nothing to act
    /// on.
    pub const fn has_begun(&self) -> bool {
        self.begun
    }

    /// Ends a step: what it has counted. The next one begins.
    pub fn take_step(&mut self) -> StepCounts {
        let step = self.step;
        let counted = StepCounts {
            delivered: self.total.segments.saturating_sub(self.before.segments),
            marked: self.total.marked.saturating_sub(self.before.marked),
            ..step
        };
        self.before = self.total;
        let StepCounts { srtt, in_flight, smss, .. } = step;
        self.step = StepCounts { srtt, in_flight, smss, ..StepCounts::default() };
        counted
    }

    /// The window in force, whatever the transport's.
    const fn window(&self) -> Window {
        // Never slow start: it is the agent that looks for the path's capacity.
        Window { cwnd: self.cwnd, ssthresh: self.cwnd }
    }
}

impl Controller for AgentControlled {
    fn measure(&mut self, ack: &Ack) {
        self.begun = true;
        self.total = DeliveredTotals { segments: ack.delivered, marked: ack.delivered_ce };
        let step = &mut self.step;
        if let Some(rtt) = ack.rtt {
            step.min_rtt = if step.rtts == 0 { rtt } else { step.min_rtt.min(rtt) };
            step.rtts += 1;
            step.rtt_sum += rtt;
        }
        (step.srtt, step.in_flight) = (ack.srtt, ack.in_flight);
    }

    fn grow(&mut self, _: Window, grant: &Grant) -> Window {
        self.step.in_flight = grant.in_flight;
        self.window()
    }

    fn reduce(&mut self, _: Window, cause: Cause, _: Instant) -> Reduction {
        self.begun = true;
        if cause == Cause::Timeout {
            self.step.timeouts += 1;
        }
        let Window { cwnd: resume, ssthresh } = self.window();
        Reduction { ssthresh: ssthresh.max(Segments::TWO), resume, reason: Reason::Own }
    }

    fn lost(&mut self, _: &LostSegment) {
        self.step.lost += 1;
    }

    fn recovered(&mut self, _: Window, _: Instant) -> Window {
        self.window()
    }

    fn undone(&mut self, _: Window, _: Window, _: Instant) -> Window {
        self.window()
    }

    fn restarted(&mut self, _: Window, _: Duration, _: Instant) -> Window {
        self.window()
    }

    fn control_scope(&self) -> ControlScope {
        ControlScope::Everything
    }

    fn pacing_rate(&self) -> Option<Rate> {
        self.pacing_rate
    }

    fn bwe(&self) -> Option<Rate> {
        None
    }
}

impl OwnController for AgentControlled {
    const INFO: Info = Info {
        name: "agent",
        aliases: &[],
        summary: "the window that an agent orders; without one the initial window",
        source: "crates/cc/src/agent_controlled.rs",
    };

    fn new(setup: &Setup) -> Self {
        let step = StepCounts { smss: setup.smss, ..StepCounts::default() };
        let (total, before) = (DeliveredTotals::default(), DeliveredTotals::default());
        let cwnd = setup.initial_window;
        Self { cwnd, pacing_rate: None, total, before, step, begun: false }
    }

    fn load(state: &StateWords) -> Self {
        let [cwnd, pacing, segments, marked, old_segments, old_marked, lost, timeouts, ..] = *state;
        let [_, _, _, _, _, _, _, _, rtts, rtt_sum, min_rtt, srtt, in_flight, smss, begun, ..] =
            *state;
        Self {
            cwnd: Segments::from_raw(cwnd),
            pacing_rate: Some(Rate::from_raw(pacing)).filter(|rate| !rate.is_zero()),
            total: DeliveredTotals { segments, marked },
            before: DeliveredTotals { segments: old_segments, marked: old_marked },
            step: StepCounts {
                delivered: 0,
                marked: 0,
                lost,
                timeouts,
                rtts,
                rtt_sum: Duration::from_nanos(rtt_sum),
                min_rtt: Duration::from_nanos(min_rtt),
                srtt: Duration::from_nanos(srtt),
                in_flight,
                smss: Bytes::new(smss),
            },
            begun: begun > 0,
        }
    }

    /// The last words stay for whoever wraps this controller.
    fn save(&self) -> StateWords {
        let Self { cwnd, pacing_rate, total, before, step, begun } = self;
        let words = [
            cwnd.raw(),
            pacing_rate.unwrap_or(Rate::ZERO).raw(),
            total.segments,
            total.marked,
            before.segments,
            before.marked,
            step.lost,
            step.timeouts,
            step.rtts,
            step.rtt_sum.as_nanos(),
            step.min_rtt.as_nanos(),
            step.srtt.as_nanos(),
            step.in_flight,
            step.smss.get(),
            u64::from(*begun),
        ];
        let mut state = [0; STATE_WORDS];
        state[..words.len()].copy_from_slice(&words);
        state
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn agent_controlled() -> AgentControlled {
        AgentControlled::new(&Setup {
            smss: Bytes::new(1_500),
            initial_window: Segments::new(10),
            seed: 1,
            handshake_rtt: None,
            paced: false,
        })
    }

    fn ack(delivered: u64, rtt_ms: u64) -> Ack {
        let rtt = Duration::from_millis(rtt_ms);
        Ack {
            now: Instant::ZERO,
            smss: Bytes::new(1_500),
            newly: 1,
            rtt: Some(rtt),
            srtt: rtt,
            in_flight: 7,
            delivered,
            delivered_ce: delivered / 2,
            one_way_delay: None,
            predicted: None,
            snd_una: delivered,
            snd_nxt: delivered + 7,
            sample: None,
        }
    }

    #[test]
    fn a_step_counts_its_own_acks_and_no_others() {
        let mut c = agent_controlled();
        assert!(!c.has_begun());
        c.measure(&ack(4, 50));
        c.measure(&ack(6, 40));
        assert!(c.has_begun());
        let first = c.take_step();
        assert_eq!((first.delivered, first.marked, first.rtts), (6, 3, 2));
        assert_eq!(first.rtt_sum, Duration::from_millis(90));
        assert_eq!(first.min_rtt, Duration::from_millis(40));
        c.measure(&ack(7, 60));
        let second = c.take_step();
        assert_eq!((second.delivered, second.rtts), (1, 1));
        assert_eq!(second.min_rtt, Duration::from_millis(60), "the smaller one was before");
        let empty = c.take_step();
        assert_eq!((empty.delivered, empty.rtts, empty.min_rtt), (0, 0, Duration::ZERO));
        assert_eq!((empty.srtt, empty.in_flight), (Duration::from_millis(60), 7), "they stand");
    }

    #[test]
    fn the_window_is_the_one_ordered_whatever_happens() {
        let mut c = agent_controlled();
        let w = Window { cwnd: Segments::new(3), ssthresh: Segments::new(99) };
        let grant = Grant::open(Instant::ZERO, Segments::ONE);
        assert_eq!(c.grow(w, &grant).cwnd, Segments::new(10), "the initial window");
        c.set_window(Segments::new(25), None);
        for window in [
            c.grow(w, &grant),
            c.recovered(w, Instant::ZERO),
            c.undone(w, w, Instant::ZERO),
            c.restarted(w, Duration::from_secs(1), Instant::ZERO),
        ] {
            assert_eq!(window.cwnd, Segments::new(25));
        }
        let reduced = c.reduce(w, Cause::Timeout, Instant::ZERO);
        assert_eq!(reduced.resume, Segments::new(25));
        assert_eq!(std::format!("{}", reduced.reason), "the controller's own rule");
        assert_eq!(c.take_step().timeouts, 1);
        c.set_window(Segments::ZERO, Some(Rate::ZERO));
        assert_eq!((c.cwnd(), c.pacing_rate()), (Segments::ONE, None), "it goes on");
    }

    #[test]
    fn its_words_bring_it_back() {
        let mut c = agent_controlled();
        c.set_window(Segments::new(25), Some(Rate::from_bits_per_s(1_000_000)));
        c.measure(&ack(4, 50));
        c.take_step();
        c.measure(&ack(9, 45));
        c.reduce(c.window(), Cause::Timeout, Instant::ZERO);
        assert_eq!(AgentControlled::load(&c.save()), c);
        assert_eq!(c.save()[STATE_WORDS - 2..], [0, 0], "they are left");
    }
}
