"""Plots of results on matplotlib, for a column of a paper.

Every plot takes axes, or makes new ones of a column's width, and returns them. Contestants are told apart by
dashes and marks as well as by colour, in the order and the colours of the report, which has others for dark
paper; axes name their unit.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from statistics import fmean
from typing import TYPE_CHECKING, Any, Literal, cast
from weakref import WeakSet

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from westwood.experiment import Results

__all__ = ["COLUMN_INCHES", "Plots", "style"]

COLUMN_INCHES = 3.5
"""The width of a column in the two-column styles of IEEE and ACM."""

COLOURS = ("#0751a5", "#a32d00", "#026840", "#b85495", "#c97700", "#1b93c8", "#19201e", "#888d53")
"""Colours on light paper."""

COLOURS_ON_DARK = ("#0077c5", "#c95f0b", "#34b567", "#ae6c94", "#ffc408", "#17dbff", "#f5fef4", "#ecff8f")
"""Colours on dark paper, those of the report's dark page."""

DASHES: tuple[Any, ...] = (
    "-",
    (0, (6, 2)),
    (0, (2, 1.6)),
    (0, (7, 2, 1.6, 2)),
    (0, (3.5, 1.6)),
    (0, (10, 2)),
    (0, (7, 1.6, 1.6, 1.6, 1.6, 1.6)),
)
MARKS = ("o", "s", "^", "D", "v", "P")

TEXT_POINTS = 8
LEGEND_COLUMNS = 3
LEGEND_ROWS = 2
"""The rows for which a new figure has room; it is taller for more."""

NAMES_ACROSS = 12
"""The most names that stand below the axes; more stand beside them, one below another."""

LETTERS_ACROSS = 24
"""The most letters of such a name."""

_MADE: WeakSet[Figure] = WeakSet()
"""The figures that plots made, and not the user."""


def style(i: int, *, marks: bool = False, dark: bool = False) -> dict[str, Any]:
    """Return matplotlib's properties of the ``i``-th contestant: no two of the first 56 have all the same.

    Args:
        i: The contestant, from 0.
        marks: Whether there is a mark.
        dark: Whether the axes are dark.

    """
    colours = COLOURS_ON_DARK if dark else COLOURS
    chosen: dict[str, Any] = {"color": colours[i % len(colours)]}
    if marks:
        chosen |= {"marker": MARKS[i % len(MARKS)], "markersize": 4}
    return chosen | {"linestyle": DASHES[i % len(DASHES)], "linewidth": 1.0}


