"""Published results into a data folder: preview, import, audit, and the first issued result of each run."""

from __future__ import annotations

from contextlib import nullcontext, suppress
from dataclasses import dataclass
from pathlib import Path

from wattmark.audits.audit import ROW_KIND, Audit
from wattmark.audits.audits import Audits
from wattmark.comparison.published.imported import FIGURES_ROW, ImportedResults
from wattmark.core.alone import Alone
from wattmark.core.errors import EvaluationFailed, InputError, NotFound
from wattmark.core.progress import note_done
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

_NOTHING_KEPT = "Nothing of it was imported, so what an earlier import brought, and its audit, stay as they are."


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

    def delete(self, import_id: str) -> None:
        """Delete the figures and the audit of an imported result; imported runs stay. Raises `NotFound`."""
        runs = self._storage.runs
        if not any(import_id in runs.documents(kind) for kind in (FIGURES_ROW, ROW_KIND)):
            raise NotFound(
                f"There is no imported result {import_id[:80]!r}.", "Its id is in GET /api/audits, or in its outcome."
            )
        ImportedResults(runs).delete(import_id)
        Audits(runs).delete(import_id)

    def _importer(self, kind: str, source: Path, mapping: CsvMapping | None) -> Importer:
        """Return the importer of a kind or of a mapping; without both, what recognises the source."""
        return csv_importer(mapping) if mapping else importer_of(kind, source, self.mappings.all())
