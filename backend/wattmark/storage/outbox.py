"""What is still to be sent to another server: positions in the series, never a copy of the samples."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from wattmark.storage.sample_store import Samples, SeriesKey


@dataclass(frozen=True, slots=True)
class Piece:
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
    tail_id: int
    crc: int


Mark = SealedMark | LiveMark


@dataclass(frozen=True, slots=True)
class Load:
    """What is sent next, and the positions that its acknowledgement moves; ``damaged`` samples cannot be sent."""

    pieces: tuple[Piece, ...]
    marks: tuple[Mark, ...]
    damaged: tuple[str, ...] = ()

    @property
    def samples(self) -> int:
        """Count the samples."""
        return sum(len(piece.samples) for piece in self.pieces)


@dataclass(frozen=True, slots=True)
class RunToSend:
    """A run whose record, or whose result, is newer than what was sent."""

    run_id: str
    edition: int


@dataclass(frozen=True, slots=True)
class Refused:
    """A line that the server refuses for ever, and its reason."""

    line: str
    reason: str


@dataclass(frozen=True, slots=True)
class OutboxState:
    """How a sink stands; counts of samples. Instants are UTC ns, None: never."""

    target: str
    waiting: int
    waiting_runs: int
    acknowledged: int
    acknowledged_ns: int | None
    refused: int
    problem: str | None
    remedy: str | None
    problem_ns: int | None


class Outbox(Protocol):
    """Remember durably what one target has acknowledged; safe to ask from several threads, one sends."""

    def take(self, limit: int) -> Load | None:
        """Read the next samples, about ``limit`` of them; None when everything recorded is acknowledged."""
        ...

    def acknowledge(self, load: Load, at_ns: int, refused: Sequence[Refused] = ()) -> None:
        """Move the positions behind a load that the target has, or refuses for ever; durable when it returns."""
        ...

    def take_run(self) -> RunToSend | None:
        """Give the next run whose record is to be sent; None where there is none."""
        ...

    def acknowledge_run(self, run: RunToSend, at_ns: int, refused: Sequence[Refused] = ()) -> None:
        """Note that the target has this edition of a run's record; a newer one waits on."""
        ...

    def note_problem(self, problem: str, remedy: str, at_ns: int) -> None:
        """Keep why nothing can be sent, for whoever asks."""
        ...

    def send_again(self) -> None:
        """Begin anew: everything that is recorded is to be sent, but for runs thinned here since."""
        ...

    def state(self) -> OutboxState:
        """Tell how the sink stands."""
        ...

    def refused(self, limit: int = 100) -> list[Refused]:
        """Read the latest refused lines, newest first."""
        ...
