"""Environments for learning agents, which order the windows of connections step by step.

Importing this module registers ``westwood/Path-v0`` with Gymnasium.

>>> import gymnasium, westwood.agents
>>> env = gymnasium.make("westwood/Path-v0", rate="10Mbit/s", rtt="50ms", interval="100ms", time="5s")
>>> observation, info = env.reset(seed=1)
>>> observation.shape, env.action_space.shape
((8,), (1,))
>>> observation, reward, terminated, truncated, info = env.step([0.5])
>>> 0 < reward <= 1
True

"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar

import gymnasium
import numpy as np

from westwood import _native
from westwood._values import Value, text
from westwood.controllers import _BOUND, RegisteredController, _checked

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from westwood._settings import Settings

try:
    from pettingzoo import ParallelEnv
except ImportError:
    ParallelEnv = object

__all__ = ["OBSERVATION", "PathEnv", "PathParallelEnv", "policy"]

OBSERVATION = (
    "goodput",
    "rtt",
    "min_rtt",
    "srtt",
    "loss",
    "marked",
    "cwnd",
    "in_flight",
)
"""The numbers of an observation. They are of the step that has ended, without a unit and from 0 to 100.

============= ==========================================================================================
``goodput``    Segments delivered, of the most that any step of the episode delivered.
``rtt``        The mean of the round-trip time samples (without one, the smoothed round-trip time), over the
               smallest sample of the episode.
``min_rtt``    The smallest sample over the smallest of the episode; 0 without a sample.
``srtt``       The smoothed round-trip time over the smallest sample of the episode.
``loss``       Segments judged lost, of those delivered or lost.
``marked``     Segments whose congestion marks were told of, of those delivered.
``cwnd``       The window over the product of the most delivered and the smallest sample.
``in_flight``  Segments in flight over the window.
============= ==========================================================================================

A sender can know all of it: the path's capacity is in no observation. All are 0 before the connection's first
ACK, and until then an action does nothing.
"""

_HIGHEST = 100.0


def _space(*shape: int) -> Any:
    return gymnasium.spaces.Box(0.0, _HIGHEST, shape, np.float32)


def _actions(count: int) -> Any:
    return gymnasium.spaces.Box(-1.0, 1.0, (count,), np.float32)


def _plan(settings: dict[str, Value]) -> Any:
    return _native.Plan.of_settings([(name, text(value, name)) for name, value in settings.items()])


class _Episodes:
    """The episodes of a comparison's settings, whose controller is the agent."""

    def __init__(self, interval: Value, settings: Any) -> None:
        words = {"cc": "agent", "seeds": 1, **settings}
        given = {name: value for name, value in words.items() if value is not None}
        several = [value if isinstance(value, list | tuple) else [value] for value in given.values()]
        self._all = [
            _native.Episode(_plan(dict(zip(given, values, strict=True))), text(interval, "interval"))
            for values in itertools.product(*several)
        ]
        self.native = self._all[0]

    def reset(self, random: Any) -> bytearray:
        """Begin an episode: settings of those that were given, and a seed of the run."""
        if len(self._all) > 1:
            self.native = self._all[int(random.integers(len(self._all)))]
        return self.native.reset(0, int(random.integers(1, 2**31)))

    def measures(self) -> list[dict[str, float]]:
        """Return the last step of each agent in physical units."""
        time_s, agents = self.native.info()
        return [
            {
                "time_s": time_s,
                "goodput_bps": goodput,
                "rtt_s": rtt,
                "loss": loss,
                "cwnd_segments": cwnd,
            }
            for goodput, rtt, loss, cwnd in agents
        ]


class PathEnv(gymnasium.Env):
    """One path, and one or several flows whose windows an agent orders: ``westwood/Path-v0``.

    **Action**: for each flow a number from -1 to 1; the window is multiplied by 2 to its power, from 2 to
    2^20 segments. It is in force from the next ACK on.

    **Observation**: :data:`OBSERVATION`, of shape ``(8,)`` for one flow and ``(flows, 8)`` for several. The
    first one is that of the first interval, which has the initial window.

    **Reward** of a flow, from -1 to 1 and without a unit: ``min(goodput / fair share, 1) * base RTT / mean
    RTT - loss``. The fair share is the measured link's payload rate over the TCP flows of the network, and
    the base RTT that of an empty path: a full link without a queue is worth 1. Several flows have the mean of
    their rewards.

    An episode is one run of ``time`` and is truncated at its end.

    Args:
        interval: The length of a step.
        measures: Whether ``info`` has the step in physical units, a dictionary for each flow in
            ``"flows"``: ``time_s``, ``goodput_bps`` (payload), ``rtt_s`` (mean), ``loss`` (share),
            ``cwnd_segments``.
        render_mode: Nothing is drawn.
        **settings: As for :func:`westwood.compare`; ``flows`` is the number of flows. Of several values of a
            setting each episode draws one.

    Raises:
        BadScenario: A setting is wrong; its ``place`` is the keyword.

    """

    metadata: ClassVar[dict[str, Any]] = {"render_modes": []}

    def __init__(
        self,
        *,
        interval: Value = "100ms",
        measures: bool = False,
        render_mode: str | None = None,
        **settings: Unpack[Settings],
    ) -> None:
        self.render_mode = render_mode
        self._episodes = _Episodes(interval, settings)
        self._native = self._episodes.native
        self._flows = self._native.agents
        self._measures = measures
        single = self._flows == 1
        self._shape = (len(OBSERVATION),) if single else (self._flows, len(OBSERVATION))
        self.observation_space = _space(*self._shape)
        self.action_space = _actions(self._flows)

    def _info(self) -> dict[str, Any]:
        return {"flows": self._episodes.measures()} if self._measures else {}

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Begin an episode; the same seed draws the same episodes."""
        super().reset(seed=seed)
        observed = self._episodes.reset(self.np_random)
        self._native = self._episodes.native
        return np.frombuffer(observed, np.float32).reshape(self._shape), self._info()

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Go on for one interval."""
        observation: Any
        if self._flows == 1:
            seen, reward, over = self._native.step_one(float(action[0]))
            observation = np.frombuffer(seen, np.float32)
        else:
            seen, rewards, over = self._native.step([float(a) for a in action])
            reward = sum(rewards) / len(rewards)
            observation = np.frombuffer(seen, np.float32).reshape(self._shape)
        return observation, reward, False, over, self._info()


