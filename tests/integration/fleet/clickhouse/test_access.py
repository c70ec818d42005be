"""Whoever may not, and whatever is not ClickHouse, is told in one line with its remedy; nothing is written."""

from __future__ import annotations

from pathlib import Path

import pytest
from wattmark.core.errors import WattmarkError
from wattmark.fleet.clickhouse.connection import Connection
from wattmark.fleet.clickhouse.problems import ClickHouseProblem
from wattmark.fleet.clickhouse.settings import ClickHouseSettings

from tests.web_peer import self_signed

from ..influx.servers import running
from .conftest import Connect, make
from .servers import PASSWORD, Server, proxy_to


@pytest.mark.parametrize(
    ("other", "words"),
    [
        ({"password": "wrong"}, "does not accept the user or password .* Correct WATTMARK_CLICKHOUSE_USER"),
        ({"user": "nobody"}, "does not accept the user or password"),
        ({"user": "reader"}, "does not allow this user to do that .* Grant SELECT and INSERT"),
        ({"url": "http://127.0.0.1:1"}, "does not answer: Connection refused"),
    ],
)
def test_a_server_that_refuses_is_told_in_one_line(
    shards: tuple[Server, Server], connect: Connect, other: dict[str, str], words: str
) -> None:
    with pytest.raises(ClickHouseProblem, match=words) as refused:
        make(connect(shards[0], **other))
    assert "\n" not in str(refused.value)


def test_a_server_that_the_client_library_does_not_know_is_too_old(
    shards: tuple[Server, Server], connect: Connect
) -> None:
    with pytest.raises(ClickHouseProblem, match=r"too old for this wattmark\. Update the server"):
        make(connect(shards[0], url=shards[0].direct))


def test_a_network_that_is_cut_is_told_as_no_answer(shards: tuple[Server, Server], connect: Connect) -> None:
    connection = connect(shards[0])
    assert connection.version == (18, 16)
    proxy = shards[0].proxy
    assert proxy is not None
    proxy.cut = True
    try:
        with pytest.raises(WattmarkError, match="does not answer: Remote end closed connection"):
            connection.rows("SELECT 1")
    finally:
        proxy.cut = False
    assert connection.rows("SELECT 1") == [(1,)]


def test_what_is_no_clickhouse_is_told_from_its_answers(tmp_path: Path) -> None:
    with running("1.8.3", tmp_path) as influx, proxy_to(influx.port) as login:
        login.login = True
        for url in (login.url, influx.url):
            with pytest.raises(ClickHouseProblem, match=r"does not answer as ClickHouse does\. Correct .*port 8123"):
                make(Connection(ClickHouseSettings(url=url)))


def test_tls_needs_an_authority_that_is_known(shards: tuple[Server, Server], tmp_path: Path) -> None:
    certificate, key = self_signed(tmp_path)
    with proxy_to(shards[0].http, (certificate, key)) as proxy:
        with pytest.raises(
            ClickHouseProblem, match=r"signed by an unknown authority\. Set WATTMARK_CLICKHOUSE_CA_FILE"
        ):
            Connection(ClickHouseSettings(url=proxy.url, password=PASSWORD)).rows("SELECT 1")
        known = Connection(ClickHouseSettings(url=proxy.url, password=PASSWORD, ca_file=certificate))
        assert known.rows("SELECT 1") == [(1,)]
        known.close()
