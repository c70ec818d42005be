"""CPU time of recording what meters answer, beside polling them alone, a second of a bench after the other."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

from wattmark.recording.live import LiveHub
from wattmark.recording.monitor import Monitor, MonitoredMeter
from wattmark.recording.recorder import Recorder
from wattmark.results.data_folder import open_storage
from wattmark_drivers.clock import SystemClock
from wattmark_drivers.factory import create_meter
from wattmark_drivers.meter import Meter
from wattmark_drivers.reading import Reading
from wattmark_drivers.settings import MeterSettings
from wattmark_drivers.watch import ReadingWatch

from tests.benchmarks.drivers.bench_modbus import MODEL
from tests.benchmarks.ratio import Pair, cpu_s

METERS, SLICES, BEATS = 200, 10, 10
CHANNELS = "power,voltage,current,power_factor"
RUN, SERVER = "r", "s"


class Polled:
    """Meters that are open, each with the watch over its readings."""

    def __init__(self, ports: Sequence[int]) -> None:
        self._meters = [self._meter(index, port) for index, port in enumerate(ports)]
        self._watched: list[tuple[Meter, ReadingWatch]] = []

    @staticmethod
    def _meter(index: int, port: int) -> Meter:
        url = f"modbus-tcp://127.0.0.1:{port}/1"
        return create_meter(MeterSettings(f"m{index}", MODEL, url, options={"channels": CHANNELS}))

    async def open(self) -> list[Meter]:
        for meter in self._meters:
            await meter.open()
            self._watched.append((meter, ReadingWatch(meter.identity, meter.channels, 1.0)))
        return self._meters

    async def poll(self) -> list[tuple[Meter, list[Reading]]]:
        return [(meter, watch.mark(await meter.read())) for meter, watch in self._watched]

    async def close(self) -> None:
        for meter in self._meters:
            await meter.close()


def recording(ports: Sequence[int]) -> Iterator[Pair]:
    """Compare a second in which meters are polled, recorded and shown live with one in which they are polled alone."""
    clock = SystemClock()
    with (
        tempfile.TemporaryDirectory(dir=Path.cwd()) as name,
        closing(open_storage(Path(name) / "data")) as storage,
        asyncio.Runner() as runner,
    ):
        alone, recorded = Polled(ports[:METERS]), Polled(ports[METERS : 2 * METERS])
        hub, recorder = LiveHub(clock), Recorder(storage.samples, clock, commit_every_s=3600.0)

        async def begin() -> Monitor:
            await alone.open()
            meters = [MonitoredMeter(meter, "secondary", SERVER, 1.0) for meter in await recorded.open()]
            recorder.begin(RUN, SERVER, {meter.name for meter in meters})
            for monitored in meters:
                hub.register(monitored.meter, monitored.role, monitored.server, monitored.period_s)
            return Monitor(meters, hub, recorder, clock)

        monitor = runner.run(begin())

        async def record() -> None:
            for meter, readings in await recorded.poll():
                monitor._take(meter, readings)
            await asyncio.to_thread(recorder._commit)
            for _ in range(BEATS):
                hub.beat()

        taken = [0.0, 0.0]

        def both() -> float:
            """Take the least CPU time of a second of either kind; they take turns."""
            slices = [
                (cpu_s(lambda: runner.run(record())), cpu_s(lambda: runner.run(alone.poll()))) for _ in range(SLICES)
            ]
            taken[:] = map(min, zip(*slices, strict=True))
            return taken[0]

        async def end() -> None:
            await recorder.end(RUN)
            await alone.close()
            await recorded.close()

        try:
            yield Pair("recording: a second of 200 meters", "s", "polling them alone", both, lambda: taken[1])
        finally:
            runner.run(end())
