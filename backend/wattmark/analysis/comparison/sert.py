"""Server efficiency in the manner of SERT 2: geometric means of intervals, worklets and workloads, then a weighted one.

Formula: exp(0.65 ln CPU + 0.30 ln Memory + 0.05 ln Storage) (EU 2019/424, ENERGY STAR for computer servers).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from wattmark.analysis.comparison.measured import require_positive
from wattmark.analysis.refusal import Refused

WEIGHTS: Mapping[str, float] = {"cpu": 0.65, "memory": 0.30, "storage": 0.05}


@dataclass(frozen=True, slots=True)
class LoadInterval:
    """One interval of a worklet: performance against the reference machine [1] and mean power [W]."""

    normalised_performance: float
    power_w: float


Worklets = Mapping[str, Sequence[LoadInterval]]


@dataclass(frozen=True, slots=True)
class ServerEfficiency:
    """Scores [1/W] of worklets and workloads and the weighted one. ``memory_gib`` is given beside it on purpose:
    the size of memory moves the memory score, so servers compare only at stated sizes."""

    overall: float
    workloads: Mapping[str, float]
    worklets: Mapping[tuple[str, str], float]
    memory_gib: float


def geometric_mean(values: Sequence[float]) -> float:
    """Compute the geometric mean of positive values [their unit]. Raises `Refused` for none, zero or negative ones."""
    column = require_positive(values, "A geometric mean")
    if not len(column):
        raise Refused("empty", "There are no values to average.")
    return math.exp(math.fsum(math.log(v) for v in column.tolist()) / len(column))


def worklet_efficiency(intervals: Sequence[LoadInterval]) -> float:
    """Compute the geometric mean of the intervals' normalised performance per watt [1/W]."""
    require_positive([i.power_w for i in intervals], "Watts of a worklet")
    return geometric_mean([i.normalised_performance / i.power_w for i in intervals])


def server_efficiency(
    workloads: Mapping[str, Worklets], memory_gib: float, weights: Mapping[str, float] = WEIGHTS
) -> ServerEfficiency:
    """Compute the weighted efficiency of a server [1/W]; ``workloads`` maps cpu, memory, storage to their worklets.

    Idle is not part of it. Raises `Refused` where a workload is missing or unknown, or a figure is not positive.
    """
    require_positive([memory_gib], "Memory size")
    if set(workloads) != set(weights):
        raise Refused(
            "workloads", f"The score needs the workloads {', '.join(weights)}; got {', '.join(workloads) or 'none'}."
        )
    if abs(math.fsum(weights.values()) - 1) > 1e-9 or min(weights.values()) <= 0:
        raise Refused("weights", "The weights of the workloads must be above 0 and add up to 1.")
    worklets = {
        (workload, name): worklet_efficiency(intervals)
        for workload, members in workloads.items()
        for name, intervals in members.items()
    }
    scores = {w: geometric_mean([score for (of, _), score in worklets.items() if of == w]) for w in weights}
    overall = math.exp(math.fsum(weights[w] * math.log(score) for w, score in scores.items()))
    return ServerEfficiency(overall, scores, worklets, memory_gib)
