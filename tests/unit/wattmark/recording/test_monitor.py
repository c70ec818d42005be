import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from wattmark.recording.live import LiveHub
from wattmark.recording.monitor import Monitor, MonitoredMeter
from wattmark.recording.recorder import Recorder
from wattmark.results.data_folder import Storage
from wattmark_drivers.clock import SystemClock
from wattmark_drivers.errors import ConnectionFailed
from wattmark_drivers.reading import Reading

from .conftest import FakeMeter, reading, until


class Bench:
    """A hub, a recorder and a monitor over fake meters, on the real clock."""

    def __init__(self, storage: Storage, meters: Sequence[FakeMeter]) -> None:
        clock = SystemClock()
        self.clock = clock
        self.storage = storage
        self.hub = LiveHub(clock)
        self.recorder = Recorder(storage.samples, clock, commit_every_s=0.05)
        monitored = [MonitoredMeter(meter, "wall", "r1", 0.02) for meter in meters]
        self.monitor = Monitor(monitored, self.hub, self.recorder, clock)

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        task = asyncio.create_task(self.monitor.run())
        await until(lambda: bool(self.hub.snapshot()))
        try:
            yield
        finally:
            await self.monitor.stop()
            await task

    def state(self, name: str) -> str | None:
        state = self.monitor.meter_state(name)
        return state.state if state else None

    def live(self, name: str) -> str:
        return next(channel.state for channel in self.hub.snapshot() if channel.source == name)

    def values(self, name: str) -> int:
        return next(len(channel.value) for channel in self.hub.snapshot() if channel.source == name)


def now(value: float = 1.0) -> list[Reading]:
    return [reading(value, SystemClock().utc_ns())]


async def test_readings_reach_the_live_view_and_the_store(storage: Storage) -> None:
    meters = [FakeMeter("wall1", answer=now), FakeMeter("wall2", answer=now)]
    bench = Bench(storage, meters)
    assert bench.monitor.meter_state("wall1") is None
    async with bench.running():
        bench.recorder.begin("run1", "r1", {"wall1", "wall2"})
        async with bench.hub.subscribe() as events:
            await anext(events)
        await until(lambda: min(bench.values("wall1"), bench.values("wall2")) > 5)
        await bench.recorder.end("run1")
        assert bench.state("wall1") == "ok"
    assert [meter.closed for meter in meters] == [1, 1]
    assert bench.recorder.problems("run1") == []
    assert all(series.n > 3 for series in storage.samples.list_series("run1"))


async def test_a_meter_that_is_lost_returns_and_leaves_a_gap_on_record(storage: Storage) -> None:
    answers = iter([now, now, None])

    def answer() -> list[Reading]:
        step = next(answers, now)
        if step is None:
            raise ConnectionFailed("wall1 does not answer.", "Check the cable.")
        return step()

    flaky = FakeMeter("wall1", answer=answer)
    bench = Bench(storage, [flaky, FakeMeter("wall2", answer=now)])
    async with bench.running():
        bench.recorder.begin("run1", "r1", {"wall1", "wall2"})
        await until(lambda: bench.live("wall1") == "lost")
        assert bench.state("wall1") == "lost"
        before = bench.values("wall2")
        await until(lambda: bench.live("wall1") == "ok" and flaky.opened == 2)
        assert bench.values("wall2") > before
        await bench.recorder.end("run1")
    (problem,) = bench.recorder.problems("run1")
    assert problem.startswith("wall1 did not answer for ")
    assert problem.endswith("wall1 does not answer. Check the cable.")


async def test_a_broken_driver_stops_nobody_else(storage: Storage) -> None:
    def broken() -> list[Reading]:
        raise ZeroDivisionError("division by zero")

    bench = Bench(storage, [FakeMeter("wall1", answer=broken), FakeMeter("wall2", answer=now)])
    async with bench.running():
        await until(lambda: bench.live("wall1") == "lost" and bench.values("wall2") > 3)
        state = bench.monitor.meter_state("wall1")
        assert state is not None
        assert "ZeroDivisionError" in (state.problem or "")


async def test_stop_before_run_and_run_without_meters(storage: Storage) -> None:
    bench = Bench(storage, [])
    await bench.monitor.stop()
    async with asyncio.timeout(5):
        await bench.monitor.run()


async def test_a_pushing_meter_is_expected_at_its_own_rhythm() -> None:
    assert MonitoredMeter(FakeMeter("a", pushes=True), "wall", None, 0.1).expected_period_s == 1.0
    assert MonitoredMeter(FakeMeter("a"), "wall", None, 0.1).expected_period_s == 0.1
