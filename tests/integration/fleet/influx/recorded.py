"""Runs with samples of every sort, and a sink that drains them without waiting."""

from __future__ import annotations

import numpy as np
from wattmark.fleet.dossiers.dossier import Dossier, make_dossier
from wattmark.fleet.influx.connection import Connection
from wattmark.fleet.influx.settings import InfluxSettings
from wattmark.fleet.influx.sink import InfluxSink
from wattmark.fleet.sending.step import Step
from wattmark.results.data_folder import Storage
from wattmark.runs.record import RunRecord
from wattmark.store.columns import make_samples
from wattmark.store.outbox.outbox import Outbox
from wattmark.store.sample_store import Samples, SeriesKey
from wattmark.traceability.certificates.register import CertificateRegister

from tests.stored_run import make_run

T0 = 1_770_000_000_000_000_000
RARE = [-0.0, 5e-324, 1.7976931348623157e300, 1 / 3, -1e-300, float("nan"), float("inf"), float("-inf")]


def record(run_id: str, created_ns: int = T0) -> RunRecord:
    return make_run(
        run_id, begin_ns=created_ns, server="alpha", configuration="8 DIMMs", workload="rsa", level="1 process"
    )


def key(run_id: str, channel: str = "power", **other: str) -> SeriesKey:
    named = {"server": "alpha", "source": "wall, left=1", "quantity": "power", "unit": "W", "kind": "averaged"}
    return SeriesKey(run_id, channel=channel, **{**named, **other})


def ordinary(n: int, seed: int, begin_ns: int = T0) -> Samples:
    random = np.random.default_rng(seed)
    return make_samples(
        begin_ns + np.arange(n) * 100_000_007, random.normal(300, 5, n), None, random.uniform(0, 1e-3, n)
    )


def odd() -> Samples:
    """Values, flags and stamps at their limits: equal stamps among them."""
    n = 4 * len(RARE)
    stamps = T0 + np.sort(np.arange(n) // 3 * 1_000_003)
    return make_samples(stamps, RARE * 4, np.arange(n) * 977 % 65536, np.full(n, 0.25))


def fill(storage: Storage, run_id: str, *, seal: bool = True, n: int = 5000, begin_ns: int = T0) -> None:
    """Record a run: many samples, odd ones, two ranges of one channel, and names that need quoting."""
    storage.runs.put(record(run_id))
    parts = [
        (key(run_id), ordinary(n, 1, begin_ns)),
        (key(run_id, "odd"), odd()),
        (key(run_id, "current", range="1 A", unit="A"), ordinary(50, 2, begin_ns)),
        (key(run_id, "current", range="5 A", unit="A"), ordinary(70, 3, begin_ns)),
    ]
    storage.samples.append([(storage.samples.series(key).id, samples) for key, samples in parts])
    if seal:
        storage.samples.seal(run_id)


def same(ours: Samples, theirs: Samples) -> bool:
    """Tell whether two series are equal bit for bit; NaN is NaN."""
    return all(
        np.array_equal(a, b, equal_nan=a.dtype.kind == "f")
        and (a.dtype.kind != "f" or (np.signbit(a) == np.signbit(b)).all())
        for a, b in (
            (ours.t_ns, theirs.t_ns),
            (ours.value, theirs.value),
            (ours.quality, theirs.quality),
            (ours.u_t_s, theirs.u_t_s),
        )
    )


class Drain:
    """A sink on a storage, with a clock that does not wait."""

    def __init__(self, storage: Storage, settings: InfluxSettings, lab_name: str = "Lab 1") -> None:
        self.lab_name = lab_name
        self.outbox = Outbox(storage.database, settings.target)
        self.connection = Connection(settings)
        self.storage = storage
        self.sink = InfluxSink(
            self.outbox, self.connection, self, utc_ns=lambda: T0, random=lambda: 0.5, batch=settings.batch
        )

    def all(self, most: int = 10_000) -> list[Step]:
        """Step until nothing waits; gives the steps that failed."""
        failed = []
        for _ in range(most):
            step = self.sink.step()
            state = self.outbox.state()
            if not state.waiting and not state.waiting_runs:
                return failed
            if step.problem is not None:
                failed.append(step)
        raise AssertionError(f"{self.outbox.state()} after {most} steps")

    def lab(self, run_id: str) -> str:
        return self.lab_name

    def gather(self, run_id: str) -> Dossier | None:
        run = self.storage.runs.get(run_id)
        if run is None:
            return None
        return make_dossier(run, self.storage.samples.list_series(run_id), None, CertificateRegister(), None)
