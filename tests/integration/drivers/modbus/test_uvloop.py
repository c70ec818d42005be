"""With the extra ``speed`` everything runs on uvloop: sockets, pseudo-terminals, unplugging, timers."""

from __future__ import annotations

import asyncio
import time

import pytest
from wattmark.core.event_loop import run_loop
from wattmark_drivers.errors import ConnectionFailed
from wattmark_drivers.factory import create_meter
from wattmark_drivers.meter import Meter
from wattmark_drivers.reading import Quality, Reading
from wattmark_drivers.sampler import Sampler
from wattmark_drivers.settings import MeterSettings
from wattmark_drivers.simulators.simulated_lab import SimulatedLab

uvloop = pytest.importorskip("uvloop")
MODEL = "eastron.sdm120"
PERIOD_NS = 50_000_000
SPEC = {
    "servers": {"sut": {"idle_w": 300, "dynamic_w": 0, "dimms": 4}},
    "devices": {name: {"model": MODEL, "measures": ["sut"], "transport": name} for name in ("tcp", "rtu", "rtu-tcp")},
}


def test_every_transport_is_read_lost_and_found():
    async def read_all() -> None:
        assert isinstance(asyncio.get_running_loop(), uvloop.Loop)
        async with SimulatedLab(SPEC) as lab:
            for name, device in lab.devices.items():
                meter = create_meter(MeterSettings(name, MODEL, device.url, timeout_s=0.3))
                await meter.open()
                assert {reading.quality for reading in await meter.read()} == {Quality.GOOD}
                lab.inject(name, kind="drop", count=2)
                with pytest.raises(ConnectionFailed):
                    await meter.read()
                assert {reading.quality for reading in await meter.read()} == {Quality.GOOD}
                await meter.close()

    run_loop(read_all())


class Watched:
    """A meter that notes in which period each poll began."""

    pushes = False

    def __init__(self, meter: Meter) -> None:
        self._meter = meter
        self.identity, self.channels = meter.identity, meter.channels
        self.open, self.close = meter.open, meter.close
        self.began: list[int] = []

    async def read(self) -> list[Reading]:
        self.began.append(time.monotonic_ns() // PERIOD_NS)
        return await self._meter.read()


def test_no_poll_begins_before_its_tick():
    """A poll that began too early would fall into the period of the one before."""

    async def sample() -> list[int]:
        async with SimulatedLab(SPEC) as lab:
            meter = Watched(create_meter(MeterSettings("tcp", MODEL, lab.devices["tcp"].url)))
            sampler = Sampler(meter, period_s=PERIOD_NS / 1e9, on_readings=lambda *_: None, on_state=lambda _: None)
            task = asyncio.create_task(sampler.run())
            while len(meter.began) < 40:
                await asyncio.sleep(0.05)
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            return meter.began

    began = run_loop(sample())
    assert len(began) == len(set(began))
