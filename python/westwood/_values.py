"""Values of settings as scenario files write them."""

from __future__ import annotations

import operator
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import timedelta
from typing import Any, Union

from westwood import _native
from westwood.controllers import Controller, RegisteredController, known
from westwood.errors import BadScenario, Fault

MOST_JOBS = 1024

SEVERAL = ("cc", "trace", "like")
"""Settings that take several values, or that no path of a grid sets."""

Value = Union[  # noqa: UP007 - it names itself
    str, int, float, bool, timedelta, type[Controller], RegisteredController, Sequence["Value"]
]
"""A quantity with its unit as text (``"10Mbit/s"``), a number, a switch, a time, a controller of one's own,
or several of these."""


def text(value: Value, keyword: str) -> str:
    """Write a value as a scenario file has it: ``True`` is ``on``, several values have commas between.

    Scalars, arrays and columns of NumPy and pandas are written as the numbers that they hold.

    Raises:
        BadScenario: The value is of another type.

    """
    if isinstance(value, str):
        return value
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, timedelta):
        return f"{value / timedelta(microseconds=1):.0f}us"
    if isinstance(value, RegisteredController):
        return known(value)
    if isinstance(value, type) and issubclass(value, Controller):
        return known(value)
    if isinstance(value, Sequence) and not isinstance(value, bytes | bytearray | memoryview):
        return ",".join(text(one, keyword) for one in value)
    kind = type(value).__name__
    if isinstance(value, Controller):
        hint = (
            f"give the class {kind}, or {kind}.variant(...) with other values: each connection makes its own"
        )
        raise BadScenario([(f"an object of {kind} is no controller", keyword, hint)])
    raise BadScenario(
        [(f"a value of type {kind} is no setting", keyword, "write text with a unit, or a number")]
    )


def plain(value: Any) -> Any:
    """Write what a scenario's text has as text or numbers: controllers, times, and values of NumPy."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, Mapping):
        return {key: plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [plain(one) for one in value]
    written = isinstance(value, timedelta | RegisteredController | Controller)
    return text(value, "cc") if written or isinstance(value, type) else value


def words(settings: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Write the keywords of a comparison that are given."""
    return [(name, text(value, name)) for name, value in settings.items() if value is not None]


@contextmanager
def single(settings: Mapping[str, Any]) -> Iterator[None]:
    """Say of a setting that takes one value, and is wrong because it was given several, how to sweep them.

    Raises:
        BadScenario: The same faults.

    """
    try:
        yield
    except BadScenario as error:
        raise BadScenario([_of_one(fault, settings) for fault in error.faults]) from None


def _of_one(fault: Fault, settings: Mapping[str, Any]) -> Fault:
    _, place, _ = fault
    value: Any = settings.get(place or "")
    if hasattr(value, "tolist"):
        value = value.tolist()
    if place is None or place in SEVERAL or not isinstance(value, list | tuple) or len(value) < 2:
        return fault
    headings = {name: heading for name, heading, *_ in _native.settings()}
    table = {"Path": "dumbbell.", "Flows": "dumbbell.", "Transport": "tcp."}.get(headings.get(place, ""), "")
    hint = f'sweep them: westwood.run(westwood.Scenario.comparison(...), {{"{table}{place}": [...]}})'
    return (f"one value is taken, and {len(value)} are given", place, hint)


def at_a_time(jobs: int | None) -> int | None:
    """Return the number of runs at the same time.

    Raises:
        BadScenario: There are none, or more than the command takes.

    """
    if jobs is None:
        return None
    try:
        number = operator.index(jobs)
    except TypeError:
        number = 0
    if not 1 <= number <= MOST_JOBS:
        hint = f"write a number from 1 to {MOST_JOBS}, or None for one run on each processor"
        raise BadScenario([(f"{jobs!r} is no number of runs", "jobs", hint)])
    return number


def assignments(settings: Mapping[str, Value]) -> list[str]:
    """Write settings by path as ``PATH=VALUE``; several values make an axis of the grid.

    Raises:
        BadScenario: They are no dictionary, or a value is of another type.

    """
    if not isinstance(settings, Mapping):
        kind = type(settings).__name__
        hint = 'write a dictionary, as in {"cc": ["reno", "bbr"], "dumbbell.loss": "1%"}'
        raise BadScenario([(f"a value of type {kind} has no settings by path", "set", hint)])
    return [f"{path}={text(value, path)}" for path, value in settings.items()]
