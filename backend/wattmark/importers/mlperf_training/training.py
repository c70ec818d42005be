"""MLPerf Training results with power become runs: one per training, with the readings of every node."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from wattmark_drivers.reading import Quality

from wattmark.audits.findings import evidence_of
from wattmark.core.numbers import format_number
from wattmark.importers.importer import Block, Choices, ImportedRun, Importer, Pending
from wattmark.importers.mlperf.judged import at_most, not_told
from wattmark.importers.mlperf_training.power_log import NodeLog
from wattmark.importers.mlperf_training.training_audit import audit_training, run_findings
from wattmark.importers.mlperf_training.training_run import TrainingRun, read_training_run
from wattmark.importers.mlperf_training.tree import (
    BenchmarkFolder,
    ResultFile,
    find_submissions,
    has_submission,
)
from wattmark.runs.disclosure import Disclosure, ImportedClock, ImportedFacts, PowerLogNote
from wattmark.runs.phase_name import PhaseName
from wattmark.runs.record import ImportedVerdict, MeterRecord, Phase, RunRecord, RunStatus, StatedFigure
from wattmark.store.sample_store import Samples, SeriesKey

_COUNT = re.compile(r"[0-9]{1,6}")
_STAMP_S = 0.0005
"""Stamps are whole milliseconds."""


def find_training(root: Path, choices: Choices) -> list[Pending]:
    """List the training runs of a tree. Raises `InputError` when there is none."""
    firsts: dict[str, str] = {}
    return [
        Pending(
            f"{folder.source}/{file.path.name}",
            f"{folder.system} {folder.benchmark}",
            partial(_read, folder, file, i, firsts),
        )
        for folder in find_submissions(root, choices.round)
        for i, file in enumerate(folder.runs, start=1)
    ]


def _read(folder: BenchmarkFolder, file: ResultFile, repeat: int, firsts: dict[str, str]) -> ImportedRun:
    """Read a run. ``firsts``: by the readings of its nodes, the first run that has them."""
    run = read_training_run(folder, file)
    notes = _notes(folder, run)
    source = f"{folder.source}/{file.path.name}"
    first = firsts.setdefault(run.readings_digest, source)
    again = () if first == source else (_measured_before(first),)
    return ImportedRun(
        _record(folder, run, repeat, notes, again), partial(_blocks, folder, run), notes, run.unread, "log"
    )


def _measured_before(first: str) -> ImportedVerdict:
    """Return the verdict on a run whose nodes have the readings of an earlier one."""
    text = f"Its power logs hold the readings of {first[:200]}: one measurement, counted again."
    source = "each run has power logs of its own"
    return at_most("import-repeated-log", 1, 0, "runs", text, source)


def _record(
    folder: BenchmarkFolder, run: TrainingRun, repeat: int, notes: tuple[str, ...], again: tuple[ImportedVerdict, ...]
) -> RunRecord:
    begin, end = _ns(run.begin_s), _ns(run.end_s)
    configuration = folder.description()
    submission = configuration.get("submission")
    submitter = str(submission.get("submitter") or folder.folder) if isinstance(submission, dict) else folder.folder
    division = run.stated.get("submission_division")
    facts = ImportedFacts(
        submitter=submitter,
        division=division,
        round=folder.round,
        power_log=PowerLogNote(samples=sum(len(node.t_s) for node in run.nodes), channels=len(run.nodes)),
        clock=ImportedClock(decided_by="time_ms counts from 1970 in UTC", window_shift_s=0.0, utc_offset_s=0.0),
        files=run.files,
    )
    return RunRecord(
        run_id=run.id,
        server=folder.system,
        configuration="-".join(part for part in (folder.folder, division, folder.round) if part),
        workload=f"mlperf-training.{folder.benchmark}",
        level="train to quality",
        repeat=repeat,
        status=RunStatus.COMPLETE if run.converged else RunStatus.FAILED,
        reason=None if run.converged else "The run did not reach its quality target.",
        created_ns=begin,
        source=f"imported: MLPerf Training {folder.source}/{run.title}",
        unit="trainings",
        phases=(Phase(name=PhaseName.MEASURE, begin_ns=begin, end_ns=end),),
        stated_energy_operations=1.0,
        window_begin_ns=begin,
        window_end_ns=end,
        source_figures=(StatedFigure(name="time to train", value=run.timed_s / 60, unit="min"),),
        evidence=(
            _power_logs(folder, run, configuration),
            *again,
            *(evidence_of(finding) for finding in run_findings(run) if finding.severity == "hides"),
        ),
        submission=" ".join(part for part in (submitter, folder.round) if part),
        meters=tuple(_meter(node) for node in run.nodes),
        full_load_limit_pct=None,
        configuration_snapshot=configuration,
        disclosure=Disclosure(notes=notes, imported=facts),
    )


def _power_logs(folder: BenchmarkFolder, run: TrainingRun, configuration: dict[str, object]) -> ImportedVerdict:
    """Count the nodes without a power log: by the system's description, the gaps in their numbers, and other runs."""
    rule, source = "import-power-logs", "one node_N.txt for each node of the system, as its description states them"
    numbers = {int(number) for node in run.nodes if (number := _name(node).removeprefix("node_")).isdecimal()}
    own = len(numbers) - run.counted_twice - sum(node.is_dead for node in run.nodes)
    own -= (run.total is not None) + len(run.in_other_unit)
    submission = configuration.get("submission")
    stated = str(submission.get("number_of_nodes", "")) if isinstance(submission, dict) else ""
    stated_nodes = int(stated) if _COUNT.fullmatch(stated) else 0
    counts = [max(numbers, default=-1) + 1, folder.most_nodes(), stated_nodes]
    missing = max(counts) - own
    if 0 < stated_nodes < own:
        text = f"The description of the system states {stated_nodes} nodes, and {own} have a power log of their own."
        return at_most(rule, own - stated_nodes, 0, "logs", text, source, contradiction=True)
    text = (
        f"{own} nodes have a power log of their own, of {max(counts)} that the system, its numbers and the other runs "
        "show."
    )
    if missing > 0:
        text += " The logs of the others are missing, or no measurements of their own; get the original files."
    if not stated and not missing:
        text = f"The description of the system states no number of nodes; {len(numbers)} have a power log."
        return not_told(rule, 0, "logs", text, source)
    return at_most(rule, max(missing, 0), 0, "logs", text, source, contradiction=True)


