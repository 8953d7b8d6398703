//! Transport settings: those of a group over those of the file over the defaults.

use std::ops::Range;

use westwood_cc::Duration;
use westwood_sim::{TcpSpec, Traffic};
use westwood_tcp::AckPolicy;

use super::super::settings::Tcp;
use super::Builder;
use super::dumbbell::basics;
use crate::dumbbell::Dumbbell;
use crate::spec::ControllerSpec;

impl Builder<'_> {
    /// The transport of a group's flows with this controller; `own` are the settings of the group.
    /// The round-trip time of a handshake is each flow's, and filled in later.
    pub(super) fn tcp(&self, own: Option<&Tcp>, cc: &ControllerSpec) -> TcpSpec {
        let tables: Vec<&Tcp> = own.into_iter().chain([&self.case.top.tcp.value]).collect();
        let mut spec = basics(Dumbbell::default(), &tables).tcp(cc, Duration::ZERO);
        spec.config.ecn = self.marks();
        refine(&mut spec, &tables);
        spec
    }

    /// Gives flows of the dumbbell the settings that the command line does not have.
    pub(super) fn refine_flows(&mut self, flows: Range<usize>) {
        let marks = self.marks();
        for flow in &mut self.network.flows[flows] {
            if let Traffic::Tcp(spec, _) = &mut flow.traffic {
                spec.config.ecn = marks;
                refine(spec, &[&self.case.top.tcp.value]);
            }
        }
    }

    /// True if a queue of the scenario marks packets.
    fn marks(&self) -> bool {
        let top = self.case.top;
        top.dumbbell.iter().any(|d| d.value.aqm.value.marks())
            || top.link.iter().flat_map(|l| &l.value).any(|l| l.aqm.value.marks())
    }
}

/// The settings that the command line does not have; earlier tables win over later ones.
fn refine(spec: &mut TcpSpec, tables: &[&Tcp]) {
    let config = &mut spec.config;
    macro_rules! set {
        ($field:ident => $target:expr) => {
            set!($field => $target, |value| value)
        };
        ($field:ident => $target:expr, $convert:expr) => {
            if let Some(said) = tables.iter().find_map(|tcp| tcp.$field.as_ref()) {
                $target = $convert(said.value);
            }
        };
    }
    set!(max_rto => config.rto.max, |rto: Duration| rto.max(config.rto.min));
    set!(credit => config.credit);
    set!(ecn => config.ecn);
    set!(eln => config.eln);
    set!(fair_share => config.fair_share);
    set!(idle_restart => config.idle_restart);
    if let (AckPolicy::Delayed { timer }, Some(said)) =
        (&mut config.acks, tables.iter().find_map(|tcp| tcp.ack_delay.as_ref()))
    {
        *timer = said.value;
    }
}
