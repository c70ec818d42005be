"""MLPerf Power results become runs: one per measured pass."""

from __future__ import annotations

from pathlib import Path

from pydantic import ValidationError

from wattmark.errors import InputError
from wattmark.importers.mlperf_homes import homes_of, same_log
from wattmark.importers.mlperf_result import ImportedResult, read_result
from wattmark.importers.mlperf_store import store_result
from wattmark.importers.mlperf_tree import ResultFolder, find_results
from wattmark.importers.outcome import ImportOutcome, OnProgress, exit_code
from wattmark.runs.record import first_mistake
from wattmark.storage.run_store import RunStore
from wattmark.storage.sample_store import SampleStore

__all__ = ["ImportOutcome", "exit_code", "import_mlperf"]


def import_mlperf(
    directory: Path, samples: SampleStore, runs: RunStore, on_progress: OnProgress | None = None
) -> list[ImportOutcome]:
    """Store one run per MLPerf Power result under ``directory``; a broken result is refused, the others go on.

    Importing the same folder again replaces its run. A LoadGen log that lies in several folders is one run: it is
    imported from the folder named for the scenario that ran, and refused from the others. Raises `InputError` when
    there is no result at all and `StoreError` when the data folder cannot be written.
    """
    found = find_results(directory)
    outcomes: list[ImportOutcome] = []
    homes = homes_of(found)
    for done, folder in enumerate(found):
        if on_progress:
            on_progress(done, len(found), folder.title)
        outcomes.append(_import_one(folder, homes.get(folder.path), samples, runs))
    if on_progress:
        on_progress(len(found), len(found), "")
    return outcomes


def _read(folder: ResultFolder) -> ImportedResult:
    try:
        return read_result(folder)
    except ValidationError as error:
        cause = f"{folder.where} states what no record of a run can hold: {first_mistake(error)}."
        raise InputError(cause, "Look at the files that state it; restore them from their source.") from None


def _import_one(folder: ResultFolder, home: str | None, samples: SampleStore, runs: RunStore) -> ImportOutcome:
    try:
        if home is not None and home != folder.where:
            raise same_log(folder.where, home)
        parsed = _read(folder)
        stored = runs.get(parsed.record.run_id)
        if stored is not None and stored.source != parsed.record.source:
            raise same_log(folder.where, stored.source.removeprefix("imported: "))
    except InputError as error:
        return ImportOutcome(folder.where, None, error=error)
    store_result(parsed, samples, runs)
    return ImportOutcome(folder.where, parsed.record.run_id, parsed.notes)
