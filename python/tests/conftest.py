"""Fixtures that several tests share."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

import westwood

ROOT = Path(__file__).parents[2]

SMALL = {"cc": ["reno", "bbr"], "rate": "5Mbit/s", "rtt": "40ms", "loss": "0.5%", "time": "5s", "seeds": 2}
"""A comparison that takes a few milliseconds."""


@pytest.fixture(scope="session")
def small() -> westwood.Results:
    return westwood.compare(**SMALL)  # type: ignore[arg-type]


@pytest.fixture(scope="session")
def command() -> Path:
    """The command westwood of the same tree; WESTWOOD_COMMAND names it."""
    given = os.environ.get("WESTWOOD_COMMAND")
    builds = [ROOT / "target" / profile / "westwood" for profile in ("release", "command", "debug")]
    built = [Path(given)] if given else builds
    found = [path for path in built if path.exists()]
    if not found:
        pytest.skip("the command westwood is not built; WESTWOOD_COMMAND may name it")
    return max(found, key=lambda path: path.stat().st_mtime)


def said(command: Path, *arguments: str, folder: Path | None = None) -> str:
    """Return the output of the command."""
    done = subprocess.run([command, *arguments], capture_output=True, text=True, check=True, cwd=folder)
    return done.stdout
