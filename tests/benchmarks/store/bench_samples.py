"""An hour of 12 channels at 10 Hz in every store: bytes per sample, time to write it, time to read it back bit for bit.

SQLite is the appliance's own store; ClickHouse is the current engine in this process, with the tables of the fleet
store; Parquet is the cold archive; InfluxDB 1.8 gets prebuilt lines. All figures are of one run of this script.
"""

from __future__ import annotations

import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Sequence
from pathlib import Path
from urllib.parse import urlencode

import numpy as np
from wattmark.fleet.clickhouse.columns import sample_columns
from wattmark.fleet.clickhouse.connection import Connection
from wattmark.fleet.clickhouse.schema import check_schema, make_schema
from wattmark.fleet.influx.lines import body, sample_lines
from wattmark.fleet.parquet.read import Content, read_content
from wattmark.fleet.parquet.write import sample_batches, write_batches
from wattmark.results.data_folder import Storage, open_storage
from wattmark.store.columns import make_samples, repeats
from wattmark.store.outbox.outbox_types import SampleSlice
from wattmark.store.sample_store import Samples, SeriesKey

from tests.benchmarks.ratio import tell
from tests.generated_fleet import connect
from tests.integration.fleet.influx.servers import running

CHANNELS, SAMPLES, ROUNDS = 12, 36_000, 3
N = CHANNELS * SAMPLES
T0, TENTH = 1_770_000_000_000_000_000, 100_000_000
INFLUX, LINES = "1.8.3", 5000
COLUMNS = "t_ns, value, quality, u_t_s"
OF_SERIES = "run = 'run' AND server = 'alpha' AND source = 'wall' AND channel = %(channel)s"


def made() -> list[SampleSlice]:
    """Make the samples: 2 ms of jitter, one decimal, an uncertainty with each stamp."""
    random = np.random.default_rng(0)
    slices = []
    for channel in range(CHANNELS):
        stamps = np.sort(T0 + np.arange(SAMPLES) * TENTH + random.normal(0, 2e6, SAMPLES).astype(np.int64))
        samples = make_samples(stamps, random.normal(300, 1, SAMPLES).round(1), None, np.full(SAMPLES, 1e-3))
        key = SeriesKey("run", "alpha", "wall", f"power{channel}", "power", "W", "averaged")
        slices.append(SampleSlice(key, 0, samples, repeats(samples.t_ns)))
    return slices


def timed(work: Callable[[], object]) -> float:
    """Measure how long something takes [s]."""
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


def show(store: str, bytes_each: float | None, write_s: float, read_s: float, note: str = "") -> tuple[float, float]:
    """Print the figures of a store; return its times of writing and reading [s]."""
    size = "" if bytes_each is None else f"{bytes_each:.2f}"
    write, read = f"{N / write_s / 1e6:.2f}", f"{1e3 * read_s:.0f}"
    sys.stdout.write(f"{store:<28}{size:>8} B/sample{write:>8} million/s written{read:>8} ms read  {note}\n")
    return write_s, read_s


def same(slices: Sequence[SampleSlice], read: Sequence[Samples]) -> None:
    """Check that samples came back bit for bit."""
    for there, piece in zip(read, slices, strict=True):
        for name in ("t_ns", "value", "quality", "u_t_s"):
            assert getattr(there, name).tobytes() == getattr(piece.samples, name).tobytes(), name


def in_sqlite(folder: Path, slices: Sequence[SampleSlice]) -> tuple[Storage, tuple[float, float]]:
    """Measure the appliance's own store."""
    storage = open_storage(folder)
    numbers = [storage.samples.series(piece.key).id for piece in slices]

    def write() -> None:
        storage.samples.append([(number, piece.samples) for number, piece in zip(numbers, slices, strict=True)])
        storage.samples.seal("run")

    write_s = timed(write)
    read_s = min(timed(lambda: [storage.samples.read(number) for number in numbers]) for _ in range(ROUNDS))
    same(slices, [storage.samples.read(number) for number in numbers])
    size = sum(path.stat().st_size for path in folder.glob("wattmark.db*") if not path.name.endswith("-wal"))
    return storage, show("SQLite of an appliance", size / N, write_s, read_s)


