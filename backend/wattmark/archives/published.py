"""Published figures in archives: which audits and figures go into one, and how they are imported."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from pydantic import ValidationError

from wattmark.audits.audit import KIND, Audit
from wattmark.audits.audits import Audits
from wattmark.comparison.published.imported import FIGURES, ImportedResults
from wattmark.comparison.published.published_result import PublishedResult
from wattmark.core.errors import InputError
from wattmark.runs.record import RunRecord
from wattmark.runs.store import RunStore

_FIGURES_ALONE = ("specpower", "speccpu2017")
"""Kinds whose texts are the publisher's own: figures may be quoted with their source, the text beside them not.

SPEC Fair Use Rules (spec.org/fairuse.html).
"""

P = TypeVar("P", Audit, PublishedResult)


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
    taken_audits, other_audits = _restored(audits, store.documents(KIND), Audits(store).keep, "audited", lab)
    keep_figures = ImportedResults(store).keep
    taken_figures, other_figures = _restored(figures, store.documents(FIGURES), keep_figures, "brought", lab)
    taken = Published(taken_audits, taken_figures).text
    kept = "is here with different content and was not changed."
    return [
        *([f"Imported: {taken}."] if taken else []),
        *(f"The audit of {title} {kept}" for title in other_audits),
        *(f"The published result {title} {kept}" for title in other_figures),
    ]


def _restored(
    items: Iterable[P], stored: Mapping[str, dict[str, Any]], keep: Callable[[P], None], deed: str, lab: str
) -> tuple[tuple[P, ...], list[str]]:
    """Store what is not here with who passed it on; return that, and the titles of what is here with other content."""
    taken, others = list[P](), list[str]()
    for item in items:
        if item.id not in stored:
            source = f"{item.source}, {deed} by {lab}" if lab else item.source
            taken.append(item.model_copy(update={"source": source}))
            keep(taken[-1])
        elif _differ(stored[item.id], item.model_dump(mode="json")):
            others.append(item.title)
    return tuple(taken), others


def _differ(stored: Mapping[str, Any], arrived: Mapping[str, Any]) -> bool:
    """Return whether two documents differ in anything but where they come from and what is not passed on."""
    apart = {"source", "disclosure", "software"}
    return {n: v for n, v in stored.items() if n not in apart} != {n: v for n, v in arrived.items() if n not in apart}
