"""InfluxDB as one of the servers that are sent to."""

from __future__ import annotations

import random

from wattmark_drivers.clock import Clock

from wattmark.fleet.dossiers.dossiers import Dossiers
from wattmark.fleet.influx.connection import Connection
from wattmark.fleet.influx.settings import InfluxSettings
from wattmark.fleet.influx.sink import InfluxSink
from wattmark.fleet.influx.verify import verify_run
from wattmark.fleet.sending.compared import ComparedSeries
from wattmark.fleet.sending.sinks import Target
from wattmark.store.outbox.outbox import Outbox
from wattmark.store.sample_store import SampleStore


def influx_target(settings: InfluxSettings) -> Target:
    """Make a target of the settings. Raises `InputError` for a secret file that cannot be read."""
    settings.check()

    def make(outbox: Outbox, dossiers: Dossiers, clock: Clock) -> InfluxSink:
        return make_sink(settings, outbox, dossiers, clock)

    def verify(run_id: str, samples: SampleStore) -> list[ComparedSeries]:
        return verify_run(run_id, samples, Connection(settings))

    return Target("InfluxDB", settings.target, settings.role == "sink", make, verify)


def make_sink(settings: InfluxSettings, outbox: Outbox, dossiers: Dossiers, clock: Clock) -> InfluxSink:
    """Put a sink together; its connection is opened by the first request."""
    return InfluxSink(
        outbox, Connection(settings), dossiers, utc_ns=clock.utc_ns, random=random.random, batch=settings.batch
    )
