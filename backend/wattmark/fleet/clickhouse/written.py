"""When a row was written, so that the later one of a run wins, and the rows that delete a run."""

from __future__ import annotations

from collections.abc import Sequence

from wattmark.fleet.clickhouse.connection import Connection
from wattmark.fleet.clickhouse.ddl import quoted
from wattmark.fleet.clickhouse.schema import check_schema
from wattmark.fleet.clickhouse.tables import RESULT, RUN


def written_after(connection: Connection, run_ids: Sequence[str], now_ns: int) -> dict[str, int]:
    """Return for each run a time after that of its rows there, even where the clock here is behind [UTC ns]."""
    sql = f"SELECT run, max(written_ns) FROM {_table(connection, RUN.name)} WHERE run IN %(runs)s GROUP BY run"  # noqa: S608
    latest = {str(run): int(written_ns) for run, written_ns in connection.rows(sql, {"runs": tuple(run_ids)})}
    return {run_id: max(now_ns, latest.get(run_id, 0) + 1) for run_id in run_ids}


def delete_runs(connection: Connection, run_ids: Sequence[str], now_ns: int) -> list[str]:
    """Mark runs and their results as deleted; return those that were there. Raises `ClickHouseProblem`.

    Their rows stay until the server merges them, their samples until their time to live ends.
    """
    types = check_schema(connection)
    sql = (
        f"SELECT lab, run, created_ns FROM {_table(connection, RUN.name)} FINAL "  # noqa: S608
        "WHERE run IN %(runs)s AND deleted = 0"
    )
    rows = connection.rows(sql, {"runs": tuple(run_ids)})
    present = [str(run) for _, run, _ in rows]
    if present:
        written = written_after(connection, present, now_ns)
        columns = {
            "lab": [lab for lab, _, _ in rows],
            "run": present,
            "created_ns": [created_ns for _, _, created_ns in rows],
            "written_ns": [written[run] for run in present],
            "deleted": [1] * len(rows),
        }
        for table in (RUN, RESULT):
            connection.insert(table.name, columns, [types[table.name][name] for name in columns])
    return present


def _table(connection: Connection, name: str) -> str:
    return f"{quoted(connection.database)}.{quoted(name)}"
