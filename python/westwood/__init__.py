"""Westwood: a workbench for TCP congestion control.

>>> import westwood
>>> r = westwood.compare(cc=["reno", "bbr"], rate="10Mbit/s", rtt="50ms", time="10s")
>>> r.runs.columns[:4]
['point', 'name', 'variant', 'cc']

:func:`compare` compares controllers over one path that keywords describe, :func:`run` runs a scenario file or
a ready scenario. Both give :class:`Results`, whose tables every library of data frames reads.
"""

from __future__ import annotations

from westwood._native import __version__
from westwood.controllers import Controller, compiled
from westwood.documents import Diff, Estimates, Scorecard, diff, estimate, evaluate
from westwood.errors import BadScenario
from westwood.experiment import Results, compare, run
from westwood.scenario import Scenario
from westwood.sweeps import Sweep, sweep
from westwood.table import Table

__all__ = [
    "BadScenario",
    "Controller",
    "Diff",
    "Estimates",
    "Results",
    "Scenario",
    "Scorecard",
    "Sweep",
    "Table",
    "__version__",
    "compare",
    "compiled",
    "diff",
    "estimate",
    "evaluate",
    "run",
    "sweep",
]
