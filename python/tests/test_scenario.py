"""Scenarios: text that can be changed."""

from __future__ import annotations

import copy
import pickle
from datetime import timedelta
from pathlib import Path

import pytest

import westwood
from westwood import Scenario

TEXT = """\
# My path.
time = "5s"
cc = ["reno", "bbr"]

[[link]]
name = "last"     # the access link
rate = "5Mbit/s"
"""


def test_a_text_round_trips_to_the_byte() -> None:
    assert str(Scenario(TEXT)) == TEXT


def test_every_ready_scenario_round_trips() -> None:
    geo = Scenario.load("satellite-geo")
    assert str(Scenario(str(geo))) == str(geo)
    assert geo == geo.copy()


def test_fields_are_read_by_dotted_key() -> None:
    s = Scenario(TEXT)
    assert s["time"] == "5s"
    assert s["cc"] == ["reno", "bbr"]
    assert s["link.last.rate"] == "5Mbit/s"
    assert "link.last.rate" in s
    assert "link.first.rate" not in s
    with pytest.raises(KeyError):
        s["link.last.delay"]


def test_a_changed_field_keeps_comments_and_order() -> None:
    s = Scenario(TEXT)
    s["link.last.rate"] = "8Mbit/s"
    s["time"] = "6s"
    assert str(s) == TEXT.replace('"5Mbit/s"', '"8Mbit/s"').replace('"5s"', '"6s"')
    del s["time"]
    assert "time" not in s
    with pytest.raises(KeyError):
        del s["time"]


def test_a_table_of_a_list_in_one_line_is_set_by_its_name() -> None:
    made = Scenario({"link": [{"name": "first", "rate": "1Mbit/s"}, {"name": "last", "rate": "5Mbit/s"}]})
    written = Scenario('link = [{ name = "first" }, { name = "last", rate = "5Mbit/s" }] # two\n')
    for s in (made, written):
        s["link.last.rate"] = "8Mbit/s"
        s["link.last.queue.limit"] = 50
        assert (s["link.last.rate"], s["link.last.queue"]) == ("8Mbit/s", {"limit": 50})
        del s["link.last.rate"]
        assert "link.last.rate" not in s
        before = str(s)
        with pytest.raises(KeyError):
            s["link.third.rate"] = "8Mbit/s"
        assert str(s) == before
    assert str(written).endswith("} # two\n") or str(written).endswith("}] # two\n")


def test_new_tables_are_made_on_the_way() -> None:
    s = Scenario({"time": "5s", "warmup": "1s", "cc": ["reno"]})
    s["dumbbell.rate"] = "5Mbit/s"
    s["dumbbell.rtt"] = "40ms"
    s["tcp.packet"] = 1000
    assert s.tables["dumbbell"] == {"rate": "5Mbit/s", "rtt": "40ms"}
    assert s.points == ["reno"]
    assert westwood.run(s).runs["goodput_bps"][0] > 1e6


def test_a_value_that_toml_lacks_is_refused() -> None:
    with pytest.raises(TypeError, match="set"):
        Scenario("")["cc"] = {"reno"}


def test_a_scenario_built_from_keywords_runs_like_the_comparison(tmp_path: Path) -> None:
    keywords = {"cc": ["reno", "cubic"], "rate": "5Mbit/s", "rtt": "40ms", "time": "5s"}
    s = Scenario.comparison(**keywords)
    s.save(tmp_path / "mine.toml")
    compared = westwood.compare(**keywords)  # type: ignore[arg-type]
    for same in (westwood.run(s), westwood.run(tmp_path / "mine.toml")):
        assert same.runs["goodput_bps"] == compared.runs["goodput_bps"]


def test_files_beside_a_scenario_are_found(tmp_path: Path) -> None:
    (tmp_path / "trace.txt").write_text("".join(f"{ms}\n" for ms in range(1, 1001)))
    text = 'time = "5s"\ncc = ["reno"]\n[dumbbell]\ntrace = "trace.txt"\nrtt = "20ms"\n'
    (tmp_path / "mine.toml").write_text(text)
    assert Scenario.load(tmp_path / "mine.toml").points == ["reno"]


class Held:
    """Holds a number as NumPy's scalars do."""

    def tolist(self) -> int:
        """Return it."""
        return 3


class Carried(westwood.Controller):
    """A controller of the user's."""


def test_values_are_those_that_run_takes() -> None:
    s = Scenario({"cc": ["reno", Carried], "time": timedelta(seconds=3), "dumbbell": {"flows": Held()}})
    assert s.tables == {"cc": ["reno", "carried"], "time": "3000000us", "dumbbell": {"flows": 3}}
    s["dumbbell.rtt"] = timedelta(milliseconds=40)
    assert s.points == ["reno", "carried"]
    with pytest.raises(westwood.BadScenario, match="object of Carried"):
        s["cc"] = [Carried()]
    with pytest.raises(TypeError, match="NoneType"):
        s["dumbbell.rate"] = None


def test_a_scenario_is_copied_and_pickled(tmp_path: Path) -> None:
    s = Scenario(TEXT, name="mine", folder=tmp_path)
    for again in (copy.deepcopy(s), pickle.loads(pickle.dumps(s))):
        assert (str(again), again.name, again.folder) == (TEXT, "mine", tmp_path)
        again["time"] = "6s"
    assert str(s) == TEXT


def test_results_say_how_to_send_them(small: westwood.Results) -> None:
    with pytest.raises(TypeError, match=r"r\.json"):
        pickle.dumps(small)
    with pytest.raises(TypeError, match="to_pandas"):
        pickle.dumps(small.runs)
