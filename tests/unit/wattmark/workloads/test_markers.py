"""Marks of loads that wattmark does not start."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError
from wattmark.core.errors import InputError, WorkloadFailed
from wattmark.workloads.declaration import Declaration
from wattmark.workloads.external import measure_external
from wattmark.workloads.markers import MarkerBoard, RefusedValue, parse_marker
from wattmark.workloads.marks import Mark
from wattmark.workloads.parsers.parsers import MarkerParser
from wattmark.workloads.parsers.work import MarkedWork

At = Callable[[float], Mark]


def declared(**parser: Any) -> Declaration:
    facts = {"id": "night-batch", "title": "Night batch", "unit": "jobs", "parser": {"kind": "markers", **parser}}
    return Declaration.model_validate(facts)


async def run(declaration: Declaration, board: MarkerBoard, begins: list[Mark], seconds: float = 60) -> MarkedWork:
    assert isinstance(declaration.parser, MarkerParser)
    return await measure_external(
        declaration,
        declaration.parser,
        seconds=seconds,
        board=board,
        on_begin=begins.append,
    )


async def marked(board: MarkerBoard, *marks: tuple[str, Mark, float | None]) -> None:
    while not board.awaited:
        await asyncio.sleep(0)
    for kind, mark, value in marks:
        board.put(kind, mark, value)  # type: ignore[arg-type]


async def test_the_marks_are_the_window_and_the_last_number_is_the_total(mark_at: At) -> None:
    board, begins = MarkerBoard(), list[Mark]()
    marks = [
        ("value", mark_at(1), 7.0),
        ("begin", mark_at(2), None),
        ("value", mark_at(5), 100.0),
        ("value", mark_at(9), 1234.0),
    ]
    work, _ = await asyncio.gather(run(declared(), board, begins), marked(board, *marks, ("end", mark_at(12), None)))
    assert (work.begin, work.end, begins) == (mark_at(2), mark_at(12), [mark_at(2)])
    assert [item.amount for item in work.intervals] == [1234.0]


async def test_numbers_may_come_interval_by_interval(mark_at: At) -> None:
    board = MarkerBoard()
    marks = [("begin", mark_at(0), None), *(("value", mark_at(n), 10.0 * n) for n in range(1, 5))]
    work, _ = await asyncio.gather(
        run(declared(reports="interval-amount"), board, [], seconds=3), marked(board, *marks)
    )
    assert [item.amount for item in work.intervals] == [20.0, 30.0, 40.0]
    assert not board.awaited


async def test_a_begin_that_never_comes_is_missed(mark_at: At) -> None:
    with pytest.raises(WorkloadFailed, match=r"No begin marker of night-batch arrived within 0.05 s"):
        await run(declared(wait_s=0.05), MarkerBoard(), [])


async def test_marks_without_a_run_are_refused_with_the_remedy(mark_at: At) -> None:
    with pytest.raises(InputError, match="No run is waiting"):
        MarkerBoard().put("begin", mark_at(0))
    board = MarkerBoard()
    with board.listen():
        for kind, value in (("begin", 1.0), ("value", None), ("value", -1.0), ("value", float("nan"))):
            with pytest.raises(InputError, match="Only the marker value"):
                board.put(kind, mark_at(0), value)  # type: ignore[arg-type]
        with pytest.raises(InputError, match="Another run"), board.listen():
            pass


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("begin\n", ("begin", None, "")),
        (" end ", ("end", None, "")),
        ("1234", ("value", 1234.0, "")),
        ("1234 queries/s", ("value", 1234.0, "queries/s")),
        ("value 1,234.5 q", ("value", 1234.5, "q")),
        ("2e3", ("value", 2000.0, "")),
    ],
)
def test_lines_as_scripts_write_them(line: str, expected: tuple[str, float | None, str]) -> None:
    assert parse_marker(line) == expected


@pytest.mark.parametrize("line", ["1234,56", "value 0,5 jobs", "1.2.3", "1,234,5"])
def test_a_number_that_cannot_be_read_is_refused_by_name(line: str) -> None:
    with pytest.raises(RefusedValue, match=r"comma does not separate|is not a number"):
        parse_marker(line)


@pytest.mark.parametrize(
    ("unit", "reports", "refused"),
    [
        ("jobs", "total", False),
        ("jobs/s", "rate", False),
        ("jobs/s", "total", True),
        ("", "total", False),
        ("kjobs", "total", True),
        ("kjobs/s", "rate", True),
    ],
)
async def test_a_mark_counts_what_the_workload_counts(mark_at: At, unit: str, reports: str, refused: bool) -> None:
    board = MarkerBoard()

    async def marks() -> None:
        await marked(board, ("begin", mark_at(1), None))
        board.put("value", mark_at(2), 5.0, unit)
        board.put("end", mark_at(4))

    measured = await asyncio.gather(run(declared(reports=reports), board, []), marks(), return_exceptions=True)
    assert isinstance(measured[0], WorkloadFailed) == refused


@pytest.mark.parametrize("value", [1e150, 1e308, 1e-320])
def test_a_value_beyond_what_counts_is_refused(mark_at: At, value: float) -> None:
    board = MarkerBoard()
    with board.listen(), pytest.raises(RefusedValue, match=r"0, or 1e-30 to 1e\+30"):
        board.put("value", mark_at(0), value)


async def test_work_that_came_by_the_pipe_and_cannot_be_counted_fails_the_run(mark_at: At) -> None:
    board = MarkerBoard()
    board.refuse(mark_at(0), "nobody waits")

    async def marks() -> None:
        await marked(board, ("begin", mark_at(1), None), ("value", mark_at(2), 5.0))
        board.refuse(
            mark_at(3), "The number of the marker is '5,5', whose comma does not separate groups of three digits."
        )
        board.put("end", mark_at(4))

    with pytest.raises(WorkloadFailed, match="'5,5', whose comma"):
        await asyncio.gather(run(declared(), board, []), marks())


@given(st.text(max_size=60))
def test_any_line_is_a_mark_or_an_input_error(line: str) -> None:
    try:
        kind, value, _ = parse_marker(line)
    except InputError as error:
        assert "mark" in str(error) or "number" in str(error)  # noqa: PT017 - either outcome is right
    else:
        assert (kind == "value") == (value is not None)


@pytest.mark.parametrize(
    "change", [{"command": ["./load"]}, {"parser": {"kind": "json", "pointer": "/a", "reports": "total"}}]
)
def test_a_load_is_either_started_or_marked(change: dict[str, Any]) -> None:
    with pytest.raises(ValidationError, match="a command, or a parser of the kind markers"):
        Declaration.model_validate({**declared().model_dump(mode="json"), **change})


def flood(board: MarkerBoard, mark_at: At) -> None:
    for number in range(60_000):
        board.put("value", mark_at(1 + number * 1e-5), 1.0)


async def test_more_marks_than_can_be_taken_fail_the_run_that_waits_for_them(mark_at: At) -> None:
    board = MarkerBoard()
    waiting = asyncio.create_task(run(declared(reports="interval-amount"), board, []))
    while not board.awaited:
        await asyncio.sleep(0)
    board.put("begin", mark_at(0))

    with pytest.raises(InputError, match="More than 2,000 markers per second") as refused:
        flood(board, mark_at)
    assert "add up" in refused.value.remedy
    with pytest.raises(WorkloadFailed, match="More than 2,000 markers per second"):
        await waiting
    assert not board.awaited


async def test_the_run_after_a_flood_of_marks_begins_anew(mark_at: At) -> None:
    board = MarkerBoard()
    with board.listen(), pytest.raises(InputError, match="markers per second"):
        flood(board, mark_at)
    marks = [("begin", mark_at(1), None), ("value", mark_at(2), 5.0), ("end", mark_at(3), None)]
    work, _ = await asyncio.gather(run(declared(), board, []), marked(board, *marks))
    assert [item.amount for item in work.intervals] == [5.0]


async def test_a_thousand_marks_a_second_may_go_on(mark_at: At) -> None:
    board = MarkerBoard()
    with board.listen() as marks:
        for number in range(60_000):
            board.put("value", mark_at(number * 1e-3), 1.0)
            marks.get_nowait()
