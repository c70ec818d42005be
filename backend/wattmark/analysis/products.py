"""Energy-delay products and the cost of an operation from throughput and mean power."""

from __future__ import annotations

import math
from dataclasses import dataclass

from wattmark_calibration import UncertainValue

SECONDS_PER_YEAR = 365.2425 * 86_400
JOULE_PER_KWH = 3.6e6


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure with its standard uncertainty; ``u`` None: not known."""

    value: float
    u: float | None


@dataclass(frozen=True, slots=True)
class CostOfWork:
    """What one operation costs, how much of it is the purchase, and work per joule for each unit of money spent."""

    per_operation: Figure
    purchase_share_pct: float
    efficiency_per_price: Figure | None
    """None: the price is 0."""


def delay_product(rate: UncertainValue, power: UncertainValue, exponent: int, work: float = 1.0) -> Figure:
    """Compute E T^n = P T^(n+1) of ``work`` operations at throughput X, T = work/X [J s^n] (method 3).

    n = 1 is EDP, 2 is ED2P. T is the time that the whole server takes for so much work, not the response time of one
    operation. (u/v)^2 = (u_P/P)^2 + ((n + 1) u_X/X)^2, throughput and power taken as not correlated.
    """
    time_s = work / rate.value
    value = power.value * time_s ** (exponent + 1)
    relative = math.hypot(power.u / power.value, (exponent + 1) * rate.u / rate.value)
    return Figure(value, value * relative if power.complete else None)


def cost_of_work(
    rate: UncertainValue,
    power: UncertainValue,
    *,
    price: float,
    life_years: float,
    tariff_per_kwh: float,
    pue: float,
) -> CostOfWork:
    """Compute (price/life + P PUE tariff)/X [currency per operation] (method 3), at this load for its whole life.

    The uncertainty is that of throughput and power; price, life, tariff and PUE are taken as stated.
    """
    purchase_per_s = price / (life_years * SECONDS_PER_YEAR)
    per_w_s = pue * tariff_per_kwh / JOULE_PER_KWH
    total_per_s = purchase_per_s + per_w_s * power.value
    value = total_per_s / rate.value
    u = math.hypot(per_w_s * power.u / rate.value, value * rate.u / rate.value) if power.complete else None
    return CostOfWork(
        per_operation=Figure(value, u),
        purchase_share_pct=100 * purchase_per_s / total_per_s if total_per_s > 0 else 0.0,
        efficiency_per_price=_per_price(rate, power, price),
    )


def _per_price(rate: UncertainValue, power: UncertainValue, price: float) -> Figure | None:
    if price <= 0:
        return None
    value = rate.value / power.value / price
    relative = math.hypot(rate.u / rate.value, power.u / power.value)
    return Figure(value, value * relative if power.complete else None)
