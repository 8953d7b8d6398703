//! The network that a dumbbell stands for.

use westwood_cc::Duration;
use westwood_net::{Limit, LinkConfig, LossConfig, PolicerConfig, QueueConfig};
use westwood_sim::{FlowSpec, LinkSpec, Network, Probes, Shared, TcpSpec, Traffic, Workload};

use super::{BOTTLENECK, Dumbbell, LEFT, LinkCapacity, RETURN, RIGHT, SettingConflict};
use crate::spec::{AckFilterSpec, BurstSpec, ControllerSpec, EcnPathSpec, ReorderSpec};

impl Dumbbell {
    /// The network for one controller and one seed.
    pub fn network(
        &self,
        cc: &ControllerSpec,
        seed: u64,
        probes: Probes,
    ) -> Result<Network, SettingConflict> {
        let mut network = Network {
            agents: Vec::new(),
            nodes: vec!["left".to_owned().into(), "right".to_owned().into()],
            links: vec![
                self.bottleneck("bottleneck", (LEFT, RIGHT), &self.down, &self.loss)?,
                self.bottleneck("bottleneck return", (RIGHT, LEFT), &self.up, &self.return_loss)?,
            ],
            flows: Vec::new(),
            seed,
            duration: self.time,
            warmup: self.warmup,
            probes,
        };
        let under_test = self.size.map_or(Workload::Greedy, Workload::Transfer);
        self.add_flows(&mut network, "flow", self.flows, cc, under_test);
        if let Some(competing_flows) = &self.against {
            self.add_flows(
                &mut network,
                "rival",
                competing_flows.flows,
                &competing_flows.controller,
                Workload::Greedy,
            );
        }
        let reverse_cc = self.reverse_cc.as_ref().unwrap_or(cc);
        self.add_flows(&mut network, "reverse", self.reverse_flows, reverse_cc, Workload::Greedy);
        Ok(network)
    }

    fn bottleneck(
        &self,
        name: &str,
        (from, to): (usize, usize),
        speed: &LinkCapacity,
        losses: &[LossConfig],
    ) -> Result<LinkSpec, SettingConflict> {
        let config = LinkConfig {
            capacity: speed.capacity(),
            delay: self.bottleneck_delay(),
            policer: self.policer()?,
            queue: self.queue(speed)?,
            peeks: false,
            wake_up: self.wake_up,
            losses: losses.to_vec(),
            ack_filter: self.ack_filter.map(AckFilterSpec::config),
            ecn_path: self.ecn_path.and_then(EcnPathSpec::config),
            reorder: self.reorder.and_then(ReorderSpec::config),
            bursts: self.bursts.map(BurstSpec::config),
            fec: self.fec.map(|it| it.over(self.bottleneck_delay())),
            arq: self.arq.map(|arq| arq.over(self.bottleneck_delay())),
            jitter: None,
            schedule: Vec::new(),
        };
        Ok(LinkSpec { name: name.into(), from, to, config: config.into() })
    }

    pub(super) fn policer(&self) -> Result<Option<PolicerConfig>, SettingConflict> {
        let policer = self.policer.map(|policer| policer.config(self.wire_packet())).transpose();
        policer.map_err(|error| SettingConflict { setting: "policer", error })
    }

    pub(super) fn queue(&self, speed: &LinkCapacity) -> Result<QueueConfig, SettingConflict> {
        let queue = self.aqm.config(self.limit(speed)?, self.wire_packet());
        queue.map_err(|error| SettingConflict { setting: "aqm", error })
    }

    /// Flows of one kind, each with its own hosts and access links.
    fn add_flows(
        &self,
        network: &mut Network,
        kind: &str,
        count: u64,
        cc: &ControllerSpec,
        workload: Workload,
    ) {
        let (near, far, there, back) = if kind == "reverse" {
            (RIGHT, LEFT, RETURN, BOTTLENECK)
        } else {
            (LEFT, RIGHT, BOTTLENECK, RETURN)
        };
        let mut tcp: Option<Shared<TcpSpec>> = None;
        for i in 0..count {
            let name = format!("{kind} {}", i + 1);
            let hosts = network.nodes.len();
            let (sender, receiver) = (hosts, hosts + 1);
            network
                .nodes
                .extend(["sender", "receiver"].map(|end| format!("{end} of {name}").into()));
            let rtt = self.rtt_of(i, count);
            let delays = self.access_delays(rtt);
            let ends = [(sender, near), (far, receiver), (receiver, far), (near, sender)];
            let first = network.links.len();
            for (leg, ((from, to), delay)) in ends.into_iter().zip(delays).enumerate() {
                let config = LinkConfig::new(self.access_rate, delay, Limit::Unlimited);
                let config = Shared::like(config, network.links.last().map(|link| &link.config));
                let name = format!("access {name}.{leg}");
                network.links.push(LinkSpec { name: name.into(), from, to, config });
            }
            let tcp = tcp.insert(Shared::like(self.transport.spec(cc, rtt), tcp.as_ref()));
            network.flows.push(FlowSpec {
                path: Some(vec![first, there, first + 1]),
                return_path: Some(vec![first + 2, back, first + 3]),
                start_jitter: self.start_jitter(),
                handshake: self.transport.handshake(),
                ..FlowSpec::between(name, sender, receiver, Traffic::Tcp(tcp.clone(), workload))
            });
        }
    }

    /// The round-trip time of flow `i` of `count`.
    fn rtt_of(&self, i: u64, count: u64) -> Duration {
        let spread = (self.rtt_max - self.rtt_min).as_nanos();
        match count {
            0 | 1 => self.rtt_max,
            _ => {
                let share = u128::from(spread) * u128::from(i) / u128::from(count - 1);
                self.rtt_min + Duration::from_nanos(u64::try_from(share).unwrap_or(spread))
            }
        }
    }

    /// The delays of a flow's four access links: equal but for single nanoseconds, so that the sum
    /// is exact.
    fn access_delays(&self, rtt: Duration) -> [Duration; 4] {
        let rest = (rtt - self.bottleneck_delay() * 2).as_nanos();
        [0, 1, 2, 3].map(|i| Duration::from_nanos((rest + i) / 4))
    }
}
