"""Basis of a comparison: figure, direction, and smallest relevant difference."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from wattmark.analysis.comparison.comparison import SMALLEST_DIFFERENCE
from wattmark.comparison.choices import MOST_PCT
from wattmark.comparison.compare.views import CompareGroup, CompareOut
from wattmark.core.errors import InputError
from wattmark.core.interval import Interval95

ComparedBy = Literal["efficiency", "throughput", "power"]
_VERBS: dict[ComparedBy, tuple[str, str]] = {
    "efficiency": ("does", "work per joule"),
    "throughput": ("does", "work per second"),
    "power": ("draws", "power"),
}
_QUANTITIES: dict[ComparedBy, str] = {
    "efficiency": "Performance per watt",
    "throughput": "Throughput",
    "power": "Power",
}
_CLAIMS: dict[ComparedBy, str] = {
    "efficiency": "Compared: work per joule of each run's own work over its own window; power need not be steady.",
    "throughput": "Compared: work per second of each run over its own window.",
    "power": "Compared: full-load power, of runs whose power was steady.",
}


@dataclass(frozen=True, slots=True)
class Yardstick:
    """A figure that configurations are compared by; ``margin`` is the smallest relevant difference [1]."""

    figure: ComparedBy = "efficiency"
    margin: float = SMALLEST_DIFFERENCE

    @property
    def direction(self) -> Literal["higher", "lower"]:
        """Return which direction is better."""
        return "lower" if self.figure == "power" else "higher"

    @property
    def verb(self) -> str:
        """Return the verb for the figure in a sentence."""
        return _VERBS[self.figure][0]

    @property
    def noun(self) -> str:
        """Return the noun for the figure in a sentence."""
        return _VERBS[self.figure][1]

    @property
    def quantity(self) -> str:
        """Return the name of the figure for an axis."""
        return _QUANTITIES[self.figure]

    @property
    def claim(self) -> str:
        """Return the sentence that names the compared figure of each run."""
        return _CLAIMS[self.figure]

    @property
    def best(self) -> str:
        """Return the phrase for the best figure in a sentence."""
        return f"the {'least' if self.direction == 'lower' else 'most'} {self.noun}"

    def value(self, view: CompareGroup) -> Interval95 | None:
        """Return the figure of a group."""
        return {"efficiency": view.efficiency, "throughput": view.throughput, "power": view.power_w}[self.figure]

    def unit(self, view: CompareGroup) -> str:
        """Return the unit of a group's figure."""
        return self._unit(view.efficiency_unit, view.throughput_unit)

    def unit_of(self, compared: CompareOut) -> str:
        """Return the unit of the figure in a whole comparison."""
        return self._unit(compared.efficiency_unit, compared.throughput_unit)

    def _unit(self, of_efficiency: str, of_throughput: str) -> str:
        return {"efficiency": of_efficiency, "throughput": of_throughput, "power": "W"}[self.figure]


EFFICIENCY = Yardstick()


def yardstick(figure: ComparedBy = "efficiency", smallest_pct: float | None = None) -> Yardstick:
    """Choose a figure and a smallest relevant difference [%]; None: 2 %.

    Raises `InputError` for another figure, and outside 0 to 50 %.
    """
    if figure not in _VERBS:
        raise InputError(
            f"Configurations cannot be compared by {str(figure)[:80]!r}.", f"Compare by {', '.join(_VERBS)}."
        )
    if smallest_pct is None:
        return Yardstick(figure)
    if not 0 < smallest_pct <= MOST_PCT:
        raise InputError(
            f"The smallest relevant difference must not be {smallest_pct:g} %.",
            f"Give a value above 0 % and at most {MOST_PCT:g} %.",
        )
    return Yardstick(figure, smallest_pct / 100)
