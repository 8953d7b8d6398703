//! Whether recorded answers are those of `westwood-cc`.

use std::collections::HashMap;
use std::fmt;

use westwood_cc::controllers::Choice;

use crate::event::{CallKind, Event};
use crate::replay::{Replay, ReplayAnswer};

/// Compares events as they come.
#[derive(Debug)]
pub struct Verifier {
    choice: Choice,
    connections: HashMap<u32, Option<VerifiedConnection>>,
    tally: Tally,
    ended: bool,
}

#[derive(Debug)]
struct VerifiedConnection {
    replay: Replay,
    /// The sequence number that comes next.
    next: u32,
}

/// The counts of calls compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Connections compared from their beginning.
    pub connections: u64,
    /// Connections that had begun before the recording: without their state nothing can be said.
    pub earlier: u64,
    /// Calls compared.
    pub compared: u64,
    /// Of them: ACKs, growths, reductions, timeouts and undone reductions.
    pub acks: u64,
    /// Growths of the window.
    pub growths: u64,
    /// Reductions.
    pub reductions: u64,
    /// Of the reductions: at a timeout.
    pub timeouts: u64,
    /// Reductions that were spurious.
    pub undone: u64,
    /// Events that are missing.
    pub lost: u64,
    /// Calls with another answer.
    pub different: u64,
    /// The first of them.
    pub first: Option<Difference>,
}

/// A call that the kernel answered in another way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The call, with the kernel's answer.
    pub event: Event,
    /// The answer of `westwood-cc`.
    pub expected: ReplayAnswer,
}

/// The verdict on a recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReplayVerdict {
    /// Every answer is the same to the bit.
    Equal,
    /// An answer differs.
    Different,
    /// Events are missing, or the recorder was killed: nothing is proved.
    Incomplete,
    /// No connection began while the recorder listened.
    Nothing,
}

impl Verifier {
    /// A verifier of recordings of this controller.
    pub fn new(choice: Choice) -> Self {
        Self { choice, connections: HashMap::new(), tally: Tally::default(), ended: false }
    }

    /// Takes in one event.
    pub fn take(&mut self, event: &Event) {
        match event.kind {
            CallKind::End => {
                self.ended = true;
                // Those that a gap has shown already are among them.
                self.tally.lost = self.tally.lost.max(u64::from(event.input[0]));
            }
            CallKind::Init => self.begin(event),
            _ => self.compare(event),
        }
        if event.kind == CallKind::Release {
            self.connections.remove(&event.id);
        }
    }

    fn begin(&mut self, event: &Event) {
        let replay = Replay::new(&self.choice, event);
        self.tally.connections += 1;
        self.connections.insert(
            event.id,
            Some(VerifiedConnection { replay, next: event.sequence.wrapping_add(1) }),
        );
    }

    fn compare(&mut self, event: &Event) {
        let Some(entry) = self.connections.get_mut(&event.id) else {
            self.tally.earlier += 1;
            self.connections.insert(event.id, None);
            return;
        };
        let Some(connection) = entry else { return };
        if event.sequence != connection.next {
            // Behind a gap the replay's state means nothing.
            self.tally.lost += u64::from(event.sequence.wrapping_sub(connection.next));
            *entry = None;
            return;
        }
        connection.next = connection.next.wrapping_add(1);
        let expected = connection.replay.step(event);
        self.tally.count(event);
        if (expected.window, expected.bwe) != (event.after, event.bwe) {
            self.tally.different += 1;
            self.tally.first.get_or_insert(Difference { event: *event, expected });
        }
    }

    /// The counts of calls compared so far.
    pub fn tally(&self) -> &Tally {
        &self.tally
    }

    /// The verdict if the recording ends here.
    pub fn verdict(&self) -> ReplayVerdict {
        if self.tally.different > 0 {
            ReplayVerdict::Different
        } else if self.tally.lost > 0 || !self.ended {
            ReplayVerdict::Incomplete
        } else if self.tally.compared == 0 {
            ReplayVerdict::Nothing
        } else {
            ReplayVerdict::Equal
        }
    }
}

impl Tally {
    fn count(&mut self, event: &Event) {
        self.compared += 1;
        match event.kind {
            CallKind::Measure => self.acks += 1,
            CallKind::Grow => self.growths += 1,
            CallKind::Ssthresh => self.reductions += 1,
            CallKind::State if event.input[0] == 4 => self.timeouts += 1,
            CallKind::Undo => self.undone += 1,
            _ => {}
        }
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "connections compared    {:>12}", self.connections)?;
        writeln!(f, "begun before, left out  {:>12}", self.earlier)?;
        writeln!(f, "calls compared          {:>12}", self.compared)?;
        writeln!(f, "  ACKs                  {:>12}", self.acks)?;
        writeln!(f, "  growths               {:>12}", self.growths)?;
        writeln!(f, "  reductions            {:>12}", self.reductions)?;
        writeln!(f, "  timeouts              {:>12}", self.timeouts)?;
        writeln!(f, "  undone                {:>12}", self.undone)?;
        writeln!(f, "events lost             {:>12}", self.lost)?;
        writeln!(f, "different answers       {:>12}", self.different)
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (event, kernel) = (&self.event, &self.event.after);
        let ours = &self.expected.window;
        writeln!(
            f,
            "first: connection {}, event {}, {:?}, at {} us, cwnd {}+{}/2^32, ssthresh {}",
            event.id,
            event.sequence,
            event.kind,
            event.now_us,
            event.before.cwnd,
            event.before.cwnd_cnt,
            event.before.ssthresh
        )?;
        let mut line = |who: &str, w: &crate::KernelWindow, bwe: u64| {
            writeln!(
                f,
                "  {who:<10} cwnd {}+{}/2^32, ssthresh {}, bwe {bwe}/2^16 byte/s",
                w.cwnd, w.cwnd_cnt, w.ssthresh
            )
        };
        line("kernel", kernel, event.bwe)?;
        line("simulator", ours, self.expected.bwe)
    }
}

impl fmt::Display for ReplayVerdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Equal => "equal: every answer of the kernel is the simulator's, to the bit",
            Self::Different => "different: the kernel answered in another way",
            Self::Incomplete => "incomplete: events are missing, so nothing is proved",
            Self::Nothing => "nothing: no connection began while the recorder listened",
        })
    }
}
