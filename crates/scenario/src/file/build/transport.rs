//! Transport settings: those of a group over those of the file over the defaults.

use westwood_cc::{Duration, Segments};
use westwood_sim::TcpSpec;
use westwood_tcp::{AckPolicy, Config, Credit, LINUX_GROWTH, Recovery};

use super::super::settings::Tcp;
use super::Builder;
use crate::dumbbell::Transport;
use crate::error::BadInput;
use crate::spec::{ControllerSpec, ReceiverSpec};

impl Builder<'_> {
    /// The transport of a group's flows with this controller; `own` are the settings of the group, the first
    /// of them for what several say. The round-trip time of a handshake is each flow's, and filled in later.
    pub(super) fn tcp(&mut self, own: &[&Tcp], cc: &ControllerSpec) -> TcpSpec {
        self.check_feedback(own, cc);
        self.transport(own).spec(cc, Duration::ZERO)
    }

    /// Refuses feedback from which a controller cannot learn what it needs.
    pub(super) fn check_feedback(&mut self, own: &[&Tcp], cc: &ControllerSpec) {
        let top = &self.case.top.tcp.value;
        let mut tables = own.iter().copied().chain([top]);
        let Some(given) = tables.find_map(|tcp| tcp.ecn_feedback.as_ref()) else {
            return;
        };
        if !cc.choice.works_with(given.value) {
            let (name, feedback) = (cc.choice.info().name, given.value.name());
            let what = format!("{name} sends ECT(1), and '{feedback}' does not count the marks");
            let hint = "write \"accurate\" or \"ace\", or leave it out (RFC 9331 section 4.2)";
            self.fault(given.place, BadInput::new(what).hint(hint));
        }
    }

    /// The transport of flows with these settings over those of the file.
    pub(super) fn transport(&mut self, own: &[&Tcp]) -> Transport {
        let top = self.case.top;
        let tables: Vec<&Tcp> = own.iter().copied().chain([&top.tcp.value]).collect();
        let transport = transport(&tables);
        for given in tables.iter().filter_map(|tcp| tcp.receive_growth.as_ref()) {
            // A preset sets it beside the recovery; a user who changes the recovery has not asked
            // for it.
            let by_preset = top.like.as_ref().is_some_and(|like| like.place == given.place);
            if !transport.is_linux() && !by_preset {
                let what = BadInput::new("only receivers of the recovery linux have such a window");
                self.fault(
                    given.place,
                    what.hint("set the recovery to linux too, or leave it out"),
                );
            }
        }
        self.check_clock(&tables);
        self.check_timeouts(&tables);
        if tables.iter().any(|tcp| tcp.ecn.is_some()) {
            transport
        } else {
            transport.with_ecn(self.negotiates_ecn())
        }
    }

    /// A clock is told by timestamps.
    fn check_clock(&mut self, tables: &[&Tcp]) {
        let stamped = tables.iter().find_map(|tcp| tcp.timestamps.as_ref()).is_none_or(|t| t.value);
        let clock = tables.iter().find_map(|tcp| tcp.receiver_clock.as_ref());
        if let Some(clock) = clock.filter(|clock| clock.value.is_some() && !stamped) {
            let what = BadInput::new("timestamps are off, and a clock is told by them");
            self.fault(clock.place, what.hint("set timestamps to true too, or leave it out"));
        }
    }

    /// The largest timeout is not below the smallest.
    fn check_timeouts(&mut self, tables: &[&Tcp]) {
        let least = tables.iter().find_map(|tcp| tcp.min_rto.as_ref());
        let least = least.map_or(Config::default().rto.min, |given| given.value);
        let most = tables.iter().find_map(|tcp| tcp.max_rto.as_ref());
        if let Some(most) = most.filter(|most| most.value < least) {
            let what = format!("{} is below the smallest timeout of {least}", most.value);
            self.fault(most.place, BadInput::new(what).hint("raise max_rto or lower min_rto"));
        }
    }

    /// True if a queue of the scenario is told to mark packets.
    fn negotiates_ecn(&self) -> bool {
        let top = self.case.top;
        top.dumbbell.iter().any(|d| d.value.aqm.value.negotiates_ecn())
            || top.link.iter().flat_map(|l| &l.value).any(|l| l.aqm.value.negotiates_ecn())
    }
}

/// The transport of the settings of these tables; earlier tables win over later ones.
pub(super) fn transport(tables: &[&Tcp]) -> Transport {
    macro_rules! given {
        ($field:ident) => {
            tables.iter().find_map(|tcp| tcp.$field.as_ref()).map(|given| given.value)
        };
    }
    let recovery = given!(recovery).unwrap_or(Config::default().recovery);
    let linux = recovery == Recovery::Linux;
    let mut config = Config {
        recovery,
        credit: if linux { Credit::PerSegment } else { Credit::PerAck },
        acks: match (given!(delayed_ack).unwrap_or(true), linux) {
            (false, _) => AckPolicy::Each,
            (true, true) => {
                AckPolicy::Linux { growth: given!(receive_growth).unwrap_or(LINUX_GROWTH) }
            }
            (true, false) => {
                given!(ack_delay).map_or(AckPolicy::default(), |timer| AckPolicy::Delayed { timer })
            }
        },
        ..Config::default()
    };
    macro_rules! set {
        ($($field:ident => $target:expr $(, $convert:expr)?;)+) => {$(
            if let Some(value) = given!($field) {
                $target = set!(@convert value $($convert)?);
            }
        )+};
        (@convert $value:ident) => { $value };
        (@convert $value:ident $convert:expr) => { $convert($value) };
    }
    set! {
        packet => config.sizes.payload;
        header => config.sizes.header;
        ack => config.sizes.ack;
        sack_block => config.sizes.sack_block;
        initial_window => config.initial_window, Segments::new;
        initial_ssthresh => config.initial_ssthresh,
            |n: Option<u64>| n.map_or(Segments::MAX, Segments::new);
        receive_window => config.receive_window,
            |n: Option<u64>| n.unwrap_or(Config::default().receive_window);
        tcp_rmem => config.buffers.receive;
        tcp_wmem => config.buffers.send;
        tcp_notsent_lowat => config.buffers.notsent_lowat;
        write_size => config.buffers.write_size;
        reading => config.buffers.reading;
        receiver => config.receiver, ReceiverSpec::behaviour;
        min_rto => config.rto.min;
        initial_rto => config.rto.initial;
        max_rto => config.rto.max;
        rto_tick => config.rto.granularity;
        timestamps => config.timestamps;
        receiver_clock => config.receiver_clock;
        credit => config.credit;
        ecn => config.ecn;
        eln => config.eln;
        fair_share => config.fair_share;
        limited_transmit => config.limited_transmit;
        careful => config.careful;
        reduce_each_timeout => config.reduce_each_timeout;
        ns2_habits => config.ns2_habits;
        impatient => config.impatient;
        last_ack_grows => config.last_ack_grows;
        idle_restart => config.idle_restart;
        idle_timeout => config.idle_timeout;
        cwnd_validation => config.cwnd_validation;
    }
    // The timer's first value and its largest are at least its smallest.
    config.rto.initial = config.rto.initial.max(config.rto.min);
    config.rto.max = config.rto.max.max(config.rto.min);
    Transport::new(&config, given!(handshake).unwrap_or(false)).with_feedback(given!(ecn_feedback))
}
