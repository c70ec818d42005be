"""A check of a monitored meter: are its readings plausible?"""

from __future__ import annotations

from collections.abc import Callable

from wattmark_drivers.catalogue import find_model
from wattmark_drivers.clock import Clock
from wattmark_drivers.pace import pace_remark, uncovered_remark
from wattmark_drivers.plausibility.judge import judge
from wattmark_drivers.plausibility.recording import MeterRecording
from wattmark_drivers.settings import MeterSettings

from wattmark.bench.bench import Bench
from wattmark.core.errors import NotFound
from wattmark.instruments.entries import find_settings
from wattmark.instruments.meter_check_views import MeterCheckOut
from wattmark.instruments.ready import LOOK_EVERY_S, wait_until_ready
from wattmark.recording.monitor import Monitor, MonitoredMeter


class MeterChecks:
    """Judges the readings of the running samplers, so that a check does not disturb a campaign."""

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
        settings, monitored = self._find(name)
        await wait_until_ready(self._monitor, {name}, self._clock, self._closed)
        with self._monitor.tap(name) as readings:
            await self._wait(seconds)
        recording = MeterRecording(
            declaration=find_model(settings.model),
            channels=tuple(monitored.meter.channels),
            readings=tuple(readings),
            period_s=None if monitored.meter.pushes else monitored.period_s,
            options=dict(settings.options),
        )
        verdicts = list(judge(recording))
        remark = uncovered_remark(settings) or pace_remark(monitored.meter.identity, self._clock.utc_ns())
        return MeterCheckOut(meter=name, model=settings.model, seconds=seconds, verdicts=verdicts, remark=remark)

    def _find(self, name: str) -> tuple[MeterSettings, MonitoredMeter]:
        meters = {monitored.name: monitored for monitored in self._monitor.meters if monitored.role != "host"}
        if name not in meters:
            names = ", ".join(meters) or "none"
            raise NotFound(f"There is no meter {name[:80]!r}.", f"Meters of this bench: {names}.")
        return find_settings(self._bench(), name), meters[name]

    async def _wait(self, seconds: float) -> None:
        end_ns = self._clock.monotonic_ns() + int(seconds * 1e9)
        while (left_s := (end_ns - self._clock.monotonic_ns()) * 1e-9) > 0 and not self._closed():
            await self._clock.sleep(min(left_s, LOOK_EVERY_S))
