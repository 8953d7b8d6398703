"""Every notebook runs from its first cell to its last."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from conftest import ROOT

NOTEBOOKS = sorted((ROOT / "python" / "notebooks").glob("*.ipynb"))

NEEDS = {
    "tour": ["matplotlib", "pandas", "pyarrow"],
    "figure": ["matplotlib", "pandas", "pyarrow"],
    "controller": ["matplotlib"],
    "agent": ["gymnasium", "numpy"],
    # Libraries of learning algorithms are large: where they are not at hand, the skipped test names them.
    "ppo": ["gymnasium", "numpy", "stable_baselines3"],
    "sweep": ["distributed", "duckdb", "pandas"],
}
"""Packages of each notebook beside the project's own."""


def test_every_notebook_says_its_needs() -> None:
    assert {path.stem for path in NOTEBOOKS} == set(NEEDS)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs(path: Path, tmp_path: Path) -> None:
    nbformat = pytest.importorskip("nbformat")
    nbclient = pytest.importorskip("nbclient")
    traitlets_config = pytest.importorskip("traitlets.config")
    for package in ("ipykernel", *NEEDS[path.stem]):
        pytest.importorskip(package)
    notebook = nbformat.read(path, as_version=4)
    assert all(not cell.get("outputs") for cell in notebook.cells), "it is kept without outputs"
    # Below those that the system gives away: another program may take one between its choice and its use.
    sockets = ("shell", "iopub", "stdin", "hb", "control")
    first = 10_000 + 10 * (os.getpid() % 2_000)
    ports = {f"{socket}_port": port for port, socket in enumerate(sockets, first)}
    config = traitlets_config.Config({"KernelManager": ports})
    resources = {"metadata": {"path": str(path.parent)}}
    nbclient.NotebookClient(notebook, timeout=300, resources=resources, config=config).execute()
