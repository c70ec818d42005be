"""Each entrance of the list names a test that exists, and every folder that lets something in is on it."""

from __future__ import annotations

import re

from .pages import DOCS, ROOT

ROW = re.compile(r"^\| (?P<entrance>[^|]+) \| (?P<bound>[^|]+) \| `(?P<test>[^`]+)` \|$", re.M)


def test_every_entrance_has_bounds_and_a_test() -> None:
    rows = ROW.findall((DOCS / "entrances.md").read_text())
    lines = [line for line in (DOCS / "entrances.md").read_text().splitlines() if line.startswith("| ")]
    heads = 2 * sum(line.startswith("| ---") for line in lines)
    assert len(rows) == len(lines) - heads, "a row does not read `| entrance | bound | test |`"
    missing = [test for _, _, test in rows if "def test_" not in _text(test)]
    assert missing == []


def test_every_promise_of_the_security_page_has_a_test() -> None:
    promises = (DOCS / "guide" / "security.md").read_text().partition("| promise |")[2]
    tests = re.findall(r"`(tests/[^`]+)`", promises)
    assert len(tests) >= 12
    assert [test for test in tests if "def test_" not in _text(test)] == []


def _text(test: str) -> str:
    file = ROOT / test
    return file.read_text() if file.is_file() else ""
