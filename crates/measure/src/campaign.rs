//! A campaign: one controller after another, again and again.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use crate::amount::Amount;
use crate::background::Background;
use crate::client::{Client, ServerAddress};
use crate::connection_log::TransferResult;
use crate::error::MeasureError;

/// The settings of a campaign: equal settings make comparable runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Settings {
    /// The iperf3 server.
    pub server: ServerAddress,
    /// The controllers by their names here.
    pub controllers: Vec<String>,
    /// The same by their names in the kernel.
    pub kernel_names: Vec<String>,
    /// The amount that each flow sends.
    pub amount: Amount,
    /// Runs of each controller.
    pub repeat: u64,
    /// Flows of a run.
    pub flows: usize,
    /// Traffic beside the runs.
    pub background: Option<Background>,
    /// Between samples of a connection.
    pub interval_ms: u64,
    /// Between two runs.
    pub pause_ms: u64,
}

/// A place in a campaign.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CampaignSlot {
    /// The round, from 1: each controller has one run in it.
    pub round: u64,
    /// The controller's place in [`Settings::controllers`].
    pub controller: usize,
}

/// A finished run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CampaignRun {
    /// The round, from 1.
    pub round: u64,
    /// The controller by its name here.
    pub cc: String,
    /// Its beginning, in seconds since 1970.
    pub began_unix_s: f64,
    /// Its result.
    #[serde(flatten)]
    pub measured: TransferResult,
}

/// A campaign that can be asked for its next run.
#[derive(Debug)]
pub struct Campaign<'a> {
    settings: &'a Settings,
    client: Client<'a>,
}

impl Settings {
    /// All runs in their order. The papers alternated by rounds: within one the controllers meet
    /// nearly the same path. Each round begins with another one, so that none always follows the
    /// same.
    pub fn turns(&self) -> impl Iterator<Item = CampaignSlot> + '_ {
        let several = self.controllers.len();
        (1..=self.repeat).flat_map(move |round| {
            let first = usize::try_from((round - 1) % several.max(1) as u64).unwrap_or(0);
            (0..several).map(move |i| CampaignSlot { round, controller: (first + i) % several })
        })
    }

    /// Turns that are not among the runs that are finished.
    pub fn left(&self, done: &[CampaignRun]) -> Vec<CampaignSlot> {
        let is_done = |turn: &CampaignSlot| {
            let cc = &self.controllers[turn.controller];
            done.iter().any(|run| run.round == turn.round && run.cc == *cc)
        };
        self.turns().filter(|turn| !is_done(turn)).collect()
    }
}

impl<'a> Campaign<'a> {
    /// A campaign over this client.
    pub fn new(settings: &'a Settings, client: Client<'a>) -> Self {
        Self { settings, client }
    }

    /// Begins the background traffic, if there is any. It ends when the value is dropped.
    pub fn background(&self) -> Result<Option<crate::background::RunningBackground>, MeasureError> {
        let Some(background) = self.settings.background else { return Ok(None) };
        let to = self.client.address()?.ip();
        Ok(Some(background.start(to)?))
    }

    /// Makes a run.
    pub fn run(&self, turn: CampaignSlot) -> Result<CampaignRun, MeasureError> {
        let settings = self.settings;
        let kernel = &settings.kernel_names[turn.controller];
        let began = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let measured = self.client.run(kernel, settings.amount, settings.flows)?;
        Ok(CampaignRun {
            round: turn.round,
            cc: settings.controllers[turn.controller].clone(),
            began_unix_s: began.as_secs_f64(),
            measured,
        })
    }

    /// Waits between two runs.
    pub fn pause(&self) -> Result<(), MeasureError> {
        self.client.pause(Duration::from_millis(self.settings.pause_ms))
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) fn settings(controllers: &[&str], repeat: u64) -> Settings {
        let names: Vec<String> = controllers.iter().map(ToString::to_string).collect();
        Settings {
            server: ServerAddress { host: "server".to_owned(), port: 5201 },
            kernel_names: names.clone(),
            controllers: names,
            amount: Amount::SizeBytes(1),
            repeat,
            flows: 1,
            background: None,
            interval_ms: 100,
            pause_ms: 0,
        }
    }

    pub(crate) fn run(round: u64, cc: &str) -> CampaignRun {
        let measured = TransferResult {
            goodput_bps: 1e6,
            flow_goodputs_bps: vec![1e6],
            duration_s: 1.0,
            received_bytes: 125_000,
            retransmission_ratio: 0.0,
            srtt_mean_ms: Some(0.1 + 0.2),
            rtt_min_ms: 10.0,
            limited_by_receiver_share: 0.0,
            limited_by_buffer_share: 0.0,
            samples: Vec::new(),
        };
        CampaignRun { round, cc: cc.to_owned(), began_unix_s: 0.5, measured }
    }

    #[test]
    fn every_round_has_every_controller_and_begins_with_another() {
        let settings = settings(&["a", "b", "c"], 4);
        let order: String =
            settings.turns().map(|turn| settings.controllers[turn.controller].as_str()).collect();
        assert_eq!(order, "abcbcacababc");
        let rounds: Vec<u64> = settings.turns().map(|turn| turn.round).collect();
        assert_eq!(rounds, [1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4]);
    }

    #[test]
    fn what_is_left_is_what_was_not_finished() {
        let settings = settings(&["a", "b"], 2);
        let left = settings.left(&[run(1, "a"), run(1, "b"), run(2, "a")]);
        assert_eq!(left, [CampaignSlot { round: 2, controller: 1 }]);
        assert!(Settings { controllers: vec![], ..settings }.turns().next().is_none());
    }
}
