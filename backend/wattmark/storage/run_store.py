"""What every store of run records can do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from wattmark.runs.record import RunRecord


class RunStore(Protocol):
    """Keep run records and small documents (bench file, campaigns) durably.

    A run in the trash is kept, but only `trashed` knows it.
    """

    def put(self, run: RunRecord) -> None:
        """Insert or replace a run record; durable when it returns."""
        ...

    def get(self, run_id: str) -> RunRecord | None:
        """Read one record; None where there is none. Raises `StoreError` where it is damaged."""
        ...

    def all(self, workload: str | None = None) -> list[RunRecord]:
        """Read the records of a workload, or of all, oldest first; damaged ones are left out."""
        ...

    def ids(self) -> list[str]:
        """List all runs, oldest first, without reading their records."""
        ...

    def running(self) -> list[RunRecord]:
        """Read the records of runs that are recording, oldest first."""
        ...

    def count_by_status(self) -> dict[str, int]:
        """Count the records by their status, without reading them."""
        ...

    def delete(self, run_id: str) -> None:
        """Delete a record (its samples are the sample store's to delete)."""
        ...

    def trash(self, run_ids: Sequence[str], trashed_ns: int) -> None:
        """Move runs into the trash, all or none."""
        ...

    def restore(self, run_ids: Sequence[str]) -> None:
        """Take runs out of the trash, all or none."""
        ...

    def trashed(self) -> list[tuple[RunRecord, int]]:
        """Read the runs of the trash, latest first, with the instant of their deletion [UTC ns]."""
        ...

    def mark_interrupted(self) -> list[str]:
        """Set every run that is still "running" to "interrupted"; returns their ids. Called once at start."""
        ...

    def put_document(self, kind: str, name: str, document: dict[str, Any]) -> None:
        """Insert or replace a JSON document."""
        ...

    def documents(self, kind: str, *, whole: bool = False) -> dict[str, dict[str, Any]]:
        """Read all documents of a kind by name. Damaged ones are left out; with ``whole`` they raise `StoreError`."""
        ...
