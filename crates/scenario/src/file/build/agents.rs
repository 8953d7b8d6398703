//! Agents beside links of `[[link]]`, and whether flows can heed them.

use westwood_net::{Limit, LinkChange};
use westwood_sim::{AgentSpec, LinkId, SnoopConfig, Task};
use westwood_tcp::Recovery;

use super::super::section::Located;
use super::super::tables::Link;
use super::Builder;
use super::pending::Pending;
use crate::error::BadInput;

impl<'a> Builder<'a> {
    /// Puts agents beside links, and refuses what no agent or sender can do.
    pub(super) fn agents(&mut self) {
        for link in self.case.top.link.iter().flat_map(|links| &links.value) {
            for (there, back) in self.links.get(&link.name.value).cloned().unwrap_or_default() {
                self.agents_of(link, there, back);
            }
        }
        for group in 0..self.groups.len() {
            self.check_eln(group);
        }
    }

    fn agents_of(&mut self, link: &'a Link, there: LinkId, back: Option<LinkId>) {
        let mut add = |task| self.network.agents.push(AgentSpec { link: there, task });
        if link.eln.value {
            add(Task::ExplicitLossNotification);
        }
        if link.fair_share.value {
            add(Task::FairShare { memory: link.fair_share_memory.value });
            self.check_rate(link, there);
        }
        if link.snoop.value {
            let Some(back) = back else {
                let what = BadInput::new("Snoop needs the way on which ACKs come back");
                self.fault(link.snoop.place, what.hint("leave out both_ways = false"));
                return;
            };
            let Some(cache) = self.snoop_cache(link, there) else { return };
            let snoop = SnoopConfig { back, cache, min_timeout: link.snoop_timeout.value };
            self.network.agents.push(AgentSpec { link: there, task: Task::Snoop(snoop) });
        }
    }

    /// The cache in packets: as many as a buffer of its size would hold.
    fn snoop_cache(&mut self, link: &'a Link, there: LinkId) -> Option<u64> {
        let Located { value, place } = link.snoop_cache;
        let speed = self.speed(link.rate.as_ref(), link.trace.as_ref(), link.place)?;
        let buffer = Located { value: Some(value), place };
        let crossing = self.crossing()[there];
        let packet = crossing.packet_or(self.usual_packet());
        let limit = self.limit(&Pending { id: there, speed, buffer, link }, crossing)?;
        let packets = match limit {
            Limit::Packets(n) => n,
            Limit::Bytes(n) => n.get() / packet.get().max(1),
            Limit::Unlimited => u64::MAX,
        };
        if packets == 0 {
            let what = BadInput::new("the cache holds no packet");
            self.fault(place, what.hint("write snoop_cache = \"100 packets\""));
        }
        Some(packets)
    }

    fn check_rate(&mut self, link: &Link, there: LinkId) {
        let schedule = &self.network.links[there].config.schedule;
        let changes = schedule.iter().any(|change| matches!(change.what, LinkChange::Rate(_)));
        if changes || link.trace.is_some() {
            let what = BadInput::new("a fair share needs a link of constant rate");
            self.fault(link.fair_share.place, what.hint("leave out the trace, or the change"));
        }
    }

    fn check_eln(&mut self, group: usize) {
        let flows = self.groups[group].flows.clone();
        let deaf = self.network.flows[flows].iter().find_map(|flow| {
            let config = flow.traffic.tcp()?.config;
            let deaf = matches!(config.recovery, Recovery::Tahoe | Recovery::Linux);
            (config.eln && deaf).then_some(config.recovery)
        });
        let Some(recovery) = deaf else { return };
        let name = &self.groups[group].name;
        let what = BadInput::new(format!("'{name}' has eln and the recovery {recovery}"));
        let top = &self.case.top;
        let own = top.flow.iter().flat_map(|all| &all.value).find(|g| g.name.value == *name);
        let given = own.and_then(|g| g.tcp.as_ref()).and_then(|tcp| tcp.value.eln.as_ref());
        let place = given.or(top.tcp.value.eln.as_ref()).map(|given| given.place);
        let place = place.unwrap_or(top.tcp.place);
        self.fault(place, what.hint("choose reno, newreno or sack, or leave out eln"));
    }
}
