"""Wait until the device has new values, and prove that none was lost, by queries and not by a local clock."""

from __future__ import annotations

from collections.abc import Sequence

from wattmark_drivers.catalogue.scpi_header import spoken
from wattmark_drivers.catalogue.scpi_query import Fresh, FreshBy
from wattmark_drivers.clock import Clock, Stamp
from wattmark_drivers.errors import BadReply
from wattmark_drivers.scpi.answer import Value, plain
from wattmark_drivers.scpi.dialogue import ScpiDialogue

PATIENCE = 3.0
"""Update periods without an update after which the device is taken to be on hold."""


class OnHold(BadReply):
    """The device has had no new values for longer than its update period allows; asking again does not help."""


class Freshness:
    """Waits for the next update and returns its time."""

    def __init__(self, fresh: Fresh, dialogue: ScpiDialogue, clock: Clock) -> None:
        self._fresh = fresh
        self._dialogue = dialogue
        self._clock = clock

    async def wait(self, update_period_s: float) -> Stamp | None:
        """Wait for an update that ends after this call began; None where the device does not report updates.

        The stamp is the midpoint between the last query without the update and the first with it.
        """
        if self._fresh.by is FreshBy.EVENT:
            return await self._wait_event(update_period_s)
        if self._fresh.by is FreshBy.WAIT:
            return await self._wait_answer(update_period_s)
        return None

    async def _wait_event(self, update_period_s: float) -> Stamp:
        looked_ns = self._clock.monotonic_ns()  # before asking: an update may follow the answer on its way
        await self._bit()
        deadline_ns = self._clock.monotonic_ns() + int(PATIENCE * update_period_s * 1e9 + 1e9)
        pause_s = min(self._fresh.pause_s, update_period_s / 5)
        while True:
            asked_ns = self._clock.monotonic_ns()
            if await self._bit():
                break
            if asked_ns > deadline_ns:
                raise self._on_hold(update_period_s)
            looked_ns = asked_ns
            await self._clock.sleep(pause_s)
        half_ns = (self._clock.monotonic_ns() - looked_ns) // 2
        return Stamp(self._clock.utc_ns() - half_ns, half_ns)

    async def _wait_answer(self, update_period_s: float) -> Stamp:
        """Wait for the answer, which comes with the update; its way back takes at most one round trip."""
        if self._fresh.clear:
            cleared = await self._dialogue.ask(spoken(self._fresh.clear))
            trip_ns = cleared.stamp.u_t_ns
        else:
            trip_ns = 0
        await self._dialogue.ask(spoken(self._fresh.ask), patience_s=PATIENCE * update_period_s)
        return Stamp(self._clock.utc_ns() - trip_ns, trip_ns)

    async def _bit(self) -> bool:
        text = plain((await self._dialogue.ask(spoken(self._fresh.ask))).text)
        return bool(register(text, self._dialogue) >> self._fresh.bit & 1)

    def _on_hold(self, update_period_s: float) -> OnHold:
        return OnHold(
            f"{self._dialogue.label} has had no new values for {PATIENCE:g} update periods of {update_period_s:g} s.",
            "Check that it is not on hold.",
        )


def register(text: str, dialogue: ScpiDialogue) -> int:
    """Read a register. Raises `BadReply` for anything but a number of 32 bits."""
    try:
        value = int(float(text))
    except (ValueError, OverflowError):
        value = -1
    if not 0 <= value < 1 << 32:
        dialogue.doubt()
        raise BadReply(f"{dialogue.label} answered a register request with {text[:40]!r}.", "It may be a late answer.")
    return value


MOST_LOST = 1000
"""Cycles that may be missing where a count goes back; a gap of more is silence, at which the connection is given up."""


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
        """Count the cycles that are missing before these values; 0 for the first line, and where nothing shows it.

        A count that went backwards without wrapping was reset by the device: the gap is unknown.
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
            if step > MOST_LOST:
                return 0
        return max(0, round(step) - 1 - skipped)
