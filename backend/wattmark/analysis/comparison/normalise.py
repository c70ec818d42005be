"""Tables in multiples of one of their entries: "factor 1 = baseline"."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from wattmark.analysis.comparison.comparison import Estimate
from wattmark.analysis.comparison.measured import Measured, ratio_estimate, require_positive
from wattmark.analysis.refusal import Refused


@dataclass(frozen=True, slots=True)
class Normalised:
    """A figure as a multiple of the baseline's; ``estimate`` None for the baseline and where scatter is not known."""

    key: str
    factor: float
    estimate: Estimate | None

    @property
    def interval(self) -> tuple[float, float] | None:
        """Compute the 95 % interval of the factor."""
        return None if self.estimate is None else self.estimate.interval()


def normalised(figures: Mapping[str, Measured], baseline: str) -> tuple[Normalised, ...]:
    """Compute all figures in multiples of the baseline's [1]. Raises `Refused` for an unknown baseline."""
    if baseline not in figures:
        raise Refused(
            "no-baseline", f"There is no result for {baseline}; choose one of {', '.join(figures) or 'none'}."
        )
    require_positive([figure.value for figure in figures.values()], "Figures to normalise")
    base = figures[baseline]
    return tuple(
        Normalised(key, figure.value / base.value, None if key == baseline else ratio_estimate(figure, base))
        for key, figure in figures.items()
    )
