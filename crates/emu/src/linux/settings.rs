//! The kernel's settings for the flows of a network.

use std::ops::Range;

use westwood_cc::EcnFeedback;
use westwood_cc::controllers::Choice;
use westwood_cc::modifiers::Modifiers;
use westwood_kernel::KernelName;
use westwood_sim::{FlowSpec, Network, TcpSpec, Traffic, Workload};
use westwood_tcp::{AckPolicy, BufferSizes, ReadMode, ReceiverBehaviour};

use super::datagrams::HEADERS;
use crate::addresses::FlowEnd;
use crate::error::EmuError;
use crate::host::HostConfig;

/// Each has a network namespace and three threads.
const MOST_FLOWS: usize = 64;

/// A flow as the kernel carries it.
#[derive(Clone, Debug)]
pub(super) struct KernelFlow {
    pub(super) name: String,
    pub(super) kind: KernelTraffic,
}

/// The kernel's traffic for a flow. A controller is called by the kernel's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum KernelTraffic {
    /// A connection that always has something to send; a transfer of so much, if that is given.
    Filled { controller: &'static str, bytes: Option<u64> },
    /// A connection that sends what its application says, in segments of this payload.
    Fed { controller: &'static str, segment: usize },
    /// A connection for each of many transfers, at most so many at a time.
    Transfers { controller: &'static str, limit: usize },
    /// Datagrams with this payload.
    Datagrams { payload: usize },
}

impl KernelTraffic {
    /// The kernel's controller, if the flow has one.
    pub(super) fn controller(self) -> Option<&'static str> {
        match self {
            Self::Filled { controller, .. }
            | Self::Fed { controller, .. }
            | Self::Transfers { controller, .. } => Some(controller),
            Self::Datagrams { .. } => None,
        }
    }
}

/// The kernel's name of a controller.
pub fn kernel_name(choice: &Choice) -> Result<&'static str, EmuError> {
    let name = choice.info().name;
    let Some(known) = KernelName::of(choice) else {
        return Err(EmuError::Unsupported {
            what: format!("Linux has no controller like {name}"),
            mend: "choose another for real connections",
        });
    };
    if Choice::named(name).as_ref() != Some(choice) {
        return Err(EmuError::Unsupported {
            what: format!("{name} with parameters cannot be chosen for a connection of the kernel"),
            mend: "leave the parameters out; what westwood kernel loads has those it was loaded with",
        });
    }
    Ok(known.kernel)
}

/// The flows of a network, if the kernel can carry them.
pub(super) fn flows(network: &Network) -> Result<Vec<KernelFlow>, EmuError> {
    if network.flows.len() > MOST_FLOWS {
        return Err(EmuError::Unsupported {
            what: format!("{} flows are more than {MOST_FLOWS}", network.flows.len()),
            mend: "use fewer on Linux",
        });
    }
    network.flows.iter().map(flow).collect()
}

fn flow(spec: &FlowSpec) -> Result<KernelFlow, EmuError> {
    let kind = match &spec.traffic {
        Traffic::Tcp(tcp, workload) => {
            let controller = controller(spec, tcp)?;
            match *workload {
                Workload::Greedy if spec.stop.is_none() => {
                    KernelTraffic::Filled { controller, bytes: None }
                }
                Workload::Transfer(bytes) if spec.stop.is_none() => {
                    KernelTraffic::Filled { controller, bytes: Some(bytes.get()) }
                }
                Workload::RelayedFrom { .. } => {
                    return Err(EmuError::Unsupported {
                        what: format!("flow '{}' begins at a proxy", spec.name),
                        mend: "there is no proxy between the kernel's connections; simulate it, or leave the \
                               proxy out",
                    });
                }
                Workload::Transfer(_) => {
                    return Err(EmuError::Unsupported {
                        what: format!("flow '{}' is a transfer that is stopped", spec.name),
                        mend: "leave stop out",
                    });
                }
                Workload::Greedy | Workload::OnOff(_) | Workload::Limited(_) => {
                    let payload = tcp.config.sizes.payload.get();
                    KernelTraffic::Fed { controller, segment: usize::from(size(spec, payload)?) }
                }
            }
        }
        Traffic::ShortFlows { tcp, limit, .. } => KernelTraffic::Transfers {
            controller: controller(spec, tcp)?,
            limit: usize::try_from(*limit).unwrap_or(usize::MAX),
        },
        Traffic::Udp { size: wire, .. } => {
            let Some(payload) = wire.get().checked_sub(HEADERS) else {
                return Err(EmuError::Unsupported {
                    what: format!("flow '{}' has datagrams of {} bytes", spec.name, wire.get()),
                    mend: "IPv4 and UDP take 28; use larger ones",
                });
            };
            KernelTraffic::Datagrams { payload: usize::from(size(spec, payload)?) }
        }
        Traffic::Media(_) => {
            return Err(EmuError::Unsupported {
                what: format!("flow '{}' is a media flow", spec.name),
                mend: "there is no media source beside the kernel's TCP; simulate it, or use udp",
            });
        }
    };
    Ok(KernelFlow { name: spec.name.to_string(), kind })
}

