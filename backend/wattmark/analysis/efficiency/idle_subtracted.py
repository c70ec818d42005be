"""Idle power before and after a load; idle-subtracted power and work per joule."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from wattmark_calibration import Contribution, UncertainValue

from wattmark.analysis.efficiency.efficiency import efficiency, resolved, scaled
from wattmark.analysis.refusal import Refused
from wattmark.analysis.verdict import Limits, Verdict, at_most, not_checked
from wattmark.core.numbers import format_number, signed_number

RULE = "idle-drift"
SHARED_KINDS = ("instrument", "wiring", "resolution")
ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class Idle:
    """Mean idle power [W] with its budget, its values before and after the load, and whether they agree."""

    mean: UncertainValue
    before_w: float | None
    after_w: float | None
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class IdleSubtracted:
    """Power above that of the idle server [W], the idle power that it uses, and work per joule of it."""

    idle: Idle
    power: UncertainValue
    efficiency: UncertainValue | None
    notes: tuple[str, ...]


def subtract_idle(
    power: UncertainValue,
    before: Sequence[UncertainValue],
    after: Sequence[UncertainValue],
    rate: UncertainValue | None,
    unit: str,
    limits: Limits,
) -> IdleSubtracted:
    """Compute idle-subtracted power [W] and throughput over it [unit/J]; their scatter is taken as not correlated.

    ``before`` and ``after`` are the idle phases on both sides of the load. Raises `Refused` where there is none, and
    where the load draws no more than idle.
    """
    idle = idle_power(before, after, power.value, limits)
    net, notes = idle_subtracted_power(power, idle), list[str]()
    ratio = None
    if rate is not None:
        ratio = resolved("Idle-subtracted work per joule", efficiency(rate, net, unit), notes)
    return IdleSubtracted(idle, net, ratio, tuple(notes))


def idle_power(
    before: Sequence[UncertainValue], after: Sequence[UncertainValue], load_w: float, limits: Limits
) -> Idle:
    """Average the idle phases before and after a load [W]; the two sides count alike.

    Half their difference enters as a rectangle, and as a verdict against the limit of drift in the loaded power.
    Raises `Refused` where there is no idle phase.
    """
    sides = [_combined([(phase, 1 / len(side)) for phase in side]) for side in (before, after) if side]
    if not sides:
        raise Refused("no-idle", "The run has no idle phase; plan one before and one after the load.")
    mean = _combined([(side, 1 / len(sides)) for side in sides])
    if len(sides) == 1:
        text = "Idle power was measured on one side of the load only, so its drift is not known."
        verdict = not_checked(RULE, limits.drift_pct, "%", text)
    else:
        verdict = _drift(sides[0].value, sides[1].value, load_w, limits)
        half_w = abs(sides[1].value - sides[0].value) / 2
        drift = Contribution(
            "Idle before against idle after", half_w / math.sqrt(3.0), "B", unit="W", distribution="rectangular",
            kind="drift",
        )  # fmt: skip
        mean = replace(mean, contributions=(*mean.contributions, *([drift] if half_w > 0 else [])))
    return Idle(mean, _mean(before), _mean(after), verdict)


def _mean(side: Sequence[UncertainValue]) -> float | None:
    return math.fsum(phase.value for phase in side) / len(side) if side else None


def _drift(before_w: float, after_w: float, load_w: float, limits: Limits) -> Verdict:
    drift_pct = 100 * (after_w - before_w) / load_w
    text = (
        f"Idle power was {format_number(before_w, 4)} W before and {format_number(after_w, 4)} W after the load: "
        f"{signed_number(drift_pct, 2)} % of the power under load."
    )
    return at_most(RULE, drift_pct, limits.drift_pct, "%", text)


def idle_subtracted_power(power: UncertainValue, idle: Idle) -> UncertainValue:
    """Compute loaded less idle power [W]; a meter's error counts as the difference of its effects on both.

    Raises `Refused` where the load draws no more than idle, but for what rounding leaves of two equal powers.
    """
    net = _combined([(power, 1.0), (idle.mean, -1.0)])
    if net.value <= ROUNDING * power.value:
        raise Refused(
            "no-power-beyond-idle", "The load drew no more power than idle, so there is no idle-subtracted efficiency."
        )
    return net


def _combined(parts: Sequence[tuple[UncertainValue, float]]) -> UncertainValue:
    """Add weighted values; the same error of the same instrument adds with its sign, all others in quadrature."""
    alone: list[Contribution] = []
    shared: dict[str, list[Contribution]] = {}
    for value, weight in parts:
        for c in value.contributions:
            weighted = scaled(c, weight)
            if c.correlation_group and c.kind in SHARED_KINDS:
                shared.setdefault(c.correlation_group, []).append(weighted)
            else:
                alone.append(weighted)
    merged = [_merged(same) for same in shared.values()]
    total = math.fsum(weight * value.value for value, weight in parts)
    complete = all(value.complete for value, _ in parts)
    return UncertainValue(total, "W", (*alone, *(c for c in merged if c.u > 0)), complete=complete)


def _merged(same: Sequence[Contribution]) -> Contribution:
    u = abs(math.fsum(c.u * c.sensitivity for c in same))
    return replace(same[0], u=u, sensitivity=1.0, value=None, parts=(), unit="W")
