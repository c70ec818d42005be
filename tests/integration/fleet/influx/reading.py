"""What a sink has sent to InfluxDB, read back bit for bit by the schema of its README: the proof that it arrived."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterator

import numpy as np
from wattmark.fleet.influx import schema
from wattmark.fleet.influx.connection import Connection
from wattmark.fleet.influx.lines import stored_tag
from wattmark.fleet.influx.questions import literal
from wattmark.store.columns import in_order, make_samples
from wattmark.store.sample_store import Samples, SampleStore, SeriesKey

_NOT_FINITE = {0.0: np.nan, 1.0: np.inf, -1.0: -np.inf}
_PAGE_ROWS = 100_000


def received(connection: Connection, store: SampleStore, run_id: str) -> Iterator[tuple[Samples, Samples]]:
    """Yield each recorded series of a run beside what the server has of it."""
    seen: Counter[tuple[str, str, str]] = Counter()
    for series in store.list_series(run_id):
        tags = series.key.server, series.key.source, series.key.channel
        yield store.read(series.id), _samples(_rows(connection, series.key), seen[tags])
        seen[tags] += 1


def _rows(connection: Connection, key: SeriesKey) -> list[dict[str, str]]:
    fields = ", ".join(f'"{name}"' for name in schema.SAMPLE_FIELDS)
    tags = zip(schema.TAGS, (key.run_id, key.server, key.source, key.channel), strict=True)
    where = " AND ".join(f'"{name}" = {literal(stored_tag(value))}' for name, value in tags)
    rows: list[dict[str, str]] = []
    begin_ns = -(2**63) + 2
    while True:
        question = f"SELECT {fields} FROM {schema.SAMPLES} WHERE {where} AND time >= {begin_ns} ORDER BY time"
        status, text, _ = connection._call(
            "/query", "GET",
            {"db": connection._settings.database, "q": f"{question} LIMIT {_PAGE_ROWS}", "epoch": "ns"},
            {"Accept": "application/csv"}, None,
        )  # fmt: skip
        assert status == 200, text
        page = list(csv.DictReader(text.splitlines()))
        rows += page
        if len(page) < _PAGE_ROWS:
            return rows
        begin_ns = int(page[-1]["time"]) + 1


def _samples(rows: list[dict[str, str]], part: int) -> Samples:
    """Put the points of a series back; one that was sent twice under two names of a lab counts once."""

    def floats(name: str, absent: float) -> np.ndarray:
        return np.array([float(row[name]) if row[name] else absent for row in rows])

    stored_ns = np.array([int(row["time"]) for row in rows], np.int64)
    value = floats(schema.VALUE, np.nan)
    for mark, stands_for in _NOT_FINITE.items():
        value[floats(schema.NOT_FINITE, np.nan) == mark] = stands_for
    stamps = stored_ns - floats(schema.LATER, 0.0).astype(np.int64)
    _, first = np.unique(stored_ns, return_index=True)
    chosen = first[floats(schema.PART, 0.0)[first] == part]
    quality = floats(schema.QUALITY, 0.0).astype(np.uint16)
    u_t_s = floats(schema.STAMP_UNCERTAINTY, 0.0).astype(np.float32)
    return in_order(make_samples(stamps[chosen], value[chosen], quality[chosen], u_t_s[chosen]))
