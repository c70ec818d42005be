"""Do the numbers of one answer belong together? An answer has no checksum, so watts, volts and amperes vouch for it."""

from __future__ import annotations

from collections.abc import Sequence

from wattmark_drivers.reading import Quality
from wattmark_drivers.scpi.answer import Value

TOLERANCE = 0.05
"""Wider than any analyser's limits, narrower than the smallest change of a leading digit but 10 to 11 and the like."""
FLOOR = 0.5
"""Below this many volt-amperes nothing is judged: instruments show zero for one of the quantities first."""


def belong_together(values: Sequence[Value]) -> bool:
    """Return whether S = U x I, P = S x PF and P² + Q² = S² hold for each element and sum that has these quantities.

    Values that carry a quality flag are not judged. U x I is judged for elements only: sums are made in other ways.
    """
    groups: dict[object, dict[str, float]] = {}
    for value in values:
        if value.quality is Quality.GOOD:
            groups.setdefault(value.field.element, {})[value.field.quantity] = value.value
    return all(_fits(quantities, is_element=isinstance(element, int)) for element, quantities in groups.items())


def _fits(quantities: dict[str, float], *, is_element: bool) -> bool:
    power, apparent = quantities.get("power"), quantities.get("apparent_power")
    voltage, current, factor = quantities.get("voltage"), quantities.get("current"), quantities.get("power_factor")
    product = voltage * current if voltage is not None and current is not None and is_element else None
    largest = max(abs(value) for value in (power or 0.0, apparent or 0.0, product or 0.0))
    if largest < FLOOR:
        return True
    reference = apparent if apparent is not None else product
    if reference is None:
        return True
    pairs = [(product, apparent)]
    if power is not None:
        pairs.append((abs(reference * factor), abs(power)) if factor is not None else (None, None))
        if abs(power) > reference + TOLERANCE * largest:
            return False
    return all(
        first is None or other is None or abs(abs(first) - abs(other)) <= TOLERANCE * largest for first, other in pairs
    )
