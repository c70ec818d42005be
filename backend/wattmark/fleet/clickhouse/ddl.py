"""The tables as DDL: plain for old servers, with codecs, dictionaries and time to live for current ones. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass

from wattmark.fleet.clickhouse.tables import LAYOUT, SCHEMA, TABLES, ClickHouseColumn, ClickHouseTable

MODERN = (21, 3)
"""First version that gets codecs, LowCardinality and TTL; 18.16 has none of them."""
LOCAL = "_local"


@dataclass(frozen=True, slots=True)
class Dialect:
    """What the statements are rendered for. ``keeper``: the cluster has ZooKeeper or Keeper, so it replicates."""

    database: str
    version: tuple[int, int]
    cluster: str | None = None
    keeper: bool = False
    ttl_days: int | None = None

    @property
    def modern(self) -> bool:
        return self.version >= MODERN


def parse_version(text: str) -> tuple[int, int]:
    """Parse the version that a server states, such as 26.9.1.1; (0, 0): it is none."""
    numbers = re.match(r"(\d+)\.(\d+)", text)
    return (int(numbers[1]), int(numbers[2])) if numbers else (0, 0)


def statements(dialect: Dialect, software: str, made_ns: int) -> list[str]:
    """Render everything that `wattmark store init` runs, each harmless where it was run before; the view comes last."""
    return [
        f"CREATE DATABASE IF NOT EXISTS {quoted(dialect.database)}{_on_cluster(dialect)}",
        *(statement for table in TABLES for statement in _table(table, dialect)),
        *marker(dialect, software, made_ns),
    ]


def marker(dialect: Dialect, software: str, made_ns: int) -> list[str]:
    """Render the view that says which layout stands, and that it is whole."""
    view, where = _place(SCHEMA, dialect), _on_cluster(dialect)
    columns = f"toUInt16({LAYOUT}) AS layout, {literal(software)} AS software, toInt64({made_ns}) AS made_ns"
    return [f"DROP TABLE IF EXISTS {view}{where}", f"CREATE VIEW {view}{where} AS SELECT {columns}"]


def storage_name(table: ClickHouseTable, *, cluster: bool) -> str:
    """Return the name of the table that has the rows: in a cluster it lies under the distributed one."""
    return table.name + LOCAL if cluster else table.name


def time_to_live(table: ClickHouseTable, dialect: Dialect) -> str:
    """Render the change of how long rows are kept."""
    name = _place(storage_name(table, cluster=dialect.cluster is not None), dialect)
    return f"ALTER TABLE {name}{_on_cluster(dialect)} MODIFY TTL {_ttl(table, dialect.ttl_days or 0)}"


def column_type(column: ClickHouseColumn, dialect: Dialect) -> str:
    """Return the type of a column."""
    return "LowCardinality(String)" if column.named and dialect.modern else column.type


def quoted(name: str) -> str:
    """Quote an identifier."""
    return "`" + name.replace("\\", "\\\\").replace("`", "\\`") + "`"


def literal(text: str) -> str:
    """Quote a text."""
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def _table(table: ClickHouseTable, dialect: Dialect) -> list[str]:
    cluster = dialect.cluster is not None
    name, where = storage_name(table, cluster=cluster), _on_cluster(dialect)
    columns = ", ".join(_column(column, dialect) for column in table.columns)
    parts = [
        f"CREATE TABLE IF NOT EXISTS {_place(name, dialect)}{where} ({columns})",
        f"ENGINE = {_engine(table, name, dialect)}",
        f"PARTITION BY toYYYYMM(toDateTime(intDiv({table.month_of}, 1000000000), 'UTC'))",
        f"ORDER BY ({', '.join(table.key)})",
    ]
    if table.raw and dialect.ttl_days and dialect.modern:
        parts.append(f"TTL {_ttl(table, dialect.ttl_days)}")
    settings = ["fsync_after_insert = 1", "fsync_part_directory = 1"] if dialect.modern else []
    settings += [] if table.rows_per_mark is None else [f"index_granularity = {table.rows_per_mark}"]
    if settings:
        parts.append(f"SETTINGS {', '.join(settings)}")
    made = [" ".join(parts)]
    if dialect.cluster is not None:
        engine = f"Distributed({dialect.cluster}, {dialect.database}, {name}, cityHash64(run))"
        plain = ", ".join(f"{quoted(column.name)} {column_type(column, dialect)}" for column in table.columns)
        made.append(f"CREATE TABLE IF NOT EXISTS {_place(table.name, dialect)}{where} ({plain}) ENGINE = {engine}")
    return made


def _column(column: ClickHouseColumn, dialect: Dialect) -> str:
    codec = f" CODEC({column.codec})" if column.codec and dialect.modern else ""
    return f"{quoted(column.name)} {column_type(column, dialect)}{codec}"


def _engine(table: ClickHouseTable, name: str, dialect: Dialect) -> str:
    arguments = [table.version] if table.version else []
    if not dialect.keeper:
        return f"ReplacingMergeTree({', '.join(arguments)})"
    path = literal(f"/clickhouse/tables/{{shard}}/{dialect.database}/{name}")
    return f"ReplicatedReplacingMergeTree({', '.join([path, literal('{replica}'), *arguments])})"


def _ttl(table: ClickHouseTable, days: int) -> str:
    return f"toDateTime(intDiv({table.month_of}, 1000000000)) + INTERVAL {days} DAY"


def _place(name: str, dialect: Dialect) -> str:
    return f"{quoted(dialect.database)}.{quoted(name)}"


def _on_cluster(dialect: Dialect) -> str:
    return f" ON CLUSTER {quoted(dialect.cluster)}" if dialect.cluster is not None and dialect.keeper else ""
