//! A link's changes, ready to take place.

use std::collections::VecDeque;

use westwood_cc::{Duration, Instant, Rate};

use crate::error::LinkError;
use crate::link::config::LinkConfig;
use crate::loss::Loss;
use crate::schedule::{Change, LinkChange};

/// A change, validated and ready to take place.
#[derive(Debug)]
pub(crate) enum Effect {
    Rate(Rate),
    Delay(Duration),
    Losses(Vec<Loss>),
}

/// The schedule's changes in order of time; those of one instant in the order given. The losses of the
/// `i`-th in time draw from `name/change/i`, and an error names the place where a change is given.
pub(crate) fn effects(
    config: &LinkConfig,
    seed: u64,
    name: &str,
) -> Result<VecDeque<(Instant, Effect)>, LinkError> {
    let mut changes: Vec<(usize, &Change)> = config.schedule.iter().enumerate().collect();
    changes.sort_by_key(|(_, change)| change.at);
    let prepare = |(i, (given, change)): (usize, (usize, &Change))| {
        let place = format!("schedule[{given}]");
        let effect = match &change.what {
            &LinkChange::Rate(rate) => {
                let must = "at most 2^46 byte/s";
                LinkError::unless(rate <= Rate::MAX_SAMPLE, format!("{place}.rate"), must)?;
                Effect::Rate(rate)
            }
            &LinkChange::Delay(delay) => Effect::Delay(delay),
            LinkChange::Losses(losses) => {
                let name = format!("{name}/change/{i}");
                let losses = Loss::all(losses, seed, &name, change.at);
                Effect::Losses(losses.map_err(|e| e.within(&place))?)
            }
        };
        Ok((change.at, effect))
    };
    changes.into_iter().enumerate().map(prepare).collect()
}
