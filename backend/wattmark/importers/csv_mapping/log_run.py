"""A CSV log of any length becomes a run: read block by block, so it may be larger than the memory."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, tzinfo
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from wattmark_drivers.reading import Quality

from wattmark.core.errors import InputError
from wattmark.core.numbers import format_number
from wattmark.importers.column_shape import ColumnShape
from wattmark.importers.csv_mapping.added_twice import AddedTwice
from wattmark.importers.csv_mapping.csv_rows import CsvRows
from wattmark.importers.csv_mapping.log_rows import UNUSABLE, LogBlock, LogForm, LogRows
from wattmark.importers.csv_mapping.mapping import CsvColumn, CsvMapping
from wattmark.importers.csv_mapping.units import INTERVAL_ENERGY, UNITS, names_part
from wattmark.importers.csv_mapping.work_done import WorkDone
from wattmark.importers.cut_stamps import spread
from wattmark.importers.importer import Block, ImportedRun
from wattmark.importers.impossible_loads import ImpossibleLoads, Load, volts_amps_verdict
from wattmark.importers.log_stamps import StampOrder
from wattmark.importers.stamped_columns import StampedColumns
from wattmark.importers.stated_once import STATED_ONCE
from wattmark.importers.text_lines import NO_BREAK, ends_with_a_break
from wattmark.importers.unread import Unread
from wattmark.runs.disclosure import Disclosure, ImportedClock, ImportedFacts, PowerLogNote, SourceFileNote
from wattmark.runs.phase_name import PhaseName
from wattmark.runs.record import MeterRecord, Phase, RunRecord, RunStatus, ThroughputInterval
from wattmark.store.sample_store import Samples, SeriesKey
from wattmark.workloads.loadgen.source_file import broken

_SAMPLES = 20_000
"""Readings of a block, which the store takes in one commit."""
_UNKNOWN_SERVER = "unknown server"
_NEVER_NEGATIVE = ("power", "apparent power", "energy", INTERVAL_ENERGY)
_OUT_OF_ORDER = (
    "Sort the lines by time if they are not; if several series stand in one column, export one a column or choose "
    "one (where: in the mapping); if stamps were cut, export them with all of their decimals; if a clock was set while "
    "it recorded, import what lies before or after."
)
_UNCOVERED = 0.01
"""Share of a log at either end whose throughput may be missing without a word."""
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
    periods_s: tuple[float, ...]
    """Median time between the readings of each column."""
    order: StampOrder
    loads: dict[str, ImpossibleLoads]
    """By meter: its power against its volts and amperes."""
    throughput: tuple[ThroughputInterval, ...] = ()
    negative: int = 0
    missing: int = 0
    """Lines without work, where most lines state it."""
    unread: Unread = field(default_factory=Unread)
    ended: bool = True
    """Whether the last line ends with a line break."""

    def blocks(self, count: int) -> Iterator[LogBlock]:
        """Read the readings from the first, ``count`` at a time, with stamps that were cut spread."""
        latest_ns: int | None = None
        for t_ns, value in self.columns.read(count):
            if self.form.cut is None:
                yield LogBlock(t_ns, value)
                continue
            even = spread(t_ns, latest_ns)
            latest_ns = int(even[-1])
            yield LogBlock(even, value)


def read_log(path: Path, mapping: CsvMapping, zone: tzinfo | None, begin: datetime | None = None) -> CsvLog:
    """Read a log to its end. Raises `InputError` with what is wrong and what to do."""
    unread, file = Unread(), CsvRows(path, mapping)
    rows, columns = LogRows(file, mapping, zone, unread, begin), StampedColumns(len(mapping.columns))
    work, intervals = _work(mapping), _IntervalEnergy(mapping)
    count, first_ns, last_ns = 0, 2**63 - 1, 0
    periods_s = [0.0] * len(mapping.columns)
    loads = {column.meter: ImpossibleLoads(column.meter) for column in mapping.columns if column.quantity == "power"}
    shapes, twice = [ColumnShape() for _ in mapping.columns], AddedTwice(mapping)
    for read in rows:
        twice.add(read)
        for number, shape in enumerate(shapes):
            shape.add(read.value[:, number])
        block = intervals.as_power(read)
        first_ns, last_ns = min(first_ns, int(block.t_ns.min())), max(last_ns, int(block.t_ns.max()))
        for number, period_s in enumerate(periods_s):
            of_column = block.t_ns[~np.isnan(block.value[:, number])]
            if period_s == 0.0 and len(of_column) > 1:
                periods_s[number] = float(np.median(np.diff(of_column))) / 1e9
        count += len(block.t_ns)
        columns.add(block.t_ns, block.value)
        for meter, judged in loads.items():
            judged.add(_load(mapping, meter, block))
        if work is not None:
            work.add(block)
    _require_readable(path.name, mapping, count, rows.form.lines, unread)
    rows.order.require(_OUT_OF_ORDER)
    twice.require_none(path.name)
    _require_shapes(path.name, mapping, shapes)
    if work is not None:
        work.require_work(path.name)
    unread.extend(rows.order.not_later)
    unread.lines = rows.form.lines - rows.form.other_series
    mean_s = (last_ns - first_ns) / 1e9 / (count - 1)
    cut = rows.form.cut
    return CsvLog(
        *(mapping, columns, rows.form, file.note, first_ns, last_ns, count),
        tuple(cut.period_s if cut else period_s or mean_s for period_s in periods_s),
        rows.order,
        loads,
        work.intervals if work else (),
        work.negative if work else 0,
        work.missing if work else 0,
        unread,
        ends_with_a_break(path),
    )


def _load(mapping: CsvMapping, meter: str, block: LogBlock) -> Load:
    """Return the readings of a meter that are held against each other; those that cannot be used are NaN."""
    place = {column.quantity: number for number, column in enumerate(mapping.columns) if column.meter == meter}

    def readings(quantity: str) -> NDArray[np.float64] | None:
        if quantity not in place:
            return None
        value = block.value[:, place[quantity]]
        return np.where(np.isfinite(value), value, np.nan)

    power = readings("power")
    return Load(
        np.full(len(block.t_ns), np.nan) if power is None else power,
        *(readings(quantity) for quantity in ("voltage", "current", "apparent power", "power factor")),
    )


class _IntervalEnergy:
    """Turns energy since the line before into mean power over that time, block by block."""

    def __init__(self, mapping: CsvMapping) -> None:
        self._latest_ns: dict[int, int | None] = {
            number: None for number, column in enumerate(mapping.columns) if column.quantity == INTERVAL_ENERGY
        }

    def as_power(self, block: LogBlock) -> LogBlock:
        """Return the block with power [W] in place of energy [J]; the first reading has no interval."""
        value = block.value
        for number, latest_ns in self._latest_ns.items():
            there = np.flatnonzero(~np.isnan(value[:, number]))
            if not len(there):
                continue
            t_ns = block.t_ns[there]
            before = np.concatenate((t_ns[:1] if latest_ns is None else np.array([latest_ns], np.int64), t_ns[:-1]))
            span_s = (t_ns - before) / 1e9
            value[there, number] = np.divide(
                value[there, number], span_s, out=np.full(len(there), UNUSABLE), where=span_s > 0
            )
            if latest_ns is None:
                value[there[0], number] = np.nan
            self._latest_ns[number] = int(t_ns[-1])
        return block


def _require_shapes(file: str, mapping: CsvMapping, shapes: list[ColumnShape]) -> None:
    """Refuse columns that are not what the mapping says, as the way of their numbers proves. Raises `InputError`."""
    for column, shape in zip(mapping.columns, shapes, strict=True):
        how = f"{file}: column {str(column.column)[:80]!r}"
        if column.quantity in ("power", INTERVAL_ENERGY) and shape.only_rises:
            raise InputError(
                f"{how} never falls in {shape.readings} lines and rises in {shape.rises}: it is a running total, not "
                f"{column.quantity}.",
                "Give it the quantity energy and the unit of its counter, or map another column.",
            )
        if column.quantity == "energy" and shape.never_moves:
            raise InputError(
                f"{how} holds the same number in all {shape.readings} lines: as a counter it counted nothing.",
                f"If each line holds the energy of its interval, give it the quantity {INTERVAL_ENERGY!r}; if the "
                "counter's last digit is too coarse for the log, map the power instead.",
            )
        if column.quantity == "energy" and shape.often_falls:
            raise InputError(
                f"{how} falls in {shape.falls} of {shape.readings} lines: an energy counter never falls.",
                f"If each line holds the energy of its interval, give it the quantity {INTERVAL_ENERGY!r}; if it is "
                "power, map it as power.",
            )


def _work(mapping: CsvMapping) -> WorkDone | None:
    for number, column in enumerate(mapping.columns):
        if column.quantity == "throughput":
            return WorkDone(number, column.unit)
    return None


def _require_readable(name: str, mapping: CsvMapping, count: int, lines: int, unread: Unread) -> None:
    """Refuse a file of which the mapping understands next to nothing. Raises `InputError`."""
    chosen = " and the lines that where: chooses" if mapping.where or any(c.where for c in mapping.columns) else ""
    remedy = f"Check delimiter, decimal sign, header rows, stamps{chosen} in the mapping {mapping.name!r}."
    if unread.count * 2 > lines:
        first = unread.first[0]
        mistake = f"{first.why}; {unread.count} of {lines} lines were not understood"
        raise broken(name, first.line, mistake, remedy)
    if count < 2:
        raise InputError(f"{name} has {count} lines with a reading, and two are needed.", remedy)


def log_run(path: Path, mapping: CsvMapping, zone: tzinfo | None, begin: datetime | None = None) -> ImportedRun:
    """Read a log as a run. Raises `InputError` with what is wrong and what to do."""
    log = read_log(path, mapping, zone, begin)
    begin_ns, end_ns = log.first_ns, log.last_ns
    if log.throughput:
        begin_ns, end_ns = log.throughput[0].begin_ns, log.throughput[-1].end_ns
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
        phases=(Phase(name=PhaseName.MEASURE, begin_ns=begin_ns, end_ns=end_ns),),
        throughput=log.throughput,
        window_begin_ns=begin_ns,
        window_end_ns=end_ns,
        meters=_meters(log),
        full_load_limit_pct=None,
        evidence=(
            STATED_ONCE,
            log.order.verdict(),
            *volts_amps_verdict(log.loads.values()),
        ),
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
    parts = [
        str(column.column)
        for column in mapping.columns
        if column.quantity in ("power", "energy", INTERVAL_ENERGY)
        and column.role == "wall"
        and names_part(str(column.column))
    ]
    if parts:
        notes.append(
            f"The heading {', '.join(map(repr, parts))} names parts or phases: their sum stands for the power of the "
            "server as the mapping says, and may lack others."[:2000]
        )
    if mapping.holds == "power log":
        notes.append("The log counts no work: the run has power but no throughput.")
    if not log.ended:
        notes.append(NO_BREAK)
    if log.negative:
        notes.append(
            f"{log.negative} readings of throughput were excluded: below 0, unusable, or of a total that fell."
        )
    if log.missing:
        notes.append(
            f"{log.missing} of {log.readings} lines state no throughput; the others the work since the line before: "
            "what was done in these lines is missing from the result. Export them, or give the rate instead."
        )
    if log.throughput:
        before_s = (log.throughput[0].begin_ns - log.first_ns) / 1e9
        after_s = (log.last_ns - log.throughput[-1].end_ns) / 1e9
        if max(before_s, after_s) > max(_UNCOVERED * (log.last_ns - log.first_ns) / 1e9, *log.periods_s):
            notes.append(
                f"No throughput is logged for {format_number(before_s, 3)} s at the start and "
                f"{format_number(after_s, 3)} s at the end of the log: this time does not count."
            )
    return tuple(notes)


def _meters(log: CsvLog) -> tuple[MeterRecord, ...]:
    """Describe each meter that has power, or energy alone."""
    by_name: dict[str, dict[str, tuple[CsvColumn, float, float]]] = {}
    for number, column in enumerate(log.mapping.columns):
        last_digit = 10.0 ** -log.form.decimals[number] * UNITS[column.quantity][column.unit].factor
        resolution = max(last_digit, log.form.coarsest[number])
        by_name.setdefault(column.meter, {})[column.quantity] = column, resolution, log.periods_s[number]
    meters = []
    for name, columns in by_name.items():
        power, interval, energy = columns.get("power"), columns.get(INTERVAL_ENERGY), columns.get("energy")
        measured = power or interval or energy
        if measured is None:
            continue
        column, resolution, period_s = measured
        kind = "averaged" if measured is interval else "counter" if measured is energy else log.mapping.readings
        meters.append(
            MeterRecord(
                name=name,
                model="unknown",
                title=f"{name}, model unknown",
                role=column.role,
                kind=kind,
                period_s=round(min(max(period_s, _SHORTEST_S), _LONGEST_S), 3),
                resolution_w=resolution / period_s if measured is interval else resolution,
                register_resolution_wh=energy[1] if energy and measured is not energy else None,
                not_traceable="The file does not name the meter.",
            )
        )
    return tuple(meters)


def _blocks(log: CsvLog, run_id: str, server: str) -> Iterator[Block]:
    keys = [_key(column, log.mapping, run_id, server) for column in log.mapping.columns]
    u_t_s = 0.5 * 10.0**-log.form.stamp_digits if log.form.stamp_digits >= 0 else 30.0
    for block in log.blocks(_SAMPLES):
        parts = []
        for number, (key, column) in enumerate(zip(keys, log.mapping.columns, strict=True)):
            if column.quantity == "throughput":
                continue
            marks = None
            if column.quantity == "power":
                marks = log.loads[column.meter].marks(_load(log.mapping, column.meter, block))
            if len(samples := _samples(block, number, column, u_t_s, marks)):
                parts.append((key, samples))
        yield parts


def _key(column: CsvColumn, mapping: CsvMapping, run_id: str, server: str) -> SeriesKey:
    if column.quantity == INTERVAL_ENERGY:
        return SeriesKey(run_id, server, column.meter, "power", "power", "W", "averaged")
    quantity = column.quantity.replace(" ", "_")
    kind = "counter" if column.quantity == "energy" else mapping.readings
    return SeriesKey(run_id, server, column.meter, quantity, quantity, next(iter(UNITS[column.quantity])), kind)


def _samples(
    block: LogBlock, number: int, column: CsvColumn, u_t_s: float, marks: NDArray[np.uint16] | None
) -> Samples:
    """Return the readings of a column; those that cannot be used, or whose stamp is not later, are invalid."""
    value = block.value[:, number]
    there = ~np.isnan(value)
    t_ns, value = block.t_ns[there], value[there]
    unusable = np.isinf(value)
    bad = unusable | (value < 0) if column.quantity in _NEVER_NEGATIVE else unusable.copy()
    bad[1:] |= np.diff(t_ns) <= 0
    quality = np.where(bad, np.uint16(Quality.INVALID), np.uint16(0))
    if marks is not None:
        quality |= marks[there]
    value = np.where(unusable, np.nan, value)
    return Samples(t_ns, value, quality, np.full(len(value), u_t_s, dtype=np.float32))
