"""The report of runs: everything that a reader needs to judge and repeat them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from itertools import count
from typing import Any

from wattmark.analysis.verdict import Verdict
from wattmark.comparison.compare.compare import compare
from wattmark.comparison.compare.groups import Group, build_group, group_key
from wattmark.comparison.compare.installations import installations
from wattmark.comparison.compare.survey import Brief, Survey
from wattmark.comparison.memory.memory import memory_view
from wattmark.comparison.scaling.scaling import level_count, scaling_view
from wattmark.core.errors import InputError, StoreError
from wattmark.core.version import version
from wattmark.reports.figures.plot import Plot
from wattmark.reports.figures.plots import compare_plot, cross_check_plot, memory_plot, scaling_plot, trace_plot
from wattmark.reports.files.figure_file import clean
from wattmark.reports.report import Chapter, Report, Section, facts_table, records_table
from wattmark.reports.sources import Sources
from wattmark.reports.tables.cross_check_table import cross_check_table
from wattmark.reports.tables.layouts import arranged
from wattmark.reports.tables.methods import METHODS
from wattmark.reports.tables.scaling_table import scaling_table
from wattmark.reports.tables.table import Column, Shown, Table
from wattmark.reports.tables.tables import compare_table, memory_table, results_table
from wattmark.results.pages.run_page import RunOut
from wattmark.results.result import BudgetedQuantity, Result

_PIXELS = 400
MOST_TRACES = 60
"""Power traces of more runs than this are omitted, and a sentence says so."""
MOST_DETAILED = 1000
"""Verdicts, budgets and disclosure of so many runs, the newest; of more only where they are named. A page with ten
thousand of them, 100 MB, is opened by no browser."""


def report_of(sources: Sources, campaign_id: str | None = None, run_ids: Sequence[str] = ()) -> Report:
    """Build the report of a campaign, of some runs, or of all. Raises `InputError` where there are none.

    Every report holds results, comparisons, configurations and meters of all runs. Its sections are built while they
    are written, so that no more than a page of results, or the repeats of one configuration, is in memory at once.
    """
    survey = Survey()
    table = results_table(survey.of(sources.results.each(_chosen(sources, campaign_id, run_ids))))
    runs = survey.runs
    detailed = [run.run_id for run in (runs if run_ids else runs[-MOST_DETAILED:])]
    chapters = (
        Chapter.of(Section("results", "Results", tables=(_with_ids(arranged(table)),))),
        *_comparisons(sources, runs),
        *_memory(sources, runs),
        *_scaling(sources, runs),
        Chapter("configurations", "Configurations", partial(_configurations, sources, survey)),
        Chapter("meters", "Meters, ranges and accuracy", partial(_meters, sources, survey)),
        Chapter("runs", "Runs", partial(_each_run, sources, detailed, len(runs))),
        Chapter.of(Section("methods", "Methods", tables=(_methods(),))),
    )
    counted = f"{len(runs)} run{'' if len(runs) == 1 else 's'}"
    scope = f"campaign {campaign_id}" if campaign_id else counted
    first, last = min(run.created for run in runs), max(run.created for run in runs)
    between = f"of {_minute(first)}" if first == last else f"from {_minute(first)} to {_minute(last)}"
    about = f"{counted} {between} UTC, evaluated by wattmark {version()}."
    return Report(clean(f"wattmark report: {scope}"), about, len(runs), chapters)


def _minute(instant: str) -> str:
    """Write an ISO instant in UTC as a person does, to the minute."""
    return f"{datetime.fromisoformat(instant).astimezone(UTC):%Y-%m-%d %H:%M}"


def _chosen(sources: Sources, campaign_id: str | None, run_ids: Sequence[str]) -> list[str]:
    """List the runs of the report in their order. Raises `NotFound` for an unknown run, `InputError` without runs."""
    if run_ids:
        return [sources.results.known(run_id).run_id for run_id in dict.fromkeys(run_ids)]
    chosen = sources.results.runs_of(campaign_id) if campaign_id else sources.results.ids()
    if not chosen:
        raise InputError(
            f"There are no runs{f' of a campaign {campaign_id[:80]!r}' if campaign_id else ''}.",
            "List the runs with `wattmark results`.",
        )
    return chosen


def _comparisons(sources: Sources, runs: Sequence[Brief]) -> Iterator[Chapter]:
    """Yield a comparison for each workload and level that several configurations ran."""
    works: defaultdict[tuple[str, str], list[Brief]] = defaultdict(list)
    for run in runs:
        works[run.workload, run.level].append(run)
    for number, ((workload, level), group) in enumerate(works.items(), start=1):
        if len({group_key(run) for run in group}) >= 2:
            identity, title = f"compare-{number}", f"Comparison: {workload}, {level}"
            yield Chapter(identity, title, partial(_comparison, sources, identity, title, group))


def _comparison(sources: Sources, identity: str, title: str, group: Sequence[Brief]) -> Iterator[Section]:
    def build(repeats: Sequence[Brief], fitted: Mapping[str, str]) -> Group:
        return build_group(_read(sources, repeats), fitted)

    compared = compare(group, group[0].workload, group[0].level, build=build)
    plots = (
        (_captioned(compare_plot(compared), compared.statement),) if any(g.efficiency for g in compared.groups) else ()
    )
    yield Section(identity, title, (compared.statement,), (_arranged(compare_table(compared)),), plots)


def _memory(sources: Sources, runs: Sequence[Brief]) -> Iterator[Chapter]:
    works: defaultdict[tuple[str, str, str], list[Brief]] = defaultdict(list)
    for run in runs:
        works[run.server, run.workload, run.level].append(run)
    fitted = installations(runs)
    for number, (work, group) in enumerate(works.items(), start=1):
        if len({run.dimm_count for run in group} - {None}) >= 2:
            identity, title = f"memory-{number}", f"Power against DIMM count: {', '.join(work)}"
            yield Chapter(identity, title, partial(_dimms, sources, identity, title, group, fitted))


def _dimms(
    sources: Sources, identity: str, title: str, group: Sequence[Brief], fitted: Mapping[str, str]
) -> Iterator[Section]:
    work = group[0].server, group[0].workload, group[0].level
    memory = memory_view(_read(sources, group), *work, fitted=fitted)
    plots = (_captioned(memory_plot(memory), memory.statement),) if memory.points else ()
    yield Section(identity, title, (memory.statement,), (_arranged(memory_table(memory)),), plots)


def _scaling(sources: Sources, runs: Sequence[Brief]) -> Iterator[Chapter]:
    works: defaultdict[tuple[str, str], list[Brief]] = defaultdict(list)
    for run in runs:
        works[group_key(run), run.workload].append(run)
    for number, ((key, workload), group) in enumerate(works.items(), start=1):
        if len({run.level for run in group if level_count(run.level)}) >= 2:
            identity, title = f"scaling-{number}", f"Scaling: {key}, {workload}"
            yield Chapter(identity, title, partial(_levels, sources, identity, title, group))


def _levels(sources: Sources, identity: str, title: str, group: Sequence[Brief]) -> Iterator[Section]:
    view = scaling_view(_read(sources, group), group_key(group[0]), group[0].workload)
    plots = (scaling_plot(view),) if any(lv.throughput for lv in view.levels) else ()
    yield Section(identity, title, (), (scaling_table(view),), plots)


def _read(sources: Sources, runs: Iterable[Brief]) -> list[Result]:
    return [result for _, result in sources.results.each([run.run_id for run in runs])]


def _captioned(plot: Plot, statement: str) -> Plot:
    """Remove from a caption the statement that is printed above the figure."""
    return replace(plot, caption=plot.caption.removeprefix(statement).strip())


def _with_ids(table: Table) -> Table:
    """Add the ids of runs, by which their details are found."""
    return replace(table, layout=(*table.layout, Shown("run_id")))


def _arranged(table: Table) -> Table:
    """Lay out a table as an article prints it, without the statement that is printed above it."""
    return replace(arranged(table), statements=table.statements[1:])


def _configurations(sources: Sources, survey: Survey) -> Iterator[Section]:
    """Yield a section for each configuration: all facts, and the memory slot by slot."""
    yield Section("configurations", "Configurations")
    for number, (run, result) in enumerate(sources.results.each(list(survey.builds.values())), start=1):
        build = run.configuration_snapshot
        facts = {name: value for name, value in build.items() if name not in ("modules", "declared")}
        tables = [facts_table("configuration", group_key(result), facts)]
        if modules := build.get("modules"):
            tables.append(records_table("memory", "Memory population, slot by slot", modules))
        yield Section(f"configuration-{number}", f"Configuration {group_key(result)}", tables=tuple(tables), level=3)


def _meters(sources: Sources, survey: Survey) -> Iterator[Section]:
    """Yield the section of meters with range, accuracy and source, once for each way they were used."""
    runs = {
        run.run_id: run
        for run, _ in sources.results.each(list(dict.fromkeys(name for name, _ in survey.meters.values())))
    }
    used = (
        runs[name].meters[position].model_dump(mode="json") for name, position in survey.meters.values() if name in runs
    )
    tables = tuple(
        facts_table("meter", f"Meter {meter.get('name')}", {k: v for k, v in meter.items() if v not in ({}, [], None)})
        for meter in used
    )
    yield Section("meters", "Meters, ranges and accuracy", tables=tables)


def _each_run(sources: Sources, detailed: Sequence[str], runs: int) -> Iterator[Section]:
    words = []
    if runs > len(detailed):
        words.append(
            f"The details of the {runs - len(detailed)} oldest runs are omitted. For these, request the report of "
            "their campaign, or name the runs."
        )
    if len(detailed) > MOST_TRACES:
        words.append(f"Power traces of the last {len(detailed) - MOST_TRACES} runs are omitted.")
    yield Section("runs", "Runs", tuple(words))
    for number, run in zip(count(1), sources.pages.whole(detailed), strict=False):
        yield _run_section(number, run, (*(_trace(sources, run) if number <= MOST_TRACES else ()), *_cross_check(run)))


def _trace(sources: Sources, run: RunOut) -> tuple[Plot, ...]:
    """Draw the power of a run; empty where nothing was recorded or it cannot be read, as the run's reason says."""
    try:
        plot = trace_plot(run, sources.pages.traces(run.result.run_id, _PIXELS, None, None))
    except StoreError:
        return ()
    return (plot,) if any(series.x for series in plot.series) else ()


