"""The table of the memory slots of runs: what was declared of each, and by what it was verified."""

from __future__ import annotations

from collections.abc import Iterable

from wattmark.results.result import Result
from wattmark.tables.table import Cell, Column, LayoutColumn, Table

_COLUMNS = (
    Column("run_id", "Run"),
    Column("server", "Server"),
    Column("configuration", "Configuration"),
    Column("slot", "Slot"),
    Column("declared", "Declared"),
    Column("status", "Verified"),
    Column("verified", "Verified attributes"),
    Column("unverified", "Not verified"),
    Column("contradictions", "Contradictions"),
    Column("way", "Inventory", for_people=False),
)
_LAYOUT = (
    LayoutColumn("run_id", if_varies=True),
    LayoutColumn("server", if_varies=True),
    LayoutColumn("configuration", if_varies=True),
    LayoutColumn("slot"),
    LayoutColumn("declared"),
    LayoutColumn("status"),
    LayoutColumn("verified"),
    LayoutColumn("unverified"),
    LayoutColumn("contradictions"),
)
METHODS = (
    ("Verified by firmware", "the SMBIOS tables of the server list the same module in this slot, in what they state"),
    ("Verified out of band", "the BMC lists the same module in this slot by Redfish, in what it states"),
    ("Not verified", "declared, and stated by nothing else"),
    ("Part by its first characters", "one of the two goes on, as where a maker appends a revision"),
)


def memory_slots_table(results: Iterable[Result]) -> Table:
    """Build the table of the memory slots of runs; a run without declared slots has no rows."""
    rows: list[tuple[Cell, ...]] = []
    statements: dict[str, None] = {}
    for result in results:
        if result.inventory is None:
            continue
        statements[result.inventory.statement] = None
        rows += (
            (
                result.run_id,
                result.server,
                result.configuration,
                slot.slot,
                slot.declared,
                slot.status,
                ", ".join(slot.verified) or None,
                ", ".join(slot.unverified) or None,
                "; ".join(slot.contradictions) or None,
                result.inventory.way,
            )
            for slot in result.inventory.slots
        )
    notes = tuple(statements) or ("No run declares memory slots.",)
    return Table(
        "memory-slots",
        "Memory slots",
        _COLUMNS,
        tuple(rows),
        notes,
        METHODS,
        layout=_LAYOUT,
        statements=notes,
    )
