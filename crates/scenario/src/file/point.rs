//! The points of a grid.

use westwood_cc::controllers::Choice;

use super::estimate::CostEstimate;
use crate::spec::ControllerSpec;

/// A setting of a point: a field's path and its value as it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PointSetting {
    /// The path, such as `dumbbell.loss`.
    pub path: String,
    /// The value.
    pub value: String,
}

/// The name of the competing flows without those under test.
const ALONE: &str = "competing flows alone";

/// One point of the grid; each is run with every seed.
#[derive(Clone, Debug, PartialEq)]
pub struct GridPoint {
    /// The values of the sweep's axes, in their order.
    pub settings: Vec<PointSetting>,
    /// The variant; none for the scenario as it stands.
    pub variant: Option<String>,
    /// The controller under test; none if every flow names its own.
    pub cc: Option<ControllerSpec>,
    /// The cost of a run of it.
    pub estimate: CostEstimate,
    /// The controller under test, where the cost of an ACK to it is to be measured as well.
    pub ack_cost: Option<Choice>,
    /// The flows under test do not begin: those that compete have the path alone.
    pub(super) solo: bool,
    /// No flow's route leads over the measured link.
    pub(super) idle: bool,
    pub(super) number: usize,
    pub(super) combination: usize,
    pub(super) variant_number: usize,
}

impl GridPoint {
    /// Its place in the grid, from 0.
    pub fn number(&self) -> usize {
        self.number
    }

    /// The place of its setting in the sweep, and that of its variant: points and baselines that differ in
    /// their controller alone have the same.
    pub fn setting(&self) -> (usize, usize) {
        (self.combination, self.variant_number)
    }

    /// True of a baseline in which the flows under test do not begin, so that the competing flows have the
    /// path alone.
    pub fn is_solo(&self) -> bool {
        self.solo
    }

    /// Its name in a few words: controller, variant and settings, such as `reno, loss=0.1 %`.
    pub fn name(&self) -> String {
        self.name_of(self.cc.map(|cc| cc.to_string()))
    }

    /// The same where its controller is called otherwise.
    pub fn name_of(&self, cc: Option<String>) -> String {
        let cc = if self.solo { Some(ALONE.to_owned()) } else { cc };
        let setting = |s: &PointSetting| {
            let last = s.path.rsplit('.').next().unwrap_or_default();
            format!("{last}={}", s.value)
        };
        let settings = self.settings.iter().filter(|s| s.path != "cc").map(setting);
        let parts: Vec<String> =
            cc.into_iter().chain(self.variant.clone()).chain(settings).collect();
        if parts.is_empty() { "the scenario".to_owned() } else { parts.join(", ") }
    }
}
