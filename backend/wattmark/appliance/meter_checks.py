"""A check of a monitored meter: is what it says plausible?"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict

from wattmark_drivers.clock import Clock
from wattmark_drivers.factory import find_model
from wattmark_drivers.pace import uncovered_remark
from wattmark_drivers.plausibility.judge import judge
from wattmark_drivers.plausibility.recording import MeterRecording
from wattmark_drivers.settings import MeterSettings

from wattmark.appliance.instruments import find_settings
from wattmark.appliance.meter_check_views import MeterCheckOut, MeterVerdictOut
from wattmark.appliance.readiness import LOOK_EVERY_S, wait_until_ready
from wattmark.errors import NotFound
from wattmark.inventory.bench import Bench
from wattmark.recording.monitor import Monitor, MonitoredMeter


class MeterChecks:
    """Judge the readings that a meter gives anyway: the samplers go on, and a campaign is not disturbed."""

    def __init__(
        self,
        bench: Callable[[], Bench],
        monitor: Monitor,
        clock: Clock,
        *,
        closed: Callable[[], bool],
    ) -> None:
        self._bench = bench
        self._monitor = monitor
        self._clock = clock
        self._closed = closed

    async def check(self, name: str, seconds: float) -> MeterCheckOut:
        """Watch a meter for ``seconds`` and judge it. Raises `NotFound`, `WattmarkError` where it does not answer."""
        settings, one = self._find(name)
        await wait_until_ready(self._monitor, {name}, self._clock, self._closed)
        with self._monitor.tap(name) as readings:
            await self._wait(seconds)
        recording = MeterRecording(
            declaration=find_model(settings.model),
            channels=tuple(one.meter.channels),
            readings=tuple(readings),
            period_s=None if one.meter.pushes else one.period_s,
            options=dict(settings.options),
        )
        verdicts = [MeterVerdictOut.model_validate(asdict(verdict)) for verdict in judge(recording)]
        remark = uncovered_remark(settings)
        return MeterCheckOut(meter=name, model=settings.model, seconds=seconds, verdicts=verdicts, remark=remark)

    def _find(self, name: str) -> tuple[MeterSettings, MonitoredMeter]:
        meters = {one.name: one for one in self._monitor.meters if one.role != "host"}
        if name not in meters:
            known = ", ".join(meters) or "none"
            raise NotFound(f"There is no meter {name[:80]!r}.", f"Meters of this bench: {known}.")
        return find_settings(self._bench(), name), meters[name]

    async def _wait(self, seconds: float) -> None:
        end_ns = self._clock.monotonic_ns() + int(seconds * 1e9)
        while (left_s := (end_ns - self._clock.monotonic_ns()) * 1e-9) > 0 and not self._closed():
            await self._clock.sleep(min(left_s, LOOK_EVERY_S))
