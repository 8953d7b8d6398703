//! The transport of flows: `westwood_tcp::Config` as a table of settings makes it.

use westwood_cc::{Duration, EcnFeedback};
use westwood_sim::TcpSpec;
use westwood_tcp::{AckPolicy, Config, Recovery};

use crate::spec::ControllerSpec;

/// The settings of senders and receivers, for any controller and round-trip time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Transport {
    config: Config,
    handshake: bool,
    /// How receivers tell of marks; as the controller needs it, unless it is given.
    feedback: Option<EcnFeedback>,
}

impl Transport {
    /// Connections of this configuration, which open with a handshake or at once.
    pub(crate) fn new(config: &Config, handshake: bool) -> Self {
        Self { config: *config, handshake, feedback: None }
    }

    /// The configuration; whether there is a handshake is [`handshake`](Self::handshake).
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Whether connections open with a handshake.
    pub fn handshake(&self) -> bool {
        self.handshake
    }

    /// Whether receivers delay their ACKs.
    pub fn delays_acks(&self) -> bool {
        self.config.acks != AckPolicy::Each
    }

    /// Whether losses are repaired as Linux does it.
    pub fn is_linux(&self) -> bool {
        self.config.recovery == Recovery::Linux
    }

    /// The same with or without explicit congestion notification.
    pub(crate) fn with_ecn(mut self, ecn: bool) -> Self {
        self.config.ecn = ecn;
        self
    }

    /// The same with receivers that tell of marks so, whatever the controller.
    pub(crate) fn with_feedback(mut self, feedback: Option<EcnFeedback>) -> Self {
        self.feedback = feedback;
        self
    }

    /// A connection of this controller over a path of this round-trip time.
    pub(crate) fn spec(&self, cc: &ControllerSpec, rtt: Duration) -> TcpSpec {
        let handshake_rtt = self.handshake.then_some(rtt);
        let ecn_feedback = self.feedback.unwrap_or(cc.choice.ecn_feedback());
        let config = Config {
            pacing: cc.pacing,
            modifiers: cc.modifiers,
            ecn_feedback,
            ect: cc.choice.ect(),
            handshake_rtt,
            ..self.config
        };
        TcpSpec { controller: cc.choice, config }
    }
}
