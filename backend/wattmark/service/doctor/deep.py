"""Read every stored row as the service does, and say which are as they were written and yet cannot be read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import apsw

from wattmark.store.faults import REPORTED, explain, why
from wattmark.store.guards.guarded import REFUSED, GuardedTable, Reader
from wattmark.store.layout import Layout


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A row that its own reader refuses: its table, its key, what to call it, and why."""

    table: str
    key: tuple[Any, ...]
    name: str
    why: str


def unreadable_rows(path: Path, layout: Layout, readers: Mapping[str, Reader[object]]) -> Iterator[Unreadable]:
    """Find the rows that the service could not read, other than damaged ones, which `verify` lists.

    ``readers`` go before the table's own, by its name.

    Takes about a second for a thousand runs. Raises `StoreError` where the file cannot be read on.
    """
    uri, flags = f"{path.absolute().as_uri()}?mode=ro", apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
    try:
        with closing(apsw.Connection(uri, flags)) as connection:
            for table in layout.guarded:
                yield from _refused(connection, table, readers.get(table.name, table.reader))
    except REPORTED as error:
        raise explain(error, path) from error


def _refused(connection: apsw.Connection, table: GuardedTable, reader: Reader[object]) -> Iterator[Unreadable]:
    for row in table.rows(connection):
        if row.values is None or not row.sound:
            continue
        try:
            reader(row.values)
        except REFUSED as error:
            yield Unreadable(table.name, row.key, row.name, why(error))
