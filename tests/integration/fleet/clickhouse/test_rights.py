"""The user of the compose file: inserts and queries work; whatever changes tables or users is the admin's alone."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4
from xml.etree import ElementTree

import clickhouse_connect
import pytest
from ruamel.yaml import YAML
from wattmark.fleet.clickhouse.connection import Connection
from wattmark.fleet.clickhouse.problems import ClickHouseProblem
from wattmark.fleet.clickhouse.settings import ClickHouseSettings
from wattmark.fleet.clickhouse.verify import verify_run
from wattmark.results.data_folder import Storage

from ...service.conftest import WATTMARK
from ..influx.recorded import fill
from .conftest import make
from .recorded import Bench, count
from .servers import Server, one_server

DOCKER = Path(__file__).parents[4] / "docker"
USERS = DOCKER / "clickhouse/appliance.xml"
USER, SECRET = "wattmark", "of the appliance"
REFUSED = [
    "CREATE TABLE {0}.mine (x UInt8) ENGINE = Memory",
    "CREATE DATABASE mine",
    "DROP TABLE {0}.run",
    "DROP DATABASE {0}",
    "ALTER TABLE {0}.sample ADD COLUMN mine UInt8",
    "ALTER TABLE {0}.sample DROP PARTITION 202601",
    "TRUNCATE TABLE {0}.sample",
    "RENAME TABLE {0}.run TO {0}.mine",
    "DETACH TABLE {0}.run",
    "SET allow_ddl = 1",
]
"""What changes tables, or would allow it."""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server with the tables, and with the file of the compose file; 18.16 calls its outermost element otherwise."""
    folder = tmp_path_factory.mktemp("rights")
    (folder / "users.d").mkdir()
    text = USERS.read_text().replace("<clickhouse>", "<yandex>").replace("</clickhouse>", "</yandex>")
    (folder / "users.d/appliance.xml").write_text(text)
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("APPLIANCE_PASSWORD", SECRET)
        with one_server(folder) as server:
            yield server


@pytest.fixture
def appliance(server: Server) -> Iterator[Connection]:
    settings = ClickHouseSettings(url=server.url, user=USER, password=SECRET, database="wattmark", timeout_s=10)
    connection = Connection(settings)
    yield connection
    connection.close()


def test_the_appliance_inserts_and_queries(appliance: Connection, storage: Storage) -> None:
    run_id = str(uuid4())
    fill(storage, run_id, n=50)
    bench = Bench(storage, appliance)
    assert bench.drain() == []
    assert count(appliance, "sample") == 50 + 32 + 50 + 70
    assert all(totals.same for totals in verify_run(run_id, storage.samples, appliance))


@pytest.mark.parametrize("sql", REFUSED)
def test_the_appliance_changes_no_table(server: Server, appliance: Connection, sql: str) -> None:
    tables = server.ask("SELECT database, name FROM system.columns ORDER BY database, table, name")
    with pytest.raises(ClickHouseProblem, match="run `wattmark store init` as the admin") as refused:
        appliance.run(sql.format("wattmark"))
    assert "does not allow this user to do that" in refused.value.cause
    assert server.ask("SELECT database, name FROM system.columns ORDER BY database, table, name") == tables


def test_the_appliance_makes_no_user(appliance: Connection) -> None:
    for sql in ("CREATE USER mine IDENTIFIED BY 'x'", "GRANT ALL ON *.* TO wattmark"):
        with pytest.raises(ClickHouseProblem):
            appliance.run(sql)


def test_the_command_says_who_makes_the_tables(server: Server) -> None:
    variables = {"URL": server.url, "USER": USER, "PASSWORD": SECRET, "DATABASE": "another"}
    environment = os.environ | {f"WATTMARK_CLICKHOUSE_{name}": value for name, value in variables.items()}
    done = subprocess.run([WATTMARK, "store", "init"], capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 1
    assert "run `wattmark store init` as the admin" in " ".join(done.stderr.split())


def test_the_current_engine_refuses_the_same_with_that_profile(storage: Storage) -> None:
    """Its grants need a server of its own; the profile holds in process too."""
    allowed = ElementTree.parse(USERS).findtext("profiles/appliance/allow_ddl")
    database = f"rights_{uuid4().hex}"
    admin, client = (clickhouse_connect.get_client(interface="chdb") for _ in range(2))
    settings = ClickHouseSettings(url="http://chdb.in.process", database=database)
    connection = Connection(settings, admin)
    make(connection)
    client.set_client_setting("allow_ddl", allowed)
    appliance = Connection(settings, client)
    try:
        fill(storage, str(uuid4()), n=50)
        assert Bench(storage, appliance).drain() == []
        assert count(appliance, "sample") == 50 + 32 + 50 + 70
        for sql in REFUSED[:5]:
            with pytest.raises(ClickHouseProblem, match="run `wattmark store init` as the admin"):
                appliance.run(sql.format(database))
    finally:
        connection.run(f"DROP DATABASE {database}")
        appliance.close()
        connection.close()


def test_the_compose_file_gives_the_appliance_this_user_alone() -> None:
    services = YAML(typ="safe").load(DOCKER / "compose.clickhouse.yaml")["services"]
    user = ElementTree.parse(USERS).find(f"users/{USER}")
    assert user is not None
    assert [query.text for query in user.findall("grants/query")] == ["GRANT SELECT, INSERT ON wattmark.*"]
    assert (user.findtext("access_management"), user.findtext("profile")) == ("0", "appliance")
    assert services["wattmark"]["environment"]["WATTMARK_CLICKHOUSE_USER"] == USER
    assert (
        "./clickhouse/appliance.xml:/etc/clickhouse-server/users.d/appliance.xml:ro"
        in services["clickhouse"]["volumes"]
    )
    environment = services["clickhouse"]["environment"]
    password = user.find("password")
    assert password is not None
    secrets = [
        environment[password.attrib["from_env"]],
        services["wattmark"]["environment"]["WATTMARK_CLICKHOUSE_PASSWORD"],
    ]
    assert all(secret.startswith("${CLICKHOUSE_PASSWORD:?") for secret in secrets)
    assert environment["CLICKHOUSE_PASSWORD"].startswith("${CLICKHOUSE_ADMIN_PASSWORD:?")
    assert "CLICKHOUSE_DEFAULT_ACCESS_MANAGEMENT" not in json.dumps(services)
    init = services["store-init"]
    assert init["command"] == ["store", "init"]
    assert init["environment"]["WATTMARK_CLICKHOUSE_USER"] == environment["CLICKHOUSE_USER"]
