"""Plots, looked at as pictures: they have ink, units, and are told apart without colour."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import westwood

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("agg")
np = pytest.importorskip("numpy")
from matplotlib import pyplot  # noqa: E402

from westwood.plot import COLUMN_INCHES, style  # noqa: E402


@pytest.fixture(scope="module")
def three() -> westwood.Results:
    cc = ["reno", "westwood+", "bbr"]
    return westwood.compare(cc=cc, rate="5Mbit/s", rtt="40ms", time="10s", seeds=2, flows=2)


@pytest.fixture(scope="module")
def swept() -> westwood.Results:
    scenario = westwood.Scenario.comparison(cc=["reno", "cubic"], rate="5Mbit/s", rtt="40ms", time="5s")
    return westwood.run(scenario, {"dumbbell.loss": ["0%", "0.5%", "2%"]})


def picture(ax: Any) -> Any:
    """Draw the figure of these axes, and answer its pixels from 0 to 1."""
    figure = ax.figure
    figure.set_dpi(150)
    figure.canvas.draw()
    pixels = np.asarray(figure.canvas.buffer_rgba())[:, :, :3] / 255.0
    pyplot.close(figure)
    return pixels


DRAWN: dict[str, Callable[[westwood.Results], Any]] = {
    "cwnd": lambda r: r.plot.cwnd(ssthresh=True),
    "rtt": lambda r: r.plot.rtt(),
    "queue": lambda r: r.plot.queue(),
    "bandwidth": lambda r: r.plot.bandwidth(),
    "goodput": lambda r: r.plot.goodput(),
    "fairness": lambda r: r.plot.fairness(),
    "front": lambda r: r.plot.front(),
}


@pytest.mark.parametrize("kind", DRAWN)
def test_a_plot_fits_a_column_has_units_and_ink(three: westwood.Results, kind: str) -> None:
    ax = DRAWN[kind](three)
    assert ax.figure.get_figwidth() == COLUMN_INCHES
    labels = [text for text in (ax.get_xlabel(), ax.get_ylabel()) if text]
    assert all(" in " in text or text == "Jain's index" for text in labels), labels
    pixels = picture(ax)
    dark = (pixels.min(axis=2) < 0.9).mean()
    assert 0.005 < dark < 0.5, dark
    # Nothing is cut off: the outermost pixels are paper.
    border = [pixels[0], pixels[-1], pixels[:, 0], pixels[:, -1]]
    assert all((edge > 0.99).all() for edge in border)


def test_contestants_are_told_apart_without_colour() -> None:
    kinds = {(str(one["linestyle"]), one["marker"]) for one in (style(i, marks=True) for i in range(8))}
    assert len(kinds) == 8
    grey = []
    for i in range(7):
        ax = pyplot.figure(figsize=(2, 1)).add_subplot()
        ax.plot([0, 1, 2, 3], [1, 1, 1, 1], **(style(i) | {"color": "black", "linewidth": 2}))
        ax.set_axis_off()
        grey.append(picture(ax))
    for i, one in enumerate(grey):
        assert all(np.abs(one - other).mean() > 1e-4 for other in grey[:i]), i


def test_a_sweep_is_drawn_over_its_axis(swept: westwood.Results) -> None:
    ax = swept.plot.sweep()
    assert ax.get_xlabel() == "dumbbell.loss"
    assert ax.get_ylabel() == "goodput in Mbit/s"
    assert [line.get_label() for line in ax.get_lines()] == ["reno", "cubic"]
    reno = ax.get_lines()[0].get_ydata()
    assert reno[0] > reno[1] > reno[2]
    assert (picture(ax) < 0.9).any()
    with pytest.raises(ValueError, match="no axis"):
        swept.plot.sweep(axis="dumbbell.rtt")
    with pytest.raises(ValueError, match="no column"):
        swept.plot.sweep("speed")


def test_given_axes_are_drawn_on_and_returned(three: westwood.Results) -> None:
    figure, (left, right) = pyplot.subplots(1, 2)
    assert three.plot.cwnd(left) is left
    assert three.plot.queue(right) is right
    assert len(left.get_lines()) == len(right.get_lines()) == 3
    pyplot.close(figure)


def test_a_plot_that_has_nothing_to_show_says_so() -> None:
    r = westwood.compare(cc="reno", rate="5Mbit/s", time="5s")
    with pytest.raises(ValueError, match="bandwidth estimate"):
        r.plot.bandwidth()
    pyplot.close("all")
    with pytest.raises(ValueError, match="link"):
        r.plot.queue(link="nowhere")
    pyplot.close("all")
