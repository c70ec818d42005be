"""The table of what two runs declare and disclose differently."""

from __future__ import annotations

from wattmark.comparison.compare.differences import DifferencesOut
from wattmark.tables.table import Column, Table

NOT_THERE = "none"
METHODS = (
    (
        "Order",
        "declared factors, then what was read, by what it is known to do to power: clocks and caps, sleep states, "
        "pages, software, hardware",
    ),
    ("Declared", "a declared factor, or what one accounts for, as another server does for another CPU model"),
)


def differences_table(compared: DifferencesOut) -> Table:
    """Build the table of what two runs declare and disclose differently; what was read in the order of its weight."""
    columns = (
        Column("fact", "Key", for_people=False),
        Column("title", "Fact"),
        Column("a", compared.a),
        Column("b", compared.b),
        Column("declared", "Declared"),
    )
    rows = tuple(
        (row.fact, row.title, row.a or NOT_THERE, row.b or NOT_THERE, "yes" if row.declared else "no")
        for row in compared.differences
    )
    names = (f"{compared.a} ({compared.a_configuration})", f"{compared.b} ({compared.b_configuration})")
    title = f"What differs between the runs {names[0]} and {names[1]}"
    return Table("differences", title, columns, rows, (compared.statement,), METHODS, statements=(compared.statement,))
