"""The published results of a data folder: kept with their source, and read again only when they have changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import ValidationError

from wattmark.comparison.published.published_result import PublishedResult, PublishedSummary

if TYPE_CHECKING:
    from wattmark.runs.store import RunStore

FIGURES, FIGURES_ROW = "published-result", "published-result-row"
"""Kinds of the stored documents: a result with all that it discloses, and its summary."""
State = tuple[tuple[str, int], ...]


class ImportedResults:
    """Keep published results and list their summaries; safe to call from several threads."""

    def __init__(self, runs: RunStore) -> None:
        self._runs = runs
        self._read: tuple[State, tuple[PublishedSummary, ...]] = (), ()

    def keep(self, result: PublishedResult) -> None:
        """Store a result in place of an earlier one of the same source."""
        self._runs.put_document(FIGURES, result.id, result.model_dump(mode="json"))
        self._runs.put_document(FIGURES_ROW, result.id, result.summary.model_dump(mode="json"))

    def delete(self, result_id: str) -> None:
        """Delete a result, if it exists."""
        for kind in FIGURES, FIGURES_ROW:
            self._runs.delete_document(kind, result_id)

    def state(self) -> State:
        """Return a value that is equal as long as no result was added, replaced or removed."""
        return self._runs.documents_state(FIGURES_ROW)

    def summaries(self) -> tuple[PublishedSummary, ...]:
        """List the summaries by maker, model and publication; the same objects as long as nothing has changed.

        Those written by another version are omitted.
        """
        state = self.state()
        known, summaries = self._read
        if known != state:
            rows = self._runs.documents(FIGURES_ROW).values() if state else ()
            read = [summary for row in rows if (summary := _summary(row)) is not None]
            summaries = tuple(sorted(read, key=lambda s: (s.maker, s.model, s.published_on or "", s.id)))
            self._read = state, summaries
        return summaries


def _summary(row: dict[str, object]) -> PublishedSummary | None:
    try:
        return PublishedSummary.model_validate(row)
    except ValidationError:
        return None
