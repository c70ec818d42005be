"""Trial of a mapping on the first lines of a file, before anything is stored."""

from __future__ import annotations

import math
from datetime import UTC, datetime, tzinfo
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from wattmark.core.schema import Record
from wattmark.importers.csv_mapping.csv_import import read_csv
from wattmark.importers.csv_mapping.mapping import CsvMapping
from wattmark.importers.csv_mapping.results_table import ResultTable, read_table
from wattmark.importers.csv_mapping.units import COUNT, INTERVAL_ENERGY, TOTAL, UNITS
from wattmark.importers.importer import Choices
from wattmark.importers.logs.read_log import ReadLog
from wattmark.importers.unread import UnreadLine

_SHOWN = 8
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
    return _of_log(read_csv(path, mapping, Choices(zone=zone)), mapping)


def _of_log(log: ReadLog, mapping: CsvMapping) -> Trial:
    first: dict[int, list[Cell]] = {}
    columns: list[list[NDArray[np.float64]]] = [[np.zeros(0)] for _ in mapping.columns]
    for block, parts in enumerate(log.blocks()):
        for part in parts:
            columns[part.channel].append(part.value[np.isfinite(part.value) & (part.value >= 0)])
            if block == 0:
                for t_ns, value in zip(part.t_ns[:_SHOWN].tolist(), part.value[:_SHOWN].tolist(), strict=True):
                    row = first.setdefault(t_ns, [None] * len(mapping.columns))
                    row[part.channel] = value if math.isfinite(value) else None
    means = []
    for column, values in zip(mapping.columns, map(np.concatenate, columns), strict=True):
        if column.quantity in ("power", INTERVAL_ENERGY) and len(values):
            means.append(MeterMean(meter=column.meter, readings=len(values), mean_w=float(values.mean())))
    return Trial(
        heads=("Time (UTC)", *(_head(mapping, number) for number in range(len(mapping.columns)))),
        rows=tuple((_instant(t_ns), *first[t_ns]) for t_ns in sorted(first)[:_SHOWN]),
        count=log.rows.count,
        begin=_instant(log.begin_ns),
        end=_instant(log.end_ns),
        span_s=(log.end_ns - log.begin_ns) / 1e9,
        means=tuple(means),
        notes=log.notes,
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
