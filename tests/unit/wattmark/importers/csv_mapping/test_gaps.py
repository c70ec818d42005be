"""What came between two stamps where lines are missing or stamps are coarse: no other power, and not without a word.

A source of constant 100 W that is logged every 10 s gives 1000 J a line, whatever happens to lines on the way.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
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
    with pytest.raises(InputError, match="one of its last lines holds the sum of those above it"):
        read(tmp_path, [*lines, f"{at(60)},{total}"], [POWER])


def test_a_remark_of_as_many_cells_is_no_reading_that_shortens_the_next(tmp_path: Path) -> None:
    """The remark stands between two lines, 5 s from each: 1000 J in the next 5 s would be 200 W."""
    lines = [f"{at(10 * n)},1000" for n in range(60)]
    run = read(tmp_path, [*lines[:20], "# restarted, by cron", *lines[20:]], [ENERGY])
    assert good_watts(run) == pytest.approx([100.0] * 58)


def test_a_logger_that_changes_its_pace_hides_no_gap(tmp_path: Path) -> None:
    slow, fast = [60 * n for n in range(30)], [1800 + 10 * n for n in range(60) if n != 40]
    lines = [
        f"2024-07-01T{12 + s // 3600}:{s // 60 % 60:02}:{s % 60:02}Z,{6000 if s < 1800 else 1000}" for s in slow + fast
    ]
    lines[30] = lines[30].replace(",1000", ",6000")
    run = read(tmp_path, lines, [ENERGY])
    assert good_watts(run) == pytest.approx([100.0] * 87)
    assert any("invalid (1)" in note for note in run.notes)


def test_too_few_lines_to_see_a_rhythm_are_noted(tmp_path: Path) -> None:
    run = read(tmp_path, [f"{at(s)},1000" for s in (0, 20, 30)], [ENERGY])
    assert any("the time between its readings varies" in note for note in run.notes)


@pytest.mark.parametrize("zeros", [(30,), (20, 40), (30, 31)])
def test_a_total_that_drops_for_a_reading_counts_nothing_twice(tmp_path: Path, zeros: tuple[int, ...]) -> None:
    total = WORK | {"unit": "total"}
    lines = [f"{at(10 * n)},100,{0 if n in zeros else 1000 + 10 * n}" for n in range(60)]
    run = read(tmp_path, lines, [POWER, total], "t,p,n", holds="power log with throughput")
    assert sum(interval.amount for interval in run.record.throughput) == 590
    assert any("fell and came back" in note for note in run.notes)


def test_a_total_that_begins_anew_counts_from_0(tmp_path: Path) -> None:
    total = WORK | {"unit": "total"}
    lines = [f"{at(10 * n)},100,{1000 + 10 * n if n < 30 else 10 * (n - 30)}" for n in range(60)]
    run = read(tmp_path, lines, [POWER, total], "t,p,n", holds="power log with throughput")
    assert sum(interval.amount for interval in run.record.throughput) == 290 + 290


@pytest.mark.parametrize("cell", ["x", "-1", "nan"])
def test_a_total_beside_a_damaged_cell_keeps_all_its_work(tmp_path: Path, cell: str) -> None:
    total = WORK | {"unit": "total"}
    lines = [f"{at(10 * n)},100,{cell if n == 30 else 1000 + 10 * n}" for n in range(60)]
    run = read(tmp_path, lines, [POWER, total], "t,p,n", holds="power log with throughput")
    assert sum(interval.amount for interval in run.record.throughput) == 590


@pytest.mark.parametrize(
    ("unit", "cells"),
    [
        ("total", lambda n: 0 if n == 0 else 1000 + 10 * n),
        ("total", lambda n: 1000 + 10 * n + 9000 * (n >= 30)),
        ("1/s", lambda n: 9000 if n == 30 else 10),
        ("count", lambda n: 600 if n == 59 else 10 + n % 3),
    ],
)
def test_work_that_nobody_did_in_one_interval_is_refused(
    tmp_path: Path, unit: str, cells: Callable[[int], float]
) -> None:
    lines = [f"{at(10 * n)},100,{cells(n)}" for n in range(60)]
    with pytest.raises(InputError, match="in one interval and at most"):
        read(tmp_path, lines, [POWER, WORK | {"unit": unit}], "t,p,n", holds="power log with throughput")


@pytest.mark.parametrize("below", [["{},6059"], ["{},6060.4", "{},100.98"]])
def test_a_rounded_sum_below_the_lines_is_no_reading(tmp_path: Path, below: list[str]) -> None:
    lines = [f"{at(n)},{100.37 + n % 3 * 0.6:.2f}" for n in range(60)]
    lines += [line.format(at(60 + n)) for n, line in enumerate(below)]
    with pytest.raises(InputError, match="one of its last lines holds the sum"):
        read(tmp_path, lines, [POWER])


@pytest.mark.parametrize(
    ("place", "counter"),
    [(0, 0), (18, 65535), (18, 4294967.295), (9, 50000)],
    ids=["first", "16 bit", "32 bit", "jump"],
)
def test_a_step_of_an_energy_counter_far_above_all_others_is_refused(
    tmp_path: Path, place: int, counter: float
) -> None:
    column = {"column": "p", "quantity": "energy", "unit": "Wh"}
    lines = [f"{at(60 * n)},{counter if n == place else 5000 + 6 * n}" for n in range(19)]
    with pytest.raises(InputError, match="in one step and at most"):
        read(tmp_path, lines, [column])


def test_a_grouped_number_may_be_a_decimal_one_in_a_file_of_commas_too(tmp_path: Path) -> None:
    lines = [f'{at(n)},"1,{234 + n % 3}"' for n in range(60)]
    with pytest.raises(InputError, match="may separate thousands or decimals"):
        read(tmp_path, lines, [POWER | {"unit": "kW"}])


@pytest.mark.parametrize("head", ["t,p,", "t,p"])
def test_a_decimal_comma_is_not_swallowed_by_a_spare_column(tmp_path: Path, head: str) -> None:
    lines = [f"{at(n)},{'4,750,' if n % 3 == 0 else '5,'}" for n in range(1, 61)]
    run = read(tmp_path, lines, [POWER | {"unit": "kW"}], head)
    assert good_watts(run) == pytest.approx([5000.0] * 40)
    assert run.unread.count == 20


def test_a_throughput_of_several_series_is_chosen_as_they_are(tmp_path: Path) -> None:
    columns = [POWER | {"meter": host, "where": {"h": host}} for host in "ab"] + [WORK | {"unit": "1/s"}]
    with pytest.raises(ValueError, match="counts work in the lines of all series: give it a where:"):
        read(tmp_path, [f"{at(0)},a,1,1"], columns, "t,h,p,n", holds="power log with throughput")


@pytest.mark.parametrize(
    ("head", "anew"),
    [("t,p", "t,P (kW)"), ("t,p,u", "T,U,P"), ("time,p", "time,power_kw")],
)
def test_columns_that_are_named_anew_are_refused(tmp_path: Path, head: str, anew: str) -> None:
    cells = ",230" * (head.count(",") - 1)
    lines = [f"{at(n)},{100 + n % 3}{cells}" for n in range(40)]
    time = {"columns": [head.split(",")[0]], "format": "iso 8601"}
    with pytest.raises(InputError, match="the columns are named once more"):
        read(tmp_path, [*lines[:20], anew, *lines[20:]], [POWER], head, time=time)


def test_other_units_below_a_repeated_heading_are_refused(tmp_path: Path) -> None:
    lines = [f"{at(n)},{100 + n % 3}" for n in range(40)]
    units = {"header_rows": 2, "names_row": 1}
    with pytest.raises(InputError, match="with other units than before"):
        read(tmp_path, ["s,W", *lines[:20], "t,p", "s,kW", *lines[20:]], [POWER], **units)
    assert len(good_watts(read(tmp_path, ["s,W", *lines[:20], "t,p", "s,W", *lines[20:]], [POWER], **units))) == 40


@pytest.mark.parametrize("first", ["+02:00", ""])
def test_stamps_of_which_some_name_their_zone_are_refused(tmp_path: Path, first: str) -> None:
    later = "" if first else "+02:00"
    lines = [f"2024-07-01 12:{n:02}:00{first if n < 30 else later},{100 + n % 3}" for n in range(60)]
    with pytest.raises(InputError, match="line 32: its stamp names"):
        read(tmp_path, lines, [POWER])


@pytest.mark.parametrize("zone", ["+01", "z", "+0100", "+01:00"])
def test_every_form_of_an_offset_is_read(tmp_path: Path, zone: str) -> None:
    run = read(tmp_path, [f"2024-11-28 14:20:{n:02}{zone},{100 + n % 3}" for n in range(40)], [POWER])
    hour = 14 if zone == "z" else 13
    assert run.record.window_begin_ns == int(datetime(2024, 11, 28, hour, 20, tzinfo=UTC).timestamp()) * 10**9


def test_a_stale_stamp_in_the_hour_that_comes_twice_is_not_its_second(tmp_path: Path) -> None:
    minutes = [60 + n for n in range(115)]
    minutes[105] -= 20
    lines = [f"2024-10-27 {m // 60:02}:{m % 60:02}:00,{100 + n % 3}" for n, m in enumerate(minutes)]
    run = read(tmp_path, lines, [POWER], zone="Europe/Berlin")
    assert run.record.window_end_ns - run.record.window_begin_ns == 114 * 60 * 10**9
    assert len(good_watts(run)) == 114


def test_a_sparse_column_is_read_and_its_empty_lines_are_noted(tmp_path: Path) -> None:
    lines = [f"{at(n)},{100 + n % 3 if n % 10 == 0 else ''},21" for n in range(300)]
    run = read(tmp_path, lines, [POWER], "t,p,temp")
    assert len(good_watts(run)) == 30
    assert run.unread.count == 0
    assert "Lines without a reading in the columns of the mapping: 270." in run.notes


@pytest.mark.parametrize("first", ["00,300", "# log of rack 7"])
def test_a_file_without_heading_may_begin_in_the_middle_of_a_line(tmp_path: Path, first: str) -> None:
    path = tmp_path / "log.csv"
    path.write_text("\n".join([first, *(f"{at(n)},{100 + n % 3},ok" for n in range(60))]) + "\n")
    time = {"columns": [1], "format": "iso 8601"}
    mapping = {
        "name": "any",
        "time": time,
        "columns": [POWER | {"column": 2}],
        "header_rows": 0,
        "names_row": 0,
        "zone": "UTC",
    }
    (pending,) = csv_importer(CsvMapping.model_validate(mapping)).find(path, Choices())
    assert len(good_watts(pending.read())) == 60


def test_files_that_were_joined_lose_no_reading_to_their_byte_order_mark(tmp_path: Path) -> None:
    lines = [f"{at(n)},{100 + n % 3}" for n in range(60)]
    run = read(tmp_path, [*lines[:30], "\ufefft,p", "\ufeff" + lines[30], *lines[31:]], [POWER])
    assert len(good_watts(run)) == 60


@pytest.mark.parametrize(
    ("heading", "texts"),
    [
        ("serial", ("1000001", "1000002")),
        ("node_id", ("1", "2")),
        ("outlet id", ("1", "2", "3")),
        ("Node Name", ("n0", "n1")),
        ("sensor", ("1.1", "1.2")),
    ],
)
@pytest.mark.parametrize("by_turns", [True, False])
def test_a_column_that_names_its_series_is_seen(
    tmp_path: Path, heading: str, texts: tuple[str, ...], by_turns: bool
) -> None:
    order = [n if by_turns else (n * n // 3) for n in range(60)]
    lines = [f"{at(5 * n)},{texts[order[n] % len(texts)]},{300 + 300 * (order[n] % len(texts))}" for n in range(60)]
    with pytest.raises(InputError, match="has several series in one column"):
        read(tmp_path, lines, [POWER], f"t,{heading},p")


def test_an_hourly_log_goes_through_the_hour_that_comes_twice(tmp_path: Path) -> None:
    hours = [0, 1, 2, 2, 3, 4, 5]
    lines = [f"2024-10-27 {hour:02}:00:00,{100 + n % 3}" for n, hour in enumerate(hours)]
    run = read(tmp_path, lines, [POWER], zone="Europe/Berlin")
    assert run.record.window_end_ns - run.record.window_begin_ns == 6 * 3600 * 10**9
    assert len(good_watts(run)) == 7


def test_work_that_every_second_line_states_is_taken_with_a_word(tmp_path: Path) -> None:
    lines = [f"{at(10 * n)},100,{10 if n % 2 == 0 else ''}" for n in range(60)]
    run = read(tmp_path, lines, [POWER, WORK], "t,p,n")
    assert any("30 of 60 lines state no throughput: that of each other line was taken" in note for note in run.notes)
