"""A result as one observation of its configuration: what varies from run to run and what all runs share."""

from __future__ import annotations

import math
from collections.abc import Sequence

from wattmark_calibration import welch_satterthwaite

from wattmark.analysis.comparison import Observation
from wattmark.analysis.memory import MemoryRun
from wattmark.results.limit_alarms import beyond_limits
from wattmark.results.undisturbed import disturbed
from wattmark.runs.record import RunStatus
from wattmark.runs.result import Budget, Result


def left_out(result: Result) -> str | None:
    """Say why a run must not enter a comparison; None where it may."""
    if result.status is not RunStatus.COMPLETE:
        return result.status.value
    if result.steady is False:
        return "unsteady"
    return "beyond a limit that runs must keep" if beyond_limits(result) else None


def not_compared(result: Result) -> str | None:
    """Say why a run's work must not be compared; beside `left_out`, work that other programs disturbed."""
    return left_out(result) or ("disturbed by other programs" if disturbed(result) else None)


def within(budget: Sequence[Budget]) -> tuple[float | None, float]:
    """Combine the terms that differ from run to run: (u [unit of the result], degrees of freedom); None without any."""
    own = [line for line in budget if line.correlation_group is None]
    if not own:
        return None, math.inf
    if len(own) == 1:
        return own[0].u, own[0].dof or math.inf
    u = math.hypot(*(line.u for line in own))
    return u, welch_satterthwaite([line.u for line in own], [line.dof or math.inf for line in own])


def shared(budget: Sequence[Budget]) -> dict[str, float]:
    """List the errors that other runs may share, by their identity, with their signs [unit of the result]."""
    return {line.correlation_group: _signed(line) for line in budget if line.correlation_group is not None}


def _signed(line: Budget) -> float:
    """Give u with the sign of its sensitivity: an error that two results share may enter them with opposite signs."""
    return -line.u if line.sensitivity is not None and line.sensitivity < 0 else line.u


def efficiency_observation(result: Result) -> Observation | None:
    """See a result's efficiency relative to itself; None where it has none."""
    if result.efficiency is None:
        return None
    return _observation(result, result.efficiency, result.efficiency_budget, complete=result.efficiency_u is not None)


def power_observation(result: Result) -> Observation | None:
    """See a result's power relative to itself; None where it has none."""
    if result.power_w is None:
        return None
    return _observation(result, result.power_w, result.power_budget, complete=result.power_u_w is not None)


def throughput_observation(result: Result) -> Observation | None:
    """See a result's throughput relative to itself; None where it has none."""
    if result.throughput is None:
        return None
    if result.throughput_budget:
        u, dof = within(result.throughput_budget)
    else:
        u, dof = result.throughput_u, math.inf
    own = None if u is None else u / result.throughput
    return Observation(result.throughput, own, dof, {}, complete=True, meter=result.meter)


def memory_run(result: Result) -> MemoryRun | None:
    """See a result as power at a DIMM count; None where either is not known."""
    if result.power_w is None or result.dimm_count is None:
        return None
    u, dof = within(result.power_budget)
    return MemoryRun(result.dimm_count, result.power_w, u, shared(result.power_budget), dof)


def idle_run(result: Result) -> MemoryRun | None:
    """See a result's idle power at a DIMM count; None where the run has no idle phase that serves."""
    if result.above_idle is None or result.dimm_count is None:
        return None
    u, dof = within(result.idle_budget)
    return MemoryRun(result.dimm_count, result.above_idle.idle_power_w, u, shared(result.idle_budget), dof)


def _observation(result: Result, value: float, budget: Sequence[Budget], *, complete: bool) -> Observation:
    u, dof = within(budget)
    common, limits = {}, []
    for line in budget:
        name = line.correlation_group
        if name is not None:
            common[name] = _signed(line) / value
            if line.distribution == "rectangular":
                limits.append(name)
    return Observation(
        value=value,
        within=None if u is None else u / value,
        within_dof=dof,
        shared=common,
        complete=complete,
        meter=result.meter,
        rectangular=frozenset(limits),
    )
