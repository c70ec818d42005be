"""One test's outcome, and the words for factors that wrong settings bring about."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

Outcome = Literal["pass", "fail", "not-checked"]

FACTORS = {
    1000.0: "1000 times too large: perhaps milliunits are read as units",
    0.001: "1000 times too small: perhaps thousands (kW, kWh) are read as units (W, Wh)",
    100.0: "100 times too large: perhaps hundredths or percent are read as units",
    0.01: "100 times too small",
    10.0: "10 times too large: perhaps tenths are read as units",
    0.1: "10 times too small",
    3.0: "3 times too large: perhaps a total of three phases is read as one",
    1 / 3: "3 times too small: perhaps one phase is read as the total of three",
    math.sqrt(3): "1.73 times too large: perhaps a line-to-line voltage is read as a phase voltage, or the reverse",
    1 / math.sqrt(3): "1.73 times too small: perhaps a line-to-line voltage is read as a phase voltage, or the reverse",
    3600.0: "3600 times too large: perhaps joules are read as watt-hours",
    1 / 3600: "3600 times too small: perhaps watt-hours are read as joules",
}
NEAR = 0.12
"""How near a ratio must be to a factor to be called by it."""


@dataclass(frozen=True, slots=True)
class PlausibilityVerdict:
    """Outcome of one test; ``value`` and ``limit`` in ``unit``, None where they do not exist.

    ``advice`` names the setting that is probably wrong; empty unless the test fails.
    """

    rule: str
    outcome: Outcome
    text: str
    value: float | None = None
    limit: float | None = None
    unit: str = ""
    advice: str = ""


def not_checked(rule: str, why: str) -> PlausibilityVerdict:
    """Build the verdict of a test that cannot be applied."""
    return PlausibilityVerdict(rule, "not-checked", why)


def nearest_factor(ratio: float) -> tuple[float, float]:
    """Find the usual mistake nearest to a ratio: its factor, and how far off the ratio is (infinite for no number)."""
    if not math.isfinite(ratio) or ratio <= 0:
        return 1.0, math.inf
    factor = min(FACTORS, key=lambda candidate: abs(math.log(ratio / candidate)))
    return factor, abs(ratio / factor - 1)


def name_factor(ratio: float) -> str | None:
    """Return the usual mistake behind a ratio; None for an unusual one."""
    factor, off = nearest_factor(ratio)
    return FACTORS[factor] if off <= NEAR else None