class Plots:
    """The plots of results: ``results.plot.cwnd()``."""

    def __init__(self, results: Results) -> None:
        self._results = results

    def cwnd(self, ax: Axes | None = None, *, ssthresh: bool = False) -> Axes:
        """Plot the congestion window in packets over time in seconds, of the first flow of each point.

        Args:
            ax: Axes to draw on.
            ssthresh: Draw the slow-start threshold as well, as thin dots.

        """
        ax = _axes(ax, "time in s", "cwnd in packets")
        for i, (name, rows) in enumerate(self._first_flow("windows", "cwnd_packets")):
            times, windows = _columns(rows, "time_s", "cwnd_packets")
            ax.step(times, windows, where="post", label=name, **_style(ax, i))
            if ssthresh:
                dots = _columns(
                    [r for r in rows if r["ssthresh_packets"] is not None], "time_s", "ssthresh_packets"
                )
                ax.step(*dots, where="post", **(_style(ax, i) | {"linestyle": ":", "linewidth": 0.7}))
        return _finished(ax)

    def bandwidth(self, ax: Axes | None = None) -> Axes:
        """Plot the bandwidth estimate in Mbit/s over time in seconds, of controllers that have one.

        Raises:
            ValueError: No controller of these results has a bandwidth estimate.

        """
        ax = _axes(ax, "time in s", "estimate in Mbit/s")
        drawn = False
        for i, (name, rows) in enumerate(self._first_flow("windows", "cwnd_packets")):
            times, rates = _columns([r for r in rows if r["bwe_bps"] is not None], "time_s", "bwe_bps")
            if times:
                drawn = True
                ax.step(times, [r / 1e6 for r in rates], where="post", label=name, **_style(ax, i))
        if not drawn:
            raise ValueError("no controller of these results has a bandwidth estimate")
        return _finished(ax)

    def rtt(self, ax: Axes | None = None) -> Axes:
        """Plot the round-trip time samples in ms over time in seconds, of the first flow of each point."""
        ax = _axes(ax, "time in s", "RTT in ms")
        for i, (name, rows) in enumerate(self._first_flow("rtts", "rtt_ms")):
            times, samples = _columns(rows, "time_s", "rtt_ms")
            ax.plot(times, samples, label=name, **_style(ax, i))
        return _finished(ax, zero=False)

    def queue(self, ax: Axes | None = None, *, link: str | None = None) -> Axes:
        """Plot the packets that wait at a link over time in seconds.

        Args:
            ax: Axes to draw on.
            link: The link; the first one that is recorded if absent, which is a dumbbell's bottleneck.

        Raises:
            ValueError: There is no queue of this link.

        """
        ax = _axes(ax, "time in s", "queue in packets")
        rows = self._series("queues")
        link = link or (rows[0]["link"] if rows else None)
        rows = [row for row in rows if row["link"] == link]
        if not rows:
            raise ValueError(f"no queue of a link '{link}' is recorded")
        for i, (name, own) in enumerate(_by_name(rows)):
            times, waiting = _columns(own, "time_s", "queue_packets")
            ax.step(times, waiting, where="post", label=name, **_style(ax, i))
        return _finished(ax)

    def goodput(self, ax: Axes | None = None) -> Axes:
        """Plot the goodput in Mbit/s of each point: a mark for the mean, a dot for each seed.

        Points stand side by side; many, and those with long names, one below another.
        """
        return self._dots(ax, "goodput in Mbit/s", "goodput_bps", 1e6)

    def fairness(self, ax: Axes | None = None) -> Axes:
        """Plot Jain's index of each point's flows under test, as :meth:`goodput` does."""
        return self._dots(ax, "Jain's index", "jain", 1.0, end=1.05)

    def front(self, ax: Axes | None = None) -> Axes:
        """Plot goodput in Mbit/s against the 95th percentile of the queueing delay in ms.

        A mark is the mean of a point, a dot one seed; better is up and to the left, and a line joins the
        points that no other one beats in both.
        """
        ax = _axes(ax, "queueing delay, 95th percentile, in ms", "goodput in Mbit/s")
        means = []
        for i, (name, rows) in enumerate(_by_name(self._runs())):
            rows = [row for row in rows if row["queue_delay_p95_ms"] is not None]
            if not rows:
                continue
            delays, rates = _columns(rows, "queue_delay_p95_ms", "goodput_bps")
            rates = [rate / 1e6 for rate in rates]
            one = _style(ax, i, marks=True) | {"linestyle": "none"}
            ax.plot(delays, rates, **(one | {"marker": ".", "markersize": 2, "alpha": 0.6}))
            means.append((fmean(delays), fmean(rates)))
            ax.plot(*means[-1], label=name, **one)
        best = _undominated(means)
        if len(best) > 1:
            ax.plot(*zip(*best, strict=True), color="0.6", linewidth=0.7, zorder=0)
        return _finished(ax)

    def sweep(
        self,
        metric: str = "goodput_bps",
        ax: Axes | None = None,
        *,
        axis: str | None = None,
        scale: float | None = None,
    ) -> Axes:
        """Plot the mean of a quantity over an axis of the grid, a line for each controller.

        Where the grid has further axes, each of their settings has a line of its own: nothing but seeds is
        averaged.

        Args:
            metric: A numeric column of ``runs``; the unit is the end of its name, and bit/s become Mbit/s.
            ax: Axes to draw on.
            axis: The field that goes along the axis; the first one that the sweep sets if absent.
            scale: A divisor of the values instead of the one that the unit has.

        Raises:
            ValueError: The results have no such axis or column.

        """
        axes = [name for name in self._results.report.get("axes", []) if name != "cc"]
        if not axes:
            how = 'several values of a setting make one: westwood.run(s, {"dumbbell.loss": ["0%", "1%"]})'
            raise ValueError(f"the results have no axis; {how}")
        axis = axis or axes[0]
        if axis not in axes:
            raise ValueError(f"the results have no axis '{axis}'; there are {', '.join(axes)}")
        if metric not in self._results.runs.columns:
            raise ValueError(f"'{metric}' is no column of runs")
        name, divisor = _quantity(metric)
        ax = _axes(ax, axis, name)
        rows = self._runs()
        values = list(dict.fromkeys(row[axis] for row in rows))
        others = [name for name in axes if name != axis]
        controllers = list(dict.fromkeys(row["cc"] for row in rows))
        lines: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
        for row in sorted(rows, key=lambda row: controllers.index(row["cc"])):
            settings = [row[name] and f"{name.rpartition('.')[2]}={row[name]}" for name in others]
            lines.setdefault((row["cc"], row["variant"], *settings), []).append(row)
        for i, (kind, own) in enumerate(lines.items()):
            found = [[row[metric] for row in own if row[axis] == value] for value in values]
            means = [
                fmean(v for v in at if v is not None) if any(v is not None for v in at) else None
                for at in found
            ]
            shown = [float("nan") if mean is None else mean / (scale or divisor) for mean in means]
            label = ", ".join(part for part in kind if part) or "the scenario"
            ax.plot(range(len(values)), shown, label=label, **_style(ax, i, marks=True))
        ax.set_xticks(range(len(values)), values)
        return _finished(ax)

    def _runs(self) -> list[dict[str, Any]]:
        return [row for row in self._results.runs.rows() if row["goodput_bps"] is not None]

    def _series(self, kind: Literal["windows", "rtts", "queues"]) -> list[dict[str, Any]]:
        table = self._results.series(kind)
        return [] if table is None else list(table.rows())

    def _first_flow(
        self, kind: Literal["windows", "rtts"], column: str
    ) -> Iterable[tuple[str, list[dict[str, Any]]]]:
        """Return the rows of the first flow of each point's first group under test."""
        tested = {(r["point"], r["group"]) for r in self._results.groups.rows() if r["tested"]}
        first: dict[int, str] = {}
        for row in self._results.flows.rows():
            if (row["point"], row["group"]) in tested:
                first.setdefault(row["point"], row["flow"])
        rows = (r for r in self._series(kind) if r["flow"] == first.get(r["point"]))
        return _by_name([row for row in rows if row[column] is not None])

    def _dots(
        self, ax: Axes | None, label: str, metric: str, divisor: float, *, end: float | None = None
    ) -> Axes:
        points = _by_name(self._runs())
        names = [name for name, _ in points]
        across = len(names) <= NAMES_ACROSS and max(map(len, names), default=0) <= LETTERS_ACROSS
        if across:
            ax = _axes(ax, "", label)
        else:
            # A line of text for each name.
            ax = _axes(ax, label, "", inches=len(names) * 1.4 * TEXT_POINTS / 72)
        for i, (_, rows) in enumerate(points):
            values = [row[metric] / divisor for row in rows]
            places = [i] * len(values)
            one = _style(ax, i, marks=True) | {"linestyle": "none"}
            seeds = one | {"marker": ".", "markersize": 2, "alpha": 0.6}
            ax.plot(*((places, values) if across else (values, places)), **seeds)
            ax.plot(*(([i], [fmean(values)]) if across else ([fmean(values)], [i])), **one)
        ends = (-0.5, max(len(names), 1) - 0.5)
        if across:
            turned = 30 if sum(map(len, names)) > 24 else 0
            ax.set_xticks(range(len(names)), names, rotation=turned, ha="right" if turned else "center")
            ax.set_xlim(*ends)
            ax.set_ylim(0, end)
        else:
            ax.set_yticks(range(len(names)), names)
            ax.set_ylim(*reversed(ends))
            ax.set_xlim(0, end)
        return ax


