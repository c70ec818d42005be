"""Prove from the device's own count, or from its own clock, that no cycle was lost between two lines that it pushed."""

from __future__ import annotations

from collections.abc import Sequence

from wattmark_drivers.catalogue.scpi_query import Fresh
from wattmark_drivers.errors import BadReply
from wattmark_drivers.scpi.answer import Value


class CyclesLost(BadReply):
    """Cycles are missing between two lines; the line after them is whole and follows."""


class Cycles:
    """Follows the channel that counts cycles (`channel`), or the device's clock (`channel` with `span`)."""

    def __init__(self, fresh: Fresh) -> None:
        self._fresh = fresh
        self._before: float | None = None
        self._skipped = 0

    def skip(self) -> None:
        """Mark a dropped line whose loss was reported already."""
        self._skipped += 1

    def lost(self, values: Sequence[Value]) -> int:
        """Count the cycles that are missing before these values; 0 for the first line, and where nothing tells.

        A count that went backwards without wrapping was set anew by the device: nothing is known of what lies between.
        """
        numbers = {value.field.channel: value for value in values}
        count = numbers.get(self._fresh.channel)
        if count is None or count.value != count.value:
            return 0
        before, self._before = self._before, count.value
        skipped, self._skipped = self._skipped, 0
        if before is None:
            return 0
        step = count.value - before
        if self._fresh.span:
            span_s = numbers[self._fresh.span].value
            return max(0, round(step / span_s) - 1 - skipped) if span_s > 0 else 0
        if step < 0 and count.field.wraps_at:
            step += count.field.wraps_at
        return max(0, round(step) - 1 - skipped)
