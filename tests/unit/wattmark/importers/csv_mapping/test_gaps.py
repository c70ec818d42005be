"""What came between two stamps where lines are missing or stamps are coarse: no other power, and not without a word.

A source of constant 100 W that is logged every 10 s gives 1000 J a line, whatever happens to lines on the way.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from wattmark.core.errors import InputError
from wattmark.importers.csv_mapping.csv_import import csv_importer
from wattmark.importers.csv_mapping.mapping import CsvMapping
from wattmark.importers.importer import Choices, ImportedRun
from wattmark.importers.logs import log_rows

Lines = list[str]
POWER = {"column": "p", "quantity": "power", "unit": "W"}
ENERGY = {"column": "p", "quantity": "energy since the line before", "unit": "J"}
WORK = {"column": "n", "quantity": "throughput", "unit": "count"}


def at(second: float) -> str:
    minute, second = divmod(second, 60)
    return f"2024-07-01T12:{minute:02.0f}:{second:02.0f}Z"


def read(tmp_path: Path, lines: Lines, columns: list[dict[str, Any]], head: str = "t,p", **changes: Any) -> ImportedRun:
    path = tmp_path / "log.csv"
    path.write_text("\n".join([head, *lines]) + "\n")
    holds = "power log with throughput" if WORK in columns else "power log"
    time = {"columns": ["t"], "format": "iso 8601"}
    mapping = {"name": "any", "time": time, "columns": columns, "holds": holds, "zone": "UTC"} | changes
    (pending,) = csv_importer(CsvMapping.model_validate(mapping)).find(path, Choices())
    return pending.read()


def good_watts(run: ImportedRun) -> list[float]:
    """Return the values of the good samples."""
    parts = [samples for block in run.blocks() for _, samples in block]
    return [float(w) for part in parts for w in part.value[part.quality == 0]]


def emptied(lines: Lines) -> Lines:
    return [*lines[:20], f"{at(200)},", *lines[21:]]


def without(lines: Lines) -> Lines:
    return lines[:20] + lines[21:]


def stamped_late(lines: Lines) -> Lines:
    return [*lines[:20], lines[10], *lines[21:]]


def swapped(lines: Lines) -> Lines:
    return [*lines[:20], lines[21], lines[20], *lines[22:]]


def torn(lines: Lines) -> Lines:
    return [*lines[:20], "2024-07-", *lines[21:]]


@pytest.mark.parametrize("damage", [emptied, without, stamped_late, swapped, torn])
@pytest.mark.parametrize("block", [7, 21, 50_000])
def test_no_reading_of_energy_has_another_power(
    tmp_path: Path, damage: Callable[[Lines], Lines], block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(log_rows, "_VALUES", block)
    run = read(tmp_path, damage([f"{at(10 * n)},1000" for n in range(60)]), [ENERGY])
    assert good_watts(run) == pytest.approx([100.0] * len(good_watts(run)))
    assert len(good_watts(run)) >= 56
    assert any("readings after a gap are invalid (1)" in note for note in run.notes) or damage is torn


def test_a_cell_that_stays_empty_in_a_log_of_two_meters_is_a_gap(tmp_path: Path) -> None:
    lines = [f"{at(10 * n)},{'' if n == 20 else 1000},50" for n in range(60)]
    run = read(tmp_path, lines, [ENERGY | {"meter": "a"}, POWER | {"column": "q", "meter": "b"}], "t,p,q")
    assert sorted(set(good_watts(run))) == pytest.approx([50.0, 100.0])
    assert any("readings after a gap are invalid (1)" in note for note in run.notes)


def test_a_meter_that_writes_every_third_line_gives_its_energy_since_its_reading_before(tmp_path: Path) -> None:
    lines = [f"{at(10 * n)},{3000 if n % 3 == 0 else ''},50" for n in range(60)]
    run = read(tmp_path, lines, [ENERGY | {"meter": "a"}, POWER | {"column": "q", "meter": "b"}], "t,p,q")
    assert sorted(set(good_watts(run))) == pytest.approx([50.0, 100.0])
    assert not any("gap" in note for note in run.notes)


def test_a_logger_that_writes_at_will_is_believed_with_a_word(tmp_path: Path) -> None:
    seconds = np.cumsum([10 if n % 5 < 3 else 40 for n in range(60)])
    steps = np.diff(seconds, prepend=0)
    run = read(tmp_path, [f"{at(s)},{100 * step}" for s, step in zip(seconds, steps, strict=True)], [ENERGY])
    assert good_watts(run) == pytest.approx([100.0] * 59)
    assert any("the time between its readings varies" in note for note in run.notes)


@pytest.mark.parametrize("period_s", [1.02, 1.07, 1.3, 1.5, 1.9, 2.5, 5.3])
def test_stamps_that_are_too_coarse_for_the_energy_between_them_are_refused(tmp_path: Path, period_s: float) -> None:
    lines = [f"{at(int(n * period_s))},{100 * period_s:.2f}" for n in range(300)]
    with pytest.raises(InputError, match="too coarse for the energy between two of them"):
        read(tmp_path, lines, [ENERGY])


def test_a_logger_of_whole_minutes_is_fine_enough_where_they_are_even(tmp_path: Path) -> None:
    run = read(tmp_path, [f"2024-07-01 12:{n:02}:00,6000" for n in range(60)], [ENERGY])
    assert good_watts(run) == pytest.approx([100.0] * 59)


@pytest.mark.parametrize(
    ("damage", "note"),
    [
        (without, "Readings of throughput after a gap (1)"),
        (torn, "Readings of throughput after a gap (1)"),
        (swapped, "Readings of throughput at a stamp that is not later than one before it (1)"),
    ],
)
def test_work_that_no_interval_holds_is_noted(tmp_path: Path, damage: Callable[[Lines], Lines], note: str) -> None:
    run = read(tmp_path, damage([f"{at(10 * n)},100,10" for n in range(60)]), [POWER, WORK], "t,p,n")
    assert sum(interval.amount for interval in run.record.throughput) == 580
    assert any(text.startswith(note) for text in run.notes)


def test_a_damaged_stamp_leaves_an_invalid_reading_in_a_series_of_several(tmp_path: Path) -> None:
    lines = [f"{at(n)},{host},{100 + n % 3}" for n in range(60) for host in ("a", "b")]
    lines[40] = "2024-07-01T12:0x,a,102"
    lines[50] = f"{at(25)},?,101"
    run = read(tmp_path, lines, [POWER], "t,host,p", where={"host": "a"})
    assert len(good_watts(run)) == 58
    assert run.unread.count == 1
    assert any(note == "Lines of other series, which were not asked for: 61 ('b': 60; '?': 1)." for note in run.notes)
    (samples,) = [samples for block in run.blocks() for _, samples in block]
    assert np.count_nonzero(samples.quality) == 1


@pytest.mark.parametrize(("first", "last"), [("2004-01-01T00:00:00Z,100", None), (None, "2042-01-01T00:00:00Z,100")])
def test_a_clock_that_jumped_forward_is_a_verdict(tmp_path: Path, first: str | None, last: str | None) -> None:
    lines = [*filter(None, [first]), *(f"{at(n)},{100 + n % 3}" for n in range(60)), *filter(None, [last])]
    verdict = next(v for v in read(tmp_path, lines, [POWER]).record.evidence if v.rule == "import-clock-steps")
    assert verdict.outcome == "fail"
    assert f"at line {3 if first else 62}, most of the log: a clock was set" in verdict.text


def test_a_sum_below_the_lines_is_no_reading(tmp_path: Path) -> None:
    lines = [f"{at(n)},{100 + n % 3}" for n in range(60)]
    total = sum(100 + n % 3 for n in range(60))
    with pytest.raises(InputError, match="its last line holds the sum of the 60 above it"):
        read(tmp_path, [*lines, f"{at(60)},{total}"], [POWER])
