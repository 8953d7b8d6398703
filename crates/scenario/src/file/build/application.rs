//! The traffic of a group's flows.

use westwood_sim::{MediaSpec, Phases, Traffic, Workload};

use super::super::settings::Tcp;
use super::super::tables::{Group, Media, Udp};
use super::Builder;
use crate::error::BadInput;
use crate::units;

impl Builder<'_> {
    /// The traffic of the group's flows.
    pub(super) fn traffic(&mut self, group: &Group) -> Option<Traffic> {
        let places = [
            group.size.as_ref().map(|given| given.place),
            group.on_off.as_ref().map(|given| given.place),
            group.write_rate.as_ref().map(|given| given.place),
            group.short_flows.as_ref().map(|given| given.place),
            group.udp.as_ref().map(|given| given.place),
            group.media.as_ref().map(|given| given.place),
        ];
        if let Some(second) = places.iter().flatten().nth(1) {
            let what = BadInput::new("a group of flows has one application");
            let hint =
                "leave all but one of size, on_off, write_rate, short_flows, udp and media out";
            self.fault(*second, what.hint(hint));
            return None;
        }
        if let Some(udp) = &group.udp {
            return self.datagrams(group, &udp.value);
        }
        if let Some(media) = &group.media {
            return self.media(group, &media.value);
        }
        let Some(cc) = group.cc.as_ref().map(|given| &given.value).or(self.case.cc) else {
            let what = format!("'{}' has no controller", group.name.value);
            let hint = "write cc = \"reno\" here, or at the top of the file";
            self.fault(group.name.place, BadInput::new(what).hint(hint));
            return None;
        };
        let own: Vec<&Tcp> = group.tcp.iter().map(|given| &given.value).collect();
        let tcp = self.tcp(&own, cc).into();
        Some(if let Some(short) = &group.short_flows {
            let short = &short.value;
            Traffic::ShortFlows {
                tcp,
                gap: short.every.value,
                size: short.size.value,
                limit: u32::try_from(short.at_a_time.value).unwrap_or(u32::MAX),
            }
        } else if let Some(phases) = &group.on_off {
            let (on, off) = (phases.value.on.value, phases.value.off.value);
            Traffic::Tcp(tcp, Workload::OnOff(Phases::Alternating { on, off }))
        } else if let Some(rate) = &group.write_rate {
            Traffic::Tcp(tcp, Workload::Limited(rate.value))
        } else if let Some(size) = &group.size {
            Traffic::Tcp(tcp, Workload::Transfer(size.value))
        } else {
            Traffic::Tcp(tcp, Workload::Greedy)
        })
    }

    fn media(&mut self, group: &Group, media: &Media) -> Option<Traffic> {
        self.without_transport(group, "media has a controller of its own, and no transport")?;
        let (min_rate, max_rate) = (media.min_rate.value, media.max_rate.value);
        if min_rate > max_rate {
            let (least, most) = (units::rate_text(min_rate), units::rate_text(max_rate));
            let what = format!("min_rate is {least} and max_rate {most}");
            let hint = "write a min_rate that is no larger than max_rate";
            self.fault(media.place, BadInput::new(what).hint(hint));
            return None;
        }
        Some(Traffic::Media(MediaSpec {
            min_rate,
            max_rate,
            fps: u32::try_from(media.fps.value).unwrap_or(u32::MAX),
            packet: media.packet.value,
        }))
    }

    /// Datagrams have neither the controller nor the transport of connections.
    fn without_transport(&mut self, group: &Group, what: &str) -> Option<()> {
        let misplaced = group.cc.as_ref().map(|s| s.place).or(group.tcp.as_ref().map(|s| s.place));
        let Some(place) = misplaced else { return Some(()) };
        self.fault(place, BadInput::new(what).hint("leave cc and tcp out of this group"));
        None
    }

    fn datagrams(&mut self, group: &Group, udp: &Udp) -> Option<Traffic> {
        self.without_transport(group, "udp has neither a controller nor a transport")?;
        let phases = match (&udp.on, &udp.off) {
            (None, None) => Phases::Always,
            (Some(on), Some(off)) => Phases::Alternating { on: on.value, off: off.value },
            _ => {
                let what = BadInput::new("one of on and off is missing");
                self.fault(udp.place, what.hint("write on = \"10 s\", off = \"10 s\""));
                return None;
            }
        };
        Some(Traffic::Udp {
            rate: udp.rate.value,
            size: udp.packet.as_ref().map_or(self.usual_packet(), |given| given.value),
            phases,
            poisson: udp.poisson.value,
        })
    }
}
