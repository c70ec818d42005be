"""Energy-delay products and the cost of an operation from throughput and mean power."""

from __future__ import annotations

from dataclasses import dataclass, replace

from wattmark_calibration import UncertainValue

SECONDS_PER_YEAR = 365.2425 * 86_400
JOULE_PER_KWH = 3.6e6


@dataclass(frozen=True, slots=True)
class CostOfWork:
    """What one operation costs, how much of it is the purchase, and work per joule for each unit of money spent."""

    per_operation: UncertainValue
    purchase_share_pct: float
    efficiency_per_price: UncertainValue | None
    """None: the price is 0."""


def delay_product(rate: UncertainValue, power: UncertainValue, exponent: int, work: float = 1.0) -> UncertainValue:
    """Compute E T^n = P T^(n+1) of ``work`` operations at throughput X, T = work/X [J s^n] (method 3).

    n = 1 is EDP, 2 is ED2P. T is the time that the whole server takes for so much work, not the response time of one
    operation. (u/v)^2 = (u_P/P)^2 + ((n + 1) u_X/X)^2, throughput and power taken as not correlated.
    """
    value = power.value * (work / rate.value) ** (exponent + 1)
    by_rate, by_power = -(exponent + 1) * value / rate.value, value / power.value
    return _joined(value, f"J s{exponent}", (rate, by_rate), (power, by_power))


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
    return CostOfWork(
        per_operation=_joined(value, "currency", (rate, -value / rate.value), (power, per_w_s / rate.value)),
        purchase_share_pct=100 * purchase_per_s / total_per_s if total_per_s > 0 else 0.0,
        efficiency_per_price=_per_price(rate, power, price),
    )


def _per_price(rate: UncertainValue, power: UncertainValue, price: float) -> UncertainValue | None:
    if price <= 0:
        return None
    value = rate.value / power.value / price
    return _joined(value, "1/J/currency", (rate, value / rate.value), (power, -value / power.value))


def _joined(value: float, unit: str, *parts: tuple[UncertainValue, float]) -> UncertainValue:
    """Propagate what limits throughput and power with the sensitivity of each; complete only where both are."""
    terms = tuple(replace(c, sensitivity=c.sensitivity * by) for of, by in parts for c in of.contributions)
    return UncertainValue(value, unit, terms, complete=all(of.complete for of, _ in parts))
