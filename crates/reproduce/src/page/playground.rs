//! The experiments of claims as links to the playground, which stands beside the pages.

use std::collections::BTreeMap;

use westwood_experiment::link;
use westwood_experiment::plan::ExperimentPlan;
use westwood_scenario::file::GridPoint;

use crate::extent::Platform;
use crate::paper::Paper;
use crate::plan::{ExperimentGrid, ReproductionPlan};

/// The playground's path within the folder.
pub(super) const PAGE: &str = "playground.html";

/// The experiments of a paper, ready for links.
pub(super) struct PaperLinks<'a> {
    experiments: Vec<(&'a ExperimentGrid, ExperimentPlan)>,
}

/// An experiment of a claim's runs.
pub(super) struct ExperimentLink {
    /// Its name.
    pub(super) name: String,
    /// Its subject.
    pub(super) about: String,
    /// How many seeds its file has.
    pub(super) seeds: usize,
    /// The part of the address that holds it, from # on.
    pub(super) link: String,
    /// Of a sweep the settings that the claim's numbers are of: name, and link.
    pub(super) settings: Vec<(String, String)>,
}

impl<'a> PaperLinks<'a> {
    /// Runs of real hosts have no link: the playground simulates.
    pub(super) fn of(plan: &'a ReproductionPlan, paper: &Paper) -> Self {
        let grid = |name: &str| {
            plan.grids.iter().find(|grid| grid.paper == paper.key && grid.name == name)
        };
        let simulated = paper.experiments.iter().filter(|_| plan.on == Platform::Simulator);
        let experiments =
            simulated.filter_map(|one| Some((grid(&one.name)?, one.linked(plan.mode)?)));
        Self { experiments: experiments.collect() }
    }

    /// The experiments that a claim's numbers and conditions come from; none of a claim without runs.
    pub(super) fn of_claim(&self, claim: &str) -> Vec<ExperimentLink> {
        let one = |(grid, linked): &(&ExperimentGrid, ExperimentPlan)| {
            let points = grid.asked_by.get(claim)?;
            let texts = linked.setting_texts();
            // Points of one setting differ in what is compared, which each text has whole.
            let mut settings = BTreeMap::new();
            for (point, text) in grid.scenario.points().iter().zip(&texts) {
                if points.contains(&point.number()) {
                    let (setting, _) = point.setting();
                    settings.entry(setting).or_insert_with(|| (name(point), link::of_text(text)));
                }
            }
            Some(ExperimentLink {
                name: grid.name.clone(),
                about: grid.about.clone(),
                seeds: grid.scenario.seeds().len(),
                link: link::of_text(&linked.one_text().ok()?),
                settings: settings.into_values().collect(),
            })
        };
        self.experiments.iter().filter_map(one).collect()
    }
}

