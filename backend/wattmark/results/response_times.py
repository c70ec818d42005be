"""The response times that a workload reported in its window."""

from __future__ import annotations

import math

from wattmark.runs.record import RunRecord


def response_times_s(run: RunRecord) -> dict[str, float]:
    """Put the reports of each statistic together [s].

    The mean of means, the smallest minimum; of percentiles and maxima the largest, because a percentile of the whole
    window does not follow from those of its parts, and is no larger than the largest of them.
    """
    found: dict[str, list[float]] = {}
    for one in run.response_times:
        found.setdefault(one.statistic, []).append(one.value_s)
    return {statistic: _together(statistic, values) for statistic, values in found.items()}


def _together(statistic: str, values: list[float]) -> float:
    if statistic == "min":
        return min(values)
    return math.fsum(values) / len(values) if statistic == "mean" else max(values)
