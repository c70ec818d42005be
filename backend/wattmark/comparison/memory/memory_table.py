"""The table of power against DIMM count."""

from __future__ import annotations

from collections.abc import Mapping

from wattmark.comparison.compare.views import MemoryOut, MemoryPoint
from wattmark.core.numbers import format_number, format_uncertain
from wattmark.core.quantity import value_of
from wattmark.results.tables.marks import (
    DISAGREES,
    INCLUDED,
    OVERRIDDEN,
    explain,
    joined_marks,
    source_marks,
)
from wattmark.results.tables.methods import METHODS
from wattmark.results.tables.result_columns import EFFICIENCY, WORK
from wattmark.tables.fields import Fields, QuantityFields, columns_of, rows_of
from wattmark.tables.table import Column, LayoutColumn, Table

_LAYOUT = (
    LayoutColumn("configuration"),
    LayoutColumn("dimm_count"),
    LayoutColumn("memory_type", if_varies=True),
    *WORK,
    LayoutColumn("power_idle_w"),
    EFFICIENCY,
)


def memory_table(memory: MemoryOut) -> Table:
    """Build the table of power against DIMM count; the fit and its interval are in the footnotes."""
    slope = memory.watts_per_dimm
    footnotes = [memory.statement, memory.refusal or ""]
    if slope is not None and slope.complete:
        footnotes.append(f"Watts per DIMM at the wall: {format_uncertain(slope.value, slope.U95, 'W')} (95 %).")
    planted = ", ".join(f"{name} = {format_number(value)}" for name, value in sorted((memory.planted or {}).items()))
    footnotes.append(f"Set in the load model of the simulator: {planted}." if planted else "")
    overrides = [text for point in memory.points for text in point.overrides]
    footnotes.extend(dict.fromkeys(overrides))
    chosen = any(point.inclusion for point in memory.points)
    disagree = any(point.sources_disagree for point in memory.points)
    marks = source_marks(*memory.points) + [OVERRIDDEN] * bool(overrides) + [INCLUDED] * chosen
    marks += [DISAGREES] * disagree
    footnotes.extend(explain([*marks, *source_marks(*memory.excluded)]))
    title = f"Power against DIMM count: {memory.server}, {memory.workload}, {memory.level}"
    fields = _memory_columns(memory)
    columns = columns_of(fields)
    shown = tuple(note for note in footnotes if note)
    notes = tuple(note for note in shown if note not in overrides)
    excluded = (
        tuple(
            value_of(run.power) if column.key == "power_w"
            else joined_marks(source_marks(run)) if column.key == "marks"
            else getattr(run, column.key, None)
            for column in columns
        )
        for run in memory.excluded
    )  # fmt: skip
    row_notes = [_point_notes(point) for point in memory.points]
    row_notes += [(f"Excluded from the fit: {run.reason}",) for run in memory.excluded]
    rows = (*rows_of(fields, memory.points), *excluded)
    return Table(
        "memory", title, columns, rows, shown, METHODS, layout=_LAYOUT, statements=notes, row_notes=tuple(row_notes)
    )


def _point_marks(point: MemoryPoint) -> str | None:
    tests = {
        DISAGREES: point.sources_disagree,
        OVERRIDDEN: bool(point.overrides),
        INCLUDED: point.inclusion is not None,
    }
    return joined_marks([*source_marks(point), *(mark for mark, holds in tests.items() if holds)])


def _point_notes(point: MemoryPoint) -> tuple[str, ...]:
    return (*point.overrides, *filter(None, (point.remark, point.inclusion)))


def _memory_columns(memory: MemoryOut) -> Fields[MemoryPoint]:
    rate, ratio = memory.throughput_unit, memory.efficiency_unit
    power = QuantityFields[MemoryPoint](Column("power_w", "Power", "W"), lambda p: p.power, "power")
    idle = QuantityFields[MemoryPoint](Column("power_idle_w", "Idle", "W"), lambda p: p.idle_power)
    throughput = QuantityFields[MemoryPoint](
        Column("throughput", "Throughput", rate, partial=True), lambda p: p.throughput
    )
    efficiency = QuantityFields[MemoryPoint](Column("efficiency", "Efficiency", ratio), lambda p: p.efficiency)
    return (
        (Column("run_id", "Run"), lambda p: p.run_id),
        (Column("configuration", "Configuration"), lambda p: p.configuration),
        (Column("dimm_count", "DIMMs", kind="integer"), lambda p: p.dimm_count),
        (Column("memory_gib", "Memory", "GiB", "number"), lambda p: p.memory_gib),
        (Column("memory_type", "Type"), lambda p: p.memory_type),
        (Column("channels", "Modules by channel"), lambda p: _by_channel(p.channels)),
        (Column("balanced", "Balanced", kind="flag", for_people=False), lambda p: p.balanced),
        power.value,
        power.u,
        power.U95,
        idle.value,
        idle.U95,
        throughput.value,
        throughput.U95,
        efficiency.value,
        efficiency.U95,
        (Column("marks", "Marks"), _point_marks),
        (Column("overrides", "Overrides"), lambda p: " ".join(p.overrides) or None),
        (Column("remark", "On the ±"), lambda p: p.remark),
        (Column("inclusion", "Ranked by override"), lambda p: p.inclusion),
        (Column("reason", "Excluded from the fit"), lambda _: None),
    )


def _by_channel(channels: Mapping[str, int]) -> str | None:
    return ", ".join(f"{name} {count}" for name, count in channels.items()) or None
