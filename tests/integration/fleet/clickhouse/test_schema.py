"""The schema is made once, completed where it was interrupted, and what is not ours is left alone."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner
from wattmark.cli.keep.store import app
from wattmark.core.errors import InputError
from wattmark.fleet.clickhouse.connection import Connection
from wattmark.fleet.clickhouse.ddl import Dialect, marker
from wattmark.fleet.clickhouse.problems import ClickHouseProblem
from wattmark.fleet.clickhouse.schema import check_schema

from .conftest import CLUSTER, PASSWORD, Connect, make
from .servers import Server

ALL = ("sample", "run", "result")


def tables(connection: Connection) -> list[tuple[str, str]]:
    sql = "SELECT name, engine FROM system.tables WHERE database = %(database)s ORDER BY name"
    return [(str(name), str(engine)) for name, engine in connection.rows(sql, {"database": connection.database})]


def test_the_schema_is_made_once(store: Connection) -> None:
    check_schema(store)
    before = tables(store)
    cluster = CLUSTER if ("sample", "Distributed") in before else None
    assert make(store, cluster) == ()
    assert tables(store) == before
    types = check_schema(store)
    assert types["sample"]["t_ns"] == "Int64"
    assert store.rows(f"SELECT layout, software FROM {store.database}.wattmark_schema") == [(1, "1.0")]


def test_an_interrupted_init_is_named_and_completed(shards: tuple[Server, Server], connect: Connect) -> None:
    connection = connect(shards[0])
    with pytest.raises(ClickHouseProblem, match=r"does not have a database wattmark_\d+. Run `wattmark store init`"):
        check_schema(connection)
    make(connection)
    for name in ("wattmark_schema", "result"):
        connection.run(f"DROP TABLE {connection.database}.{name}")
    with pytest.raises(
        ClickHouseProblem, match=r"only a part of the tables: result, wattmark_schema .* init` as the admin again"
    ):
        check_schema(connection)
    assert make(connection) == ("result",)
    check_schema(connection)
    connection.run(f"DROP TABLE {connection.database}.wattmark_schema")
    with pytest.raises(ClickHouseProblem, match="only a part of the tables: wattmark_schema is missing"):
        check_schema(connection)
    assert make(connection) == ()
    check_schema(connection)


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        (
            "CREATE TABLE {}.result (id UInt32, lab String) ENGINE = Memory",
            "result .* not of wattmark: it has no column",
        ),
        ("CREATE TABLE {}.wattmark_schema (id UInt32) ENGINE = Memory", "wattmark_schema .* not of wattmark"),
        (
            "CREATE VIEW {}.wattmark_schema AS SELECT toUInt16(9) AS layout, '7.1' AS software, toInt64(1) AS made_ns",
            r"of a newer wattmark \(7.1: layout 9; this one knows 1\). Update this wattmark",
        ),
    ],
)
def test_what_is_not_ours_or_newer_is_left_alone(
    shards: tuple[Server, Server], connect: Connect, statement: str, words: str
) -> None:
    connection = connect(shards[0])
    connection.run(f"CREATE DATABASE {connection.database}")
    connection.run(statement.format(connection.database))
    before = tables(connection)
    with pytest.raises(ClickHouseProblem, match=words):
        make(connection)
    with pytest.raises(ClickHouseProblem):
        check_schema(connection)
    assert tables(connection) == before


def test_options_that_do_not_suit_are_refused_before_anything_is_written(
    shards: tuple[Server, Server], connect: Connect
) -> None:
    connection = connect(shards[0])
    for options, words in (
        ({"cluster": "nowhere"}, "does not know a cluster nowhere. It knows: lab"),
        ({"ttl_days": 30}, "18.16 cannot delete samples after a time"),
    ):
        with pytest.raises(InputError, match=words):
            make(connection, **options)
        assert tables(connection) == []
    make(connection)
    with pytest.raises(InputError, match="made for a single server"):
        make(connection, CLUSTER)
    connection.run(f"DROP DATABASE {connection.database}")
    make(connection, CLUSTER)
    with pytest.raises(InputError, match=r"made for a cluster\. Name it"):
        make(connection)


def test_raw_samples_are_given_a_time_to_live_and_another(chdb: Connection) -> None:
    make(chdb, ttl_days=400)
    for days in (400, 30):
        make(chdb, ttl_days=days)
        ((engine,),) = chdb.rows(
            "SELECT engine_full FROM system.tables WHERE database = %(database)s AND name = 'sample'",
            {"database": chdb.database},
        )
        assert f"toIntervalDay({days})" in engine
    ((run,),) = chdb.rows(
        "SELECT engine_full FROM system.tables WHERE database = %(database)s AND name = 'run'",
        {"database": chdb.database},
    )
    assert "TTL" not in run


def test_a_table_of_an_older_layout_asks_for_init(chdb: Connection) -> None:
    make(chdb)
    for statement in marker(Dialect(chdb.database, (26, 9)), "0.9", 1):
        chdb.run(statement.replace("toUInt16(1)", "toUInt16(0)"))
    with pytest.raises(ClickHouseProblem, match=r"has layout 0; this wattmark needs 1\. Run `wattmark store init`"):
        check_schema(chdb)
    make(chdb)
    check_schema(chdb)


def test_the_command_makes_the_tables_and_says_so(
    shards: tuple[Server, Server], connect: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    connection = connect(shards[0])
    for name, value in (("URL", shards[0].url), ("PASSWORD", PASSWORD), ("DATABASE", connection.database)):
        monkeypatch.setenv(f"WATTMARK_CLICKHOUSE_{name}", value)
    for words in (f"Made in {connection.target}: sample, run, result.", f"{connection.target} has all tables"):
        done = CliRunner().invoke(app, ["init", "--cluster", CLUSTER])
        assert (done.exit_code, words in done.output) == (0, True), done.output
        assert "each of the 2 servers of lab" in done.output