/// The kernel's controller of a TCP flow that gets no help from the network.
fn controller(spec: &FlowSpec, tcp: &TcpSpec) -> Result<&'static str, EmuError> {
    if tcp.config.eln || tcp.config.fair_share {
        return Err(EmuError::Unsupported {
            what: format!("flow '{}' has help from the network", spec.name),
            mend: "the kernel's TCP has none; leave it out",
        });
    }
    if tcp.config.ecn && tcp.config.ecn_feedback != EcnFeedback::UntilAnswered {
        return Err(EmuError::Unsupported {
            what: format!("flow '{}' asks for an ecn_feedback", spec.name),
            mend: "the kernel chooses it for all connections; leave it out",
        });
    }
    if tcp.config.receiver_clock.is_some() {
        return Err(EmuError::Unsupported {
            what: format!("flow '{}' has a receiver_clock", spec.name),
            mend: "the kernel's clocks are its own; leave it out",
        });
    }
    if tcp.config.buffers.reading != ReadMode::AtOnce {
        return Err(EmuError::Unsupported {
            what: format!("flow '{}' has a reading that pauses", spec.name),
            mend: "receivers read at once here; leave it out",
        });
    }
    if tcp.config.receiver != ReceiverBehaviour::default() {
        return Err(EmuError::Unsupported {
            what: format!("flow '{}' has a receiver that misbehaves", spec.name),
            mend: "the kernel's receivers are honest; leave it out",
        });
    }
    if tcp.config.modifiers != Modifiers::default() {
        return Err(EmuError::Unsupported {
            what: format!("flow '{}' asks for a slow_start or a beta_ecn", spec.name),
            mend: "the kernel's TCP has neither; leave them out",
        });
    }
    kernel_name(&tcp.controller)
}

fn size(spec: &FlowSpec, bytes: u64) -> Result<u16, EmuError> {
    u16::try_from(bytes).map_err(|_| EmuError::Unsupported {
        what: format!("flow '{}' has packets of more than 65535 bytes", spec.name),
        mend: "use smaller ones",
    })
}

/// The settings of a flow's connections.
fn tcp_of(spec: &FlowSpec) -> Option<&TcpSpec> {
    spec.traffic.tcp()
}

/// The host at one end of these flows; connections among them have the settings of the first.
pub(super) fn host(
    network: &Network,
    end: FlowEnd,
    flows: Range<usize>,
) -> Result<HostConfig, EmuError> {
    let specs = &network.flows[flows.clone()];
    let mut mtu = 0;
    for spec in specs {
        mtu = mtu.max(size(spec, spec.traffic.largest_packet().get())?);
    }
    let first = specs.iter().find_map(|spec| Some((spec, tcp_of(spec)?)));
    let mut config = HostConfig {
        end,
        flows,
        mtu,
        single_segments: true,
        route: String::new(),
        settings: Vec::new(),
    };
    if let Some((spec, tcp)) = first {
        config.route = route(end, tcp, flow(spec)?.kind);
        config.settings = settings(tcp, flow(spec)?.kind);
    }
    Ok(config)
}

/// The attributes of a host's route out.
fn route(end: FlowEnd, tcp: &TcpSpec, kind: KernelTraffic) -> String {
    let config = &tcp.config;
    match end {
        FlowEnd::Client => format!(
            "congctl {} initcwnd {} rto_min {}ms",
            kind.controller().unwrap_or("reno"),
            config.initial_window.whole(),
            (config.rto.min.as_nanos() / 1_000_000).max(1)
        ),
        FlowEnd::Server if config.acks == AckPolicy::Each => "quickack 1".to_owned(),
        FlowEnd::Server => String::new(),
    }
}