def _cross_check(run: RunOut) -> tuple[Plot, ...]:
    """Draw the cross-check of a run; empty where nothing was compared."""
    plot = cross_check_plot(run.result)
    return (plot,) if any(series.x for series in plot.series) else ()


def _run_section(number: int, run: RunOut, plots: tuple[Plot, ...]) -> Section:
    result = run.result
    tables = [
        _verdicts("Verdicts", result.verdicts),
        _verdicts("SPEC, MLPerf and EE HPC checks", result.standards),
        *(() if result.cross_check is None else (cross_check_table(result),)),
        _budget("Budget of power [W]", result.power),
        _budget(f"Budget of performance per watt [{result.efficiency_unit}]", result.efficiency),
        records_table("calibration", "Calibration of each meter", [c.model_dump() for c in result.calibrations]),
        records_table("phases", "Phases [Unix seconds]", [phase.model_dump() for phase in run.phases]),
        facts_table("disclosure", "Execution: command, versions, clocks", _disclosed(run)),
    ]
    title = f"Run {result.run_id}: {group_key(result)}, {result.workload}, {result.level}, repeat {result.repeat}"
    status = f"Status: {result.status.value}.{f' {result.reason}' if result.reason else ''}"
    words = (status, *_ranking(run), *_together(result), *result.notes)
    return Section(f"run-{number}", title, words, tuple(t for t in tables if t.rows), plots, level=3)


