//! Estimates of a capture as a page.

use westwood_scenario::counted;
use westwood_scenario::dumbbell::{bps, millis, seconds};

use super::{EstimatedCapture, EstimatorResult, charts};
use crate::pages::{Block, Page, PageCell, PageSection, PageTable, render};

/// A page with the charts and tables of every transfer.
pub fn page(of: &EstimatedCapture, command: &str) -> String {
    let page = Page {
        kicker: "Westwood estimates".to_owned(),
        playground: None,
        title: of.file.clone(),
        verdict: String::new(),
        subtitle: format!(
            "{}. Delivered: what ACKs report within {} s around each time; \
             no estimator can look ahead like this. Curves above twice the highest delivery are cut.",
            of.packets_text(),
            seconds(of.window)
        ),
        parts: of.transfers.iter().map(|one| part(one, of)).collect(),
        footer: format!("westwood {}: {command}", env!("CARGO_PKG_VERSION")),
        with_filters: false,
    };
    render(&page)
}

fn part(of: &EstimatorResult, all: &EstimatedCapture) -> PageSection {
    let charts = charts(of, all.window).into_iter().map(|(_, chart)| Block::Chart(chart));
    let mut blocks: Vec<Block> = of.doubts().into_iter().map(Block::Note).collect();
    blocks.extend(all.damage.iter().cloned().map(Block::Note));
    blocks.extend(charts);
    blocks.push(Block::Table(grid(of)));
    let rtt = of.replay.min_rtt.map(|rtt| format!("; RTT at least {:.1} ms", millis(rtt)));
    blocks.push(Block::Note(format!(
        "{} in {:.1} s, {:.2} % resent{}; segments of {}.",
        counted(of.transfer.bytes(), "byte"),
        seconds(of.lasts()),
        of.transfer.resent_share() * 100.0,
        rtt.unwrap_or_default(),
        counted(of.replay.smss.get(), "byte")
    )));
    PageSection { title: of.name(), id: None, blocks }
}

fn grid(of: &EstimatorResult) -> PageTable {
    let head = ["estimator", "mean, Mbit/s", "off by (median), %", "reaches (95th percentile), x"];
    let number = |value: Option<f64>, digits: usize| {
        PageCell::from(value.map_or_else(|| "-".to_owned(), |x| format!("{x:.digits$}")))
    };
    let delivered = of.replay.delivered.mean().map(|rate| bps(rate) / 1e6);
    let first = vec!["delivered".into(), number(delivered, 3), "".into(), "".into()];
    let rows = of.accuracy.iter().map(|one| {
        vec![
            one.kind.name().into(),
            number((of.replay.acks > 0).then(|| bps(one.mean) / 1e6), 3),
            number(one.off_median.map(|share| share * 100.0), 1),
            number(one.over_p95, 2),
        ]
    });
    PageTable {
        head: head.map(str::to_owned).to_vec(),
        rows: std::iter::once(first).chain(rows).collect(),
        prose: false,
    }
}
