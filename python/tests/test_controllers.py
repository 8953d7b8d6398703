"""Controllers written in Python: they run, cost little, and fail with their own tracebacks."""

from __future__ import annotations

import ctypes
import threading
import warnings
from typing import Any, ClassVar

import pytest

import westwood
from westwood.controllers import C_SIGNATURES, C_TYPES, fingerprints

PATH: dict[str, Any] = {"rate": "5Mbit/s", "rtt": "40ms", "loss": "0.3%", "time": "10s", "seeds": 2}


class PlainReno(westwood.Controller):
    """Reno by the book."""

    def grow(self, cwnd: float, ssthresh: float, credit: float) -> float:
        if cwnd < ssthresh:
            into_slow_start = min(credit, ssthresh - cwnd)
            cwnd, credit = cwnd + into_slow_start, credit - into_slow_start
        return cwnd + credit / cwnd if credit else cwnd

    def reduce(self, cwnd: float) -> float:
        return cwnd / 2


class Empty(westwood.Controller):
    """Nothing of its own."""


def goodputs(r: westwood.Results) -> dict[str, list[float]]:
    """Return the goodput of each run by controller."""
    found: dict[str, list[float]] = {}
    for cc, goodput in zip(r.runs["cc"], r.runs["goodput_bps"], strict=True):
        found.setdefault(cc, []).append(goodput)
    return found


@pytest.mark.parametrize("like", ["linux", "rfc"])
def test_reno_in_python_is_reno_to_the_packet(like: str) -> None:
    r = westwood.compare(cc=["reno", PlainReno, Empty], like=like, **PATH)
    for table in (r.runs, r.flows):
        points = table["point"]
        told = [c for c in table.columns if c not in ("point", "name", "cc", "wall_s", "events")]
        reno, python, empty = (
            [[table[c][i] for c in told] for i, p in enumerate(points) if p == point]
            for point in sorted(set(points))
        )
        assert reno
        assert python == reno
        assert empty == reno


def test_an_object_belongs_to_one_connection_and_every_verb_is_told_its_arguments() -> None:
    seen: dict[str, Any] = {}
    objects: list[object] = []

    class Curious(westwood.Controller):
        everything = True

        def start(self, smss: float, initial_window: float, seed: int) -> None:
            objects.append(self)
            seen["start"] = (smss, initial_window, seed)

        def measure(self, now: float, rtt: float | None, delivery_rate: float | None) -> None:
            seen["measure"] = (now, rtt, delivery_rate)

        def lost(self, seq: float, in_flight: float) -> None:
            seen["lost"] = (seq, in_flight)

        def grow(self, cwnd: float, phase: str, credit: float) -> tuple[float, float]:
            seen["grow"] = (cwnd, phase, credit)
            return 60.0, 50.0

        def reduce(self, cause: str, cwnd: float) -> tuple[float, float]:
            seen["reduce"] = (cause, cwnd)
            return 60.0, 60.0

        def pacing_rate(self) -> float | None:
            seen["pacing_rate"] = True
            return None

        def bwe(self) -> float | None:
            return 400.0

    r = westwood.compare(cc=[Curious], flows=2, **{**PATH, "seeds": 1})
    assert len(objects) == 2
    assert set(seen) == {"start", "measure", "lost", "grow", "reduce", "pacing_rate"}
    assert 1_000 < seen["start"][0] <= 1_500
    assert seen["measure"][1] is None or 0.04 <= seen["measure"][1] < 1
    assert seen["grow"][1] in ("open", "recovery", "loss")
    assert seen["reduce"][0] in ("loss", "timeout")
    assert min(r.flows["goodput_bps"]) > 0


def test_an_ack_with_the_receivers_clock_tells_the_one_way_delay() -> None:
    told: list[float | None] = []

    class Clocked(westwood.Controller):
        def measure(self, one_way_delay: float | None) -> None:
            told.append(one_way_delay)

    path = {**PATH, "loss": "none", "seeds": 1}
    westwood.compare(cc=[Clocked], **path)
    assert told
    assert set(told) == {None}
    told.clear()
    westwood.compare(cc=[Clocked], receiver_clock="on(offset=1s)", **path)
    # The way is 20 ms, and the receiver's clock is a second ahead.
    assert 1.02 <= min(delay for delay in told if delay is not None) < 1.03


def test_an_exception_ends_the_run_with_its_traceback() -> None:
    class Broken(westwood.Controller):
        def reduce(self, cwnd: float) -> float:
            nothing: dict[float, float] = {}
            return nothing[cwnd]

    with pytest.raises(KeyError) as raised:
        westwood.compare(cc=["reno", Broken], **PATH)
    assert raised.traceback[-1].name == "reduce"
    # And nothing of it is left.
    assert westwood.compare(cc=[PlainReno], **PATH).failed == []


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (None, "Wrong.grow returned None: a window is a number of segments"),
        (float("nan"), "Wrong.grow returned nan: it is not finite"),
        ((1.0, 2.0, 3.0), "a window is a number of segments, or two"),
    ],
)
def test_an_answer_that_is_no_window_is_told(answer: Any, told: str) -> None:
    class Wrong(westwood.Controller):
        def grow(self) -> Any:
            return answer

    with pytest.raises(ValueError, match=told):
        westwood.compare(cc=[Wrong], **PATH)


