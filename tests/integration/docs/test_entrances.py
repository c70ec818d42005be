"""Each entrance of the list names a test that exists, and every folder that lets something in is on it."""

from __future__ import annotations

import re

from .pages import DOCS, ROOT

ROW = re.compile(r"^\| (?P<entrance>[^|]+) \| (?P<bound>[^|]+) \| `(?P<test>[^`]+)` \|$", re.M)


def test_every_entrance_has_bounds_and_a_test() -> None:
    rows = ROW.findall((DOCS / "entrances.md").read_text())
    lines = [line for line in (DOCS / "entrances.md").read_text().splitlines() if line.startswith("| ")]
    assert len(rows) == len(lines) - 2, "a row does not read `| entrance | bound | test |`"
    missing = [test for _, _, test in rows if "def test_" not in _text(test)]
    assert missing == []


def _text(test: str) -> str:
    file = ROOT / test
    return file.read_text() if file.is_file() else ""
