"""All cross-calibrations, stored as documents of the run store."""

from __future__ import annotations

from typing import Any

from pydantic import ValidationError

from wattmark.core.errors import StoreError
from wattmark.runs.store import RunStore
from wattmark.traceability.cross_calibration.drift import with_changes
from wattmark.traceability.cross_calibration.record import CrossCalibrationRecord

KIND = "cross_calibration"


class CrossCalibrations:
    """Store and find cross-calibrations; the newest good one of a BMC is in force."""

    def __init__(self, documents: RunStore) -> None:
        self._documents = documents

    def add(self, record: CrossCalibrationRecord) -> CrossCalibrationRecord:
        """Add a record, with the change of the BMC since the earlier ones; durable when it returns."""
        record = with_changes(record, self.of(record.server, record.bmc.name))
        self._documents.put_document(KIND, record.name, record.model_dump(mode="json"))
        return record

    def all(self) -> list[CrossCalibrationRecord]:
        """Read all records, oldest first. Raises `StoreError` for one that cannot be read."""
        records = [
            read_cross_calibration(name, document)
            for name, document in self._documents.documents(KIND, whole=True).items()
        ]
        return sorted(records, key=lambda record: record.recorded_ns)

    def readable(self) -> tuple[list[CrossCalibrationRecord], list[str]]:
        """Read the readable records, newest first, with the reason for each other one."""
        records, unreadable = [], []
        for name, document in self._documents.documents(KIND, whole=True).items():
            try:
                records.append(read_cross_calibration(name, document))
            except StoreError as error:
                unreadable.append(str(error))
        return sorted(records, key=lambda record: record.recorded_ns, reverse=True), unreadable

    def in_force(self, server: str, bmc: str, as_of_ns: int | None = None) -> CrossCalibrationRecord | None:
        """Find the newest good record of a BMC that was made before an instant [UTC ns] (None: any).

        Raises `StoreError` as `of` does.
        """
        good = [record for record in self.of(server, bmc) if record.good]
        in_time = [record for record in good if as_of_ns is None or record.recorded_ns <= as_of_ns]
        return in_time[-1] if in_time else None

    def of(self, server: str, bmc: str) -> list[CrossCalibrationRecord]:
        """Read the records of a BMC, oldest first.

        Raises `StoreError` for one that cannot be read; those of other BMCs do not matter.
        """
        documents = self._documents.documents(KIND, whole=True)
        candidates = {name: document for name, document in documents.items() if _may_be_of(document, server, bmc)}
        records = [read_cross_calibration(name, document) for name, document in candidates.items()]
        records_of_bmc = [record for record in records if (record.server, record.bmc.name) == (server, bmc)]
        return sorted(records_of_bmc, key=lambda record: record.recorded_ns)


def _may_be_of(document: dict[str, Any], server: str, bmc: str) -> bool:
    """Return whether a document names a BMC, or, being damaged, could name it."""
    device = document.get("bmc")
    names = document.get("server"), device.get("name") if isinstance(device, dict) else None
    return all(name == wanted or not isinstance(name, str) for name, wanted in zip(names, (server, bmc), strict=True))


def read_cross_calibration(name: str, document: dict[str, Any]) -> CrossCalibrationRecord:
    """Read a record. Raises `StoreError`."""
    try:
        return CrossCalibrationRecord.model_validate(document)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(step) for step in first["loc"])
        cause = f"Cross-calibration {name} cannot be read ({place}: {first['msg']})."
        raise StoreError(cause, "Use a backup of the data folder.") from error
