"""The queue to another server: positions in the series, never a copy of the samples."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wattmark.store.sample_store import Samples, SeriesKey


@dataclass(frozen=True, slots=True)
class SampleSlice:
    """Samples of one series that are sent together.

    ``part`` numbers the series of a run that share server, source and channel (another range or unit), from 0.
    ``repeats`` counts, for each sample, the samples before it that have the very same stamp.
    """

    key: SeriesKey
    part: int
    samples: Samples
    repeats: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class SealedMark:
    """Sealed samples [first, next) of a series, counted in order of sealing."""

    series_id: int
    first: int
    next: int


@dataclass(frozen=True, slots=True)
class LiveMark:
    """Live rows of a run up to this one."""

    run_id: str
    live_row_id: int
    crc: int


Mark = SealedMark | LiveMark


@dataclass(frozen=True, slots=True)
class OutboxLoad:
    """The next batch to send, and the positions that its acknowledgement moves; ``damaged`` samples cannot be sent."""

    slices: tuple[SampleSlice, ...]
    marks: tuple[Mark, ...]
    damaged: tuple[str, ...] = ()

    @property
    def samples(self) -> int:
        return sum(len(sample_slice.samples) for sample_slice in self.slices)


@dataclass(frozen=True, slots=True)
class RunToSend:
    """A run whose record, or whose result, is newer than the one sent."""

    run_id: str
    edition: int


@dataclass(frozen=True, slots=True)
class RefusedLine:
    """A line that the server refuses for ever, and its reason."""

    line: str
    reason: str


@dataclass(frozen=True, slots=True)
class OutboxState:
    """State of a sink; counts of samples. Instants are UTC ns, None: never."""

    target: str
    waiting: int
    waiting_runs: int
    acknowledged: int
    acknowledged_ns: int | None
    refused: int
    problem: str | None
    remedy: str | None
    problem_ns: int | None
