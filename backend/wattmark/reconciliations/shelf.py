"""All records of BMCs held against wall meters, kept as documents of the run store."""

from __future__ import annotations

from typing import Any, Protocol

from pydantic import ValidationError

from wattmark.errors import StoreError
from wattmark.reconciliations.record import ReconciliationRecord

KIND = "reconciliation"


class Documents(Protocol):
    """What is needed of the run store."""

    def put_document(self, kind: str, name: str, document: dict[str, Any]) -> None:
        """Insert or replace a JSON document."""
        ...

    def documents(self, kind: str, *, whole: bool = False) -> dict[str, dict[str, Any]]:
        """Read all documents of a kind by name; with ``whole`` a damaged one raises `StoreError`."""
        ...


class Reconciliations:
    """Keep and find records; the newest good one of a BMC is in force."""

    def __init__(self, documents: Documents) -> None:
        self._documents = documents

    def add(self, record: ReconciliationRecord) -> None:
        """Keep a record; durable when it returns."""
        self._documents.put_document(KIND, record.name, record.model_dump(mode="json"))

    def all(self) -> list[ReconciliationRecord]:
        """Read all records, oldest first. Raises `StoreError` for one that cannot be read."""
        found = [_parsed(name, document) for name, document in self._documents.documents(KIND, whole=True).items()]
        return sorted(found, key=lambda record: record.recorded_ns)

    def in_force(self, server: str, bmc: str, as_of_ns: int | None = None) -> ReconciliationRecord | None:
        """Find the newest good record of a BMC that was made before an instant [UTC ns] (None: any)."""
        mine = [
            record
            for record in self.all()
            if (record.server, record.bmc.name) == (server, bmc)
            and record.good
            and (as_of_ns is None or record.recorded_ns <= as_of_ns)
        ]
        return mine[-1] if mine else None


def _parsed(name: str, document: dict[str, Any]) -> ReconciliationRecord:
    try:
        return ReconciliationRecord.model_validate(document)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(step) for step in first["loc"])
        cause = f"Reconciliation {name} cannot be read ({place}: {first['msg']})."
        raise StoreError(cause, "Use a backup of the data folder.") from error
