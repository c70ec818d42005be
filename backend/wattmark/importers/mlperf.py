"""MLPerf Power results become runs: one per measured pass."""

from __future__ import annotations

from pathlib import Path

from wattmark.errors import InputError
from wattmark.importers.mlperf_result import read_result
from wattmark.importers.mlperf_store import store_result
from wattmark.importers.mlperf_tree import ResultFolder, find_results
from wattmark.importers.outcome import ImportOutcome, OnProgress, exit_code
from wattmark.storage.run_store import RunStore
from wattmark.storage.sample_store import SampleStore

__all__ = ["ImportOutcome", "exit_code", "import_mlperf"]


def import_mlperf(
    directory: Path, samples: SampleStore, runs: RunStore, on_progress: OnProgress | None = None
) -> list[ImportOutcome]:
    """Store one run per MLPerf Power result under ``directory``; a broken result is refused, the others go on.

    Importing the same result again replaces its run. Raises `InputError` when there is no result at all and
    `StoreError` when the data folder cannot be written.
    """
    found = find_results(directory)
    outcomes: list[ImportOutcome] = []
    for done, folder in enumerate(found):
        if on_progress:
            on_progress(done, len(found), folder.title)
        outcomes.append(_import_one(folder, samples, runs))
    if on_progress:
        on_progress(len(found), len(found), "")
    return outcomes


def _import_one(folder: ResultFolder, samples: SampleStore, runs: RunStore) -> ImportOutcome:
    try:
        parsed = read_result(folder)
    except InputError as error:
        return ImportOutcome(folder.where, None, error=error)
    store_result(parsed, samples, runs)
    return ImportOutcome(folder.where, parsed.record.run_id, parsed.notes)
