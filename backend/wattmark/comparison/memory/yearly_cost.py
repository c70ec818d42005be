"""What watts cost in a year."""

from __future__ import annotations

from wattmark.core.interval import Interval

HOURS_A_YEAR = 8760.0
_WATTS_PER_KW = 1000.0


class Energy:
    """What a watt costs in a year."""

    def __init__(self, tariff_per_kwh: float | None, currency: str, hours: float) -> None:
        self.tariff_per_kwh = tariff_per_kwh
        self.currency = currency
        self.hours = hours

    def a_year(self, watts: Interval | None) -> Interval | None:
        """Compute what watts cost in a year [currency]; None without a tariff."""
        if watts is None or self.tariff_per_kwh is None:
            return None
        per_watt = self.hours * self.tariff_per_kwh / _WATTS_PER_KW
        low, high = (None if end is None else end * per_watt for end in watts.ends)
        return Interval(value=watts.value * per_watt, low=low, high=high)
