//! ns-2.35's classical agents, and the paths on which they were measured.
//!
//! Common to all: 1500 bytes a packet (S7, S8: 400; S10: 9000), ACKs of 40 bytes and 8 for each SACK
//! block, delayed ACKs of 100 ms (none with Vegas), drop-tail buffers of q packets of which ns-2 lets
//! q - 1 wait, the same in both directions, and a sender as [`Agent::tcp`] has it.

mod cases;
mod paths;

use westwood_cc::controllers::Choice;
use westwood_cc::{Bytes, Duration, Segments};
use westwood_sim::TcpSpec;
use westwood_tcp::{AckPolicy, Config, Credit, Recovery, RtoConfig, Sizes};

use crate::params::Unreadable;

pub use cases::{cases, other_cases};

/// One of ns-2's classical agents: a controller with its recovery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Agent {
    /// `Agent/TCP/Reno`.
    Reno,
    /// `Agent/TCP/Newreno`.
    NewReno,
    /// `Agent/TCP/Sack1`.
    Sack,
    /// `Agent/TCP/Vegas`.
    Vegas,
}

impl Agent {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Reno, Self::NewReno, Self::Sack, Self::Vegas];

    /// The name in the tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Reno => "reno",
            Self::NewReno => "newreno",
            Self::Sack => "sack",
            Self::Vegas => "vegas",
        }
    }

    /// The agent of a name.
    pub fn named(name: &str) -> Result<Self, Unreadable> {
        let found = Self::ALL.into_iter().find(|agent| agent.name() == name);
        found.ok_or_else(|| Unreadable(format!("no agent '{name}'")))
    }

    /// The controller and the recovery that it stands for.
    const fn parts(self) -> (&'static str, Recovery) {
        match self {
            Self::Reno => ("reno", Recovery::Reno),
            Self::NewReno => ("reno", Recovery::NewReno),
            Self::Sack => ("reno", Recovery::Sack1996),
            Self::Vegas => ("vegas", Recovery::Vegas),
        }
    }

    /// The agent's sender; `modern` with timestamps and an initial window of three segments.
    ///
    /// # Panics
    ///
    /// Never: both controllers are in the catalog.
    pub fn tcp(self, modern: bool) -> TcpSpec {
        let (controller, recovery) = self.parts();
        TcpSpec {
            controller: Choice::named(controller).expect("in the catalog"),
            config: Config {
                recovery,
                sizes: Sizes { sack_block: Bytes::new(8), ..Sizes::default() },
                initial_window: self.initial_window(if modern { 3 } else { 2 }),
                initial_ssthresh: Segments::new(20_000),
                receive_window: 20_000,
                acks: Self::acks(self != Self::Vegas),
                limited_transmit: true,
                rto: RtoConfig {
                    initial: Duration::from_secs(3),
                    min: Duration::from_millis(200),
                    max: Duration::from_secs(60),
                    granularity: Duration::from_millis(10),
                },
                timestamps: modern,
                credit: Credit::PerAck,
                reduce_each_timeout: true,
                ns2_habits: true,
                impatient: true,
                last_ack_grows: true,
                idle_restart: false,
                cwnd_validation: false,
                ..Config::default()
            },
        }
    }

    /// The window after the opening, where ns-2's `windowInit_` is so many segments.
    pub fn initial_window(self, segments: u64) -> Segments {
        Segments::new(segments + u64::from(self == Self::Vegas))
    }

    /// The receiver's ACKs: every second segment and 100 ms, or every segment.
    pub const fn acks(delayed: bool) -> AckPolicy {
        if delayed {
            AckPolicy::Delayed { timer: Duration::from_millis(100) }
        } else {
            AckPolicy::Each
        }
    }

    /// The time at which the initial window leaves, after the start. ns-2's first packet, of 40
    /// bytes, stands for the handshake and gives a round-trip time sample. Vegas looks for its
    /// acknowledgment before it counts it: it sends one more packet alone, and the ACK of that one
    /// sets the initial window and then, as in every other round of slow start, adds one.
    pub fn opening(self, rtt: Duration) -> Duration {
        if self == Self::Vegas { rtt * 2 } else { rtt }
    }
}
