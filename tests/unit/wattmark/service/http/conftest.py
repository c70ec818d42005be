"""The application in this process, on a real store with runs of every kind and without meters."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from starlette.testclient import TestClient
from wattmark.access.http.middleware import AccessPolicy
from wattmark.results.data_folder import Storage, open_storage
from wattmark.runs.record import MeterRecord, RunRecord, RunStatus, ThroughputInterval
from wattmark.service.app import create_app
from wattmark.service.service import open_service
from wattmark.service.settings import Settings
from wattmark.store.sample_store import Samples, SeriesKey

BEGIN_NS = 1_700_000_000_000_000_000
S = 10**9


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    folder = tmp_path_factory.mktemp("data")
    storage = open_storage(folder)
    for number, status in enumerate(RunStatus):
        _store(storage, number, status)
    storage.close()
    service = open_service(Settings(data_dir=folder))
    yield TestClient(
        create_app(service, AccessPolicy.for_address("127.0.0.1", None)),
        base_url="http://127.0.0.1:8400",
        raise_server_exceptions=False,
    )
    service._storage.close()


def _store(storage: Storage, number: int, status: RunStatus) -> None:
    """Store a run of 60 s with one lost power sample."""
    run_id = f"r{number}"
    storage.runs.put(
        RunRecord(
            run_id=run_id,
            server="s",
            configuration=f"c{number}",
            workload="rsa",
            level="1 process",
            status=status,
            created_ns=BEGIN_NS,
            unit="signs",
            throughput=tuple(
                ThroughputInterval(begin_ns=BEGIN_NS + k * S, end_ns=BEGIN_NS + (k + 1) * S, amount=100 + k % 3)
                for k in range(60)
            ),
            window_begin_ns=BEGIN_NS,
            window_end_ns=BEGIN_NS + 60 * S,
            meters=(MeterRecord(name="wall", model="wattsup.pro", title="W", reading_pct=1.5, fixed_w=0.3),),
        )
    )
    key = SeriesKey(run_id, "s", "wall", "power", "power", "W", "averaged")
    t_ns = BEGIN_NS + np.arange(-5, 66) * S
    watts = 200.0 + np.arange(len(t_ns)) % 4
    watts[30] = np.nan
    columns = Samples(t_ns, watts, np.zeros(len(t_ns), np.uint16), np.full(len(t_ns), 0.002, np.float32))
    storage.samples.append([(storage.samples.series(key).id, columns)])
