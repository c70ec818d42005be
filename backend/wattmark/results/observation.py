"""A result as one observation of its configuration: what varies from run to run and what all runs share."""

from __future__ import annotations

import math
from collections.abc import Sequence

from wattmark_calibration import coverage_factor, welch_satterthwaite

from wattmark.analysis.comparison import Observation
from wattmark.analysis.memory import MemoryRun
from wattmark.runs.result import Budget, Result, Scatter

LEAST, MOST = 1e-100, 1e100
"""Figures that can be compared: their products and squares are numbers too."""
MOST_RELATIVE = 10.0
"""A standard uncertainty of more times the figure says nothing about it, and leaves no interval that is a number."""


def comparable(observation: Observation) -> Observation | None:
    """Give an observation that can be computed with; None for one beyond all figures, or lost in its uncertainty."""
    own, dof = observation.within or 0.0, observation.within_dof
    if not (LEAST <= observation.value <= MOST and dof > 0):
        return None
    half = own if dof >= 1 else own * coverage_factor(dof)
    return observation if all(abs(u) <= MOST_RELATIVE for u in (half, *observation.shared.values())) else None


def _fits(run: MemoryRun) -> MemoryRun | None:
    """Give a run that a line can be drawn through; None for one beyond all figures."""
    return (
        run if all(abs(watts) <= MOST for watts in (run.power_w, run.within_w or 0.0, *run.shared_w.values())) else None
    )


def within(budget: Sequence[Budget], scatter: Scatter | None) -> tuple[float | None, float]:
    """Combine what differs from run to run: (u [unit of the result], degrees of freedom); None where nothing is known.

    These are the lines of the budget that no other run shares, and the scatter of the process within the run.
    """
    own = [(line.u, line.dof or math.inf) for line in budget if line.correlation_group is None]
    own += [] if scatter is None else [(scatter.u, scatter.dof or math.inf)]
    if not own:
        return None, math.inf
    u, dof = zip(*own, strict=True)
    return math.hypot(*u), welch_satterthwaite(u, dof)


def shared(budget: Sequence[Budget]) -> dict[str, float]:
    """List the errors that other runs may share, by their identity, with their signs [unit of the result]."""
    return {line.correlation_group: _signed(line) for line in budget if line.correlation_group is not None}


def _signed(line: Budget) -> float:
    """Give u with the sign of its sensitivity: an error that two results share may enter them with opposite signs."""
    return -line.u if line.sensitivity is not None and line.sensitivity < 0 else line.u


def efficiency_observation(result: Result, installation: str = "") -> Observation | None:
    """See a result's efficiency relative to itself; None where it has none that can be compared."""
    if result.efficiency is None:
        return None
    known = result.efficiency_u is not None
    own = within(result.efficiency_budget, result.efficiency_scatter)
    return _observation(result, result.efficiency, result.efficiency_budget, own, installation, complete=known)


def power_observation(result: Result, installation: str = "") -> Observation | None:
    """See a result's power relative to itself; None where it has none that can be compared."""
    if result.power_w is None:
        return None
    known = result.power_u_w is not None
    own = within(result.power_budget, result.power_scatter)
    return _observation(result, result.power_w, result.power_budget, own, installation, complete=known)


def idle_observation(result: Result, installation: str = "") -> Observation | None:
    """See the power of a run's idle phases relative to itself; None where it has none that serve."""
    if result.above_idle is None:
        return None
    known = result.above_idle.idle_power_u_w is not None
    own, idle_w = within(result.idle_budget, None), result.above_idle.idle_power_w
    return _observation(result, idle_w, result.idle_budget, own, installation, complete=known)


def throughput_observation(result: Result, installation: str = "") -> Observation | None:
    """See a result's throughput relative to itself; None where it has none that can be compared."""
    if result.throughput is None:
        return None
    u, dof = within(result.throughput_budget, result.throughput_scatter)
    u = result.throughput_u if u is None else u
    if not result.throughput > 0:
        return None
    seen = Observation(
        result.throughput,
        None if u is None else u / result.throughput,
        dof,
        {},
        complete=True,
        meter=meters(result),
        installation=installation,
        boot=result.boot or "",
    )
    return comparable(seen)


def meters(result: Result) -> str:
    """Name the physical meters of a result; where they have no name of their own, by what it calls them."""
    return " + ".join(result.meter_identities) or f"{result.source}: {result.meter}"


def memory_run(result: Result, installation: str = "") -> MemoryRun | None:
    """See a result as power at a DIMM count; None where either is not known."""
    if result.power_w is None or result.dimm_count is None:
        return None
    u, dof = within(result.power_budget, result.power_scatter)
    return _fits(MemoryRun(result.dimm_count, result.power_w, u, shared(result.power_budget), dof, installation))


def idle_run(result: Result, installation: str = "") -> MemoryRun | None:
    """See a result's idle power at a DIMM count; None where the run has no idle phase that serves."""
    if result.above_idle is None or result.dimm_count is None:
        return None
    u, dof = within(result.idle_budget, None)
    idle_w = result.above_idle.idle_power_w
    return _fits(MemoryRun(result.dimm_count, idle_w, u, shared(result.idle_budget), dof, installation))


def _observation(
    result: Result,
    value: float,
    budget: Sequence[Budget],
    own: tuple[float | None, float],
    installation: str,
    *,
    complete: bool,
) -> Observation | None:
    u, dof = own
    if not value > 0:
        return None
    common, limits = {}, []
    for line in budget:
        name = line.correlation_group
        if name is not None:
            common[name] = _signed(line) / value
            if line.distribution == "rectangular":
                limits.append(name)
    seen = Observation(
        value=value,
        within=None if u is None else u / value,
        within_dof=dof,
        shared=common,
        complete=complete,
        meter=meters(result),
        rectangular=frozenset(limits),
        names={line.correlation_group: line.name for line in budget if line.correlation_group is not None},
        installation=installation,
        boot=result.boot or "",
    )
    return comparable(seen)
