"""From the files of one MLPerf Power result to the record of a run."""

from __future__ import annotations

from dataclasses import dataclass

from wattmark.core.numbers import format_number, signed_number
from wattmark.importers.mlperf.judge_log import above_limit_pct, judge_log
from wattmark.importers.mlperf.judge_session import ACCEPTED_DRIVERS, judge_session, shortfall_pct
from wattmark.importers.mlperf.judge_work import RATE_PCT, judge_work, stated_difference_pct
from wattmark.importers.mlperf.mlperf_evidence import Evidence, read_evidence
from wattmark.importers.mlperf.mlperf_meter import check_console, describe_meter, range_text
from wattmark.importers.mlperf.mlperf_tree import ResultFolder
from wattmark.importers.ptdaemon.ptdaemon import PowerLog
from wattmark.runs.disclosure import (
    DaemonNote,
    Disclosure,
    ImportedClock,
    ImportedFacts,
    PowerLogNote,
)
from wattmark.runs.phase_name import PhaseName
from wattmark.runs.record import ImportedVerdict, MeterRecord, Phase, RunRecord, RunStatus, ThroughputInterval
from wattmark.workloads.loadgen.loadgen import LATENCY_SCENARIOS
from wattmark.workloads.loadgen.source_file import SourceFile
from wattmark.workloads.loadgen.stamps import NS

_AUTO = "auto"


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
    notes = [*evidence.remarks(), *_work_notes(evidence)]
    check_console(evidence.console, notes)
    begin, end = evidence.window_in_log
    meter = describe_meter(evidence.session, evidence.console, evidence.log, begin, end, notes)
    record = _record(evidence, meter, notes)
    return ImportedResult(
        record, evidence.log, evidence.clock.utc_offset_ns, range_text(evidence.console), tuple(notes)
    )


def _record(evidence: Evidence, meter: MeterRecord, notes: list[str]) -> RunRecord:
    folder, loadgen, clock = evidence.folder, evidence.loadgen, evidence.clock
    begin, end = clock.window_to_utc(loadgen.begin_ns), clock.window_to_utc(loadgen.end_ns)
    unit, amount, step = _counted(evidence)
    intervals = () if amount is None else (ThroughputInterval(begin_ns=begin, end_ns=end, amount=amount),)
    return RunRecord(
        run_id=run_id(evidence.detail),
        server=folder.system,
        configuration="-".join(part for part in (folder.submitter, folder.division, folder.round) if part) or "unknown",
        workload=f"mlperf.{folder.benchmark}",
        level=loadgen.scenario,
        repeat=folder.repeat,
        status=RunStatus.COMPLETE if loadgen.valid else RunStatus.FAILED,
        reason=None if loadgen.valid else f"LoadGen calls the result INVALID: {loadgen.invalid_reason}",
        created_ns=begin,
        source=f"imported: MLPerf Power {folder.source}",
        unit=unit,
        phases=(Phase(name=PhaseName.MEASURE, begin_ns=begin, end_ns=end),),
        throughput=intervals,
        count_step=step,
        stated_throughput=_stated_throughput(evidence),
        source_figures=loadgen.work.stated,
        stated_energy_operations=loadgen.queries,
        window_begin_ns=begin,
        window_end_ns=end,
        evidence=judge_evidence(evidence),
        facts=evidence_facts(evidence),
        submission=" ".join(part for part in (folder.submitter, folder.round) if part) or None,
        meters=(meter,),
        full_load_limit_pct=None,
        configuration_snapshot=evidence.configuration,
        disclosure=_disclosure(evidence, notes),
    )


def run_id(detail: SourceFile) -> str:
    """Return the run by LoadGen's log alone: one log is one run, in whatever folders it lies."""
    return f"mlperf-{detail.sha256[:16]}"


def _counted(evidence: Evidence) -> tuple[str, int | None, float]:
    """Choose the work that the result counts, with its unit, its amount (None: no count) and the step it is known in.

    Tokens are work where LoadGen counted them; samples are then shown beside it.
    """
    loadgen = evidence.loadgen
    if loadgen.scenario in LATENCY_SCENARIOS:
        return "queries", None, 1.0
    if loadgen.work.tokens is not None:
        return "tokens", loadgen.work.tokens, loadgen.work.token_step
    return "samples", loadgen.work.samples, 1.0


