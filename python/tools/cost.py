"""Print the cost of controllers and agents in Python, in processor time: `python tools/cost.py`."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import gymnasium

import westwood
import westwood.agents  # registers the environment
from westwood.controllers import C_SIGNATURES

PATH: dict[str, Any] = {"rate": "10Mbit/s", "rtt": "100ms", "loss": "none", "seeds": 1, "time": "300s"}


def took(work: Callable[[], object]) -> float:
    """Return the least processor time of three times."""
    times = []
    for _ in range(3):
        begin = time.process_time()
        work()
        times.append(time.process_time() - begin)
    return min(times)


class Counting(westwood.Controller):
    """Reno, and how often it is asked."""

    asked = 0

    def grow(self, cwnd: float, ssthresh: float, credit: float) -> float:
        """Grow as Reno."""
        return cwnd + (credit if cwnd < ssthresh else credit / cwnd)


class Counted(Counting):
    """The same, counted."""

    def grow(self, cwnd: float, ssthresh: float, credit: float) -> float:
        """Grow as Reno."""
        Counted.asked += 1
        return cwnd + (credit if cwnd < ssthresh else credit / cwnd)


def controllers() -> None:
    """Print the cost of a verb."""
    native = took(lambda: westwood.compare(cc=["reno"], jobs=1, **PATH))
    westwood.compare(cc=[Counted], **PATH)
    calls = Counted.asked
    scripted = took(lambda: westwood.compare(cc=[Counting], **PATH))
    one = Counting()
    alone = took(lambda: [one.grow(20.0, 10.0, 1.0) for _ in range(calls)])
    each = (scripted - native) / calls * 1e6
    own = alone / calls * 1e6
    print(f"reno {native:.3f} s; in Python {scripted:.3f} s for {calls} calls of grow")
    print(f"{each:.2f} us a call, {own:.2f} us of it Python's own: {each - own:.2f} us beyond")
    try:
        from numba import cfunc
    except ImportError:
        print("numba is not installed")
        return

    @cfunc(C_SIGNATURES["grow"])  # type: ignore[untyped-decorator]
    def grow(state: Any, cwnd: float, ssthresh: float, credit: float, now: float) -> float:
        return cwnd + (credit if cwnd < ssthresh else credit / cwnd)

    fast = westwood.compiled("numba-grow", grow=grow)
    compiled = took(lambda: westwood.compare(cc=[fast], jobs=1, **PATH))
    print(f"compiled by numba {compiled:.3f} s: {compiled / native:.2f} times native")


def agents() -> None:
    """Print the steps of 100 ms a second."""
    # The window is doubled until it nearly fills the path: 40, 80 or 160 of 42, 83 or 167 segments.
    for rate, doublings in (("5Mbit/s", 2), ("10Mbit/s", 3), ("20Mbit/s", 4)):
        for like in ("linux", "rfc"):
            path = {**PATH, "rate": rate, "time": "2000s", "like": like}
            env = gymnasium.make("westwood/Path-v0", disable_env_checker=True, **path)
            env.reset(seed=1)
            for _ in range(doublings):
                env.step([1.0])
            actions = [[0.05], [-0.05]]

            def steps(env: Any = env, actions: Any = actions) -> None:
                for i in range(5_000):
                    env.step(actions[i % 2])

            wrapped = 5_000 / took(steps)
            native = env.unwrapped._native

            def bare(native: Any = native) -> None:
                for i in range(1_000):
                    native.step_one(0.05 if i % 2 else -0.05)

            print(f"{rate}, {like}: {wrapped:,.0f} steps/s, without Gymnasium {1_000 / took(bare):,.0f}")


controllers()
agents()
