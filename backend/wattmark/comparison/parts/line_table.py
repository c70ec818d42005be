"""The table of power against the number of parts: its runs, and the fit in its footnotes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol, TypeVar

from wattmark.comparison.parts.views import ExcludedRun, MeasuredRun
from wattmark.core.interval import Interval95
from wattmark.core.numbers import format_number, format_uncertain
from wattmark.core.part_words import PartWords
from wattmark.core.quantity import value_of
from wattmark.results.tables.marks import DISAGREES, INCLUDED, OVERRIDDEN, explain, joined_marks, source_marks
from wattmark.results.tables.methods import METHODS
from wattmark.results.tables.result_columns import EFFICIENCY, WORK
from wattmark.tables.fields import Fields, QuantityFields, columns_of, rows_of
from wattmark.tables.table import Column, LayoutColumn, Table


class LineView(Protocol):
    """A fit over the number of parts, whatever its parts are called."""

    server: str
    workload: str
    level: str
    throughput_unit: str
    efficiency_unit: str
    statement: str
    refusal: str | None


Point = TypeVar("Point", bound=MeasuredRun)


def line_layout(*parts: LayoutColumn) -> tuple[LayoutColumn, ...]:
    """Return the columns that an article prints, with those of the parts."""
    return (LayoutColumn("configuration"), *parts, *WORK, LayoutColumn("power_idle_w"), EFFICIENCY)


def line_table(
    name: str,
    view: LineView,
    part: PartWords,
    slope: Interval95 | None,
    points: Sequence[Point],
    excluded: Sequence[ExcludedRun],
    of_parts: Fields[Point],
    layout: Sequence[LayoutColumn],
    planted: Mapping[str, float] | None = None,
) -> Table:
    """Build the table of power against the number of parts; the fit and its interval are in the footnotes.

    ``of_parts`` are the columns of the parts, ``planted`` what the load model of a simulated server holds.
    """
    footnotes = [view.statement, view.refusal or ""]
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
    footnotes.extend(explain([*marks, *source_marks(*excluded)]))
    title = f"Power against {part.one} count: {view.server}, {view.workload}, {view.level}"
    fields = _fields(view, of_parts)
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
        for run in excluded
    )  # fmt: skip
    row_notes = [_point_notes(point) for point in points]
    row_notes += [(f"Excluded from the fit: {run.reason}",) for run in excluded]
    rows = (*rows_of(fields, points), *apart)
    return Table(
        name,
        title,
        columns,
        rows,
        shown,
        METHODS,
        layout=tuple(layout),
        statements=notes,
        row_notes=tuple(row_notes),
    )


def _point_marks(point: MeasuredRun) -> str | None:
    tests = {
        DISAGREES: point.sources_disagree,
        OVERRIDDEN: bool(point.overrides),
        INCLUDED: point.inclusion is not None,
    }
    return joined_marks([*source_marks(point), *(mark for mark, holds in tests.items() if holds)])


def _point_notes(point: MeasuredRun) -> tuple[str, ...]:
    return (*point.overrides, *filter(None, (point.remark, point.inclusion)))


def _fields(view: LineView, of_parts: Fields[Point]) -> Fields[Point]:
    rate, ratio = view.throughput_unit, view.efficiency_unit
    power = QuantityFields[Point](Column("power_w", "Power", "W"), lambda p: p.power, "power")
    idle = QuantityFields[Point](Column("power_idle_w", "Idle", "W"), lambda p: p.idle_power)
    throughput = QuantityFields[Point](Column("throughput", "Throughput", rate, partial=True), lambda p: p.throughput)
    efficiency = QuantityFields[Point](Column("efficiency", "Efficiency", ratio), lambda p: p.efficiency)
    return (
        (Column("run_id", "Run"), lambda p: p.run_id),
        (Column("configuration", "Configuration"), lambda p: p.configuration),
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
