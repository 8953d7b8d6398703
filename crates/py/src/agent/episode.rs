//! Episodes: runs that pause each interval for the agents that steer some of their flows.

use std::sync::{Mutex, MutexGuard, PoisonError};

use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyByteArray;
use self_cell::self_cell;
use westwood_cc::agent_controlled::AgentControlled;
use westwood_cc::controllers::{AnyController, Choice};
use westwood_cc::own::OwnController as _;
use westwood_cc::{Duration, Instant};
use westwood_net::Capacity;
use westwood_scenario::file::Built;
use westwood_script::units::{bits_per_s, count, seconds};
use westwood_sim::{Control, Network, SimError, Stepped};

use super::view::{OBSERVED, Reward, StepMeasures, View, act, bytes, end_step, step};
use crate::plan::NativePlan;

self_cell!(
    /// A run, and the network that it runs in.
    struct PausedRun {
        owner: Network,
        #[not_covariant]
        dependent: Stepped,
    }
);

/// A run in steps.
struct EpisodeRun {
    run: PausedRun,
    /// The end of the step at hand.
    until: Instant,
    end: Instant,
    agents: Vec<AgentFlow>,
}

/// A flow that an agent steers.
struct AgentFlow {
    flow: usize,
    view: View,
    reward: Reward,
    step: StepMeasures,
}

/// The episodes of an environment.
#[pyclass(frozen, name = "Episode", module = "westwood._native")]
pub(crate) struct NativeEpisode {
    plan: Py<NativePlan>,
    interval: Duration,
    agents: usize,
    motion: Mutex<Option<EpisodeRun>>,
}

/// A step in physical units: goodput in bit/s, round-trip time in s, lost share, cwnd in segments.
type StepParts = (f64, f64, f64, f64);

fn failed(error: &SimError) -> PyErr {
    PyRuntimeError::new_err(error.to_string())
}

#[pymethods]
impl NativeEpisode {
    /// The episodes of a plan's points, whose flows with the controller `agent` are steered.
    #[new]
    fn new(py: Python<'_>, plan: Py<NativePlan>, interval: &str) -> PyResult<Self> {
        let interval = step(py, interval)?;
        let built = built(plan.get(), 0, 1)?;
        let agents = steered(&built.network).len();
        if agents == 0 {
            return Err(PyValueError::new_err("no flow has the controller 'agent'"));
        }
        Ok(Self { plan, interval, agents, motion: Mutex::new(None) })
    }

    /// Flows that are steered.
    #[getter]
    fn agents(&self) -> usize {
        self.agents
    }

    /// Begins a run of a point with a seed and goes on for one interval: the observations.
    fn reset<'py>(
        &self,
        py: Python<'py>,
        point: usize,
        seed: u64,
    ) -> PyResult<Bound<'py, PyByteArray>> {
        let built = built(self.plan.get(), point, seed)?;
        let mut motion = EpisodeRun::new(built, self.interval).map_err(|e| failed(&e))?;
        let observed = motion.go_on(self.interval).map_err(|e| failed(&e))?;
        *self.motion() = Some(motion);
        Ok(bytes(py, observed))
    }

    /// Carries out an action for each agent and goes on for one interval: the observations, the rewards, and
    /// whether the run is over.
    #[expect(clippy::needless_pass_by_value, reason = "PyO3 hands over what it has made")]
    fn step<'py>(
        &self,
        py: Python<'py>,
        actions: Vec<f64>,
    ) -> PyResult<(Bound<'py, PyByteArray>, Vec<f64>, bool)> {
        let mut motion = self.motion();
        let motion = begun(&mut motion)?;
        if actions.len() != motion.agents.len() {
            let (given, agents) = (actions.len(), motion.agents.len());
            return Err(PyValueError::new_err(format!("{given} actions for {agents} agents")));
        }
        let observed = motion.step(&actions, self.interval).map_err(|e| failed(&e))?;
        let rewards = motion.agents.iter().map(|agent| agent.reward.of(&agent.step)).collect();
        Ok((bytes(py, observed), rewards, motion.is_over()))
    }

    /// [`step`](Self::step) of the only agent.
    fn step_one<'py>(
        &self,
        py: Python<'py>,
        action: f64,
    ) -> PyResult<(Bound<'py, PyByteArray>, f64, bool)> {
        let mut motion = self.motion();
        let motion = begun(&mut motion)?;
        let observed = motion.step(&[action], self.interval).map_err(|e| failed(&e))?;
        let reward = motion.agents.first().map_or(0.0, |agent| agent.reward.of(&agent.step));
        Ok((bytes(py, observed), reward, motion.is_over()))
    }

    /// Seconds of the run so far, and each agent's last step in physical units.
    fn info(&self) -> PyResult<(f64, Vec<StepParts>)> {
        let mut motion = self.motion();
        let motion = begun(&mut motion)?;
        let parts = motion.agents.iter().map(|agent| {
            let StepMeasures { goodput_bps, rtt_s, loss, cwnd } = agent.step;
            (goodput_bps, rtt_s, loss, cwnd)
        });
        Ok((seconds(motion.until.since(Instant::ZERO)), parts.collect()))
    }
}

