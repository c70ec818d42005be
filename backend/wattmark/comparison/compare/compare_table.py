"""The table of a comparison."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from wattmark.comparison.choices import Sort
from wattmark.comparison.compare.installations import is_said_of_each
from wattmark.comparison.compare.order import in_order
from wattmark.comparison.compare.views import CompareGroup, CompareOut, ComparePair
from wattmark.comparison.compare.wording import not_separable
from wattmark.core.interval import Interval, Interval95
from wattmark.results.names import group_names
from wattmark.results.plus_minus import SIMULATED_POWER
from wattmark.results.ranking_bars import TITLES
from wattmark.results.result import Claim
from wattmark.results.tables.marks import (
    BELOW_FULL_LOAD,
    DISAGREES,
    INCLUDED,
    NOT_RANKED,
    NOT_TRACEABLE,
    OVERRIDDEN,
    PUBLISHED,
    UNSTEADY,
    explain,
    mark_notes,
)
from wattmark.results.tables.methods import METHODS
from wattmark.results.tables.result_columns import EFFICIENCY, WORK
from wattmark.runs.power_settings import settings_words
from wattmark.tables.fields import Fields, HalfFields, IntervalFields, columns_of, rows_of
from wattmark.tables.table import Column, LayoutColumn, Table

_COMPARE_LAYOUT = (
    LayoutColumn("label"),
    LayoutColumn("n"),
    *WORK,
    EFFICIENCY,
    LayoutColumn("ratio", "Ratio", against=("efficiency", "throughput", "power_w")),
)


def compare_table(compared: CompareOut, sort: Sort = "rank", top: int | None = None) -> Table:
    """Build the table of a comparison: one row per group, with the ratio to the baseline where there is one.

    ``sort`` and ``top`` are those of `in_order`.
    """
    pairs = {pair.key: pair for pair in compared.pairs}
    printed = {group.key for group in compared.groups if group.kind == PUBLISHED}
    names = group_names(compared.groups)
    compared = in_order(compared, sort, top)

    of_printed = {pair.key: pair.key in printed or pair.baseline in printed for pair in compared.pairs}
    ratio = IntervalFields[CompareGroup](
        Column("ratio", "Ratio to baseline", rounding="ratio_rounding"),
        lambda g: _measured(pairs[g.key].ratio, printed=of_printed[g.key]) if g.key in pairs else None,
        titles=("", ""),
    )
    best = {pair.key: pair for pair in compared.against_best}
    against_best = IntervalFields[CompareGroup](
        Column("ratio_to_best", "Ratio to best"),
        lambda g: _measured(best[g.key].ratio, printed=g.key in printed) if g.key in best else None,
        titles=("", ""),
    )
    fields: Fields[CompareGroup] = (
        *_COMPARE,
        (Column("marks", "Marks"), lambda g: ", ".join(group_marks(g, compared.compared_by)) or None),
        *(ratio.value, ratio.U95, ratio.low, ratio.high),
        (Column("verdict", "Against the baseline"), lambda g: pairs[g.key].verdict if g.key in pairs else None),
        *(against_best.all if best else ()),
        (Column("source", "Source"), lambda g: g.source),
        (Column("refusal", "Why there is no value"), lambda g: g.refusal),
        (Column("not_ranked", "Not ranked", for_people=False), _not_ranked),
        (Column("ranked_by_choice", "Ranked by override", for_people=False), _by_choice),
        (Column("remarks", "Remarks"), lambda g: " ".join(g.remarks) or None),
        *_ROUNDING,
        (
            Column("ratio_rounding", "Rounding of the ratio", kind="number", for_people=False),
            lambda g: pairs[g.key].ratio.U95 if of_printed.get(g.key) else None,
        ),
        (Column("label", "Configuration", for_people=False), lambda g: names[g.key]),
    )
    marks = [mark for group in compared.groups for mark in group_marks(group, compared.compared_by)]
    statements = tuple(filter(None, (compared.statement, compared.claim)))
    keys = [group.key for group in compared.groups]
    return Table(
        "compare",
        compared.title,
        columns_of(fields),
        rows_of(fields, compared.groups),
        (*statements, *explain(marks)),
        METHODS,
        layout=(*_COMPARE_LAYOUT, LayoutColumn("ratio_to_best")) if best else _COMPARE_LAYOUT,
        statements=statements,
        row_notes=tuple(tuple(_group_notes(group, compared, pairs)) for group in compared.groups),
        baseline=keys.index(compared.baseline) if compared.baseline in keys else None,
    )


def group_marks(group: CompareGroup, claim: Claim) -> list[str]:
    """Return the marks of a group in a comparison by one claim; what bars another claim is no mark of this one."""
    tests = {
        group.kind: group.kind != "measured",
        NOT_TRACEABLE: not group.traceable,
        UNSTEADY: group.steady is False,
        BELOW_FULL_LOAD: group.full_load is False,
        OVERRIDDEN: any("overridden" in remark.lower() for remark in group.remarks),
        INCLUDED: claim in group.inclusions,
        NOT_RANKED: claim in group.not_ranked,
        DISAGREES: group.sources_disagree,
    }
    return [mark for mark, holds in tests.items() if holds]


def _group_notes(group: CompareGroup, compared: CompareOut, pairs: Mapping[str, ComparePair]) -> Iterator[str]:
    """Yield what must be known about a group that is printed: marks, baseline, tie, why not ranked, remarks."""
    yield from mark_notes(group_marks(group, compared.compared_by))
    if group.key == compared.baseline and pairs:
        yield f"Baseline: the ratios divide the {_RATIO_OF[compared.compared_by]} of the others by that of this row."
    pair = pairs.get(group.key)
    if pair is not None and pair.significant is False:
        yield "Tie: the difference from the baseline is not significant."
    if pair is not None and pair.significant is None and group.kind != PUBLISHED:
        if pair.turns in (None, "in turns") or pair.ratio.low is None:
            yield "The difference from the baseline is not tested."
        else:
            yield f"The difference from the baseline is not called significant: {not_separable(pair.turns)}."
    if group.refusal is not None:
        yield group.refusal
    elif (why := _not_ranked(group)) is not None:
        yield f"Not ranked {why}."
    for remark in group.remarks:
        if remark != SIMULATED_POWER and not is_said_of_each(remark, compared.statement):
            yield remark


_RATIO_OF = {"efficiency": "performance per watt", "throughput": "throughput", "power": "power"}


def _not_ranked(group: CompareGroup) -> str | None:
    """Return by which figures a group is not ranked, and why; None where it is ranked by all."""
    barred = [(title, group.not_ranked[of]) for of, title in TITLES.items() if of in group.not_ranked]
    return "; ".join(f"by {title}: {why}" for title, why in barred) or None


def _by_choice(group: CompareGroup) -> str | None:
    return " ".join(dict.fromkeys(f"{text}." for texts in group.inclusions.values() for text in texts)) or None


def _measured(interval: Interval | None, *, printed: bool) -> Interval | None:
    """Return a figure as it was measured: what rounds to a printed one is no interval, but has a column of its own."""
    return Interval(value=interval.value) if interval is not None and printed else interval


def _rounding(group: CompareGroup, interval: Interval | None) -> float | None:
    """Return half the width of what rounds to a published figure; None for any other."""
    return None if interval is None or group.kind != PUBLISHED else interval.U95


def _figure(column: Column, of: Callable[[CompareGroup], Interval95 | None]) -> IntervalFields[CompareGroup]:
    return IntervalFields(column, lambda group: _measured(of(group), printed=group.kind == PUBLISHED), titles=("", ""))


_COMPARE: Fields[CompareGroup] = (
    (Column("key", "Group", for_people=False), lambda g: g.key),
    (Column("title", "Configuration"), lambda g: g.title),
    (Column("server", "Server"), lambda g: g.server),
    (Column("configuration", "Configuration id", for_people=False), lambda g: g.configuration),
    (Column("dimm_count", "DIMMs", kind="integer"), lambda g: g.dimm_count),
    (
        Column("settings", "Power settings", for_people=False),
        lambda g: settings_words(g.facts.settings) if g.facts.settings else None,
    ),
    (Column("kind", "Kind"), lambda g: g.kind),
    (Column("workload", "Workload", for_people=False), lambda g: g.workload),
    (Column("level", "Level"), lambda g: g.level),
    (Column("n", "Runs", kind="integer"), lambda g: g.n),
    *_figure(
        Column("efficiency", "Efficiency", unit_from="efficiency_unit", rounding="efficiency_rounding"),
        lambda g: g.efficiency,
    ).all,
    (Column("efficiency_unit", "Unit", for_people=False), lambda g: g.efficiency_unit),
    *_figure(Column("power_w", "Power", "W", rounding="power_rounding_w"), lambda g: g.power_w).all,
    *_figure(
        Column("throughput", "Throughput", unit_from="throughput_unit", rounding="throughput_rounding"),
        lambda g: g.throughput,
    ).all,
    (Column("throughput_unit", "Unit", for_people=False), lambda g: g.throughput_unit),
    *HalfFields[CompareGroup](
        Column("energy_per_op_j", "Energy per operation", "J", prefixed=True),
        lambda g: _measured(g.energy_per_op, printed=g.kind == PUBLISHED),
    ).both,
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
