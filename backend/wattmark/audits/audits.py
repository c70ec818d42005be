"""The stored audits of a data folder."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import ValidationError

from wattmark.audits.audit import KIND, ROW_KIND, Audit, AuditRow, audit_row
from wattmark.audits.views import PublishedAuditOut
from wattmark.core.errors import InputError, NotFound

if TYPE_CHECKING:
    from wattmark.runs.store import RunStore


class Audits:
    """Keep and read audits; safe to call from several threads."""

    def __init__(self, runs: RunStore) -> None:
        self._runs = runs

    def keep(self, audit: Audit) -> None:
        """Store an audit in place of an earlier one of the same submission."""
        self._runs.put_document(KIND, audit.id, audit.model_dump(mode="json"))
        self._runs.put_document(ROW_KIND, audit.id, audit_row(audit).model_dump(mode="json"))

    def delete(self, audit_id: str) -> None:
        """Delete an audit; nothing where there is none."""
        for kind in KIND, ROW_KIND:
            self._runs.delete_document(kind, audit_id)

    def rows(self) -> list[AuditRow]:
        """List the audits by kind, round and title."""
        rows = [AuditRow.model_validate(row) for row in self._runs.documents(ROW_KIND).values()]
        return sorted(rows, key=lambda row: (row.kind, row.round or "", row.title, row.id))

    def audit(self, audit_id: str) -> Audit:
        """Read one audit. Raises `NotFound`, and `InputError` for one that another version wrote."""
        document = self._runs.document(KIND, audit_id)
        if document is None:
            raise NotFound(f"There is no audit {audit_id[:80]!r}.", "List them with GET /api/audits.")
        try:
            return Audit.model_validate(document)
        except ValidationError:
            raise InputError(
                f"The audit {audit_id[:80]!r} was written by another version of wattmark.", "Import its source again."
            ) from None

    def all(self) -> list[Audit]:
        """Read every audit, in the order of the list."""
        return [self.audit(row.id) for row in self.rows()]

    def view(self, audit_id: str) -> PublishedAuditOut:
        """Read one audit as the page shows it. Raises as `audit`."""
        audit = self.audit(audit_id)
        return PublishedAuditOut(
            audit=audit,
            difference_pct=audit.difference_pct,
            run_difference_pct=[run.difference_pct for run in audit.runs],
        )
