"""What measures one command: meters, recorder and store, built for it and closed after it."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from wattmark_drivers.clock import Clock

from wattmark.hosts.probes.meter import HostMeter
from wattmark.instruments.instruments import HOST_PERIOD_S
from wattmark.measurements.choice import Machine
from wattmark.measurements.lab import MeasuringLab
from wattmark.recording.live import LiveHub
from wattmark.recording.monitor import Monitor, MonitoredMeter
from wattmark.recording.recorder import Recorder
from wattmark.results.data_folder import Storage
from wattmark.results.issued.evaluations import Evaluations
from wattmark.results.issued.issuer import Issuer


@asynccontextmanager
async def measuring_lab(storage: Storage, machine: Machine, clock: Clock) -> AsyncIterator[MeasuringLab]:
    """Sample the meters of this machine while the block lasts."""
    storage.runs.mark_interrupted()
    results = Evaluations(storage)
    issuer = Issuer(storage, results, clock)
    recorder = Recorder(storage.samples, clock)
    host = MonitoredMeter(HostMeter(clock=clock), "host", None, HOST_PERIOD_S)
    monitored = [*(meter.monitored for meter in machine.meters), host]
    monitor = Monitor(monitored, LiveHub(clock), recorder, clock)
    sampling = asyncio.create_task(monitor.run(), name="monitor")
    try:
        yield MeasuringLab(
            clock=clock,
            runs=storage.runs,
            recorder=recorder,
            monitor=monitor,
            meters=machine.meters,
            server=machine.server,
            lab=machine.lab,
            evaluate=lambda run_id: issuer.first(results.record(run_id)),
        )
    finally:
        await monitor.stop()
        with contextlib.suppress(asyncio.CancelledError):
            await sampling
