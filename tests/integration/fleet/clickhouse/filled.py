"""A fleet's tables filled from data folders, without a sink."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from wattmark.fleet.clickhouse.connection import Connection
from wattmark.fleet.clickhouse.ddl import Dialect, column_type
from wattmark.fleet.clickhouse.tables import RESULT, RUN, SAMPLE, ClickHouseTable
from wattmark.fleet.dossiers.dossier import Dossier
from wattmark.fleet.dossiers.dossiers import Dossiers
from wattmark.fleet.dossiers.rows import lab_of_dossier, result_columns, run_columns, series_parts
from wattmark.results.data_folder import Storage
from wattmark.results.issued.evaluations import Evaluations


def fill(connection: Connection, storage: Storage, lab: str, written_ns: int = 1) -> None:
    """Send all runs of a data folder, as the appliance of a lab does."""
    dossiers = Dossiers(storage, Evaluations(storage), lambda: lab)
    gathered = [dossier for run_id in storage.runs.ids() if (dossier := dossiers.gather(run_id)) is not None]
    insert(connection, RUN, [run_columns(dossier, written_ns) for dossier in gathered])
    results = [result_columns(dossier, written_ns) for dossier in gathered]
    insert(connection, RESULT, [row for row in results if row is not None])
    fill_samples(connection, storage, [(dossier, lab_of_dossier(dossier)) for dossier in gathered])


def fill_samples(connection: Connection, storage: Storage, dossiers: Sequence[tuple[Dossier, str]]) -> None:
    """Send the samples of runs under the names of their labs."""
    parts = [columns for dossier, lab in dossiers for columns in _samples(storage, dossier, lab)]
    columns = {
        column.name: [value for part in parts for value in part[column.name]]
        if column.type == "String"
        else np.concatenate([part[column.name] for part in parts])
        for column in SAMPLE.columns
    }
    connection.insert(SAMPLE.name, columns, _types(connection, SAMPLE))


def insert(connection: Connection, table: ClickHouseTable, rows: Sequence[dict[str, Any]]) -> None:
    """Insert rows."""
    columns = {column.name: [row[column.name] for row in rows] for column in table.columns}
    connection.insert(table.name, columns, _types(connection, table))


def _samples(storage: Storage, dossier: Dossier, lab: str) -> list[dict[str, Any]]:
    series = storage.samples.list_series(dossier.record.run_id)
    columns = []
    for entry, part in zip(series, series_parts(key for key, _ in dossier.keys), strict=True):
        samples, key = storage.samples.read(entry.id), entry.key
        n = len(samples)
        first = np.searchsorted(samples.t_ns, samples.t_ns, side="left")
        texts = {"lab": lab, "run": key.run_id, "server": key.server, "source": key.source, "channel": key.channel}
        columns.append(
            {
                **{name: [text] * n for name, text in texts.items()},
                "part": np.full(n, part, np.uint8),
                "t_ns": samples.t_ns,
                "repeat": (np.arange(n) - first).astype(np.uint16),
                "value": samples.value,
                "quality": samples.quality,
                "u_t_s": samples.u_t_s,
                "simulated": np.full(n, key.simulated, np.uint8),
            }
        )
    return columns


def _types(connection: Connection, table: ClickHouseTable) -> list[str]:
    return [column_type(column, Dialect(connection.database, connection.version)) for column in table.columns]
