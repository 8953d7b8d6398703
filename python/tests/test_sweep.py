"""Sweeps: the same bits wherever they run, whatever is killed."""

from __future__ import annotations

import ctypes
import json
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest

import westwood
from westwood import BadScenario, Scenario, Sweep, sweep

duckdb = pytest.importorskip("duckdb")

GRID = {"dumbbell.rate": [f"{n}Mbit/s" for n in range(1, 11)], "dumbbell.loss": ["0%", "0.5%"]}


@pytest.fixture(scope="module")
def scenario() -> Scenario:
    return Scenario.comparison(cc=["reno", "bbr"], rtt="40ms", time="5s", against="reno:1")


@pytest.fixture(scope="module")
def in_process(scenario: Scenario, tmp_path_factory: pytest.TempPathFactory) -> Sweep:
    return sweep(scenario, GRID, seeds=3, out=tmp_path_factory.mktemp("sweep") / "here")


def rows(of: Sweep, table: str = "runs") -> list[Any]:
    order = {"runs": "point, seed", "flows": 'point, seed, "group", flow'}[table]
    return list(of.query(f"select * from {table} order by {order}").fetchall())


def test_a_sweep_has_every_run_once(in_process: Sweep) -> None:
    count = in_process.query("select count(*), count(distinct (point, seed)) from runs").fetchall()
    assert count == [(120, 120)]
    assert in_process.manifest["schema"] == "westwood.sweep/1"
    assert in_process.manifest["points"] == 40


def test_a_sweep_has_the_numbers_of_a_run(scenario: Scenario, in_process: Sweep) -> None:
    r = westwood.run(scenario, {**GRID, "seeds": 3})
    columns = ", ".join(f'"{name}"' for name in r.runs.columns)
    swept = in_process.query(f"select {columns} from runs order by point, seed").fetchall()
    assert swept == [tuple(row.values()) for row in r.runs.rows()]
    assert any(harm is not None for harm in r.runs["solo_harm_rate"])


def test_executors_and_batches_change_nothing(scenario: Scenario, in_process: Sweep, tmp_path: Path) -> None:
    with ThreadPoolExecutor(2) as threads:
        by_threads = sweep(scenario, GRID, seeds=3, executor=threads, batch=7, out=tmp_path / "threads")
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as processes:
        by_processes = sweep(scenario, GRID, seeds=3, executor=processes, out=tmp_path / "processes")
    for table in ("runs", "flows"):
        expected = rows(in_process, table)
        assert rows(by_threads, table) == expected
        assert rows(by_processes, table) == expected


KILLED = """
import sys
from westwood import Scenario, sweep
scenario = Scenario.load(sys.argv[1])
sweep(scenario, {"dumbbell.rate": [f"{n}Mbit/s" for n in range(1, 11)],
                 "dumbbell.loss": ["0%", "0.5%"]}, seeds=3, out=sys.argv[2], jobs=1,
      executor=__import__("concurrent.futures").futures.ThreadPoolExecutor(1), batch=1)
"""


def test_a_killed_sweep_goes_on_and_repeats_nothing(
    scenario: Scenario, in_process: Sweep, tmp_path: Path
) -> None:
    file, out = tmp_path / "mine.toml", tmp_path / "out"
    scenario.save(file)
    child = subprocess.Popen([sys.executable, "-c", KILLED, str(file), str(out)])
    while child.poll() is None and len(Sweep(out).parts()) < 5:
        time.sleep(0.002)
    child.send_signal(signal.SIGKILL)
    child.wait()
    kept = {path: path.stat().st_mtime_ns for path in (out / "runs").glob("[0-9]*")}
    assert len(kept) >= 5
    again = sweep(Scenario.load(file), GRID, seeds=3, out=out)
    assert all(path.stat().st_mtime_ns == at for path, at in kept.items())
    assert [row[1:] for row in rows(again)] == [row[1:] for row in rows(in_process)]


def test_a_folder_of_another_sweep_is_refused(scenario: Scenario, in_process: Sweep) -> None:
    with pytest.raises(BadScenario, match="another sweep") as caught:
        sweep(scenario, GRID, seeds=4, out=in_process.folder)
    assert caught.value.place == "out"


