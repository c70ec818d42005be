"""Log-in, TLS with a certificate authority of one's own, base paths and retention policies, against real servers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest
from wattmark.core.errors import StoreError
from wattmark.fleet.influx.answers import Verdict
from wattmark.fleet.influx.connection import Connection
from wattmark.fleet.influx.questions import totals
from wattmark.fleet.influx.settings import InfluxSettings
from wattmark.fleet.influx.verify import verify_run
from wattmark.results.data_folder import Storage

from tests.web_peer import self_signed

from .proxy import proxy_to
from .recorded import Drain, fill
from .servers import Server

LINE = b"wattmark,run=r value=1.5 1770000000000000000"


@pytest.fixture(scope="module", params=["1.6.7", "1.8.3"])
def guarded(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server that asks for a log-in; its first user is made as its documents say."""
    folder = tmp_path_factory.mktemp("guarded")
    server = Server(request.param, folder, http="auth-enabled = true")
    try:
        server.start()
        server.question("CREATE USER admin WITH PASSWORD 'a-password' WITH ALL PRIVILEGES", post=True)
        basic = {"Authorization": "Basic YWRtaW46YS1wYXNzd29yZA=="}
        for text in (
            "CREATE DATABASE wattmark",
            "CREATE USER reader WITH PASSWORD 'another'",
            "GRANT READ ON wattmark TO reader",
            "CREATE RETENTION POLICY year ON wattmark DURATION 52w REPLICATION 1",
        ):
            server.request(f"/query?q={text.replace(' ', '%20')}", b"", basic)
        yield server
    finally:
        if server.process is not None:
            server.kill()


def test_a_user_with_the_right_may_write_and_read(guarded: Server, storage: Storage) -> None:
    settings = InfluxSettings(url=guarded.url, user="admin", password="a-password")
    run_id = f"run {uuid4()}"
    fill(storage, run_id, n=100)
    drain = Drain(storage, settings)
    assert drain.all() == []
    assert all(check.same for check in verify_run(run_id, storage.samples, drain.connection))


@pytest.mark.parametrize(
    ("login", "words"),
    [
        ({}, "does not accept the token or password"),
        ({"user": "admin", "password": "wrong"}, "does not accept the token or password"),
        ({"user": "reader", "password": "another"}, "does not allow writing"),
    ],
)
def test_who_may_not_write_is_told_so_and_waits(guarded: Server, login: dict[str, str], words: str) -> None:
    answer = Connection(InfluxSettings(url=guarded.url, **login)).write(LINE, 1)
    assert answer.verdict is Verdict.LATER
    assert words in answer.cause
    assert "WATTMARK_INFLUX" in answer.remedy or "right to write" in answer.remedy


def test_a_retention_policy_takes_and_gives_the_points(guarded: Server, storage: Storage) -> None:
    login = {"user": "admin", "password": "a-password"}
    run_id = f"run {uuid4()}"
    fill(storage, run_id, n=100)
    drain = Drain(storage, InfluxSettings(url=guarded.url, retention_policy="year", **login))
    drain.all()
    assert all(check.same for check in verify_run(run_id, storage.samples, drain.connection))
    default_policy = Connection(InfluxSettings(url=guarded.url, **login))
    assert {check.there.n for check in verify_run(run_id, storage.samples, default_policy)} == {0}


def test_tls_needs_an_authority_that_is_known(influx_18: Server, tmp_path: Path) -> None:
    certificate, key = self_signed(tmp_path)
    with proxy_to(influx_18.port, tls=(certificate, key)) as proxy:
        assert proxy.url.startswith("https://")
        unknown = Connection(InfluxSettings(url=proxy.url))
        assert "certificate verify failed" in unknown.write(LINE, 1).cause
        with pytest.raises(StoreError, match="certificate verify failed"):
            unknown.groups("SHOW DATABASES")
        connection = Connection(InfluxSettings(url=proxy.url, ca_file=certificate))
        assert connection.write(LINE, 1).verdict is Verdict.ACCEPTED
        assert connection.groups(totals("r1")) == []


def test_a_base_path_leads_through_a_proxy(influx_18: Server) -> None:
    with proxy_to(influx_18.port, path="/lab/7") as proxy:
        assert Connection(InfluxSettings(url=f"{proxy.url}/lab/7")).write(LINE, 1).verdict is Verdict.ACCEPTED
        wrong = Connection(InfluxSettings(url=f"{proxy.url}/lab/8")).write(LINE, 1)
        assert wrong.verdict is Verdict.LATER
        assert "WATTMARK_INFLUX_URL" in wrong.remedy
