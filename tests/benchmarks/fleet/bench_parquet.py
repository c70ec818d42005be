"""The cold archive: a run written and read back, against writing its bytes bare; a million results asked by DuckDB.

usage: python -m tests.benchmarks.fleet.bench_parquet [LABS MONTHS RESULTS_PER_FILE]
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
from wattmark.core.extras import require
from wattmark.fleet.dossiers.dossiers import Dossiers
from wattmark.fleet.dossiers.rows import result_columns
from wattmark.fleet.parquet.layout import TABLES, ParquetPlace, schema
from wattmark.fleet.parquet.read import read_content
from wattmark.fleet.parquet.write import row_batches, sample_batches, write_batches
from wattmark.results.data_folder import Storage, open_storage
from wattmark.results.issued.evaluations import Evaluations
from wattmark.store.columns import SAMPLE_BYTES, make_samples
from wattmark.store.sample_store import SeriesKey

from tests.benchmarks.ratio import shortest_s, tell
from tests.generated_lab import store_lab

CHANNELS, SAMPLES = 12, 36_000
T0, TENTH = 1_770_000_000_000_000_000, 100_000_000
SIZES = (100, 10, 1000)
MEMORY = [f"{count} x {gib} GiB RDIMM" for count in (2, 4, 8, 12) for gib in (16, 32, 64, 96, 128)]
BY_MEMORY = (
    "SELECT memory, count(*), avg(efficiency) FROM result WHERE deleted = 0 AND efficiency_ranked = 1 GROUP BY 1"
)


def say(text: str) -> None:
    sys.stdout.write(f"{text}\n")


def record(storage: Storage) -> None:
    """Record an hour of a lab at 10 Hz: 2 ms of jitter, one decimal, an uncertainty with each stamp."""
    random = np.random.default_rng(0)
    for channel in range(CHANNELS):
        stamps = T0 + np.arange(SAMPLES) * TENTH + random.normal(0, 2e6, SAMPLES).astype(np.int64)
        samples = make_samples(np.sort(stamps), random.normal(300, 1, SAMPLES).round(1), None, np.full(SAMPLES, 1e-3))
        key = SeriesKey("run", "alpha", "wall", f"power{channel}", "power", "W", "averaged")
        storage.samples.append([(storage.samples.series(key).id, samples)])
    storage.samples.seal("run")


def one_run(folder: Path) -> None:
    """Print the figures of one run."""
    storage = open_storage(folder / "data")
    record(storage)
    path, n = folder / "run.parquet", CHANNELS * SAMPLES

    def write() -> None:
        with path.open("wb") as file:
            write_batches("sample", sample_batches(storage.samples, "run", "Lab 1"), file, {})

    payload = np.random.default_rng(0).bytes(n * SAMPLE_BYTES)
    took, bare = shortest_s(write), shortest_s(lambda: (folder / "bare").write_bytes(payload))
    back = shortest_s(lambda: read_content(path))
    say(f"{n} samples: {path.stat().st_size / n:.2f} bytes per sample")
    tell(f"Parquet of {n} samples: written from SQLite", took, bare, "s", "a bare write of their bytes")
    tell(f"Parquet of {n} samples: read back and hashed", back, bare, "s", "a bare write of their bytes")
    sql = f"SELECT channel, count(*), avg(value) FROM '{path}' GROUP BY channel"
    say(f"mean of each channel by DuckDB {1e3 * shortest_s(lambda: duckdb.execute(sql).fetchall()):.0f} ms")
    storage.close()


def results(folder: Path, labs: int, months: int, rows: int) -> None:
    """Print how long questions about many results take; their documents are all the same one."""
    store_lab(folder / "made", 1, 1, 1)
    storage = open_storage(folder / "made", read_only=True)
    dossier = Dossiers(storage, Evaluations(storage), str).gather("g00000")
    assert dossier is not None
    row = result_columns(dossier, T0)
    assert row is not None
    (first,) = row_batches("result", [row])
    for number in range(labs * months):
        place = ParquetPlace(f"lab-{number // months:03}", f"20{20 + number % months // 12:02}-{1 + number % 12:02}")
        path = folder / "cold" / place.file("result", "f00d")
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("wb") as file:
            write_batches("result", made(first, place.lab, number, rows), file, {})
    storage.close()
    db = duckdb.connect()
    db.execute(f"CREATE VIEW result AS FROM read_parquet('{folder}/cold/result/**/*.parquet')")
    of_one_lab = f"{BY_MEMORY.replace('WHERE', 'WHERE lab = $$lab-000$$ AND')}"
    size = sum(path.stat().st_size for path in folder.glob("cold/**/*.parquet"))
    say(f"{labs * months * rows} results in {labs * months} files, {size / 1e6:.0f} MB")
    say(f"grouped by memory configuration, all labs {shortest_s(lambda: db.execute(BY_MEMORY).fetchall()):.2f} s")
    say(f"grouped by memory configuration, one lab  {shortest_s(lambda: db.execute(of_one_lab).fetchall()):.2f} s")


def made(first: Any, lab: str, number: int, rows: int) -> Iterator[Any]:
    """Yield results that differ in run, lab, memory, power and efficiency."""
    arrow = require("parquet", "arro3.core", "Parquet needs")
    random, text = np.random.default_rng(number), arrow.DataType.string()
    same = arrow.Array.from_numpy(np.zeros(rows, np.uint32))
    arrays = {column.name: first[column.name].take(same) for column in TABLES["result"].columns}
    arrays["lab"] = arrow.Array([lab], text).take(same)
    arrays["run"] = arrow.Array([f"{number:04}-{k:06}" for k in range(rows)], text)
    choice = arrow.Array.from_numpy(random.integers(0, len(MEMORY), rows).astype(np.uint32))
    arrays["memory"] = arrow.Array(MEMORY, text).take(choice)
    arrays["efficiency"] = arrow.Array.from_numpy(random.normal(50, 5, rows))
    arrays["power"] = arrow.Array.from_numpy(random.normal(300, 20, rows))
    yield arrow.RecordBatch.from_arrays([arrays[c.name] for c in TABLES["result"].columns], schema=schema("result"))


if __name__ == "__main__":
    sizes = tuple(int(text) for text in sys.argv[1:]) or SIZES
    with tempfile.TemporaryDirectory(dir=".") as folder:
        one_run(Path(folder))
        results(Path(folder), *sizes)
