"""Experiments and their results."""

from __future__ import annotations

import html
import json
import os
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from westwood import _native
from westwood._progress import Progress, followed
from westwood._values import Value, assignments, at_a_time, single, text, words
from westwood._words import counted
from westwood.errors import BadScenario
from westwood.plot import Plots
from westwood.scenario import Scenario
from westwood.table import Table

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from westwood._settings import Settings

__all__ = ["Results", "compare", "run"]

Preference = Literal["goodput", "delay", "fairness", "sparing"]
Series = Literal["windows", "rtts", "queues", "delivered", "drops"]


def compare(
    *,
    jobs: int | None = None,
    progress: Progress = False,
    prefer: Preference = "goodput",
    practical: Value = "1%",
    **settings: Unpack[Settings],
) -> Results:
    """Compare congestion controllers over a path, as ``westwood compare`` does.

    Args:
        jobs: Runs at the same time; one for each processor if absent. Results do not depend on it.
        progress: ``True`` for a bar, or a callable that is given the simulated seconds so far and those of
            all runs, about every 10 ms.
        prefer: The criterion that decides first among those on the front.
        practical: A smaller difference than this share of a value does not count.
        **settings: The path, its traffic and its hosts, listed below. A quantity is text with its unit, a
            switch is a bool, and several values are a list.

    Returns:
        The results of every controller under every seed.

    Raises:
        BadScenario: A setting is wrong; its ``place`` is the keyword.
        KeyboardInterrupt: Ctrl-C, which is heeded every 10 ms.

    >>> r = compare(cc=["reno", "cubic"], rate="5Mbit/s", rtt="40ms", loss="none", time="5s", seeds=1)
    >>> r.runs["cc"], len(r.flows)
    (['reno', 'cubic'], 2)

    """
    with single(settings):
        plan = _native.Plan.of_settings(words(settings))
    return _performed(plan, jobs, progress, prefer, practical)


def run(
    scenario: Scenario | str | os.PathLike[str],
    set: Mapping[str, Value] | None = None,  # noqa: A002 - the command calls it so
    *,
    jobs: int | None = None,
    progress: Progress = False,
    prefer: Preference = "goodput",
    practical: Value = "1%",
) -> Results:
    """Run every point of a scenario with every seed, as ``westwood run`` does.

    Args:
        scenario: A :class:`Scenario`, a file, or the name of a ready scenario.
        set: Settings by path, as in ``{"dumbbell.rate": "10Mbit/s", "seeds": 3}``; several values make an
            axis of the grid.
        jobs: See :func:`compare`.
        progress: See :func:`compare`.
        prefer: See :func:`compare`.
        practical: See :func:`compare`.

    Raises:
        BadScenario: The scenario or a setting is wrong; its ``place`` is ``file:line:column``.
        KeyboardInterrupt: Ctrl-C.

    >>> r = run("satellite-geo", {"time": "20s", "warmup": "5s", "seeds": 1, "cc": ["reno", "bbr"]})
    >>> r.report["schema"]
    'westwood.run/1'

    """
    chosen = [] if set is None else assignments(set)
    if isinstance(scenario, Scenario):
        plan = scenario.plan(chosen)
    else:
        plan = _native.Plan.of_file(Path(scenario), chosen)
    return _performed(plan, jobs, progress, prefer, practical)


def _performed(
    plan: _native.Plan,
    jobs: int | None,
    progress: Progress,
    prefer: Preference,
    practical: Value,
) -> Results:
    jobs = at_a_time(jobs)
    with followed(progress) as tell:
        outcome = plan.run(jobs=jobs, prefer=prefer, practical=text(practical, "practical"), progress=tell)
    results = Results(plan, outcome, jobs)
    if results.failed:
        name, seed, why = results.failed[0]
        count = "1 run" if len(results.failed) == 1 else f"{len(results.failed)} runs"
        what = f"{count} failed, the first one: {name} with seed {seed}: {why}"
        warnings.warn(what, RuntimeWarning, stacklevel=3)
    return results


