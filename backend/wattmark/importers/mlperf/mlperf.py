"""MLPerf Power results become runs: one per measured pass, however many folders hold its LoadGen log."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

import numpy as np
from pydantic import ValidationError

from wattmark.core.errors import InputError
from wattmark.core.validation import first_mistake
from wattmark.importers.importer import Block, Choices, ImportedRun, Importer, Pending
from wattmark.importers.mlperf.mlperf_audit import audit_mlperf
from wattmark.importers.mlperf.mlperf_result import ImportedResult, read_result
from wattmark.importers.mlperf.mlperf_tree import DETAIL, ResultFolder, find_results, has_result
from wattmark.importers.outcome import same_run
from wattmark.store.sample_store import Samples, SeriesKey
from wattmark.workloads.loadgen.loadgen import parse_loadgen

LOG = "LoadGen log"
"""What makes a run of an inference result: one log is one run."""
QUANTITIES = {
    "Watts": ("power", "W"),
    "Volts": ("voltage", "V"),
    "Amps": ("current", "A"),
    "PF": ("power_factor", "1"),
}
_STAMP_RESOLUTION_S = 0.0005


def find_mlperf(directory: Path, choices: Choices) -> list[Pending]:
    """List the power results of a tree. Raises `InputError` when there is none.

    A LoadGen log that lies in several folders is one run: it is read from the folder named for the scenario that ran,
    and refused from the others.
    """
    folders = find_results(directory, choices.round)
    homes = _homes_of(folders)
    return [Pending(folder.where, folder.title, partial(_read, folder, homes.get(folder.path))) for folder in folders]


def _read(folder: ResultFolder, home: str | None) -> ImportedRun:
    if home is not None and home != folder.where:
        raise same_run(folder.where, home, LOG)
    try:
        result = read_result(folder)
    except ValidationError as error:
        cause = f"{folder.where} states what no record of a run can hold: {first_mistake(error)}."
        raise InputError(cause, "Look at the files that state it; restore them from their source.") from None
    return ImportedRun(result.record, partial(_blocks, result), result.notes, identified_by=LOG)


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


def _home(group: list[ResultFolder]) -> ResultFolder:
    if len(group) == 1:
        return group[0]
    try:
        scenario = parse_loadgen(group[0].file(DETAIL), None).scenario.lower()
    except InputError:
        return group[0]
    return next((folder for folder in group if folder.scenario.lower() == scenario), group[0])


def _blocks(result: ImportedResult) -> Iterator[Block]:
    record, log = result.record, result.log
    t_ns = log.t_ns - result.utc_offset_ns
    u_t_s = np.full(len(log), _STAMP_RESOLUTION_S, dtype=np.float32)
    block = []
    for name, (quantity, unit) in QUANTITIES.items():
        column = log.columns[name]
        if np.all(np.isnan(column.value)):
            continue
        key = SeriesKey(
            record.run_id, record.server, record.meters[0].name, quantity, quantity, unit, "averaged", result.range
        )
        block.append((key, Samples(t_ns, column.value, column.quality, u_t_s)))
    yield block


MLPERF_INFERENCE = Importer(
    kind="mlperf",
    title="MLPerf Inference with power",
    takes="a results tree, a part of it, or one run_1 folder with the files around it",
    time_zone="in the files",
    recognises=has_result,
    find=find_mlperf,
    audit=audit_mlperf,
)
