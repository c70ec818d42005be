"""MLPerf Power results: one run per measured pass, with its power series, stated work, window and disclosure."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from wattmark.errors import InputError
from wattmark.importers.loadgen import LATENCY_SCENARIOS, LoadgenResult, parse_loadgen
from wattmark.importers.mlperf_meter import check_console, describe_meter, range_text
from wattmark.importers.mlperf_tree import DETAIL, POWER_LOG, SUMMARY, ResultFolder, find_results
from wattmark.importers.outcome import ImportOutcome, OnProgress, exit_code
from wattmark.importers.power_session import PowerSession, read_session
from wattmark.importers.ptdaemon import PowerLog, parse_power_log
from wattmark.importers.ptdaemon_console import Measurement, parse_console
from wattmark.importers.source_file import SourceFile
from wattmark.importers.stamps import ClockReading, read_clock
from wattmark.importers.systems import parse_system
from wattmark.runs.record import MeterRecord, Phase, PhaseName, RunRecord, RunStatus
from wattmark.storage.run_store import RunStore
from wattmark.storage.sample_store import Samples, SampleStore, SeriesKey

__all__ = ["ImportOutcome", "exit_code", "import_mlperf"]

_QUANTITIES = {
    "Watts": ("power", "W"),
    "Volts": ("voltage", "V"),
    "Amps": ("current", "A"),
    "PF": ("power_factor", "1"),
}
_STAMP_RESOLUTION_S = 0.0005


@dataclass(frozen=True, slots=True)
class _Parsed:
    record: RunRecord
    log: PowerLog
    clock: ClockReading
    range: str
    notes: tuple[str, ...]


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
        parsed = _read(folder)
    except InputError as error:
        return ImportOutcome(folder.where, None, error=error)
    _store(parsed, samples, runs)
    return ImportOutcome(folder.where, parsed.record.run_id, parsed.notes)


def _store(parsed: _Parsed, samples: SampleStore, runs: RunStore) -> None:
    """Write samples first and the record last, so that a broken import leaves no run without its samples."""
    record, log = parsed.record, parsed.log
    runs.delete(record.run_id)
    samples.delete_run(record.run_id)
    t_ns = log.t_ns - parsed.clock.utc_offset_ns
    u_t_s = np.full(len(log), _STAMP_RESOLUTION_S, dtype=np.float32)
    batch = []
    for name, (quantity, unit) in _QUANTITIES.items():
        column = log.columns[name]
        if np.all(np.isnan(column.value)):
            continue
        key = SeriesKey(
            record.run_id, record.server, record.meters[0].name, quantity, quantity, unit, "averaged", parsed.range
        )
        batch.append((samples.series(key).id, Samples(t_ns, column.value, column.quality, u_t_s)))
    samples.append(batch)
    samples.seal(record.run_id)
    runs.put(record)


def _read(folder: ResultFolder) -> _Parsed:
    detail, power = folder.file(DETAIL), folder.file(POWER_LOG)
    summary, system = folder.optional(SUMMARY), folder.system_file()
    server, client = folder.optional("..", "power", "server.json"), folder.optional("..", "power", "client.json")
    console_file = folder.optional("..", "power", "ptd_logs.txt")
    loadgen, log, session = parse_loadgen(detail, summary), parse_power_log(power), read_session(server, client)
    mark = _testing_mark(log, session)
    console = parse_console(console_file.text).get(mark) if console_file else None
    clock = _clock(folder, loadgen, log, session, mark)
    notes = [*loadgen.remarks, *log.remarks, *session.remarks, _sentence(clock.decided_by)]
    notes += _path_remarks(folder, loadgen)
    begin, end = (t + clock.window_shift_ns for t in (loadgen.begin_ns, loadgen.end_ns))
    check_console(console, log, notes)
    meter = describe_meter(session, console, log, begin, end, notes)
    used = [file for file in (detail, summary, power, server, client, console_file, system) if file]
    snapshot = parse_system(system) if system else {}
    if system is None:
        notes.append("No description of the system (systems/*.json) was found.")
    disclosure = _disclosure(folder, loadgen, log, session, clock, console, used, notes)
    record = _record(folder, loadgen, clock, meter, snapshot, disclosure, detail)
    return _Parsed(record, log, clock, range_text(console), tuple(notes))


def _testing_mark(log: PowerLog, session: PowerSession) -> str:
    """Choose the mark of the measured pass: the session's own, one that says so, or the only one."""
    wanted = f"{session.session}_testing"
    if wanted in log.marks:
        return wanted
    return next((mark for mark in log.marks if mark.endswith("_testing")), log.marks[0])


