//! The network of a scenario as a sketch.

use westwood_scenario::file::{Outline, OutlinedGroup, OutlinedLink};

use crate::document::{Link, Node, Sketch};

/// More links or groups than these cannot be told apart in a column's width.
const MOST: usize = 8;

/// The network, groups of flows at its ends; none if it is too large to draw.
pub fn sketch(outline: &Outline) -> Option<Sketch> {
    if outline.links.len() > MOST || outline.groups.len() > MOST {
        return None;
    }
    let ends = |place: usize| {
        let at = |g: &OutlinedGroup| (g.begins && g.from == place) || (g.ends && g.to == place);
        outline.groups.iter().any(at)
    };
    let label = |(i, name): (usize, &String)| Node { label: name.clone(), host: ends(i) };
    let mut nodes: Vec<Node> = outline.nodes.iter().enumerate().map(label).collect();
    let mut links: Vec<Link> = outline.links.iter().map(link).collect();
    for group in &outline.groups {
        let name = match group.flows {
            1 => group.name.clone(),
            n => format!("{n} x {}", group.name),
        };
        // Flows against the direction of the drawing end at its left.
        let leads_on = outline.links.iter().any(|l| l.from == group.from);
        let back = !leads_on && outline.links.iter().any(|l| l.to == group.from);
        if !group.begins {
            let new = nodes.len();
            nodes.push(Node { label: format!("{name} sends"), host: true });
            let (from, to) = if back { (group.from, new) } else { (new, group.from) };
            links.push(Link { from, to, ..Link::default() });
        }
        if !group.ends {
            let new = nodes.len();
            nodes.push(Node { label: format!("{name} receives"), host: true });
            let (from, to) = if back { (new, group.to) } else { (group.to, new) };
            links.push(Link { from, to, ..Link::default() });
        }
    }
    Some(Sketch { nodes, links })
}

fn link(link: &OutlinedLink) -> Link {
    let rate = if link.recorded { format!("mean {}", link.rate) } else { link.rate.to_string() };
    let mut above = vec![rate];
    above.extend(link.return_rate.filter(|r| *r != link.rate).map(|r| format!("{r} back")));
    above.push(link.delay.to_string());
    let loss =
        if link.loss == "none" { "no loss".to_owned() } else { format!("loss {}", link.loss) };
    Link {
        from: link.from,
        to: link.to,
        above,
        below: vec![link.queue.clone(), loss],
        bottleneck: link.measured,
    }
}
