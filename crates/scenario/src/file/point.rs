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

/// The end of a field's path: its last part, and as many before it as tell it from these other paths.
///
/// ```
/// use westwood_scenario::file::short_path;
/// let paths = ["link.wifi.loss", "link.satellite.loss", "link.wifi.delay"];
/// assert_eq!(short_path("link.wifi.loss", paths), "wifi.loss");
/// assert_eq!(short_path("link.wifi.delay", paths), "delay");
/// ```
pub fn short_path<'a, 'b>(path: &'a str, paths: impl IntoIterator<Item = &'b str>) -> &'a str {
    let others: Vec<&str> = paths.into_iter().filter(|other| *other != path).collect();
    let ends_so = |other: &&str, end: &str| {
        other.strip_suffix(end).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
    };
    let mut ends = path.rmatch_indices('.').map(|(dot, _)| &path[dot + 1..]);
    ends.find(|end| !others.iter().any(|other| ends_so(other, end))).unwrap_or(path)
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
        let paths = || self.settings.iter().map(|s| &*s.path);
        let setting = |s: &PointSetting| format!("{}={}", short_path(&s.path, paths()), s.value);
        let settings = self.settings.iter().filter(|s| s.path != "cc").map(setting);
        let parts: Vec<String> =
            cc.into_iter().chain(self.variant.clone()).chain(settings).collect();
        if parts.is_empty() { "the scenario".to_owned() } else { parts.join(", ") }
    }
}

#[cfg(test)]
mod tests {
    use crate::file::Scenario;

    #[test]
    fn settings_whose_paths_end_alike_are_told_apart_in_a_points_name() {
        let link = |name: &str, from: &str, to: &str| {
            let ends = format!("name = \"{name}\"\nfrom = \"{from}\"\nto = \"{to}\"\n");
            format!("[[link]]\n{ends}rate = \"10 Mbit/s\"\ndelay = \"5 ms\"\n")
        };
        let links = [link("far", "server", "gateway"), link("wifi", "gateway", "laptop")].concat();
        let flow = "[[flow]]\nname = \"up\"\nfrom = \"server\"\nto = \"laptop\"\n";
        let text =
            format!("cc = \"reno\"\ntime = \"1 s\"\n{links}{flow}[measure]\nlink = \"far\"\n");
        let first = |sweep: &str| {
            let text = format!("{text}[sweep]\n{sweep}");
            let read = |_: &std::path::Path| Err("no files".to_owned());
            Scenario::parse("f.toml", &text, &[], &read).unwrap().points()[0].name()
        };
        let one = "\"link.wifi.loss\" = [\"1 %\"]\n";
        assert_eq!(first(one), "reno, loss=1 %");
        let both = format!("{one}\"link.far.loss\" = [\"2 %\"]\n\"link.far.delay\" = [\"9 ms\"]\n");
        assert_eq!(first(&both), "reno, wifi.loss=1 %, far.loss=2 %, delay=9 ms");
    }
}
