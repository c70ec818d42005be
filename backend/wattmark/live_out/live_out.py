"""The outputs of live readings that the bench in force asks for."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from wattmark_drivers.clock import Clock
from wattmark_drivers.reading import Reading

from wattmark.bench.bench import Bench
from wattmark.live_out.live_meters import LiveMeters, MeterNow
from wattmark.recording.live import LiveHub


class LiveOut:
    """Follow the meters while an output is on. ``bench`` gives the bench in force."""

    def __init__(self, bench: Callable[[], Bench], hub: LiveHub, clock: Clock) -> None:
        self._bench = bench
        self._meters = LiveMeters(hub, clock)

    def take(self, source: str, readings: Sequence[Reading]) -> None:
        """Add readings of one source; costs nothing while no output is on."""
        if self._bench().outputs.wanted:
            self._meters.take(source, readings)

    def for_prometheus(self) -> list[MeterNow]:
        """List what /metrics shows of the meters; nothing unless the bench asks for it. From any thread."""
        return self._meters.now() if self._bench().outputs.prometheus else []
