"""HPL runs with energy counters become runs: one per output of HPL, with the readings of every counter."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import numpy as np
from wattmark_drivers.reading import Quality

from wattmark.importers.eehpc.eehpc_audit import audit_eehpc
from wattmark.importers.eehpc.hpl_power import run_facts
from wattmark.importers.eehpc.hpl_run import HplFolder, HplRun, find_folders, has_folder, read_run
from wattmark.importers.eehpc.judge_hpl import judge_hpl
from wattmark.importers.importer import Block, Choices, ImportedRun, Importer, Pending
from wattmark.runs.disclosure import Disclosure, ImportedClock, ImportedFacts, PowerLogNote
from wattmark.runs.phase_name import PhaseName
from wattmark.runs.record import MeterRecord, Phase, RunRecord, RunStatus, StatedFigure
from wattmark.store.sample_store import Samples, SeriesKey

UNIT = "Gflop"
_NOT_NAMED = "The files do not name the meter."


def find_runs(root: Path, choices: Choices) -> list[Pending]:
    """List the runs of a tree. Raises `InputError` when there is none."""
    return [
        Pending(folder.source, f"HPL {folder.source}", partial(_read, folder, choices)) for folder in find_folders(root)
    ]


def _read(folder: HplFolder, choices: Choices) -> ImportedRun:
    run = read_run(folder, choices.zone)
    notes = _notes(run)
    return ImportedRun(_record(run, notes), partial(_blocks, run), notes, run.unread, "output of HPL")


def _notes(run: HplRun) -> tuple[str, ...]:
    notes = [
        *(
            []
            if run.folder.is_only_run
            else [f"{run.folder.where} holds several outputs of HPL: {run.folder.output.name} is this run."]
        ),
        f"HPL's clock is {run.ahead_s / 3600:+g} h ahead of UTC, by {run.zone_from}.",
    ]
    if not all(counter.unit_stated for counter in run.counters):
        notes.append("The column 'energy' states no unit; it was read as watt-hours, as in the example of EEHPCWG.")
    if bad := sum(int(counter.bad.sum()) for counter in run.counters):
        notes.append(f"{bad} readings are not counts and are marked as invalid.")
    if run.unread.count:
        notes.append(f"{run.unread.count} lines were not understood and are excluded.")
    return tuple(notes)


def _record(run: HplRun, notes: tuple[str, ...]) -> RunRecord:
    folder, hpl = run.folder, run.hpl
    idle = run.summary.spans.get("Idle")
    phases = [Phase(name=PhaseName.MEASURE, begin_ns=run.begin_ns, end_ns=run.end_ns)]
    if idle is not None:
        phases.append(Phase(name=PhaseName.IDLE, begin_ns=idle.begin_s * 10**9, end_ns=idle.end_s * 10**9))
    return RunRecord(
        run_id=run.id,
        server=folder.path.parent.name or folder.path.name,
        configuration=folder.path.name,
        workload="hpl",
        level=f"N = {hpl.order}",
        status=RunStatus.COMPLETE if hpl.passed else RunStatus.FAILED,
        reason=None if hpl.passed else "HPL's residual check failed or is not in its output.",
        created_ns=run.begin_ns,
        source=f"imported: EE HPC {folder.source}",
        unit=UNIT,
        phases=tuple(phases),
        stated_throughput=hpl.gflops,
        source_figures=_figures(run),
        window_begin_ns=run.begin_ns,
        window_end_ns=run.end_ns,
        evidence=judge_hpl(run),
        facts=run_facts(run),
        submission=folder.source,
        meters=tuple(
            MeterRecord(
                name=counter.name,
                model="unknown",
                title=f"Energy counter {counter.name}",
                kind="counter",
                period_s=round(counter.period_s, 3) or 1.0,
                not_traceable=_NOT_NAMED,
            )
            for counter in run.counters
        ),
        full_load_limit_pct=None,
        disclosure=Disclosure(
            notes=notes,
            program_version=hpl.program,
            imported=ImportedFacts(
                power_log=PowerLogNote(samples=sum(len(c.t_ns) for c in run.counters), channels=len(run.counters)),
                clock=ImportedClock(decided_by=run.zone_from, window_shift_s=0.0, utc_offset_s=run.ahead_s),
                files=run.files,
            ),
        ),
    )


def _figures(run: HplRun) -> tuple[StatedFigure, ...]:
    figures = [
        StatedFigure(name="HPL performance", value=run.hpl.gflops, unit="Gflop/s"),
        StatedFigure(name="HPL time", value=run.hpl.time_s, unit="s"),
    ]
    if run.summary.published is not None:
        figures.append(StatedFigure(name="Green500", value=run.summary.published, unit="Gflop/J"))
    return tuple(figures)


def _blocks(run: HplRun) -> Iterator[Block]:
    server = run.folder.path.parent.name or run.folder.path.name
    for counter in run.counters:
        key = SeriesKey(run.id, server, counter.name, "energy", "energy", "Wh", "counter")
        quality = np.where(counter.bad, np.uint16(Quality.INVALID), np.uint16(0))
        yield [(key, Samples(counter.t_ns, counter.energy_wh, quality, np.zeros(len(counter.t_ns), np.float32)))]


EEHPC = Importer(
    kind="eehpc",
    title="HPL with energy counters (EE HPC, Green500)",
    takes="a folder with the output of HPL (hpl.log), energy counters (*.parquet) and, where there is one, summary.txt",
    time_zone="in the files",
    recognises=has_folder,
    find=find_runs,
    audit=audit_eehpc,
)
