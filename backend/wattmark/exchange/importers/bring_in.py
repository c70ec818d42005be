"""Preview a source, or store what is in it: the same steps for every kind."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path

from wattmark.comparison.published.imported import ImportedResults
from wattmark.core.alone import Alone
from wattmark.core.errors import Conflict, InputError
from wattmark.core.wanted import Abandoned, wanted
from wattmark.exchange.importers.importer import Choices, Imported, ImportedFigures, ImportedRun, Importer, Pending
from wattmark.exchange.importers.log_lines import with_unread
from wattmark.exchange.importers.outcome import ImportOutcome, OnProgress, same_run
from wattmark.exchange.importers.unread import Unread
from wattmark.runs.store import RunStore
from wattmark.store.sample_store import SampleStore


@dataclass(frozen=True, slots=True)
class Previewed:
    """What one result of a source would bring."""

    source: str
    title: str
    item: Imported | None
    """None: it is refused with ``error``."""
    samples: int = 0
    stored: bool = False
    """Whether it is here already, and would be replaced."""
    unread: Unread = field(default_factory=Unread)
    error: InputError | None = None


def preview_source(
    importer: Importer,
    path: Path,
    runs: RunStore,
    choices: Choices = Choices(),  # noqa: B008 - it never changes
) -> Iterator[Previewed]:
    """Read every result of a source to its end and store nothing. Raises `InputError` when there is none."""
    for pending in wanted(importer.find(path, choices)):
        yield _preview(pending, runs)


def _preview(pending: Pending, runs: RunStore) -> Previewed:
    try:
        item = pending.read()
        samples, stored = 0, False
        if isinstance(item, ImportedRun):
            item = with_unread(item)
            _require_home(pending, item, runs)
            stored = runs.get(item.record.run_id) is not None
            samples = sum(len(part) for block in wanted(item.blocks()) for _, part in block)
    except InputError as error:
        return Previewed(pending.source, pending.title, None, error=error)
    return Previewed(pending.source, pending.title, item, samples, stored, item.unread)


def import_source(
    importer: Importer,
    path: Path,
    samples: SampleStore,
    runs: RunStore,
    choices: Choices = Choices(),  # noqa: B008 - it never changes
    on_progress: OnProgress | None = None,
    alone: Alone = nullcontext,
) -> list[ImportOutcome]:
    """Store every result of a source; a broken one is refused, the others go on.

    Importing the same source again replaces its runs. A run that was imported from another place is refused. Raises
    `InputError` when there is nothing to import, `StoreError` when the data folder cannot be written, and `Conflict`
    when ``alone``, which is open while a result is stored, refuses the first; later ones are then refused one by one.
    """
    pendings = importer.find(path, choices)
    outcomes: list[ImportOutcome] = []
    for done, pending in enumerate(wanted(pendings)):
        if on_progress:
            on_progress(done, len(pendings), pending.title)
        try:
            outcomes.append(_import_one(pending, samples, runs, alone))
        except Conflict as error:
            if not any(outcome.error is None for outcome in outcomes):
                raise
            outcomes.append(ImportOutcome(pending.source, None, error=error))
    if on_progress:
        on_progress(len(pendings), len(pendings), "")
    return outcomes


def _import_one(pending: Pending, samples: SampleStore, runs: RunStore, alone: Alone) -> ImportOutcome:
    try:
        item = pending.read()
        if isinstance(item, ImportedFigures):
            ImportedResults(runs).keep(item.result)
            return ImportOutcome(pending.source, None, item.notes, figures_id=item.result.id, unread=item.unread)
        item = with_unread(item)
        _require_home(pending, item, runs)
        with alone():
            _store_run(item, samples, runs)
    except InputError as error:
        return ImportOutcome(pending.source, None, error=error)
    return ImportOutcome(pending.source, item.record.run_id, item.notes, unread=item.unread)


def _require_home(pending: Pending, item: ImportedRun, runs: RunStore) -> None:
    """Refuse a run that was imported from another place. Raises `InputError`."""
    stored = runs.get(item.record.run_id)
    if stored is not None and stored.source != item.record.source:
        raise same_run(pending.source, stored.source.removeprefix("imported: "), item.identified_by)


def _store_run(item: ImportedRun, samples: SampleStore, runs: RunStore) -> None:
    """Write samples first and the record last, so that a broken import leaves no run without its samples."""
    run_id = item.record.run_id
    runs.delete(run_id)
    samples.delete_run(run_id)
    try:
        for block in wanted(item.blocks()):
            samples.append([(samples.series(key).id, part) for key, part in block])
    except (InputError, Abandoned):
        samples.delete_run(run_id)
        raise
    samples.seal(run_id)
    runs.put(item.record)
