"""Saved results, captures and scorecards: what is read or judged beside experiments."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

from westwood import _native
from westwood._progress import Progress, followed
from westwood._values import Value, at_a_time, text
from westwood.experiment import Results
from westwood.table import Table

__all__ = ["Diff", "Estimates", "Scorecard", "diff", "estimate", "evaluate"]


class _Document:
    """A document of the program, as text in several forms."""

    def __init__(self, document: str, words: str) -> None:
        self.json = document
        self._words = words

    @property
    def report(self) -> dict[str, Any]:
        """The document, read."""
        return cast("dict[str, Any]", json.loads(self.json))

    def __str__(self) -> str:
        """Return the document in words, as the command prints it."""
        return self._words


class Diff(_Document):
    """The changes from one result to another: the schema ``westwood.diff/1``."""


class _Page(_Document):
    """A document that is a page, too."""

    def __init__(self, document: str, words: str, page: str) -> None:
        super().__init__(document, words)
        self._page = page

    def save_html(self, path: str | os.PathLike[str]) -> None:
        """Write the page to a file."""
        Path(path).write_text(self._page, encoding="utf-8")


class Estimates(_Page):
    """The estimates that bandwidth estimators draw from a capture: the schema ``westwood.estimate/1``."""

    def __init__(self, document: str, words: str, page: str, table: _native.Table) -> None:
        super().__init__(document, words, page)
        self.table = Table(table)


class Scorecard(_Page):
    """A controller held against the criteria of RFC 9743: the schema ``westwood.card/1``."""

    def __init__(self, document: str, words: str, page: str, markdown: str) -> None:
        super().__init__(document, words, page)
        self.markdown = markdown


def diff(
    old: Results | str | os.PathLike[str],
    new: Results | str | os.PathLike[str],
    *,
    practical: Value = "1%",
) -> Diff:
    """Show what changed from one result to another, run by run and beyond chance.

    Args:
        old: Results, their JSON, or the name of a file that has it.
        new: The same.
        practical: A smaller change than this share of a value does not count.

    Raises:
        BadScenario: One is no saved result, or they have no run in common.
        OSError: A file cannot be read.

    >>> import westwood
    >>> r = westwood.compare(cc="reno", rate="5Mbit/s", rtt="20ms", time="5s", seeds=2)
    >>> westwood.diff(r, r).report["changes"]
    []

    """
    return Diff(*_native.diff(_saved(old), _saved(new), text(practical, "practical")))


def _saved(result: Results | str | os.PathLike[str]) -> str:
    if isinstance(result, Results):
        return result.json
    if isinstance(result, str) and result.lstrip().startswith("{"):
        return result
    return Path(result).read_text(encoding="utf-8")


def estimate(
    capture: str | os.PathLike[str],
    *,
    transfers: int = 10,
    window: Value = "1s",
    interval: Value = "10ms",
    segment: Value | None = None,
) -> Estimates:
    """Run bandwidth estimators on the ACKs of a capture that was taken at the sender of the data.

    Args:
        capture: A pcap or pcapng file.
        transfers: How many transfers are shown, those with the most data first.
        window: Deliveries are averaged over this much time, half of it before and half behind.
        interval: Estimates are kept at most this often; ``"0s"`` keeps one for every ACK.
        segment: The payload of the sender's full segments, in bytes; what the handshake, or else the packets,
            say if absent.

    Returns:
        The estimates; ``table`` has a row for each that was kept: the ends of the transfer, ``time_s``, and
        rates in bit/s, delivered and of each estimator.

    Raises:
        BadScenario: It is no capture, or shows no TCP data, or a setting is wrong.
        OSError: It cannot be read.

    """
    found = _native.estimate(
        Path(capture),
        text(transfers, "transfers"),
        text(window, "window"),
        text(interval, "interval"),
        None if segment is None else text(segment, "segment"),
    )
    return Estimates(*found)


def evaluate(
    cc: Value,
    *,
    only: str | Sequence[str] = (),
    cost: bool = False,
    jobs: int | None = None,
    progress: Progress = False,
) -> Scorecard:
    """Examine a controller by every criterion of RFC 9743, as ``westwood evaluate rfc9743`` does: in minutes.

    Args:
        cc: The controller, with its parameters, or a class of one's own.
        only: A section, such as ``"5.2"``, or several; all if empty. Verdicts stay corrected for all of them.
        cost: Measure the cost of an ACK, too: nanoseconds on this machine and reference cycles of its
            processor, the one part of a card that does not repeat, on which no verdict rests.
        jobs: Runs at the same time; one for each processor if absent.
        progress: ``True`` for a bar, or a callable that is given the share of this round of runs, and 1.

    Raises:
        BadScenario: There is no such controller or section.
        KeyboardInterrupt: Ctrl-C; nothing is kept.

    """
    jobs = at_a_time(jobs)
    with followed(progress) as tell:
        sections = [only] if isinstance(only, str) else list(only)
        found = _native.evaluate(text(cc, "cc"), sections, cost=cost, jobs=jobs, progress=tell)
        return Scorecard(*found)
