"""The tables of watts against the number of parts: its runs, its figures, and the break-even of two."""

from __future__ import annotations

from wattmark.comparison.parts.break_even_table import break_even_table, marks_of
from wattmark.comparison.parts.fit_table import FitRow, fit_table
from wattmark.comparison.parts.line_table import line_layout, line_table
from wattmark.comparison.parts.views import PartBreakEvenOut, PartPoint, PartRate, PartsOut
from wattmark.core.part_words import part_words
from wattmark.tables.fields import Fields, with_ends
from wattmark.tables.table import Column, LayoutColumn, Table

_LAYOUT = line_layout(LayoutColumn("count"))


def parts_table(parts: PartsOut) -> Table:
    """Build the table of power against the number of parts; the fit and its interval are in the footnotes."""
    part = part_words(parts.kind)
    many = f"{part.many[0].upper()}{part.many[1:]}"
    of_parts: Fields[PartPoint] = (
        (Column("count", many, kind="integer"), lambda p: p.count),
        (Column("part", f"{many} of"), lambda _: parts.part),
    )
    return line_table("parts", parts, part, parts.watts_per_part, parts.points, parts.excluded, of_parts, _LAYOUT)


def parts_fit_table(parts: PartsOut) -> Table:
    """Build the table of a fit and of what its watts give, one figure per row."""
    statement = " ".join([parts.statement, *_without(parts.rates)])
    of = f"{parts.part}, {parts.server}, {parts.workload}, {parts.level}"
    fit = parts.model_copy(update={"statement": statement})
    return fit_table("parts-fit", of, part_words(parts.kind), fit, [_rate(rate) for rate in parts.rates])


def _rate(rate: PartRate) -> FitRow:
    value = rate.value
    return (rate.quantity, *with_ends(value), rate.unit, rate.remark)


def _without(rates: list[PartRate]) -> list[str]:
    """List in sentences which rates cannot be stated, and why."""
    return [f"{rate.quantity}: {rate.remark}" for rate in rates if rate.value is None]


def parts_break_even_table(meeting: PartBreakEvenOut) -> Table:
    """Build the table of two lines, one figure per row; without lines its footnote gives the reason."""
    equal = meeting.equal_power
    more = []
    if equal is not None and equal.value is not None:
        more.append(
            (equal.quantity, None, None, *with_ends(equal.value), equal.unit, marks_of(meeting.lines), equal.remark)
        )
    first, second = (f"{part} of {server}" for server, part in _sides(meeting))
    title = f"Break-even: {first} against {second}, {meeting.workload}, {meeting.level}"
    column = Column("part", "Part")
    return break_even_table("parts-break-even", title, part_words(meeting.kind), column, meeting, more)


def _sides(meeting: PartBreakEvenOut) -> tuple[tuple[str, str], tuple[str, str]]:
    return (meeting.server, meeting.part), (meeting.against, meeting.against_part)
