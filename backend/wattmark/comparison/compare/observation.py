"""A result as one observation of its configuration: what varies from run to run and what all runs share."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import datetime

from wattmark_calibration import coverage_factor, welch_satterthwaite

from wattmark.analysis.comparison.comparison import Observation
from wattmark.analysis.parts.fit import CountedRun
from wattmark.core.quantity import BudgetLine
from wattmark.results.result import BudgetedQuantity, Result

LEAST, MOST = 1e-100, 1e100
"""Figures that can be compared: their products and squares are numbers too."""
MOST_RELATIVE = 10.0
"""Above this multiple of the figure, a standard uncertainty makes the figure meaningless and its interval infinite."""


def comparable(observation: Observation) -> Observation | None:
    """Return the observation; None where its value is out of scale or its uncertainty too large."""
    own, dof = observation.within or 0.0, observation.within_dof
    if not (LEAST <= observation.value <= MOST and dof > 0):
        return None
    half = own if dof >= 1 else own * coverage_factor(dof)
    return observation if all(abs(u) <= MOST_RELATIVE for u in (half, *observation.shared.values())) else None


def _fits(run: CountedRun) -> CountedRun | None:
    """Return the run; None where its figures are out of scale."""
    return run if all(abs(figure) <= MOST for figure in (run.value, run.within or 0.0, *run.shared.values())) else None


def within(figure: BudgetedQuantity) -> tuple[float | None, float]:
    """Combine the errors that differ between runs: (u [unit of the result], degrees of freedom); None if not known.

    These are the lines of the budget that no other run shares, and the scatter of the process within the run.
    """
    own = [(line.u_result, line.dof or math.inf) for line in figure.budget if line.correlation_group is None]
    own += [] if figure.scatter is None else [(figure.scatter.u, figure.scatter.dof or math.inf)]
    if not own:
        return None, math.inf
    u, dof = zip(*own, strict=True)
    return math.hypot(*u), welch_satterthwaite(u, dof)


def shared(budget: Sequence[BudgetLine]) -> dict[str, float]:
    """List the errors that other runs may share, by their identity, with their signs [unit of the result]."""
    return {line.correlation_group: line.signed_u for line in budget if line.correlation_group is not None}


def made_s(result: Result) -> float:
    """Return when a run was made [Unix s]."""
    return datetime.fromisoformat(result.created).timestamp()


def efficiency_observation(result: Result, installation: str = "") -> Observation | None:
    """Return a result's efficiency with relative uncertainties [1]; None where it cannot be compared."""
    return _observation(result, result.efficiency, installation)


def power_observation(result: Result, installation: str = "") -> Observation | None:
    """Return a result's power with relative uncertainties [1]; None where it cannot be compared."""
    return _observation(result, result.power, installation)


def idle_observation(result: Result, installation: str = "") -> Observation | None:
    """Return the power of a run's idle phases with relative uncertainties [1]; None without a usable idle phase."""
    return _observation(result, None if result.idle_subtracted is None else result.idle_subtracted.idle, installation)


def throughput_observation(result: Result, installation: str = "") -> Observation | None:
    """Return a result's throughput with relative uncertainties [1]; None where it cannot be compared."""
    rate = result.throughput
    if rate is None or not rate.value > 0:
        return None
    u, dof = within(rate)
    u = rate.u if u is None else u
    seen = Observation(
        rate.value,
        None if u is None else u / rate.value,
        dof,
        {},
        complete=True,
        meter=meters(result),
        installation=installation,
        boot=result.boot or "",
        made_s=made_s(result),
    )
    return comparable(seen)


def meters(result: Result) -> str:
    """Return the physical meters of a result, by their identities, else by source and name."""
    return " + ".join(result.meter_identities) or f"{result.source}: {result.meter}"


def counted_run(result: Result, count: int | None, installation: str = "") -> CountedRun | None:
    """Return a result's power [W] at its number of parts; None where either is not known."""
    return _counted(result, count, result.power, installation)


def idle_run(result: Result, count: int | None, installation: str = "") -> CountedRun | None:
    """Return a result's idle power [W] at its number of parts; None without a usable idle phase."""
    idle = None if result.idle_subtracted is None else result.idle_subtracted.idle
    return _counted(result, count, idle, installation)


def work_run(result: Result, count: int | None, installation: str = "") -> CountedRun | None:
    """Return a result's throughput [unit/s] at its number of parts; None where either is not known."""
    return _counted(result, count, result.throughput, installation)


def _counted(
    result: Result, count: int | None, figure: BudgetedQuantity | None, installation: str
) -> CountedRun | None:
    if figure is None or count is None:
        return None
    u, dof = within(figure)
    return _fits(CountedRun(count, figure.value, u, shared(figure.budget), dof, installation, made_s(result)))


def _observation(result: Result, figure: BudgetedQuantity | None, installation: str) -> Observation | None:
    if figure is None or not figure.value > 0:
        return None
    value = figure.value
    u, dof = within(figure)
    common, limits = {}, []
    for line in figure.budget:
        name = line.correlation_group
        if name is not None:
            common[name] = line.signed_u / value
            if line.distribution == "rectangular":
                limits.append(name)
    seen = Observation(
        value=value,
        within=None if u is None else u / value,
        within_dof=dof,
        shared=common,
        complete=figure.u is not None,
        meter=meters(result),
        rectangular=frozenset(limits),
        names={line.correlation_group: line.name for line in figure.budget if line.correlation_group is not None},
        installation=installation,
        boot=result.boot or "",
        made_s=made_s(result),
    )
    return comparable(seen)
