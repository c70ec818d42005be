"""A service sends to ClickHouse and InfluxDB at once; commands verify both and delete from the fleet store."""

from __future__ import annotations

import asyncio
from pathlib import Path
from uuid import uuid4

import pytest
from starlette.testclient import TestClient
from typer.testing import CliRunner
from wattmark.access.http.middleware import AccessPolicy
from wattmark.cli.keep.store import app
from wattmark.fleet.targets import configured_targets
from wattmark.results.data_folder import open_storage
from wattmark.service.app import create_app
from wattmark.service.service import open_service
from wattmark.service.settings import Settings

from ...traceability.conftest import Lab, certificate
from ..influx.recorded import T0, fill, key, ordinary
from ..influx.servers import running
from .conftest import Connect, make
from .recorded import count, differing
from .servers import PASSWORD, Server

PATIENCE_S = 60


@pytest.fixture
def named(shards: tuple[Server, Server], database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (("URL", shards[0].url), ("PASSWORD", PASSWORD), ("DATABASE", database)):
        monkeypatch.setenv(f"WATTMARK_CLICKHOUSE_{name}", value)


@pytest.mark.usefixtures("named")
def test_a_service_sends_to_two_servers_and_neither_waits_for_the_other(
    shards: tuple[Server, Server], connect: Connect, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, run_id = tmp_path / "data", str(uuid4())
    storage = open_storage(folder)
    fill(storage, run_id, n=600)
    storage.close()
    connection = connect(shards[0])

    async def work() -> None:
        async with open_service(Settings(data_dir=folder)) as service:
            async with asyncio.timeout(PATIENCE_S):
                while [state.state for state in service.sinks.out().sinks] != ["waiting", "up to date"]:
                    await asyncio.sleep(0.02)
            web = TestClient(
                create_app(service, AccessPolicy.for_address("127.0.0.1", None)), base_url="http://127.0.0.1:8400"
            )
            (clickhouse, influxdb) = (await asyncio.to_thread(web.get, "/api/store/sink")).json()["sinks"]
            assert "does not have a database" in clickhouse["problem"]
            assert "wattmark store init" in clickhouse["remedy"]
            assert influxdb["acknowledged_samples"] == 600 + 32 + 50 + 70
            await asyncio.to_thread(make, connection)
            async with asyncio.timeout(PATIENCE_S):
                while service.sinks.out().sinks[0].state != "up to date":
                    await asyncio.sleep(0.02)

    with running("1.8.3", tmp_path) as influx:
        monkeypatch.setenv("WATTMARK_INFLUX_URL", influx.url)
        asyncio.run(work())
        done = CliRunner().invoke(app, ["verify", "--data", str(folder)])
        assert (done.exit_code, "6 series of 1 runs are identical here and on" in done.output) == (0, True), done.output
        storage = open_storage(folder)
        storage.samples.append([(storage.samples.series(key(run_id)).id, ordinary(7, 3, T0 + 10**13))])
        storage.close()
        done = CliRunner().invoke(app, ["verify", "--data", str(folder)])
        assert done.exit_code == 1
        assert connection.target in done.output
        assert influx.url in done.output
        done = CliRunner().invoke(app, ["sync", "--data", str(folder)])
        assert done.output.count("has everything") == 2
    storage = open_storage(folder)
    assert differing(storage, run_id, connection) == []
    storage.close()


@pytest.mark.usefixtures("named")
def test_a_result_arrives_as_it_was_issued_and_can_be_deleted(
    shards: tuple[Server, Server], connect: Connect, tmp_path: Path
) -> None:
    connection = connect(shards[0])
    make(connection)
    lab, run_id = Lab(tmp_path), str(uuid4())
    lab.add(certificate())
    lab.calibration.issuer.first(lab.measure(run_id, day="2026-02-01", noise_w=1.0))
    (target,) = configured_targets()
    assert target.name == "ClickHouse"
    issued = lab.storage.issued.of(run_id)[-1].result
    lab.storage.close()
    done = CliRunner().invoke(app, ["sync", "--data", str(lab.folder)])
    assert done.exit_code == 0, done.output
    ((version, efficiency, u, document),) = connection.rows(
        f"SELECT version, efficiency, efficiency_u, document FROM {connection.database}.result FINAL"
    )
    assert issued.efficiency is not None
    assert (version, efficiency, u) == (1, issued.efficiency.value, issued.efficiency.u)
    assert type(issued).model_validate_json(document) == issued
    done = CliRunner().invoke(app, ["delete", "--yes", run_id, "nowhere"])
    assert (done.exit_code, done.output) == (1, f"Deleted: {run_id}\nNot there: nowhere\n")
    assert count(connection, "run", "deleted = 0") == count(connection, "result", "deleted = 0") == 0
