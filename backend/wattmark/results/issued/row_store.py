"""Results as rows: a line of the list for each run, and the figures of each issued version.

Both are written in the transaction that issues a result. They are derived from it and from the record of its run, so
triggers throw a line away when one of these changes, and every change of a record rebuilds it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import apsw

from wattmark.results.issued.issued_result import Issue, as_issued
from wattmark.results.names import Configuration
from wattmark.results.pages.listing import RunFacetValue, RunQuery
from wattmark.results.pages.row import RunRow, figures, run_row
from wattmark.results.result import Result
from wattmark.runs.annotations.annotation import Annotation
from wattmark.runs.record import RunRecord
from wattmark.store.columns import checksum
from wattmark.store.database import Database
from wattmark.store.query import query
from wattmark.store.table import StoredTable

_CHOSEN_BY = {
    "run_id": "TEXT NOT NULL UNIQUE",
    "campaign_id": "TEXT",
    "server": "TEXT NOT NULL",
    "configuration": "TEXT NOT NULL",
    "dimm_count": "INTEGER",
    "workload": "TEXT NOT NULL",
    "level": "TEXT NOT NULL",
    "repeat": "INTEGER NOT NULL",
    "status": "TEXT NOT NULL",
    "kind": "TEXT NOT NULL",
    "quality": "TEXT NOT NULL",
    "created": "TEXT NOT NULL",
    "created_ns": "INTEGER NOT NULL",
    "installation": "TEXT",
    "by_configuration": "TEXT NOT NULL",
    "by_workload": "TEXT NOT NULL",
    "by_verdict": "TEXT NOT NULL",
    "words": "TEXT NOT NULL",
}
"""Columns by which runs are filtered, sorted and chosen."""
RESULT_ROW = StoredTable(
    name="result_row",
    key=("id AUTOINCREMENT",),
    columns={
        "id": "INTEGER",
        "version": "INTEGER NOT NULL",
        **_CHOSEN_BY,
        "line": "TEXT NOT NULL",
        "crc": "INTEGER NOT NULL",
    },
    rowid=True,
    also="""
    CREATE TRIGGER run_insert_drops_row AFTER INSERT ON run
      BEGIN DELETE FROM result_row WHERE run_id = new.run_id; END;
    CREATE TRIGGER run_update_drops_row AFTER UPDATE ON run
      BEGIN DELETE FROM result_row WHERE run_id = new.run_id; END;
    CREATE TRIGGER run_delete_drops_row AFTER DELETE ON run
      BEGIN DELETE FROM result_row WHERE run_id = old.run_id; END;
    CREATE TRIGGER issue_insert_drops_row AFTER INSERT ON issue
      BEGIN DELETE FROM result_row WHERE run_id = new.run_id; END;
    CREATE TRIGGER issue_delete_drops_row AFTER DELETE ON issue BEGIN
      DELETE FROM result_row WHERE run_id = old.run_id;
      DELETE FROM figure WHERE run_id = old.run_id AND version = old.version;
    END;
    """,
)
"""An ``id`` is never used again, so that it identifies a line: this record with this version of its result."""
FIGURE = StoredTable(
    name="figure",
    key=("run_id", "version", "quantity"),
    columns={
        "run_id": "TEXT",
        "version": "INTEGER",
        "quantity": "TEXT",
        "value": "REAL NOT NULL",
        "unit": "TEXT NOT NULL",
        "u": "REAL",
        "expanded": "REAL",
        "k95": "REAL",
        "dof": "REAL",
    },
)
TABLES = RESULT_ROW, FIGURE
_NAMES = ", ".join(_CHOSEN_BY)
_KEPT = "run_id NOT IN (SELECT run_id FROM trash)"
_LISTED = f"""WITH beside AS MATERIALIZED (SELECT value FROM json_each(:beside)), listed AS (
    SELECT id, version, NULL AS figures, {_NAMES} FROM result_row
      WHERE {_KEPT} AND run_id NOT IN (SELECT value ->> 'run_id' FROM beside)
    UNION ALL SELECT NULL, NULL, value -> 'figures', {", ".join(f"value ->> '{name}'" for name in _CHOSEN_BY)}
      FROM beside WHERE value ->> 'run_id' NOT IN (SELECT run_id FROM trash)
  )"""  # noqa: S608
"""Lines of issued results, and ``beside`` them results that are not issued or that a person wants ranked."""
_ISSUED = f"""WITH listed AS (SELECT id, version, NULL AS figures, {_NAMES} FROM result_row WHERE {_KEPT})"""  # noqa: S608
_EXACT = ("status", "kind", "quality", "server", "configuration", "workload", "level", "campaign_id")
_SORTED_BY = {
    "configuration": "by_configuration",
    "verdict": "by_verdict",
    "workload": "by_workload",
    "repeat": "repeat",
    "created": "created",
}
"""The other columns are figures."""
_KEY = "server || '/' || configuration"
_GROUPED_BY = {
    "configuration": _KEY,
    "workload": "workload || ', ' || level",
    "server": "server",
    "campaign": "campaign_id",
}
_FACETS = {
    "server": ("server", ("server",)),
    "configuration": (_KEY, ("server", "configuration")),
    "workload": ("workload", ("workload",)),
    "level": ("level", ("level",)),
    "campaign": ("campaign_id", ("campaign_id",)),
    "quality": ("quality", ("quality",)),
    "status": ("status", ("status",)),
    "kind": ("kind", ("kind",)),
}
"""What runs are counted by, and the filters that choose it."""
_SAID = ", said AS MATERIALIZED (SELECT key, value FROM json_each(:said))"
_FIGURE = """coalesce(figures ->> :quantity, (SELECT value FROM figure
  WHERE figure.run_id = listed.run_id AND figure.version = listed.version AND quantity = :quantity))"""


Beside = tuple[RunRecord, Result]


class ComparedRun(NamedTuple):
    """Place of a run in comparisons: its group key, and the installation that it was made in."""

    id: int | None
    """Names the state of record and result; None: not issued."""
    run_id: str
    server: str
    configuration: str
    workload: str
    level: str
    dimm_count: int | None
    created: str
    installation: str | None
    status: str


class ResultStore:
    """List, filter, sort and choose results by SQL, without reading whole results."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def unissued(self) -> list[str]:
        """List the runs without a row, oldest first: recording, never evaluated, not evaluable, or changed since."""
        sql = f"""SELECT run_id FROM run WHERE {_KEPT} AND run_id NOT IN (SELECT run_id FROM result_row)
          ORDER BY created_ns, run_id"""  # noqa: S608
        with self._database.snapshot() as connection:
            return [run_id for (run_id,) in query(connection, sql)]

    def chosen(self, asked: RunQuery, beside: Sequence[Beside], annotations: Mapping[str, Annotation]) -> list[str]:
        """Select and sort the runs of a query; runs without the value that is sorted by come last.

        ``annotations`` are tags and notes of runs, which are searched too.
        """
        column, group = asked.sort.removeprefix("-"), _GROUPED_BY[asked.group] if asked.group else "NULL"
        columns = f"listed.run_id, {_SORTED_BY.get(column, _FIGURE)} AS sorted_by, {group}"
        sql, values = _selection(columns, asked, beside, annotations)
        if column not in _SORTED_BY:
            values["quantity"] = column
        sql += f""" ORDER BY sorted_by IS NULL, sorted_by {"DESC" if asked.sort.startswith("-") else "ASC"},
            created_ns, listed.run_id"""
        with self._database.snapshot() as connection:
            rows = [(run_id, name) for run_id, _, name in connection.execute(sql, values)]
        places = {name: place for place, name in enumerate(dict.fromkeys(name for _, name in rows))}
        return [run_id for run_id, name in sorted(rows, key=lambda row: places[row[1]])]

    def counted(
        self, asked: RunQuery, beside: Sequence[Beside], annotations: Mapping[str, Annotation]
    ) -> dict[str, list[RunFacetValue]]:
        """Count the runs by each value that they can be filtered by, under the other filters of a query."""
        return {
            name: self._counted(column, asked.model_copy(update=dict.fromkeys(own)), beside, annotations)
            for name, (column, own) in _FACETS.items()
        }

    def _counted(
        self, column: str, asked: RunQuery, beside: Sequence[Beside], annotations: Mapping[str, Annotation]
    ) -> list[RunFacetValue]:
        sql, values = _selection(f"{column} AS counted, count(), min(created)", asked, beside, annotations)
        sql += " AND counted IS NOT NULL GROUP BY counted ORDER BY counted"
        with self._database.snapshot() as connection:
            return [RunFacetValue(value=value, n=n, since=at) for value, n, at in connection.execute(sql, values)]

    def lines(self, run_ids: Sequence[str]) -> dict[str, str]:
        """Read the rows of some runs as JSON of `RunRow`; damaged ones are excluded."""
        sql = "SELECT run_id, line, crc FROM result_row WHERE run_id IN (SELECT value FROM json_each(?))"
        with self._database.snapshot() as connection:
            rows = query(connection, sql, json.dumps(run_ids))
        return {run_id: line for run_id, line, crc in rows if checksum(line.encode()) == crc}

    def ran(self, beside: Sequence[Beside], **chosen: str | None) -> list[ComparedRun]:
        """List the runs as comparisons select them, oldest first: all, or those of a workload, level or server."""
        wanted = {name: value for name, value in chosen.items() if value is not None}
        conditions = "".join(f" AND listed.{name} = :{name}" for name in wanted)
        names = ", ".join(f"listed.{name}" for name in ComparedRun._fields)
        sql = f"""{_LISTED if beside else _ISSUED} SELECT {names} FROM listed
          WHERE true{conditions} ORDER BY created_ns, listed.run_id"""  # noqa: S608
        values = {"beside": json.dumps([_columns(run, result) for run, result in beside]), **wanted}
        with self._database.snapshot() as connection:
            return [ComparedRun(*row) for row in connection.execute(sql, values)]

    def configurations(self, beside: Iterable[Result]) -> list[Configuration]:
        """List the measured configurations of all runs, each with the title of one of them."""
        title = "CASE WHEN json_valid(line) THEN line ->> 'configuration_title' END"
        sql = f"""SELECT server, configuration, {title} FROM result_row
          WHERE {_KEPT} GROUP BY server, configuration"""  # noqa: S608
        with self._database.snapshot() as connection:
            rows = list(query(connection, sql))
        rows += [(result.server, result.configuration, result.configuration_title) for result in beside]
        by_key = {(server, name): title for server, name, title in reversed(rows)}
        return [Configuration(server, name, title or name) for (server, name), title in sorted(by_key.items())]

    def without_row(self) -> list[str]:
        """List the runs whose issued results lack a row, as after a migration that dropped rows."""
        sql = f"""SELECT DISTINCT run_id FROM issue WHERE {_KEPT}
          AND run_id IN (SELECT run_id FROM run) AND run_id NOT IN (SELECT run_id FROM result_row)"""  # noqa: S608
        with self._database.snapshot() as connection:
            return [run_id for (run_id,) in query(connection, sql)]