def test_a_folder_with_a_damaged_manifest_is_refused(scenario: Scenario, tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_text("{", encoding="utf-8")
    with pytest.raises(BadScenario, match="damaged") as caught:
        sweep(scenario, GRID, seeds=1, out=tmp_path)
    assert caught.value.place == "out"
    (tmp_path / "manifest.json").write_text("{}", encoding="utf-8")
    with pytest.raises(BadScenario, match="another sweep"):
        sweep(scenario, GRID, seeds=1, out=tmp_path)


@pytest.mark.parametrize("batch", [0, -1, 0.5, "all"])
def test_a_batch_is_a_number_of_runs(scenario: Scenario, tmp_path: Path, batch: Any) -> None:
    with pytest.raises(BadScenario, match="batch"):
        sweep(scenario, GRID, seeds=1, batch=batch, out=tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_seeds_are_a_number_or_follow_one_another(scenario: Scenario, tmp_path: Path) -> None:
    found = sweep(scenario, seeds=range(7, 9), out=tmp_path / "out")
    assert found.query("select distinct seed from runs order by seed").fetchall() == [(7,), (8,)]
    with pytest.raises(BadScenario, match="seeds"):
        sweep(scenario, seeds=[1, 3], out=tmp_path / "other")
    with pytest.raises(BadScenario, match="seeds"):
        sweep(scenario, {"seeds": [1, 2]}, out=tmp_path / "other")


class Broken(ThreadPoolExecutor):
    """Loses the second part so many times."""

    def __init__(self, times: int) -> None:
        super().__init__(1)
        self.times, self.given = times, list[Any]()

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Any:
        part = args[-1]
        self.given.append(part)
        lost = part in self.given[1:2] and self.given.count(part) <= self.times
        return super().submit(_refuse if lost else fn, *args, **kwargs)


def test_a_part_whose_result_is_lost_is_tried_once_more(scenario: Scenario, tmp_path: Path) -> None:
    with Broken(1) as broken:
        found = sweep(scenario, GRID, seeds=1, executor=broken, batch=8, out=tmp_path / "out")
    assert found.failed_parts == []
    assert len(broken.given) == len(set(broken.given)) + 1
    assert found.query("select count(*) from runs").fetchall() == [(40,)]


def test_a_part_that_is_lost_twice_is_recorded_and_done_by_the_next_call(
    scenario: Scenario, tmp_path: Path
) -> None:
    with Broken(2) as broken, pytest.warns(RuntimeWarning, match="given up"):
        found = sweep(scenario, GRID, seeds=1, executor=broken, batch=8, out=tmp_path / "out")
    assert len(found.failed_parts) == 1
    assert "OSError: no disk" in found.failed_parts[0][1]
    again = sweep(scenario, GRID, seeds=1, out=tmp_path / "out")
    assert again.failed_parts == []
    assert again.query("select count(*) from runs").fetchall() == [(40,)]


def _refuse(*_: Any) -> None:
    raise OSError("no disk")


def test_dask_with_a_worker_killed_gives_the_same_bits(
    scenario: Scenario, in_process: Sweep, tmp_path: Path
) -> None:
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        killed: list[int] = []

        def kill_one(done: float, total: float) -> None:
            if not killed and done > total / 4:
                pids = client.run(os.getpid)
                killed.append(next(iter(pids.values())))
                os.kill(killed[0], signal.SIGKILL)

        found = sweep(
            scenario, GRID, seeds=3, executor=client, batch=2, out=tmp_path / "out", progress=kill_one
        )
        assert killed
    assert found.failed_parts == []
    assert json.loads((tmp_path / "out" / "manifest.json").read_text())["runs"] == 180
    for table in ("runs", "flows"):
        assert rows(found, table) == rows(in_process, table)


SHARE = 0.7


class Gentle(westwood.Controller):
    """Keeps more of the window than Reno does."""

    def reduce(self, cwnd: float) -> float:
        return cwnd * SHARE


class Gentler(Gentle):
    """Grows half as fast, too."""

    def grow(self, cwnd: float, ssthresh: float, credit: float) -> float:
        return cwnd + (credit if cwnd < ssthresh else credit / cwnd / 2)


OWN: dict[str, Any] = {
    "cc": ["reno", Gentle, Gentler.variant("gentler-still")],
    "dumbbell.loss": ["0%", "1%"],
}


@pytest.fixture(scope="module")
def own_in_process(tmp_path_factory: pytest.TempPathFactory) -> Sweep:
    scenario = Scenario.comparison(rate="2Mbit/s", rtt="40ms", time="5s")
    return sweep(scenario, OWN, seeds=2, out=tmp_path_factory.mktemp("own") / "here")


def test_other_processes_are_given_the_classes_of_controllers(own_in_process: Sweep, tmp_path: Path) -> None:
    pytest.importorskip("cloudpickle")
    scenario = Scenario.comparison(rate="2Mbit/s", rtt="40ms", time="5s")
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as processes:
        found = sweep(scenario, OWN, seeds=2, executor=processes, batch=2, out=tmp_path / "out")
    assert found.failed_parts == []
    assert rows(found) == rows(own_in_process)
    # The classes differ from Reno, and from each other.
    goodputs = found.query("select cc, sum(goodput_bps) from runs group by cc").fetchall()
    assert len({goodput for _, goodput in goodputs}) == 3


def test_dasks_workers_are_given_the_classes_of_controllers(own_in_process: Sweep, tmp_path: Path) -> None:
    distributed = pytest.importorskip("distributed")
    scenario = Scenario.comparison(rate="2Mbit/s", rtt="40ms", time="5s")
    with (
        distributed.LocalCluster(
            n_workers=1, threads_per_worker=1, processes=True, dashboard_address=None
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        found = sweep(scenario, OWN, seeds=2, executor=client, batch=2, out=tmp_path / "out")
    assert found.failed_parts == []
    assert rows(found) == rows(own_in_process)


def test_a_controller_that_is_no_class_is_refused_by_another_process(tmp_path: Path) -> None:
    halves = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.POINTER(ctypes.c_double), *[ctypes.c_double] * 4)
    bound = westwood.compiled("bound-here", reduce=halves(lambda state, cwnd, ssthresh, cause, now: cwnd / 2))
    scenario = Scenario.comparison(cc=[bound], rate="2Mbit/s", rtt="40ms", time="5s")
    with (
        ProcessPoolExecutor(1, mp_context=get_context("spawn")) as processes,
        pytest.warns(RuntimeWarning, match="given up"),
    ):
        found = sweep(scenario, seeds=2, executor=processes, batch=2, out=tmp_path / "out")
    assert "'bound-here' is known to the process alone that made it" in found.failed_parts[0][1]


def test_a_sweep_measures_the_cost_of_an_ack_where_it_is_asked_for(tmp_path: Path) -> None:
    scenario = Scenario.comparison(cc=["reno"], rate="5Mbit/s", time="5s", ack_cost=True)
    found = sweep(scenario, {"dumbbell.rtt": ["20ms", "40ms"]}, seeds=2, out=tmp_path / "out")
    costs = [cost for (cost,) in found.query("select ack_cost_ns from runs").fetchall()]
    assert len(costs) == 4
    assert costs[0] > 0
    assert len(set(costs)) == 1


SOURCE = """
class Mine(Controller):
    '''Keeps a share.'''
    share = 0.7

    def reduce(self, cwnd):
        return kept(cwnd, self.share)

def kept(cwnd, share, least=LEAST):
    return max(cwnd * share, least)
"""


def mine(*changes: tuple[str, str], least: float = 2.0) -> type[westwood.Controller]:
    """Define the class anew, with changes to its text and to a variable of its module."""
    text = SOURCE
    for before, after in changes:
        assert before in text
        text = text.replace(before, after)
    module: dict[str, Any] = {"__name__": "mine", "Controller": westwood.Controller, "LEAST": least}
    exec(text, module)
    made: type[westwood.Controller] = module["Mine"]
    return made


def swept(controller: Any, out: Path) -> Sweep:
    scenario = Scenario.comparison(cc=[controller], rate="2Mbit/s", rtt="40ms", time="2s")
    return sweep(scenario, seeds=1, out=out)


@pytest.mark.parametrize(
    ("changes", "least", "attribute"),
    [
        ([("share = 0.7", "share = 0.8")], 2.0, "Mine.share"),
        ([("kept(cwnd, self.share)", "cwnd * self.share")], 2.0, "Mine.reduce"),
        ([("cwnd * share", "cwnd / 2")], 2.0, "Mine.reduce"),
        ([], 3.0, "Mine.reduce"),
        ([("    share = 0.7", "    share = 0.7\n    def grow(self, cwnd): return cwnd")], 2.0, "Mine.grow"),
    ],
    ids=["value", "method", "function", "variable", "another verb"],
)
def test_a_sweep_does_not_go_on_with_a_controller_that_has_changed(
    changes: list[tuple[str, str]], least: float, attribute: str, tmp_path: Path
) -> None:
    begun = swept(mine(), tmp_path / "out")
    with pytest.raises(BadScenario, match=f"'mine' has changed \\({attribute}\\)") as caught:
        swept(mine(*changes, least=least), begun.folder)
    assert caught.value.place == "out"


def test_a_class_of_other_words_and_of_another_process_is_the_same_controller(tmp_path: Path) -> None:
    begun = swept(mine(), tmp_path / "out")
    same = mine(("Keeps a share.", "Keeps a part."), ("\ndef kept", "\n\n# A share.\ndef kept"))
    assert swept(same, begun.folder).manifest == begun.manifest
    code = (
        "import json, westwood\nmodule = dict(__name__='mine', Controller=westwood.Controller, LEAST=2.0)\n"
        f"exec({SOURCE!r}, module)\nfrom westwood._fingerprint import of_controller\n"
        "print(json.dumps(of_controller(module['Mine'])))"
    )
    for seed in ("1", "2"):
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        told = subprocess.check_output([sys.executable, "-c", code], env=environment)
        assert json.loads(told) == begun.manifest["controllers"]["mine"]


def test_controllers_that_are_no_classes_are_compared_as_well(tmp_path: Path) -> None:
    pytest.importorskip("gymnasium")
    agents = pytest.importorskip("westwood.agents")

    def policy(gain: float) -> Any:
        return agents.policy("learnt", lambda seen: gain)

    begun = swept(policy(0.1), tmp_path / "out").manifest
    assert swept(policy(0.1), tmp_path / "out").manifest == begun
    with pytest.raises(BadScenario, match="'learnt' has changed"):
        swept(policy(0.2), tmp_path / "out")
