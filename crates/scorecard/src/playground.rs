//! The experiment of each setting of a card as a link to the playground, which simulates it in the browser.

use std::collections::BTreeMap;
use std::path::Path;

use westwood_experiment::link;
use westwood_experiment::plan::ExperimentPlan;
use westwood_scenario::file::Assignment;

use crate::card::Scorecard;
use crate::plan::{CardPlan, CardStatement, FIRST_SEED};

/// The links of a card; without any where its page has no playground beside it.
#[derive(Clone, Debug, Default)]
pub struct CardLinks {
    /// Of each scenario and setting the address, and the runs behind it in words.
    settings: BTreeMap<(String, String), (String, String)>,
}

impl CardLinks {
    /// The links of a plan's card; `page` is the playground's address as seen from the card's page. Runs of
    /// the kernel have none, and neither has a scenario that reads a file which does not come with the
    /// program.
    pub fn of(plan: &CardPlan, card: &Scorecard, page: &str) -> Self {
        let mut links = Self::default();
        if plan.linux {
            return links;
        }
        let seeds = seeds(card);
        let mut settings: BTreeMap<(String, String), Vec<&CardStatement>> = BTreeMap::new();
        for statement in &plan.statements {
            let key = (plan.test(statement).scenario.clone(), statement.setting.clone());
            settings.entry(key).or_default().push(statement);
        }
        for (key, statements) in settings {
            let seeds = seeds.get(&key).copied().unwrap_or(1).max(1);
            let controllers = controllers(plan, &statements);
            if let Some(text) = text(plan, statements[0], &controllers, seeds) {
                let under =
                    if seeds == 1 { "one seed".to_owned() } else { format!("{seeds} seeds") };
                let about = format!(": {} under {under}.", controllers.join(", "));
                links.settings.insert(key, (page.to_owned() + &link::of_text(&text), about));
            }
        }
        links
    }

    /// True if there is none.
    pub fn is_empty(&self) -> bool {
        self.settings.is_empty()
    }

    /// The address that opens a setting of a scenario, and the runs behind it in words.
    pub fn of_setting(&self, scenario: &str, setting: &str) -> Option<(String, String)> {
        self.settings.get(&(scenario.to_owned(), setting.to_owned())).cloned()
    }
}

/// How many seeds count at each setting of a scenario: the most of its tests.
fn seeds(card: &Scorecard) -> BTreeMap<(String, String), usize> {
    let mut seeds = BTreeMap::new();
    for test in card.criteria.iter().flat_map(|criterion| &criterion.tests) {
        for cell in &test.cells {
            let known = seeds.entry((test.scenario.clone(), cell.setting.clone())).or_insert(0);
            *known = cell.seeds.len().max(*known);
        }
    }
    seeds
}

/// The controller under examination, and those beside which it is judged.
fn controllers<'a>(plan: &'a CardPlan, statements: &[&'a CardStatement]) -> Vec<&'a str> {
    let mut controllers = vec![plan.controller.as_str()];
    let is_beside_controllers =
        |statement: &&&CardStatement| plan.test(statement).beside.is_of_controllers();
    for statement in statements.iter().filter(is_beside_controllers) {
        let beside = statement.beside.iter().map(|(name, _)| name.as_str());
        controllers.extend(beside.filter(|name| !controllers.contains(name)).collect::<Vec<_>>());
    }
    controllers
}

/// The experiment as one text; none if a link cannot hold it.
fn text(
    plan: &CardPlan,
    statement: &CardStatement,
    controllers: &[&str],
    seeds: usize,
) -> Option<String> {
    let scenario = &plan.test(statement).scenario;
    let (_, file) = plan.examination.scenarios.iter().find(|(name, _)| name == scenario)?;
    let counted = [format!("seed={FIRST_SEED}"), format!("seeds={seeds}")];
    let set = plan.set(statement, controllers).into_iter().chain(counted);
    let set: Vec<Assignment> =
        set.map(|text| Assignment::parse(&text).ok()).collect::<Option<_>>()?;
    let recorded = |name: &Path| plan.examination.recorded(name);
    let experiment = ExperimentPlan::of_text(link::NAME, file, &set, &recorded).ok()?;
    experiment.one_text().ok()
}
