"""Figures of the analysis in the form in which they leave the service."""

from __future__ import annotations

import math
from dataclasses import asdict

from wattmark_calibration import Contribution, UncertainValue

from wattmark.analysis.halving import what_would_halve
from wattmark.analysis.power import PowerAnalysis
from wattmark.analysis.verdict import Verdict as AnalysisVerdict
from wattmark.runs.result import Budget, BudgetPart, FullLoadPower, Halving, Scatter, Verdict


def standard(value: UncertainValue | None) -> float | None:
    """Give the standard uncertainty; None where the budget is empty or not complete: half an uncertainty is none."""
    return value.u if value is not None and value.complete and value.contributions else None


def expanded(value: UncertainValue | None) -> float | None:
    """Give the expanded uncertainty at 95 %; None where the budget is empty or not complete."""
    return value.expanded_u if value is not None and value.complete and value.contributions else None


def dof(value: UncertainValue | None) -> float | None:
    """Give the effective degrees of freedom; None for infinitely many, and where the budget is not complete."""
    return finite(value.dof) if value is not None and value.complete else None


def coverage(value: UncertainValue | None) -> float | None:
    """Give the coverage factor for 95 %; None where the budget is not complete."""
    return value.k95 if value is not None and value.complete else None


def finite(number: float) -> float | None:
    """Give a number; None for infinity."""
    return number if math.isfinite(number) else None


def budget(value: UncertainValue | None) -> tuple[Budget, ...]:
    """List the known contributions, largest first, with their share of the variance [%]."""
    if value is None:
        return ()
    variance = value.u**2
    lines = (_line(c, variance) for c in value.contributions)
    return tuple(sorted(lines, key=lambda line: -line.u))


def _line(c: Contribution, variance: float) -> Budget:
    scale = abs(c.sensitivity)
    return Budget(
        name=c.name,
        evaluation=c.evaluation,
        u=c.u_result,
        dof=finite(c.dof),
        share_pct=100 * c.u_result**2 / variance if variance > 0 else 0.0,
        correlation_group=c.correlation_group,
        note=c.note,
        value=c.value,
        unit=c.unit,
        u_input=c.u,
        sensitivity=c.sensitivity,
        distribution=c.distribution,
        parts=tuple(BudgetPart(name=name, u=scale * u) for name, u in c.parts),
        kind=c.kind,
    )


def full_load_power(power: PowerAnalysis | None) -> FullLoadPower | None:
    """State the power that the server holds under this load, or why the window does not tell it; None without power."""
    if power is None:
        return None
    if power.process is None:
        return FullLoadPower(reason=power.process_reason)
    return FullLoadPower(
        power_w=power.process.value,
        power_u_w=standard(power.process),
        power_U95_w=expanded(power.process),
        power_dof=dof(power.process),
        power_k95=coverage(power.process),
    )


def scatter(term: Contribution | None) -> Scatter | None:
    """State how a figure scatters within the run; None where the window does not tell."""
    return None if term is None else Scatter(u=term.u_result, dof=finite(term.dof), note=term.note)


def halving(value: UncertainValue | None) -> Halving | None:
    """Say what would halve the uncertainty; None where the budget is not complete."""
    found = what_would_halve(value) if value is not None and value.complete else None
    return None if found is None else Halving.model_validate(asdict(found))


def verdict(v: AnalysisVerdict) -> Verdict:
    """Turn a verdict of the analysis into a record."""
    return Verdict(rule=v.rule, value=v.value, limit=v.limit, unit=v.unit, outcome=v.outcome, text=v.text)