class Results:
    """The results of an experiment.

    Tables of summaries are there at once. Runs repeat to the bit, so time series and curves are not kept:
    those that are asked for come from simulating their runs once more, and are kept from then on.
    """

    def __init__(self, plan: _native.Plan, outcome: _native.Outcome, jobs: int | None) -> None:
        self._plan = plan
        self._outcome = outcome
        self._jobs = jobs
        self._summaries: dict[str, Table] = {}
        self._series: dict[tuple[str, bool], Table | None] = {}
        self._report: dict[str, Any] | None = None

    @property
    def json(self) -> str:
        """The document as text: the same as the command's ``--json``, byte for byte but for ``wall_s``.

        ``wall_s`` is the wall time of a run on this machine; only ``westwood.compare/1`` has it.
        """
        return self._outcome.json()

    @property
    def report(self) -> dict[str, Any]:
        """The document, in the schema ``westwood.compare/1`` or ``westwood.run/1``."""
        if self._report is None:
            self._report = json.loads(self.json)
        return self._report

    @property
    def scenario(self) -> str:
        """The experiment as the text of a scenario file."""
        return self._plan.text

    @property
    def warnings(self) -> list[str]:
        """Sentences about what makes the results mean little."""
        return self._outcome.warnings()

    @property
    def failed(self) -> list[tuple[str, int, str]]:
        """The runs without results: point, seed, reason."""
        return self._outcome.failed()

    def __reduce__(self) -> tuple[Any, ...]:
        """Refuse to be copied or sent to another process.

        Raises:
            TypeError: Always.

        """
        raise TypeError("results stay in their process: send r.json, or a table as r.runs.to_pandas()")

    def _summary(self, name: str) -> Table:
        if not self._summaries:
            tables = map(Table, self._outcome.summaries())
            self._summaries = {table.name: table for table in tables}
        return self._summaries[name]

    @property
    def runs(self) -> Table:
        """A row for each point and seed: the flows under test and the measured link together."""
        return self._summary("runs")

    @property
    def groups(self) -> Table:
        """A row for each group of flows of a run."""
        return self._summary("groups")

    @property
    def flows(self) -> Table:
        """A row for each flow of a run."""
        return self._summary("flows")

    @property
    def links(self) -> Table:
        """A row for each link of a run that is not an access link."""
        return self._summary("links")

    def series(
        self,
        kind: Series,
        *,
        seeds: Literal["first", "all"] = "first",
        progress: Progress = False,
    ) -> Table | None:
        """Return a time series of every point, recorded with the first seed or with all.

        Args:
            kind: ``windows`` (cwnd and ssthresh in packets, bwe in bit/s, the cause of a reduction), ``rtts``
                (ms), ``queues`` (packets), ``delivered`` (bytes) or ``drops``. Points of a curve are at least
                a 5000th of the run apart.
            seeds: The seeds whose runs are recorded.
            progress: See :func:`compare`.

        Returns:
            A table with the columns ``point``, ``name``, ``seed`` and ``time_s`` in front, in order of time
            within a run; ``None`` if nothing of this kind happened.

        Raises:
            BadScenario: There is no such kind, or ``seeds`` is another word.

        """
        if seeds not in ("first", "all"):
            raise BadScenario([(f"{seeds!r} is no choice of seeds", "seeds", 'write "first" or "all"')])
        every = seeds == "all"
        if (kind, every) not in self._series:
            with followed(progress) as tell:
                tables = self._outcome.series([kind], every_seed=every, jobs=self._jobs, progress=tell)
            self._series[kind, every] = Table(tables[0]) if tables else None
        return self._series[kind, every]

    @property
    def windows(self) -> Table | None:
        """The windows with the first seed: see :meth:`series`."""
        return self.series("windows")

    @property
    def rtts(self) -> Table | None:
        """The round-trip time samples with the first seed: see :meth:`series`."""
        return self.series("rtts")

    @property
    def queues(self) -> Table | None:
        """The packets that wait at the links with the first seed: see :meth:`series`."""
        return self.series("queues")

    @property
    def plot(self) -> Plots:
        """Plots on matplotlib: ``plot.cwnd()``, ``plot.front()``...

        Raises:
            ImportError: When drawing: matplotlib is not installed.

        """
        return Plots(self)

    def html(self, *, progress: Progress = False) -> str:
        """Return the report as one page, as the command's ``--html`` writes it.

        Curves are those of the runs that stand for the others, which are simulated once more.
        """
        with followed(progress) as tell:
            return self._outcome.html(command="python", jobs=self._jobs, progress=tell)

    def save_html(self, path: str | os.PathLike[str]) -> None:
        """Write the report to a file as one page that opens from disk and loads nothing.

        Raises:
            OSError: The file cannot be written.

        """
        Path(path).write_text(self.html(), encoding="utf-8")

    def _repr_html_(self) -> str:
        """Show the report in a frame of a notebook."""
        page = html.escape(self.html(), quote=True)
        style = "width:100%;height:48em;border:0"
        return f'<iframe srcdoc="{page}" sandbox="allow-scripts" style="{style}"></iframe>'

    def __str__(self) -> str:
        """Return the results as the command prints them, without curves."""
        return self._outcome.text(100)

    def __repr__(self) -> str:
        """Name the experiment and its size."""
        points, seeds = counted(len(self._plan.points), "point"), counted(len(self._plan.seeds), "seed")
        return f"<westwood.Results {self._plan.name}: {points} x {seeds}>"


def _settings_text() -> str:
    """List the settings of a comparison for the docstring, as the tables of scenario files declare them."""
    lines = ["", "    Settings:"]
    heading = ""
    for name, group, about, form, absent in _native.settings():
        if group != heading:
            heading = group
            lines += ["", f"        {group}:", ""]
        about = _as_keywords(about)
        lines.append(f"        {name} ({form}): {about} Default: {_as_keywords(absent)}.")
    return "\n".join(lines) + "\n"


def _as_keywords(told: str) -> str:
    """Write ``return_rate`` for ``--return-rate``."""
    import re

    return re.sub(r"--([a-z]+(?:-[a-z]+)*)", lambda m: m[1].replace("-", "_"), told)


if compare.__doc__:
    compare.__doc__ += _settings_text()
