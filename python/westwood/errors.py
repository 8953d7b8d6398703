"""The exceptions of the package."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["BadScenario", "Fault"]

Fault = tuple[str, str | None, str | None]
"""A fault: message, place, hint."""


class BadScenario(ValueError):  # noqa: N818 - as BadInput of the command is called
    """A setting, or a scenario's text, is wrong; nothing has been run.

    Attributes:
        place: Where the first fault is: a keyword, as in ``return_rate``, or ``file:line:column``; ``None``
            if it has no place.
        hint: The text to write instead, or ``None``.
        faults: Every fault as ``(message, place, hint)``, in the order of the text.

    """

    def __init__(self, faults: Sequence[Fault] | str) -> None:
        if isinstance(faults, str):
            faults = [(faults, None, None)]
        self.faults: list[Fault] = [(str(m), p, h) for m, p, h in faults]
        super().__init__("\n".join(_line(fault) for fault in self.faults))
        self.place = self.faults[0][1] if self.faults else None
        self.hint = self.faults[0][2] if self.faults else None

    def __reduce__(self) -> tuple[type[BadScenario], tuple[list[Fault]]]:
        """Keep the parts when the exception crosses to another process."""
        return (type(self), (self.faults,))


def _line(fault: Fault) -> str:
    message, place, hint = fault
    return f"{place + ': ' if place else ''}{message}{'; ' + hint if hint else ''}"
