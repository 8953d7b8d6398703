"""Writes westwood/_settings.py, the keywords of a comparison, from the tables of the program."""

from __future__ import annotations

import re
import textwrap
from pathlib import Path

from westwood import _native

PLACE = Path(__file__).parents[1] / "westwood" / "_settings.py"

HEAD = '''"""The keywords of a comparison. Made by tools/settings.py from the tables of scenario files."""

from __future__ import annotations

from typing import TypedDict

from westwood._values import Value


class Settings(TypedDict, total=False):
    """The path, its traffic and its hosts."""
'''


def source() -> str:
    """Return the module's text."""
    parts = [HEAD]
    heading = ""
    for name, group, about, form, absent in _native.settings():
        if group != heading:
            heading = group
            parts.append(f"\n    # {group}\n")
        told = re.sub(r"--([a-z]+(?:-[a-z]+)*)", lambda m: m[1].replace("-", "_"), about)
        default = re.sub(r"--([a-z]+(?:-[a-z]+)*)", lambda m: m[1].replace("-", "_"), absent)
        text = f"{form}: {told} Default: {default}."
        lines = textwrap.wrap(text, 102, break_long_words=False, break_on_hyphens=False)
        parts.append(f"\n    {name}: Value\n" + "".join(f"    # {line}\n" for line in lines))
    return "".join(parts)


if __name__ == "__main__":
    PLACE.write_text(source(), encoding="utf-8")
