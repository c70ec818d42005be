"""A fleet's tables filled from data folders."""

from __future__ import annotations

import numpy as np
from wattmark.exchange.clickhouse.connection import Connection
from wattmark.exchange.clickhouse.ddl import Dialect, column_type
from wattmark.exchange.clickhouse.tables import RESULT, RUN, SAMPLE, Table
from wattmark.exchange.fleet.dossiers import Dossiers
from wattmark.exchange.fleet.rows import lab_of_dossier, result_columns, run_columns, series_parts
from wattmark.results.data_folder import Storage
from wattmark.results.issued.evaluations import Evaluations


def fill(connection: Connection, storage: Storage, lab: str, written_ns: int = 1) -> None:
    """Send all runs of a data folder, as the appliance of a lab does."""
    dossiers = Dossiers(storage, Evaluations(storage), lambda: lab)
    gathered = [dossier for run_id in storage.runs.ids() if (dossier := dossiers.gather(run_id)) is not None]
    _insert(connection, RUN, [run_columns(dossier, written_ns) for dossier in gathered])
    results = [result_columns(dossier, written_ns) for dossier in gathered]
    _insert(connection, RESULT, [row for row in results if row is not None])
    for dossier in gathered:
        for series, part in zip(
            storage.samples.list_series(dossier.record.run_id),
            series_parts(key for key, _ in dossier.keys),
            strict=True,
        ):
            samples = storage.samples.read(series.id)
            n = len(samples)
            key = series.key
            texts = {"lab": lab_of_dossier(dossier), "run": key.run_id, "server": key.server, "source": key.source}
            first = np.searchsorted(samples.t_ns, samples.t_ns, side="left")
            columns = {name: [text] * n for name, text in {**texts, "channel": key.channel}.items()} | {
                "part": np.full(n, part, np.uint8),
                "t_ns": samples.t_ns,
                "repeat": (np.arange(n) - first).astype(np.uint16),
                "value": samples.value,
                "quality": samples.quality,
                "u_t_s": samples.u_t_s,
            }
            connection.insert("sample", columns, _types(connection, SAMPLE))


def _insert(connection: Connection, table: Table, rows: list[dict]) -> None:
    columns = {column.name: [row[column.name] for row in rows] for column in table.columns}
    connection.insert(table.name, columns, _types(connection, table))


def _types(connection: Connection, table: Table) -> list[str]:
    return [column_type(column, Dialect(connection.database, connection.version)) for column in table.columns]
