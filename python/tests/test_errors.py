"""Wrong input: one error that names place and mend."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import pytest

import westwood
from westwood import BadScenario
from westwood._values import text


def test_a_wrong_keyword_is_named_with_a_hint() -> None:
    with pytest.raises(BadScenario) as caught:
        westwood.compare(return_rate="5")
    assert caught.value.place == "return_rate"
    assert caught.value.hint
    assert isinstance(caught.value, ValueError)
    assert "--" not in str(caught.value)


def test_an_unknown_keyword_names_the_nearest_one() -> None:
    with pytest.raises(BadScenario, match="rate") as caught:
        westwood.compare(raet="5Mbit/s")  # type: ignore[call-arg]
    assert "rate" in (caught.value.hint or "")
    with pytest.raises(BadScenario, match="unknown keyword 'returnrate'; did you mean 'return_rate'"):
        westwood.compare(returnrate="5Mbit/s")  # type: ignore[call-arg]


def test_all_faults_are_told_at_once() -> None:
    with pytest.raises(BadScenario) as caught:
        westwood.compare(rate="fast", rtt="near")
    assert [place for _, place, _ in caught.value.faults] == ["rate", "rtt"]


def test_a_fault_of_a_text_has_line_and_column() -> None:
    scenario = westwood.Scenario('[dumbbell]\nrate = "10"\n', name="mine.toml")
    with pytest.raises(BadScenario) as caught:
        scenario.points  # noqa: B018
    assert (caught.value.place or "").startswith("mine.toml:2:")


def test_a_fault_of_syntax_has_line_and_column(tmp_path: Path) -> None:
    text = 'time = "5s"\ncc = ["reno"\n[dumbbell]\nrate = \n'
    with pytest.raises(BadScenario) as caught:
        westwood.Scenario(text)
    places = [place for _, place, _ in caught.value.faults]
    assert all((place or "").startswith("scenario:") for place in places)
    file = tmp_path / "mine.toml"
    file.write_text(text)

    def swept(file: Path) -> westwood.Sweep:
        return westwood.sweep(file, out=tmp_path / "out")

    for read in (westwood.Scenario.load, westwood.run, swept):
        with pytest.raises(BadScenario) as again:
            read(file)
        assert [place for _, place, _ in again.value.faults] == [
            (place or "").replace("scenario", str(file), 1) for place in places
        ]


def test_a_value_of_another_type_is_refused() -> None:
    with pytest.raises(BadScenario, match="object") as caught:
        westwood.compare(rate=object())  # type: ignore[arg-type]
    assert caught.value.place == "rate"


def test_a_setting_by_path_is_named_by_it(tmp_path: Path) -> None:
    def swept(grid: dict[str, Any]) -> westwood.Sweep:
        return westwood.sweep("satellite-geo", grid, out=tmp_path / "out")

    for run in (lambda grid: westwood.run("satellite-geo", grid), swept):
        for path, value in (("dumbbell.rate", 5), ("dumbbell.rat", "5Mbit/s"), ("cc", ["reno", "bbrr"])):
            with pytest.raises(BadScenario) as caught:
                run({"seeds": 1, path: value})
            assert caught.value.place == path
    assert not (tmp_path / "out").exists()


class Array:
    """Holds numbers as NumPy's scalars and arrays and pandas' columns do."""

    def __init__(self, held: object) -> None:
        self.held = held

    def tolist(self) -> object:
        """Return the numbers as Python has them."""
        return self.held


def test_numbers_of_numpy_are_written_as_numbers() -> None:
    arrays: list[tuple[Any, str]] = [
        (Array(0.25), "0.25"),
        (Array([1, 2.5]), "1,2.5"),
        ([Array(True), Array(3)], "on,3"),
    ]
    for array, written in arrays:
        assert text(array, "x") == written


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadScenario, match=r"nowhere\.toml"):
        westwood.run(tmp_path / "nowhere.toml")
    with pytest.raises(BadScenario, match="did you mean"):
        westwood.run("satelite-geo")
    with pytest.raises(BadScenario, match=r"nowhere\.toml"):
        westwood.sweep(tmp_path / "nowhere.toml", out=tmp_path / "out")
    with pytest.raises(BadScenario, match="did you mean"):
        westwood.sweep("satelite-geo", out=tmp_path / "out")


def test_the_exception_keeps_its_parts_between_processes() -> None:
    error = BadScenario([("wrong", "rate", "write 5Mbit/s")])
    again = pickle.loads(pickle.dumps(error))
    assert (again.place, again.hint, str(again)) == ("rate", "write 5Mbit/s", str(error))


@pytest.mark.parametrize("prefer", ["", "speed"])
def test_an_unknown_preference_is_refused(prefer: str) -> None:
    with pytest.raises(BadScenario, match="prefer"):
        westwood.compare(prefer=prefer)  # type: ignore[arg-type]


def test_an_object_of_a_controller_and_bytes_are_refused() -> None:
    class Given(westwood.Controller):
        pass

    with pytest.raises(BadScenario, match="object of Given") as caught:
        westwood.compare(cc=["reno", Given()])  # type: ignore[list-item]
    assert caught.value.place == "cc"
    assert "class Given" in (caught.value.hint or "")
    with pytest.raises(BadScenario, match="bytes is no setting"):
        westwood.compare(rate=b"10Mbit/s")


def test_several_values_of_a_setting_that_takes_one_are_to_be_swept() -> None:
    wrong: list[tuple[str, Any, str]] = [
        ("rate", ["5Mbit/s", "10Mbit/s"], "dumbbell.rate"),
        ("flows", Array([1, 2, 4]), "dumbbell.flows"),
        ("initial_window", (4, 10), "tcp.initial_window"),
        ("seeds", [1, 2, 3], "seeds"),
    ]
    for make in (westwood.compare, westwood.Scenario.comparison):
        for keyword, values, path in wrong:
            with pytest.raises(BadScenario, match="one value is taken") as caught:
                make(**{keyword: values})
            assert caught.value.place == keyword
            assert f'"{path}"' in (caught.value.hint or "")
    with pytest.raises(BadScenario, match="unknown controller 'bbrr'"):
        westwood.compare(cc=["reno", "bbrr"])


@pytest.mark.parametrize(("path", "value"), [("dumbbell.flows", 2), ("tcp.initial_window", 4), ("seeds", 2)])
def test_the_paths_that_a_fault_names_are_paths(path: str, value: int) -> None:
    r = westwood.run(westwood.Scenario.comparison(cc="reno", time="2s", seeds=1), {path: value})
    assert not r.failed


@pytest.mark.parametrize("jobs", [0, -1, 1025, "two", 1.5])
def test_jobs_are_a_number_of_runs(jobs: Any, tmp_path: Path) -> None:
    s = westwood.Scenario.comparison(cc="reno", time="2s", seeds=1)
    for call in (
        lambda: westwood.compare(cc="reno", time="2s", seeds=1, jobs=jobs),
        lambda: westwood.run(s, jobs=jobs),
        lambda: westwood.sweep(s, jobs=jobs, out=tmp_path / "out"),
        lambda: westwood.evaluate("reno", jobs=jobs),
    ):
        with pytest.raises(BadScenario) as caught:
            call()
        assert caught.value.place == "jobs"
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("settings", ["cc=reno", ["cc=reno"], [("cc", "reno")], 5])
def test_settings_by_path_are_a_dictionary(settings: Any, tmp_path: Path) -> None:
    with pytest.raises(BadScenario, match="dictionary"):
        westwood.run("satellite-geo", settings)
    with pytest.raises(BadScenario, match="dictionary"):
        westwood.sweep("satellite-geo", settings, out=tmp_path / "out")
    assert not (tmp_path / "out").exists()
    if not isinstance(settings, str):
        with pytest.raises(BadScenario, match="dictionary"):
            westwood.Scenario(settings)


def test_an_executor_takes_tasks(tmp_path: Path) -> None:
    with pytest.raises(BadScenario, match="no executor") as caught:
        westwood.sweep("satellite-geo", {"cc": "reno"}, executor=5, out=tmp_path / "out")
    assert caught.value.place == "executor"
    assert not (tmp_path / "out").exists()
