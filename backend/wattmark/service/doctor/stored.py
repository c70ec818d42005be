"""Stored documents, read as the service reads them: what cannot be read, why, and what to do about each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import apsw

from wattmark.archives.layout import ORIGIN_KIND
from wattmark.campaigns.lab_identity import APPLIANCE_KIND, read_name
from wattmark.campaigns.queue.queue import QUEUE_KIND, read_queue
from wattmark.campaigns.stored import CAMPAIGN_KIND, START_KIND, read_start, read_state
from wattmark.core.errors import StoreError
from wattmark.results.data_folder import LAYOUT
from wattmark.runs.origin import read_origin
from wattmark.runs.store import DOCUMENT, read_document
from wattmark.service.doctor.finding import Finding
from wattmark.store.faults import REPORTED, explain, why
from wattmark.store.guards.guarded import REFUSED, GuardedTable, Reader
from wattmark.store.layout import Layout
from wattmark.traceability.cross_calibration.register import KIND as CROSS_CALIBRATION_KIND
from wattmark.traceability.cross_calibration.register import read_cross_calibration

SUBJECT = "stored documents"
MOST = 20
"""Largest number that is listed singly."""
_BACKUP = "Restore the latest backup"
_REMEDIES: Mapping[str, str] = {
    "certificate": "Add the certificate again as a new version: wattmark certificate add FILE.",
    "certificate_override": "Record the override again: wattmark certificate override.",
    "check_standard": f"{_BACKUP}, or add the check standard under another name: wattmark check-standard add.",
    "check_reading": f"{_BACKUP}, or add the check standard under another name: wattmark check-standard add.",
    "access_token": "The token does not work. Create another one: wattmark token create NAME.",
    "alarm": "It is missing from the list of alarms. Nothing else is affected.",
    CROSS_CALIBRATION_KIND: "Cross-calibrate the BMC again: wattmark meter cross-calibrate.",
    CAMPAIGN_KIND: "It cannot be resumed; its runs are kept. Start the plan again.",
    START_KIND: "It cannot be resumed; its runs are kept. Start the plan again.",
    QUEUE_KIND: "The queue is empty at the next start. Queue the plans again.",
}
_OF_RUNS = {"run", "issue", "issued_result", "run_inclusion", ORIGIN_KIND}


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


def stored_documents(path: Path) -> Iterator[Finding]:
    """Read every document of a database; each unreadable one is a problem with its own remedy."""
    count = 0
    try:
        for row in unreadable_rows(path, LAYOUT, {DOCUMENT.name: _read}):
            count += 1
            if count <= MOST:
                yield Finding(SUBJECT, "problem", f"{row.name} cannot be read: {row.why}", _remedy(row))
    except StoreError as error:
        yield Finding(SUBJECT, "problem", error.cause, error.remedy)
        return
    if count > MOST:
        yield Finding(SUBJECT, "problem", f"{count - MOST} more cannot be read", f"{_BACKUP}, or repair these first.")
    if not count:
        yield Finding(SUBJECT, "ok", "all readable")


def _read(row: tuple[Any, ...]) -> object:
    kind, (name, document) = row[0], read_document(row)
    reader = _READERS.get(kind)
    try:
        return document if reader is None else reader(name, document)
    except StoreError as error:
        raise ValueError(error.cause) from error


_READERS: Mapping[str, Callable[[str, dict[str, Any]], object]] = {
    ORIGIN_KIND: read_origin,
    CROSS_CALIBRATION_KIND: read_cross_calibration,
    CAMPAIGN_KIND: read_state,
    START_KIND: read_start,
    QUEUE_KIND: read_queue,
    APPLIANCE_KIND: lambda _, document: read_name(document),
}


def _remedy(row: Unreadable) -> str:
    kind, *names = row.key if row.table == DOCUMENT.name else (row.table, *row.key)
    if kind in _OF_RUNS:
        return f"Move the run to the trash (its samples are kept): wattmark trash {names[0]}. Or: {_BACKUP.lower()}."
    return _REMEDIES.get(kind, f"{_BACKUP}.")
