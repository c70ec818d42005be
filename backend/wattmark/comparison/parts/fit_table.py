"""The numbers behind watts against the number of parts: slope, intercept, robust slope, claim."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from wattmark.analysis.parts.part_words import PartWords
from wattmark.comparison.compare.views import ClaimOut
from wattmark.core.interval import Interval95
from wattmark.results.tables.marks import INCLUDED, Sourced, explain, joined_marks, source_marks
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
FitRow = tuple[Cell, ...]
"""Quantity, value, ends, half width, unit and remark; the marks are those of all points."""


class _Point(Sourced, Protocol):
    """A run of the fit."""

    @property
    def inclusion(self) -> str | None: ...


@dataclass(frozen=True, slots=True)
class FitFigures:
    """Figures of a fit over the number of parts [W, W/part]."""

    watts_per_part: Interval95 | None
    remark: str | None
    theil_sen_w: float | None
    watts_per_part_dc: float | None
    intercept_w: float | None
    idle_watts_per_part: Interval95 | None
    idle_remark: str | None
    idle_intercept_w: float | None
    lack_of_fit_p: float | None
    claim: ClaimOut | None
    points: Sequence[_Point]
    statement: str


def fit_table(name: str, of: str, part: PartWords, fit: FitFigures, more: Sequence[FitRow] = ()) -> Table:
    """Build the table of a fit, one figure per row; without a fit it has no rows and its footnote gives the reason.

    ``of`` names server, workload and level; ``more`` are further figures, shown last.
    """
    one, claim = part.one, fit.claim
    rows: list[FitRow] = [
        (
            f"Watts per {one} at the wall", *with_ends(fit.watts_per_part), "W",
            not_bounded(fit.watts_per_part, fit.remark),
        ),
        ("Robust slope (Theil-Sen)", fit.theil_sen_w, *NO_VALUES, "W", ROBUST),
        (f"Watts per {one} on the DC side", fit.watts_per_part_dc, *NO_VALUES, "W", BEHIND_SUPPLY),
        (f"Watts without {part.many}", fit.intercept_w, *NO_VALUES, "W", beyond(part)),
        (
            f"Watts per {one} when idle", *with_ends(fit.idle_watts_per_part), "W",
            not_bounded(fit.idle_watts_per_part, fit.idle_remark),
        ),
        (f"Watts without {part.many} when idle", fit.idle_intercept_w, *NO_VALUES, "W", beyond(part)),
        ("p of no lack of fit", fit.lack_of_fit_p, *NO_VALUES, None, PROBABILITY),
        (f"Claimed watts per {one}", None if claim is None else claim.claim_w, *NO_VALUES, "W", CLAIMED),
        ("p of the claim", None if claim is None else claim.p, *NO_VALUES, None, PROBABILITY),
        *more,
    ]  # fmt: skip
    marks = source_marks(*fit.points) + [INCLUDED] * any(point.inclusion for point in fit.points)
    known_rows = tuple((*row[:-1], joined_marks(marks), row[-1]) for row in rows if row[1] is not None)
    notes = (fit.statement, *explain(marks))
    return Table(name, f"Watts per {one}: {of}", _COLUMNS, known_rows, notes, METHODS)


def beyond(part: PartWords) -> str:
    """Explain why the power without parts has no ±."""
    return f"No ±: the line extrapolated to 0 {part.many}, which was not measured."


def not_bounded(interval: Interval95 | None, remark: str | None = None) -> str | None:
    """Return why a figure of a fit has no ±, or what else it includes; None without either.

    ``remark`` is the fit's own remark.
    """
    return remark or (None if interval is None or interval.complete else NOT_BOUNDED)
