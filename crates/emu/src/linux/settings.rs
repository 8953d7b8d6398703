//! How flows of a network are said to the kernel.

use std::ops::Range;

use westwood_cc::controllers::Choice;
use westwood_cc::in_linux::InLinux;
use westwood_sim::{FlowSpec, Network, TcpSpec, Traffic, Workload};
use westwood_tcp::AckPolicy;

use crate::addresses::End;
use crate::error::EmuError;
use crate::host::HostConfig;

/// Each has a network namespace and three threads.
const MOST_FLOWS: usize = 64;

/// A flow as the kernel carries it.
#[derive(Clone, Debug)]
pub(super) struct KernelFlow {
    pub(super) name: String,
    /// The kernel's controller.
    pub(super) controller: &'static str,
    /// How much it carries; no end if absent.
    pub(super) bytes: Option<u64>,
}

/// The kernel's name of a controller.
pub fn kernel_name(choice: &Choice) -> Result<&'static str, EmuError> {
    let name = choice.info().name;
    let Some(known) = InLinux::of(choice) else {
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
    let (tcp, workload) = tcp_of(spec)?;
    let bytes = match workload {
        Workload::Greedy => None,
        Workload::Transfer(bytes) => Some(bytes.get()),
        Workload::OnOff(_) | Workload::Limited(_) => return Err(unsupported(spec)),
    };
    if tcp.config.eln || tcp.config.fair_share {
        return Err(unsupported(spec));
    }
    Ok(KernelFlow { name: spec.name.clone(), controller: kernel_name(&tcp.controller)?, bytes })
}

fn tcp_of(spec: &FlowSpec) -> Result<(&TcpSpec, Workload), EmuError> {
    match &spec.traffic {
        Traffic::Tcp(tcp, workload) => Ok((tcp, *workload)),
        Traffic::ShortFlows { .. } | Traffic::Udp { .. } => Err(unsupported(spec)),
    }
}

fn unsupported(spec: &FlowSpec) -> EmuError {
    EmuError::Unsupported {
        what: format!("flow '{}' is of a kind that cannot run on Linux yet", spec.name),
        mend: "TCP flows that are greedy or make one transfer can, without help from the network",
    }
}

/// The host at one end of these flows, which have the same settings.
pub(super) fn host(
    network: &Network,
    end: End,
    flows: Range<usize>,
) -> Result<HostConfig, EmuError> {
    /// So that they never limit the window: what a path of 1 Gbit/s and 250 ms holds.
    const BUFFER: &str = "33554432";
    let first = &network.flows[flows.start];
    let (tcp, _) = tcp_of(first)?;
    let (config, kernel) = (&tcp.config, flow(first)?);
    let sizes = config.sizes;
    let too_large = |_| EmuError::Unsupported {
        what: format!("flow '{}' has packets of more than 65535 bytes", first.name),
        mend: "use smaller ones",
    };
    let route = match end {
        End::Client => format!(
            "congctl {} initcwnd {} rto_min {}ms",
            kernel.controller,
            config.initial_window.whole(),
            (config.rto.min.as_nanos() / 1_000_000).max(1)
        ),
        End::Server if config.acks == AckPolicy::Each => "quickack 1".to_owned(),
        End::Server => String::new(),
    };
    let flag = |on: bool| if on { "1" } else { "0" };
    let settings = [
        // What one connection has learnt is not told to the next.
        ("tcp_no_metrics_save", "1".to_owned()),
        ("tcp_wmem", format!("4096 {BUFFER} {BUFFER}")),
        ("tcp_rmem", format!("4096 {BUFFER} {BUFFER}")),
        ("tcp_timestamps", flag(config.timestamps).to_owned()),
        ("tcp_ecn", flag(config.ecn).to_owned()),
        ("tcp_slow_start_after_idle", flag(config.idle_restart).to_owned()),
    ];
    Ok(HostConfig {
        end,
        flows,
        mtu: u16::try_from((sizes.payload + sizes.header).get()).map_err(too_large)?,
        single_segments: true,
        route,
        settings: settings.map(|(name, value)| (format!("ipv4/{name}"), value)).into(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use westwood_cc::Ratio;
    use westwood_cc::params::Value;

    #[test]
    fn controllers_have_the_names_under_which_the_kernel_knows_them() {
        let name = |ours: &str| kernel_name(&Choice::named(ours).unwrap()).unwrap();
        assert_eq!(name("cubic-linux"), "cubic");
        assert_eq!(name("westwood-linux"), "westwood");
        assert_eq!(name("westwood+probing"), "westwood_probe");
        assert_eq!(name("log-westwood+"), "log_westwood");
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
