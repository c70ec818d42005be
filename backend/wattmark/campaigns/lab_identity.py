"""Identity of the recorder: lab, appliance and bench, as disclosed in every record of a run."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from typing import Any

from wattmark.bench.bench import Bench
from wattmark.core.errors import StoreError
from wattmark.runs.disclosure import RecordedBy
from wattmark.runs.store import RunStore

APPLIANCE_KIND = "appliance"
THIS = "this"
SHORT = 12


def appliance_id(runs: RunStore, new_id: Callable[[], str]) -> str:
    """Return the unique name of this data folder; it is created once and never changes."""
    document = runs.documents(APPLIANCE_KIND).get(THIS)
    if document is None:
        document = {"id": new_id()}
        runs.put_document(APPLIANCE_KIND, THIS, document)
    return read_name(document)


def read_name(document: Mapping[str, Any]) -> str:
    """Read the name of a data folder. Raises `StoreError`."""
    name = document.get("id")
    if not isinstance(name, str) or not name:
        raise StoreError("The identity of this data folder cannot be read.", "Restore the latest backup.")
    return name


def folder_name(runs: RunStore) -> str:
    """Return an identifier that distinguishes a data folder, also without recordings: its appliance or first run."""
    document = runs.documents(APPLIANCE_KIND).get(THIS)
    return read_name(document)[:SHORT] if document else _short(min(runs.ids(), default=""))


def recorded_by(bench: Bench, appliance: str) -> RecordedBy:
    """Disclose who records: the lab's own name, the appliance, and the bench file by a digest of where it lies."""
    where = str(bench.file.resolve()) if bench.file else ""
    return RecordedBy(lab=bench.lab, appliance=appliance, bench=_short(where))


def _short(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:SHORT]
