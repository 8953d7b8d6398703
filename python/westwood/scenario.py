"""Scenarios: experiments as TOML, read, changed and written."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from westwood import _native
from westwood._values import plain, single, words
from westwood.errors import BadScenario

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from westwood._settings import Settings

__all__ = ["Scenario"]


class Scenario:
    """An experiment: a network and its traffic, over a grid of settings and over seeds.

    Fields are read and set by dotted key, where a table of a list is called by its ``name``. Comments and
    order of the text stay as they are, and ``str`` gives it back to the byte if nothing was changed.

    >>> s = Scenario.comparison(cc=["reno", "bbr"], rate="10Mbit/s", rtt="50ms")
    >>> s["dumbbell.rate"]
    '10Mbit/s'
    >>> s["dumbbell.rate"] = "20Mbit/s"
    >>> s["sweep"] = {"dumbbell.loss": ["0%", "1%"]}
    >>> [name for name in s.points][:2]
    ['reno, loss=0%', 'bbr, loss=0%']

    """

    def __init__(
        self,
        tables: str | Mapping[str, Any] = "",
        *,
        name: str = "scenario",
        folder: str | os.PathLike[str] | None = None,
    ) -> None:
        """Take a scenario from its TOML text, or from its tables as dictionaries and lists.

        Args:
            tables: The text or the tables.
            name: Its name in messages, and in results if the text has none.
            folder: Where the files are that it names; the working directory if absent.

        Raises:
            BadScenario: The text is no TOML, and ``place`` is ``name:line:column``; or it is no text.

        """
        self.name = name
        self.folder = None if folder is None else Path(folder)
        self._document = _native.Document(name, tables if isinstance(tables, str) else "")
        if not isinstance(tables, str):
            if not isinstance(tables, Mapping):
                what = f"a value of type {type(tables).__name__} is no scenario"
                raise BadScenario([(what, None, "give TOML as text, or its tables as a dictionary")])
            for key, value in tables.items():
                self[key] = value

    @classmethod
    def load(cls, file: str | os.PathLike[str]) -> Scenario:
        """Read a file, or the ready scenario of this name.

        Raises:
            BadScenario: The file cannot be read, it is no TOML, or no ready scenario has this name.

        """
        name, text, folder = _native.read_scenario(file)
        return cls(text, name=name, folder=folder)

    @classmethod
    def comparison(cls, **settings: Unpack[Settings]) -> Scenario:
        """Return the scenario that the keywords of :func:`westwood.compare` mean."""
        with single(settings):
            return cls(_native.Plan.of_settings(words(settings)).text, name="comparison")

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the text to a file, which ``westwood run`` reads."""
        Path(path).write_text(str(self), encoding="utf-8")

    def copy(self) -> Scenario:
        """Return a scenario of its own with the same text."""
        return Scenario(str(self), name=self.name, folder=self.folder)

    def __reduce__(self) -> tuple[Any, ...]:
        """Keep the text where a scenario is copied or goes to another process."""
        return (_of_text, (type(self), str(self), self.name, self.folder))

    @property
    def tables(self) -> dict[str, Any]:
        """All fields, as dictionaries and lists."""
        return self._document.tables()

    def __getitem__(self, key: str) -> Any:
        """Return a field or a table by dotted key.

        Raises:
            KeyError: It is not set.

        """
        at: Any = self.tables
        for part in key.split("."):
            if isinstance(at, list):
                at = next((one for one in at if isinstance(one, dict) and one.get("name") == part), None)
                found = at is not None
            else:
                found = isinstance(at, dict) and part in at
                at = at[part] if found else None
            if not found:
                raise KeyError(key)
        return at

    def __setitem__(self, key: str, value: Any) -> None:
        """Set a field by dotted key; tables that are missing on the way are made.

        Raises:
            KeyError: A part of the key is no table, or no table of the list has this name.
            BadScenario: An object stands where a controller's class belongs.
            TypeError: The value is not of a type that TOML has, and no controller, time or array.

        """
        self._document.set(key, plain(value))

    def __delitem__(self, key: str) -> None:
        """Remove a field by dotted key.

        Raises:
            KeyError: It is not set.

        """
        self._document.remove(key)

    def __contains__(self, key: object) -> bool:
        """Whether a field is set."""
        try:
            self[str(key)]
        except KeyError:
            return False
        return True

    def plan(self, set: list[str] | None = None) -> _native.Plan:  # noqa: A002
        """Check the whole scenario.

        Raises:
            BadScenario: Something is wrong; ``place`` is ``file:line:column``.

        """
        return _native.Plan.of_text(self.name, str(self), set or [], folder=self.folder)

    @property
    def points(self) -> list[str]:
        """The names of the points of the grid, in order; checks the whole scenario."""
        return [point[0] for point in self.plan().points]

    def __eq__(self, other: object) -> bool:
        """Whether the text is the same."""
        return isinstance(other, Scenario) and str(self) == str(other)

    __hash__ = None  # type: ignore[assignment]

    def __str__(self) -> str:
        """Return the text."""
        return self._document.text()

    def __repr__(self) -> str:
        """Name it."""
        return f"<westwood.Scenario {self.name}>"


def _of_text(kind: type[Scenario], text: str, name: str, folder: Path | None) -> Scenario:
    return kind(text, name=name, folder=folder)
