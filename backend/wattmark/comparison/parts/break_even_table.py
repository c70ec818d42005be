"""The break-even of two lines of watts against the number of parts, and the difference of their slopes, as numbers."""

from __future__ import annotations

from collections.abc import Sequence

from wattmark.comparison.parts.fit_table import base_cells, not_bounded
from wattmark.comparison.parts.kinds import shown_parts
from wattmark.comparison.parts.views import PartBreakEvenOut, PartCrossing, PartLine
from wattmark.core.part_words import PartWords, part_words
from wattmark.results.plus_minus import SCATTER_ONLY
from wattmark.results.tables.marks import INCLUDED, NOT_MEASURED, explain, joined_marks, source_marks
from wattmark.results.tables.methods import METHODS
from wattmark.tables.fields import with_ends
from wattmark.tables.table import Cell, Column, Table

WHOLE = "No ±: the break-even above, rounded up."
NOT_CROSSED = "No ±: with this scatter the interval is unbounded on one side."
HOLDS_SCATTER = "The interval covers only scatter: the error of a meter is not known or not limited."
_Row = tuple[Cell, ...]
"""Quantity, server, part, value, ends, half width, unit, marks and remark."""
_COLUMNS = (
    Column("quantity", "Quantity"),
    Column("server", "Server"),
    Column("part", "Part"),
    Column("value", "Value", kind="number", rounded_by="half_width", unit_from="unit"),
    Column("low", "95 % from", kind="number", rounded_by="half_width", unit_from="unit"),
    Column("high", "to", kind="number", rounded_by="half_width", unit_from="unit"),
    Column("half_width", "", kind="number", unit_from="unit", for_people=False),
    Column("unit", "Unit", for_people=False),
    Column("marks", "Marks"),
    Column("remark", "Remarks"),
)


def break_even_table(name: str, meeting: PartBreakEvenOut) -> Table:
    """Build the table, one figure per row; without lines it has no rows and its footnote gives the reason."""
    part = part_words(meeting.kind)
    rows = [row for line in meeting.lines for row in _line(line, part)]
    if meeting.slope_difference is not None:
        names = " less ".join(line.server for line in meeting.lines)
        titles = " less ".join(line.title for line in meeting.lines)
        rows.append(
            (
                f"Difference of watts per {part.one}", names, titles, *with_ends(meeting.slope_difference), "W",
                _marks(meeting.lines), not_bounded(meeting.slope_difference),
            )
        )  # fmt: skip
    if meeting.crossing is not None:
        bounded = all(line.watts_per_part.complete for line in meeting.lines)
        rows += _crossing(meeting.crossing, meeting.lines, part, bounded=bounded)
    equal = meeting.equal_power
    if equal is not None and equal.value is not None:
        marks = _marks(meeting.lines)
        rows.append((equal.quantity, None, None, *with_ends(equal.value), equal.unit, marks, equal.remark))
    marked = [mark for row in rows for mark in str(row[-2] or "").split(", ")]
    notes = (meeting.statement, *explain(marked))
    sides = (meeting.part, meeting.server), (meeting.against_part, meeting.against)
    first, second = (f"{shown_parts(chosen, part)} of {server}" for chosen, server in sides)
    title = f"Break-even: {first} against {second}, {meeting.workload}, {meeting.level}"
    return Table(name, title, _COLUMNS, tuple(rows), notes, break_even_methods(part))


def break_even_methods(part: PartWords) -> tuple[tuple[str, str], ...]:
    """Describe how a break-even is determined, and the methods of all tables."""
    text = (
        f"Crossing of two fits of power against {part.one} count; 95 % interval by inversion (Fieller), not symmetric."
    )
    return ("break-even", text), *METHODS


def _line(line: PartLine, part: PartWords) -> list[_Row]:
    names = line.server, line.title
    *without, remark = base_cells(part, line.watts_without_parts, line.base, line.watts_per_part, line.remark)
    marks = _marks([line], *([NOT_MEASURED] if line.base is None else []))
    return [
        (
            f"Watts per {part.one} at the wall", *names, *with_ends(line.watts_per_part), "W", _marks([line]),
            not_bounded(line.watts_per_part, line.remark),
        ),
        (f"Watts without {part.many}", *names, *without, marks, remark),
    ]  # fmt: skip


def _marks(lines: Sequence[PartLine], *others: str) -> str | None:
    """Return the marks of figures that lines are in, with others of their own."""
    return joined_marks([*source_marks(*lines), *[INCLUDED] * any(line.included for line in lines), *others])


def _crossing(crossing: PartCrossing, lines: Sequence[PartLine], part: PartWords, *, bounded: bool) -> list[_Row]:
    mark = _marks(
        lines,
        *([NOT_MEASURED] if crossing.extrapolated else []),
        *([] if bounded or crossing.count.low is None else [SCATTER_ONLY]),
    )
    if crossing.count.U95 is None:
        open_ended = crossing.count.ends != (None, None)
        of_the_lines = f"No ±: watts per {part.one} of one of the two have none."
        remark: str | None = NOT_CROSSED if bounded or open_ended else of_the_lines
    else:
        remark = None if bounded else HOLDS_SCATTER
    return [
        ("Break-even", None, None, *with_ends(crossing.count), part.many, mark, remark),
        (
            f"Next whole {part.one} count", None, None, crossing.first_whole, None, None, None, part.many, mark, WHOLE,
        ),
    ]  # fmt: skip
