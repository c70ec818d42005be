"""The table of power against the number of parts: its runs, and the fit in its footnotes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeVar

from wattmark.comparison.parts.views import PartPoint, PartsOut
from wattmark.core.numbers import format_number, format_uncertain
from wattmark.core.part_words import part_words
from wattmark.core.quantity import value_of
from wattmark.results.tables.marks import DISAGREES, INCLUDED, OVERRIDDEN, explain, joined_marks, source_marks
from wattmark.results.tables.methods import METHODS
from wattmark.results.tables.result_columns import EFFICIENCY, WORK
from wattmark.tables.fields import Fields, QuantityFields, columns_of, rows_of
from wattmark.tables.table import Column, LayoutColumn, Table

Point = TypeVar("Point", bound=PartPoint)
_LAYOUT = (LayoutColumn("configuration"), LayoutColumn("count"))
_REST = (*WORK, LayoutColumn("power_idle_w"), EFFICIENCY)


def parts_table(parts: PartsOut) -> Table:
    """Build the table of power against the number of parts; the fit and its interval are in the footnotes."""
    of_parts: Fields[PartPoint] = ((Column("part", f"{_heading(parts)} of"), lambda _: parts.part),)
    return line_table("parts", parts, parts.points, of_parts)


def line_table(
    name: str,
    parts: PartsOut,
    points: Sequence[Point],
    of_parts: Fields[Point],
    layout: Sequence[LayoutColumn] = (),
    planted: Mapping[str, float] | None = None,
) -> Table:
    """Build the table of a line and its points, with what else there is to say of their parts.

    ``layout`` are the columns of ``of_parts`` that an article prints, ``planted`` is what the load model of a simulated
    server holds.
    """
    part, slope = part_words(parts.kind), parts.watts_per_part
    footnotes = [parts.statement, parts.refusal or ""]
    if slope is not None and slope.complete:
        watts = format_uncertain(slope.value, slope.U95, "W")
        footnotes.append(f"Watts per {part.one} at the wall: {watts} (95 %).")
    texts = ", ".join(f"{key} = {format_number(value)}" for key, value in sorted((planted or {}).items()))
    footnotes.append(f"Set in the load model of the simulator: {texts}." if texts else "")
    overrides = [text for point in points for text in point.overrides]
    footnotes.extend(dict.fromkeys(overrides))
    chosen = any(point.inclusion for point in points)
    disagree = any(point.sources_disagree for point in points)
    marks = source_marks(*points) + [OVERRIDDEN] * bool(overrides) + [INCLUDED] * chosen
    marks += [DISAGREES] * disagree
    footnotes.extend(explain([*marks, *source_marks(*parts.excluded)]))
    title = f"Power against {part.one} count: {parts.server}, {parts.workload}, {parts.level}"
    fields = _fields(parts, of_parts)
    columns = columns_of(fields)
    shown = tuple(note for note in footnotes if note)
    notes = tuple(note for note in shown if note not in overrides)
    apart = (
        tuple(
            value_of(run.power) if column.key == "power_w"
            else joined_marks(source_marks(run)) if column.key == "marks"
            else getattr(run, column.key, None)
            for column in columns
        )
        for run in parts.excluded
    )  # fmt: skip
    row_notes = [_point_notes(point) for point in points]
    row_notes += [(f"Excluded from the fit: {run.reason}",) for run in parts.excluded]
    rows = (*rows_of(fields, points), *apart)
    return Table(
        name,
        title,
        columns,
        rows,
        shown,
        METHODS,
        layout=(*_LAYOUT, *layout, *_REST),
        statements=notes,
        row_notes=tuple(row_notes),
    )


def _point_marks(point: PartPoint) -> str | None:
    tests = {
        DISAGREES: point.sources_disagree,
        OVERRIDDEN: bool(point.overrides),
        INCLUDED: point.inclusion is not None,
    }
    return joined_marks([*source_marks(point), *(mark for mark, holds in tests.items() if holds)])


def _point_notes(point: PartPoint) -> tuple[str, ...]:
    return (*point.overrides, *filter(None, (point.remark, point.inclusion)))


def _heading(parts: PartsOut) -> str:
    many = part_words(parts.kind).many
    return f"{many[0].upper()}{many[1:]}"


def _fields(parts: PartsOut, of_parts: Fields[Point]) -> Fields[Point]:
    rate, ratio = parts.throughput_unit, parts.efficiency_unit
    power = QuantityFields[Point](Column("power_w", "Power", "W"), lambda p: p.power, "power")
    idle = QuantityFields[Point](Column("power_idle_w", "Idle", "W"), lambda p: p.idle_power)
    throughput = QuantityFields[Point](Column("throughput", "Throughput", rate, partial=True), lambda p: p.throughput)
    efficiency = QuantityFields[Point](Column("efficiency", "Efficiency", ratio), lambda p: p.efficiency)
    return (
        (Column("run_id", "Run"), lambda p: p.run_id),
        (Column("configuration", "Configuration"), lambda p: p.configuration),
        (Column("count", _heading(parts), kind="integer"), lambda p: p.count),
        *of_parts,
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
