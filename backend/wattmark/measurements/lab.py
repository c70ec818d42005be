"""What a measurement without a plan works with: the meters of a server, a recorder, a store."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from wattmark_drivers.clock import Clock
from wattmark_drivers.meter import MeterIdentity
from wattmark_drivers.settings import MeterSettings

from wattmark.bench.instruments import Bmc
from wattmark.bench.instruments import Meter as MeterEntry
from wattmark.instruments.instruments import meter_record
from wattmark.recording.monitor import Monitor, MonitoredMeter
from wattmark.recording.recorder import Recorder
from wattmark.results.pages.span import SpanOut
from wattmark.results.result import Result
from wattmark.runs.record import MeterRecord
from wattmark.runs.store import RunStore
from wattmark.store.sample_store import SampleReader


@dataclass(frozen=True, slots=True)
class ChosenMeter:
    """A meter that measures this machine, and what is known of its use."""

    monitored: MonitoredMeter
    entry: MeterEntry | Bmc | MeterSettings

    @property
    def record(self) -> MeterRecord:
        """Describe it as it answers now."""
        return meter_record(self.monitored.meter, self.monitored.role, self.entry)


@dataclass(frozen=True, slots=True)
class MeasuringLab:
    """Resources that a measurement of one server borrows."""

    clock: Clock
    runs: RunStore
    samples: SampleReader
    recorder: Recorder
    monitor: Monitor
    server: str
    """Name of the measured machine in results."""
    host: str
    """Name of its operating system among the sources that are recorded."""
    lab: str
    clear: Callable[[], Awaitable[None]]
    """Makes sure that the server has no power settings of a run that was killed.

    Raises `WattmarkError` where it has some, and they cannot be undone.
    """
    meters: Callable[[], Sequence[MeterRecord]]
    """Describes its meters as they answer now."""
    identities: Callable[[], Sequence[MeterIdentity]]
    """Present identities of its meters."""
    evaluate: Callable[[str], Result]
    """Evaluates a stored run and issues its result."""
    span: Callable[[str, float, float], SpanOut]
    """Evaluates a part of a stored run, between two instants [Unix seconds]."""