def test_an_argument_that_there_is_not_is_told_before_anything_runs() -> None:
    class Wishful(westwood.Controller):
        def grow(self, cwnd: float, weather: str) -> float:
            return cwnd

    with pytest.raises(TypeError, match=r"Wishful.grow has no argument .*weather.*there are: cwnd"):
        westwood.compare(cc=[Wishful], **PATH)

    class Greedy(westwood.Controller):
        def grow(self, *windows: float) -> float:
            return windows[0]

    with pytest.raises(TypeError, match="no argument that a controller is given"):
        westwood.compare(cc=[Greedy], **PATH)


def test_a_name_of_the_catalog_is_not_taken_and_one_of_its_own_is_renewed() -> None:
    class Impostor(westwood.Controller):
        name: ClassVar[str] = "cubic"

    with pytest.raises(westwood.BadScenario, match="there is a controller 'cubic' already"):
        westwood.compare(cc=[Impostor], **PATH)

    def kept(share: float) -> float:
        class Again(westwood.Controller):
            def reduce(self, cwnd: float) -> float:
                return cwnd * share

        return float(sum(westwood.compare(cc=[Again], **PATH).runs["goodput_bps"]))

    assert kept(0.2) < kept(0.9)


def test_variants_of_a_class_run_beside_each_other() -> None:
    class Keep(westwood.Controller):
        share = 0.5

        def reduce(self, cwnd: float) -> float:
            return cwnd * self.share

    both = [Keep.variant("keep-20", share=0.2), Keep.variant("keep-90", share=0.9)]
    r = westwood.compare(cc=["reno", *both], **PATH)
    assert sorted(set(r.runs["cc"])) == ["keep-20", "keep-90", "reno"]


def test_runs_are_in_the_calling_thread_and_series_repeat_them() -> None:
    threads = set()

    class Here(westwood.Controller):
        def reduce(self, cwnd: float) -> float:
            threads.add(threading.get_ident())
            return cwnd / 2

    r = westwood.compare(cc=[Here], **PATH)
    windows = r.windows
    assert windows is not None
    assert len(windows) > 10
    assert threads == {threading.get_ident()}


def test_a_controller_may_run_experiments_of_its_own() -> None:
    class Thinker(westwood.Controller):
        def start(self) -> None:
            inner = westwood.compare(cc=[PlainReno], **{**PATH, "time": "2s"})
            self.share = 0.5 if inner.failed == [] else 0.1

        def reduce(self, cwnd: float) -> float:
            return cwnd * self.share

    r = westwood.compare(cc=["reno", Thinker], **PATH)
    assert goodputs(r)["thinker"] == goodputs(r)["reno"]


def test_compiled_functions_run_as_the_same_rule_in_rust() -> None:
    numba = pytest.importorskip("numba")

    @numba.cfunc(C_SIGNATURES["grow"])  # type: ignore[untyped-decorator]
    def grow(state: Any, cwnd: float, ssthresh: float, credit: float, now: float) -> float:
        if cwnd < ssthresh:
            slow = min(credit, ssthresh - cwnd)
            cwnd, credit = cwnd + slow, credit - slow
        return cwnd + credit / cwnd

    @numba.cfunc(C_SIGNATURES["reduce"])  # type: ignore[untyped-decorator]
    def reduce(state: Any, cwnd: float, ssthresh: float, cause: float, now: float) -> float:
        return cwnd / 2

    fast = westwood.compiled("numba-reno", grow=grow, reduce=reduce)
    r = westwood.compare(cc=["reno", fast], **PATH)
    assert goodputs(r)["numba-reno"] == goodputs(r)["reno"]


def test_functions_of_ctypes_run_as_those_of_numba() -> None:
    result, arguments = C_TYPES["reduce"]
    halved = ctypes.CFUNCTYPE(result, *arguments)(lambda state, cwnd, ssthresh, cause, now: cwnd / 2)
    r = westwood.compare(cc=["reno", westwood.compiled("ctypes-reno", reduce=halved)], **PATH)
    assert goodputs(r)["ctypes-reno"] == goodputs(r)["reno"]


@pytest.mark.parametrize(
    "wrong",
    [
        1234,
        lambda state, cwnd, ssthresh, credit, now: cwnd,
        ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_double)(lambda x: x),
        ctypes.CFUNCTYPE(None, *C_TYPES["grow"][1])(lambda *_: None),
    ],
)
def test_a_function_of_other_types_is_never_called(wrong: object) -> None:
    with pytest.raises(TypeError, match="grow: no function of float64"):
        westwood.compiled("wrong", grow=wrong)


def test_a_scenario_and_an_evaluation_take_a_class_by_its_name() -> None:
    scenario = westwood.Scenario.comparison(cc=[PlainReno], **{**PATH, "seeds": 1})
    assert westwood.run(scenario, {"seeds": 2}).runs["cc"] == ["plainreno"] * 2


def test_functions_of_a_name_that_is_refused_are_forgotten() -> None:
    for name in ("reno", "No Name"):
        with pytest.raises(westwood.BadScenario):
            westwood.compiled(name)
        assert fingerprints(f"cc = ['{name}']") == {}


def test_a_method_that_is_almost_a_verb_warns() -> None:
    class Misspelt(westwood.Controller):
        def reduced(self, cwnd: float) -> float:
            return cwnd

        def _measured(self) -> None:
            pass

    with pytest.warns(UserWarning, match="Misspelt.reduced is never called: the verb is 'reduce'"):
        westwood.Scenario.comparison(cc=Misspelt)

    class Helped(westwood.Controller):
        def reduced(self, cwnd: float) -> float:
            return cwnd

        def reduce(self, cwnd: float) -> float:
            return self.reduced(cwnd)

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        westwood.Scenario.comparison(cc=Helped)
