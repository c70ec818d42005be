"""Keep one meter talking: poll it on time, notice when it goes away, bring it back."""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from wattmark_drivers.cancellation import lost_cancellation
from wattmark_drivers.clock import Clock, SystemClock
from wattmark_drivers.errors import BadReply, DriverError
from wattmark_drivers.exchange import REMEDY, exchange
from wattmark_drivers.meter import ClosesSlowly, Meter, MeterIdentity
from wattmark_drivers.pace import Offsets, is_dithered, random_offsets
from wattmark_drivers.reading import Quality, Reading
from wattmark_drivers.watch import Memory, ReadingWatch

LOG = logging.getLogger(__name__)
FIRST_PAUSE_S = 0.5
LONGEST_PAUSE_S = 30.0
BAD_REPLIES_IN_A_ROW = 3
CLOSE_TIMEOUT_S = 2.0
GRID_S = 0.005
"""Phases are multiples of this: meters whose polls begin together cost one wake-up of the machine."""
CROWD_GRID_S = 0.02
"""The same for so many meters that some begin together anyway: 20 of a thousand meters at 1 Hz."""


def staggered_phase_s(index: int, count: int, period_s: float) -> float:
    """Compute the phase [s] at which meter ``index`` of ``count`` is polled, so that polls spread over the period."""
    grid_s = CROWD_GRID_S if period_s < count * GRID_S else GRID_S
    return math.floor(period_s * index / count / grid_s + 1e-9) * grid_s


@dataclass(frozen=True, slots=True)
class SamplerState:
    """How a meter is doing since ``since_ns`` [UTC ns]; ``problem`` says why it is lost."""

    name: str
    state: Literal["connecting", "ok", "lost"]
    problem: str | None
    since_ns: int


class Sampler:
    """Hands over readings as they come. What was not measured is a gap: no reading is ever made up.

    Polls lie on multiples of the period plus the phase; where the readings leave time uncovered, at a random place of
    each period (``offsets``), so that a load with the same rhythm is not always caught at the same point.
    """

    def __init__(
        self,
        meter: Meter,
        *,
        period_s: float,
        phase_s: float = 0.0,
        on_readings: Callable[[Meter, list[Reading]], None],
        on_state: Callable[[SamplerState], None],
        clock: Clock | None = None,
        offsets: Offsets | None = None,
    ) -> None:
        self._meter = meter
        self._period_s = period_s
        self._offsets = offsets or random_offsets()
        self._period_ns = int(period_s * 1e9)
        self._phase_ns = int(phase_s * 1e9)
        self._on_readings = on_readings
        self._on_state = on_state
        self._clock = clock or SystemClock()
        self._state: SamplerState | None = None
        self._opened: MeterIdentity | None = None
        """Who answered at the last `open`."""
        self._memory = Memory()
        """What the device that answers showed last."""
        self._pause_s = FIRST_PAUSE_S
        self._tick = 0
        """Number of the period of the last poll, counted from the phase on the monotonic clock."""

    async def run(self) -> None:
        """Sample until cancelled; then close the meter within 2 s, or what it needs."""
        self._enter("connecting")
        try:
            while True:
                try:
                    await self._meter.open()
                    self._note_exchange()
                    self._enter("ok")
                    await self._sample()
                    return
                except DriverError as error:
                    self._enter("lost", str(error))
                await self._close()
                await self._clock.sleep(self._pause_s)
                self._pause_s = min(2 * self._pause_s, LONGEST_PAUSE_S)
        finally:
            await self._close()

    def _note_exchange(self) -> None:
        """Report a meter that comes back as another device, before its first reading counts."""
        before, self._opened = self._opened, self._meter.identity
        if before is not None and (words := exchange(before, self._opened)) is not None:
            self._enter("lost", f"{words} {REMEDY}")
            self._memory = Memory()

    async def _sample(self) -> None:
        """Read until the meter is lost; single bad replies are gaps, several in a row are a loss.

        Returns only after a cancellation that the meter's library lost.
        """
        identity = self._meter.identity
        watch = self._watch()
        wait = self._next_place if is_dithered(self._meter, self._period_s) else self._next_tick
        bad = 0
        while not lost_cancellation():
            if not self._meter.pushes:
                await wait()
            try:
                readings = await self._meter.read()
            except BadReply as error:
                bad += 1
                LOG.debug("Meter %s: reading lost: %s", self._meter.identity.name, error)
                if bad >= BAD_REPLIES_IN_A_ROW:
                    raise
                continue
            bad, self._pause_s = 0, FIRST_PAUSE_S
            now = self._meter.identity
            paced_anew = self._meter.pushes and now.update_period_s != identity.update_period_s
            if paced_anew or now.range_limit_w != identity.range_limit_w:
                identity = now
                watch = self._watch()
            marked = watch.mark(readings)
            self._on_readings(self._meter, _as_simulated(marked) if identity.simulated else marked)

    def _watch(self) -> ReadingWatch:
        """Follow the readings with what was remembered, by the update period that is known now."""
        polled_s = 0.0 if self._meter.pushes else self._period_s
        return ReadingWatch(self._meter.identity, self._meter.channels, polled_s, memory=self._memory)

    async def _next_tick(self) -> None:
        """Wait for the next multiple of the period; ticks that passed while the meter was slow are excluded."""
        now_ns = self._clock.monotonic_ns()
        self._tick = max(self._tick, (now_ns - self._phase_ns) // self._period_ns) + 1
        await self._clock.sleep((self._phase_ns + self._tick * self._period_ns - now_ns) / 1e9)

    async def _next_place(self) -> None:
        """Wait for the random place of the next period; one that passed while the meter was slow is polled at once.

        So each period has its poll, and never two, as long as an answer takes less than a period.
        """
        now_ns = self._clock.monotonic_ns()
        follows = self._tick + 1
        self._tick = max(follows, (now_ns - self._phase_ns) // self._period_ns)
        if self._tick > follows and self._place_ns(self._tick) < now_ns:
            self._tick += 1
        await self._clock.sleep(max(0, self._place_ns(self._tick) - now_ns) / 1e9)

    def _place_ns(self, tick: int) -> int:
        return self._phase_ns + tick * self._period_ns + int(self._offsets(tick) * self._period_ns)

    async def _close(self) -> None:
        timeout_s = self._meter.closing_s if isinstance(self._meter, ClosesSlowly) else CLOSE_TIMEOUT_S
        try:
            async with asyncio.timeout(timeout_s):
                await self._meter.close()
        except TimeoutError:
            LOG.warning("Meter %s could not be closed in %g s.", self._meter.identity.name, timeout_s)

    def _enter(self, state: Literal["connecting", "ok", "lost"], problem: str | None = None) -> None:
        """Report a change of state once; log only when the meter is lost and when it returns."""
        name = self._meter.identity.name
        before = self._state
        if before is not None and (before.state, before.problem) == (state, problem):
            return
        since_ns = self._clock.utc_ns()
        if before is not None and before.state == state:
            since_ns = before.since_ns
        elif state == "lost":
            LOG.warning("Meter %s is lost: %s", name, problem)
        elif state == "ok" and before is not None and before.state == "lost":
            LOG.info("Meter %s is back.", name)
        self._state = SamplerState(name, state, problem, since_ns)
        self._on_state(self._state)


def _as_simulated(readings: list[Reading]) -> list[Reading]:
    return [reading._replace(quality=reading.quality | Quality.SIMULATED) for reading in readings]