def _axes(ax: Axes | None, x: str, y: str, *, inches: float = 0.0) -> Axes:
    """Take these axes, or make new ones with so much height at least for what is drawn."""
    if ax is None:
        from matplotlib import pyplot

        size = (COLUMN_INCHES, max(COLUMN_INCHES * 0.62, inches + 0.6))
        figure = pyplot.figure(figsize=size, layout="constrained")
        _MADE.add(figure)
        ax = cast("Axes", figure.add_subplot())
    ax.set_xlabel(x, fontsize=TEXT_POINTS)
    ax.set_ylabel(y, fontsize=TEXT_POINTS)
    ax.tick_params(labelsize=TEXT_POINTS - 1)
    ax.spines[["top", "right"]].set_visible(False)
    return ax


def _style(ax: Axes, i: int, *, marks: bool = False) -> dict[str, Any]:
    """Return the properties of the ``i``-th contestant on these axes."""
    from matplotlib.colors import to_rgba

    *colour, opaque = to_rgba(ax.get_facecolor())
    if opaque == 0:
        colour = list(to_rgba(ax.figure.get_facecolor())[:3])
    red, green, blue = colour
    return style(i, marks=marks, dark=0.299 * red + 0.587 * green + 0.114 * blue < 0.5)


def _finished(ax: Axes, *, zero: bool = True) -> Axes:
    if zero:
        ax.set_ylim(bottom=0)
    names = ax.get_legend_handles_labels()[1]
    if len(names) > 1:
        _add_legend(ax, len(names))
    return ax


