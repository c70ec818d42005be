"""Sample meters while this process has no file left, then while it has some again; print how each is doing.

usage: files_child.py MODBUS_URL PORT
"""

import asyncio
import json
import os
import resource
import sys
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

from wattmark.bench.load import load_bench
from wattmark.instruments.instruments import build_meters
from wattmark.recording.live import LiveHub
from wattmark.recording.monitor import Monitor, MonitoredMeter
from wattmark.recording.recorder import Recorder
from wattmark.results.data_folder import open_storage
from wattmark_drivers.clock import SystemClock
from wattmark_drivers.meter import MeterIdentity
from wattmark_drivers.reading import Channel, Kind, Reading

BENCH = """\
schema: wattmark-bench/1
lab: Files
servers:
  - {{id: s, access: {{local: true}}, configurations: [{{id: c, cpu: {{model: any}}, os: {{name: any, kernel: any}}}}]}}
meters:
  - {{id: modbus, model: eastron.sdm630, url: "{url}", period_s: 0.1, feeds: [{{server: s}}]}}
"""


class Plain:
    """A meter whose driver explains nothing: it asks a listener of this test for a connection at each reading."""

    pushes = False
    channels = (Channel("power", "power", "W", Kind.AVERAGED),)

    def __init__(self, port: int) -> None:
        self.identity = MeterIdentity("plain", "plain", "nobody", "Plain", simulated=True, update_period_s=0.1)
        self._port = port

    async def open(self) -> None:
        pass

    async def read(self) -> list[Reading]:
        _, writer = await asyncio.open_connection("127.0.0.1", self._port)
        writer.close()
        await writer.wait_closed()
        return [Reading("power", 1.0, "W", SystemClock().utc_ns(), 1000, Kind.AVERAGED)]

    async def close(self) -> None:
        pass


async def until(done: Callable[[], bool]) -> None:
    async with asyncio.timeout(20):
        while not done():
            await asyncio.sleep(0.02)


def use_up() -> list[int]:
    """Open files until no more may be open."""
    taken: list[int] = []
    while True:
        try:
            taken.append(os.open("/dev/null", os.O_RDONLY))
        except OSError:
            return taken


async def main(folder: Path, url: str, port: int) -> None:
    (folder / "bench.yaml").write_text(BENCH.format(url=url))
    clock = SystemClock()
    hub, recorder = LiveHub(clock), Recorder(open_storage(folder).samples, clock)
    meters = build_meters(load_bench(folder / "bench.yaml"), clock)
    monitor = Monitor([*meters, MonitoredMeter(Plain(port), "secondary", "s", 0.1)], hub, recorder, clock)

    def states() -> list[str]:
        meter_states = [monitor.meter_state(name) for name in ("modbus", "plain")]
        return [state.state if state else "none" for state in meter_states]

    resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
    taken = use_up()
    task = asyncio.create_task(monitor.run())
    await until(lambda: states() == ["lost", "lost"])
    problems = hub.problems()
    for file in taken:
        os.close(file)
    await until(lambda: states() == ["ok", "ok"] and all(len(trace.value) > 1 for trace in hub.snapshot()))
    sys.stdout.write(json.dumps([problems, hub.problems()]))
    await monitor.stop()
    await task


if __name__ == "__main__":
    with TemporaryDirectory() as name:
        asyncio.run(main(Path(name), sys.argv[1], int(sys.argv[2])))
