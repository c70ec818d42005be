"""A data folder opened for reading, with the rooms that answer about what is stored in it."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from wattmark_drivers.clock import SystemClock

from wattmark.appliance.archives import Archives
from wattmark.appliance.calibration import Calibration
from wattmark.appliance.queries import Queries
from wattmark.appliance.shared_store import SharedStore
from wattmark.appliance.warming import Warming, warmed
from wattmark.influx.settings import read_influx_settings
from wattmark.published.library import load_published
from wattmark.reader.bench import bench_now
from wattmark.storage.open import open_storage


@dataclass(frozen=True, slots=True)
class _Settings:
    data_dir: Path


class StoredRuns:
    """Stands in the reader where `Appliance` stands in the service: what it has has the same names."""

    def __init__(self, data_dir: Path, planted: Mapping[str, dict[str, float]]) -> None:
        self.settings = _Settings(data_dir)
        storage, library, clock = open_storage(data_dir, read_only=True), load_published(), SystemClock()
        wanted = threading.Event()
        self.queries = Queries(storage, library, planted.get, wanted.set)
        self.calibration = Calibration(storage, self.queries, clock, lambda: bench_now().meters)
        self.archives = Archives(storage, self.queries, self.calibration.statements)
        self.shared = SharedStore(read_influx_settings(), storage, self.archives, library, clock)
        self._warming = Warming(lambda: warmed(self.queries, wanted), wanted)

    @property
    def lab(self) -> str:
        """Name the lab as the bench of the service does."""
        return bench_now().lab

    def warm(self) -> None:
        """Begin to read ahead and to make rows, behind the requests."""
        self._warming.start()
