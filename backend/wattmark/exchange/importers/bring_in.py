"""Preview a source, or store what is in it: the same steps for every kind."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path

from wattmark.comparison.published.imported import ImportedResults
from wattmark.core.alone import Alone
from wattmark.core.errors import Conflict, InputError
from wattmark.core.progress import note_done
from wattmark.core.wanted import Abandoned, wanted
from wattmark.exchange.importers.importer import Choices, Imported, ImportedFigures, ImportedRun, Importer, Pending
from wattmark.exchange.importers.log_lines import with_unread
from wattmark.exchange.importers.log_part import is_whole_log, part_of, require_other_time, runs_of
from wattmark.exchange.importers.log_trace import LogTrace, LogTracer
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
    trace: LogTrace | None = None
    """Power of a whole log, of which a part can be chosen."""


def preview_source(
    importer: Importer,
    path: Path,
    runs: RunStore,
    choices: Choices = Choices(),  # noqa: B008 - it never changes
) -> Iterator[Previewed]:
    """Read every result of a source to its end and store nothing. Raises `InputError` when there is none."""
    _require_log(importer, choices)
    for pending in wanted(importer.find(path, choices)):
        try:
            items = _read(importer, pending, choices)
        except InputError as error:
            yield Previewed(pending.source, pending.title, None, error=error)
            continue
        for item in items:
            yield _preview(pending, item, runs)


def _preview(pending: Pending, item: Imported, runs: RunStore) -> Previewed:
    if not isinstance(item, ImportedRun):
        return Previewed(pending.source, pending.title, item, unread=item.unread)
    title, tracer = _title(pending, item), LogTracer(item.record)
    try:
        _require_home(pending, item, runs)
        stored = runs.get(item.record.run_id) is not None
        samples = sum(len(part) for block in wanted(tracer.passing(item.blocks())) for _, part in block)
    except InputError as error:
        return Previewed(pending.source, title, None, error=error)
    trace = tracer.trace if is_whole_log(item.record) else None
    return Previewed(pending.source, title, item, samples, stored, item.unread, trace=trace)


def _title(pending: Pending, item: ImportedRun) -> str:
    """Return what a result is called, with the part of the log that it is."""
    part = part_of(item.record)
    return pending.title if part is None or part.name is None else f"{pending.title}, {part.name}"


def _require_log(importer: Importer, choices: Choices) -> None:
    """Refuse parts of what is no log. Raises `InputError`."""
    if choices.parts and not importer.is_log:
        raise InputError(
            f"{importer.title} is no log of which a part can be chosen: its files say when the work began and ended.",
            "Leave --from, --to and --phases out.",
        )


def _read(importer: Importer, pending: Pending, choices: Choices) -> list[Imported]:
    """Read a result: one, or the parts that were chosen of a log. Raises `InputError`."""
    item = pending.read()
    if not isinstance(item, ImportedRun):
        return [item]
    item = with_unread(item)
    return [*runs_of(item, choices, choices.zone or importer.zone)] if importer.is_log else [item]


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
    _require_log(importer, choices)
    pendings = importer.find(path, choices)
    outcomes: list[ImportOutcome] = []
    for done, pending in enumerate(wanted(pendings)):
        if on_progress:
            on_progress(done, len(pendings), pending.title)
        try:
            items = _read(importer, pending, choices)
            outcomes.extend(_import_one(pending, item, samples, runs, alone) for item in items)
        except InputError as error:
            outcomes.append(ImportOutcome(pending.source, None, error=error))
        except Conflict as error:
            if not any(outcome.error is None for outcome in outcomes):
                raise
            outcomes.append(ImportOutcome(pending.source, None, error=error))
    if on_progress:
        on_progress(len(pendings), len(pendings), "")
    return outcomes


def _import_one(pending: Pending, item: Imported, samples: SampleStore, runs: RunStore, alone: Alone) -> ImportOutcome:
    try:
        if isinstance(item, ImportedFigures):
            ImportedResults(runs).keep(item.result)
            return ImportOutcome(pending.source, None, item.notes, figures_id=item.result.id, unread=item.unread)
        _require_home(pending, item, runs)
        with alone():
            _store_run(item, samples, runs)
    except InputError as error:
        return ImportOutcome(pending.source, None, error=error)
    return ImportOutcome(pending.source, item.record.run_id, item.notes, unread=item.unread)


def _require_home(pending: Pending, item: ImportedRun, runs: RunStore) -> None:
    """Refuse a run that was imported from another place, or counts time of its log again. Raises `InputError`."""
    stored = runs.get(item.record.run_id)
    if stored is not None and stored.source != item.record.source:
        raise same_run(pending.source, stored.source.removeprefix("imported: "), item.identified_by)
    require_other_time(item, runs)


def _store_run(item: ImportedRun, samples: SampleStore, runs: RunStore) -> None:
    """Write samples first and the record last, so that a broken import leaves no run without its samples."""
    run_id = item.record.run_id
    runs.delete(run_id)
    samples.delete_run(run_id)
    try:
        for block in wanted(item.blocks()):
            samples.append([(samples.series(key).id, part) for key, part in block])
            note_done("stored", sum(len(part) for _, part in block))
    except (InputError, Abandoned):
        samples.delete_run(run_id)
        raise
    samples.seal(run_id)
    runs.put(item.record)
