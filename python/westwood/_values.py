"""Values of settings as scenario files write them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Union

from westwood.controllers import Controller, RegisteredController, known
from westwood.errors import BadScenario

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


def assignments(settings: Mapping[str, Value]) -> list[str]:
    """Write settings by path as ``PATH=VALUE``; several values make an axis of the grid."""
    return [f"{path}={text(value, path)}" for path, value in settings.items()]
