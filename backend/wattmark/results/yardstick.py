"""What configurations are compared by: the figure, which way is better, and the smallest difference of interest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from wattmark.analysis.comparison import SMALLEST_DIFFERENCE
from wattmark.errors import InputError
from wattmark.results.views import CompareGroup, Interval95

ComparedBy = Literal["efficiency", "throughput", "power"]
_VERBS: dict[ComparedBy, tuple[str, str]] = {
    "efficiency": ("does", "work per joule"),
    "throughput": ("does", "work per second"),
    "power": ("draws", "power"),
}
_CLAIMS: dict[ComparedBy, str] = {
    "efficiency": "Compared: work per joule of each run's own work over its own window; power need not be steady.",
    "throughput": "Compared: work per second of each run over its own window.",
    "power": "Compared: full-load power, of runs whose power was steady.",
}
MOST_PCT = 50.0


@dataclass(frozen=True, slots=True)
class Yardstick:
    """A figure that configurations are compared by; ``margin`` is the smallest difference of interest [1]."""

    figure: ComparedBy = "efficiency"
    margin: float = SMALLEST_DIFFERENCE

    @property
    def direction(self) -> Literal["higher", "lower"]:
        """Tell which way is better: less power is."""
        return "lower" if self.figure == "power" else "higher"

    @property
    def verb(self) -> str:
        """Say what a configuration does with the figure."""
        return _VERBS[self.figure][0]

    @property
    def noun(self) -> str:
        """Name the figure in a sentence."""
        return _VERBS[self.figure][1]

    @property
    def claim(self) -> str:
        """Say what of each run is compared."""
        return _CLAIMS[self.figure]

    @property
    def best(self) -> str:
        """Say what the best configuration shows."""
        return f"the {'least' if self.direction == 'lower' else 'most'} {self.noun}"

    def value(self, view: CompareGroup) -> Interval95 | None:
        """Take the figure of a group."""
        return {"efficiency": view.efficiency, "throughput": view.throughput, "power": view.power_w}[self.figure]

    def unit(self, view: CompareGroup) -> str:
        """Name the unit of a group's figure."""
        units = {"efficiency": view.efficiency_unit, "throughput": view.throughput_unit, "power": "W"}
        return units[self.figure]


EFFICIENCY = Yardstick()


def yardstick(figure: ComparedBy = "efficiency", smallest_pct: float | None = None) -> Yardstick:
    """Choose a figure and a smallest difference of interest [%]; None: 2 %. Raises `InputError` outside 0 to 50 %."""
    if smallest_pct is None:
        return Yardstick(figure)
    if not 0 < smallest_pct <= MOST_PCT:
        raise InputError(
            f"A smallest difference of interest of {smallest_pct:g} % tells nothing apart.",
            f"Give more than 0 and at most {MOST_PCT:g} %.",
        )
    return Yardstick(figure, smallest_pct / 100)
