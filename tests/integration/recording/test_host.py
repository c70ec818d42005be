"""The machine itself, recorded through the whole path."""

import asyncio
import sys
from pathlib import Path

from wattmark.hosts.probes.meter import HostMeter
from wattmark.recording.live import LiveHub
from wattmark.recording.monitor import Monitor, MonitoredMeter
from wattmark.recording.recorder import Recorder
from wattmark.results.data_folder import open_storage
from wattmark_drivers.clock import SystemClock

BUSY = "while True: pass"


async def test_a_busy_process_shows_in_the_recorded_utilisation(tmp_path: Path) -> None:
    clock = SystemClock()
    storage = open_storage(tmp_path)
    hub, recorder = LiveHub(clock), Recorder(storage.samples, clock)
    monitor = Monitor([MonitoredMeter(HostMeter(clock=clock), "host", None, 0.1)], hub, recorder, clock)
    running = asyncio.create_task(monitor.run())
    busy = await asyncio.create_subprocess_exec(sys.executable, "-c", BUSY)
    recorder.begin("run1", "r1", {"host"})
    try:
        async with asyncio.timeout(30):
            while max((len(channel.value) for channel in hub.snapshot()), default=0) < 10:
                await asyncio.sleep(0.05)
        await recorder.end("run1")
    finally:
        busy.kill()
        await busy.wait()
        await monitor.stop()
        await running
    by_channel = {
        series.key.channel: storage.samples.read(series.id).value for series in storage.samples.list_series("run1")
    }
    storage.close()
    assert recorder.problems("run1") == []
    assert {"cpu_utilisation", "memory_used"} <= by_channel.keys()
    assert 0 < by_channel["cpu_utilisation"].max() <= 100
    assert (by_channel["memory_used"] > 0).all()
