"""Read every stored row as the service does, and say which are as they were written and yet cannot be read."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import apsw

from wattmark.storage.faults import REPORTED, explain, why
from wattmark.storage.guarded import REFUSED, Guarded, Reader
from wattmark.storage.guarded_tables import (
    ALARM,
    CERTIFICATE,
    CHECK_LOAD,
    CHECK_READING,
    DOCUMENT,
    INCLUSION,
    OVERRIDE,
    RUN,
    STATED_RESULT,
    STATEMENT,
    TOKEN,
)
from wattmark.storage.sqlite_access import read_token
from wattmark.storage.sqlite_alarms import read_alarm
from wattmark.storage.sqlite_annotations import read_inclusion
from wattmark.storage.sqlite_certificates import read_certificate, read_decision
from wattmark.storage.sqlite_check_loads import read_load, read_reading
from wattmark.storage.sqlite_runs import read_document, read_record
from wattmark.storage.sqlite_statements import read_result, read_stated

DocumentReader = Callable[[str, str, dict[str, Any]], object]
"""Reads a document by its kind and name, or raises one of `REFUSED`."""


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A row that its own reader refuses: its table, its key, what to call it, and why."""

    table: str
    key: tuple[Any, ...]
    name: str
    why: str


def unreadable_rows(path: Path, read_kind: DocumentReader) -> Iterator[Unreadable]:
    """Find the rows of a database that the service could not read; those that are damaged are for `verify` to name.

    Takes about a second for a thousand runs. Raises `StoreError` where the file cannot be read on.
    """
    uri, flags = f"{path.absolute().as_uri()}?mode=ro", apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
    try:
        with closing(apsw.Connection(uri, flags)) as connection:
            for table, reader in _readers(read_kind):
                yield from _refused(connection, table, reader)
    except REPORTED as error:
        raise explain(error, path) from error


def _refused(connection: apsw.Connection, table: Guarded, reader: Reader[object]) -> Iterator[Unreadable]:
    for row in table.rows(connection):
        if row.values is None or not row.sound:
            continue
        try:
            reader(row.values)
        except REFUSED as error:
            yield Unreadable(table.table, row.key, row.name, why(error))


def _readers(read_kind: DocumentReader) -> tuple[tuple[Guarded, Reader[object]], ...]:
    """List the tables whose rows are more than their columns, each with what its store reads it by."""

    def read_any(row: tuple[Any, ...]) -> object:
        return read_kind(row[0], *read_document(row))

    return (
        (RUN, read_record),
        (STATEMENT, read_stated),
        (STATED_RESULT, read_result),
        (DOCUMENT, read_any),
        (CERTIFICATE, read_certificate),
        (OVERRIDE, read_decision),
        (CHECK_LOAD, read_load),
        (CHECK_READING, read_reading),
        (INCLUSION, read_inclusion),
        (TOKEN, read_token),
        (ALARM, read_alarm),
    )