def _clock(
    folder: ResultFolder, loadgen: LoadgenResult, log: PowerLog, session: PowerSession, mark: str
) -> ClockReading:
    first, last = log.mark_starts[mark], int(log.t_ns[-1])
    try:
        return read_clock(first, last, loadgen.begin_ns, loadgen.end_ns, session.go_epoch_s)
    except InputError as error:
        raise InputError(f"{folder.where}/{POWER_LOG}: {error.cause}", error.remedy) from error


def _path_remarks(folder: ResultFolder, loadgen: LoadgenResult) -> list[str]:
    if folder.scenario.lower() in ("unknown", loadgen.scenario.lower()):
        return []
    return [f"The folder is named {folder.scenario}, but LoadGen ran {loadgen.scenario}, which is taken."]


def _record(
    folder: ResultFolder,
    loadgen: LoadgenResult,
    clock: ClockReading,
    meter: MeterRecord,
    snapshot: dict[str, Any],
    disclosure: dict[str, Any],
    detail: SourceFile,
) -> RunRecord:
    begin, end = clock.window_to_utc(loadgen.begin_ns), clock.window_to_utc(loadgen.end_ns)
    return RunRecord(
        run_id=_run_id(folder, detail),
        server=folder.system,
        configuration="-".join(part for part in (folder.submitter, folder.division, folder.round) if part) or "unknown",
        workload=f"mlperf.{folder.benchmark}",
        level=loadgen.scenario,
        repeat=folder.repeat,
        status=RunStatus.COMPLETE if loadgen.valid else RunStatus.FAILED,
        reason=None if loadgen.valid else f"LoadGen calls the result INVALID: {loadgen.invalid_reason}",
        created_ns=begin,
        source=f"imported: MLPerf Power {folder.where}",
        unit="queries" if loadgen.scenario in LATENCY_SCENARIOS else "samples",
        phases=(Phase(name=PhaseName.MEASURE, begin_ns=begin, end_ns=end),),
        stated_throughput=None if loadgen.throughput is None else float(loadgen.throughput),
        stated_energy_operations=loadgen.queries,
        window_begin_ns=begin,
        window_end_ns=end,
        meters=(meter,),
        full_load_limit_pct=None,
        configuration_snapshot=snapshot,
        disclosure=disclosure,
    )


def _run_id(folder: ResultFolder, detail: SourceFile) -> str:
    """Name the run by its place in the tree and LoadGen's log: the id is the same wherever the tree lies."""
    identity = "\n".join((folder.system, folder.benchmark, folder.scenario, str(folder.repeat), detail.sha256))
    return f"mlperf-{hashlib.sha256(identity.encode()).hexdigest()[:16]}"


def _disclosure(
    folder: ResultFolder,
    loadgen: LoadgenResult,
    log: PowerLog,
    session: PowerSession,
    clock: ClockReading,
    console: Measurement | None,
    used: list[SourceFile],
    notes: list[str],
) -> dict[str, Any]:
    return {
        "notes": list(notes),
        "loadgen": loadgen.facts,
        "throughput_key": loadgen.throughput_key,
        "submitter": folder.submitter,
        "division": folder.division,
        "round": folder.round,
        "power_log": {"samples": len(log), "channels": log.channels, "marks": list(log.marks)},
        "daemon": {
            "version": session.identity.daemon_version if session.identity else None,
            "ranges": range_text(console) or None,
            "problems": console.problems if console else None,
        },
        "clock": {
            "decided_by": clock.decided_by,
            "window_shift_s": clock.window_shift_ns / 1e9,
            "utc_offset_s": clock.utc_offset_ns / 1e9,
            "exchanges": [
                {"offset_s": exchange.offset_s, "delay_s": exchange.delay_s, "usable": exchange.usable}
                for exchange in session.exchanges
            ],
        },
        "files": [file.disclosed for file in used],
    }


def _sentence(text: str) -> str:
    return f"Clock: {text}."
