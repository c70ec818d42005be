"""Stored documents, read as the service reads them: what cannot be read, why, and what to do about each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from wattmark.archives.layout import ORIGIN_KIND
from wattmark.campaigns.stored import CAMPAIGN_KIND, START_KIND, read_start, read_state
from wattmark.campaigns.whereabouts import APPLIANCE_KIND, read_name
from wattmark.doctor.finding import Finding
from wattmark.errors import StoreError
from wattmark.reconciliations.shelf import KIND as RECONCILIATION_KIND
from wattmark.reconciliations.shelf import read_reconciliation
from wattmark.runs.origin import read_origin
from wattmark.storage.deep import Unreadable, unreadable_rows

SUBJECT = "stored documents"
MOST = 20
"""As many are told one by one."""
_BACKUP = "Restore the latest backup"
_REMEDIES: Mapping[str, str] = {
    "certificate": "Add the certificate again as a new version: wattmark certificate add FILE.",
    "certificate_override": "Override again what it was about: wattmark certificate override.",
    "check_load": f"{_BACKUP}, or add the check load under another name: wattmark check-load add.",
    "check_reading": f"{_BACKUP}, or add the check load under another name: wattmark check-load add.",
    "access_token": "It opens nothing. Make another one: wattmark token create NAME.",
    "alarm": "It is left out of the list of alarms. Nothing else rests on it.",
    RECONCILIATION_KIND: "Hold the BMC against its wall meter again: wattmark meter reconcile.",
    CAMPAIGN_KIND: "It cannot be resumed; its runs stay. Start its plan anew.",
    START_KIND: "It cannot be resumed; its runs stay. Start its plan anew.",
}
_OF_RUNS = {"run", "statement", "run_inclusion", ORIGIN_KIND}


def stored_documents(path: Path) -> Iterator[Finding]:
    """Read every document of a database; each that its reader refuses is a problem with its own remedy."""
    told = 0
    try:
        for row in unreadable_rows(path, _read):
            told += 1
            if told <= MOST:
                yield Finding(SUBJECT, "problem", f"{row.name} cannot be read: {row.why}", _remedy(row))
    except StoreError as error:
        yield Finding(SUBJECT, "problem", error.cause, error.remedy)
        return
    if told > MOST:
        yield Finding(SUBJECT, "problem", f"{told - MOST} more cannot be read", f"{_BACKUP}, or repair these first.")
    if not told:
        yield Finding(SUBJECT, "ok", "all of them can be read")


def _read(kind: str, name: str, document: dict[str, Any]) -> object:
    reader = _READERS.get(kind)
    try:
        return document if reader is None else reader(name, document)
    except StoreError as error:
        raise ValueError(error.cause) from error


_READERS: Mapping[str, Callable[[str, dict[str, Any]], object]] = {
    ORIGIN_KIND: read_origin,
    RECONCILIATION_KIND: read_reconciliation,
    CAMPAIGN_KIND: read_state,
    START_KIND: read_start,
    APPLIANCE_KIND: lambda _, document: read_name(document),
}


def _remedy(row: Unreadable) -> str:
    kind, *names = row.key if row.table == "document" else (row.table, *row.key)
    if kind in _OF_RUNS:
        return f"Move the run to the trash, its samples are kept: wattmark trash {names[0]}. Or: {_BACKUP.lower()}."
    return _REMEDIES.get(kind, f"{_BACKUP}.")
