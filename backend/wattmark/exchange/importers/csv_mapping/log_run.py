"""A CSV log of any length becomes a run: read block by block, so it may be larger than the memory."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import tzinfo
from functools import partial
from pathlib import Path

import numpy as np
from wattmark_drivers.reading import Quality

from wattmark.core.errors import InputError
from wattmark.exchange.importers.csv_mapping.csv_rows import CsvRows
from wattmark.exchange.importers.csv_mapping.log_rows import LogBlock, LogForm, LogRows
from wattmark.exchange.importers.csv_mapping.mapping import CsvColumn, CsvMapping
from wattmark.exchange.importers.csv_mapping.units import COUNT, UNITS
from wattmark.exchange.importers.csv_mapping.work_done import WorkDone
from wattmark.exchange.importers.importer import Block, ImportedRun
from wattmark.exchange.importers.stamped_columns import StampedColumns
from wattmark.exchange.importers.stated_once import STATED_ONCE
from wattmark.exchange.importers.unread import Unread
from wattmark.runs.disclosure import Disclosure, ImportedClock, ImportedFacts, PowerLogNote, SourceFileNote
from wattmark.runs.record import MeterRecord, Phase, PhaseName, RunRecord, RunStatus, ThroughputInterval
from wattmark.store.sample_store import Samples, SeriesKey
from wattmark.workloads.loadgen.source_file import broken

_SAMPLES = 20_000
"""Readings of a block, which the store takes in one commit."""
_UNKNOWN_SERVER = "unknown server"
_NEVER_NEGATIVE = ("power", "apparent power", "energy")
_SHORTEST_S, _LONGEST_S = 1e-3, 1e6


@dataclass(slots=True)
class CsvLog:
    """A log that was read to its end: its readings on disk, and what is known of them."""

    mapping: CsvMapping
    columns: StampedColumns
    form: LogForm
    note: SourceFileNote
    first_ns: int
    last_ns: int
    readings: int
    """Lines with a reading."""
    period_s: float
    """Median time between them."""
    throughput: tuple[ThroughputInterval, ...] = ()
    negative: int = 0
    unread: Unread = field(default_factory=Unread)


def read_log(path: Path, mapping: CsvMapping, zone: tzinfo | None) -> CsvLog:
    """Read a log to its end. Raises `InputError` with what is wrong and what to do."""
    unread, file = Unread(), CsvRows(path, mapping)
    rows, columns = LogRows(file, mapping, zone, unread), StampedColumns(len(mapping.columns))
    work = _work(mapping)
    count, first_ns, last_ns, period_s = 0, 0, 0, 0.0
    for block in rows:
        if len(block.t_ns) == 0:
            continue
        if count == 0:
            first_ns = int(block.t_ns[0])
        if period_s == 0.0 and len(block.t_ns) > 1:
            period_s = float(np.median(np.diff(block.t_ns))) / 1e9
        count, last_ns = count + len(block.t_ns), int(block.t_ns[-1])
        columns.add(block.t_ns, block.value)
        if work is not None:
            work.add(block)
    _require_readable(path.name, mapping, count, rows.form.lines, unread)
    return CsvLog(
        *(mapping, columns, rows.form, file.note, first_ns, last_ns, count),
        period_s or (last_ns - first_ns) / 1e9 / (count - 1),
        work.intervals if work else (),
        work.negative if work else 0,
        unread,
    )


def _work(mapping: CsvMapping) -> WorkDone | None:
    for number, column in enumerate(mapping.columns):
        if column.quantity == "throughput":
            return WorkDone(number, counted=column.unit == COUNT)
    return None


def _require_readable(name: str, mapping: CsvMapping, count: int, lines: int, unread: Unread) -> None:
    """Refuse a file of which the mapping understands next to nothing. Raises `InputError`."""
    remedy = f"Check delimiter, decimal sign, header rows and stamps in the mapping {mapping.name!r}."
    if unread.count * 2 > lines:
        first = unread.first[0]
        mistake = f"{first.why}; {unread.count} of {lines} lines were not understood"
        raise broken(name, first.line, mistake, remedy)
    if count < 2:
        raise InputError(f"{name} has {count} lines with a reading, and two are needed.", remedy)


def log_run(path: Path, mapping: CsvMapping, zone: tzinfo | None) -> ImportedRun:
    """Read a log as a run. Raises `InputError` with what is wrong and what to do."""
    log = read_log(path, mapping, zone)
    begin, end = log.first_ns, log.last_ns
    if log.throughput:
        begin, end = log.throughput[0].begin_ns, log.throughput[-1].end_ns
    run_id = f"csv-{log.note.sha256[:16]}"
    server = mapping.server.strip() or _UNKNOWN_SERVER
    notes = _notes(log)
    record = RunRecord(
        run_id=run_id,
        server=server,
        configuration=mapping.configuration.strip() or path.stem[:200] or "log",
        workload=mapping.workload.strip() or "power log",
        level="whole log",
        status=RunStatus.COMPLETE,
        created_ns=log.first_ns,
        source=f"imported: CSV {path.name}",
        unit=mapping.work_unit,
        phases=(Phase(name=PhaseName.MEASURE, begin_ns=begin, end_ns=end),),
        throughput=log.throughput,
        window_begin_ns=begin,
        window_end_ns=end,
        meters=_meters(log),
        full_load_limit_pct=None,
        evidence=(STATED_ONCE,),
        disclosure=Disclosure(
            notes=notes,
            imported=ImportedFacts(
                power_log=PowerLogNote(samples=log.readings, channels=len(mapping.columns)),
                clock=ImportedClock(decided_by=log.form.notes[0], window_shift_s=0.0, utc_offset_s=0.0),
                files=(log.note,),
            ),
        ),
    )
    return ImportedRun(record, partial(_blocks, log, run_id, server), notes, log.unread)


def _notes(log: CsvLog) -> tuple[str, ...]:
    mapping = log.mapping
    columns = "; ".join(
        f"{column.column!r} is {column.quantity} in {column.unit}"
        + (f" of {column.meter}" if column.quantity != "throughput" else "")
        for column in mapping.columns
    )
    notes = [f"Read by the mapping {mapping.name!r}: {columns}."[:2000], *log.form.notes]
    if mapping.holds == "power log":
        notes.append("The log counts no work: the run has power over the whole log, and no throughput.")
    if log.negative:
        notes.append(f"{log.negative} readings of throughput below 0 were excluded.")
    return tuple(notes)


def _meters(log: CsvLog) -> tuple[MeterRecord, ...]:
    """Describe each meter that has power, or energy alone."""
    by_name: dict[str, dict[str, tuple[CsvColumn, float]]] = {}
    for column, decimals in zip(log.mapping.columns, log.form.decimals, strict=True):
        last_digit = 10.0**-decimals * UNITS[column.quantity][column.unit].factor
        by_name.setdefault(column.meter, {})[column.quantity] = column, last_digit
    meters = []
    for name, columns in by_name.items():
        power, energy = columns.get("power"), columns.get("energy")
        measured = power or energy
        if measured is None:
            continue
        meters.append(
            MeterRecord(
                name=name,
                model="unknown",
                title=f"{name}, model unknown",
                role=measured[0].role,
                kind=log.mapping.readings if power else "counter",
                period_s=round(min(max(log.period_s, _SHORTEST_S), _LONGEST_S), 3),
                resolution_w=measured[1],
                register_resolution_wh=energy[1] if power and energy else None,
                not_traceable="The file does not name the meter.",
            )
        )
    return tuple(meters)


def _blocks(log: CsvLog, run_id: str, server: str) -> Iterator[Block]:
    keys = [_key(column, log.mapping, run_id, server) for column in log.mapping.columns]
    u_t_s = 0.5 * 10.0**-log.form.stamp_digits if log.form.stamp_digits >= 0 else 30.0
    for t_ns, value in log.columns.read(_SAMPLES):
        block, parts = LogBlock(t_ns, value), []
        for number, (key, column) in enumerate(zip(keys, log.mapping.columns, strict=True)):
            if column.quantity != "throughput" and len(samples := _samples(block, number, column, u_t_s)):
                parts.append((key, samples))
        yield parts


def _key(column: CsvColumn, mapping: CsvMapping, run_id: str, server: str) -> SeriesKey:
    quantity = column.quantity.replace(" ", "_")
    kind = "counter" if column.quantity == "energy" else mapping.readings
    return SeriesKey(run_id, server, column.meter, quantity, quantity, next(iter(UNITS[column.quantity])), kind)


def _samples(block: LogBlock, number: int, column: CsvColumn, u_t_s: float) -> Samples:
    value = block.value[:, number]
    there = ~np.isnan(value)
    t_ns, value = block.t_ns[there], value[there]
    bad = value < 0 if column.quantity in _NEVER_NEGATIVE else np.zeros(len(value), dtype=np.bool_)
    quality = np.where(bad, np.uint16(Quality.INVALID), np.uint16(0))
    return Samples(t_ns, value, quality, np.full(len(value), u_t_s, dtype=np.float32))
