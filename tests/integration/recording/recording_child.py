"""Sample a fast meter through monitor and recorder until killed; print how many samples are on disk.

usage: recording_child.py DATA_DIR RUN_ID
The value of a sample is its index.
"""

import asyncio
import sys
import time
from collections.abc import Sequence
from itertools import count
from pathlib import Path

from wattmark.recording.live import LiveHub
from wattmark.recording.monitor import Monitor, MonitoredMeter
from wattmark.recording.recorder import Recorder
from wattmark.results.data_folder import open_storage
from wattmark.store.sample_store import Samples
from wattmark.store.samples import SqliteSampleStore
from wattmark_drivers.clock import SystemClock
from wattmark_drivers.meter import MeterIdentity
from wattmark_drivers.reading import Channel, Kind, Reading


class Counter:
    """A meter that pushes its next number every few milliseconds."""

    pushes = True
    channels = (Channel("power", "power", "W", Kind.AVERAGED),)

    def __init__(self, name: str) -> None:
        self.identity = MeterIdentity(name, "counter", "nobody", "Counter", simulated=True, update_period_s=0.005)
        self._numbers = count()

    async def open(self) -> None:
        pass

    async def read(self) -> list[Reading]:
        await asyncio.sleep(0.002)
        return [Reading("power", float(next(self._numbers)), "W", time.time_ns(), 1000, Kind.AVERAGED)]

    async def close(self) -> None:
        pass


class TellingStore(SqliteSampleStore):
    """Tell what is on disk, after it is."""

    def append(self, batch: Sequence[tuple[int, Samples]]) -> None:
        super().append(batch)
        for number, samples in batch:
            sys.stdout.write(f"{number} {int(samples.value[-1]) + 1}\n")
        sys.stdout.flush()


async def main(folder: Path, run_id: str) -> None:
    clock = SystemClock()
    recorder = Recorder(TellingStore(open_storage(folder).database), clock, commit_every_s=0.02)
    meters = [MonitoredMeter(Counter(name), "wall", "r1", 0.005) for name in ("wall1", "wall2")]
    recorder.begin(run_id, "r1", {"wall1", "wall2"})
    await Monitor(meters, LiveHub(clock), recorder, clock).run()


asyncio.run(main(Path(sys.argv[1]), sys.argv[2]))
