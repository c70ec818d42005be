"""A reading of a check standard from its meter, live."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from wattmark_drivers.clock import Clock

from wattmark.core.errors import Conflict
from wattmark.instruments.ready import LOOK_EVERY_S, wait_until_ready
from wattmark.recording.monitor import Monitor
from wattmark.traceability.check_standards.record import CheckStandard
from wattmark.traceability.check_standards.service import CheckStandards
from wattmark.traceability.check_standards.take import AveragedPower, take
from wattmark.traceability.check_standards.views import CheckChartOut, NewReading


class LiveCheckStandards:
    """Record readings of check standards: by hand, or from the monitored meter."""

    def __init__(
        self,
        standards: CheckStandards,
        monitor: Monitor,
        clock: Clock,
        *,
        busy: Callable[[], bool],
        closed: Callable[[], bool],
    ) -> None:
        self.standards = standards
        self._monitor = monitor
        self._clock = clock
        self._busy = busy
        self._closed = closed

    async def record(self, name: str, order: NewReading) -> CheckChartOut:
        """Record a reading; with ``seconds`` the meter is read that long. Raises `WattmarkError`."""
        if order.seconds is None:
            return await asyncio.to_thread(self.standards.record_by_hand, name, order)
        load = await asyncio.to_thread(self.standards.load, name)
        taken = await self._take(load, order.seconds)
        return await asyncio.to_thread(self.standards.record_taken, name, taken, order)

    async def _take(self, load: CheckStandard, seconds: float) -> AveragedPower:
        if load.meter not in self.standards.meters:
            raise Conflict(
                f"The bench of this service has no meter {load.meter}.",
                "Add it to the bench, or give the watts that the meter showed.",
            )
        if self._busy():
            raise Conflict(
                "A campaign is running, so the meter does not measure the check standard.",
                "Wait until it ends, or stop it.",
            )
        await wait_until_ready(self._monitor, {load.meter}, self._clock, self._closed)
        with self._monitor.tap(load.meter) as readings:
            await self._wait(seconds)
        return take(load.meter, readings)

    async def _wait(self, seconds: float) -> None:
        end_ns = self._clock.monotonic_ns() + int(seconds * 1e9)
        while (left_s := (end_ns - self._clock.monotonic_ns()) * 1e-9) > 0 and not self._closed():
            await self._clock.sleep(min(left_s, LOOK_EVERY_S))