def in_parquet(file: Path, storage: Storage) -> None:
    """Measure the cold archive, from the appliance's store."""

    def write() -> None:
        with file.open("wb") as out:
            write_batches("sample", sample_batches(storage.samples, "run", "Lab 1"), out, {})

    write_s, read_s = (min(timed(work) for _ in range(ROUNDS)) for work in (write, lambda: read_content(file)))
    expected = Content()
    for batch in sample_batches(storage.samples, "run", "Lab 1"):
        expected.add(batch)
    assert read_content(file).digest == expected.digest
    show("Parquet", file.stat().st_size / N, write_s, read_s, "hashed while it is read")


def in_clickhouse(folder: Path, slices: Sequence[SampleSlice]) -> None:
    """Measure the fleet store."""
    connection = connect(f"chdb:{folder}", "wattmark", Connection)
    make_schema(connection, cluster=None, ttl_days=None, software="benchmark", made_ns=T0)
    types = check_schema(connection)["sample"]

    def write() -> None:
        for first in range(0, CHANNELS, 3):
            columns, refused = sample_columns(slices[first : first + 3], lambda _: "Lab 1")
            assert not refused
            connection.insert("sample", columns, [types[name] for name in columns])

    def read() -> list[Samples]:
        sql = f"SELECT {COLUMNS} FROM wattmark.sample FINAL WHERE lab = 'Lab 1' AND {OF_SERIES} ORDER BY t_ns, repeat"
        return [make_samples(*connection.columns(sql, {"channel": piece.key.channel})) for piece in slices]

    write_s = min(timed(write) for _ in range(ROUNDS))
    connection.rows("OPTIMIZE TABLE wattmark.sample FINAL")
    ((size, rows),) = connection.rows(
        "SELECT sum(bytes_on_disk), sum(rows) FROM system.parts WHERE active AND table = 'sample'"
    )
    assert rows == N
    read_s = min(timed(read) for _ in range(ROUNDS))
    same(slices, read())
    show("ClickHouse, current engine", size / N, write_s, read_s, f"sent {ROUNDS} times, stored once")
    connection.close()


def in_influx(folder: Path, slices: Sequence[SampleSlice]) -> tuple[float, float]:
    """Measure InfluxDB with lines that are ready, and its answer as text."""
    lines = [line for piece in slices for line in sample_lines(piece, "Lab 1")]
    bodies = [body(lines[first : first + LINES]) for first in range(0, len(lines), LINES)]
    question = urlencode({"db": "wattmark", "epoch": "ns", "q": "SELECT * FROM wattmark WHERE run = 'run'"})
    with running(INFLUX, folder) as server:

        def write() -> None:
            for content in bodies:
                server.request("/write?db=wattmark&precision=ns", content)

        def read() -> None:
            asked = urllib.request.Request(f"{server.url}/query?{question}", headers={"Accept": "application/csv"})
            with urllib.request.urlopen(asked, timeout=600) as answer:
                assert sum(1 for _ in answer) == N + 1

        return show(
            f"InfluxDB {INFLUX}",
            None,
            min(timed(write) for _ in range(ROUNDS)),
            min(timed(read) for _ in range(ROUNDS)),
            "text, not parsed",
        )


def main() -> None:
    """Print the table."""
    slices = made()
    with tempfile.TemporaryDirectory(dir=".") as name:
        folder = Path(name)
        storage, ours = in_sqlite(folder / "sqlite", slices)
        in_parquet(folder / "run.parquet", storage)
        storage.close()
        in_clickhouse(folder / "clickhouse", slices)
        influx = in_influx(folder / "influx", slices)
    for what, here, there in zip(("written", "read back"), ours, influx, strict=True):
        tell(f"{N} samples {what}", here, there, "s", f"InfluxDB {INFLUX}, lines ready, answer not parsed")


if __name__ == "__main__":
    main()
