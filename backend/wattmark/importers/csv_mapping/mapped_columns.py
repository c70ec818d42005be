"""What the columns of a CSV log show as a whole: what contradicts their mapping, their work, their meters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from wattmark.core.errors import InputError
from wattmark.core.numbers import format_number
from wattmark.importers.column_shape import ColumnShape
from wattmark.importers.csv_mapping.added_twice import AddedTwice
from wattmark.importers.csv_mapping.counter_steps import CounterSteps
from wattmark.importers.csv_mapping.mapping import CsvColumn, CsvMapping
from wattmark.importers.csv_mapping.units import INTERVAL_ENERGY, TOTAL, UNITS, names_part
from wattmark.importers.csv_mapping.work_done import WorkDone
from wattmark.importers.logs.log_blocks import ChannelPart
from wattmark.importers.logs.log_meters import ChannelCount, LogMeters
from wattmark.importers.series_in_turn import SeriesInTurn
from wattmark.runs.record import MeterRecord, ThroughputInterval

_UNCOVERED = 0.01
"""Share of a log at either end whose throughput may be missing without a word."""


class MappedColumns:
    """Gathers what the readings of the columns show, block by block."""

    def __init__(self, mapping: CsvMapping) -> None:
        self._mapping = mapping
        self.decimals = [0] * len(mapping.columns)
        """Most decimals of each column."""
        self.coarsest = [0.0] * len(mapping.columns)
        """Last digit of each column's readings in another unit than its own, as stored; 0: there are none."""
        self._shapes = [ColumnShape() for _ in mapping.columns]
        self._counters = {n: CounterSteps() for n, column in enumerate(mapping.columns) if column.quantity == "energy"}
        self._in_turn = {n: SeriesInTurn() for n, column in enumerate(mapping.columns) if _is_wall_power(column)}
        self._twice = AddedTwice(mapping)
        self._work = _work(mapping)

    def note(self, file: str, parts: Sequence[ChannelPart]) -> None:
        """Take note of readings that follow the others, as they are written. Raises `InputError`."""
        self._twice.add(parts, [self._last_digit(number) for number in range(len(self.decimals))])
        for part in parts:
            self._shapes[part.channel].add(part.value)
            if part.channel in self._counters:
                self._counters[part.channel].add(part)
            if part.channel in self._in_turn:
                self._in_turn[part.channel].require_one(file, *part.in_time)
            if self._work is not None and part.channel == self._work.column:
                self._work.add(part.t_ns, part.value)

    def require_sound(self, file: str) -> None:
        """Refuse columns that are not what the mapping says. Raises `InputError`."""
        self._twice.require_none(file)
        _require_shapes(file, self._mapping, self._shapes)
        for number, steps in self._counters.items():
            steps.require_possible(f"{file}: column {str(self._mapping.columns[number].column)[:80]!r}")
        if self._work is not None:
            self._work.require_work(file)

    @property
    def throughput(self) -> tuple[ThroughputInterval, ...]:
        """Return the work between the stamps."""
        return self._work.intervals if self._work is not None else ()

    @property
    def about(self) -> str:
        """Return what the mapping says, one sentence."""
        columns = "; ".join(
            f"{column.column!r} is {column.quantity} in {column.unit}"
            + (f" of {column.meter}" if column.quantity != "throughput" else "")
            for column in self._mapping.columns
        )
        return f"Read by the mapping {self._mapping.name!r}: {columns}."[:2000]

    @property
    def notes(self) -> tuple[str, ...]:
        """Return what the columns leave open, one sentence each."""
        notes = []
        parts = [
            str(column.column)
            for column in self._mapping.columns
            if column.quantity in ("power", "energy", INTERVAL_ENERGY)
            and column.role == "wall"
            and names_part(str(column.column))
        ]
        if parts:
            notes.append(
                f"The heading {', '.join(map(repr, parts))} names parts or phases: their sum stands for the power of "
                "the server as the mapping says, and may lack others."[:2000]
            )
        notes.extend(self._twice.notes)
        if self._work is None:
            return (*notes, "The log counts no work: the run has power but no throughput.")
        return (*notes, *self._work.notes)

    def meters(self, counts: Mapping[int, ChannelCount]) -> LogMeters:
        """Describe each meter that has power, or energy alone, and the time of the log without throughput."""
        by_name: dict[str, dict[str, tuple[CsvColumn, float, float]]] = {}
        for number, column in enumerate(self._mapping.columns):
            resolution = self._last_digit(number)
            period_s = counts.get(number, ChannelCount()).period_s
            by_name.setdefault(column.meter, {})[column.quantity] = column, resolution, period_s
        meters = [_meter(name, columns, self._mapping) for name, columns in by_name.items()]
        return LogMeters(tuple(meter for meter in meters if meter is not None), self._uncovered(counts))

    def _last_digit(self, number: int) -> float:
        """Return the last digit of a column, as stored."""
        column = self._mapping.columns[number]
        return max(10.0 ** -self.decimals[number] * UNITS[column.quantity][column.unit].factor, self.coarsest[number])

    def _uncovered(self, counts: Mapping[int, ChannelCount]) -> tuple[str, ...]:
        if not self.throughput:
            return ()
        first_ns = min(count.first_ns for count in counts.values())
        last_ns = max(count.last_ns for count in counts.values())
        before_s = (self.throughput[0].begin_ns - first_ns) / 1e9
        after_s = (last_ns - self.throughput[-1].end_ns) / 1e9
        periods_s = [count.period_s for count in counts.values()]
        if max(before_s, after_s) <= max(_UNCOVERED * (last_ns - first_ns) / 1e9, *periods_s):
            return ()
        return (
            f"No throughput is logged for {format_number(before_s, 3)} s at the start and "
            f"{format_number(after_s, 3)} s at the end of the log: this time does not count.",
        )


def _meter(name: str, columns: Mapping[str, tuple[CsvColumn, float, float]], mapping: CsvMapping) -> MeterRecord | None:
    """Describe a meter by its columns with their last digits and periods; None: it has neither power nor energy."""
    power, interval, energy = columns.get("power"), columns.get(INTERVAL_ENERGY), columns.get("energy")
    measured = power or interval or energy
    if measured is None:
        return None
    column, resolution, period_s = measured
    return MeterRecord(
        name=name,
        model="unknown",
        title=f"{name}, model unknown",
        role=column.role,
        kind="averaged" if measured is interval else "counter" if measured is energy else mapping.readings,
        period_s=period_s,
        resolution_w=resolution / period_s if measured is interval else resolution,
        register_resolution_wh=energy[1] if energy and measured is not energy else None,
        not_traceable="The file does not name the meter.",
    )


def _is_wall_power(column: CsvColumn) -> bool:
    return column.role == "wall" and column.quantity in ("power", INTERVAL_ENERGY)


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
        if column.quantity != "energy" and column.unit != TOTAL and shape.ends_with_sum:
            raise InputError(
                f"{how}: one of its last lines holds the sum of those above it, and is no reading.",
                "Remove the lines below the readings.",
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
