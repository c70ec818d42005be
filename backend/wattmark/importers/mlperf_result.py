"""From the files of one MLPerf Power result to the record of a run."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

from wattmark.importers.loadgen import LATENCY_SCENARIOS
from wattmark.importers.mlperf_evidence import Evidence, read_evidence
from wattmark.importers.mlperf_meter import check_console, describe_meter, range_text
from wattmark.importers.mlperf_tree import ResultFolder
from wattmark.importers.ptdaemon import PowerLog
from wattmark.importers.source_file import SourceFile
from wattmark.runs.record import MeterRecord, Phase, PhaseName, RunRecord, RunStatus


@dataclass(frozen=True, slots=True)
class ImportedResult:
    """A run to be stored: its record, and the power log with what its clock is ahead of UTC."""

    record: RunRecord
    log: PowerLog
    utc_offset_ns: int
    range: str
    notes: tuple[str, ...]


def read_result(folder: ResultFolder) -> ImportedResult:
    """Read a result. Raises `InputError` naming file and line when it cannot be a run."""
    evidence = read_evidence(folder)
    notes = evidence.remarks()
    check_console(evidence.console, evidence.log, notes)
    begin, end = evidence.window_in_log
    meter = describe_meter(evidence.session, evidence.console, evidence.log, begin, end, notes)
    record = _record(evidence, meter, notes)
    return ImportedResult(
        record, evidence.log, evidence.clock.utc_offset_ns, range_text(evidence.console), tuple(notes)
    )


def _record(evidence: Evidence, meter: MeterRecord, notes: list[str]) -> RunRecord:
    folder, loadgen, clock = evidence.folder, evidence.loadgen, evidence.clock
    begin, end = clock.window_to_utc(loadgen.begin_ns), clock.window_to_utc(loadgen.end_ns)
    return RunRecord(
        run_id=_run_id(folder, evidence.detail),
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
        configuration_snapshot=evidence.configuration,
        disclosure=_disclosure(evidence, notes),
    )


def _run_id(folder: ResultFolder, detail: SourceFile) -> str:
    """Name the run by its place in the tree and LoadGen's log: the id is the same wherever the tree lies."""
    identity = "\n".join((folder.system, folder.benchmark, folder.scenario, str(folder.repeat), detail.sha256))
    return f"mlperf-{hashlib.sha256(identity.encode()).hexdigest()[:16]}"


def _disclosure(evidence: Evidence, notes: list[str]) -> dict[str, Any]:
    folder, log, clock, console = evidence.folder, evidence.log, evidence.clock, evidence.console
    identity = evidence.session.identity
    return {
        "notes": list(notes),
        "loadgen": evidence.loadgen.facts,
        "throughput_key": evidence.loadgen.throughput_key,
        "samples_per_query": evidence.loadgen.samples_per_query,
        "submitter": folder.submitter,
        "division": folder.division,
        "round": folder.round,
        "power_log": {"samples": len(log), "channels": log.channels, "marks": list(log.marks)},
        "daemon": {
            "version": identity.daemon_version if identity else None,
            "firmware": identity.firmware if identity else None,
            "calibration_date": identity.calibration_date if identity else None,
            "ranges": range_text(console) or None,
            "problems": console.problems if console else None,
        },
        "clock": {
            "decided_by": clock.decided_by,
            "window_shift_s": clock.window_shift_ns / 1e9,
            "utc_offset_s": clock.utc_offset_ns / 1e9,
            "exchanges": [
                {"offset_s": exchange.offset_s, "delay_s": exchange.delay_s, "usable": exchange.usable}
                for exchange in evidence.session.exchanges
            ],
        },
        "files": [file.disclosed for file in evidence.files],
    }
