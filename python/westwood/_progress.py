"""How far long work is: a callback, or a bar."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

Progress = bool | Callable[[float, float], object]
"""``True`` for a bar, or a callable that is given the simulated seconds so far and those of all runs."""


@contextmanager
def followed(progress: Progress) -> Iterator[Callable[[float, float], object] | None]:
    """Turn a user's choice into a callback: a bar by tqdm where it is installed, else a line on stderr."""
    if progress is False:
        yield None
    elif progress is not True:
        yield progress
    else:
        try:
            from tqdm.auto import tqdm
        except ImportError:
            yield _line
            print(file=sys.stderr)
            return
        with tqdm(total=0, unit="s", bar_format="{l_bar}{bar}| {n:.0f}/{total:.0f}") as bar:

            def follow(done: float, total: float) -> None:
                bar.total = total
                bar.update(done - bar.n)

            yield follow


def _line(done: float, total: float) -> None:
    print(f"\r{done:.0f} of {total:.0f} s simulated", end="", file=sys.stderr)
