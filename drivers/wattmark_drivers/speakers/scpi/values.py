"""What an analyser shows of its inputs: values by field, what exceeds a range, how numbers are written. Pure."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime

from wattmark_drivers.catalogue.scpi_map import InputRanges, ScpiMap
from wattmark_drivers.catalogue.scpi_query import SUM, AnswerField
from wattmark_drivers.catalogue.scpi_setting import close
from wattmark_drivers.speakers.indication import Indication

OF_A_SINE = math.sqrt(2)
SHARED = ("power", "apparent_power", "reactive_power", "current")
"""What the channels of a single-phase load share among them."""
NOTHING = "9.91E+37"
"""IEEE 488.2 and SCPI 1999 (volume 1, 7.2.1.5): not a number."""
SIMULATED_START_S = 1_577_836_800.0
"""When the clock of a simulated analyser begins: with the year 2020 [Unix s]."""
AUTO_DOWN = 0.3
AUTO_UP = 1.3
"""Shares of a range at which auto-range steps (Yokogawa IM WT310E-01EN, 2.3)."""


class Inputs:
    """The elements of one analyser and what lies on them.

    ``behind_face``: no number is made up that the indication does not have, such as a peak or the share of an element.
    """

    def __init__(self, table: ScpiMap, *, behind_face: bool = False) -> None:
        self._table = table
        self._separate = table.phase_count > 1
        self._behind_face = behind_face

    def quantity(self, indication: Indication, field: AnswerField) -> float:
        """Return a quantity of an element, or of all for a sum; NaN for one that the physics does not have."""
        values = self.element(indication, field.element if isinstance(field.element, int) else None)
        if field.quantity.endswith("_peak") and not self._behind_face:
            return values.get(field.quantity.removesuffix("_peak"), math.nan) * OF_A_SINE
        return values.get(field.quantity, math.nan)

    def element(self, indication: Indication, element: int | None) -> Mapping[str, float]:
        """Return the quantities of one element; those of the whole for None."""
        count = len(self._table.elements)
        if self._behind_face and len(indication.phases) <= 1:
            # A sum of meters, which has no phases, is that of all elements, and of the only one.
            is_first = element == self._table.elements[0] and (count == 1 or len(indication.phases) == 1)
            return indication.total if element is None or is_first else {}
        if element is not None and not self._separate and count > 1:
            return {name: value / count if name in SHARED else value for name, value in indication.total.items()}
        if element is None or not (self._separate or self._behind_face):
            return indication.total
        index = self._table.elements.index(element)
        return indication.phases[index] if index < len(indication.phases) else {}

    def exceeds(
        self, indication: Indication, element: int, nominal: Callable[[InputRanges], float], crest_factor: float
    ) -> tuple[bool, bool, bool]:
        """Return whether an element exceeds its range, the voltage peak limit, the current peak limit."""
        ranges, values = self._table.ranges, self.element(indication, element)
        if ranges is None:
            return False, False, False
        pairs = [
            (kind, values.get(name, math.nan))
            for kind, name in ((ranges.voltage, "voltage"), (ranges.current, "current"))
        ]
        over = any(value > nominal(kind) * kind.over_pct / 100 for kind, value in pairs)
        peaks = [value * OF_A_SINE > nominal(kind) * crest_factor for kind, value in pairs]
        return over, peaks[0], peaks[1]

    def best(self, indication: Indication, kind: InputRanges, row: Sequence[float], now: float) -> float:
        """Choose the range that auto-range goes to from the present one."""
        ranges = self._table.ranges
        quantity = "voltage" if ranges is not None and kind is ranges.voltage else "current"
        value = max(self.element(indication, element).get(quantity, 0.0) for element in self._table.elements)
        if now in row and AUTO_DOWN * now < value <= AUTO_UP * now:
            return now
        return next((range_ for range_ in row if value <= range_), row[-1])


def shown(value: float, field: AnswerField, *, over: bool, table: ScpiMap) -> str:
    """Format a value; a marker where it exceeds a range or does not exist."""
    if over or math.isinf(value):
        return table.over[0] if table.over else "INF"
    if math.isnan(value):
        return table.invalid[0] if table.invalid else NOTHING
    number = value / field.scale
    if field.quantity == "count":
        return f"{number:.0f}"
    return scientific(number, 5)


def moment(unix_s: float) -> str:
    """Format an instant [Unix s] as the ZES LMG600 does: 2020:01:01D00:00:00.500000000+0000."""
    return f"{datetime.fromtimestamp(unix_s, UTC):%Y:%m:%dD%H:%M:%S.%f}000+0000"


def scientific(number: float, digits: int) -> str:
    """Format a number as instruments do, with an exponent that is a multiple of 3: 612.51E+00."""
    if not number:
        return f"{0:.{digits - 1}f}E+00"
    exponent = 3 * math.floor(math.log10(abs(number)) / 3)
    mantissa = number / 10**exponent
    before = len(f"{abs(mantissa):.0f}")
    return f"{mantissa:.{max(0, digits - before)}f}E{exponent:+03d}"


def setting_number(number: float) -> str:
    """Format the value of a setting: 300.0E+00."""
    exponent = 3 * math.floor(math.log10(abs(number)) / 3) if number else 0
    return f"{number / 10**exponent:.1f}E{exponent:+03d}"


def belongs_to_sum(field: AnswerField) -> bool:
    """Return whether a field sums over elements or describes the whole device."""
    return field.element in (None, SUM)


def nearest(row: Sequence[float], value: float) -> float | None:
    """Find the value of a row that is nearest."""
    return next((allowed for allowed in row if close(allowed, value)), None)
