"""Tables of results, which every library of data frames reads without a copy."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from westwood import _native
from westwood._words import counted

__all__ = ["Table"]


class Table:
    """A table of typed columns, whose names end in their unit.

    It speaks the Arrow C stream interface (``__arrow_c_stream__``), so that ``pyarrow.table(t)``,
    ``polars.DataFrame(t)``, ``pandas.DataFrame.from_arrow(t)`` and DuckDB read it without a copy. Columns are
    strings, 64-bit floats, 64-bit integers (unsigned for seeds) or booleans, and any value may be null.
    """

    def __init__(self, native: _native.Table) -> None:
        self._native = native

    def __reduce__(self) -> tuple[Any, ...]:
        """Refuse to be copied or sent to another process.

        Raises:
            TypeError: Always.

        """
        raise TypeError("a table stays in its process: send table.to_pandas(), or another library's frame")

    @property
    def name(self) -> str:
        """The name of its kind of row: ``runs``, ``flows``, ``windows``..."""
        return self._native.name

    @property
    def columns(self) -> list[str]:
        """The names of the columns, in order."""
        return self._native.columns

    def __len__(self) -> int:
        """Count the rows."""
        return len(self._native)

    def __getitem__(self, column: str) -> list[Any]:
        """Return a column as a list; absent values are ``None``.

        Raises:
            KeyError: There is no such column.

        """
        return self._native.column(column)

    def rows(self) -> Iterator[dict[str, Any]]:
        """Iterate over the rows, each a dictionary by column."""
        names = self.columns
        return (dict(zip(names, row, strict=True)) for row in zip(*map(self.__getitem__, names), strict=True))

    def __arrow_c_schema__(self) -> object:
        """Return the schema as an ``arrow_schema`` capsule."""
        return self._native.__arrow_c_schema__()

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Return the rows as an ``arrow_array_stream`` capsule, a new one at each call."""
        return self._native.__arrow_c_stream__(requested_schema)

    def to_pyarrow(self) -> Any:
        """Return a ``pyarrow.Table`` that shares the memory of this one."""
        import pyarrow

        return pyarrow.table(self)

    def to_pandas(self) -> Any:
        """Return a ``pandas.DataFrame``, by way of pyarrow."""
        return self.to_pyarrow().to_pandas()

    def to_polars(self) -> Any:
        """Return a ``polars.DataFrame`` that shares the memory of this table."""
        import polars

        return polars.DataFrame(self)

    def __repr__(self) -> str:
        """Name the table, its size and its columns."""
        return f"<westwood.Table {self.name}: {counted(len(self), 'row')} of {', '.join(self.columns)}>"

    def _repr_html_(self) -> str:
        """Show the first rows in a notebook."""
        from html import escape

        shown = 10

        def cells(values: list[Any], tag: str) -> str:
            return "".join(f"<{tag}>{escape(_cell(value))}</{tag}>" for value in values)

        rows = "".join(
            f"<tr>{cells(list(row.values()), 'td')}</tr>"
            for _, row in zip(range(shown), self.rows(), strict=False)
        )
        more = f"<p>{len(self)} rows, the first {shown}</p>" if len(self) > shown else ""
        return f"<table><thead><tr>{cells(list(self.columns), 'th')}</tr></thead>{rows}</table>{more}"


def _cell(value: Any) -> str:
    if value is None:
        return ""
    return f"{value:.6g}" if isinstance(value, float) else str(value)
