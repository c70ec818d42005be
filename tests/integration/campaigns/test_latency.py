"""A campaign whose load pulses tell the latency that was planted in a simulated meter, from sampler to result."""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import threading
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from wattmark.service.service import open_service
from wattmark.service.settings import Settings
from wattmark_drivers.simulators.cpu import CpuUtilisation
from wattmark_drivers.simulators.lab import RunningLab
from wattmark_drivers.simulators.spec import LabSpec

PLANTED_S = 1.3
MODEL = "janitza.umg96"
UPDATE_S, PERIOD_S = 0.2, 0.13
"""No multiple of one another, so that values are read at every age up to an update, half of one on average."""
READ_S = UPDATE_S / 2 + UPDATE_S / 2 - PERIOD_S / 2
"""How much later than the analysis assumes (the mean over the time between samples) such a reading is."""
BENCH = """
schema: wattmark-bench/1
lab: Test
schedule: aligned
servers:
  - id: s
    access: {{local: true}}
    configurations:
      - {{id: c, cpu: {{model: any}}, os: {{name: any, kernel: any}}}}
meters:
  - {{id: prompt, model: {model}, url: "{prompt}", feeds: [{{server: s}}], period_s: {period_s}}}
  - {{id: late, model: {model}, url: "{late}", feeds: [{{server: s}}], period_s: {period_s}, role: secondary}}
workloads:
  - id: locker
    title: Holds a lock while it runs
    unit: ticks
    command: [flock, "{lock}", sh, -c, "while :; do echo 5 ticks; sleep 0.1; done"]
    parser: {{kind: regex, pattern: '(?P<value>[0-9]+) ticks', reports: interval-amount}}
plans:
  - {{name: p, configurations: [s/c], workloads: [locker], repeats: 1, idle_s: 0, settle_s: 0.2, measure_s: 1,
     hold_s: 1.5, sync_pattern: true, sync_pulses_s: [0.7, 1.1, 0.8, 1.9, 1.2, 0.7, 1.9, 0.9, 1.3, 0.85, 1.45]}}
"""


class LockedTime:
    """Stands for /proc/stat: the CPU is busy while somebody holds the lock, whatever else this machine does."""

    def __init__(self, file: Path) -> None:
        file.touch()
        self._file = file
        self._busy_ns, self._last_ns = 0, time.monotonic_ns()
        self._begin_ns = self._last_ns
        self._guard, self._over = threading.Lock(), threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    def read(self) -> str:
        with self._guard:
            busy, total = self._busy_ns // 1_000_000, (self._last_ns - self._begin_ns) // 1_000_000
        return f"cpu {busy} 0 0 {total - busy} 0 0 0 0"

    def close(self) -> None:
        self._over.set()
        self._thread.join()

    def _watch(self) -> None:
        with self._file.open() as file:
            while not self._over.wait(0.005):
                try:
                    fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
                    fcntl.flock(file, fcntl.LOCK_UN)
                    locked = False
                except BlockingIOError:
                    locked = True
                now_ns = time.monotonic_ns()
                with self._guard:
                    self._busy_ns += (now_ns - self._last_ns) * locked
                    self._last_ns = now_ns


@pytest.fixture
def locked(tmp_path: Path) -> Iterator[LockedTime]:
    watch = LockedTime(tmp_path / "lock")
    yield watch
    watch.close()


@pytest.fixture
async def urls(locked: LockedTime, tmp_path: Path) -> AsyncIterator[dict[str, str]]:
    device = {"model": MODEL, "measures": ["s"]}
    spec = {
        "tick_s": 0.1,
        "servers": {"s": {"idle_w": 60.0, "dynamic_w": 120.0, "dimms": 2}},
        "devices": {"prompt": device, "late": {**device, "latency_s": PLANTED_S}},
    }
    (tmp_path / "lab").mkdir()
    lab = RunningLab(LabSpec.model_validate(spec), tmp_path / "lab", CpuUtilisation(locked.read))
    ready = await lab.start()
    passing = asyncio.create_task(lab.run())
    yield {name: entry["url"] for name, entry in ready["devices"].items()}
    passing.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await passing
    await lab.stop()


async def test_the_latency_planted_in_a_meter_is_found_within_50_ms(urls: dict[str, str], tmp_path: Path) -> None:
    """Two meters of one kind on one feed: what they differ by is the latency planted in one of them.

    Process starts and kills, which are not in the marks to the millisecond, fall on both alike.
    """
    bench = tmp_path / "bench.yaml"
    bench.write_text(BENCH.format(model=MODEL, period_s=PERIOD_S, lock=tmp_path / "lock", **urls))
    async with open_service(Settings(data_dir=tmp_path / "data", bench=bench)) as service:
        service.campaigns.start("p")
        out = await asyncio.wait_for(service.campaigns.wait(), 120)
        assert out.state == "complete", out
        (result,) = service.results.results()
    latencies = {latency.meter: latency for latency in result.latencies}
    assert {latency.basis for latency in latencies.values()} == {"pattern"}
    for latency in latencies.values():
        words = f"{latency.latency_s:.3f} s, u {latency.u_latency_s:.3f} s, correlation {latency.correlation:.3f}"
        print(f"{latency.meter}: {words}")  # noqa: T201 - figures
    assert latencies["late"].latency_s - latencies["prompt"].latency_s == pytest.approx(PLANTED_S, abs=0.05)
    assert latencies["late"].latency_s == pytest.approx(PLANTED_S + READ_S, abs=0.1)
    assert any("late shows the load" in note for note in result.notes)
    line = next(line for line in result.power.budget if line.name == "Latency and clock of prompt")
    assert line.value == latencies["prompt"].latency_s
    assert line.u >= latencies["prompt"].u_latency_s