def write_row(connection: apsw.Connection, run: RunRecord, issue: Issue, result: Result) -> None:
    """Write the row and the figures of an issued result; neither where the record of its run changed since."""
    shown = as_issued(run, result, issue)
    if shown is None:
        return
    line = run_row(shown).model_dump_json()
    row = {**_columns(run, shown), "version": issue.version, "line": line, "crc": checksum(line.encode())}
    names, values = ", ".join(row.keys() - {"figures"}), ", ".join(f":{name}" for name in row.keys() - {"figures"})
    connection.execute(f"INSERT OR REPLACE INTO result_row({names}) VALUES ({values})", row)  # noqa: S608
    connection.executemany(
        "INSERT OR REPLACE INTO figure VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [
            (run.run_id, issue.version, name, q.value, q.unit, q.u, q.U95, q.k95, q.dof)
            for name, q in figures(shown).items()
        ],
    )


def _selection(
    columns: str, asked: RunQuery, beside: Sequence[Beside], annotations: Mapping[str, Annotation]
) -> tuple[str, dict[str, Any]]:
    """Return the SQL that selects columns of the runs of a query, and its values."""
    values: dict[str, Any] = {"beside": json.dumps([_columns(run, result) for run, result in beside])}
    conditions = []
    for name in _EXACT:
        if (wanted := getattr(asked, name)) is not None:
            values[name] = str(wanted)
            conditions.append(f"listed.{name} = :{name}")
    if asked.tag is not None:
        values["tagged"] = json.dumps(
            [run_id for run_id, annotation in annotations.items() if asked.tag in annotation.tags]
        )
        conditions.append("listed.run_id IN (SELECT value FROM json_each(:tagged))")
    words = asked.text.lower().split()
    if words:
        values["said"] = json.dumps(
            {
                run_id: " ".join((*annotation.tags, annotation.note)).lower()
                for run_id, annotation in annotations.items()
            }
        )
    for number, word in enumerate(words):
        values[f"word{number}"] = word
        conditions.append(f"instr(words || ' ' || coalesce(said.value, ''), :word{number})")
    sql = f"""{_LISTED if beside else _ISSUED}{_SAID if words else ""}
      SELECT {columns} FROM listed {"LEFT JOIN said ON said.key = listed.run_id" if words else ""}
      WHERE {" AND ".join(conditions) or "true"}"""  # noqa: S608
    return sql, values


def _columns(run: RunRecord, result: Result) -> dict[str, Any]:
    """Return the columns that a result is selected and sorted by."""
    row = run_row(result)
    names = row.run_id, row.server, row.configuration, row.configuration_title, row.workload, row.level, row.meter
    columns = {name: getattr(row, name) for name in RunRow.model_fields.keys() & set(_CHOSEN_BY)}
    return {
        **columns,
        "status": row.status.value,
        "created_ns": run.created_ns,
        "installation": result.installation,
        "by_configuration": _natural(row.configuration_title or row.configuration),
        "by_workload": _natural(f"{row.workload}, {row.level}"),
        "by_verdict": f"{row.status} {row.quality} {len(row.failed_rules)} {' '.join(row.failed_rules)}",
        "words": " ".join((*names, row.campaign_id or "")).lower(),
        "figures": {name: quantity.value for name, quantity in figures(result).items()},
    }


def _natural(text: str) -> str:
    """Return a sort key by which "fb10" comes after "fb4"."""
    parts = re.split(r"(\d+)", text.lower())
    return "\x01".join(f"{len(str(int(part))):03}{int(part)} {part}" if part.isdecimal() else part for part in parts)
