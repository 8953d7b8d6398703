//! Agents stand beside a link and read the packets that pass: help for senders from the network.
//!
//! * [`snoop`]: a base station that repairs losses of a wireless hop on its own.
//! * [`share`]: a router that tells flows their fair share of a link.
//! * Explicit loss notification needs no state: a packet that a loss process takes goes on as a
//!   damaged one, and its receiver tells the sender.

mod share;
mod snoop;

use westwood_cc::Duration;
use westwood_net::Capacity;

use crate::error::SimError;
use crate::network::{LinkId, Network};

pub(crate) use share::FlowCounter;
pub(crate) use snoop::{AckDecision, Snoop};

/// An agent beside a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AgentSpec {
    /// The link; packets that enter it pass the agent.
    pub link: LinkId,
    /// The agent's task.
    pub task: Task,
}

/// The task of an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Task {
    /// Snoop (H. Balakrishnan, S. Seshan, E. Amir, R. H. Katz, "Improving TCP/IP Performance over
    /// Wireless Networks", MobiCom 1995), for connections whose data crosses the link: keeps what has
    /// not been acknowledged, repairs losses upon duplicate ACKs and by a timer of its own, and
    /// keeps the duplicates from the sender.
    Snoop(SnoopConfig),
    /// Explicit loss notification (H. Balakrishnan, R. H. Katz, "Explicit Loss Notification and
    /// Wireless Web Performance", Globecom 1998): data that the link's losses take reaches its
    /// receiver as damaged, which tells the sender, if their connection negotiated that.
    ExplicitLossNotification,
    /// Writes the link's rate over the number of active flows into the data of connections that take
    /// part, if they do not bear less already.
    FairShare {
        /// A flow counts for at least so long after its last data, and for less than twice that.
        memory: Duration,
    },
}

/// How a base station repairs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SnoopConfig {
    /// The link on which ACKs come back.
    pub back: LinkId,
    /// Packets kept for each connection, at least one.
    pub cache: u64,
    /// The local timeout is twice the smoothed round-trip time of the hop, and at least this.
    pub min_timeout: Duration,
}

impl AgentSpec {
    /// True if this is a Snoop agent on one of the links of another.
    fn conflicts_with(&self, other: &Self, snoop: SnoopConfig) -> bool {
        matches!(self.task, Task::Snoop(s) if self.link == other.link || s.back == snoop.back)
    }

    /// Refuses what cannot be done.
    pub(crate) fn check(&self, network: &Network) -> Result<(), SimError> {
        let Some(link) = network.links.get(self.link) else {
            return Err(SimError::Agent { link: self.link.to_string(), what: "no such link" });
        };
        let fault = match self.task {
            Task::Snoop(snoop) => {
                let back = network.links.get(snoop.back);
                let opposite = back.is_some_and(|b| b.from == link.to && b.to == link.from);
                if !opposite {
                    Some("Snoop needs the link on which ACKs come back")
                } else if network
                    .agents
                    .iter()
                    .filter(|other| other.conflicts_with(self, snoop))
                    .count()
                    > 1
                {
                    Some("two Snoop agents would read the same packets")
                } else if snoop.cache == 0 || snoop.min_timeout.is_zero() {
                    Some("Snoop's cache and timeout must be above zero")
                } else {
                    None
                }
            }
            Task::ExplicitLossNotification => None,
            Task::FairShare { memory } => {
                let changes = &link.config.schedule;
                let rates =
                    changes.iter().any(|c| matches!(c.what, westwood_net::LinkChange::Rate(_)));
                if rates || !matches!(link.config.capacity, Capacity::Fixed(_)) {
                    Some("a fair share needs a link of constant rate")
                } else {
                    memory.is_zero().then_some("a fair share needs a memory above zero")
                }
            }
        };
        match fault {
            Some(what) => Err(SimError::Agent { link: link.name.to_string(), what }),
            None => Ok(()),
        }
    }
}

impl Network {
    /// True if an agent reads what enters or leaves the link: it has to be there when it happens.
    pub(crate) fn has_agent(&self, link: LinkId) -> bool {
        self.agents.iter().any(|agent| {
            let back = match agent.task {
                Task::Snoop(snoop) => Some(snoop.back),
                Task::ExplicitLossNotification | Task::FairShare { .. } => None,
            };
            agent.link == link || back == Some(link)
        })
    }
}
