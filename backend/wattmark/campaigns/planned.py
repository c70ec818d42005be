"""One row of a campaign's run table, as planned."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Task = Literal["measure", "calibrate", "share", "idle"]


@dataclass(frozen=True, slots=True)
class PlannedRun:
    """One configuration x workload x level x repeat."""

    order: int
    server: str
    configuration: str
    workload: str
    level: str
    """As results show it: "4 processes"."""
    level_value: int | None
    """None where the workload has no levels, and where calibration will tell."""
    repeat: int
    expected_s: float
    at_most_s: float = 0.0
    """With a settle or cool-down rule that takes as long as it may."""
    task: Task = "measure"
    """Measure a level; calibrate the maximum; a share of that maximum; active idle, with nothing asked for."""
    percent: float | None = None
    """Share of the calibrated maximum [%]."""
    optional: bool = False
    """Made only when the precision that the plan asks for is not reached without it."""

    @property
    def place(self) -> str:
        """Name "server/configuration"."""
        return f"{self.server}/{self.configuration}"

    @property
    def group(self) -> tuple[str, str, str]:
        """Tell which runs repeat one another."""
        return self.place, self.workload, self.level

    @property
    def sequence(self) -> tuple[str, str, int]:
        """Tell which runs are levels of one curve."""
        return self.place, self.workload, self.repeat
