"""When meters are polled: spread over their period, or together where the bench asks for it. Time is the test's."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from unittest.mock import Mock

import pytest
from wattmark.recording.monitor import Monitor, MonitoredMeter
from wattmark_drivers.meter import MeterIdentity
from wattmark_drivers.reading import Channel, Kind, Reading

from tests.set_clock import WaitingClock

MS = 1_000_000


class Meter:
    pushes = False

    def __init__(self, name: str, clock: WaitingClock, kind: Kind = Kind.AVERAGED) -> None:
        self.channels = [Channel("power", "power", "W", kind)]
        self.identity = MeterIdentity(name, "test.meter", "Test", "Test")
        self.polled_ns: list[int] = []
        self._clock = clock

    async def open(self) -> None: ...

    async def close(self) -> None: ...

    async def read(self) -> list[Reading]:
        self.polled_ns.append(self._clock.now_ns)
        return [Reading("power", 1.0, "W", self._clock.now_ns, 0, Kind.AVERAGED)]


async def polls(
    number: int, *, aligned: bool, periods_s: Sequence[float] = (1.0,), kind: Kind = Kind.AVERAGED
) -> list[list[int]]:
    """Run a monitor for 10 s; give the times of the polls of each meter [ms]."""
    clock = WaitingClock(7_000_000_000)
    begin_ns = clock.now_ns
    meters = [Meter(f"m{n}", clock, kind) for n in range(number)]
    monitored = [MonitoredMeter(meter, "wall", None, periods_s[n % len(periods_s)]) for n, meter in enumerate(meters)]
    monitor = Monitor(monitored, Mock(), Mock(), clock, aligned=aligned, key=b"places")
    task = asyncio.create_task(monitor.run())
    await clock.run(begin_ns + 10_000 * MS)
    await monitor.stop()
    await task
    return [[(t - begin_ns) // MS for t in meter.polled_ns] for meter in meters]


async def test_polls_are_spread_over_the_period() -> None:
    times = await polls(4, aligned=False)
    assert [{t % 1000 for t in polls_ms} for polls_ms in times] == [{0}, {250}, {500}, {750}]
    assert all(len(polls_ms) >= 9 for polls_ms in times)


async def test_polls_begin_together_on_request() -> None:
    times = await polls(4, aligned=True, periods_s=(1.0, 0.5))
    assert [{t % 1000 for t in polls_ms} for polls_ms in times] == [{0}, {0, 500}] * 2


async def test_meters_at_random_places_have_places_of_their_own() -> None:
    first, second = await polls(2, aligned=False, kind=Kind.INSTANTANEOUS)
    assert first != second
    assert len({t % 1000 for t in first}) > 5
    assert [t // 1000 for t in first] == list(range(first[0] // 1000, first[0] // 1000 + len(first)))


async def test_aligned_meters_share_their_random_places() -> None:
    first, second = await polls(2, aligned=True, kind=Kind.INSTANTANEOUS)
    assert first == second
    assert len({t % 1000 for t in first}) > 5


@pytest.mark.parametrize(("number", "window_ms"), [(3, 5), (7, 5), (50, 20), (400, 20)])
async def test_no_moment_carries_more_polls_than_its_share(number: int, window_ms: int) -> None:
    times = await polls(number, aligned=False)
    moments = [t for polls_ms in times for t in polls_ms if 5000 <= t < 6000]
    assert len(moments) == number
    in_window = [sum(begin <= t < begin + window_ms for t in moments) for begin in range(5000, 6000, window_ms)]
    assert max(in_window) <= -(-number * window_ms // 1000)
