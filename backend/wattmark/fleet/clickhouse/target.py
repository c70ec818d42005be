"""ClickHouse as one of the servers that are sent to."""

from __future__ import annotations

import random

from wattmark_drivers.clock import Clock

from wattmark.fleet.clickhouse.connection import Connection
from wattmark.fleet.clickhouse.schema import check_schema
from wattmark.fleet.clickhouse.settings import ClickHouseSettings
from wattmark.fleet.clickhouse.sink import ClickHouseSink
from wattmark.fleet.clickhouse.verify import verify_run
from wattmark.fleet.dossiers.dossiers import Dossiers
from wattmark.fleet.sending.compared import ComparedSeries
from wattmark.fleet.sending.sinks import Target
from wattmark.store.outbox.outbox import Outbox
from wattmark.store.sample_store import SampleStore


def clickhouse_target(settings: ClickHouseSettings) -> Target:
    """Make a target of the settings. Raises `InputError` for a secret file that cannot be read."""
    connection = Connection(settings)

    def make(outbox: Outbox, dossiers: Dossiers, clock: Clock) -> ClickHouseSink:
        return make_sink(connection, settings.batch, outbox, dossiers, clock)

    def verify(run_id: str, samples: SampleStore) -> list[ComparedSeries]:
        check_schema(connection)
        return verify_run(run_id, samples, connection)

    return Target("ClickHouse", settings.target, settings.role == "sink", make, verify)


def make_sink(connection: Connection, batch: int, outbox: Outbox, dossiers: Dossiers, clock: Clock) -> ClickHouseSink:
    """Put a sink together; its connection is opened by the first insert."""
    return ClickHouseSink(
        outbox,
        connection,
        dossiers,
        utc_ns=clock.utc_ns,
        monotonic_ns=clock.monotonic_ns,
        random=random.random,
        batch=batch,
    )
