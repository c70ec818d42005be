"""The protocol of sample stores; analysis and API use only this."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class SeriesKey:
    """Identity of a series. A change of the instrument's range opens a new series."""

    run_id: str
    server: str
    source: str
    """Name of the meter or BMC in the bench file, or "host" for the operating system of the server."""
    channel: str
    quantity: str
    unit: str
    kind: str
    range: str = ""
    label: str = ""
    simulated: bool = False


@dataclass(frozen=True, slots=True)
class Series:
    """A stored series: its number and its key."""

    id: int
    key: SeriesKey
    n: int = 0


@dataclass(frozen=True, slots=True)
class Samples:
    """Columns of one series, ordered by stamp. Arrays of equal length; never mutate them.

    ``t_ns`` int64 UTC, ``value`` float64, ``quality`` uint16 (`wattmark_drivers.reading.Quality`),
    ``u_t_s`` float32 uncertainty of the stamp [s].
    """

    t_ns: NDArray[np.int64]
    value: NDArray[np.float64]
    quality: NDArray[np.uint16]
    u_t_s: NDArray[np.float32]

    def __len__(self) -> int:
        return len(self.t_ns)


@dataclass(frozen=True, slots=True)
class Envelope:
    """A series cut into time buckets for drawing: minimum and maximum are kept, so no peak is hidden.

    ``t_ns`` is the middle of each non-empty bucket; ``n`` counts the samples in it. When ``decimated`` is False
    each bucket is one sample and min = mean = max.
    """

    t_ns: NDArray[np.int64]
    minimum: NDArray[np.float64]
    maximum: NDArray[np.float64]
    mean: NDArray[np.float64]
    n: NDArray[np.int64]
    decimated: bool


class SampleSink(Protocol):
    """Take samples durably: what `append` has returned for is on disk, once, whatever happens next."""

    def series(self, key: SeriesKey) -> Series:
        """Find or create a series."""
        ...

    def enter(self, keys: Sequence[SeriesKey]) -> list[int]:
        """Find or create series in one durable commit; return their numbers in the same order. Raises `StoreError`."""
        ...

    def append(self, batch: Sequence[tuple[int, Samples]]) -> None:
        """Write samples of several series in one durable commit; returns after the commit. Raises `StoreError`."""
        ...

    def seal(self, run_id: str) -> None:
        """Move the run's live rows into columnar chunks; safe to repeat."""
        ...


class SampleReader(Protocol):
    """Give samples back: all that a result needs."""

    def list_series(self, run_id: str) -> list[Series]:
        """List the series of a run with their sample counts."""
        ...

    def read(self, series_id: int, begin_ns: int | None = None, end_ns: int | None = None) -> Samples:
        """Read the samples with begin_ns <= t <= end_ns, sealed or live."""
        ...


class SampleStore(SampleSink, SampleReader, Protocol):
    """Keep samples, and give them back."""

    def envelope(
        self, series_id: int, buckets: int, begin_ns: int | None = None, end_ns: int | None = None
    ) -> Envelope:
        """Read a series at the resolution of a screen, from chunk extremes where they suffice."""
        ...

    def delete_run(self, run_id: str) -> None:
        """Delete all series of a run."""
        ...
