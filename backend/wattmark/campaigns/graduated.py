"""Graduated levels: shares of the maximum that the calibration intervals of the same curve found."""

from __future__ import annotations

from collections.abc import Sequence

from wattmark.campaigns.planned import PlannedRun
from wattmark.campaigns.skipping import rate
from wattmark.runs.record import RunRecord
from wattmark.workloads.declaration import Declaration

COUNTED = 2
"""The maximum is the mean of so many last calibration intervals (SPECpower_ssj2008: the last two of three)."""


def calibrated_maximum(curve: Sequence[tuple[PlannedRun, RunRecord]]) -> float | None:
    """Compute the maximum throughput [unit/s]; None where no calibration interval gave any."""
    rates = [rate(record) for run, record in curve if run.task == "calibrate"]
    known = [one for one in rates if one]
    return sum(known[-COUNTED:]) / len(known[-COUNTED:]) if known else None


def level_for(percent: float, maximum: float, declaration: Declaration) -> int:
    """Compute the level, a rate, at which a workload asks for a share of its maximum."""
    asks_per_s = (declaration.level.asks_per_s if declaration.level else None) or 1.0
    return max(1, round(percent / 100 * maximum / asks_per_s))