/// A point's place in the sweep, as `--set` writes it.
fn name(point: &GridPoint) -> String {
    let settings = point.settings.iter().filter(|setting| setting.path != "cc");
    let texts: Vec<String> =
        settings.map(|setting| format!("{} = {}", setting.path, setting.value)).collect();
    texts.join(", ")
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use westwood_scenario::file::Scenario;

    use super::*;
    use crate::claim::ClaimBasis::Formula;
    use crate::extent::Extent;
    use crate::library;

    /// The experiment that `westwood run LINK` takes out of a link.
    fn opened(link: &str) -> Scenario {
        let address = format!("file:///site/{PAGE}{link}");
        let plan = ExperimentPlan::of_file(Path::new(&address), &[]);
        plan.unwrap_or_else(|error| panic!("{error}")).scenario
    }

    /// The network of a point and its measurement, as they are run.
    fn network(scenario: &Scenario, point: &GridPoint) -> String {
        let seed = scenario.seeds()[0];
        format!("{:?}", scenario.build(point, seed).unwrap_or_else(|error| panic!("{error}")))
    }

    #[test]
    fn every_link_of_every_claim_opens_the_experiment_that_is_run() {
        for mode in [Extent::Full, Extent::Quick] {
            let (papers, sources) = library().unwrap_or_else(|error| panic!("{error}"));
            let plan = ReproductionPlan::new(papers, &sources, mode);
            let plan = plan.unwrap_or_else(|error| panic!("{error}"));
            let mut checked = BTreeMap::new();
            for paper in &plan.papers {
                let links = PaperLinks::of(&plan, paper);
                for claim in &paper.claims {
                    let own = links.of_claim(&claim.id);
                    let asked = plan.grids.iter().filter(|grid| {
                        grid.paper == paper.key && grid.asked_by.contains_key(&claim.id)
                    });
                    let grids: Vec<&ExperimentGrid> = asked.collect();
                    assert_eq!(own.len(), grids.len(), "{}: a link for each experiment", claim.id);
                    for (grid, link) in grids.into_iter().zip(own) {
                        check(grid, &claim.id, &link, &mut checked);
                    }
                }
            }
            assert!(checked.len() > 100, "{}", checked.len());
        }
    }

    /// Each link is opened once: `checked` has those of each point.
    fn check<'a>(
        grid: &'a ExperimentGrid,
        claim: &str,
        link: &ExperimentLink,
        checked: &mut BTreeMap<(&'a str, &'a str, usize), (String, Option<String>)>,
    ) {
        let (own, points) = (&grid.scenario, &grid.asked_by[claim]);
        let is_swept = own.axes().any(|axis| axis != "cc");
        let mut whole = None;
        for &number in points {
            let point = &own.points()[number];
            let alone = link.settings.iter().find(|(setting, _)| *setting == name(point));
            let alone = alone.map(|(_, alone)| alone.clone());
            assert_eq!(alone.is_some(), is_swept, "{claim}: {}", point.name());
            let found = (link.link.clone(), alone);
            let key = (grid.paper.as_str(), grid.name.as_str(), number);
            if let Some(known) = checked.get(&key) {
                assert_eq!(*known, found, "{claim}: {}", point.name());
                continue;
            }
            let run = network(own, point);
            let whole = whole.get_or_insert_with(|| opened(&link.link));
            assert_eq!((whole.points(), whole.seeds()), (own.points(), own.seeds()), "{claim}");
            assert!(network(whole, &whole.points()[number]) == run, "{claim}: {}", point.name());
            if let Some(alone) = found.1.as_ref().map(|link| opened(link)) {
                let is_it =
                    |other: &&GridPoint| (other.cc, &other.variant) == (point.cc, &point.variant);
                let same: Vec<&GridPoint> = alone.points().iter().filter(is_it).collect();
                assert_eq!((same.len(), alone.seeds()), (1, own.seeds()), "{claim}");
                assert!(network(&alone, same[0]) == run, "{claim}: {}", point.name());
            }
            checked.insert(key, found);
        }
        let places = points.iter().map(|&number| own.points()[number].setting().0);
        let places = places.collect::<std::collections::BTreeSet<_>>().len();
        assert_eq!(link.settings.len(), if is_swept { places } else { 0 }, "{claim}");
    }

    #[test]
    fn claims_of_real_hosts_and_of_formulas_have_no_link() {
        let links = |on| {
            let (papers, sources) = library().unwrap_or_else(|error| panic!("{error}"));
            let plan = ReproductionPlan::on(on, papers, &sources, Extent::Full);
            let plan = plan.unwrap_or_else(|error| panic!("{error}"));
            let mut linked = Vec::new();
            for paper in &plan.papers {
                let links = PaperLinks::of(&plan, paper);
                let has_any = |id: &str| !links.of_claim(id).is_empty();
                linked
                    .extend(paper.claims.iter().map(|c| (c.basis, has_any(&c.id), c.parts.len())));
            }
            linked
        };
        assert!(links(Platform::Linux).iter().all(|(_, has_any, _)| !has_any));
        for (basis, has_any, parts) in links(Platform::Simulator) {
            assert!(!(has_any && basis == Formula), "a formula has no runs");
            assert!(has_any || basis == Formula || parts == 0, "runs have an experiment");
        }
    }
}