def _notes(folder: BenchmarkFolder, run: TrainingRun) -> tuple[str, ...]:
    notes = ["The submission does not name the meters of its nodes, so no limits of error are known."]
    notes += [f"{_name(node)}: {node.cut.note}" for node in run.nodes if node.cut.are_cut]
    if run.estimated_w:
        notes.append(
            f"{len(run.switches)} switch(es) are estimated at {run.estimated_w:g} W together and were not measured; "
            "the figures of this run are those of the nodes alone."
        )
    if factors := sorted({node.conversion for node in run.nodes if node.conversion != 1}):
        shown = ", ".join(f"{factor:g}" for factor in factors)
        notes.append(f"The rule multiplies the readings by {shown} for conversion losses; they are stored as logged.")
    if (scaling := folder.scaling()) != 1:
        notes.append(
            f"The review scaled the submission by {format_number(scaling, 6)}; the figures of this run are not scaled."
        )
    if run.unread.count:
        notes.append(f"{run.unread.count} lines were not understood and are excluded.")
    if not folder.description():
        notes.append("No description of the system (systems/*.json) was found.")
    return tuple(notes)


def _meter(node: NodeLog) -> MeterRecord:
    name = _name(node)
    return MeterRecord(
        name=name,
        model="unknown",
        title=f"Power log of {name}, meter not named",
        period_s=node.period_s,
        not_traceable="The submission does not name the meter.",
    )


def _name(node: NodeLog) -> str:
    return node.name.rpartition("/")[2].removesuffix(".txt")


def _blocks(folder: BenchmarkFolder, run: TrainingRun) -> Iterator[Block]:
    for node in run.nodes:
        taken_s = node.taken_s
        order = np.argsort(taken_s, kind="stable")
        t_ns = np.array([_ns(second) for second in taken_s[order]], dtype=np.int64)
        key = SeriesKey(run.id, folder.system, _name(node), "power", "power", "W", "averaged")
        quality = np.where(node.bad[order], np.uint16(Quality.INVALID), np.uint16(0))
        yield [(key, Samples(t_ns, node.power_w[order], quality, _stamps(len(t_ns))))]


def _stamps(count: int) -> NDArray[np.float32]:
    return np.full(count, _STAMP_S, dtype=np.float32)


def _ns(second: float) -> int:
    return round(second * 1e3) * 10**6


MLPERF_TRAINING = Importer(
    kind="mlperf-training",
    title="MLPerf Training with power",
    takes="a results tree, a submitter's folder, or one benchmark folder with result_*.txt and power/",
    time_zone="in the files",
    recognises=has_submission,
    find=find_training,
    audit=audit_training,
)
