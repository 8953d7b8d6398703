//! The shorthand: `[dumbbell]`.

use westwood_cc::{Duration, Rate};

use super::super::location::Location;
use super::super::section::Located;
use super::super::tables;
use super::{Builder, COMPETING_GROUP, FlowGroup};
use crate::dumbbell::{CompetingFlows, Dumbbell, LinkCapacity, SettingConflict};
use crate::error::BadInput;
use crate::spec::ControllerSpec;

impl Builder<'_> {
    /// Builds the dumbbell, if there is one; `None` if it is so wrong that the rest has no meaning.
    pub(super) fn dumbbell(&mut self) -> Option<()> {
        let top = self.case.top;
        if let Some(nodes) = &top.nodes {
            for name in &nodes.value {
                if self.nodes.insert(name.clone(), self.network.nodes.len()).is_some() {
                    let what = format!("the node '{name}' is listed twice");
                    self.fault(nodes.place, BadInput::new(what));
                }
                self.network.nodes.push(name.as_str().into());
            }
        }
        let Some(table) = &top.dumbbell else {
            return Some(());
        };
        if let Some(nodes) = &top.nodes {
            let what =
                BadInput::new("'nodes' cannot be listed beside [dumbbell], which has its own");
            self.fault(nodes.place, what);
            return None;
        }
        let path = self.path_of(&table.value)?;
        let Some(cc) = self.case.cc else {
            let what = BadInput::new("[dumbbell] needs a controller");
            self.fault(table.place, what.hint("write cc = \"reno\" at the top of the file"));
            return None;
        };
        self.check_effects(&table.value, &path);
        self.check_link_layer(table.value.arq.is_some(), table.value.fec.as_ref());
        let is_recorded = |speed: &LinkCapacity| matches!(speed, LinkCapacity::Recorded(_));
        let recorded = is_recorded(&path.down) || is_recorded(&path.up);
        self.check_bursts(table.value.bursts.as_ref(), recorded);
        let checked = path.check();
        let network = checked.and_then(|()| path.network(cc, self.case.seed, self.network.probes));
        let network = match network {
            Ok(network) => network,
            Err(misfit) => {
                self.misfit(&table.value, misfit);
                return None;
            }
        };
        self.network.nodes = network.nodes;
        self.network.links = network.links;
        self.network.flows = network.flows;
        self.nodes.extend([("left".to_owned(), 0), ("right".to_owned(), 1)]);
        self.links.insert("bottleneck".to_owned(), vec![(0, Some(1))]);
        self.core.extend([0, 1]);
        self.name_groups(&path, cc);
        self.dumbbell = Some(path);
        Some(())
    }

    /// The groups of flows.
    fn name_groups(&mut self, path: &Dumbbell, cc: &ControllerSpec) {
        let reverse_cc = path.reverse_cc.unwrap_or(*cc);
        let kinds = [
            ("flow", path.flows, *cc),
            (
                COMPETING_GROUP,
                path.competing_flows(),
                path.against.map_or(*cc, |competing_flows| competing_flows.controller),
            ),
            ("reverse", path.reverse_flows, reverse_cc),
        ];
        let mut first = 0;
        for (name, flows, cc) in kinds {
            let end = first + usize::try_from(flows).unwrap_or(0);
            if end > first {
                self.groups.push(FlowGroup {
                    name: name.to_owned(),
                    cc: Some(cc.to_string()),
                    recovery: Some(path.transport.config().recovery.to_string()),
                    flows: first..end,
                    periods: 1,
                });
                let rtts = (0..flows).map(|_| path.rtt_max);
                self.largest_rtts.extend(rtts);
            }
            first = end;
        }
    }

    /// The settings of `westwood compare` that the tables say.
    fn path_of(&mut self, table: &tables::Dumbbell) -> Option<Dumbbell> {
        let top = self.case.top;
        let (down, up) = self.speeds(table)?;
        let fastest = down.rate().max(up.rate());
        let both = &table.loss_both.value;
        let value =
            |given: &Option<Located<ControllerSpec>>| given.as_ref().map(|given| given.value);
        let competing_flows =
            |controller| CompetingFlows { controller, flows: table.against_flows.value };
        let others =
            [&table.against_cc, &table.reverse_cc].map(|given| given.as_ref().map(|g| g.value));
        for cc in others.into_iter().chain([self.case.cc.copied()]).flatten() {
            self.check_feedback(&[], &cc);
        }
        let path = Dumbbell {
            access_rate: table.access_rate.as_ref().map_or(ten_times(fastest), |given| given.value),
            down,
            up,
            rtt_min: table.rtt.value.least(),
            rtt_max: table.rtt.value.most(),
            buffer: table.buffer.value,
            buffer_in_service: table.buffer_in_service.value,
            wake_up: table.wake_up.value,
            aqm: table.aqm.value,
            loss: table.loss.value.iter().chain(both).cloned().collect(),
            return_loss: both.clone(),
            policer: table.policer.as_ref().map(|given| given.value),
            arq: table.arq.as_ref().map(|given| given.value),
            fec: table.fec.as_ref().map(|given| given.value),
            bursts: table.bursts.as_ref().map(|given| given.value),
            reorder: table.reorder.as_ref().map(|given| given.value),
            ecn_path: table.ecn_path.as_ref().map(|given| given.value),
            ack_filter: table.ack_filter.as_ref().map(|given| given.value),
            flows: table.flows.value,
            against: value(&table.against_cc)
                .map(competing_flows)
                .filter(|competing_flows| competing_flows.flows > 0),
            reverse_flows: table.reverse_flows.value,
            reverse_cc: value(&table.reverse_cc),
            size: table.size.as_ref().map(|given| given.value),
            time: top.time.value,
            warmup: Duration::ZERO,
            transport: self.transport(&[]),
        };
        Some(path)
    }

    fn speeds(&mut self, table: &tables::Dumbbell) -> Option<(LinkCapacity, LinkCapacity)> {
        let usual = Located { value: Dumbbell::default().rate(), place: table.place };
        let down = match (&table.rate, &table.trace) {
            (rate, None) => LinkCapacity::Fixed(rate.as_ref().unwrap_or(&usual).value),
            (rate, trace) => self.speed(rate.as_ref(), trace.as_ref(), table.place)?,
        };
        let up = match (&table.return_rate, &table.return_trace) {
            (None, None) => LinkCapacity::Fixed(down.rate()),
            (rate, trace) => self.speed(rate.as_ref(), trace.as_ref(), table.place)?,
        };
        Some((down, up))
    }

    /// A rate or a recorded capacity, of which one must be given.
    pub(super) fn speed(
        &mut self,
        rate: Option<&Located<Rate>>,
        trace: Option<&Located<String>>,
        table: Location,
    ) -> Option<LinkCapacity> {
        match (rate, trace) {
            (Some(rate), None) => Some(LinkCapacity::Fixed(rate.value)),
            (None, Some(file)) => {
                let trace = self.case.traces.get(file);
                self.faults.check(file.place, trace).map(LinkCapacity::Recorded)
            }
            (Some(_), Some(file)) => {
                let what = BadInput::new("a rate and a trace cannot be given together");
                self.fault(file.place, what.hint("leave one of them out"));
                None
            }
            (None, None) => {
                let what = BadInput::new("neither a rate nor a trace is given");
                self.fault(table, what.hint("write rate = \"10 Mbit/s\""));
                None
            }
        }
    }

    /// Says which setting is to be changed, where it stands.
    fn misfit(&mut self, table: &tables::Dumbbell, misfit: SettingConflict) {
        let place = match misfit.setting {
            "buffer" => table.buffer.place,
            "aqm" => table.aqm.place,
            "flows" => table.flows.place,
            "policer" => table.policer.as_ref().map_or(table.place, |given| given.place),
            _ => table.place,
        };
        self.fault(place, misfit.error);
    }

    /// Refuses settings that have no effect.
    fn check_effects(&mut self, table: &tables::Dumbbell, path: &Dumbbell) {
        if self.case.top.sweep.is_some() {
            // Another point of the grid may give it one.
            return;
        }
        if let Some(given) = table.reverse_cc.as_ref().filter(|_| path.reverse_flows == 0) {
            let what = BadInput::new("there are no reverse flows");
            self.fault(given.place, what.hint("say how many reverse flows there are"));
        }
        let alone = [path.flows, path.competing_flows(), path.reverse_flows].iter().all(|&n| n < 2);
        if path.rtt_min < path.rtt_max && alone {
            let what = BadInput::new("a single flow has one round-trip time, not a spread of them");
            self.fault(table.rtt.place, what.hint("raise the number of flows, or write one time"));
        }
    }
}

pub(super) fn ten_times(rate: Rate) -> Rate {
    Rate::from_raw(rate.raw().saturating_mul(10)).min(crate::limits::MAX_RATE)
}
