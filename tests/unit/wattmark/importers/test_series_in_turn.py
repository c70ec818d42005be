"""Two or more meters in one file whose lines name none: told by their power, wherever they begin."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from datetime import UTC
from itertools import chain
from pathlib import Path

import numpy as np
import pytest
from wattmark.core.errors import InputError
from wattmark.importers.csv_mapping.csv_import import csv_run
from wattmark.importers.csv_mapping.mapping import CsvMapping
from wattmark.importers.importer import Choices
from wattmark.importers.series_in_turn import SeriesInTurn

from .test_every_log_line import LINES, T, imported

SPLIT = {"wattsup": (".414022", ".914022"), "ptdaemon": (".000,W", ".500,W"), "hwinfo": (".0,", ".5,")}
"""What stands for a fraction of a second in the lines of a kind, and half a second later."""


def line(kind: str, t_s: int, watts: float, *, half: bool = False) -> str:
    if kind in ("telegraf", "collectd"):
        return LINES[kind](t_s + half / 2, watts)
    return LINES[kind](t_s, watts).replace(*SPLIT[kind]) if half else LINES[kind](t_s, watts)


@pytest.mark.parametrize("kind", LINES)
@pytest.mark.parametrize("begin", [0, 5000])
def test_a_second_meter_in_the_file_is_told_wherever_it_begins(tmp_path: Path, kind: str, begin: int) -> None:
    """One takes 200 to 206 W, the other 200 W more half a second later: their mean would be 303 W."""
    lines = [line(kind, T + i, 200 + i % 7) for i in range(begin)]
    for i in range(begin, begin + 600):
        lines += [line(kind, T + i, 200 + i % 7), line(kind, T + i, 400 + i % 7, half=True)]
    with pytest.raises(InputError, match=r"alternates from line to line .* 2 series"):
        imported(tmp_path, kind, lines)


def test_a_second_meter_in_a_column_is_told(tmp_path: Path) -> None:
    mapping = CsvMapping.model_validate(
        {
            "name": "any",
            "time": {"columns": ["time"], "format": "unix s"},
            "columns": [{"column": "W", "quantity": "power", "unit": "W"}],
        }
    )
    path = tmp_path / "log.csv"
    path.write_text("time,W\n" + "".join(f"{T + i / 2},{200 + i // 2 % 7 + 200 * (i % 2)}\n" for i in range(600)))
    with pytest.raises(InputError, match=r"\(203 W, 403 W\): 2 series"):
        csv_run(path, mapping, Choices(zone=UTC))


def look(values: list[float], block: int = 1000, step_s: Callable[[int], float] = float) -> None:
    """Look at readings block by block."""
    t_ns = np.array([round((T + step_s(i)) * 1e9) for i in range(len(values))])
    in_turn = SeriesInTurn()
    for begin in range(0, len(values), block):
        part = slice(begin, begin + block)
        in_turn.require_one("log", t_ns[part], np.array(values[part]))


@pytest.mark.parametrize("count", [2, 3, 4])
@pytest.mark.parametrize("block", [7, 50, 1000])
def test_meters_that_take_turns_at_any_time_are_counted(count: int, block: int) -> None:
    noise = random.Random(1)
    meters = [[100 * (1 + meter) + noise.gauss(0, 2) for _ in range(300)] for meter in range(count)]
    values = list(chain.from_iterable(zip(*meters, strict=True)))
    with pytest.raises(InputError, match=f"{count} series stand"):
        look([50.0] * 3000 + values, block, lambda i: i + noise.uniform(0, 0.3))


@pytest.mark.parametrize(
    "power",
    [
        lambda i: 300.0 if math.fmod(i, 2.02) < 1 else 100.0,
        lambda i: 300.0 if i % 3 == 0 else 100.0,
        lambda i: 200.0 + 0.1 * (i % 2),
        lambda i: 200 + i % 7,
        lambda i: 300.0 if i % 2 and i < 150 else 100.0,
        lambda i: 200 + 40 * math.sin(i) + random.Random(i).gauss(0, 20),
    ],
    ids=["not in step", "two levels in three", "last digit", "saw", "for a while", "noise"],
)
def test_loads_of_one_meter_pass(power: Callable[[int], float]) -> None:
    look([power(i) for i in range(5000)])


def test_a_load_in_step_with_the_readings_is_refused_with_what_to_do() -> None:
    with pytest.raises(InputError, match="its load changes in step with its readings: log more often"):
        look([300.0 if i % 2 else 100.0 for i in range(300)])
