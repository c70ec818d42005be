"""The table of a ring comparison."""

from __future__ import annotations

from wattmark.comparison.ring.views import RingExcluded, RingLab, RingOut, RingsOut
from wattmark.results.tables.marks import SIMULATED, explain, joined_marks
from wattmark.tables.fields import Fields, HalfFields, columns_of, rows_of
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
    fields = _fields(ring)
    marks = [SIMULATED] * ring.item.simulated
    unmarked = (*rows_of(fields, ring.labs), *map(_excluded, ring.excluded))
    rows = tuple((*row, joined_marks(marks)) for row in unmarked)
    statements = tuple(filter(None, (ring.statement, *ring.notes, *explain(marks))))
    return Table(
        "ring",
        ring.title,
        (*columns_of(fields), Column("marks", "Marks")),
        rows,
        statements,
        METHODS,
        statements=statements,
    )


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


def _fields(ring: RingOut) -> Fields[RingLab]:
    value, difference = (Column(key, key.capitalize(), ring.unit) for key in ("value", "difference"))
    return (
        (Column("lab", "Laboratory"), lambda lab: lab.lab),
        (Column("server", "Server"), lambda lab: lab.server),
        (Column("n", "Runs", kind="integer"), lambda lab: lab.n),
        *HalfFields[RingLab](value, lambda lab: lab.value).both,
        *HalfFields[RingLab](difference, lambda lab: lab.difference).both,
        (Column("difference_pct", "Difference", "%", "number", digits=3), lambda lab: lab.difference_pct),
        (Column("en", "En", kind="number", digits=3), lambda lab: lab.en),
        (Column("z", "z", kind="number", digits=3), lambda lab: lab.z),
        (Column("signal", "Verdict"), lambda lab: lab.signal),
        (Column("in_reference", "In the consensus value", kind="flag", for_people=False), lambda lab: lab.in_reference),
        (Column("reason", "Why there is no score"), lambda lab: lab.reason or None),
    )


def _excluded(group: RingExcluded) -> tuple[Cell, ...]:
    unscored = (None,) * 6
    return (group.lab, group.server, group.n, group.value, None, *unscored, False, group.why)
