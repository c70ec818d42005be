"""Preview of a source's results, as a table."""

from __future__ import annotations

from collections.abc import Sequence

from wattmark.importers.bring_in import Previewed
from wattmark.importers.importer import ImportedFigures, ImportedRun, Importer
from wattmark.tables.table import Cell, Column, Table

_COLUMNS = (
    Column("source", "Source"),
    Column("title", "Result"),
    Column("brings", "Brings"),
    Column("workload", "Workload"),
    Column("duration_s", "Window", "s", "number"),
    Column("samples", "Samples", kind="integer"),
    Column("unread", "Lines not understood", kind="integer"),
    Column("state", "State"),
)


def preview_table(importer: Importer, results: Sequence[Previewed]) -> Table:
    """Build the table of a preview."""
    return Table("preview", f"Preview: {importer.title}", _COLUMNS, tuple(_row(result) for result in results))


def _row(result: Previewed) -> tuple[Cell, ...]:
    item = result.item
    if isinstance(item, ImportedRun):
        record = item.record
        begin, end = record.window_begin_ns, record.window_end_ns
        duration_s = None if begin is None or end is None else (end - begin) / 1e9
        state = "replaces the stored run" if result.stored else "new"
        return (
            *(result.source, result.title, "a run", record.workload, duration_s),
            *(result.samples, result.unread.count, state),
        )
    if isinstance(item, ImportedFigures):
        count = len(item.result.levels)
        levels = f"figures at {count} level{'' if count == 1 else 's'}"
        return result.source, result.title, levels, item.result.workload, None, 0, result.unread.count, "new"
    return result.source, result.title, "nothing", None, None, None, None, f"refused: {result.error}"
