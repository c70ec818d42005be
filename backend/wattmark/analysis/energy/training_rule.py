"""Energy to train by the rule of MLPerf Training power, and the same readings over the timed part alone.

The rule (mlcommons/logging, result_summarizer): each reading covers the time since the previous reading in the
file; their sum over the whole log is scaled by the timed part over the length of the log. Readings from before and
after the timed part so enter its mean.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
T = TypeVar("T")


def rule_energy_j(t_s: Array, power_w: Array, log_begin_s: float, log_end_s: float, timed_s: float) -> float:
    """Compute the energy of one log by the rule [J]: its whole integral, scaled to the timed part.

    Readings are taken in the order of the file, also where their stamps run backwards, as the rule does.
    """
    steps_s = np.diff(t_s, prepend=log_begin_s)
    return float(np.dot(power_w, steps_s)) * timed_s / (log_end_s - log_begin_s)


def held_energy_j(t_s: Array, power_w: Array, log_begin_s: float, begin_s: float, end_s: float) -> float:
    """Compute the energy between two marks [J], each reading covering the time since the previous one in the file.

    Silence is filled by the reading that ends it, as the rule fills it; a reading whose stamp runs backwards
    covers no time, and the time after the last one is not covered.
    """
    previous_s = np.concatenate(([log_begin_s], t_s[:-1]))
    stretch_s = np.maximum(np.clip(t_s, begin_s, end_s) - np.clip(previous_s, begin_s, end_s), 0.0)
    return float(np.dot(power_w, stretch_s))


def counted_runs(runs: Sequence[T], times_s: Sequence[float | None], most_dropped: int) -> list[T]:
    """Choose the runs whose mean is the score: ordered by time, without the fastest and slowest ``most_dropped``.

    A run that did not converge (time None) is dropped first and counts among the slowest. Empty where more than
    ``most_dropped`` did not converge, or none is left.
    """
    converged = sorted(
        ((time_s, index) for index, time_s in enumerate(times_s) if time_s is not None), key=lambda pair: pair[0]
    )
    failed = len(runs) - len(converged)
    if failed > most_dropped:
        return []
    return [runs[index] for _, index in converged[most_dropped : len(converged) - (most_dropped - failed)]]


def mean(values: Sequence[float]) -> float | None:
    """Average figures; None where there are none."""
    return math.fsum(values) / len(values) if values else None
