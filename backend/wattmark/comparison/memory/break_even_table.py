"""The break-even of two servers, and the extra power of a DIMM of one over the other, as numbers."""

from __future__ import annotations

from collections.abc import Sequence

from wattmark.comparison.memory.break_even_views import BreakEvenOut, Crossing, MemoryLine
from wattmark.comparison.memory.memory_fit_table import BEYOND, not_bounded
from wattmark.results.plus_minus import SCATTER_ONLY
from wattmark.results.tables.marks import INCLUDED, NOT_MEASURED, explain, joined_marks, source_marks
from wattmark.results.tables.methods import METHODS
from wattmark.tables.fields import with_ends
from wattmark.tables.table import Cell, Column, Table

_COLUMNS = (
    Column("quantity", "Quantity"),
    Column("server", "Server"),
    Column("memory_type", "Memory"),
    Column("value", "Value", kind="number", rounded_by="half_width", unit_from="unit"),
    Column("low", "95 % from", kind="number", rounded_by="half_width", unit_from="unit"),
    Column("high", "to", kind="number", rounded_by="half_width", unit_from="unit"),
    Column("half_width", "", kind="number", unit_from="unit", for_people=False),
    Column("unit", "Unit", for_people=False),
    Column("marks", "Marks"),
    Column("remark", "Remarks"),
)
WHOLE = "No ±: the break-even above, rounded up."
NOT_CROSSED = "No ±: with this scatter the interval is unbounded on one side."
OF_THE_LINES = "No ±: watts per DIMM of one of the two have none."
HOLDS_SCATTER = "The interval covers only scatter: the error of a meter is not known or not limited."
_METHODS = (
    (
        "break-even",
        "Crossing of two fits of power against DIMM count; 95 % interval by inversion (Fieller), not symmetric.",
    ),
    *METHODS,
)
_Row = tuple[Cell, ...]


def break_even_table(break_even: BreakEvenOut) -> Table:
    """Build the table, one figure per row; without lines it has no rows and its footnote gives the reason."""
    rows = [row for line in break_even.lines for row in _line(line)]
    if break_even.slope_difference is not None:
        names = " less ".join(line.server for line in break_even.lines)
        types = " less ".join(line.memory_type for line in break_even.lines)
        rows.append(
            (
                "Difference of watts per DIMM", names, types, *with_ends(break_even.slope_difference), "W",
                _marks(break_even.lines), not_bounded(break_even.slope_difference),
            )
        )  # fmt: skip
    if break_even.crossing is not None:
        bounded = all(line.watts_per_dimm.complete for line in break_even.lines)
        rows += _crossing(break_even.crossing, break_even.lines, bounded=bounded)
    marks = [mark for row in rows for mark in str(row[-2] or "").split(", ")]
    title = f"Break-even: {break_even.server} against {break_even.against}, {break_even.workload}, {break_even.level}"
    return Table("break-even", title, _COLUMNS, tuple(rows), (break_even.statement, *explain(marks)), _METHODS)


def _line(line: MemoryLine) -> list[_Row]:
    names, base = (line.server, line.memory_type), _marks([line], NOT_MEASURED)
    return [
        (
            "Watts per DIMM at the wall", *names, *with_ends(line.watts_per_dimm), "W", _marks([line]),
            not_bounded(line.watts_per_dimm, line.remark),
        ),
        ("Watts without DIMMs", *names, line.watts_without_dimms, None, None, None, "W", base, BEYOND),
    ]  # fmt: skip


def _marks(lines: Sequence[MemoryLine], *others: str) -> str | None:
    return joined_marks([*source_marks(*lines), *[INCLUDED] * any(line.included for line in lines), *others])


def _crossing(crossing: Crossing, lines: Sequence[MemoryLine], *, bounded: bool) -> list[_Row]:
    mark = _marks(
        lines,
        *([NOT_MEASURED] if crossing.extrapolated else []),
        *([] if bounded or crossing.dimms.low is None else [SCATTER_ONLY]),
    )
    if crossing.dimms.U95 is None:
        open_ended = crossing.dimms.ends != (None, None)
        remark: str | None = NOT_CROSSED if bounded or open_ended else OF_THE_LINES
    else:
        remark = None if bounded else HOLDS_SCATTER
    return [
        ("Break-even", None, None, *with_ends(crossing.dimms), "DIMMs", mark, remark),
        ("Next whole DIMM count", None, None, crossing.first_whole, None, None, None, "DIMMs", mark, WHOLE),
    ]
