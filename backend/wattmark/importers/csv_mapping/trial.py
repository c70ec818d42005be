"""Trial of a mapping on the first lines of a file, before anything is stored."""

from __future__ import annotations

import math
from datetime import UTC, datetime, tzinfo
from pathlib import Path

import numpy as np

from wattmark.core.schema import Record
from wattmark.importers.csv_mapping.log_run import CsvLog, read_log
from wattmark.importers.csv_mapping.mapping import CsvMapping
from wattmark.importers.csv_mapping.results_table import ResultTable, read_table
from wattmark.importers.csv_mapping.units import COUNT, INTERVAL_ENERGY, TOTAL, UNITS
from wattmark.importers.unread import UnreadLine
from wattmark.importers.zones import read_zone

_SHOWN = 8
_ALL = 1_000_000
"""Readings that the head of a file may hold."""
Cell = str | float | None


class MeterMean(Record):
    """Plain mean of the readings of a meter's power that are not below 0 [W]."""

    meter: str
    readings: int
    mean_w: float


class Trial(Record):
    """The first readings or results, and a summary of all of them."""

    heads: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    count: int
    """Lines with a reading, or results."""
    begin: str | None
    """First stamp, ISO 8601 UTC."""
    end: str | None
    span_s: float | None
    means: tuple[MeterMean, ...]
    notes: tuple[str, ...]
    unread: int
    unread_lines: tuple[UnreadLine, ...]
    """The first of the lines that were not understood."""


def try_mapping(path: Path, mapping: CsvMapping, zone: tzinfo | None) -> Trial:
    """Read a file by a mapping and show what comes of it. Raises `InputError`."""
    if mapping.holds == "table of results":
        return _of_table(read_table(path, mapping), mapping)
    return _of_log(read_log(path, mapping, zone or read_zone(mapping.zone)))


def _of_log(log: CsvLog) -> Trial:
    mapping = log.mapping
    block = next(log.blocks(_ALL))
    t_ns, value = block.t_ns, block.value
    rows = zip(t_ns[:_SHOWN].tolist(), value[:_SHOWN].tolist(), strict=True)
    means = []
    for number, column in enumerate(mapping.columns):
        values = value[:, number]
        good = values[np.isfinite(values) & (values >= 0)]
        if column.quantity in ("power", INTERVAL_ENERGY) and len(good):
            means.append(MeterMean(meter=column.meter, readings=len(good), mean_w=float(good.mean())))
    return Trial(
        heads=("Time (UTC)", *(_head(mapping, number) for number in range(len(mapping.columns)))),
        rows=tuple((_instant(stamp), *(v if math.isfinite(v) else None for v in row)) for stamp, row in rows),
        count=log.readings,
        begin=_instant(log.first_ns),
        end=_instant(log.last_ns),
        span_s=(log.last_ns - log.first_ns) / 1e9,
        means=tuple(means),
        notes=log.form.notes,
        unread=log.unread.count,
        unread_lines=tuple(log.unread.first),
    )


def _head(mapping: CsvMapping, number: int) -> str:
    column = mapping.columns[number]
    unit = next(iter(UNITS[column.quantity]))
    if column.quantity == "throughput":
        counted = column.unit in (COUNT, TOTAL)
        return f"Work done [{mapping.work_unit}]" if counted else f"Throughput [{mapping.work_unit}/s]"
    if column.quantity == INTERVAL_ENERGY:
        return f"Power of {column.meter} [W]"
    title = f"{column.quantity[0].upper()}{column.quantity[1:]} of {column.meter}"
    return title if unit == "1" else f"{title} [{unit}]"


def _of_table(table: ResultTable, mapping: CsvMapping) -> Trial:
    results = [item.result for item in table.results]
    rows = [
        (result.title, level.target_pct, level.ops_per_s, level.power_w, level.ops_per_s / level.power_w)
        for result in results
        for level in result.levels
    ]
    unit = mapping.work_unit
    return Trial(
        heads=("Result", "Load level [%]", f"Throughput [{unit}/s]", "Power [W]", f"Performance per watt [{unit}/J]"),
        rows=tuple(rows[:_SHOWN]),
        count=len(results),
        begin=None,
        end=None,
        span_s=None,
        means=(),
        notes=(),
        unread=table.unread.count,
        unread_lines=tuple(table.unread.first),
    )


def _instant(t_ns: int) -> str:
    whole = datetime.fromtimestamp(t_ns // 10**9, UTC).strftime("%Y-%m-%dT%H:%M:%S")
    return f"{whole}.{t_ns % 10**9 // 10**6:03d}Z"
