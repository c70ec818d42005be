"""Work per watt over graduated loads in the manner of SPECpower_ssj2008: sums first, then their quotient."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from wattmark.analysis.refusal import Refused
from wattmark.analysis.verdict import Verdict, at_most

TEN_LEVELS = tuple(range(100, 0, -10))
TARGET_TOLERANCE_PCT = 2.0
"""Actual load within 2 % of the target (SPECpower_ssj2008 run rules)."""
SOURCE = "SPECpower_ssj2008 Result File Fields: sum of ssj_ops over sum of average active power, active idle included"


@dataclass(frozen=True, slots=True)
class LoadLevel:
    """One interval: target load [%] (0 = active idle), throughput [ops/s] and mean power [W]."""

    load_pct: float
    ops_per_s: float
    power_w: float

    @property
    def ops_per_joule(self) -> float:
        """Compute the performance to power ratio of this level alone [ops/J]."""
        return self.ops_per_s / self.power_w


@dataclass(frozen=True, slots=True)
class OverallRatio:
    """Overall work per joule with its sums. ``standard`` is False for other levels than 100 to 10 % and idle.

    It follows the rule of the benchmark but is not a SPEC result: those are reviewed by SPEC.
    """

    overall: float
    sum_ops_per_s: float
    sum_power_w: float
    levels: tuple[LoadLevel, ...]
    standard: bool
    targets: tuple[Verdict, ...]
    """Actual against target load, taken from the throughput at 100 %."""


def overall_ratio(levels: Sequence[LoadLevel]) -> OverallRatio:
    """Compute sum of throughput / sum of watts over all levels and active idle [ops/J].

    Neither the mean of the levels' ratios nor the ratio at 100 %. Raises `Refused` without idle or full load, for a
    level twice, work at idle, and figures that are not positive.
    """
    ordered = tuple(sorted(levels, key=lambda level: -level.load_pct))
    _require_table(ordered)
    ops = math.fsum(level.ops_per_s for level in ordered)
    watts = math.fsum(level.power_w for level in ordered)
    standard = [level.load_pct for level in ordered] == [*TEN_LEVELS, 0]
    return OverallRatio(ops / watts, ops, watts, ordered, standard, _targets(ordered))


def _require_table(levels: Sequence[LoadLevel]) -> None:
    figures = [x for level in levels for x in (level.load_pct, level.ops_per_s, level.power_w)]
    if not all(math.isfinite(x) for x in figures):
        raise Refused("not-finite", "A value at a load level is not a finite number.")
    loads = [level.load_pct for level in levels]
    if len(set(loads)) < len(loads):
        raise Refused("equal-levels", "A load level occurs twice in the table; average its repeats first.")
    if not loads or loads[0] != 100 or loads[-1] != 0:
        raise Refused(
            "no-idle-or-full", "The overall ratio needs full load (100 %) and active idle (0 %); measure both."
        )
    if any(level.power_w <= 0 for level in levels):
        raise Refused("no-power", "The power at a load level is not above 0 W; check the meter.")
    if levels[-1].ops_per_s != 0:
        raise Refused("work-at-idle", "Active idle shows work; its throughput must be 0.")
    if any(level.ops_per_s <= 0 for level in levels[:-1]):
        raise Refused("no-work", "The throughput at a load level is not above 0; repeat that level.")


def _targets(levels: Sequence[LoadLevel]) -> tuple[Verdict, ...]:
    full = levels[0].ops_per_s
    rows = []
    for level in levels[1:-1]:
        off = 100 * level.ops_per_s / full - level.load_pct
        text = f"Actual load was {level.load_pct + off:.1f} % at the target of {level.load_pct:g} %."
        rows.append(at_most(f"target-load-{level.load_pct:g}", off, TARGET_TOLERANCE_PCT, "%", text))
    return tuple(rows)
