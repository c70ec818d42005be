"""A service sends while it records, tells how that stands, and neither waits nor dies for a server."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest
from starlette.testclient import TestClient
from wattmark.access.http.middleware import AccessPolicy
from wattmark.core.errors import InputError
from wattmark.fleet.influx.connection import Connection
from wattmark.fleet.influx.settings import InfluxSettings
from wattmark.fleet.influx.verify import verify_run
from wattmark.fleet.sending.views import SinkOut
from wattmark.results.data_folder import open_storage
from wattmark.service.app import create_app
from wattmark.service.service import Service, open_service
from wattmark.service.settings import Settings

from .proxy import Fault, Proxy, proxy_to
from .recorded import T0, fill, key, ordinary
from .servers import Server

PATIENCE_S = 60


@pytest.fixture
def proxy(influx_18: Server, monkeypatch: pytest.MonkeyPatch) -> Iterator[Proxy]:
    with proxy_to(influx_18.port) as running_proxy:
        monkeypatch.setenv("WATTMARK_INFLUX_URL", running_proxy.url)
        yield running_proxy


def state_of(service: Service) -> SinkOut:
    (state,) = service.sinks.out().sinks
    return state


async def until(service: Service, *words: str) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while state_of(service).state not in words:
            await asyncio.sleep(0.02)


def sink_state(service: Service) -> dict[str, object]:
    app = create_app(service, AccessPolicy.for_address("127.0.0.1", None))
    answer = TestClient(app, base_url="http://127.0.0.1:8400").get("/api/store/sink")
    assert answer.status_code == 200
    (state,) = answer.json()["sinks"]
    return dict(state)


async def test_a_service_sends_what_is_recorded_and_tells_how_it_stands(proxy: Proxy, tmp_path: Path) -> None:
    run_id = str(uuid4())
    before = open_storage(tmp_path)
    fill(before, run_id, n=600)
    before.close()
    proxy.standing = Fault(401, "authorization failed")
    async with open_service(Settings(data_dir=tmp_path)) as service:
        await until(service, "waiting")
        state = await asyncio.to_thread(sink_state, service)
        assert "does not accept the token" in str(state["problem"])
        assert "WATTMARK_INFLUX_TOKEN" in str(state["remedy"])
        proxy.standing = None
        await until(service, "up to date")
        samples = service.results._storage.samples
        await asyncio.to_thread(samples.append, [(samples.series(key(run_id)).id, ordinary(9, 8, T0 + 10**14))])
        async with asyncio.timeout(PATIENCE_S):
            while state_of(service).acknowledged_samples < 600 + 32 + 120 + 9:
                await asyncio.sleep(0.02)
        state = await asyncio.to_thread(sink_state, service)
        assert (state["acknowledged_samples"], state["problem"]) == (600 + 32 + 120 + 9, None)
        server = Connection(InfluxSettings(url=proxy.url))
        compared = await asyncio.to_thread(verify_run, run_id, samples, server)
        assert all(check.same for check in compared)
        server.close()


def test_a_service_ends_while_the_server_hangs_and_sends_the_rest_after_the_next_start(
    proxy: Proxy, tmp_path: Path
) -> None:
    before = open_storage(tmp_path)
    fill(before, str(uuid4()), n=600)
    before.close()

    async def hang() -> None:
        proxy.script = [Fault(204, delay_s=4.0)]
        async with open_service(Settings(data_dir=tmp_path)):
            async with asyncio.timeout(PATIENCE_S):
                while not proxy.writes:
                    await asyncio.sleep(0.02)
        assert not proxy.script
        again = open_storage(tmp_path)
        again.close()

    async def drain() -> None:
        async with open_service(Settings(data_dir=tmp_path)) as service:
            await until(service, "up to date")
            assert state_of(service).acknowledged_samples == 600 + 32 + 120

    asyncio.run(hang())
    asyncio.run(drain())


async def test_without_a_server_nothing_is_sent(tmp_path: Path) -> None:
    async with open_service(Settings(data_dir=tmp_path)) as service:
        assert service.sinks.out().sinks == []
        assert service.sinks.states() == []


def test_a_secret_that_others_can_read_refuses_the_start(proxy: Proxy, tmp_path: Path, monkeypatch) -> None:
    file = tmp_path / "token"
    file.write_text("s3cret")
    file.chmod(0o644)
    monkeypatch.setenv("WATTMARK_INFLUX_TOKEN_FILE", str(file))
    with pytest.raises(InputError, match="chmod 600"):
        open_service(Settings(data_dir=tmp_path / "data"))
