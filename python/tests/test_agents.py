"""Environments: the APIs' own checks, and the same runs as in a comparison."""

from __future__ import annotations

from typing import Any

import pytest

import westwood

gymnasium = pytest.importorskip("gymnasium")
np = pytest.importorskip("numpy")
agents = pytest.importorskip("westwood.agents")

PATH: dict[str, Any] = {"rate": "10Mbit/s", "rtt": "50ms", "loss": "none", "time": "10s"}


def steady(seen: Any) -> float:
    """Hold the queue small."""
    return 0.2 if seen[1] < 1.3 else -0.2


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_gymnasiums_own_checks_pass() -> None:
    from gymnasium.utils.env_checker import check_env

    for flows in (1, 3):
        env = gymnasium.make("westwood/Path-v0", flows=flows, measures=True, **PATH)
        check_env(env.unwrapped, skip_render_check=True)


@pytest.mark.filterwarnings("ignore")
def test_pettingzoos_own_checks_pass() -> None:
    test = pytest.importorskip("pettingzoo.test")
    test.parallel_api_test(agents.PathParallelEnv(flows=3, **PATH), num_cycles=300)


def episode(env: Any, seed: int, act: Any = steady) -> tuple[list[list[float]], list[float]]:
    """Return what was seen and rewarded until the end."""
    observation, _ = env.reset(seed=seed)
    seen, rewards, over = [observation.tolist()], [], False
    while not over:
        observation, reward, _, over, _ = env.step([act(observation)])
        seen.append(observation.tolist())
        rewards.append(reward)
    return seen, rewards


def test_a_seed_draws_the_same_episode() -> None:
    def env() -> Any:
        return gymnasium.make("westwood/Path-v0", **{**PATH, "loss": "1%"})

    assert episode(env(), 7) == episode(env(), 7)
    assert episode(env(), 7) != episode(env(), 8)


def test_an_episode_lasts_as_long_as_the_run() -> None:
    env = gymnasium.make("westwood/Path-v0", interval="100ms", **PATH)
    _, rewards = episode(env, 1)
    # The first of a hundred intervals is that of the initial window.
    assert len(rewards) == 99


def test_a_full_link_without_a_queue_is_worth_nearly_one_and_a_full_queue_less() -> None:
    env = gymnasium.make("westwood/Path-v0", **PATH)
    _, good = episode(env, 1)
    _, bad = episode(env, 1, lambda seen: 1.0)
    assert 0.6 < sum(good[50:]) / len(good[50:]) <= 1
    assert sum(bad) < sum(good)


def test_measures_have_physical_units() -> None:
    env = gymnasium.make("westwood/Path-v0", measures=True, **PATH)
    env.reset(seed=1)
    for _ in range(40):
        *_, info = env.step([0.05])
    (flow,) = info["flows"]
    assert flow["time_s"] == pytest.approx(4.1)
    assert 1e6 < flow["goodput_bps"] < 10e6
    assert 0.05 <= flow["rtt_s"] < 1
    assert flow["loss"] >= 0
    assert flow["cwnd_segments"] > 10


def test_a_policy_does_in_a_comparison_what_it_did_in_its_environment() -> None:
    acted: list[tuple[float, ...]] = []

    def noted(seen: Any) -> float:
        acted.append(tuple(seen.tolist()))
        return steady(seen)

    controller = agents.policy("steady", noted)
    settings = {**PATH, "loss": "0.5%"}
    r = westwood.compare(cc=[controller], seeds=1, **settings)
    native = agents._Episodes("100ms", settings).native
    seen = native.reset(0, r.runs["seed"][0])
    shown, over = [], False
    while not over:
        observation = np.frombuffer(seen, np.float32)
        shown.append(tuple(observation.tolist()))
        seen, _, over = native.step_one(steady(observation))
    begun = [observation for observation in shown if any(observation)]
    assert len(acted) > 90
    assert acted == begun[: len(acted)]


def test_a_policy_that_fails_ends_the_run_with_its_traceback() -> None:
    def lost(seen: Any) -> float:
        raise RuntimeError("no idea")

    with pytest.raises(RuntimeError, match="no idea"):
        westwood.compare(cc=["reno", agents.policy("lost", lost)], **PATH)


def test_each_agent_has_its_own_flow() -> None:
    pytest.importorskip("pettingzoo")
    env = agents.PathParallelEnv(flows=2, **PATH)
    env.reset(seed=1)
    for _ in range(30):
        env.step({"flow_0": [0.1], "flow_1": [-0.1]})
    _, rewards, _, _, infos = env.step({"flow_0": [0.0], "flow_1": [0.0]})
    assert infos["flow_0"]["goodput_bps"] > 2 * infos["flow_1"]["goodput_bps"]
    assert rewards["flow_0"] > rewards["flow_1"]


def test_environments_go_side_by_side() -> None:
    envs = gymnasium.make_vec(
        "westwood/Path-v0", num_envs=3, vectorization_mode="sync", **{**PATH, "loss": "1%"}
    )
    seen, _ = envs.reset(seed=1)
    assert seen.shape == (3, 8)
    for _ in range(20):
        seen, rewards, *_ = envs.step(np.zeros((3, 1), np.float32))
    assert rewards.shape == (3,)
    assert len({tuple(one) for one in seen.tolist()}) == 3, "each has a seed of its own"


def test_several_values_of_a_setting_are_drawn_from() -> None:
    env = gymnasium.make("westwood/Path-v0", measures=True, **{**PATH, "rate": ["5Mbit/s", "50Mbit/s"]})
    env.reset(seed=3)
    fast = set()
    for _ in range(8):
        env.reset()
        for _ in range(60):
            *_, info = env.step([0.2])
        fast.add(info["flows"][0]["goodput_bps"] > 6e6)
    assert fast == {True, False}


def test_wrong_settings_are_told_by_their_keyword() -> None:
    with pytest.raises(westwood.BadScenario) as raised:
        agents.PathEnv(interval="0ms")
    assert raised.value.place == "interval"
    with pytest.raises(westwood.BadScenario) as raised:
        agents.PathEnv(rate="ten")
    assert raised.value.place == "rate"
    with pytest.raises(ValueError, match="no flow has the controller 'agent'"):
        agents.PathEnv(cc="reno")
