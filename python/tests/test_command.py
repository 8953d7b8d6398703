"""The package and the command say the same."""

from __future__ import annotations

import re
from pathlib import Path

from conftest import SMALL, said

import westwood


def without_wall_time(text: str) -> str:
    return re.sub(r'"wall_s": [0-9.e-]+', '"wall_s": 0', text)


def test_a_comparison_has_the_commands_json_byte_for_byte_but_for_wall_time(
    small: westwood.Results, command: Path
) -> None:
    flags = [
        word
        for name, value in SMALL.items()
        for word in (f"--{name}", ",".join(value) if isinstance(value, list) else str(value))
    ]
    told = said(command, "compare", *flags, "--quiet", "--json", "-")
    assert len(told) > 1000
    assert without_wall_time(small.json) == without_wall_time(told)


def test_a_scenario_has_the_commands_json_byte_for_byte(command: Path) -> None:
    settings = {"time": "20s", "warmup": "5s", "seeds": 2, "dumbbell.rate": ["5Mbit/s", "8Mbit/s"]}
    told = said(
        command, "run", "satellite-geo", "--quiet", "--json", "-",
        "--set", "time=20s", "--set", "warmup=5s", "--set", "seeds=2",
        "--set", "dumbbell.rate=5Mbit/s,8Mbit/s",
    )  # fmt: skip
    assert westwood.run("satellite-geo", settings).json == told  # type: ignore[arg-type]
    assert westwood.run(westwood.Scenario.load("satellite-geo"), settings).json == told  # type: ignore[arg-type]


def test_time_series_are_those_of_the_commands_tables(
    small: westwood.Results, command: Path, tmp_path: Path
) -> None:
    flags = ["--cc", "reno,bbr", "--rate", "5Mbit/s", "--rtt", "40ms", "--loss", "0.5%"]
    said(command, "compare", *flags, "--time", "5s", "--seeds", "2", "--quiet", "--csv", "t", folder=tmp_path)
    for table in (small.runs, small.flows, small.windows, small.rtts, small.queues):
        assert table is not None
        lines = (tmp_path / "t" / f"{table.name}.csv").read_text().splitlines()
        assert lines[0].split(",") == table.columns
        assert len(lines) - 1 == len(table)
    windows = small.windows
    assert windows is not None
    cwnd = [float(line.split(",")[5]) for line in (tmp_path / "t/windows.csv").read_text().splitlines()[1:]]
    assert windows["cwnd_packets"] == cwnd


def test_the_report_is_the_commands_page_but_for_the_command_that_made_it(
    small: westwood.Results, command: Path, tmp_path: Path
) -> None:
    small.save_html(tmp_path / "ours.html")
    ours = (tmp_path / "ours.html").read_text(encoding="utf-8")
    flags = ["--cc", "reno,bbr", "--rate", "5Mbit/s", "--rtt", "40ms", "--loss", "0.5%"]
    said(
        command, "compare", *flags, "--time", "5s", "--seeds", "2", "--quiet", "--html", "page.html",
        folder=tmp_path,
    )  # fmt: skip
    theirs = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert ours.count("<svg") == theirs.count("<svg") > 3
    assert abs(len(ours) - len(theirs)) < 2000
