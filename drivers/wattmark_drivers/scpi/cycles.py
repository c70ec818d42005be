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
        """Note that a line was dropped, which was told already."""
        self._skipped += 1

    def lost(self, values: Sequence[Value]) -> int:
        """Count the cycles that are missing before these values; 0 for the first line, and where nothing tells.

        A count that went backwards without wrapping was set anew by the device: nothing is known of what lies between.
        """
        numbers = {one.field.channel: one for one in values}
        here = numbers.get(self._fresh.channel)
        if here is None or here.value != here.value:
            return 0
        before, self._before = self._before, here.value
        skipped, self._skipped = self._skipped, 0
        if before is None:
            return 0
        step = here.value - before
        if self._fresh.span:
            span_s = numbers[self._fresh.span].value
            return max(0, round(step / span_s) - 1 - skipped) if span_s > 0 else 0
        if step < 0 and here.field.wraps_at:
            step += here.field.wraps_at
        return max(0, round(step) - 1 - skipped)
