"""Who records: lab, appliance and bench, as the records of its runs disclose them wherever they go."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any

from wattmark.inventory.bench import Bench
from wattmark.storage.run_store import RunStore

APPLIANCE_KIND = "appliance"
THIS = "this"
SHORT = 12


def appliance_id(runs: RunStore, new_id: Callable[[], str]) -> str:
    """Give the name that this data folder has among all; it is made once and stays."""
    known = runs.documents(APPLIANCE_KIND).get(THIS)
    if known is None:
        known = {"id": new_id()}
        runs.put_document(APPLIANCE_KIND, THIS, known)
    return str(known["id"])


def folder_name(runs: RunStore) -> str:
    """Tell a data folder apart from others, also one that never recorded: its appliance, or its first run."""
    known = runs.documents(APPLIANCE_KIND).get(THIS)
    return str(known["id"])[:SHORT] if known else _short(min(runs.ids(), default=""))


def recorded_by(bench: Bench, appliance: str) -> dict[str, Any]:
    """Disclose who records: the lab's own name, the appliance, and the bench file by a digest of where it lies."""
    where = str(bench.file.resolve()) if bench.file else ""
    return {"lab": bench.lab, "appliance": appliance, "bench": _short(where)}


def _short(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:SHORT]
