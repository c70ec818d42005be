"""The notes of a result: reasons and warnings in words."""

from __future__ import annotations

from collections.abc import Sequence

from wattmark.analysis.clocks.clocks import ServerClock
from wattmark.analysis.efficiency.run import RunAnalysis
from wattmark.analysis.verdict import Verdict
from wattmark.core.numbers import format_number
from wattmark.core.texts import first_of
from wattmark.results.inventory_part import MEMORY_SLOTS, MemoryInventory
from wattmark.results.loaded import LoadedRun
from wattmark.runs.disclosure import MeterLatency
from wattmark.runs.record import RunRecord, RunStatus

SHOWN = 5
TOLD_ELSEWHERE = frozenset({"cross-check", "cross-check-indicative", "started together", MEMORY_SLOTS})
"""Rules whose texts have a part of the result, or a note, of their own."""


def notes(
    loaded: LoadedRun, analysis: RunAnalysis, verdicts: Sequence[Verdict], inventory: MemoryInventory | None
) -> tuple[str, ...]:
    """Collect the reasons and warnings about a result, most important first.

    ``verdicts`` are those on the record; the text of a failed one is a note too. ``inventory`` is that of the slots.
    """
    run, cross_calibration = loaded.run, loaded.cross_calibration
    simulated = any(m.simulated for m in loaded.meters)
    out = list(analysis.notes)
    if run.status not in (RunStatus.COMPLETE, RunStatus.RUNNING):
        out.insert(0, f"The run ended as {run.status.value}: {run.reason or 'no reason was recorded.'}")
    if simulated:
        out.append("Simulated: the watts come from a model of a server, not from a measurement.")
    if loaded.meters and not any(m.role == "wall" for m in run.meters):
        if cross_calibration is None or not cross_calibration.used:
            out.append("Indicative: the watts come from the server's own BMC; there is no wall meter.")
        out += [cross_calibration.text] if cross_calibration is not None else []
    out += [v.text for v in verdicts if v.outcome == "fail" and v.rule not in TOLD_ELSEWHERE]
    out += other_processes_note(run)
    out += clock_notes(run, loaded.clock)
    out += run.disclosure.notes
    out = list(dict.fromkeys(out))
    slots = (inventory.statement,) if inventory is not None and inventory.contradictions else ()
    return (*out, *analysis.idle_notes, *slots, *(_latency_note(latency) for latency in loaded.latencies))


def other_processes_note(run: RunRecord) -> tuple[str, ...]:
    """List the other processes that ran during the load, in one sentence; none where a service does the work.

    The processes of such a service cannot be distinguished from others.
    """
    processes, workload = run.disclosure.other_processes, run.disclosure.workload
    if not processes or (workload is not None and workload.service):
        return ()
    named = [f"{process.name} ({format_number(process.core_pct, 3)} % of a core)" for process in processes]
    return (f"Other processes ran during the load: {first_of(named, SHOWN)}.",)


def clock_notes(run: RunRecord, clock: ServerClock | None) -> list[str]:
    """Explain whether the server's clock was not compared or stopped answering; empty where neither."""
    problem = run.disclosure.clock.problem
    if problem is None:
        return []
    if clock is None:
        return [f"The clock of {run.server} was not compared, so its contribution is missing from the ±: {problem}"]
    return [f"The clock of {run.server} stopped answering for a time: {problem}"]


def _latency_note(latency: MeterLatency) -> str:
    """Describe the latency of a meter [s] with its basis."""
    figure = f"{latency.latency_s:.3f} s with a standard uncertainty of {latency.u_latency_s:.3f} s"
    if latency.basis == "pattern":
        return f"{latency.meter} shows the load {figure} later, measured from the load pulses of this run."
    failed = f"The latency of {latency.meter} was not measured in this run: {latency.reason}"
    if latency.basis == "earlier pattern":
        return f"{failed} It is {figure}, from the load pulses of run {latency.run_id}."
    return f"{failed} It is {figure}, as {'the bench file states' if latency.basis == 'stated' else 'assumed'}."
