"""The table of a ring comparison."""

from __future__ import annotations

from wattmark.comparison.ring.views import RingExcluded, RingLab, RingOut, RingsOut
from wattmark.core.interval import half_width
from wattmark.results.tables.marks import SIMULATED, explain, joined_marks
from wattmark.tables.table import Cell, Column, Table

METHODS = (
    (
        "consensus value",
        "weighted mean of the laboratories, weights 1/U95²; of the largest consistent subset where all do not agree "
        "(Cox, Metrologia 39 (2002) 589 and 44 (2007) 187)",
    ),
    ("En", "difference from the consensus value over its U95 (ISO 13528)"),
    ("z", "difference from the robust mean over the robust standard deviation, Algorithm A (ISO 13528)"),
)


def ring_table(ring: RingOut) -> Table:
    """Build the table of a ring comparison: a row for each laboratory, then those that do not take part."""
    columns = (
        Column("lab", "Laboratory"),
        Column("server", "Server"),
        Column("n", "Runs", kind="integer"),
        Column("value", "Value", unit=ring.unit, kind="number", expanded_u="value_U95"),
        Column("value_U95", "", unit=ring.unit, kind="number", for_people=False),
        Column("difference", "Difference", unit=ring.unit, kind="number", expanded_u="difference_U95"),
        Column("difference_U95", "", unit=ring.unit, kind="number", for_people=False),
        Column("difference_pct", "Difference", unit="%", kind="number", digits=3),
        Column("en", "En", kind="number", digits=3),
        Column("z", "z", kind="number", digits=3),
        Column("signal", "Verdict"),
        Column("in_reference", "In the consensus value", kind="flag", for_people=False),
        Column("reason", "Why there is no score"),
        Column("marks", "Marks"),
    )
    marks = [SIMULATED] * ring.item.simulated
    scored = (*(_taking_part(lab) for lab in ring.labs), *(_excluded(group) for group in ring.excluded))
    rows = tuple((*row, joined_marks(marks)) for row in scored)
    statements = tuple(filter(None, (ring.statement, *ring.notes, *explain(marks))))
    return Table("ring", ring.title, columns, rows, statements, METHODS, statements=statements)


def rings_table(rings: RingsOut) -> Table:
    """Build the table of the ring comparisons that can be made."""
    columns = (
        Column("server_model", "Model"),
        Column("processor", "Processor"),
        Column("memory", "Memory"),
        Column("dimm_count", "DIMMs", kind="integer", for_people=False),
        Column("workload", "Workload"),
        Column("level", "Level"),
        Column("simulated", "Simulated", kind="flag"),
        Column("labs", "Laboratories", kind="integer"),
        Column("runs", "Runs", kind="integer"),
    )
    rows = tuple(tuple(getattr(ring, column.key) for column in columns) for ring in rings.rings)
    more = ("There are more; name a word of what you look for.",) if rings.more else ()
    return Table("rings", "Ring comparisons", columns, rows, more)


def _taking_part(lab: RingLab) -> tuple[Cell, ...]:
    expanded = None if lab.figure is None else half_width(lab.figure.low, lab.figure.high)
    return (
        lab.lab,
        lab.server,
        lab.n,
        lab.value,
        expanded,
        lab.difference,
        lab.difference_U95,
        lab.difference_pct,
        lab.en,
        lab.z,
        lab.signal,
        lab.in_reference,
        lab.reason or None,
    )


def _excluded(group: RingExcluded) -> tuple[Cell, ...]:
    unscored = (None,) * 6
    return (group.lab, group.server, group.n, group.value, None, *unscored, False, group.why)
