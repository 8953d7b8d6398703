//! A link's changes, ready to take place.

use std::collections::VecDeque;

use westwood_cc::{Duration, Instant, Rate};

use crate::error::LinkError;
use crate::link::config::LinkConfig;
use crate::loss::Loss;
use crate::schedule::{Change, LinkChange, in_order};

/// A change, validated and ready to take place.
#[derive(Debug)]
pub(crate) enum Effect {
    Rate(Rate),
    Delay(Duration),
    Losses(Vec<Loss>),
}

/// The schedule's changes in order. The losses of the `i`-th draw from `name/change/i`.
pub(crate) fn effects(
    config: &LinkConfig,
    seed: u64,
    name: &str,
) -> Result<VecDeque<(Instant, Effect)>, LinkError> {
    let prepare = |(i, change): (usize, Change)| {
        let effect = match change.what {
            LinkChange::Rate(rate) => Effect::Rate(rate),
            LinkChange::Delay(delay) => Effect::Delay(delay),
            LinkChange::Losses(losses) => {
                let name = format!("{name}/change/{i}");
                let losses = Loss::all(&losses, seed, &name, change.at);
                Effect::Losses(losses.map_err(|e| e.within(&format!("schedule[{i}]")))?)
            }
        };
        Ok((change.at, effect))
    };
    in_order(&config.schedule)?.into_iter().enumerate().map(prepare).collect()
}
