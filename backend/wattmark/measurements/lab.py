"""What a measurement without a plan works with: the meters that were chosen, a recorder, a store."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from wattmark_drivers.clock import Clock
from wattmark_drivers.settings import MeterSettings

from wattmark.bench.instruments import Bmc
from wattmark.bench.instruments import Meter as MeterEntry
from wattmark.instruments.instruments import meter_record
from wattmark.recording.monitor import Monitor, MonitoredMeter
from wattmark.recording.recorder import Recorder
from wattmark.results.result import Result
from wattmark.runs.record import MeterRecord
from wattmark.runs.store import RunStore


@dataclass(frozen=True, slots=True)
class ChosenMeter:
    """A meter that measures this machine, and what is known of its use."""

    monitored: MonitoredMeter
    entry: MeterEntry | Bmc | MeterSettings

    @property
    def name(self) -> str:
        """Return its name in the record of a run."""
        return self.monitored.name

    @property
    def record(self) -> MeterRecord:
        """Describe it as it answers now."""
        return meter_record(self.monitored.meter, self.monitored.role, self.entry)


@dataclass(frozen=True, slots=True)
class MeasuringLab:
    """Resources that a measurement borrows."""

    clock: Clock
    runs: RunStore
    recorder: Recorder
    monitor: Monitor
    meters: Sequence[ChosenMeter]
    server: str
    """Name of this machine in results."""
    lab: str
    evaluate: Callable[[str], Result]
    """Evaluates a stored run and issues its result."""