fn settings(tcp: &TcpSpec, kind: KernelTraffic) -> Vec<(String, String)> {
    /// Buffers that never limit the window hold as much as a path of 1 Gbit/s and 250 ms.
    const LARGE: BufferSizes = BufferSizes::of(4_096, 32 << 20, 32 << 20);
    /// Segments that wait in a socket whose application may fall silent at any time.
    const WAITING: usize = 8;
    let config = &tcp.config;
    let flag = |on: bool| if on { "1" } else { "0" };
    let sizes = |stated: Option<BufferSizes>| {
        let BufferSizes { min, initial, max } = stated.unwrap_or(LARGE);
        format!("{min} {initial} {max}")
    };
    let mut settings = vec![
        // A connection learns nothing from the one before.
        ("tcp_no_metrics_save", "1".to_owned()),
        ("tcp_wmem", sizes(config.buffers.send)),
        ("tcp_rmem", sizes(config.buffers.receive)),
        ("tcp_timestamps", flag(config.timestamps).to_owned()),
        ("tcp_ecn", flag(config.ecn).to_owned()),
        ("tcp_slow_start_after_idle", flag(config.idle_restart).to_owned()),
    ];
    let lowat = match kind {
        // Without a send buffer a simulated application sends at once what it writes, and nothing while it is
        // silent: the kernel's, which has one, holds little.
        KernelTraffic::Fed { segment, .. } if config.buffers.send.is_none() => {
            Some((segment * WAITING).to_string())
        }
        _ => config.buffers.notsent_lowat.map(|lowat| lowat.to_string()),
    };
    settings.extend(lowat.map(|lowat| ("tcp_notsent_lowat", lowat)));
    settings.into_iter().map(|(name, value)| (format!("ipv4/{name}"), value)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use westwood_cc::Ratio;
    use westwood_cc::params::Value;
    use westwood_tcp::{Buffers, Config};

    #[test]
    fn controllers_have_the_names_under_which_the_kernel_knows_them() {
        let name = |ours: &str| kernel_name(&Choice::named(ours).unwrap()).unwrap();
        assert_eq!(name("cubic-linux"), "cubic");
        assert_eq!(name("westwood-linux"), "westwood");
        assert_eq!(name("westwood+probing"), "westwood_probe");
        assert_eq!(name("log-westwood+"), "log_westwood");
    }

    #[test]
    fn an_application_writes_into_its_buffer_and_keeps_little_waiting_without_one() {
        let lowat = |buffers: Buffers, kind| {
            let controller = Choice::named("cubic-linux").unwrap();
            let tcp = TcpSpec { controller, config: Config { buffers, ..Config::default() } };
            let told = settings(&tcp, kind);
            told.into_iter()
                .find(|(name, _)| name == "ipv4/tcp_notsent_lowat")
                .map(|(_, value)| value)
        };
        let fed = KernelTraffic::Fed { controller: "cubic", segment: 1_000 };
        let filled = KernelTraffic::Filled { controller: "cubic", bytes: None };
        let send = Some(BufferSizes::LINUX_SEND);
        let asked = Buffers { send, notsent_lowat: Some(4_000), ..Buffers::default() };
        assert_eq!(lowat(Buffers::default(), fed).as_deref(), Some("8000"));
        assert_eq!(lowat(Buffers { send, ..Buffers::default() }, fed), None);
        assert_eq!(lowat(asked, fed).as_deref(), Some("4000"));
        assert_eq!(lowat(asked, filled).as_deref(), Some("4000"));
        assert_eq!(lowat(Buffers::default(), filled), None);
    }

    #[test]
    fn what_the_kernel_has_not_or_not_like_that_is_refused() {
        let compound = kernel_name(&Choice::named("compound").unwrap());
        assert!(matches!(compound, Err(EmuError::Unsupported { .. })));
        let mut reno = Choice::named("reno").unwrap();
        reno.set("keep", Value::Ratio(Ratio::new(7, 10))).unwrap();
        assert!(matches!(kernel_name(&reno), Err(EmuError::Unsupported { .. })));
    }
}
