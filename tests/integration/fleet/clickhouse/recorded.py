"""A sink on a storage with a clock that the test moves, and what the server has, read back without the product."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from wattmark.fleet.clickhouse.connection import Connection
from wattmark.fleet.clickhouse.sink import ClickHouseSink
from wattmark.fleet.dossiers.dossier import Dossier, make_dossier
from wattmark.fleet.sending.step import Step
from wattmark.results.data_folder import Storage
from wattmark.store.columns import make_samples
from wattmark.store.outbox.outbox import Outbox
from wattmark.store.sample_store import Samples
from wattmark.traceability.certificates.register import CertificateRegister

from ..influx.recorded import T0, same


@dataclass
class Bench:
    """A sink; ``s`` is how long it runs [s]."""

    storage: Storage
    connection: Connection
    batch: int = 100_000
    lab_name: str = "Lab 1"
    s: float = 0.0
    gather_also: Callable[[str], Dossier | None] | None = None
    outbox: Outbox = field(init=False)
    sink: ClickHouseSink = field(init=False)

    def __post_init__(self) -> None:
        self.outbox = Outbox(self.storage.database, self.connection.target)
        self.sink = ClickHouseSink(
            self.outbox, self.connection, self, utc_ns=lambda: T0 + round(self.s * 1e9),
            monotonic_ns=lambda: round(self.s * 1e9), random=lambda: 0.5, batch=self.batch,
        )  # fmt: skip

    def lab(self, run_id: str) -> str:
        return self.lab_name

    def gather(self, run_id: str) -> Dossier | None:
        if self.gather_also is not None:
            return self.gather_also(run_id)
        run = self.storage.runs.get(run_id)
        if run is None:
            return None
        series = self.storage.samples.list_series(run_id)
        return make_dossier(run, series, None, CertificateRegister(), None, self.lab_name)

    def drain(self, most: int = 1000) -> list[Step]:
        """Step until nothing waits, waiting as long as each step says; gives the steps that failed."""
        failed = []
        for _ in range(most):
            state = self.outbox.state()
            if not state.waiting and not state.waiting_runs:
                return failed
            step = self.sink.step()
            self.s += step.wait_s
            if step.problem is not None:
                failed.append(step)
        raise AssertionError(f"{self.outbox.state()} after {most} steps")


def received(connection: Connection, run_id: str, place: tuple[str, str, str, int]) -> Samples:
    """Read one series back: server, source, channel and part."""
    sql = (
        f"SELECT t_ns, value, quality, u_t_s FROM {connection.database}.sample FINAL "
        "WHERE run = %(run)s AND server = %(server)s AND source = %(source)s AND channel = %(channel)s "
        "AND part = %(part)s ORDER BY t_ns, repeat"
    )
    names = dict(zip(("server", "source", "channel", "part"), place, strict=True))
    t_ns, value, quality, u_t_s = connection.columns(sql, {"run": run_id, **names})
    return make_samples(t_ns.astype(np.int64), value, quality.astype(np.uint16), u_t_s.astype(np.float32))


def differing(storage: Storage, run_id: str, connection: Connection) -> list[str]:
    """Name the series that are not there bit for bit."""
    seen: dict[tuple[str, str, str], int] = {}
    names = []
    for series in storage.samples.list_series(run_id):
        place = series.key.server, series.key.source, series.key.channel
        part = seen[place] = seen.get(place, -1) + 1
        ours = storage.samples.read(series.id)
        if not same(ours, received(connection, run_id, (*place, part))):
            names.append(f"{series.key.channel} {part}")
    return names


def count(connection: Connection, table: str, where: str = "1") -> int:
    sql = f"SELECT count() FROM {connection.database}.{table} FINAL WHERE {where}"
    return int(connection.rows(sql)[0][0])
