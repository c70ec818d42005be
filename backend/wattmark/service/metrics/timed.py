"""A clock and a store that tell how long things took, and change nothing else."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from wattmark_drivers.clock import Clock

from wattmark.store.sample_store import Samples, SampleSink, Series, SeriesKey

Observe = Callable[[float], None]


def _tell_nobody(_: float) -> None:
    """Record nothing."""


class TimedClock:
    """The clock of the samplers: a poll begins when a sleep ends, so what a sleep took too long, the poll is late."""

    def __init__(self, clock: Clock, late_s: Observe) -> None:
        self._clock = clock
        self._late_s = late_s
        self.utc_ns = clock.utc_ns
        self.monotonic_ns = clock.monotonic_ns

    async def sleep(self, seconds: float) -> None:
        """Wait [s], and record by how much the wait was longer [s]."""
        due_ns = self._clock.monotonic_ns() + int(seconds * 1e9)
        await self._clock.sleep(seconds)
        if seconds > 0:
            self._late_s(max(0, self._clock.monotonic_ns() - due_ns) * 1e-9)


class TimedSamples:
    """The store as the recorder writes to it."""

    def __init__(self, samples: SampleSink, clock: Clock, took_s: Observe = _tell_nobody) -> None:
        self._samples = samples
        self._clock = clock
        self._took_s = took_s
        self.series: Callable[[SeriesKey], Series] = samples.series
        self.enter: Callable[[Sequence[SeriesKey]], list[int]] = samples.enter
        self.seal: Callable[[str], None] = samples.seal
        self._began_ns: int | None = None

    @property
    def lasts_s(self) -> float:
        """Return how long the write in progress has lasted [s]; 0 where there is none."""
        began_ns = self._began_ns
        return 0.0 if began_ns is None else (self._clock.monotonic_ns() - began_ns) * 1e-9

    def append(self, batch: Sequence[tuple[int, Samples]]) -> None:
        """Write samples durably, and record how long that took [s], failures included."""
        self._began_ns = self._clock.monotonic_ns()
        try:
            self._samples.append(batch)
        finally:
            self._took_s(self.lasts_s)
            self._began_ns = None
