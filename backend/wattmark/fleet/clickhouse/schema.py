"""Make the schema on a server, bring an older one up to date, and check before use that it exists and is wattmark's."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from wattmark.core.errors import InputError
from wattmark.fleet.clickhouse.connection import Connection
from wattmark.fleet.clickhouse.ddl import LOCAL, Dialect, statements, storage_name, time_to_live
from wattmark.fleet.clickhouse.problems import ClickHouseProblem
from wattmark.fleet.clickhouse.settings import PREFIX
from wattmark.fleet.clickhouse.tables import LAYOUT, SCHEMA, TABLES, ClickHouseTable

Types = Mapping[str, Mapping[str, str]]
"""Type of each column of each table."""
_COLUMNS = "SELECT table, name, type FROM system.columns WHERE database = %(database)s"
_INIT = "Run `wattmark store init` as the admin."


@dataclass(frozen=True, slots=True)
class SchemaChange:
    """What was done. ``servers``: how many servers of the cluster need the same command, each with its own address."""

    tables: tuple[str, ...]
    servers: int = 1
    ttl_changed: bool = False


def check_schema(connection: Connection) -> Types:
    """Return the types of the columns of a whole schema of this layout. Raises `ClickHouseProblem`."""
    types = _types(connection)
    place = f"The ClickHouse database {connection.database}"
    missing = [table.name for table in TABLES if table.name not in types]
    if not types:
        _check_database(connection)
    if len(missing) == len(TABLES) and SCHEMA not in types:
        raise ClickHouseProblem(f"{place} does not have the tables of wattmark.", _INIT)
    _check_ours(connection, types)
    if missing or SCHEMA not in types:
        names = ", ".join([*missing, *([] if SCHEMA in types else [SCHEMA])])
        raise ClickHouseProblem(f"{place} has only a part of the tables: {names} is missing.", f"{_INIT[:-1]} again.")
    layout = _layout(connection, types)
    if layout < LAYOUT:
        raise ClickHouseProblem(f"{place} has layout {layout}; this wattmark needs {LAYOUT}.", _INIT)
    return types


def make_schema(
    connection: Connection, *, cluster: str | None, ttl_days: int | None, software: str, made_ns: int
) -> SchemaChange:
    """Create what is missing and change how long raw samples are kept; nothing is written where all is as asked.

    Raises `ClickHouseProblem` for what the server refuses or has of somebody else, `InputError` for options that do
    not suit it.
    """
    types = _types(connection)
    _check_ours(connection, types)
    layout = _layout(connection, types)
    dialect, servers = _dialect(connection, cluster, ttl_days)
    _check_options(dialect, types)
    made = tuple(table.name for table in TABLES if table.name not in types)
    if made or layout < LAYOUT:
        for statement in statements(dialect, software, made_ns):
            connection.run(statement)
    existing = [table for table in TABLES if table.raw and table.name not in made]
    if ttl_days is not None:
        for table in existing:
            connection.run(time_to_live(table, dialect))
    return SchemaChange(made, servers, ttl_days is not None)


def _types(connection: Connection) -> dict[str, dict[str, str]]:
    types: dict[str, dict[str, str]] = {}
    for table, name, kind in connection.rows(_COLUMNS, {"database": connection.database}):
        types.setdefault(str(table), {})[str(name)] = str(kind)
    return types


def _check_database(connection: Connection) -> None:
    sql = "SELECT count() FROM system.databases WHERE name = %(database)s"
    ((databases,),) = connection.rows(sql, {"database": connection.database})
    if not databases:
        remedy = f"Run `wattmark store init` as the admin, or correct {PREFIX}DATABASE."
        raise ClickHouseProblem(f"ClickHouse does not have a database {connection.database}.", remedy)


def _check_ours(connection: Connection, types: Types) -> None:
    """Refuse a table of one of our names that lacks a column of ours, or has another type in it."""
    for table in TABLES:
        for name in (table.name, table.name + LOCAL):
            if name in types and (wrong := _wrong(table, types[name])):
                raise ClickHouseProblem(
                    f"The table {name} in the ClickHouse database {connection.database} is not of wattmark: {wrong}.",
                    f"Choose another {PREFIX}DATABASE.",
                )


def _wrong(table: ClickHouseTable, types: Mapping[str, str]) -> str | None:
    for column in table.columns:
        stored = types.get(column.name)
        if stored is None:
            return f"it has no column {column.name}"
        if stored not in (column.type, f"LowCardinality({column.type})"):
            return f"its column {column.name} is of the type {stored}, not {column.type}"
    return None


def _layout(connection: Connection, types: Types) -> int:
    """Return the layout that was made there, 0 where none was finished. Raises `ClickHouseProblem` for a newer one."""
    columns = types.get(SCHEMA)
    if columns is None:
        return 0
    if "layout" not in columns:
        raise ClickHouseProblem(
            f"The table {SCHEMA} in the ClickHouse database {connection.database} is not of wattmark.",
            f"Choose another {PREFIX}DATABASE.",
        )
    ((layout, software),) = connection.rows(f"SELECT layout, software FROM {connection.database}.{SCHEMA}")  # noqa: S608
    if layout > LAYOUT:
        raise ClickHouseProblem(
            f"The tables in ClickHouse are of a newer wattmark ({software}: layout {layout}; this one knows {LAYOUT}).",
            "Update this wattmark.",
        )
    return int(layout)


def _dialect(connection: Connection, cluster: str | None, ttl_days: int | None) -> tuple[Dialect, int]:
    """Return what to render for, and how many servers need the command."""
    version = connection.version
    if cluster is None:
        return Dialect(connection.database, version, ttl_days=ttl_days), 1
    rows = connection.rows("SELECT cluster, shard_num, count() FROM system.clusters GROUP BY cluster, shard_num")
    replicas = [int(count) for name, _, count in rows if name == cluster]
    if not replicas:
        names = ", ".join(sorted({str(name) for name, _, _ in rows})) or "none"
        raise InputError(f"ClickHouse does not know a cluster {cluster}.", f"It knows: {names}.")
    sql = "SELECT count() FROM system.tables WHERE database = 'system' AND name = 'zookeeper'"
    keeper = bool(connection.rows(sql)[0][0])
    if not keeper and max(replicas) > 1:
        raise InputError(
            f"The cluster {cluster} has replicas, but this server has no ZooKeeper or Keeper.",
            "Configure it on every server of the cluster.",
        )
    dialect = Dialect(connection.database, version, cluster=cluster, keeper=keeper, ttl_days=ttl_days)
    return dialect, 1 if keeper else sum(replicas)


def _check_options(dialect: Dialect, types: Types) -> None:
    has = {name for table in TABLES for name in (table.name, storage_name(table, cluster=True)) if name in types}
    distributed = any(name.endswith(LOCAL) for name in has)
    if has and distributed != (dialect.cluster is not None):
        cause, remedy = (
            ("The tables were made for a cluster.", "Name it: --cluster NAME.")
            if distributed
            else ("The tables were made for a single server.", f"Choose another {PREFIX}DATABASE for the cluster.")
        )
        raise InputError(cause, remedy)
    if dialect.ttl_days is not None and not dialect.modern:
        raise InputError(
            f"ClickHouse {'.'.join(map(str, dialect.version))} cannot delete samples after a time by itself.",
            "Omit --ttl-days, and drop old months of the table: ALTER TABLE sample DROP PARTITION 202601.",
        )
