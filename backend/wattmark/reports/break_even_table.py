"""The break-even of two servers, and what a DIMM of one costs more than one of the other, as numbers."""

from __future__ import annotations

from wattmark.reports.fields import with_ends
from wattmark.reports.marks import INCLUDED, NOT_MEASURED, SIMULATED, explain
from wattmark.reports.memory_fit_table import BEYOND, not_bounded
from wattmark.reports.methods import METHODS
from wattmark.reports.table import Cell, Column, Table
from wattmark.results.break_even_views import BreakEvenOut, Crossing, MemoryLine
from wattmark.results.plus_minus import SCATTER_ONLY, half_width

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
NOT_CROSSED = "No ±: the scatter leaves the crossing open to a side."
HOLDS_SCATTER = "The interval holds scatter only: of a meter nothing is known, or nothing bounds it."
_METHODS = (
    (
        "break-even",
        "Where two lines of watts against DIMMs cross; 95 % interval by inversion (Fieller), not symmetric.",
    ),
    *METHODS,
)
_Row = tuple[Cell, ...]


def break_even_table(found: BreakEvenOut) -> Table:
    """Build the table, one figure per row; without lines it has no rows and its footnote says why."""
    rows = [row for line in found.lines for row in _line(line)]
    included = any(line.included for line in found.lines)
    if found.slope_difference is not None:
        names = " less ".join(line.server for line in found.lines)
        types = " less ".join(line.memory_type for line in found.lines)
        rows.append(
            (
                "Difference of watts per DIMM", names, types, *with_ends(found.slope_difference), "W",
                _marks(included), not_bounded(found.slope_difference),
            )
        )  # fmt: skip
    if found.crossing is not None:
        known = all(line.watts_per_dimm.complete for line in found.lines)
        rows += _crossing(found.crossing, included, known=known)
    marks = [mark for row in rows for mark in str(row[-2] or "").split(", ")] + [SIMULATED] * found.simulated
    title = f"Break-even: {found.server} against {found.against}, {found.workload}, {found.level}"
    return Table("break-even", title, _COLUMNS, tuple(rows), (found.statement, *explain(marks)), _METHODS)


def _line(line: MemoryLine) -> list[_Row]:
    told, base = (line.server, line.memory_type), _marks(line.included, NOT_MEASURED)
    return [
        (
            "Watts per DIMM at the wall", *told, *with_ends(line.watts_per_dimm), "W", _marks(line.included),
            not_bounded(line.watts_per_dimm),
        ),
        ("Watts without DIMMs", *told, line.watts_without_dimms, None, None, None, "W", base, BEYOND),
    ]  # fmt: skip


def _marks(included: bool, *others: str) -> str | None:
    return ", ".join([INCLUDED] * included + list(others)) or None


def _crossing(of: Crossing, included: bool, *, known: bool) -> list[_Row]:
    mark = _marks(
        included, *([NOT_MEASURED] if of.extrapolated else []), *([] if known or of.low is None else [SCATTER_ONLY])
    )
    half = half_width(of.low, of.high)
    remark = NOT_CROSSED if half is None else None if known else HOLDS_SCATTER
    return [
        ("Break-even", None, None, of.dimms, of.low, of.high, half, "DIMMs", mark, remark),
        ("First whole number at or past it", None, None, of.first_whole, None, None, None, "DIMMs", mark, WHOLE),
    ]