impl NativeEpisode {
    fn motion(&self) -> MutexGuard<'_, Option<EpisodeRun>> {
        self.motion.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The run, if one has begun.
fn begun(motion: &mut Option<EpisodeRun>) -> PyResult<&mut EpisodeRun> {
    motion.as_mut().ok_or_else(|| PyRuntimeError::new_err("reset the environment first"))
}

/// The network of a point.
fn built(plan: &NativePlan, point: usize, seed: u64) -> PyResult<Built> {
    let scenario = plan.scenario();
    let points = scenario.points();
    let found = points.get(point).ok_or_else(|| {
        PyValueError::new_err(format!("point {point} of {} that there are", points.len()))
    })?;
    scenario.build(found, seed).map_err(|e| PyValueError::new_err(e.to_string()))
}

/// The flows that an agent steers.
fn steered(network: &Network) -> Vec<usize> {
    let flows = network.flows.iter().enumerate();
    let is_steered = |choice: &Choice| choice.info().name == AgentControlled::INFO.name;
    let steered =
        flows.filter(|(_, flow)| flow.traffic.tcp().is_some_and(|tcp| is_steered(&tcp.controller)));
    steered.map(|(place, _)| place).collect()
}

impl EpisodeRun {
    fn new(built: Built, interval: Duration) -> Result<Self, SimError> {
        let network = built.network;
        let base_rtts = network.base_rtts()?;
        let tcp = network.flows.iter().filter_map(|flow| flow.traffic.tcp());
        let link = &network.links[built.layout.measured_link].config;
        let rate = match &link.capacity {
            Capacity::Fixed(rate) => *rate,
            Capacity::Recorded(trace) => trace.mean_rate(),
        };
        let sharing = count(tcp.count().max(1) as u64);
        let agent = |flow: usize| {
            let sizes = network.flows[flow].traffic.tcp().map(|tcp| tcp.config.sizes);
            let (payload, header) =
                sizes.map_or((1.0, 0.0), |s| (count(s.payload.get()), count(s.header.get())));
            let fair_bps = bits_per_s(rate) * payload / (payload + header) / sharing;
            let reward = Reward { fair_bps, base_rtt_s: seconds(base_rtts[flow]) };
            AgentFlow { flow, view: View::new(interval), reward, step: StepMeasures::default() }
        };
        let agents = steered(&network).into_iter().map(agent).collect();
        let end = Instant::ZERO + network.duration;
        let run = PausedRun::try_new(network, |network| Stepped::new(network, Control::default()))?;
        Ok(Self { run, until: Instant::ZERO, end, agents })
    }

    fn is_over(&self) -> bool {
        self.until >= self.end
    }

    /// Carries out the actions, and goes on.
    fn step(
        &mut self,
        actions: &[f64],
        interval: Duration,
    ) -> Result<Vec<[f32; OBSERVED]>, SimError> {
        let Self { run, agents, .. } = self;
        run.with_dependent_mut(|_, run| {
            for (agent, &action) in agents.iter().zip(actions) {
                with_agent(run, agent.flow, |steered| act(steered, action));
            }
        });
        self.go_on(interval)
    }

    /// Goes on for one interval: what each agent sees then.
    fn go_on(&mut self, interval: Duration) -> Result<Vec<[f32; OBSERVED]>, SimError> {
        self.until = self.end.min(self.until + interval);
        let Self { run, agents, until, .. } = self;
        run.with_dependent_mut(|_, run| {
            run.advance(*until, Control::default())?;
            let observed = agents.iter_mut().map(|agent| {
                let seen = with_agent(run, agent.flow, |a| end_step(a, &mut agent.view));
                let (observed, step) = seen.unwrap_or_default();
                agent.step = step;
                observed
            });
            Ok(observed.collect())
        })
    }
}

/// Reaches for the agent of a flow, if it has begun to act.
fn with_agent<T>(
    run: &mut Stepped<'_>,
    flow: usize,
    reach: impl FnOnce(&mut AgentControlled) -> T,
) -> Option<T> {
    let AnyController::Own(own) = run.controller(flow)? else { return None };
    let mut agent = AgentControlled::load(own.state());
    if !agent.has_begun() {
        return None;
    }
    let answer = reach(&mut agent);
    *own.state_mut() = agent.save();
    Some(answer)
}
