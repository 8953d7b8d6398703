//! A network without its access links, for drawings.

use westwood_cc::{Duration, Rate};
use westwood_net::{Capacity, Limit, LinkConfig, QueueConfig};
use westwood_sim::Name;

use super::build::{Built, rate_of};
use crate::error::counted;
use crate::spec::losses_text;

/// The parts of a network but for access links.
#[derive(Clone, Debug, PartialEq)]
pub struct Outline {
    /// The names of its nodes.
    pub nodes: Vec<String>,
    /// Its links, or pairs of links for both directions.
    pub links: Vec<OutlinedLink>,
    /// The groups of flows.
    pub groups: Vec<OutlinedGroup>,
}

/// A link, or a pair of links for both directions.
#[derive(Clone, Debug, PartialEq)]
pub struct OutlinedLink {
    /// Its beginning: a place in [`Outline::nodes`].
    pub from: usize,
    /// Its end.
    pub to: usize,
    /// Its rate; of recorded capacity the mean.
    pub rate: Rate,
    /// Its capacity was recorded.
    pub recorded: bool,
    /// The rate in the other direction, if there is one.
    pub return_rate: Option<Rate>,
    /// Its delay, one way.
    pub delay: Duration,
    /// Its queue, such as `queue of 83 packets`, and how it is managed.
    pub queue: String,
    /// Its losses, such as `0.5%`, or `none`.
    pub loss: String,
    /// It is the link that results are about.
    pub measured: bool,
}

/// A group of flows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutlinedGroup {
    /// Its name.
    pub name: String,
    /// The number of its flows.
    pub flows: usize,
    /// The node at which they enter: a place in [`Outline::nodes`].
    pub from: usize,
    /// The node at which they leave.
    pub to: usize,
    /// They begin there, and not at hosts of their own behind access links.
    pub begins: bool,
    /// They end there.
    pub ends: bool,
}

impl Built {
    /// The network without access links.
    pub fn outline(&self) -> Outline {
        let mut outline = Outline { nodes: Vec::new(), links: Vec::new(), groups: Vec::new() };
        for &id in &self.layout.links {
            self.add_link(id, &mut outline);
        }
        for group in &self.layout.groups {
            let Some(flow) = self.network.flows.get(group.flows.start) else { continue };
            let core = |link: &&usize| self.layout.links.contains(link);
            let way = || flow.path.iter().flatten().filter(core);
            let spec = |link: Option<&usize>| link.and_then(|&l| self.network.links.get(l));
            let first = spec(way().next()).map_or(flow.from, |link| link.from);
            let last = spec(way().next_back()).map_or(flow.to, |link| link.to);
            let nodes = &self.network.nodes;
            let (from, to) = (outline.place(nodes, first), outline.place(nodes, last));
            outline.groups.push(OutlinedGroup {
                name: group.name.clone(),
                flows: group.flows.len(),
                from,
                to,
                begins: first == flow.from,
                ends: last == flow.to,
            });
        }
        outline
    }

    fn add_link(&self, id: usize, outline: &mut Outline) {
        let Some(spec) = self.network.links.get(id) else { return };
        let nodes = &self.network.nodes;
        let (from, to) = (outline.place(nodes, spec.from), outline.place(nodes, spec.to));
        let measured = id == self.layout.measured_link;
        let there = |link: &&mut OutlinedLink| {
            (link.from, link.to) == (to, from) && link.return_rate.is_none()
        };
        if let Some(other) = outline.links.iter_mut().find(there) {
            other.return_rate = Some(rate_of(spec));
            other.measured |= measured;
            return;
        }
        outline.links.push(OutlinedLink {
            from,
            to,
            rate: rate_of(spec),
            recorded: matches!(spec.config.capacity, Capacity::Recorded(_)),
            return_rate: None,
            delay: spec.config.delay,
            queue: queue_text(&spec.config),
            loss: losses_text(&spec.config.losses),
            measured,
        });
    }
}

impl Outline {
    /// The place of a node by its name, made if need be.
    fn place(&mut self, nodes: &[Name], node: usize) -> usize {
        let name = nodes.get(node).map_or("", Name::as_str);
        if let Some(place) = self.nodes.iter().position(|known| known == name) {
            return place;
        }
        self.nodes.push(name.to_owned());
        self.nodes.len() - 1
    }
}

/// A number of bytes as people write it, if that takes no more digits.
#[expect(clippy::cast_precision_loss, reason = "buffers are far below 2^53 bytes")]
fn bytes_text(bytes: u64) -> String {
    match bytes {
        n if n >= 1_000_000 && n % 1_000 == 0 => format!("{} MB", n as f64 / 1e6),
        n if n >= 1_000 && n % 100 == 0 => format!("{} kB", n as f64 / 1e3),
        n => counted(n, "byte"),
    }
}

fn queue_text(config: &LinkConfig) -> String {
    let limit = match config.queue.limit() {
        Limit::Packets(n) => format!("queue of {}", counted(n, "packet")),
        Limit::Bytes(n) => format!("queue of {}", bytes_text(n.get())),
        Limit::Unlimited => "queue without bound".to_owned(),
    };
    match &config.queue {
        QueueConfig::DropTail(_) => limit,
        QueueConfig::Threshold(_) => format!("{limit}, marked"),
        QueueConfig::Cobalt(_) => format!("{limit}, COBALT"),
        QueueConfig::Cake(_) => format!("{limit}, CAKE"),
        QueueConfig::Pie(_) => format!("{limit}, PIE"),
        QueueConfig::DualPi2(_) => format!("{limit}, DualPI2"),
        QueueConfig::Red(_) => format!("{limit}, RED"),
        QueueConfig::CoDel(_) => format!("{limit}, CoDel"),
        QueueConfig::FqPie(_) => format!("{limit}, FQ-PIE"),
        QueueConfig::FqCoDel(_) => format!("{limit}, FQ-CoDel"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_written_as_people_write_them() {
        let texts = [62_500_000, 125_000, 1_500, 1_000_001, 999].map(bytes_text);
        assert_eq!(texts, ["62.5 MB", "125 kB", "1.5 kB", "1000001 bytes", "999 bytes"]);
    }
}