def _add_legend(ax: Axes, names: int) -> None:
    """Name the lines above the axes, in as many columns as there is width for."""
    # Above the axes it hides nothing; a search for the emptiest corner takes seconds with many points.
    place: dict[str, Any] = {"loc": "lower left", "bbox_to_anchor": (0, 1), "borderaxespad": 0.2}
    look: dict[str, Any] = {"fontsize": TEXT_POINTS - 1.5, "frameon": False, "handlelength": 2.6}
    figure = ax.figure
    alone = len(figure.axes) == 1
    width = (figure.bbox.x1 if alone else ax.bbox.x1) - ax.bbox.x0
    for columns in range(min(names, LEGEND_COLUMNS), 0, -1):
        legend = ax.legend(**place, ncols=columns, **look)
        if legend.get_window_extent().width <= width:
            break
    rows = -(-names // columns)
    if figure in _MADE and rows > LEGEND_ROWS:
        height = legend.get_window_extent().height / figure.dpi
        made = cast("Figure", figure)
        made.set_figheight(made.get_figheight() + height * (1 - LEGEND_ROWS / rows))


def _by_name(rows: Sequence[dict[str, Any]]) -> list[tuple[str, list[dict[str, Any]]]]:
    found: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        found.setdefault(row["name"], []).append(row)
    return list(found.items())


def _columns(rows: Sequence[dict[str, Any]], *names: str) -> list[list[Any]]:
    return [[row[name] for row in rows] for name in names]


def _undominated(points: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """Find the points of which none has less delay and more goodput, by delay."""

    def beats(a: tuple[float, float], b: tuple[float, float]) -> bool:
        return a[0] <= b[0] and a[1] >= b[1] and a != b

    return sorted(p for p in points if not any(beats(other, p) for other in points))


def _quantity(metric: str) -> tuple[str, float]:
    """Name a column with its unit, and the divisor to that unit."""
    units = {"_bps": ("Mbit/s", 1e6), "_ms": ("ms", 1.0), "_s": ("s", 1.0), "_packets": ("packets", 1.0)}
    for ending, (unit, divisor) in units.items():
        if metric.endswith(ending):
            return f"{metric.removesuffix(ending).replace('_', ' ')} in {unit}", divisor
    return metric.replace("_", " "), 1.0
