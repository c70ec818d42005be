"""The numbers behind watts against DIMM count: slope, intercept, robust slope, claim."""

from __future__ import annotations

from wattmark.reports.fields import with_ends
from wattmark.reports.marks import INCLUDED, SIMULATED, explain
from wattmark.reports.methods import METHODS
from wattmark.reports.table import Cell, Column, Table
from wattmark.results.views import MemoryOut

_COLUMNS = (
    Column("quantity", "Quantity"),
    Column("value", "Value", kind="number", expanded_u="U95", unit_from="unit"),
    Column("low", "95 % from", kind="number", unit_from="unit", for_people=False),
    Column("high", "to", kind="number", unit_from="unit", for_people=False),
    Column("U95", "", kind="number", unit_from="unit", for_people=False),
    Column("unit", "Unit", for_people=False),
    Column("marks", "Marks"),
)


def memory_fit_table(memory: MemoryOut) -> Table:
    """Build the table of a fit, one figure per row; without a fit it has no rows and its footnote says why."""
    claim, idle = memory.claim, memory.idle
    rows: list[tuple[Cell, ...]] = [
        ("Watts per DIMM at the wall", *with_ends(memory.watts_per_dimm), "W"),
        ("The same by Theil and Sen", memory.theil_sen_w, None, None, None, "W"),
        ("The same behind the power supply", memory.watts_per_dimm_dc, None, None, None, "W"),
        ("Watts without DIMMs", memory.intercept_w, None, None, None, "W"),
        ("Watts per DIMM when idle", *with_ends(None if idle is None else idle.watts_per_dimm), "W"),
        ("Watts without DIMMs when idle", None if idle is None else idle.intercept_w, None, None, None, "W"),
        ("p of no lack of fit", memory.lack_of_fit_p, None, None, None, None),
        ("Claimed watts per DIMM", None if claim is None else claim.claim_w, None, None, None, "W"),
        ("p of the claim", None if claim is None else claim.p, None, None, None, None),
    ]
    marks = [SIMULATED] * memory.simulated + [INCLUDED] * any(point.inclusion for point in memory.points)
    told = tuple((*row, ", ".join(marks) or None) for row in rows if row[1] is not None)
    notes = (memory.statement, *explain(marks))
    title = f"Watts per DIMM: {memory.server}, {memory.workload}, {memory.level}"
    return Table("memory-fit", title, _COLUMNS, told, notes, METHODS)
