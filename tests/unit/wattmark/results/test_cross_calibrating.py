"""A BMC and a wall meter recorded side by side in virtual time, under a load that changes."""

from __future__ import annotations

import asyncio

import numpy as np
import pytest
from wattmark.core.errors import WattmarkError
from wattmark.results import cross_calibration as cross_calibration
from wattmark.results.cross_calibration import cross_calibrate_live
from wattmark_drivers.errors import ConnectionFailed
from wattmark_drivers.meter import Accuracy, MeterIdentity
from wattmark_drivers.reading import Channel, Kind, Quality, Reading
from wattmark_drivers.settings import MeterSettings

from tests.set_clock import WaitingClock

GAIN, OFFSET_W, LAG_S = 0.95, 6.0, 2.0
LEVELS_W = (120.0, 300.0, 200.0, 330.0, 150.0)
WALL = MeterSettings("wall", "wattsup.pro", "serial:///dev/x")
BMC = MeterSettings("bmc", "ipmi.bmc", "ipmi://h")


class Fake:
    """A meter that shows the load at its moment; the BMC late, scaled, in whole watts; some readings are bad."""

    def __init__(self, settings: MeterSettings, clock: WaitingClock, *, levels_w=LEVELS_W, absent=False) -> None:
        self._is_bmc = settings is BMC
        self._clock, self._levels_w, self._absent = clock, levels_w, absent
        self._begin_ns, self._rng, self._reads = clock.now_ns, np.random.default_rng(len(settings.name)), 0
        accuracy = None if self._is_bmc else Accuracy(1.5, 0.0, 0.3, None, "manual")
        self.identity = MeterIdentity(
            settings.name, settings.model, "", "", indicative=self._is_bmc, power_accuracy=accuracy
        )
        kind = Kind.INSTANTANEOUS if self._is_bmc else Kind.AVERAGED
        self.channels = (Channel("power", "power", "W", kind, "", 1.0 if self._is_bmc else 0.1),)
        self.pushes = False

    async def open(self) -> None:
        if self._absent:
            raise ConnectionFailed("No session.", "Check it.")

    async def close(self) -> None:
        pass

    async def read(self) -> list[Reading]:
        self._reads += 1
        t_s = (self._clock.now_ns - self._begin_ns) / 1e9
        watts = self._load(t_s - LAG_S) if self._is_bmc else self._load(t_s)
        shown = round((watts - OFFSET_W) / GAIN + self._rng.normal(0, 1)) if self._is_bmc else watts
        quality = Quality.INVALID if self._reads % 17 == 0 else Quality.GOOD
        value = 9999.0 if quality else shown
        other = Reading("psu1_input_power", 1.0, "W", self._clock.now_ns, 0, Kind.INSTANTANEOUS)
        return [Reading("power", value, "W", self._clock.now_ns, 0, self.channels[0].kind, quality=quality), other]

    def _load(self, t_s: float) -> float:
        part = min(max(t_s, 0.0) / 60, len(self._levels_w) - 1e-9)
        before = self._levels_w[max(int(part) - 1, 0)]
        return float(np.interp((part - int(part)) * 60, [0, 4], [before, self._levels_w[int(part)]]))


def live(monkeypatch: pytest.MonkeyPatch, *, wall_latency_s: float = 0.0, **wrong):
    async def main():
        clock = WaitingClock(1_700_000_000 * 10**9)
        monkeypatch.setattr(cross_calibration, "create_meter", lambda settings, _: Fake(settings, clock, **wrong))
        ticking = asyncio.create_task(clock.run())
        try:
            return await cross_calibrate_live(BMC, WALL, "s", 300, clock=clock, wall_latency_s=wall_latency_s)
        finally:
            ticking.cancel()

    return asyncio.run(main())


def test_the_planted_gain_offset_and_lag_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    record = live(monkeypatch)
    assert abs(record.gain - GAIN) <= 1.5 * record.gain_U95
    assert abs(record.offset_w - OFFSET_W) <= 1.5 * record.offset_U95_w
    assert abs(record.lag_s - LAG_S) <= 1.5 * record.lag_U95_s
    assert record.good, record.verdicts
    assert (record.server, record.bmc.name, record.wall.name) == ("s", "bmc", "wall")
    assert (record.wall.reading_pct, record.source) == (1.5, "live, 300 s")


def test_the_lag_counts_from_the_power_and_not_from_a_late_wall_meter(monkeypatch: pytest.MonkeyPatch) -> None:
    assert live(monkeypatch, wall_latency_s=1.0).lag_s == pytest.approx(LAG_S + 1.0, abs=0.2)


def test_a_load_that_stays_is_refused_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(WattmarkError, match="are not correlated") as caught:
        live(monkeypatch, levels_w=(200.0,))
    assert caught.value.remedy.startswith("Vary the load")


def test_a_device_that_is_not_there_is_told_before_the_recording(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ConnectionFailed, match="No session"):
        live(monkeypatch, absent=True)
