"""The table of what two runs disclose differently."""

from __future__ import annotations

from wattmark.comparison.compare.differences import DifferencesOut
from wattmark.tables.table import Column, Table

METHODS = (
    ("Order", "by what a fact is known to do to power: clocks and caps, sleep states, pages, software, hardware"),
    ("Declared", "a declared factor accounts for it, as another server does for another CPU model"),
)


def differences_table(compared: DifferencesOut) -> Table:
    """Build the table of what two runs disclose differently; the facts in the order of their weight."""
    columns = (
        Column("fact", "Key", for_people=False),
        Column("title", "Fact"),
        Column("a", compared.a),
        Column("b", compared.b),
        Column("declared", "Declared"),
    )
    rows = tuple((row.fact, row.title, row.a, row.b, "yes" if row.declared else "no") for row in compared.differences)
    names = (f"{compared.a} ({compared.a_configuration})", f"{compared.b} ({compared.b_configuration})")
    title = f"What differs between the runs {names[0]} and {names[1]}"
    return Table("differences", title, columns, rows, (compared.statement,), METHODS, statements=(compared.statement,))
