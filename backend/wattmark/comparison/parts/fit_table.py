"""The numbers behind watts against the number of parts: slope, intercept, robust slope, claim, rates."""

from __future__ import annotations

from collections.abc import Sequence

from wattmark.comparison.parts.kinds import shown_parts
from wattmark.comparison.parts.views import PartsOut
from wattmark.core.interval import Interval, Interval95
from wattmark.core.part_words import PartWords, part_words
from wattmark.results.tables.marks import INCLUDED, explain, joined_marks, source_marks
from wattmark.results.tables.methods import METHODS
from wattmark.tables.fields import with_ends
from wattmark.tables.table import Cell, Column, Table

_COLUMNS = (
    Column("quantity", "Quantity"),
    Column("value", "Value", kind="number", expanded_u="U95", unit_from="unit"),
    Column("low", "95 % from", kind="number", unit_from="unit", for_people=False),
    Column("high", "to", kind="number", unit_from="unit", for_people=False),
    Column("U95", "", kind="number", unit_from="unit", for_people=False),
    Column("unit", "Unit", for_people=False),
    Column("marks", "Marks"),
    Column("remark", "Remarks"),
)
ROBUST = "No ±: a check of the fitted slope above against outlying runs."
BEHIND_SUPPLY = "No ±: the uncertainty of the power supply's declared efficiency is not known."
PROBABILITY = "A probability, not a measured figure."
CLAIMED = "As claimed, not measured."
NOT_BOUNDED = "No ±: the error of a meter is not known, or a contribution is not limited; see the note below."
NO_VALUES = (None, None, None)
"""Ends and half width of a figure that has none."""
_Row = tuple[Cell, ...]
"""Quantity, value, ends, half width, unit and remark; the marks are those of all points."""


def fit_table(name: str, parts: PartsOut) -> Table:
    """Build the table of a fit and of what its watts give, one figure per row.

    Without a fit it has no rows and its footnote gives the reason.
    """
    part, claim = part_words(parts.kind), parts.claim
    one = part.one
    rows: list[_Row] = [
        (
            f"Watts per {one} at the wall", *with_ends(parts.watts_per_part), "W",
            not_bounded(parts.watts_per_part, parts.remark),
        ),
        ("Robust slope (Theil-Sen)", parts.theil_sen_w, *NO_VALUES, "W", ROBUST),
        (f"Watts per {one} on the DC side", parts.watts_per_part_dc, *NO_VALUES, "W", BEHIND_SUPPLY),
        _base_row(parts, part),
        *_idle_rows(parts, part),
        ("p of no lack of fit", parts.lack_of_fit_p, *NO_VALUES, None, PROBABILITY),
        (f"Claimed watts per {one}", None if claim is None else claim.claim_w, *NO_VALUES, "W", CLAIMED),
        ("p of the claim", None if claim is None else claim.p, *NO_VALUES, None, PROBABILITY),
        *((rate.quantity, *with_ends(rate.value), rate.unit, rate.remark) for rate in parts.rates),
    ]  # fmt: skip
    marks = source_marks(*parts.points) + [INCLUDED] * any(point.inclusion for point in parts.points)
    known_rows = tuple((*row[:-1], joined_marks(marks), row[-1]) for row in rows if row[1] is not None)
    not_stated = [f"{rate.quantity}: {rate.remark}" for rate in parts.rates if rate.value is None]
    notes = (" ".join([parts.statement, *not_stated]), *explain(marks))
    title = f"Watts per {one}: {shown_parts(parts.part, part)}, {parts.server}, {parts.workload}, {parts.level}"
    return Table(name, title, _COLUMNS, known_rows, notes, METHODS)


def _base_row(parts: PartsOut, part: PartWords) -> _Row:
    measured = any(point.count == 0 for point in parts.points)
    base = _base(parts.intercept_w, parts.line, parts.watts_per_part) if measured else None
    return (
        f"Watts without {part.many}", *base_cells(part, parts.intercept_w, base, parts.watts_per_part, parts.remark),
    )  # fmt: skip


def _idle_rows(parts: PartsOut, part: PartWords) -> list[_Row]:
    idle = parts.idle
    if idle is None:
        return []
    slope, remark = idle.watts_per_part, idle.remark
    measured = any(point.count == 0 and point.idle_power is not None for point in parts.points)
    base = _base(idle.intercept_w, idle.line, slope) if measured else None
    return [
        (f"Watts per {part.one} when idle", *with_ends(slope), "W", not_bounded(slope, remark)),
        (
            f"Watts without {part.many} when idle", *base_cells(part, idle.intercept_w, base, slope, remark),
        ),
    ]  # fmt: skip


def _base(
    intercept_w: float | None, line: Sequence[tuple[float, float, float, float]], slope: Interval95 | None
) -> Interval | None:
    """Return the power at 0 parts, where a line begins, with the ends of its band."""
    if intercept_w is None:
        return None
    return Interval.of(intercept_w, line[0][2:] if line and slope is not None and slope.complete else None)


def base_cells(
    part: PartWords, watts: float | None, base: Interval | None, slope: Interval95 | None, remark: str | None
) -> tuple[Cell, ...]:
    """Return value, ends, half width, unit and remark of the power without parts.

    ``base`` None: 0 parts were not measured. ``slope`` and its ``remark`` tell why it has no ± where they were.
    """
    if base is None:
        return watts, *NO_VALUES, "W", f"No ±: the line extrapolated to 0 {part.many}, which was not measured."
    return *with_ends(base), "W", not_bounded(slope, remark)


def not_bounded(interval: Interval95 | None, remark: str | None = None) -> str | None:
    """Return why a figure of a fit has no ±, or what else it includes; None without either.

    ``remark`` is the fit's own remark.
    """
    return remark or (None if interval is None or interval.complete else NOT_BOUNDED)
