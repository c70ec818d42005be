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
        found = [
            read_reconciliation(name, document)
            for name, document in self._documents.documents(KIND, whole=True).items()
        ]
        return sorted(found, key=lambda record: record.recorded_ns)

    def in_force(self, server: str, bmc: str, as_of_ns: int | None = None) -> ReconciliationRecord | None:
        """Find the newest good record of a BMC that was made before an instant [UTC ns] (None: any).

        Raises `StoreError` as `of` does.
        """
        good = [record for record in self.of(server, bmc) if record.good]
        in_time = [record for record in good if as_of_ns is None or record.recorded_ns <= as_of_ns]
        return in_time[-1] if in_time else None

    def of(self, server: str, bmc: str) -> list[ReconciliationRecord]:
        """Read the records of a BMC, oldest first.

        Raises `StoreError` for one that cannot be read; those of other BMCs do not matter.
        """
        documents = self._documents.documents(KIND, whole=True)
        mine = {name: document for name, document in documents.items() if _may_be_of(document, server, bmc)}
        records = [read_reconciliation(name, document) for name, document in mine.items()]
        named = [record for record in records if (record.server, record.bmc.name) == (server, bmc)]
        return sorted(named, key=lambda record: record.recorded_ns)


def _may_be_of(document: dict[str, Any], server: str, bmc: str) -> bool:
    """Tell whether a document names a BMC, or can name it for all that is left of it."""
    named = document.get("bmc")
    there = document.get("server"), named.get("name") if isinstance(named, dict) else None
    return all(name == wanted or not isinstance(name, str) for name, wanted in zip(there, (server, bmc), strict=True))


def read_reconciliation(name: str, document: dict[str, Any]) -> ReconciliationRecord:
    """Read a record. Raises `StoreError`."""
    try:
        return ReconciliationRecord.model_validate(document)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(step) for step in first["loc"])
        cause = f"Reconciliation {name} cannot be read ({place}: {first['msg']})."
        raise StoreError(cause, "Use a backup of the data folder.") from error
