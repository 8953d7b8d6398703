"""Words of representations."""

from __future__ import annotations


def counted(n: int, noun: str) -> str:
    """Count things whose plural ends in s."""
    return f"{n} {noun}" if n == 1 else f"{n} {noun}s"
