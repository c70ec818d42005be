"""Sum ClickHouse's samples of a run, to compare them with the local recording."""

from __future__ import annotations

from collections import defaultdict

from wattmark.fleet.clickhouse.connection import Connection
from wattmark.fleet.clickhouse.ddl import quoted
from wattmark.fleet.clickhouse.tables import SAMPLE
from wattmark.fleet.sending.compared import ComparedSeries, Place, Total, compare_totals, recorded_totals
from wattmark.store.sample_store import SampleStore

_TOTALS = """
    SELECT lab, server, source, channel, countIf(isFinite(value)), count(),
      sum(if(isFinite(value), value, 0))
    FROM {} FINAL WHERE run = %(run)s GROUP BY lab, server, source, channel"""


def verify_run(run_id: str, samples: SampleStore, connection: Connection) -> list[ComparedSeries]:
    """Compare all series of a run, those that only one side has included. Raises `StoreError`."""
    return compare_totals(recorded_totals(run_id, samples), _received(run_id, connection))


def _received(run_id: str, connection: Connection) -> dict[Place, list[Total]]:
    totals: defaultdict[Place, list[Total]] = defaultdict(list)
    table = f"{quoted(connection.database)}.{quoted(SAMPLE.name)}"
    for _, server, source, channel, finite, n, total in connection.rows(_TOTALS.format(table), {"run": run_id}):
        totals[str(server), str(source), str(channel)].append(Total(int(finite), int(n) - int(finite), float(total)))
    return totals
