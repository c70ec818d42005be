"""The tables of results, comparison, memory, and of the published library."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from wattmark.comparison.compare.plus_minus import SIMULATED_POWER, plus_minus_text
from wattmark.comparison.compare.views import CompareGroup, CompareOut, ComparePair, MemoryOut, MemoryPoint
from wattmark.comparison.compare.wording import not_separable
from wattmark.comparison.published.views import PublishedTable
from wattmark.core.interval import Interval95, half_width
from wattmark.core.numbers import format_number, format_uncertain
from wattmark.core.quantity import half_of, value_of
from wattmark.reports.tables.marks import (
    DISAGREES,
    INCLUDED,
    OVERRIDDEN,
    PUBLISHED,
    explain,
    group_marks,
    joined_marks,
    mark_notes,
    result_marks,
    source_marks,
)
from wattmark.reports.tables.methods import METHODS
from wattmark.reports.tables.result_columns import EFFICIENCY, RESULT, RESULT_LAYOUT, WORK
from wattmark.results.disagreement import disagreement
from wattmark.results.names import group_names
from wattmark.results.overrides import accepted_texts, with_runs
from wattmark.results.ranking_bars import TITLES, inclusion_text, not_ranked_text
from wattmark.results.result import Result
from wattmark.results.state import run_state
from wattmark.tables.fields import Fields
from wattmark.tables.table import Cell, Column, LayoutColumn, Table

Source = TypeVar("Source")


def results_table(results: Iterable[Result]) -> Table:
    """Build the table of runs: the columns that scripts rely on, then the finer ones.

    Of each result only its cells, 2 kB, and its footnotes stay in memory.
    """
    rows: list[tuple[Cell, ...]] = []
    marks: set[str] = set()
    disagreeing: list[tuple[str, list[str]]] = []
    accepted: list[tuple[str, list[str]]] = []
    chosen: list[tuple[str, list[str]]] = []
    once: dict[Cell, Cell] = {}
    row_notes: list[tuple[str, ...]] = []
    for result in results:
        cells = (take(result) for _, take in RESULT)
        rows.append(tuple(once.setdefault(cell, cell) if isinstance(cell, str) else cell for cell in cells))
        marks.update(result_marks(result))
        row_notes.append(tuple(str(once.setdefault(note, note)) for note in _result_notes(result)))
        if (text := disagreement(result)) is not None:
            disagreeing.append((result.run_id, [text]))
        if texts := accepted_texts(result):
            accepted.append((result.run_id, texts))
        if (choice := inclusion_text(result)) is not None:
            chosen.append((result.run_id, [choice]))
    footnotes = (*explain(marks), *with_runs(disagreeing), *with_runs(accepted), *with_runs(chosen))
    columns = tuple(column for column, _ in RESULT)
    notes = tuple(row_notes)
    return Table("results", "Results", columns, tuple(rows), footnotes, METHODS, row_notes=notes, layout=RESULT_LAYOUT)


def _result_notes(result: Result) -> Iterator[str]:
    """Yield what must be known about a run that is printed: marks, state, why not ranked, whose choice, why no ±."""
    yield from mark_notes(result_marks(result))
    state = run_state(result)
    if state.key not in ("sound", "unchecked", "override"):
        yield f"{state.words}."
    if (why := not_ranked_text(result)) is not None:
        yield f"Not ranked {why}." if why.startswith("by ") else f"Not ranked: {why}."
    if (choice := inclusion_text(result)) is not None:
        yield f"{choice}."
    if (text := disagreement(result)) is not None:
        yield text
    yield from accepted_texts(result)
    if (text := plus_minus_text(result)) is not None:
        yield text


_COMPARE_LAYOUT = (
    LayoutColumn("label"),
    LayoutColumn("n"),
    *WORK,
    EFFICIENCY,
    LayoutColumn("ratio", "Ratio", against=("efficiency", "throughput", "power_w")),
)
_MEMORY_LAYOUT = (
    LayoutColumn("configuration"),
    LayoutColumn("dimm_count"),
    LayoutColumn("memory_type", if_varies=True),
    *WORK,
    LayoutColumn("power_idle_w"),
    EFFICIENCY,
)


def compare_table(compared: CompareOut) -> Table:
    """Build the table of a comparison: one row per group, with the ratio to the baseline where there is one."""
    pairs = {pair.key: pair for pair in compared.pairs}
    printed = {group.key for group in compared.groups if group.kind == PUBLISHED}
    names = group_names(compared.groups)

    def ratio_ends(group: CompareGroup, *, of_printed: bool) -> tuple[float | None, float | None]:
        """Return the ends of a ratio: a 95 % interval, or with a published figure the range of its printed digits."""
        pair = pairs.get(group.key)
        if pair is None or of_printed is not (pair.key in printed or pair.baseline in printed):
            return None, None
        return pair.low, pair.high

    fields: Fields[CompareGroup] = (
        *_COMPARE,
        (Column("marks", "Marks"), lambda g: ", ".join(group_marks(g, compared.compared_by)) or None),
        (
            Column("ratio", "Ratio to baseline", kind="number", expanded_u="ratio_U95", rounding="ratio_rounding"),
            lambda g: pairs[g.key].ratio if g.key in pairs else None,
        ),
        (
            Column("ratio_U95", "", kind="number", for_people=False),
            lambda g: half_width(*ratio_ends(g, of_printed=False)),
        ),
        (Column("ratio_low", "", kind="number", for_people=False), lambda g: ratio_ends(g, of_printed=False)[0]),
        (Column("ratio_high", "", kind="number", for_people=False), lambda g: ratio_ends(g, of_printed=False)[1]),
        (Column("verdict", "Against the baseline"), lambda g: pairs[g.key].verdict if g.key in pairs else None),
        (Column("source", "Source"), lambda g: g.source),
        (Column("refusal", "Why there is no value"), lambda g: g.refusal),
        (Column("not_ranked", "Not ranked", for_people=False), _not_ranked),
        (Column("ranked_by_choice", "Ranked by override", for_people=False), _by_choice),
        (Column("remarks", "Remarks"), lambda g: " ".join(g.remarks) or None),
        *_ROUNDING,
        (
            Column("ratio_rounding", "Rounding of the ratio", kind="number", for_people=False),
            lambda g: half_width(*ratio_ends(g, of_printed=True)),
        ),
        (Column("label", "Configuration", for_people=False), lambda g: names[g.key]),
    )
    marks = [mark for group in compared.groups for mark in group_marks(group, compared.compared_by)]
    statements = tuple(filter(None, (compared.statement, compared.claim)))
    table = _build("compare", compared.title, fields, compared.groups, (*statements, *explain(marks)))
    keys = [group.key for group in compared.groups]
    return replace(
        table,
        layout=_COMPARE_LAYOUT,
        statements=statements,
        row_notes=tuple(tuple(_group_notes(group, compared, pairs)) for group in compared.groups),
        baseline=keys.index(compared.baseline) if compared.baseline in keys else None,
    )


def _group_notes(group: CompareGroup, compared: CompareOut, pairs: Mapping[str, ComparePair]) -> Iterator[str]:
    """Yield what must be known about a group that is printed: marks, baseline, tie, why not ranked, remarks."""
    yield from mark_notes(group_marks(group, compared.compared_by))
    if group.key == compared.baseline and pairs:
        yield f"Baseline: the ratios divide the {_RATIO_OF[compared.compared_by]} of the others by that of this row."
    pair = pairs.get(group.key)
    if pair is not None and pair.significant is False:
        yield "Tie: the difference from the baseline is not significant."
    if pair is not None and pair.significant is None and group.kind != PUBLISHED:
        if pair.turns in (None, "in turns") or pair.low is None:
            yield "The difference from the baseline is not tested."
        else:
            yield f"The difference from the baseline is not called significant: {not_separable(pair.turns)}."
    if group.refusal is not None:
        yield group.refusal
    elif (why := _not_ranked(group)) is not None:
        yield f"Not ranked {why}."
    yield from (remark for remark in group.remarks if remark != SIMULATED_POWER)


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
    disagree = any(point.sources_disagree for point in memory.points)
    marks = source_marks(*memory.points) + [OVERRIDDEN] * bool(overrides) + [INCLUDED] * chosen
    marks += [DISAGREES] * disagree
    footnotes.extend(explain([*marks, *source_marks(*memory.excluded)]))
    title = f"Power against DIMM count: {memory.server}, {memory.workload}, {memory.level}"
    fields = _memory_columns(memory)
    table = _build("memory", title, fields, memory.points, tuple(note for note in footnotes if note))
    notes = tuple(note for note in footnotes if note and note not in overrides)
    excluded = (
        tuple(
            value_of(run.power) if column.key == "power_w"
            else joined_marks(source_marks(run)) if column.key == "marks"
            else getattr(run, column.key, None)
            for column in table.columns
        )
        for run in memory.excluded
    )  # fmt: skip
    row_notes = [_point_notes(point) for point in memory.points]
    row_notes += [(f"Excluded from the fit: {run.reason}",) for run in memory.excluded]
    rows = (*table.rows, *excluded)
    return replace(table, rows=rows, layout=_MEMORY_LAYOUT, statements=notes, row_notes=tuple(row_notes))


def _point_marks(point: MemoryPoint) -> str | None:
    tests = {
        DISAGREES: point.sources_disagree,
        OVERRIDDEN: bool(point.overrides),
        INCLUDED: point.inclusion is not None,
    }
    return joined_marks([*source_marks(point), *(mark for mark, holds in tests.items() if holds)])


def _point_notes(point: MemoryPoint) -> tuple[str, ...]:
    return (*point.overrides, *filter(None, (point.remark, point.inclusion)))


def published_table(table: PublishedTable) -> Table:
    """Build the export of a published table; a column is numeric when it holds numbers only."""
    columns = tuple(_published_column(table, position) for position in range(len(table.columns)))
    marked = Column("marks", "Marks", for_people=False)
    notice = f"Published, not measured here. Source: {table.source}."
    rows = tuple((*row, PUBLISHED) for row in table.rows)
    return Table(table.id, table.title, (*columns, marked), rows, (notice, *table.remarks))


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


_RATIO_OF = {"efficiency": "performance per watt", "throughput": "throughput", "power": "power"}


def _not_ranked(group: CompareGroup) -> str | None:
    """Return by which figures a group is not ranked, and why; None where it is ranked by all."""
    barred = [(title, group.not_ranked[of]) for of, title in TITLES.items() if of in group.not_ranked]
    return "; ".join(f"by {title}: {why}" for title, why in barred) or None


def _by_choice(group: CompareGroup) -> str | None:
    return " ".join(dict.fromkeys(f"{text}." for texts in group.inclusions.values() for text in texts)) or None


def _ends(group: CompareGroup, interval: Interval95 | None) -> tuple[float | None, float | None]:
    """Return the ends at 95 %; none for a published figure, whose interval comes from its rounding only."""
    known = interval is not None and interval.complete and group.kind != PUBLISHED
    return (interval.low, interval.high) if interval is not None and known else (None, None)


def _rounding(group: CompareGroup, interval: Interval95 | None) -> float | None:
    """Return half the width of what rounds to a published figure; None for any other."""
    return None if interval is None or group.kind != PUBLISHED else half_width(interval.low, interval.high)


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
        Column(
            "efficiency",
            "Efficiency",
            "",
            "number",
            "efficiency_U95",
            "efficiency_unit",
            rounding="efficiency_rounding",
        ),
        lambda g: _value(g.efficiency),
    ),
    (Column("efficiency_low", "", kind="number", for_people=False), lambda g: _ends(g, g.efficiency)[0]),
    (Column("efficiency_high", "", kind="number", for_people=False), lambda g: _ends(g, g.efficiency)[1]),
    (Column("efficiency_U95", "", kind="number", for_people=False), lambda g: half_width(*_ends(g, g.efficiency))),
    (Column("efficiency_unit", "Unit", for_people=False), lambda g: g.efficiency_unit),
    (
        Column("power_w", "Power", "W", "number", expanded_u="power_U95_w", rounding="power_rounding_w"),
        lambda g: _value(g.power_w),
    ),
    (Column("power_low_w", "", "W", "number", for_people=False), lambda g: _ends(g, g.power_w)[0]),
    (Column("power_high_w", "", "W", "number", for_people=False), lambda g: _ends(g, g.power_w)[1]),
    (Column("power_U95_w", "", "W", "number", for_people=False), lambda g: half_width(*_ends(g, g.power_w))),
    (
        Column(
            "throughput",
            "Throughput",
            "",
            "number",
            "throughput_U95",
            "throughput_unit",
            rounding="throughput_rounding",
        ),
        lambda g: _value(g.throughput),
    ),
    (Column("throughput_low", "", kind="number", for_people=False), lambda g: _ends(g, g.throughput)[0]),
    (Column("throughput_high", "", kind="number", for_people=False), lambda g: _ends(g, g.throughput)[1]),
    (Column("throughput_U95", "", kind="number", for_people=False), lambda g: half_width(*_ends(g, g.throughput))),
    (Column("throughput_unit", "Unit", for_people=False), lambda g: g.throughput_unit),
    (
        Column(
            "energy_per_op_j", "Energy per operation", "J", "number", expanded_u="energy_per_op_U95_j", prefixed=True
        ),
        lambda g: g.energy_per_op_j,
    ),
    (
        Column("energy_per_op_U95_j", "", "J", "number", for_people=False),
        lambda g: half_width(*_ends(g, g.energy_per_op)),
    ),
    (Column("steady", "Steady", kind="flag", for_people=False), lambda g: g.steady),
    (Column("full_load", "Full load", kind="flag", for_people=False), lambda g: g.full_load),
    (Column("traceable", "Traceable", kind="flag", for_people=False), lambda g: g.traceable),
    (Column("rank_low", "Rank from", kind="integer"), lambda g: g.rank_low),
    (Column("rank_high", "to", kind="integer"), lambda g: g.rank_high),
)


_ROUNDING: Fields[CompareGroup] = (
    (
        Column("efficiency_rounding", "Rounding of the efficiency", kind="number", unit_from="efficiency_unit",
               for_people=False),
        lambda g: _rounding(g, g.efficiency),
    ),
    (
        Column("power_rounding_w", "Rounding of the power", "W", "number", for_people=False),
        lambda g: _rounding(g, g.power_w),
    ),
    (
        Column("throughput_rounding", "Rounding of the throughput", kind="number", unit_from="throughput_unit",
               for_people=False),
        lambda g: _rounding(g, g.throughput),
    ),
)  # fmt: skip
"""Half the width of what rounds to a published figure; empty for any other."""


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
            Column("throughput", "Throughput", rate, "number", expanded_u="throughput_U95", partial=True),
            lambda p: value_of(p.throughput),
        ),
        (Column("throughput_U95", "", rate, "number", for_people=False), lambda p: half_of(p.throughput)),
        (
            Column("efficiency", "Efficiency", ratio, "number", expanded_u="efficiency_U95"),
            lambda p: value_of(p.efficiency),
        ),
        (Column("efficiency_U95", "", ratio, "number", for_people=False), lambda p: half_of(p.efficiency)),
        (Column("marks", "Marks"), _point_marks),
        (Column("overrides", "Overrides"), lambda p: " ".join(p.overrides) or None),
        (Column("remark", "On the ±"), lambda p: p.remark),
        (Column("inclusion", "Ranked by override"), lambda p: p.inclusion),
        (Column("reason", "Excluded from the fit"), lambda _: None),
    )


def _by_channel(channels: Mapping[str, int]) -> str | None:
    return ", ".join(f"{name} {count}" for name, count in channels.items()) or None
