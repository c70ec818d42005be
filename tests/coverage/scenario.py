"""What a scenario is: a name, how one trial of it goes, and what its claims must come to."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

Expectation = Literal["covers", "refused", "either", "named"]
"""``covers``: a ± is given and holds the truth. ``refused``: the truth cannot be bounded; there is no ± but a reason.
``either``: refusing is right too, but what is stated must hold. ``named``: nothing in the data tells it; the ± leaves
it out and what is said beside it says so."""
Section = Literal["2", "3", "own"]

FOUND = "forecast difference is found"
UNITS = {
    "window power": "W",
    "full-load power": "W",
    "work per joule": "%",
    "work per second": "%",
    "ratio of work per joule": "%",
    "watts per DIMM": "W",
    "watts per GB/s": "W",
    "watts per drive": "W",
    "watts without drives": "W",
    "work per joule of a drive": "%",
    "drives of equal power": "%",
    "no false difference": "",
    FOUND: "",
    "true claim not rejected": "",
}
"""Claims with the unit of their errors; none: a test of what is true, whose errors are false alarms."""


@dataclass(frozen=True)
class Outcome:
    """One claim of one trial: how far its value lies from the truth, and its half width; None with the reason."""

    error: float | None
    half_width: float | None
    reason: str = ""
    names_what_it_leaves_out: bool = False

    @property
    def covered(self) -> bool:
        """Tell whether a stated interval holds the truth."""
        return self.error is not None and self.half_width is not None and abs(self.error) <= self.half_width


Trial = Callable[[np.random.Generator], Mapping[str, Outcome]]


@dataclass(frozen=True)
class Scenario:
    """A case with a known truth; ``source`` is the review's section that holds it, or "own".

    ``narrow``: the mean width must be at most twice the ideal (steady, drifting, periodic and register cases).
    """

    name: str
    section: Section
    trial: Trial
    expect: Mapping[str, Expectation]
    narrow: bool = False
    trials: int = 300
