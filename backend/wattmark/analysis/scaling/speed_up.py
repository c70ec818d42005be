"""Speed-up and parallel efficiency of levels against one of them (one core to two, dual to quad)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from wattmark.analysis.comparison.comparison import Estimate
from wattmark.analysis.comparison.measured import Measured, ratio_estimate, require_levels, require_positive, values_of
from wattmark.analysis.refusal import Refused


@dataclass(frozen=True, slots=True)
class SpeedUp:
    """Throughput of a level as a multiple of the base level's; ``estimate`` None where scatter is not known."""

    level: float
    base: float
    ratio: float
    estimate: Estimate | None

    @property
    def efficiency(self) -> float:
        """Compute speed-up divided by the growth of the level [1]; 1 is perfect scaling."""
        return self.ratio / (self.level / self.base)

    @property
    def interval(self) -> tuple[float, float] | None:
        """Compute the 95 % interval of the speed-up; divided by the growth of the level, that of the efficiency."""
        return None if self.estimate is None else self.estimate.interval()


def speed_up(levels: ArrayLike, throughput: Sequence[Measured], base: float | None = None) -> tuple[SpeedUp, ...]:
    """Compare every level with the base (default: the lowest), in rising order. Raises `Refused` with the reason."""
    column = require_levels(levels, len(throughput), 2)
    if len(np.unique(column)) < len(column):
        raise Refused("equal-levels", "A level occurs twice in the table; average its repeats first.")
    require_positive(values_of(throughput), "Throughput")
    table = dict(sorted(zip(column.tolist(), throughput, strict=True)))
    base = min(table) if base is None else base
    if base not in table:
        raise Refused(
            "no-base", f"Level {base:g} was not measured; choose one of {', '.join(f'{n:g}' for n in table)}."
        )
    below = table[base]
    return tuple(
        SpeedUp(level, base, figure.value / below.value, None if level == base else ratio_estimate(figure, below))
        for level, figure in table.items()
    )
