"""Published results into a data folder: preview, import, audit, and the first issued result of each run."""

from __future__ import annotations

from contextlib import nullcontext, suppress
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from wattmark.audits.audit import KIND, ROW_KIND, Audit
from wattmark.audits.audits import Audits
from wattmark.comparison.published.imported import FIGURES, FIGURES_ROW, ImportedResults
from wattmark.comparison.published.published_result import PublishedSummary
from wattmark.core.alone import Alone
from wattmark.core.amounts import Count, Document
from wattmark.core.errors import Conflict, EvaluationFailed, InputError, NotFound, StoreError
from wattmark.core.progress import note_done
from wattmark.core.schema import Record
from wattmark.importers.bring_in import Previewed, import_source, preview_source
from wattmark.importers.csv_mapping.csv_import import csv_importer
from wattmark.importers.csv_mapping.kept import KeptMappings
from wattmark.importers.csv_mapping.mapping import CsvMapping
from wattmark.importers.importer import Choices, Importer
from wattmark.importers.kinds import importer_of
from wattmark.importers.outcome import ImportOutcome
from wattmark.results.data_folder import Storage
from wattmark.results.issued.evaluations import Evaluations
from wattmark.results.issued.issuer import Issuer

_KINDS = FIGURES, FIGURES_ROW, KIND, ROW_KIND
"""Kinds of the documents of an imported result."""
_DELETED = "deleted-import"
MOST_DELETED = 20
"""Results that were deleted last and can be brought back."""
_NOTHING_KEPT = "Nothing of it was imported, so what an earlier import brought, and its audit, stay as they are."


class DeletedResult(Record):
    """An imported result that was deleted, as it was stored."""

    number: Count
    """The highest is that of the one that was deleted last."""
    title: str
    documents: dict[str, Document]
    """By their kinds."""


@dataclass(frozen=True, slots=True)
class BroughtIn:
    """What became of a source."""

    importer: Importer
    outcomes: list[ImportOutcome]
    audits: list[Audit]
    not_audited: str | None = None
    """Why the source has no audit although its kind has them."""


class PublishedImports:
    """Preview and import published results; safe to call from several threads."""

    def __init__(self, storage: Storage, results: Evaluations, issuer: Issuer | None) -> None:
        self._storage = storage
        self._results = results
        self._issuer = issuer
        self.mappings = KeptMappings(storage.runs)

    def preview(
        self, kind: str, source: Path, choices: Choices, mapping: CsvMapping | None = None
    ) -> tuple[Importer, list[Previewed]]:
        """Read a source to its end and store nothing. Raises `InputError`."""
        importer = self._importer(kind, source, mapping)
        return importer, list(preview_source(importer, source, self._storage.runs, choices))

    def bring_in(
        self,
        kind: str,
        source: Path,
        choices: Choices,
        mapping: CsvMapping | None = None,
        alone: Alone = nullcontext,
    ) -> BroughtIn:
        """Store what is in a source, audit it, and issue the first result of each run. Raises `InputError`.

        ``alone`` holds back campaigns while it is open: when results are stored, and not while they are read.
        """
        importer = self._importer(kind, source, mapping)
        outcomes = import_source(importer, source, self._storage.samples, self._storage.runs, choices, alone=alone)
        for outcome in outcomes:
            if outcome.run_id and self._issuer is not None:
                with suppress(EvaluationFailed):  # the result of the run says why
                    self._issuer.first(self._results.record(outcome.run_id))
                note_done("evaluated", 1, of=len(outcomes))
        audits: list[Audit] = []
        refused = all(outcome.error is not None for outcome in outcomes)
        try:
            if importer.audit is not None and not refused:
                keeper = Audits(self._storage.runs)
                for audit in importer.audit(source, choices):
                    keeper.keep(audit)
                    audits.append(audit)
        except InputError as error:
            return BroughtIn(importer, outcomes, audits, str(error))
        return BroughtIn(importer, outcomes, audits, _NOTHING_KEPT if refused and importer.audit is not None else None)

    def figures(self) -> list[tuple[PublishedSummary, bool]]:
        """List the results that were imported as figures, each with whether it has an audit."""
        audited = {row.id for row in Audits(self._storage.runs).rows()}
        return [(result, result.id in audited) for result in ImportedResults(self._storage.runs).summaries()]

    def delete(self, import_id: str) -> None:
        """Delete the figures and the audit of an imported result; imported runs stay. Raises `NotFound`.

        The last ones that were deleted can be brought back by `restore`; one that is damaged cannot.
        """
        runs = self._storage.runs
        if not self._stored(import_id):
            raise NotFound(
                f"There is no imported result {import_id[:80]!r}.", "Its id is in GET /api/imports or GET /api/audits."
            )
        try:
            documents = {kind: document for kind in _KINDS if (document := runs.document(kind, import_id)) is not None}
        except StoreError:
            runs.delete_document(_DELETED, import_id)  # what an earlier deletion kept is not what is deleted now
        else:
            self._keep_deleted(import_id, documents)
        ImportedResults(runs).delete(import_id)
        Audits(runs).delete(import_id)

    def deleted(self) -> list[tuple[str, str]]:
        """List id and title of the results that can be brought back, the last one first."""
        return [(name, entry.title) for name, entry in self._deleted() if not self._stored(name)]

    def restore(self, import_id: str) -> None:
        """Bring back what `delete` took away. Raises `NotFound`, and `Conflict` where it was imported again since."""
        runs = self._storage.runs
        entry = dict(self._deleted()).get(import_id)
        if entry is None:
            raise NotFound(
                f"The deleted result {import_id[:80]!r} is no longer kept.", "Import its source again to have it back."
            )
        if self._stored(import_id):
            raise Conflict(f"The result {import_id[:80]!r} was imported again.", "There is nothing to bring back.")
        for kind, document in entry.documents.items():
            runs.put_document(kind, import_id, document)
        runs.delete_document(_DELETED, import_id)

    def _stored(self, import_id: str) -> bool:
        """Return whether anything of a result is stored, readable or not."""
        runs = self._storage.runs
        for kind in _KINDS:
            try:
                if runs.document(kind, import_id) is not None:
                    return True
            except StoreError:
                return True
        return False

    def _keep_deleted(self, import_id: str, documents: dict[str, Document]) -> None:
        """Keep what is about to be deleted, in place of what an earlier deletion kept of it, and only the last ones."""
        runs = self._storage.runs
        before = [(name, entry) for name, entry in self._deleted() if name != import_id]
        number = before[0][1].number + 1 if before else 1
        title = str(next(iter(documents.values())).get("title", import_id))
        kept = DeletedResult(number=number, title=title, documents=documents)
        runs.put_document(_DELETED, import_id, kept.model_dump(mode="json"))
        for name, _ in before[MOST_DELETED - 1 :]:
            runs.delete_document(_DELETED, name)

    def _deleted(self) -> list[tuple[str, DeletedResult]]:
        """List the deleted results by id, the last one first; those that cannot be read are omitted."""
        results = []
        for name, document in self._storage.runs.documents(_DELETED).items():
            with suppress(ValidationError):
                results.append((name, DeletedResult.model_validate(document)))
        return sorted(results, key=lambda pair: -pair[1].number)

    def _importer(self, kind: str, source: Path, mapping: CsvMapping | None) -> Importer:
        """Return the importer of a kind or of a mapping; without both, what recognises the source."""
        return csv_importer(mapping) if mapping else importer_of(kind, source, self.mappings.all())
