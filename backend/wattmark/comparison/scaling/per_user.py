"""What each user of a language model gets at a level, against the energy of a token: the Pareto front of all levels."""

from __future__ import annotations

import math
from collections.abc import Sequence

from wattmark.analysis.scaling.pareto import Tradeoff, standings
from wattmark.comparison.scaling.scaling_views import ScalingOut, UserPoint
from wattmark.core.interval import Interval, Interval95
from wattmark.results.ranking_bars import why_not_ranked
from wattmark.results.result import Result

PER_TOKEN = "per output token median"  # noqa: S105 - the name of a response time
"""The response time that tells how long a user waits from token to token [s]."""


def user_rate(results: Sequence[Result]) -> float | None:
    """Compute the tokens per second of one user: the inverse of the mean time per token over the repeats of a level.

    None where the workload does not report it.
    """
    waits_s = [
        result.response_times_s[PER_TOKEN]
        for result in results
        if PER_TOKEN in result.response_times_s and why_not_ranked(result, "throughput") is None
    ]
    mean_s = math.fsum(waits_s) / len(waits_s) if waits_s else 0.0
    return 1 / mean_s if mean_s > 0 else None


def user_points(scalings: Sequence[ScalingOut]) -> list[list[UserPoint]]:
    """List the levels of each configuration that have both figures, each judged against the levels of all.

    Simulated and measured levels are not judged against each other.
    """
    points: list[list[UserPoint]] = [[] for _ in scalings]
    for simulated in (False, True):
        rows = [
            (number, level, level.user_rate, energy)
            for number, scaling in enumerate(scalings)
            for level in scaling.levels
            if scaling.simulated is simulated
            and level.user_rate is not None
            and (energy := _energy(level.efficiency)) is not None
        ]
        judged = standings([Tradeoff(rate, energy.value, *_ends(energy)) for _, _, rate, energy in rows])
        for (number, level, rate, energy), standing in zip(rows, judged, strict=True):
            points[number].append(
                UserPoint(count=level.count, level=level.level, rate=rate, energy=energy, standing=standing)
            )
    return points


def _energy(figure: Interval95 | None) -> Interval | None:
    """Return the energy of a unit of work [J], the inverse of work per joule; without ± where that has none."""
    if figure is None or figure.value <= 0:
        return None
    known = figure.complete and figure.low > 0
    return Interval.of(1 / figure.value, (1 / figure.high, 1 / figure.low) if known else None)


def _ends(energy: Interval) -> tuple[float, float]:
    return (
        -math.inf if energy.low is None else energy.low,
        math.inf if energy.high is None else energy.high,
    )
