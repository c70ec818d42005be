"""Preview a source, or store what is in it: the same steps for every kind."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path

from wattmark.comparison.published.imported import ImportedResults
from wattmark.core.alone import Alone
from wattmark.core.errors import Conflict, InputError
from wattmark.core.progress import note_done
from wattmark.core.wanted import Abandoned, wanted
from wattmark.importers.importer import (
    Block,
    Choices,
    Imported,
    ImportedFigures,
    ImportedRun,
    Importer,
    Pending,
)
from wattmark.importers.log_lines import with_unread
from wattmark.importers.log_part import (
    RunsOfLog,
    is_whole_log,
    part_of,
    require_other_time,
    runs_of,
    stored_parts,
)
from wattmark.importers.log_trace import LogTrace, LogTracer
from wattmark.importers.outcome import ImportOutcome, OnProgress, same_run
from wattmark.importers.unread import Unread
from wattmark.runs.disclosure import ChosenPart
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
            item = _read(importer, pending, choices)
        except InputError as error:
            yield Previewed(pending.source, pending.title, None, error=error)
            continue
        if isinstance(item, ImportedFigures):
            yield Previewed(pending.source, pending.title, item, unread=item.unread)
        else:
            yield from _preview(pending, item, runs)


def _preview(pending: Pending, of_source: RunsOfLog, runs: RunStore) -> Iterator[Previewed]:
    refused = _refused(pending, of_source.runs, runs)
    tracer, counts = LogTracer(of_source.runs[0].record), Counter[str]()
    error: InputError | None = None
    blocks = () if len(refused) == len(of_source.runs) else of_source.blocks()
    try:
        for block in wanted(tracer.passing(blocks)):
            for key, part in block:
                counts[key.run_id] += len(part)
    except InputError as broken:
        error = broken
    for item in of_source.runs:
        title, run_id = _title(pending, item), item.record.run_id
        if why := error or refused.get(run_id):
            yield Previewed(pending.source, title, None, error=why)
            continue
        trace = tracer.trace if is_whole_log(item.record) else None
        stored = runs.get(run_id) is not None
        yield Previewed(pending.source, title, item, counts[run_id], stored, item.unread, trace=trace)


def _title(pending: Pending, item: ImportedRun) -> str:
    """Return what a result is called, with the part of the log that it is."""
    part = part_of(item.record)
    return pending.title if part is None or part.name is None else f"{pending.title}, {part.name}"


def _require_log(importer: Importer, choices: Choices) -> None:
    """Refuse parts of a source that is not a log. Raises `InputError`."""
    if choices.parts and not importer.is_log:
        raise InputError(
            f"No part of {importer.title} can be chosen: its files say when the work began and ended.",
            "Leave --from, --to and --phases out.",
        )


def _read(importer: Importer, pending: Pending, choices: Choices) -> ImportedFigures | RunsOfLog:
    """Read a result: figures, a run, or the runs of the parts that were chosen of a log. Raises `InputError`."""
    item = pending.read()
    if isinstance(item, ImportedFigures):
        return item
    item = with_unread(item)
    return runs_of(item, choices, choices.zone or importer.zone) if importer.is_log else RunsOfLog([item], item.blocks)


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
            item = _read(importer, pending, choices)
            if isinstance(item, ImportedFigures):
                ImportedResults(runs).keep(item.result)
                figures = item.result.id
                outcomes.append(ImportOutcome(pending.source, None, item.notes, figures_id=figures, unread=item.unread))
            else:
                outcomes += _import_runs(pending, item, samples, runs, alone)
        except InputError as error:
            outcomes.append(ImportOutcome(pending.source, None, error=error))
        except Conflict as error:
            if not any(outcome.error is None for outcome in outcomes):
                raise
            outcomes.append(ImportOutcome(pending.source, None, error=error))
    if on_progress:
        on_progress(len(pendings), len(pendings), "")
    return outcomes


def _import_runs(
    pending: Pending, of_source: RunsOfLog, samples: SampleStore, runs: RunStore, alone: Alone
) -> list[ImportOutcome]:
    """Store the runs of a result but those that are refused. Raises `InputError` for what cannot be read."""
    refused = _refused(pending, of_source.runs, runs)
    accepted = [item for item in of_source.runs if item.record.run_id not in refused]
    if accepted:
        with alone():
            _store_runs(accepted, of_source.blocks, samples, runs)
    outcomes = []
    for item in of_source.runs:
        run_id = item.record.run_id
        if error := refused.get(run_id):
            outcomes.append(ImportOutcome(pending.source, None, error=error))
        else:
            outcomes.append(ImportOutcome(pending.source, run_id, item.notes, unread=item.unread))
    return outcomes


def _refused(pending: Pending, items: Sequence[ImportedRun], runs: RunStore) -> dict[str, InputError]:
    """Return why runs are refused: imported from another place, or counting time of their log again."""
    refused: dict[str, InputError] = {}
    parts = stored_parts(items, runs)
    for item in items:
        try:
            _require_home(pending, item, runs, parts)
        except InputError as error:
            refused[item.record.run_id] = error
    return refused


def _require_home(pending: Pending, item: ImportedRun, runs: RunStore, parts: Mapping[str, ChosenPart]) -> None:
    """Refuse a run that was imported from another place, or counts time of its log again. Raises `InputError`."""
    stored = runs.get(item.record.run_id)
    if stored is not None and stored.source != item.record.source:
        raise same_run(pending.source, stored.source.removeprefix("imported: "), item.identified_by)
    require_other_time(item, parts)


def _store_runs(
    items: Sequence[ImportedRun], blocks: Callable[[], Iterator[Block]], samples: SampleStore, runs: RunStore
) -> None:
    """Write samples first and records last, so that a broken import leaves no run without its samples."""
    run_ids = {item.record.run_id for item in items}
    for run_id in run_ids:
        runs.delete(run_id)
        samples.delete_run(run_id)
    try:
        for block in wanted(blocks()):
            kept = [(samples.series(key).id, part) for key, part in block if key.run_id in run_ids]
            samples.append(kept)
            note_done("stored", sum(len(part) for _, part in kept))
    except (InputError, Abandoned):
        for run_id in run_ids:
            samples.delete_run(run_id)
        raise
    for item in items:
        samples.seal(item.record.run_id)
        runs.put(item.record)
