"""The numbers behind watts against DIMM count: slope, intercept, robust slope, claim."""

from __future__ import annotations

from wattmark.comparison.compare.views import MemoryOut
from wattmark.core.interval import Interval95
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
BEYOND = "No ±: the line extrapolated to 0 DIMMs, which was not measured."
PROBABILITY = "A probability, not a measured figure."
CLAIMED = "As claimed, not measured."
NOT_BOUNDED = "No ±: the error of a meter is not known, or a contribution is not limited; see the note below."


def memory_fit_table(memory: MemoryOut) -> Table:
    """Build the table of a fit, one figure per row; without a fit it has no rows and its footnote gives the reason."""
    claim, idle = memory.claim, memory.idle
    idle_watts_per_dimm, idle_remark = (None, None) if idle is None else (idle.watts_per_dimm, idle.remark)
    loaded = not_bounded(memory.watts_per_dimm, memory.remark)
    unloaded = not_bounded(idle_watts_per_dimm, idle_remark)
    bare = (None, None, None)
    rows: list[tuple[Cell, ...]] = [
        ("Watts per DIMM at the wall", *with_ends(memory.watts_per_dimm), "W", loaded),
        ("Robust slope (Theil-Sen)", memory.theil_sen_w, *bare, "W", ROBUST),
        ("Watts per DIMM on the DC side", memory.watts_per_dimm_dc, *bare, "W", BEHIND_SUPPLY),
        ("Watts without DIMMs", memory.intercept_w, *bare, "W", BEYOND),
        ("Watts per DIMM when idle", *with_ends(idle_watts_per_dimm), "W", unloaded),
        ("Watts without DIMMs when idle", None if idle is None else idle.intercept_w, *bare, "W", BEYOND),
        ("p of no lack of fit", memory.lack_of_fit_p, *bare, None, PROBABILITY),
        ("Claimed watts per DIMM", None if claim is None else claim.claim_w, *bare, "W", CLAIMED),
        ("p of the claim", None if claim is None else claim.p, *bare, None, PROBABILITY),
    ]
    marks = source_marks(*memory.points) + [INCLUDED] * any(point.inclusion for point in memory.points)
    known_rows = tuple((*row[:-1], joined_marks(marks), row[-1]) for row in rows if row[1] is not None)
    notes = (memory.statement, *explain(marks))
    title = f"Watts per DIMM: {memory.server}, {memory.workload}, {memory.level}"
    return Table("memory-fit", title, _COLUMNS, known_rows, notes, METHODS)


def not_bounded(interval: Interval95 | None, remark: str | None = None) -> str | None:
    """Return why a figure of a fit has no ±, or what else it includes; None without either.

    ``remark`` is the fit's own remark.
    """
    return remark or (None if interval is None or interval.complete else NOT_BOUNDED)
