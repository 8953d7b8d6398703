//! Transport settings: those of a group over those of the file over the defaults.

use westwood_cc::{Duration, Segments};
use westwood_sim::TcpSpec;
use westwood_tcp::{AckPolicy, Credit};

use super::super::settings::Tcp;
use super::Builder;
use super::dumbbell::basics;
use crate::dumbbell::Dumbbell;
use crate::spec::ControllerSpec;

impl Builder<'_> {
    /// The transport of a flow with this controller. `path` has what the command line can say too;
    /// `own` are the settings of the flow's group.
    pub(super) fn tcp(&self, path: &Dumbbell, own: Option<&Tcp>, cc: &ControllerSpec) -> TcpSpec {
        let tables: Vec<&Tcp> = own.into_iter().chain([&self.case.top.tcp.value]).collect();
        let path = basics(path.clone(), &tables);
        let mut spec = path.tcp(cc);
        spec.config.ecn = self.marks();
        refine(&mut spec, &tables);
        spec
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
    set!(sack_block => config.sizes.sack_block);
    set!(initial_ssthresh => config.initial_ssthresh, |n: Option<u64>| {
        n.map_or(Segments::MAX, Segments::new)
    });
    let unlimited = config.receive_window;
    set!(receive_window => config.receive_window, |n: Option<u64>| n.unwrap_or(unlimited));
    set!(initial_rto => config.rto.initial, |rto: Duration| rto.max(config.rto.min));
    set!(max_rto => config.rto.max, |rto: Duration| rto.max(config.rto.min));
    set!(rto_tick => config.rto.granularity);
    set!(handshake_rtt => config.handshake_rtt, Some);
    set!(timestamps => config.timestamps);
    set!(credit => config.credit, |credit: Credit| credit);
    set!(ecn => config.ecn);
    set!(limited_transmit => config.limited_transmit);
    set!(impatient => config.impatient);
    set!(last_ack_grows => config.last_ack_grows);
    set!(idle_restart => config.idle_restart);
    set!(cwnd_validation => config.cwnd_validation);
    if let (AckPolicy::Delayed { timer }, Some(said)) =
        (&mut config.acks, tables.iter().find_map(|tcp| tcp.ack_delay.as_ref()))
    {
        *timer = said.value;
    }
}
