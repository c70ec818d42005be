"""The application in this process, on a real store with runs of every kind and without meters."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from starlette.testclient import TestClient
from wattmark.access.http.middleware import AccessPolicy
from wattmark.results.data_folder import Storage, open_storage
from wattmark.runs.record import RunStatus
from wattmark.service.app import create_app
from wattmark.service.service import open_service
from wattmark.service.settings import Settings

from tests.stored_run import PLUG_METER, make_run, store_readings


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
    run = make_run(
        f"r{number}", window_s=60, amount=lambda k: 100 + k % 3, configuration=f"c{number}", workload="rsa",
        level="1 process", status=status, meters=(PLUG_METER,),
    )  # fmt: skip
    storage.runs.put(run)
    watts = 200.0 + np.arange(71) % 4
    watts[30] = np.nan
    store_readings(storage, run, np.arange(-5, 66), watts)
