"""Saved results, captures, scorecards."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from conftest import said

import westwood
from westwood import BadScenario


def test_a_change_is_found_and_the_same_result_has_none(tmp_path: Path) -> None:
    def goodput_at(rate: str) -> westwood.Results:
        return westwood.compare(cc="reno", rate=rate, rtt="20ms", time="10s", seeds=6)

    slow, fast = goodput_at("5Mbit/s"), goodput_at("8Mbit/s")
    assert westwood.diff(slow, slow.json).report["changes"] == []
    (tmp_path / "slow.json").write_text(slow.json)
    found = westwood.diff(tmp_path / "slow.json", fast)
    assert any(change["criterion"] == "goodput" and change["better"] for change in found.report["changes"])
    assert "reno" in str(found)


def test_a_text_that_is_no_result_is_refused() -> None:
    with pytest.raises(BadScenario, match="no saved result") as caught:
        westwood.diff("{}", "{}")
    assert "old" in str(caught.value)


def test_estimates_of_a_capture_are_the_commands(command: Path, tmp_path: Path) -> None:
    flags = ["--cc", "westwood+", "--rate", "5Mbit/s", "--rtt", "40ms", "--time", "5s", "--seeds", "1"]
    said(command, "compare", *flags, "--quiet", "--pcap", "caps", folder=tmp_path)
    capture = next((tmp_path / "caps").glob("*sender*"))
    told = said(command, "estimate", str(capture), "--json", "-", "--quiet", folder=tmp_path)
    found = westwood.estimate(capture)
    assert found.json == told
    assert "delivered_bps" in found.table.columns
    assert len(found.table) > 100
    found.save_html(tmp_path / "page.html")
    assert "<svg" in (tmp_path / "page.html").read_text()


def test_an_estimate_has_the_flags_and_the_bounds_of_the_command(command: Path, tmp_path: Path) -> None:
    flags = ["--cc", "reno", "--rate", "5Mbit/s", "--rtt", "40ms", "--time", "2s", "--seeds", "1"]
    said(command, "compare", *flags, "--warmup", "0s", "--quiet", "--pcap", "caps", folder=tmp_path)
    capture = next((tmp_path / "caps").glob("*sender*"))
    told = said(command, "estimate", str(capture), "--segment", "500", "--json", "-", folder=tmp_path)
    found = westwood.estimate(capture, segment=500)
    assert found.json == told
    assert found.report["transfers"][0]["packet_bytes"] == 500
    wrong: list[dict[str, Any]] = [
        {"transfers": 0},
        {"window": "0s"},
        {"window": "2h"},
        {"interval": "2h"},
        {"segment": 0},
    ]
    for settings in wrong:
        with pytest.raises(BadScenario, match="out of range") as caught:
            westwood.estimate(capture, **settings)
        assert caught.value.place == next(iter(settings))
        assert caught.value.hint
    # A file that ends within its first packet.
    (tmp_path / "head.pcapng").write_bytes(capture.read_bytes()[:200])
    with pytest.raises(BadScenario, match=r"shows no TCP data .*ends within a packet") as caught:
        westwood.estimate(tmp_path / "head.pcapng")
    assert "tcpdump" in (caught.value.hint or "")


def test_a_capture_that_cannot_be_read_is_the_error_that_python_has_for_it(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"nowhere\.pcap"):
        westwood.estimate(tmp_path / "nowhere.pcap")
    with pytest.raises(IsADirectoryError, match="name a pcap"):
        westwood.estimate(tmp_path)


def test_a_file_that_is_no_capture_is_refused(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("not packets")
    with pytest.raises(BadScenario, match="text"):
        westwood.estimate(tmp_path / "text")
    with pytest.raises(OSError, match="nowhere"):
        westwood.estimate(tmp_path / "nowhere")


def test_a_section_may_be_given_as_text() -> None:
    with pytest.raises(westwood.BadScenario, match=r"unknown section '5\.9'"):
        westwood.evaluate("reno", only="5.9")


def test_a_section_of_a_card_has_a_verdict() -> None:
    card = westwood.evaluate("reno", only=["5.3.1"])
    assert "5.3.1" in str(card) or "5.3.1" in card.json
    with pytest.raises(BadScenario):
        westwood.evaluate("nobody")
    with pytest.raises(BadScenario, match="only"):
        westwood.evaluate("reno", only=["99"])
