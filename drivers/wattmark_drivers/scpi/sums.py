"""Add up what a device measures per element where it gives no sum. Pure."""

from __future__ import annotations

import math
from collections.abc import Sequence

from wattmark_drivers.catalogue.scpi_query import AnswerField
from wattmark_drivers.reading import Quality
from wattmark_drivers.scpi.answer import Value


def added_up(field: AnswerField, values: Sequence[Value]) -> Value:
    """Add a quantity up over the elements that were measured; each doubt about a part is one about the sum."""
    parts = [one for one in values if one.field.quantity == field.quantity and isinstance(one.field.element, int)]
    if not parts:
        return Value(field, math.nan, Quality.INVALID)
    quality = Quality.GOOD
    for one in parts:
        quality |= one.quality
    total = math.fsum(one.value for one in parts)
    fits = field.limits is None or math.isnan(total) or field.limits[0] <= total <= field.limits[1]
    return Value(field, total, quality if fits else quality | Quality.IMPLAUSIBLE)
