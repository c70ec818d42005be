"""How fast a sink drains into InfluxDB 1.8, against posting the bytes prebuilt; and durable commits against its own.

All figures are of one run on the loopback, the two ways taking turns. The samples are as a meter's: watts, and an
uncertainty of the stamp with each.
"""

from __future__ import annotations

import http.client
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from influxdb_client.client.influxdb_client import InfluxDBClient
from influxdb_client.client.write_api import SYNCHRONOUS
from wattmark.fleet.influx.connection import Connection
from wattmark.fleet.influx.lines import body, sample_lines
from wattmark.fleet.influx.settings import InfluxSettings
from wattmark.fleet.influx.sink import InfluxSink
from wattmark.results.data_folder import Storage, open_storage
from wattmark.store.columns import SAMPLE_BYTES, make_samples
from wattmark.store.outbox.outbox import Outbox
from wattmark.store.outbox.outbox_types import SampleSlice
from wattmark.store.sample_store import SeriesKey

from tests.benchmarks.ratio import tell
from tests.integration.fleet.influx.servers import running

VERSION = "1.8.3"
CHANNELS, SAMPLES, ROUNDS, TICKS = 12, 36_000, 3, 300
T0 = 1_770_000_000_000_000_000


@contextmanager
def influx(folder: Path) -> Iterator[int]:
    """Run InfluxDB in a folder; gives its port."""
    with running(VERSION, folder) as server:
        yield server.port


def record(storage: Storage, run_id: str) -> list[bytes]:
    """Record an hour of a lab; gives the lines that a sink sends, in its batches."""
    random = np.random.default_rng(0)
    lines: list[str] = []
    for channel in range(CHANNELS):
        key = SeriesKey(run_id, "alpha", "wall", f"power{channel}", "power", "W", "averaged")
        stamps = T0 + np.arange(SAMPLES) * 100_000_000 + channel
        samples = make_samples(stamps, random.normal(300, 5, SAMPLES).round(2), None, random.uniform(0, 1e-3, SAMPLES))
        storage.samples.append([(storage.samples.series(key).id, samples)])
        lines += sample_lines(SampleSlice(key, 0, samples, np.zeros(SAMPLES, np.int64)), "Lab 1")
    storage.samples.seal(run_id)
    return [body(lines[first : first + 5000]) for first in range(0, len(lines), 5000)]


class NoRecords:
    """No records beside the samples."""

    def gather(self, run_id: str) -> None:
        return None

    def lab(self, run_id: str) -> str:
        return "Lab 1"


def drain(storage: Storage, settings: InfluxSettings) -> tuple[float, float]:
    """Measure how long the outbox takes to be empty, and how much of it this process computes [s]."""
    outbox = Outbox(storage.database, settings.target)
    sink = InfluxSink(outbox, Connection(settings), NoRecords(), utc_ns=time.time_ns, random=lambda: 0.5, batch=5000)
    outbox.send_again()
    begin, computed = time.perf_counter(), time.process_time()
    while outbox.state().waiting:
        assert sink.step().problem is None
    return time.perf_counter() - begin, time.process_time() - computed


def post(port: int, batches: list[bytes]) -> float:
    """Measure how long prebuilt bytes take [s]."""
    connection = http.client.HTTPConnection("127.0.0.1", port)
    begin = time.perf_counter()
    for batch in batches:
        connection.request("POST", "/write?db=wattmark&precision=ns", batch)
        answer = connection.getresponse()
        answer.read()
        assert answer.status == 204
    return time.perf_counter() - begin


def lines_of(tick: int) -> list[str]:
    """Write one tick of all channels as line protocol."""
    tags = [f"ticks,run=ticks,server=alpha,source=wall,channel=c{number}" for number in range(CHANNELS)]
    return [f"{tag} value=300.0 {T0 + tick}" for tag in tags]


def ticks_here(storage: Storage) -> float:
    """Measure durable commits of 12 samples a second in the data folder."""
    keys = [SeriesKey("ticks", "alpha", "wall", f"c{number}", "power", "W", "averaged") for number in range(CHANNELS)]
    numbers = [storage.samples.series(key).id for key in keys]
    begin = time.perf_counter()
    for tick in range(TICKS):
        samples = make_samples([T0 + tick], [300.0])
        storage.samples.append([(number, samples) for number in numbers])
    return TICKS / (time.perf_counter() - begin)


def ticks_on_disk(file: Path) -> float:
    """Measure bare writes of as many bytes a second, each with fdatasync: what the disk allows."""
    payload = bytes(CHANNELS * SAMPLE_BYTES)
    bare = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    begin = time.perf_counter()
    for _ in range(TICKS):
        os.write(bare, payload)
        os.fdatasync(bare)
    took = time.perf_counter() - begin
    os.close(bare)
    return TICKS / took


def ticks_by_http(port: int) -> float:
    """Measure acknowledged writes of 12 samples a second in InfluxDB, by bare HTTP on one connection."""
    return TICKS / post(port, ["\n".join(lines_of(tick)).encode() for tick in range(TICKS)])


def ticks_by_client(port: int) -> float:
    """Measure acknowledged writes of 12 samples a second in InfluxDB, by its Python client, as users write them."""
    with InfluxDBClient(f"http://127.0.0.1:{port}", token="", org="") as client:
        write = client.write_api(SYNCHRONOUS).write
        begin = time.perf_counter()
        for tick in range(TICKS):
            write(bucket="wattmark/autogen", record=lines_of(tick), write_precision="ns")
        return TICKS / (time.perf_counter() - begin)


def main() -> None:
    """Print the figures."""
    with tempfile.TemporaryDirectory(dir=Path.cwd()) as name, influx(Path(name) / "influx") as port:
        storage = open_storage(Path(name) / "data")
        settings = InfluxSettings(url=f"http://127.0.0.1:{port}")
        batches = record(storage, "run")
        rounds = [(*drain(storage, settings), post(port, batches)) for _ in range(ROUNDS)]
        ours, computing, raw = (CHANNELS * SAMPLES / min(column) for column in zip(*rounds, strict=True))
        tell(f"sink into InfluxDB {VERSION}, samples", ours, raw, "/s", "posting the same lines prebuilt")
        sys.stdout.write(f"  wanted: 150,000/s; its own computing would allow {computing:,.0f}/s\n")
        bare = Path(name) / "bare"
        commits = [
            (ticks_here(storage), ticks_on_disk(bare), ticks_by_http(port), ticks_by_client(port))
            for _ in range(ROUNDS)
        ]
        here, disk, http_, client = (max(column) for column in zip(*commits, strict=True))
        name = f"durable commits of {CHANNELS} samples"
        tell(name, here, client, "/s", f"InfluxDB {VERSION} by its client", ">= 8")
        tell(name, here, http_, "/s", f"InfluxDB {VERSION} by bare HTTP")
        tell(name, here, disk, "/s", "what the disk allows")
        storage.close()


if __name__ == "__main__":
    main()
