"""Samples in memory on their way to the store."""

from __future__ import annotations

import threading
from collections.abc import Sequence

from wattmark.recording.batch import Batch, Columns


class Backlog:
    """A bounded buffer between the event loop, which adds, and the recorder's thread, which takes."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._lock = threading.Lock()
        self._batch = Batch()
        self._count = 0

    def add(self, series: Sequence[int], columns: Columns) -> int:
        """Keep readings by the number of their series; return how many did not fit and are lost."""
        with self._lock:
            room = self._limit - self._count
            lost = len(series) - room
            if lost > 0:
                series, columns = series[:room], tuple(column[:room] for column in columns)
            self._batch.add(series, columns)
            self._count += len(series)
        return max(lost, 0)

    def take(self) -> Batch:
        """Take everything; it still counts against the limit until it is `done`."""
        with self._lock:
            batch, self._batch = self._batch, Batch()
            return batch

    def done(self, batch: Batch) -> None:
        """Forget a batch that is on disk or given up."""
        with self._lock:
            self._count -= len(batch)

    def give_back(self, batch: Batch) -> None:
        """Put a batch that could not be written before what came since."""
        with self._lock:
            batch.extend(self._batch)
            self._batch = batch

    def discard(self, series: set[int]) -> int:
        """Discard the samples of some series and return how many."""
        with self._lock:
            remaining = self._batch.without(series)
            lost = len(self._batch) - len(remaining)
            self._batch = remaining
            self._count -= lost
            return lost
