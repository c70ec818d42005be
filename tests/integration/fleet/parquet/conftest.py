"""A laboratory whose runs are hard to carry over bit for bit, and what stands in its archive."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import duckdb
import numpy as np
import pytest
from wattmark.campaigns.lab_identity import appliance_id
from wattmark.core.apart import Apart
from wattmark.fleet.parquet import archive
from wattmark.fleet.parquet.archive import ParquetArchive
from wattmark.fleet.parquet.outcome import Added
from wattmark.fleet.parquet.target import Folder, ParquetTarget
from wattmark.store.columns import make_samples
from wattmark.store.sample_store import SeriesKey

from ...traceability.conftest import Lab, certificate, noon_ns

NOW_NS = 1_790_000_000_000_000_000
ODD = "odd ü/1"
"""Run with what formats lose: a NaN with its own bits, infinities, minus zero, equal stamps, two ranges, year 1969."""
STAMPS = np.array([-1, 5, 5, 5, 2**62], np.int64)
VALUES = np.array([0x7FF8_0000_DEAD_BEEF, 0x7FF0 << 48, 0xFFF0 << 48, 1 << 63, 1], np.uint64).view(np.float64)
QUALITY = np.array([0, 1, 2, 65535, 0], np.uint16)
U_STAMPS = np.array([0, 1e-3, np.inf, np.nan, 1e-45], np.float32)
Add = Callable[..., Added]


def add_odd(lab: Lab) -> None:
    """Store the odd run: series of one channel in two ranges, then one that sorts before them."""
    run = lab.measure("plain", day="2026-03-02", noise_w=0.3)
    lab.storage.runs.put(run.model_copy(update={"run_id": ODD, "server": "node 1"}))
    keys = [SeriesKey(ODD, "node 1", "wall", "p", "power", "W", "averaged", span) for span in ("high", "low")]
    keys.append(SeriesKey(ODD, "node 1", "bmc", "p", "power", "W", "averaged"))
    for number, key in enumerate(keys):
        series = lab.storage.samples.series(key)
        values = VALUES if number == 0 else np.full(5, float(number))
        lab.storage.samples.append([(series.id, make_samples(STAMPS, values, QUALITY, U_STAMPS))])
    lab.storage.samples.seal(ODD)


@pytest.fixture(scope="session")
def reader() -> Iterator[Apart]:
    """One process that reads for all tests: to start one takes half a second."""
    with Apart() as apart:
        yield apart


@pytest.fixture(autouse=True)
def one_reader(reader: Apart, monkeypatch: pytest.MonkeyPatch) -> None:
    class Shared(Apart):
        def read(self, path, read):
            return reader.read(path, read)

    monkeypatch.setattr(archive, "Apart", Shared)


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[Lab]:
    """Runs of two months: one whose result was issued twice, one with odd samples, and one that records."""
    lab = Lab(tmp_path / "lab")
    appliance_id(lab.storage.runs, lambda: "3f2a91c07b5d")
    lab.measure("r1", noise_w=0.4)
    lab.calibration.issuer.first(lab.queries.record("r1"))
    lab.add(certificate(), reason="yearly")
    lab.reissued("r1")
    lab.measure("r2", watts=310.0, noise_w=0.7)
    lab.calibration.issuer.first(lab.queries.record("r2"))
    add_odd(lab)
    assert lab.storage.runs.get("r1").created_ns == noon_ns("2025-06-01")
    yield lab
    lab.storage.close()


def add(lab: Lab, target: ParquetTarget | Path, *run_ids: str, name: str = "North", **options) -> Added:
    """Add runs of a lab, all of them where none is named."""
    place = Folder(target) if isinstance(target, Path) else target
    with ParquetArchive(lab.storage, lab.queries, place, name, lambda: NOW_NS) as cold:
        return cold.add([run for run in lab.storage.runs.all() if run.run_id in run_ids or not run_ids], **options)


def compare(lab: Lab, target: ParquetTarget | Path, name: str = "North"):
    place = Folder(target) if isinstance(target, Path) else target
    with ParquetArchive(lab.storage, lab.queries, place, name, lambda: NOW_NS) as cold:
        return cold.compare(lab.storage.runs.all())


def ask(folder: Path, sql: str) -> list[tuple]:
    """Ask DuckDB about the archive in a folder; a table is named as it is there."""
    connection = duckdb.connect()
    for table in ("sample", "run", "result", "result_version"):
        if list(folder.glob(f"{table}/**/*.parquet")):
            connection.execute(f"CREATE VIEW {table} AS FROM read_parquet('{folder}/{table}/**/*.parquet')")
    return connection.execute(sql).fetchall()


def names(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
