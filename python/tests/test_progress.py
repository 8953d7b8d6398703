"""Long runs: progress is told, and Ctrl-C ends them."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

import westwood

HOURS = {"cc": "reno", "rate": "1Gbit/s", "rtt": "20ms", "loss": "none", "time": "1h"}


def test_a_callback_is_told_of_all_work() -> None:
    told: list[tuple[float, float]] = []
    westwood.compare(
        cc="reno", rate="50Mbit/s", time="20s", seeds=2, loss="none",
        progress=lambda done, total: told.append((done, total)),
    )  # fmt: skip
    assert told[-1] == (40.0, 40.0)
    assert told == sorted(told)


def test_an_exception_of_the_callback_ends_the_runs() -> None:
    class EnoughError(Exception):
        pass

    def stop(done: float, total: float) -> None:
        raise EnoughError

    with pytest.raises(EnoughError):
        westwood.compare(**HOURS, progress=stop)  # type: ignore[arg-type]


INTERRUPTED = """
import signal, sys, westwood
# A shell may start what runs beside it with the signal ignored.
signal.signal(signal.SIGINT, signal.default_int_handler)
hours = {"cc": "reno", "rate": "1Gbit/s", "rtt": "20ms", "loss": "none", "time": "1h"}
scenario = westwood.Scenario.comparison(**hours)
print("begun", flush=True)
try:
    westwood.sweep(scenario, out=sys.argv[1]) if sys.argv[1:] else westwood.compare(**hours)
except KeyboardInterrupt:
    sys.exit(130)
"""


@pytest.mark.parametrize("work", ["compare", "sweep"])
def test_ctrl_c_ends_a_long_run(work: str, tmp_path: Path) -> None:
    folder = [str(tmp_path / "out")] if work == "sweep" else []
    command = [sys.executable, "-c", INTERRUPTED, *folder]
    child = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    assert child.stdout.readline() == "begun\n"
    # A signal before the run has begun ends it as well. A sweep measures its speed first.
    time.sleep(1 if work == "sweep" else 0)
    child.send_signal(signal.SIGINT)
    try:
        assert child.wait(timeout=60) in (130, -signal.SIGINT, 1)
    finally:
        child.kill()
    child.stdout.close()


def test_other_threads_run_while_a_simulation_does() -> None:
    ticks: list[int] = []
    running = threading.Event()

    def tick() -> None:
        while not running.is_set():
            ticks.append(1)

    told: list[int] = []

    def follow(done: float, total: float) -> None:
        told.append(len(ticks))

    thread = threading.Thread(target=tick)
    thread.start()
    try:
        westwood.compare(cc="reno", rate="100Mbit/s", loss="none", time="60s", jobs=1, progress=follow)
    finally:
        running.set()
        thread.join()
    assert len(told) < 3 or told[-1] > told[0]


def test_tqdm_draws_a_bar_where_it_is_installed(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("tqdm")
    westwood.compare(cc="reno", rate="5Mbit/s", time="5s", seeds=1, progress=True)
    assert "5/5" in capsys.readouterr().err
