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
    """Tell whether S = U x I, P = S x PF and P² + Q² = S² hold for each element and sum that has these quantities.

    Values that carry a quality flag are not judged. U x I is judged for elements only: sums are made in other ways.
    """
    groups: dict[object, dict[str, float]] = {}
    for one in values:
        if one.quality is Quality.GOOD:
            groups.setdefault(one.field.element, {})[one.field.quantity] = one.value
    return all(_fits(found, is_element=isinstance(element, int)) for element, found in groups.items())


def _fits(found: dict[str, float], *, is_element: bool) -> bool:
    power, apparent = found.get("power"), found.get("apparent_power")
    voltage, current, factor = found.get("voltage"), found.get("current"), found.get("power_factor")
    product = voltage * current if voltage is not None and current is not None and is_element else None
    largest = max(abs(one) for one in (power or 0.0, apparent or 0.0, product or 0.0))
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
        one is None or other is None or abs(abs(one) - abs(other)) <= TOLERANCE * largest for one, other in pairs
    )
