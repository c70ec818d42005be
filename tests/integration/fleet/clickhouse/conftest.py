"""Two shards that live through the session, each with a database of its own per test, and the current engine."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator

import clickhouse_connect
import pytest
from wattmark.fleet.clickhouse.connection import Connection
from wattmark.fleet.clickhouse.schema import make_schema
from wattmark.fleet.clickhouse.settings import ClickHouseSettings

from .servers import CLUSTER, PASSWORD, Server, two_shards

MADE_NS = 1_770_000_000_000_000_000
_numbers = itertools.count()
Connect = Callable[..., Connection]


@pytest.fixture(scope="session")
def shards(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Server, Server]]:
    with two_shards(tmp_path_factory.mktemp("clickhouse")) as servers:
        yield servers


@pytest.fixture
def database() -> str:
    return f"wattmark_{next(_numbers)}"


@pytest.fixture
def connect(database: str) -> Iterator[Connect]:
    """Connect to a server through its proxy, or directly, as a user; the database is this test's own."""
    opened: list[Connection] = []

    def make(server: Server, **other: object) -> Connection:
        settings = {"url": server.url, "password": PASSWORD, "database": database, "timeout_s": 10, **other}
        opened.append(Connection(ClickHouseSettings(**settings)))
        return opened[-1]

    yield make
    for connection in opened:
        connection.close()


@pytest.fixture
def chdb(database: str) -> Iterator[Connection]:
    """The current engine in this process, in memory."""
    settings = ClickHouseSettings(url="http://chdb.in.process", database=database)
    connection = Connection(settings, clickhouse_connect.get_client(interface="chdb"))
    yield connection
    connection.run(f"DROP DATABASE IF EXISTS {database}")
    connection.close()


def make(connection: Connection, cluster: str | None = None, ttl_days: int | None = None) -> tuple[str, ...]:
    """Make the schema on one server."""
    return make_schema(connection, cluster=cluster, ttl_days=ttl_days, software="1.0", made_ns=MADE_NS).tables


@pytest.fixture(params=["two shards of 18.16", "current engine"])
def store(request: pytest.FixtureRequest, connect: Connect) -> Connection:
    """A fleet store with the schema, on each engine."""
    if request.param == "current engine":
        connection: Connection = request.getfixturevalue("chdb")
        make(connection)
        return connection
    connections = [connect(shard) for shard in request.getfixturevalue("shards")]
    for connection in connections:
        make(connection, CLUSTER)
    return connections[0]
