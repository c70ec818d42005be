"""Every table by its name, from one set of choices; for the command line, the API and the report."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Literal, get_args

from wattmark.comparison.compare.compare_table import compare_table
from wattmark.comparison.compare.defaults import choose_memory, choose_scaling
from wattmark.comparison.compare.differences_table import differences_table
from wattmark.comparison.compare.yardstick import yardstick
from wattmark.comparison.factors.deltas import deltas_view, factor_values
from wattmark.comparison.factors.factor_tables import (
    deltas_table,
    extrapolated_table,
    factors_table,
    load_levels_table,
    normalised_table,
)
from wattmark.comparison.factors.geometric import geometric_view
from wattmark.comparison.factors.geometric_table import geometric_table
from wattmark.comparison.factors.normalised import normalised_view
from wattmark.comparison.memory.memory_table import memory_table
from wattmark.comparison.memory.predicted_table import predicted_table
from wattmark.comparison.memory.yearly_cost import Energy
from wattmark.comparison.parts.break_even_table import break_even_table
from wattmark.comparison.parts.fit_table import fit_table
from wattmark.comparison.parts.line_table import parts_table
from wattmark.comparison.parts.parts import choose_part
from wattmark.comparison.parts.views import PartsOut
from wattmark.comparison.published.published_table import published_table
from wattmark.comparison.scaling.extrapolated import extrapolated_view
from wattmark.comparison.scaling.load_levels import load_levels_view
from wattmark.comparison.scaling.scaling import scaling_view
from wattmark.comparison.scaling.scaling_table import scaling_table
from wattmark.comparison.scaling.scaling_views import LoadLevelsOut
from wattmark.comparison.suites.suite import find_suite
from wattmark.comparison.suites.suite_table import levels_table, scores_table
from wattmark.comparison.suites.suite_views import SuiteReportOut
from wattmark.core.errors import InputError
from wattmark.reports.chosen_runs import chosen_runs
from wattmark.reports.sheets.sheet import SheetName
from wattmark.reports.sheets.sheet_run import SheetRun
from wattmark.reports.sheets.sheet_table import sheet_table
from wattmark.reports.sources import Sources
from wattmark.reports.table_query import TableQuery, choices_made
from wattmark.results.tables.cross_check_table import cross_check_table
from wattmark.results.tables.memory_slots_table import memory_slots_table
from wattmark.results.tables.results_table import results_table
from wattmark.runs.annotations.annotation import Annotation
from wattmark.runs.record import RunStatus
from wattmark.tables.table import Column, Table

TableName = Literal[
    "results",
    "compare",
    "memory",
    "memory-fit",
    "memory-predicted",
    "break-even",
    "parts",
    "parts-fit",
    "parts-break-even",
    "run",
    "cross-check",
    "memory-slots",
    "differences",
    "scaling",
    "deltas",
    "normalised",
    "geometric-means",
    "extrapolated",
    "load-levels",
    "factors",
    "published",
    "suite",
    "suite-levels",
    "eehpc",
    "mlperf-summary",
    "procurement",
]
TITLES: Mapping[str, str] = {
    "cross-check": "Every source of power of one run against its wall meter",
    "memory-slots": "Memory slots of runs, and by what each was verified",
    "differences": "What differs between two runs: declared factors, load program, environment",
    "memory-fit": "Watts per DIMM with its interval, as numbers",
    "memory-predicted": "Memory populations that were not measured: watts, work per joule and cost",
    "break-even": "Break-even DIMM count of two servers, and their watts per DIMM",
    "parts": "Power against the number of parts, such as drives",
    "parts-fit": "Watts per part with its interval, and what they give",
    "parts-break-even": "Break-even of two kinds of part, or of one on two servers",
    "scaling": "One configuration over its load levels",
    "deltas": "Two values of one factor, everything else equal",
    "normalised": "Multiples of a configuration: factor 1 = baseline",
    "geometric-means": "Geometric means over levels and workloads, computed as in SERT 2",
    "extrapolated": "Throughput beyond the measured clock, cores or load",
    "load-levels": "Power against load: overall figure, energy proportionality",
    "factors": "Factors that differ between the runs",
    "suite": "Scores of a suite of graduated loads, by worklet and kind",
    "suite-levels": "Levels of a suite of graduated loads: asked for, done, power, work per joule",
    "eehpc": "Sheet: power submission to the Green500 by the EE HPC methodology",
    "mlperf-summary": "Sheet: the columns of the MLPerf Inference results table",
    "procurement": "Sheet: W, VA and power factor, idle and loaded, for a tender",
}
"""Tables that the pages of results and comparisons do not show."""
NAMES: tuple[str, ...] = get_args(TableName)
MOST_OF_A_SHEET = 200
"""Runs of one sheet: each is evaluated again over its phases."""
_COLUMNS = (Column("tags", "Tags"), Column("note", "Note"))


def product_table(sources: Sources, name: str, query: TableQuery) -> Table:
    """Build a table by its name, whole; `arranged` chooses its columns. Raises `InputError` naming what is missing."""
    if name not in NAMES:
        raise InputError(f"There is no table {name[:80]!r}.", f"Tables: {', '.join(NAMES)}.")
    table = _MAKERS[name](sources, query)
    return replace(table, methods=(*choices_made(name, query), *table.methods))


def _results(sources: Sources, query: TableQuery) -> Table:
    results = (result for _, result in sources.results.each(chosen_runs(sources, query), query.rule))
    return annotated(results_table(results), sources.annotations.all())


def _run(sources: Sources, query: TableQuery) -> Table:
    run = sources.results.known(_need(query.run_id, "run_id"))
    return annotated(results_table([sources.results.shown(run, query.rule)]), sources.annotations.all())


def _cross_check(sources: Sources, query: TableQuery) -> Table:
    run = sources.results.known(_need(query.run_id, "run_id"))
    return cross_check_table(sources.results.shown(run, query.rule))


def _memory_slots(sources: Sources, query: TableQuery) -> Table:
    return memory_slots_table(result for _, result in sources.results.each(chosen_runs(sources, query), query.rule))


def _differences(sources: Sources, query: TableQuery) -> Table:
    a, b = _need(query.run_id, "run_id"), _need(query.against, "against")
    return differences_table(sources.comparisons.differences(a, b))


def _compare(sources: Sources, query: TableQuery) -> Table:
    workload, level = _need(query.workload, "workload"), _need(query.level, "level")
    criterion = yardstick(query.figure, query.smallest_pct)
    compared = sources.comparisons.compare(
        workload, level, query.baseline, criterion, query.rule, query.server, any_version=query.any_version
    )
    return compare_table(compared, query.sort, query.top)


def _memory(sources: Sources, query: TableQuery) -> Table:
    workload, level = _need(query.workload, "workload"), _need(query.level, "level")
    server = _need(query.server, "server")
    return memory_table(sources.comparisons.memory(server, workload, level, query.claim, query.rule, query.modules))


def _need(value: str | None, name: str) -> str:
    if value is None:
        command = "`wattmark cross-check RUN`" if name == "run_id" else f"--{name}"
        raise InputError(f"This table needs the parameter {name}.", f"Set it with {name} ({command}).")
    return value


def _memory_fit(sources: Sources, query: TableQuery) -> Table:
    chosen = choose_memory(sources.results.results(query.rule), query.server, query.workload, query.level)
    return fit_table("memory-fit", sources.comparisons.memory(*chosen, query.claim, query.rule, query.modules))


def _memory_predicted(sources: Sources, query: TableQuery) -> Table:
    ways = [text for text in query.ways.split(";") if text.strip()]
    energy = Energy(query.tariff_per_kwh, query.currency.upper(), query.hours)
    return predicted_table(
        sources.comparisons.memory_predicted(ways, energy, query.modules, query.level, query.workload)
    )


def _break_even(sources: Sources, query: TableQuery) -> Table:
    if query.against is None:
        raise InputError("A break-even needs a second server.", "Set it with against (--against SERVER).")
    server, workload, level = choose_memory(
        sources.results.results(query.rule), query.server, query.workload, query.level
    )
    meeting = sources.comparisons.break_even((server, query.against), workload, level, query.rule)
    return break_even_table("break-even", meeting)


def _parts(sources: Sources, query: TableQuery) -> Table:
    return parts_table(chosen_parts(sources, query))


def _parts_fit(sources: Sources, query: TableQuery) -> Table:
    return fit_table("parts-fit", chosen_parts(sources, query))


def chosen_parts(sources: Sources, query: TableQuery) -> PartsOut:
    """Return the line of the chosen parts; what is not chosen is that with most counts."""
    choices = sources.comparisons.part_choices()
    chosen = choose_part(choices, query.part, query.server, query.workload, query.level)
    return sources.comparisons.parts(chosen.key, chosen.server, chosen.workload, chosen.level, query.rule)


def _parts_break_even(sources: Sources, query: TableQuery) -> Table:
    if query.against is None and query.against_part is None:
        raise InputError(
            "A break-even needs other parts or another server.",
            "Set against_part (--against-part) or against (--against SERVER).",
        )
    choices = sources.comparisons.part_choices()
    chosen = choose_part(choices, query.part, query.server, query.workload, query.level)
    other = query.against or chosen.server, query.against_part or chosen.key
    work = chosen.workload, chosen.level
    meeting = sources.comparisons.part_break_even((chosen.server, chosen.key), other, *work, query.rule)
    return break_even_table("parts-break-even", meeting)


def _deltas(sources: Sources, query: TableQuery) -> Table:
    pairs = sources.results.measured(query.workload, query.rule)
    if query.factor is None:
        factors = ", ".join(factor_values(pairs)) or "none"
        raise InputError("A delta table needs a factor.", f"Choose one of: {factors}.")
    ignored = [name.strip() for name in query.ignore.split(",") if name.strip()]
    return deltas_table(deltas_view(pairs, query.factor, query.new, query.old, query.figure, ignored))


def _normalised(sources: Sources, query: TableQuery) -> Table:
    return normalised_table(
        normalised_view(sources.results.measured(query.workload, query.rule), query.baseline, query.figure)
    )


def _geometric(sources: Sources, query: TableQuery) -> Table:
    pairs = sources.results.measured(query.workload, query.rule)
    return geometric_table(geometric_view(pairs, query.baseline, query.from_level))


def _extrapolated(sources: Sources, query: TableQuery) -> Table:
    if query.target is None:
        raise InputError(
            "An extrapolation needs a target.", "Set target to a clock [MHz], a number of cores or a load."
        )
    ignored = [name.strip() for name in query.ignore.split(",") if name.strip()]
    pairs = sources.results.measured(query.workload, query.rule)
    view = extrapolated_view(pairs, query.axis, query.target, query.workload, query.configuration, ignored)
    return extrapolated_table(view)


def _load_levels(sources: Sources, query: TableQuery) -> Table:
    return load_levels_table(load_levels(sources, query))


def load_levels(sources: Sources, query: TableQuery) -> LoadLevelsOut:
    """Return the power curve of a configuration, or of an imported result ("published:<id>")."""
    key, workload = chosen_curve(sources, query)
    published = sources.comparisons.published_curve(key)
    if published is not None:
        return published
    return load_levels_view(sources.results.measured(workload, query.rule), key, workload)


def _scaling(sources: Sources, query: TableQuery) -> Table:
    key, workload = chosen_curve(sources, query)
    return scaling_table(scaling_view(sources.results.results(query.rule), key, workload, query.from_level))


def chosen_curve(sources: Sources, query: TableQuery) -> tuple[str, str]:
    """Choose configuration and workload: those of the query, else the ones with most levels."""
    if query.configuration is not None and query.workload is not None:
        return query.configuration, query.workload
    return choose_scaling(sources.results.results(query.rule), query.configuration, query.workload)


def _factors(sources: Sources, query: TableQuery) -> Table:
    return factors_table(factor_values(sources.results.measured(query.workload, query.rule)))


def _published(sources: Sources, query: TableQuery) -> Table:
    tables = {table.id: table for table in sources.comparisons.published().tables}
    published = tables.get(query.article or "")
    if published is None:
        raise InputError(
            f"There is no published table {(query.article or '')[:80]!r}.", f"Choose one of: {', '.join(tables)}."
        )
    return published_table(published)


def _suite_levels(sources: Sources, query: TableQuery) -> Table:
    return levels_table(chosen_suite(sources, query))


def _suite(sources: Sources, query: TableQuery) -> Table:
    return scores_table(chosen_suite(sources, query))


def chosen_suite(sources: Sources, query: TableQuery) -> SuiteReportOut:
    """Return the report of the chosen suite and configuration; what is not chosen is what ran most of one."""
    suites = sources.comparisons.suites()
    ran = [
        (suite.id, row)
        for suite in suites
        for row in suite.ran
        if query.suite in (None, suite.id) and query.configuration in (None, row.key)
    ]
    if not ran:
        if query.suite is not None:
            find_suite(query.suite)
        raise InputError(
            "No run of a suite was found for this choice.", "Run one: `wattmark suite run SUITE BENCH.yaml`."
        )
    name, row = max(ran, key=lambda of: of[1].levels / of[1].wanted)
    return sources.comparisons.suite(name, row.key)


def _sheet(name: SheetName) -> Callable[[Sources, TableQuery], Table]:
    """Build a sheet of the chosen runs, or of all that completed."""

    def build(sources: Sources, query: TableQuery) -> Table:
        if query.run_id is not None and query.run_ids:
            raise InputError("The sheet was asked for by run_id and by run_ids.", "Choose its runs by one of them.")
        wanted = query if query.run_id is None else query.model_copy(update={"run_ids": query.run_id})
        evaluated = list(sources.results.each(chosen_runs(sources, wanted), query.rule))
        runs = [
            SheetRun(run, result, sources.pages, query.nodes)
            for run, result in evaluated
            if result.status is RunStatus.COMPLETE
        ]
        if not runs:
            raise InputError("No complete run was chosen.", "Choose a complete run; list them with `wattmark results`.")
        if len(runs) > MOST_OF_A_SHEET:
            raise InputError(
                f"A sheet of {len(runs)} runs is too long; at most {MOST_OF_A_SHEET} fit.",
                "Choose runs, a campaign or a server.",
            )
        return sheet_table(name, runs)

    return build


_MAKERS: dict[str, Callable[[Sources, TableQuery], Table]] = {
    "results": _results,
    "run": _run,
    "cross-check": _cross_check,
    "memory-slots": _memory_slots,
    "differences": _differences,
    "compare": _compare,
    "memory": _memory,
    "memory-fit": _memory_fit,
    "memory-predicted": _memory_predicted,
    "break-even": _break_even,
    "parts": _parts,
    "parts-fit": _parts_fit,
    "parts-break-even": _parts_break_even,
    "deltas": _deltas,
    "normalised": _normalised,
    "extrapolated": _extrapolated,
    "load-levels": _load_levels,
    "scaling": _scaling,
    "factors": _factors,
    "published": _published,
    "suite": _suite,
    "suite-levels": _suite_levels,
    "geometric-means": _geometric,
    "eehpc": _sheet("eehpc"),
    "mlperf-summary": _sheet("mlperf-summary"),
    "procurement": _sheet("procurement"),
}


def annotated(table: Table, annotations: Mapping[str, Annotation]) -> Table:
    """Add tags and notes to a table with a column ``run_id``; without any, the table is unchanged."""
    position = [column.key for column in table.columns].index("run_id")
    noted = [annotations.get(str(row[position]), Annotation()) for row in table.rows]
    if not any(annotation.tags or annotation.note for annotation in noted):
        return table
    rows = tuple(
        (*row, ", ".join(annotation.tags) or None, annotation.note or None)
        for row, annotation in zip(table.rows, noted, strict=True)
    )
    return replace(table, columns=(*table.columns, *_COLUMNS), rows=rows)
