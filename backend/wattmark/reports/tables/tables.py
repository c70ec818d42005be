"""The tables of results, comparison, memory, and of the published library."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from wattmark.comparison.compare.plus_minus import half_width
from wattmark.comparison.compare.views import CompareGroup, CompareOut, Interval95, MemoryOut, MemoryPoint
from wattmark.comparison.published.views import PublishedTable
from wattmark.core.numbers import format_number, format_uncertain
from wattmark.core.quantity import half_of, value_of
from wattmark.reports.tables.fields import Fields
from wattmark.reports.tables.marks import INCLUDED, OVERRIDDEN, SIMULATED, explain, group_marks, result_marks
from wattmark.reports.tables.methods import METHODS
from wattmark.reports.tables.result_columns import RESULT
from wattmark.reports.tables.table import Cell, Column, Table
from wattmark.results.overrides import accepted_texts, with_runs
from wattmark.results.ranking_bars import TITLES, inclusion_text
from wattmark.results.result import Result

Source = TypeVar("Source")


def results_table(results: Iterable[Result]) -> Table:
    """Build the table of runs: the columns that scripts rely on, then the finer ones.

    Of each result only its cells, 2 kB, and its footnotes stay in memory.
    """
    rows: list[tuple[Cell, ...]] = []
    marks: set[str] = set()
    accepted: list[tuple[str, list[str]]] = []
    chosen: list[tuple[str, list[str]]] = []
    once: dict[Cell, Cell] = {}
    for result in results:
        cells = (take(result) for _, take in RESULT)
        rows.append(tuple(once.setdefault(cell, cell) if isinstance(cell, str) else cell for cell in cells))
        marks.update(result_marks(result))
        if texts := accepted_texts(result):
            accepted.append((result.run_id, texts))
        if (choice := inclusion_text(result)) is not None:
            chosen.append((result.run_id, [choice]))
    footnotes = (*explain(marks), *with_runs(accepted), *with_runs(chosen))
    return Table("results", "Results", tuple(column for column, _ in RESULT), tuple(rows), footnotes, METHODS)


def compare_table(compared: CompareOut) -> Table:
    """Build the table of a comparison: one row per group, with the ratio to the baseline where there is one."""
    pairs = {pair.key: pair for pair in compared.pairs}
    fields: Fields[CompareGroup] = (
        *_COMPARE,
        (
            Column("ratio", "Ratio to baseline", kind="number", expanded_u="ratio_U95"),
            lambda g: pairs[g.key].ratio if g.key in pairs else None,
        ),
        (
            Column("ratio_U95", "", kind="number", for_people=False),
            lambda g: half_width(pairs[g.key].low, pairs[g.key].high) if g.key in pairs else None,
        ),
        (
            Column("ratio_low", "", kind="number", for_people=False),
            lambda g: pairs[g.key].low if g.key in pairs else None,
        ),
        (
            Column("ratio_high", "", kind="number", for_people=False),
            lambda g: pairs[g.key].high if g.key in pairs else None,
        ),
        (Column("verdict", "Against the baseline"), lambda g: pairs[g.key].verdict if g.key in pairs else None),
        (Column("source", "Source"), lambda g: g.source),
        (Column("refusal", "Why there is no value"), lambda g: g.refusal),
        (Column("not_ranked", "Not ranked", for_people=False), _not_ranked),
        (Column("ranked_by_choice", "Ranked by override", for_people=False), _by_choice),
        (Column("remarks", "Remarks"), lambda g: " ".join(g.remarks) or None),
    )
    marks = [mark for group in compared.groups for mark in group_marks(group)]
    return _build(
        "compare",
        compared.title,
        fields,
        compared.groups,
        tuple(filter(None, (compared.claim, compared.statement, *explain(marks)))),
    )


def memory_table(memory: MemoryOut) -> Table:
    """Build the table of power against DIMM count; the fit and its interval are in the footnotes."""
    slope = memory.watts_per_dimm
    footnotes = [memory.statement, memory.refusal or ""]
    if slope is not None and slope.complete:
        half = (slope.high - slope.low) / 2
        footnotes.append(f"Watts per DIMM at the wall: {format_uncertain(slope.value, half, 'W')} (95 %).")
    planted = ", ".join(f"{name} = {format_number(value)}" for name, value in sorted((memory.planted or {}).items()))
    footnotes.append(f"Set in the load model of the simulator: {planted}." if planted else "")
    overrides = [text for point in memory.points for text in point.overrides]
    footnotes.extend(dict.fromkeys(overrides))
    chosen = any(point.inclusion for point in memory.points)
    marks = [SIMULATED] * memory.simulated + [OVERRIDDEN] * bool(overrides) + [INCLUDED] * chosen
    footnotes.extend(explain(marks))
    title = f"Power against DIMM count: {memory.server}, {memory.workload}, {memory.level}"
    fields = _memory_columns(memory)
    table = _build("memory", title, fields, memory.points, tuple(note for note in footnotes if note))
    excluded = (
        tuple(
            value_of(run.power) if column.key == "power_w" else getattr(run, column.key, None)
            for column in table.columns
        )
        for run in memory.excluded
    )
    return replace(table, rows=(*table.rows, *excluded))


def published_table(table: PublishedTable) -> Table:
    """Build the export of a published table; a column is numeric when it holds numbers only."""
    columns = tuple(_published_column(table, position) for position in range(len(table.columns)))
    notice = f"Published, not measured here. Source: {table.source}."
    return Table(table.id, table.title, columns, tuple(map(tuple, table.rows)), (notice, *table.remarks))


def _published_column(table: PublishedTable, position: int) -> Column:
    cells = [row[position] for row in table.rows]
    numeric = any(isinstance(cell, float) for cell in cells) and not any(isinstance(cell, str) for cell in cells)
    title = table.columns[position]
    return Column(title, title, kind="number" if numeric else "text")


def _build(
    identity: str, title: str, fields: Fields[Source], sources: Sequence[Source], footnotes: tuple[str, ...]
) -> Table:
    rows = tuple(tuple(take(source) for _, take in fields) for source in sources)
    return Table(identity, title, tuple(column for column, _ in fields), rows, footnotes, METHODS)


def _not_ranked(group: CompareGroup) -> str | None:
    """Return by which figures a group is not ranked, and why; None where it is ranked by all."""
    barred = [(title, group.not_ranked[of]) for of, title in TITLES.items() if of in group.not_ranked]
    return "; ".join(f"by {title}: {why}" for title, why in barred) or None


def _by_choice(group: CompareGroup) -> str | None:
    return " ".join(dict.fromkeys(f"{text}." for texts in group.inclusions.values() for text in texts)) or None


def _low(interval: Interval95 | None) -> float | None:
    return interval.low if interval and interval.complete else None


def _high(interval: Interval95 | None) -> float | None:
    return interval.high if interval and interval.complete else None


def _half(interval: Interval95 | None) -> float | None:
    return half_width(_low(interval), _high(interval))


def _value(interval: Interval95 | None) -> float | None:
    return interval.value if interval else None


_COMPARE: Fields[CompareGroup] = (
    (Column("key", "Group", for_people=False), lambda g: g.key),
    (Column("title", "Configuration"), lambda g: g.title),
    (Column("server", "Server"), lambda g: g.server),
    (Column("configuration", "Configuration id", for_people=False), lambda g: g.configuration),
    (Column("dimm_count", "DIMMs", kind="integer"), lambda g: g.dimm_count),
    (Column("kind", "Kind"), lambda g: g.kind),
    (Column("workload", "Workload", for_people=False), lambda g: g.workload),
    (Column("level", "Level"), lambda g: g.level),
    (Column("n", "Runs", kind="integer"), lambda g: g.n),
    (
        Column("efficiency", "Efficiency", "", "number", expanded_u="efficiency_U95", unit_from="efficiency_unit"),
        lambda g: _value(g.efficiency),
    ),
    (Column("efficiency_low", "", kind="number", for_people=False), lambda g: _low(g.efficiency)),
    (Column("efficiency_high", "", kind="number", for_people=False), lambda g: _high(g.efficiency)),
    (Column("efficiency_U95", "", kind="number", for_people=False), lambda g: _half(g.efficiency)),
    (Column("efficiency_unit", "Unit", for_people=False), lambda g: g.efficiency_unit),
    (Column("power_w", "Power", "W", "number", expanded_u="power_U95_w"), lambda g: _value(g.power_w)),
    (Column("power_low_w", "", "W", "number", for_people=False), lambda g: _low(g.power_w)),
    (Column("power_high_w", "", "W", "number", for_people=False), lambda g: _high(g.power_w)),
    (Column("power_U95_w", "", "W", "number", for_people=False), lambda g: _half(g.power_w)),
    (
        Column("throughput", "Throughput", "", "number", expanded_u="throughput_U95", unit_from="throughput_unit"),
        lambda g: _value(g.throughput),
    ),
    (Column("throughput_low", "", kind="number", for_people=False), lambda g: _low(g.throughput)),
    (Column("throughput_high", "", kind="number", for_people=False), lambda g: _high(g.throughput)),
    (Column("throughput_U95", "", kind="number", for_people=False), lambda g: _half(g.throughput)),
    (Column("throughput_unit", "Unit", for_people=False), lambda g: g.throughput_unit),
    (
        Column("energy_per_op_j", "Energy per operation", "J", "number", expanded_u="energy_per_op_U95_j"),
        lambda g: g.energy_per_op_j,
    ),
    (Column("energy_per_op_U95_j", "", "J", "number", for_people=False), lambda g: _half(g.energy_per_op)),
    (Column("steady", "Steady", kind="flag", for_people=False), lambda g: g.steady),
    (Column("full_load", "Full load", kind="flag", for_people=False), lambda g: g.full_load),
    (Column("traceable", "Traceable", kind="flag", for_people=False), lambda g: g.traceable),
    (Column("rank_low", "Rank from", kind="integer"), lambda g: g.rank_low),
    (Column("rank_high", "to", kind="integer"), lambda g: g.rank_high),
    (Column("marks", "Marks"), lambda g: ", ".join(group_marks(g)) or None),
)


def _memory_columns(memory: MemoryOut) -> Fields[MemoryPoint]:
    rate, ratio = memory.throughput_unit, memory.efficiency_unit
    return (
        (Column("run_id", "Run"), lambda p: p.run_id),
        (Column("configuration", "Configuration"), lambda p: p.configuration),
        (Column("dimm_count", "DIMMs", kind="integer"), lambda p: p.dimm_count),
        (Column("memory_gib", "Memory", "GiB", "number"), lambda p: p.memory_gib),
        (Column("memory_type", "Type"), lambda p: p.memory_type),
        (Column("channels", "Modules by channel"), lambda p: _by_channel(p.channels)),
        (Column("balanced", "Balanced", kind="flag", for_people=False), lambda p: p.balanced),
        (Column("power_w", "Power", "W", "number", expanded_u="power_U95_w"), lambda p: p.power.value),
        (Column("power_u_w", "u(power)", "W", "number", for_people=False), lambda p: p.power.u),
        (Column("power_U95_w", "U95(power)", "W", "number", for_people=False), lambda p: p.power.U95),
        (
            Column("power_idle_w", "Idle", "W", "number", expanded_u="power_idle_U95_w"),
            lambda p: value_of(p.idle_power),
        ),
        (Column("power_idle_U95_w", "", "W", "number", for_people=False), lambda p: half_of(p.idle_power)),
        (
            Column("throughput", "Throughput", rate, "number", expanded_u="throughput_U95"),
            lambda p: value_of(p.throughput),
        ),
        (Column("throughput_U95", "", rate, "number", for_people=False), lambda p: half_of(p.throughput)),
        (
            Column("efficiency", "Efficiency", ratio, "number", expanded_u="efficiency_U95"),
            lambda p: value_of(p.efficiency),
        ),
        (Column("efficiency_U95", "", ratio, "number", for_people=False), lambda p: half_of(p.efficiency)),
        (Column("overrides", "Overrides"), lambda p: " ".join(p.overrides) or None),
        (Column("remark", "On the ±"), lambda p: p.remark),
        (Column("inclusion", "Ranked by override"), lambda p: p.inclusion),
        (Column("reason", "Excluded from the fit"), lambda _: None),
    )


def _by_channel(channels: Mapping[str, int]) -> str | None:
    return ", ".join(f"{name} {count}" for name, count in channels.items()) or None
