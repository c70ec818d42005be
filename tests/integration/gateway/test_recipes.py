"""The recipes of the guide are typed, and each program shows what the meter shows."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from ..docs.pages import ROOT, Block
from ..docs.playground import Playground, playground
from ..docs.recipes import RECIPES

METER = "wall"
"""The meter of every recipe."""
NUMBER = r"\s*(-?\d+(?:\.(?P<decimals>\d+))?)\s*"
READINGS = 4
"""A program shows one of the newest readings; the meter has one a second, and a program takes its time."""


@pytest.mark.timeout(300)
@pytest.mark.parametrize("page", RECIPES, ids=lambda page: str(page.relative_to(ROOT)))
def test_programs_show_the_watts_of_the_meter(page: Path, tmp_path: Path) -> None:
    compared: list[float] = []

    def compare(ground: Playground, block: Block, shown: Sequence[str], output: str) -> None:
        for line in shown:
            if "…" in line:
                compared.append(_of_the_meter(ground, f"{block.where}: {line}", line, output))

    with playground(tmp_path, compare) as ground:
        ground.play(page)
    assert compared, f"{page.name} shows no watts"


def _of_the_meter(ground: Playground, where: str, line: str, output: str) -> float:
    """Return the number that a program printed in place of …, which is a newest reading within its last digit."""
    before, after = ([re.escape(word) for word in piece.split()] for piece in line.split("…"))
    match = re.search(r"\s+".join(before) + NUMBER + r"\s+".join(after), output)
    assert match, f"{where}: no number in\n{output}"
    printed, last_digit = float(match[1]), 10.0 ** -len(match["decimals"] or "")
    channels = json.loads(ground.ask("curl -sS http://127.0.0.1:8400/api/live"))["channels"]
    (power,) = (item for item in channels if item["source"] == METER and item["quantity"] == "power" and item["total"])
    newest_w = [value for value in power["value"] if value is not None][-READINGS:]
    low_w, high_w = min(newest_w) - 0.51 * last_digit, max(newest_w) + 0.51 * last_digit
    assert low_w <= printed <= high_w, f"{where}: {printed} W, and the meter showed {newest_w}"
    return printed