class PathParallelEnv(ParallelEnv):
    """One path, and several flows with an agent each: PettingZoo's parallel API.

    The agents are ``flow_0``, ``flow_1`` and so on. Actions, observations and rewards are those of one flow
    of :class:`PathEnv`; ``infos`` are its measures. All agents end with the run.

    Args:
        interval: The length of a step.
        render_mode: Nothing is drawn.
        **settings: As for :func:`westwood.compare`; ``flows`` is the number of agents, two if absent. Of
            several values of a setting each episode draws one.

    Raises:
        ImportError: PettingZoo is not installed.

    """

    metadata: ClassVar[dict[str, Any]] = {"name": "westwood_path_v0", "render_modes": []}

    def __init__(
        self,
        *,
        interval: Value = "100ms",
        render_mode: str | None = None,
        **settings: Unpack[Settings],
    ) -> None:
        if ParallelEnv is object:
            raise ImportError("PathParallelEnv needs the package pettingzoo")
        self.render_mode = render_mode
        self._episodes = _Episodes(interval, {"flows": 2, **settings})
        self.possible_agents = [f"flow_{i}" for i in range(self._episodes.native.agents)]
        self.agents: list[str] = []
        self._random = np.random.default_rng()
        self.observation_spaces = {agent: _space(len(OBSERVATION)) for agent in self.possible_agents}
        self.action_spaces = {agent: _actions(1) for agent in self.possible_agents}

    def observation_space(self, agent: str) -> Any:
        """Return the space of an agent's observations."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        """Return the space of an agent's actions."""
        return self.action_spaces[agent]

    def _each(self, values: Any) -> dict[str, Any]:
        return dict(zip(self.possible_agents, values, strict=True))

    def _observations(self, seen: bytearray) -> dict[str, Any]:
        shape = (len(self.possible_agents), len(OBSERVATION))
        return self._each(np.frombuffer(seen, np.float32).reshape(shape))

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Begin an episode; the same seed draws the same episodes."""
        if seed is not None:
            self._random = np.random.default_rng(seed)
        self.agents = list(self.possible_agents)
        seen = self._episodes.reset(self._random)
        return self._observations(seen), self._each(self._episodes.measures())

    def step(self, actions: dict[str, Any]) -> tuple[dict[str, Any], ...]:
        """Go on for one interval, with an action of each agent."""
        given = [float(actions[agent][0]) for agent in self.possible_agents]
        seen, rewards, over = self._episodes.native.step(given)
        never = dict.fromkeys(self.possible_agents, False)
        over_all = dict.fromkeys(self.possible_agents, over)
        if over:
            self.agents = []
        infos = self._each(self._episodes.measures())
        return self._observations(seen), self._each(rewards), never, over_all, infos


def policy(
    name: str,
    act: Callable[[Any], Any],
    *,
    interval: Value = "100ms",
    summary: str = "a learned policy",
) -> RegisteredController:
    """Make a controller of a policy, usable wherever a controller's name is.

    Args:
        name: The name in results.
        act: Is given an observation of shape ``(8,)`` and returns the action of :class:`PathEnv`, a number or
            an array of one. It should remember nothing: flows share it.
        interval: The length of a step, that of the environment. The policy acts at the same times there and
            here, and with the same settings and seed the run is the same, to the bit.
        summary: A line about it.

    >>> import westwood
    >>> steady = policy("steady", lambda seen: 0.1 if seen[1] < 1.2 else -0.1)
    >>> r = westwood.compare(cc=["cubic", steady], rate="10Mbit/s", rtt="50ms", time="5s", seeds=1)
    >>> r.runs["cc"]
    ['cubic', 'steady']

    """

    def asked(seen: bytearray) -> float:
        action = act(np.frombuffer(seen, np.float32))
        return float(np.asarray(action, np.float64).reshape(-1)[0])

    step = text(interval, "interval")
    _native.register_policy(asked, _checked(name), summary, step)
    _BOUND[name] = (act, step)
    return RegisteredController(name)


if "westwood/Path-v0" not in gymnasium.registry:
    gymnasium.register("westwood/Path-v0", entry_point="westwood.agents:PathEnv")
