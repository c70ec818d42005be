"""What measurements without a plan borrow: of the service, or built for one command and closed after it."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

from wattmark_drivers.clock import Clock

from wattmark.bench.bench import Bench
from wattmark.bench.server import HOST, THIS_MACHINE, host_source
from wattmark.campaigns.power.journal import SettingsJournal
from wattmark.campaigns.power.leftover import require_undone
from wattmark.hosts.probes.meter import HostMeter
from wattmark.instruments.instruments import HOST_PERIOD_S, meter_identities, meter_records
from wattmark.instruments.known_bench import OWN_BENCH, load_known_bench
from wattmark.measurements.choice import Machine, server_named
from wattmark.measurements.lab import MeasuringLab
from wattmark.recording.live import LiveHub
from wattmark.recording.monitor import Monitor, MonitoredMeter
from wattmark.recording.recorder import Recorder
from wattmark.results.data_folder import Storage
from wattmark.results.issued.evaluations import Evaluations
from wattmark.results.issued.issuer import Issuer
from wattmark.results.pages.run_pages import RunPages
from wattmark.results.pages.span import SpanOut
from wattmark.results.result import Result


def measuring_bench(file: Path | None, folder: Path) -> Bench | None:
    """Read the bench that was named, or the one in the data folder; None where there is none. Raises `InputError`."""
    if file is None and not (folder / OWN_BENCH).exists():
        return None
    return load_known_bench(file or folder / OWN_BENCH)


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
    journal = SettingsJournal(storage.database.path.parent)
    sampling = asyncio.create_task(monitor.run(), name="monitor")
    try:
        yield MeasuringLab(
            clock=clock,
            runs=storage.runs,
            samples=storage.samples,
            recorder=recorder,
            monitor=monitor,
            server=machine.server,
            host=HOST,
            lab=machine.lab,
            clear=partial(asyncio.to_thread, require_undone, journal, machine.server, THIS_MACHINE),
            meters=machine.records,
            identities=lambda: [meter.monitored.meter.identity for meter in machine.meters],
            evaluate=lambda run_id: issuer.first(results.record(run_id)),
            span=RunPages(storage, results).span,
        )
    finally:
        await monitor.stop()
        with contextlib.suppress(asyncio.CancelledError):
            await sampling


def served_lab(
    bench: Bench,
    server: str | None,
    monitor: Monitor,
    recorder: Recorder,
    clock: Clock,
    storage: Storage,
    evaluate: Callable[[str], Result],
    span: Callable[[str, float, float], SpanOut],
    clear: Callable[[str], Awaitable[None]],
) -> MeasuringLab:
    """Lend what samples a server of the bench anyway. Raises `InputError` where no meter measures it."""
    entry = server_named(bench, server)
    return MeasuringLab(
        clock=clock,
        runs=storage.runs,
        samples=storage.samples,
        recorder=recorder,
        monitor=monitor,
        server=entry.id,
        host=host_source(entry),
        lab=bench.lab,
        clear=partial(clear, entry.id),
        meters=lambda: meter_records(bench, monitor.meters, entry.id),
        identities=lambda: meter_identities(bench, monitor.meters, entry.id),
        evaluate=evaluate,
        span=span,
    )
