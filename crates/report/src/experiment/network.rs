//! The network of a scenario as a sketch.

use westwood_scenario::file::{Outline, OutlinedGroup, OutlinedLink};

use crate::document::{NetworkSketch, SketchLink, SketchNode};

/// More groups or links than these cannot be told apart in a column's width.
const MOST_GROUPS: usize = 6;
const MOST_LINKS: usize = 4;

/// The network; groups of flows at its ends if there is one link between them, else the links alone.
/// None if it is too large to draw.
pub fn sketch(outline: &Outline) -> Option<NetworkSketch> {
    let alone = outline.links.len() == 1 && outline.groups.len() <= MOST_GROUPS;
    if outline.links.len() > MOST_LINKS {
        return None;
    }
    let ends = |place: usize| {
        let at = |g: &OutlinedGroup| (g.begins && g.from == place) || (g.ends && g.to == place);
        outline.groups.iter().any(at)
    };
    // Beside the names of groups there is no room for those of routers.
    let label = |(i, name): (usize, &String)| {
        let host = ends(i);
        let label = if alone && !host { String::new() } else { name.clone() };
        SketchNode { label, host }
    };
    let mut nodes: Vec<SketchNode> = outline.nodes.iter().enumerate().map(label).collect();
    let mut links: Vec<SketchLink> = outline.links.iter().map(link).collect();
    if nodes.iter().any(|node| !node.label.is_empty()) {
        // The names of these nodes stand below.
        for link in &mut links {
            link.above.append(&mut link.below);
        }
    }
    for group in outline.groups.iter().filter(|_| alone) {
        let name = match group.flows {
            1 => group.name.clone(),
            n => format!("{n} x {}", group.name),
        };
        // Flows against the direction of the drawing end at its left.
        let leads_on = outline.links.iter().any(|l| l.from == group.from);
        let back = !leads_on && outline.links.iter().any(|l| l.to == group.from);
        if !group.begins {
            let new = nodes.len();
            nodes.push(SketchNode { label: format!("{name} sends"), host: true });
            let (from, to) = if back { (group.from, new) } else { (new, group.from) };
            links.push(SketchLink { from, to, ..SketchLink::default() });
        }
        if !group.ends {
            let new = nodes.len();
            nodes.push(SketchNode { label: format!("{name} receives"), host: true });
            let (from, to) = if back { (new, group.to) } else { (group.to, new) };
            links.push(SketchLink { from, to, ..SketchLink::default() });
        }
    }
    Some(NetworkSketch { nodes, links })
}

fn link(link: &OutlinedLink) -> SketchLink {
    let rate = if link.recorded { format!("mean {}", link.rate) } else { link.rate.to_string() };
    let mut above = vec![rate];
    above.extend(link.return_rate.filter(|r| *r != link.rate).map(|r| format!("{r} back")));
    above.push(link.delay.to_string());
    let loss =
        if link.loss == "none" { "no loss".to_owned() } else { format!("loss {}", link.loss) };
    SketchLink {
        from: link.from,
        to: link.to,
        above,
        below: vec![link.queue.clone(), loss],
        bottleneck: link.measured,
    }
}
