"""What others published, in archives: which audits and figures go into one, and how those of one come in."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from wattmark.comparison.published.imported import FIGURES, ImportedResults
from wattmark.comparison.published.published_result import PublishedResult
from wattmark.core.errors import InputError
from wattmark.exchange.audits.audit import KIND, Audit
from wattmark.exchange.audits.audits import Audits
from wattmark.runs.record import RunRecord
from wattmark.runs.store import RunStore

_FIGURES_ALONE = ("specpower", "speccpu2017")
"""Kinds whose texts are the publisher's own: figures may be quoted with their source, the text beside them not.

SPEC Fair Use Rules (spec.org/fairuse.html).
"""


@dataclass(frozen=True, slots=True)
class Published:
    """Audits, and figures that were published without readings."""

    audits: tuple[Audit, ...] = ()
    figures: tuple[PublishedResult, ...] = ()

    @property
    def text(self) -> str:
        """Return how much it is in words; empty where there is nothing."""
        parts = [(len(self.audits), "audit"), (len(self.figures), "published result")]
        return " and ".join(f"{count} {what}{'' if count == 1 else 's'}" for count, what in parts if count)


def published_with(store: RunStore, runs: Sequence[RunRecord], *, every: bool) -> Published:
    """Return the audits of runs; with ``every`` all audits and figures of the data folder.

    Raises `InputError` for one that another version wrote.
    """
    audits = Audits(store)
    if not every:
        run_ids = {run.run_id for run in runs if run.disclosure.imported is not None}
        chosen = [audit for audit in (audits.all() if run_ids else ()) if any(run.id in run_ids for run in audit.runs)]
        return Published(tuple(chosen))
    figures = sorted(store.documents(FIGURES).items())
    return Published(tuple(audits.all()), tuple(_quotable(name, document) for name, document in figures))


def _quotable(name: str, document: Mapping[str, Any]) -> PublishedResult:
    try:
        result = PublishedResult.model_validate(document)
    except ValidationError:
        raise InputError(
            f"The published result {name[:80]!r} was written by another version of wattmark.",
            "Import its source again.",
        ) from None
    return result.model_copy(update={"disclosure": {}}) if result.kind in _FIGURES_ALONE else result


def restore_published(
    store: RunStore, audits: Iterable[Audit], figures: Iterable[PublishedResult], lab: str
) -> list[str]:
    """Store audits and figures that are not here, with the lab that they come from; return what is to be said.

    Empty ``lab``: they are of this laboratory. What is here already stays as it is.
    """
    stored_audits, stored_figures = store.documents(KIND), store.documents(FIGURES)
    notes: list[str] = []
    taken_audits, taken_figures = [], []
    for audit in audits:
        if audit.id not in stored_audits:
            by = f", audited by {lab}" if lab else ""
            taken_audits.append(audit.model_copy(update={"source": f"{audit.source}{by}"}))
        elif _differ(stored_audits[audit.id], audit.model_dump(mode="json")):
            notes.append(f"The audit of {audit.title} is here with different content and was not changed.")
    for result in figures:
        if result.id not in stored_figures:
            by = f", brought by {lab}" if lab else ""
            taken_figures.append(result.model_copy(update={"source": f"{result.source}{by}"}))
        elif _differ(stored_figures[result.id], result.model_dump(mode="json")):
            notes.append(f"The published result {result.title} is here with different content and was not changed.")
    for audit in taken_audits:
        Audits(store).keep(audit)
    for result in taken_figures:
        ImportedResults(store).keep(result)
    taken = Published(tuple(taken_audits), tuple(taken_figures)).text
    return [*([f"Imported: {taken}."] if taken else []), *notes]


def _differ(stored: Mapping[str, Any], arrived: Mapping[str, Any]) -> bool:
    """Return whether two documents differ in anything but where they come from and what is not passed on."""
    apart = {"source", "disclosure", "software"}
    return {n: v for n, v in stored.items() if n not in apart} != {n: v for n, v in arrived.items() if n not in apart}
