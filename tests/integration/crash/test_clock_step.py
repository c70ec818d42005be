"""The wall clock is set by minutes while a run records: no reading is lost, doubled or held up."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from wattmark.recording.live import LiveHub
from wattmark.recording.monitor import Monitor, MonitoredMeter
from wattmark.recording.recorder import Recorder
from wattmark.results.data_folder import open_storage
from wattmark_drivers.reading import Reading

from tests.hand_clock import HandClock

from ...unit.wattmark.recording.conftest import FakeMeter, reading, until

READINGS = 60


@dataclass
class SteppedClock(HandClock):
    """A wall clock that somebody sets; the monotonic clock goes on."""

    set_by_ns: int = 0

    def utc_ns(self) -> int:
        return super().utc_ns() + self.set_by_ns


@dataclass
class Counting(FakeMeter):
    """A meter whose value is the number of its reading."""

    clock: SteppedClock = field(default_factory=SteppedClock)
    n: int = 0

    async def read(self) -> list[Reading]:
        self.n += 1
        return [reading(float(self.n), self.clock.utc_ns())]


@pytest.mark.parametrize("step_s", [180, -180, 3600, -3600])
def test_every_reading_is_kept_once_and_none_waits_for_the_clock(tmp_path: Path, step_s: int) -> None:
    clock = SteppedClock()
    meter = Counting("wall", clock=clock)
    storage = open_storage(tmp_path)

    async def record() -> None:
        recorder = Recorder(storage.samples, clock)
        monitor = Monitor([MonitoredMeter(meter, "wall", "s", 1.0)], LiveHub(clock), recorder, clock)
        sampling = asyncio.create_task(monitor.run())
        await until(lambda: clock.somebody_sleeps)
        recorder.begin("run1", "s", {"wall"})
        first = meter.n
        while meter.n < first + READINGS:
            if meter.n == first + READINGS // 2:
                clock.set_by_ns = step_s * 10**9
            before = meter.n
            await clock.advance(1.0)
            assert meter.n <= before + 2
        await recorder.end("run1")
        await monitor.stop()
        await sampling
        assert clock.elapsed_ns < (READINGS + 10) * 10**9, "the pace is kept by the monotonic clock"

    asyncio.run(record())
    (series,) = storage.samples.list_series("run1")
    samples = storage.samples.read(series.id)
    values = sorted(samples.value.tolist())
    assert values == list(range(int(values[0]), int(values[0]) + len(values)))
    assert len(values) >= READINGS
    in_time = samples.t_ns.tolist()
    assert in_time == sorted(in_time)
    if step_s > 0:
        assert (in_time[-1] - in_time[0]) / 1e9 == pytest.approx(len(values) - 1 + step_s, abs=2)
    storage.close()
