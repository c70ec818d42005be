"""Apparent power and power factor over a window, with the limits of error of their inputs.

Limits of a product and of a quotient add up relative to their values, as makers of power meters state them for
S = U I (Yokogawa IM WT310-02EN, 7.3.2; GW Instek GPM-8310, appendix).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from wattmark.core.amounts import Number
from wattmark.core.schema import Record

RECTANGULAR = math.sqrt(3.0)
K95 = 1.959963984540054
"""Coverage factor of a normal distribution for 95 %, as for the limits of error of active power."""


class LimitOfError(Record):
    """The maker's limit of error of a quantity: reading_pct % of reading + range_pct % of range + fixed."""

    reading_pct: Number = 0.0
    range_pct: Number = 0.0
    fixed: Number = 0.0
    """[unit of the quantity]"""
    range_value: Number | None = None
    """Full scale in the range in use; None: not known."""
    source: str = ""

    def of(self, value: float) -> float | None:
        """Compute the limit at a value [unit of the quantity]; None where the range it refers to is not known."""
        if self.range_pct and self.range_value is None:
            return None
        return (self.reading_pct * abs(value) + self.range_pct * (self.range_value or 0.0)) / 100 + self.fixed


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean with its standard uncertainty; ``u`` None: no limit of error is known."""

    value: float
    u: float | None = None


def apparent_power(
    means: Mapping[str, float], limits: Mapping[str, LimitOfError], u_power: float | None
) -> Estimate | None:
    """Estimate mean apparent power [VA] from the means of a window; None where it was not measured.

    The limit of apparent power counts where the maker states one, else those of voltage and current, else those of
    power factor with the standard uncertainty of active power.
    """
    value = means.get("apparent_power")
    if value is None or value <= 0:
        return None
    if (own := _u(value, limits.get("apparent_power"))) is not None:
        return Estimate(value, own)
    relative = [_relative_u(means, limits, name) for name in ("voltage", "current")]
    if None in relative:
        share = None if u_power is None or not means.get("power") else u_power / means["power"]
        relative = [share, _relative_u(means, limits, "power_factor")]
    known = [part for part in relative if part is not None]
    return Estimate(value, value * sum(known) if len(known) == len(relative) else None)


def power_factor(
    means: Mapping[str, float], limits: Mapping[str, LimitOfError], u_power: float | None, apparent: Estimate | None
) -> Estimate | None:
    """Estimate the power factor of a window [1] as mean power over mean apparent power; None: not measured.

    Without apparent power, the channel of the power factor is used. Its uncertainty is the maker's limit where one is
    stated, else the sum of the uncertainties of both powers.
    """
    if apparent is not None and means.get("power"):
        value = abs(means["power"]) / apparent.value
    elif "power_factor" in means:
        value = abs(means["power_factor"])
    else:
        return None
    if (own := _u(value, limits.get("power_factor"))) is not None:
        return Estimate(value, own)
    if apparent is None or apparent.u is None or u_power is None or not means.get("power"):
        return Estimate(value)
    return Estimate(value, value * (u_power / abs(means["power"]) + apparent.u / apparent.value))


def _u(value: float, limit: LimitOfError | None) -> float | None:
    most = None if limit is None else limit.of(value)
    return None if most is None else most / RECTANGULAR


def _relative_u(means: Mapping[str, float], limits: Mapping[str, LimitOfError], quantity: str) -> float | None:
    value = means.get(quantity)
    u = None if not value else _u(value, limits.get(quantity))
    return None if u is None or not value else u / abs(value)
