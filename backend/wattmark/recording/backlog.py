"""Samples in memory on their way to the store."""

from __future__ import annotations

import threading
from array import array
from dataclasses import dataclass, field

import numpy as np
from wattmark_drivers.reading import Reading

from wattmark.storage.sample_store import Samples, SeriesKey


@dataclass(slots=True)
class Buffer:
    """Columns of one series: 22 bytes a sample."""

    t_ns: array[int] = field(default_factory=lambda: array("q"))
    value: array[float] = field(default_factory=lambda: array("d"))
    quality: array[int] = field(default_factory=lambda: array("H"))
    u_t_s: array[float] = field(default_factory=lambda: array("f"))

    def add(self, reading: Reading) -> None:
        """Append a reading."""
        self.t_ns.append(reading.t_ns)
        self.value.append(reading.value)
        self.quality.append(int(reading.quality))
        self.u_t_s.append(reading.u_t_ns * 1e-9)

    def extend(self, later: Buffer) -> None:
        """Append all samples of another buffer."""
        self.t_ns.extend(later.t_ns)
        self.value.extend(later.value)
        self.quality.extend(later.quality)
        self.u_t_s.extend(later.u_t_s)

    def samples(self) -> Samples:
        """Copy the columns out."""
        return Samples(
            np.array(self.t_ns, np.int64),
            np.array(self.value, np.float64),
            np.array(self.quality, np.uint16),
            np.array(self.u_t_s, np.float32),
        )

    def __len__(self) -> int:
        return len(self.t_ns)


Batch = dict[SeriesKey, Buffer]


class Backlog:
    """A bounded buffer between the event loop, which adds, and the recorder's thread, which takes."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._lock = threading.Lock()
        self._batch: Batch = {}
        self._count = 0

    def add(self, key: SeriesKey, reading: Reading) -> bool:
        """Keep a reading; False when the buffer is full and the reading is lost."""
        with self._lock:
            if self._count >= self._limit:
                return False
            self._batch.setdefault(key, Buffer()).add(reading)
            self._count += 1
            return True

    def take(self) -> Batch:
        """Take everything; it still counts against the limit until it is `done`."""
        with self._lock:
            batch, self._batch = self._batch, {}
            return batch

    def done(self, batch: Batch) -> None:
        """Forget a batch that is on disk or given up."""
        with self._lock:
            self._count -= sum(map(len, batch.values()))

    def give_back(self, batch: Batch) -> None:
        """Put a batch that could not be written before what came since."""
        with self._lock:
            for key, later in self._batch.items():
                batch.setdefault(key, Buffer()).extend(later)
            self._batch = batch

    def discard(self, run_id: str) -> int:
        """Give up the samples of a run; tells how many."""
        with self._lock:
            lost = sum(len(buffer) for key, buffer in self._batch.items() if key.run_id == run_id)
            self._batch = {key: buffer for key, buffer in self._batch.items() if key.run_id != run_id}
            self._count -= lost
            return lost