def _stated_throughput(evidence: Evidence) -> float | None:
    """Return the rate that LoadGen states, in the unit of the result."""
    loadgen = evidence.loadgen
    if loadgen.throughput is None:
        return None
    return float(loadgen.throughput) if loadgen.work.tokens is None else loadgen.work.token_rate


def _work_notes(evidence: Evidence) -> list[str]:
    """Explain what counts as work, and where the stated rate differs from it."""
    loadgen = evidence.loadgen
    work, window_s = loadgen.work, (loadgen.end_ns - loadgen.begin_ns) / NS
    notes = []
    if work.tokens is not None:
        notes.append(f"Work is counted in tokens; LoadGen counted {work.samples} samples beside them.")
    off_pct = stated_difference_pct(loadgen, window_s)
    if off_pct is not None and abs(off_pct) > RATE_PCT:
        notes.append(
            f"LoadGen states {loadgen.throughput} samples/s ({loadgen.throughput_key}), {signed_number(off_pct, 2)} "
            "% from the "
            f"{work.samples} samples counted in {format_number(window_s, 6)} s; work per joule is based on the count."
        )
    return notes


def _disclosure(evidence: Evidence, notes: list[str]) -> Disclosure:
    folder, log, clock, console = evidence.folder, evidence.log, evidence.clock, evidence.console
    identity = evidence.session.identity
    facts = ImportedFacts(
        submitter=folder.submitter,
        division=folder.division,
        round=folder.round,
        loadgen=evidence.loadgen.facts,
        throughput_key=evidence.loadgen.throughput_key,
        samples_per_query=evidence.loadgen.samples_per_query,
        power_log=PowerLogNote(samples=len(log), channels=log.channels, marks=log.marks),
        daemon=DaemonNote(
            version=identity.daemon_version if identity else None,
            firmware=identity.firmware if identity else None,
            calibration_date=identity.calibration_date if identity else None,
            ranges=range_text(console) or None,
            problems=console.problems if console else None,
        ),
        clock=ImportedClock(
            decided_by=clock.decided_by,
            window_shift_s=clock.window_shift_ns / 1e9,
            utc_offset_s=clock.utc_offset_ns / 1e9,
            exchanges=evidence.session.exchanges,
        ),
        files=tuple(file.note for file in evidence.files),
    )
    return Disclosure(notes=tuple(notes), imported=facts)


def judge_evidence(evidence: Evidence) -> tuple[ImportedVerdict, ...]:
    """Evaluate everything that the files contain; what is missing is "not checked" with its reason."""
    return (*judge_work(evidence), *judge_log(evidence), *judge_session(evidence))


def evidence_facts(evidence: Evidence) -> dict[str, float]:
    """Collect the quantities of the rule sets that only the files contain; missing ones are omitted."""
    session = evidence.session
    identity, clocks_s, phases_s = session.identity, session.clock_difference_s, session.phase_difference_s
    counted = evidence.loadgen.queries or evidence.loadgen.work.samples
    facts = {
        "same_run": 1.0 if counted else None,
        "accepted_analyzer": None if identity is None else float(identity.driver in ACCEPTED_DRIVERS),
        "above_uncertainty_limit_pct": above_limit_pct(evidence),
        "clock_difference_ms": None if clocks_s is None else 1e3 * clocks_s,
        "phase_difference_ms": None if phases_s is None else 1e3 * phases_s,
        "testing_below_ranging_pct": shortfall_pct(evidence),
        "settle_s": session.settle_s,
        "fixed_voltage_range": _fixed(session.volt_range),
        "fixed_current_range": _fixed(session.amp_range),
    }
    return {name: value for name, value in facts.items() if value is not None}


def _fixed(asked: str | None) -> float | None:
    return None if asked is None else float(asked.lower() != _AUTO)
