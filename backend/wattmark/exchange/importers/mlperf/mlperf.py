"""MLPerf Power results become runs: one per measured pass, however many folders hold its LoadGen log."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from pydantic import ValidationError

from wattmark.core.errors import InputError
from wattmark.core.validation import first_mistake
from wattmark.exchange.importers.mlperf.mlperf_result import ImportedResult, read_result
from wattmark.exchange.importers.mlperf.mlperf_tree import DETAIL, ResultFolder, find_results
from wattmark.exchange.importers.outcome import ImportOutcome, OnProgress, exit_code
from wattmark.runs.store import RunStore
from wattmark.store.sample_store import Samples, SampleStore, SeriesKey
from wattmark.workloads.loadgen.loadgen import parse_loadgen

__all__ = ["ImportOutcome", "exit_code", "import_mlperf"]

_QUANTITIES = {
    "Watts": ("power", "W"),
    "Volts": ("voltage", "V"),
    "Amps": ("current", "A"),
    "PF": ("power_factor", "1"),
}
_STAMP_RESOLUTION_S = 0.0005


def import_mlperf(
    directory: Path, samples: SampleStore, runs: RunStore, on_progress: OnProgress | None = None
) -> list[ImportOutcome]:
    """Store one run per MLPerf Power result under ``directory``; a broken result is refused, the others go on.

    Importing the same folder again replaces its run. A LoadGen log that lies in several folders is one run: it is
    imported from the folder named for the scenario that ran, and refused from the others. Raises `InputError` when
    there is no result at all and `StoreError` when the data folder cannot be written.
    """
    folders = find_results(directory)
    outcomes: list[ImportOutcome] = []
    homes = _homes_of(folders)
    for done, folder in enumerate(folders):
        if on_progress:
            on_progress(done, len(folders), folder.title)
        outcomes.append(_import_one(folder, homes.get(folder.path), samples, runs))
    if on_progress:
        on_progress(len(folders), len(folders), "")
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
            raise _same_log(folder.where, home)
        parsed = _read(folder)
        stored = runs.get(parsed.record.run_id)
        if stored is not None and stored.source != parsed.record.source:
            raise _same_log(folder.where, stored.source.removeprefix("imported: "))
    except InputError as error:
        return ImportOutcome(folder.where, None, error=error)
    _store_result(parsed, samples, runs)
    return ImportOutcome(folder.where, parsed.record.run_id, parsed.notes)


def _homes_of(folders: Sequence[ResultFolder]) -> dict[Path, str]:
    """Return for each folder which one its log is imported from; a folder without a log is excluded.

    Of folders with one and the same log the first that is named for the scenario that ran is its home, else the first.
    """
    same: defaultdict[str, list[ResultFolder]] = defaultdict(list)
    for folder in folders:
        try:
            same[folder.file(DETAIL).sha256].append(folder)
        except InputError:
            continue
    return {folder.path: _home(group).where for group in same.values() for folder in group}


def _same_log(where: str, home: str) -> InputError:
    """Build the refusal of a folder whose log was imported from another one."""
    return InputError(
        f"{where} contains the same LoadGen log as {home}. One log is one run, so this is not another repeat.",
        "Use the run that was imported from there, or delete it to import this folder instead.",
    )


def _home(group: list[ResultFolder]) -> ResultFolder:
    if len(group) == 1:
        return group[0]
    try:
        scenario = parse_loadgen(group[0].file(DETAIL), None).scenario.lower()
    except InputError:
        return group[0]
    return next((folder for folder in group if folder.scenario.lower() == scenario), group[0])


def _store_result(result: ImportedResult, samples: SampleStore, runs: RunStore) -> None:
    """Write samples first and the record last, so that a broken import leaves no run without its samples."""
    record, log = result.record, result.log
    runs.delete(record.run_id)
    samples.delete_run(record.run_id)
    t_ns = log.t_ns - result.utc_offset_ns
    u_t_s = np.full(len(log), _STAMP_RESOLUTION_S, dtype=np.float32)
    batch = []
    for name, (quantity, unit) in _QUANTITIES.items():
        column = log.columns[name]
        if np.all(np.isnan(column.value)):
            continue
        key = SeriesKey(
            record.run_id, record.server, record.meters[0].name, quantity, quantity, unit, "averaged", result.range
        )
        batch.append((samples.series(key).id, Samples(t_ns, column.value, column.quality, u_t_s)))
    samples.append(batch)
    samples.seal(record.run_id)
    runs.put(record)
