//! The shorthand: `[dumbbell]`.

use westwood_cc::{Duration, Rate};

use super::super::place::Place;
use super::super::section::Said;
use super::super::settings::Tcp;
use super::super::tables;
use super::{Builder, FlowGroup};
use crate::dumbbell::{Dumbbell, Rivals, Speed, Tuning};
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
        if let Err(error) = path.check() {
            self.refuse(&table.value, error);
            return None;
        }
        let network = path.network(cc, self.case.seed, self.network.probes);
        let network = self.faults.check(table.place, network)?;
        self.network.nodes = network.nodes;
        self.network.links = network.links;
        self.network.flows = network.flows;
        self.nodes.extend([("left".to_owned(), 0), ("right".to_owned(), 1)]);
        self.links.insert("bottleneck".to_owned(), vec![(0, Some(1))]);
        self.core.extend([0, 1]);
        self.name_groups(&path, cc);
        Some(())
    }

    /// The groups, and the transport settings that only a file can say.
    fn name_groups(&mut self, path: &Dumbbell, cc: &ControllerSpec) {
        let reverse_cc = path.reverse_cc.unwrap_or(*cc);
        let kinds = [
            ("flow", path.flows, *cc),
            ("rival", path.rivals(), path.against.map_or(*cc, |rivals| rivals.controller)),
            ("reverse", path.reverse_flows, reverse_cc),
        ];
        let mut first = 0;
        for (name, flows, cc) in kinds {
            let end = first + usize::try_from(flows).unwrap_or(0);
            if end > first {
                self.refine_flows(first..end);
                self.groups.push(FlowGroup {
                    name: name.to_owned(),
                    cc: Some(cc.to_string()),
                    recovery: Some(path.recovery.to_string()),
                    flows: first..end,
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
        let value = |said: &Option<Said<ControllerSpec>>| said.as_ref().map(|said| said.value);
        let rivals = |controller| Rivals { controller, flows: table.against_flows.value };
        let path = Dumbbell {
            access_rate: table.access_rate.as_ref().map_or(ten_times(fastest), |said| said.value),
            down,
            up,
            rtt_min: table.rtt.value.least(),
            rtt_max: table.rtt.value.most(),
            buffer: table.buffer.value,
            aqm: table.aqm.value,
            loss: table.loss.value.iter().chain(both).cloned().collect(),
            return_loss: both.clone(),
            flows: table.flows.value,
            against: value(&table.against_cc).map(rivals).filter(|rivals| rivals.flows > 0),
            reverse_flows: table.reverse_flows.value,
            reverse_cc: value(&table.reverse_cc),
            size: table.size.as_ref().map(|said| said.value),
            time: top.time.value,
            warmup: Duration::ZERO,
            tuning: Tuning {
                buffer_in_service: table.buffer_in_service.value,
                ..Tuning::default()
            },
            ..Dumbbell::default()
        };
        Some(basics(path, &[&top.tcp.value]))
    }

    fn speeds(&mut self, table: &tables::Dumbbell) -> Option<(Speed, Speed)> {
        let usual = Said { value: Dumbbell::default().rate(), place: table.place };
        let down = match (&table.rate, &table.trace) {
            (rate, None) => Speed::Fixed(rate.as_ref().unwrap_or(&usual).value),
            (rate, trace) => self.speed(rate.as_ref(), trace.as_ref(), table.place)?,
        };
        let up = match (&table.return_rate, &table.return_trace) {
            (None, None) => Speed::Fixed(down.rate()),
            (rate, trace) => self.speed(rate.as_ref(), trace.as_ref(), table.place)?,
        };
        Some((down, up))
    }

    /// A rate or a recorded capacity, of which one must be given.
    pub(super) fn speed(
        &mut self,
        rate: Option<&Said<Rate>>,
        trace: Option<&Said<String>>,
        table: Place,
    ) -> Option<Speed> {
        match (rate, trace) {
            (Some(rate), None) => Some(Speed::Fixed(rate.value)),
            (None, Some(file)) => {
                let trace = self.case.traces.get(file);
                self.faults.check(file.place, trace).map(Speed::Recorded)
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

    /// Says a fault that names a flag of the command at the field of that name.
    fn refuse(&mut self, table: &tables::Dumbbell, error: BadInput) {
        let flag = error.place().and_then(|place| place.split(':').next());
        let place = match flag {
            Some("--buffer") => table.buffer.place,
            Some("--aqm") => table.aqm.place,
            Some("--flows") => table.flows.place,
            _ => table.place,
        };
        self.fault(place, in_fields(error));
    }
}

/// An error in the words of the command line, in those of a file: without its flag, and with
/// `return_rate` for `--return-rate`.
pub(super) fn in_fields(error: BadInput) -> BadInput {
    let renamed = |text: &str| {
        let word = |word: &str| match word.strip_prefix("--") {
            Some(flag) => flag.replace('-', "_"),
            None => word.to_owned(),
        };
        text.split(' ').map(word).collect::<Vec<_>>().join(" ")
    };
    let (message, hint) = error.without_place().into_parts();
    let error = BadInput::new(renamed(&message));
    match hint {
        Some(hint) => error.hint(renamed(&hint)),
        None => error,
    }
}

/// The transport settings that `westwood compare` has too; earlier tables win over later ones.
pub(super) fn basics(path: Dumbbell, tables: &[&Tcp]) -> Dumbbell {
    macro_rules! said {
        (tuning.$field:ident) => {
            said!($field, path.tuning.$field)
        };
        ($field:ident) => {
            said!($field, path.$field)
        };
        ($field:ident, $usual:expr) => {
            tables.iter().find_map(|tcp| tcp.$field.as_ref()).map_or($usual, |said| said.value)
        };
    }
    Dumbbell {
        recovery: said!(recovery),
        packet: said!(packet),
        header: said!(header),
        ack: said!(ack),
        delayed_ack: said!(delayed_ack),
        initial_window: said!(initial_window),
        min_rto: said!(min_rto),
        tuning: Tuning {
            sack_block: said!(tuning.sack_block),
            initial_ssthresh: said!(tuning.initial_ssthresh),
            receive_window: said!(tuning.receive_window),
            receive_growth: said!(tuning.receive_growth),
            initial_rto: said!(tuning.initial_rto),
            rto_tick: said!(tuning.rto_tick),
            timestamps: said!(tuning.timestamps),
            limited_transmit: said!(tuning.limited_transmit),
            impatient: said!(tuning.impatient),
            last_ack_grows: said!(tuning.last_ack_grows),
            cwnd_validation: said!(tuning.cwnd_validation),
            handshake: said!(tuning.handshake),
            ..path.tuning
        },
        ..path
    }
}

pub(super) fn ten_times(rate: Rate) -> Rate {
    Rate::from_raw(rate.raw().saturating_mul(10)).min(crate::limits::MAX_RATE)
}
