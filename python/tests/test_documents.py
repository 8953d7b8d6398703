"""The package is as its documents say."""

from __future__ import annotations

import doctest
import importlib
import inspect
import pkgutil
import re
from pathlib import Path

import pytest
from conftest import ROOT

import westwood

MODULES = [m.name for m in pkgutil.iter_modules(westwood.__path__) if not m.name.startswith("_")]


@pytest.mark.parametrize("name", ["", *MODULES])
def test_examples_in_docstrings_run(name: str) -> None:
    module = importlib.import_module(f"westwood.{name}" if name else "westwood")
    failed, _ = doctest.testmod(module, optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    assert failed == 0


@pytest.mark.parametrize("page", ["python", "cluster"])
def test_programs_of_a_page_run_one_after_the_other(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for package in ("pandas", "pyarrow", "matplotlib", "duckdb", "distributed"):
        pytest.importorskip(package)
    text = (ROOT / "docs" / "how-to" / f"{page}.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    assert len(blocks) >= 2
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"__name__": page}
    for block in blocks:
        exec(block, names)


def test_the_keywords_are_those_of_the_programs_tables() -> None:
    generator = ROOT / "python" / "tools" / "settings.py"
    names: dict[str, object] = {"__name__": "settings", "__file__": str(generator)}
    exec(compile(generator.read_text(encoding="utf-8"), str(generator), "exec"), names)
    made = names["source"]
    assert callable(made)
    module = Path(westwood.__file__).with_name("_settings.py")
    assert module.read_text(encoding="utf-8") == made(), "write it anew: python tools/settings.py"


def test_everything_public_has_a_docstring() -> None:
    for name in westwood.__all__:
        thing = getattr(westwood, name)
        if inspect.isclass(thing) or inspect.isfunction(thing):
            assert thing.__doc__, name


def test_compare_lists_its_settings() -> None:
    told = westwood.compare.__doc__ or ""
    assert "rate (RATE)" in told
    assert "--" not in told.split("Settings:")[1]