def _disclosed(run: RunOut) -> dict[str, Any]:
    """Join disclosure and annotations of a run; empty texts are omitted."""
    annotation = run.model_dump(mode="json", include={"tags", "note", "inclusion"})
    return run.disclosure.model_dump(mode="json") | {name: value for name, value in annotation.items() if value}


def _ranking(run: RunOut) -> Iterator[str]:
    """Yield by which figures the run is not ranked and why, and by whose choice it is ranked."""
    for claim in run.ranking:
        if claim.why_not is not None:
            yield f"Not ranked by {claim.title}. {claim.why_not}"
    chosen = dict.fromkeys(claim.inclusion for claim in run.ranking if claim.inclusion is not None)
    yield from (f"{text}." for text in chosen)


def _together(result: Result) -> Iterator[str]:
    """Yield the runs of the same barrier group, and the spread of their starts."""
    if result.started_with:
        yield f"Ran together with {', '.join(result.started_with)}."
    if result.start_spread_s is not None and result.start_spread_u_s is not None:
        apart_ms, u_ms = result.start_spread_s * 1e3, result.start_spread_u_s * 1e3
        yield f"Their measured work started {apart_ms:.1f} ms apart (u {u_ms:.1f} ms)."


def _verdicts(title: str, verdicts: Sequence[Verdict]) -> Table:
    columns = (
        Column("rule", "Rule"),
        Column("value", "Value", kind="number"),
        Column("limit", "Limit", kind="number"),
        Column("unit", "Unit"),
        Column("outcome", "Outcome"),
        Column("text", "In words"),
    )
    rows = tuple((v.rule, v.value, v.limit, v.unit, v.outcome, v.text) for v in verdicts)
    return Table("verdicts", title, columns, rows)


def _budget(title: str, figure: BudgetedQuantity | None) -> Table:
    columns = (
        Column("name", "Contribution"),
        Column("evaluation", "Type"),
        Column("distribution", "Distribution"),
        Column("u_input", "u(input)", kind="number"),
        Column("unit", "Unit"),
        Column("sensitivity", "Sensitivity", kind="number"),
        Column("u", "u(result)", kind="number"),
        Column("dof", "Degrees of freedom", kind="number"),
        Column("share_pct", "Share of the variance", "%", "number"),
        Column("note", "Note"),
    )
    rows = tuple(
        (b.name, b.evaluation, b.distribution, b.u, b.unit, b.sensitivity, b.u_result, b.dof, b.share_pct, b.note)
        for b in (() if figure is None else figure.budget)
    )
    return Table("budget", title, columns, rows)


def _methods() -> Table:
    return Table("methods", "Methods", (Column("term", "Term"), Column("how", "How")), METHODS)
