"""Add up what a device measures per element where it gives no sum. Pure."""

from __future__ import annotations

import math
from collections.abc import Sequence

from wattmark_drivers.catalogue.scpi_query import AnswerField
from wattmark_drivers.reading import Quality
from wattmark_drivers.scpi.answer import Value


def added_up(field: AnswerField, values: Sequence[Value]) -> Value:
    """Compute the sum of a quantity over the measured elements; each doubt about a part applies to the sum."""
    parts = [
        value for value in values if value.field.quantity == field.quantity and isinstance(value.field.element, int)
    ]
    if not parts:
        return Value(field, math.nan, Quality.INVALID)
    quality = Quality.GOOD
    for part in parts:
        quality |= part.quality
    total = math.fsum(part.value for part in parts)
    fits = field.limits is None or math.isnan(total) or field.limits[0] <= total <= field.limits[1]
    return Value(field, total, quality if fits else quality | Quality.IMPLAUSIBLE)
