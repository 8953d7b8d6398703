"""Print the cost of controllers and agents in Python, in processor time: `python tools/cost.py`.

`python tools/cost.py instructions` counts the instructions of a verb instead, by valgrind: no machine need be
quiet for it.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium

import westwood
import westwood.agents  # registers the environment
from westwood.controllers import C_SIGNATURES

PATH: dict[str, Any] = {"rate": "10Mbit/s", "rtt": "100ms", "loss": "none", "seeds": 1, "time": "300s"}


def took(work: Callable[[], object], times_done: int = 3) -> float:
    """Return the least processor time of so many times."""
    times = []
    for _ in range(times_done):
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
    westwood.compare(cc=[Counted], **PATH)
    calls = Counted.asked
    works = (
        lambda: westwood.compare(cc=["reno"], jobs=1, **PATH),
        lambda: westwood.compare(cc=[Counting], **PATH),
        lambda: own(calls),
    )
    # The three take turns, so that a processor whose speed moves meets them alike.
    turns = [[took(work, 1) for work in works] for _ in range(9)]
    native = min(turn[0] for turn in turns)
    each = sorted((scripted - plain) / calls * 1e6 for plain, scripted, _ in turns)[4]
    alone = sorted(alone / calls * 1e6 for _, _, alone in turns)[4]
    beyond = sorted((scripted - plain - alone) / calls * 1e6 for plain, scripted, alone in turns)
    print(f"{calls} calls of grow, medians of nine turns; reno itself {native:.3f} s")
    print(f"{each:.2f} us a call, {alone:.2f} us of it Python's own")
    print(f"{beyond[4]:.2f} us beyond ({beyond[1]:.2f} to {beyond[7]:.2f} without the extremes)")
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


def own(calls: int) -> None:
    """Call a verb from Python so many times."""
    one = Counting()
    for _ in range(calls):
        one.grow(20.0, 10.0, 1.0)


def counted(work: str, size: int) -> int:
    """Return the instructions of this program at a piece of work."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "out"
        program = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", sys.executable, __file__]
        environment = {**os.environ, "PYTHONHASHSEED": "0"}
        done = subprocess.run(
            [*program, work, str(size)], check=True, stderr=subprocess.PIPE, text=True, env=environment
        )
    found = re.search(r"Collected : (\d+)", done.stderr)
    assert found is not None, done.stderr
    return int(found[1])


def run(work: str, size: int) -> None:
    """Do a piece of work whose instructions are counted: so many calls, or seconds of a run."""
    if work == "own":
        own(size)
    else:
        cc: list[Any] = ["reno"] if work == "native" else [Counting]
        westwood.compare(cc=cc, jobs=1, **{**PATH, "time": f"{size}s"})


def instructions() -> None:
    """Print what a verb costs: differences of two lengths, so that what happens once is no part of it."""

    def calls(seconds: int) -> int:
        Counted.asked = 0
        westwood.compare(cc=[Counted], **{**PATH, "time": f"{seconds}s"})
        return Counted.asked

    more = calls(320) - calls(20)
    scripted, native = (counted(work, 320) - counted(work, 20) for work in ("python", "native"))
    each, alone = (scripted - native) / more, (counted("own", 121_000) - counted("own", 1_000)) / 120_000
    print(f"{each:.0f} instructions a call of grow, {alone:.0f} of them a call from Python's own loop")


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


if len(sys.argv) == 3:
    run(sys.argv[1], int(sys.argv[2]))
elif sys.argv[1:] == ["instructions"]:
    instructions()
else:
    controllers()
    agents()
