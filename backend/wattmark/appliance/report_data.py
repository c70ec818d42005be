"""Everything a reader needs to judge and repeat runs, put together as a report: full disclosure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import count

from wattmark.appliance.queries import Queries
from wattmark.appliance.survey import Brief, Survey
from wattmark.errors import InputError, StoreError
from wattmark.reports.figure_file import clean
from wattmark.reports.methods import METHODS
from wattmark.reports.plot import Plot
from wattmark.reports.plots import compare_plot, memory_plot, scaling_plot, trace_plot
from wattmark.reports.report import Chapter, Report, Section, facts_table, records_table
from wattmark.reports.scaling_table import scaling_table
from wattmark.reports.table import Column, Table
from wattmark.reports.tables import compare_table, memory_table, results_table
from wattmark.results.compare import compare
from wattmark.results.groups import Group, build_group, group_key
from wattmark.results.installations import installations
from wattmark.results.memory import memory_view
from wattmark.results.scaling import level_count, scaling_view
from wattmark.runs.result import Budget, Result, Verdict
from wattmark.runs.views import RunOut
from wattmark.version import version

_PIXELS = 400
MOST_TRACES = 60
"""Power traces of more runs than this are left out, and a sentence says so."""
MOST_DETAILED = 1000
"""Verdicts, budgets and disclosure of so many runs, the newest; of more only where they are named. A page with ten
thousand of them, 100 MB, is opened by no browser."""


def report_of(queries: Queries, campaign_id: str | None = None, run_ids: Sequence[str] = ()) -> Report:
    """Put together the report of a campaign, of some runs, or of all. Raises `InputError` where there are none.

    What is said of all runs is in every report: results, comparisons, builds, meters. Its sections are made while they
    are written, so that no more than a page of results, or the repeats of one configuration, is in memory at once.
    """
    survey = Survey()
    table = results_table(survey.of(queries.each(_chosen(queries, campaign_id, run_ids))))
    runs = survey.runs
    detailed = [run.run_id for run in (runs if run_ids else runs[-MOST_DETAILED:])]
    chapters = (
        Chapter.of(Section("results", "Results", tables=(table,))),
        *_comparisons(queries, runs),
        *_memory(queries, runs),
        *_scaling(queries, runs),
        Chapter("configurations", "Configurations", partial(_configurations, queries, survey)),
        Chapter("meters", "Meters, ranges and accuracy", partial(_meters, queries, survey)),
        Chapter("runs", "Runs", partial(_each_run, queries, detailed, len(runs))),
        Chapter.of(Section("methods", "Methods", tables=(_methods(),))),
    )
    scope = f"campaign {campaign_id}" if campaign_id else f"{len(runs)} runs"
    first, last = min(run.created for run in runs), max(run.created for run in runs)
    about = f"{len(runs)} runs from {first} to {last}, evaluated by wattmark {version()}."
    return Report(clean(f"wattmark report: {scope}"), about, len(runs), chapters)


def _chosen(queries: Queries, campaign_id: str | None, run_ids: Sequence[str]) -> list[str]:
    """List the runs of the report in their order. Raises `NotFound` for one that is named and not there."""
    if run_ids:
        return [queries.known(run_id).run_id for run_id in dict.fromkeys(run_ids)]
    found = queries.runs_of(campaign_id) if campaign_id else queries.ids()
    if not found:
        raise InputError(
            f"There are no runs{f' of a campaign {campaign_id[:80]!r}' if campaign_id else ''}.",
            "List the runs with `wattmark results`.",
        )
    return found


def _comparisons(queries: Queries, runs: Sequence[Brief]) -> Iterator[Chapter]:
    """Compare what several configurations ran, workload by workload and level by level."""
    works: defaultdict[tuple[str, str], list[Brief]] = defaultdict(list)
    for run in runs:
        works[run.workload, run.level].append(run)
    for at, ((workload, level), here) in enumerate(works.items(), start=1):
        if len({group_key(run) for run in here}) >= 2:
            identity, title = f"compare-{at}", f"Comparison: {workload}, {level}"
            yield Chapter(identity, title, partial(_comparison, queries, identity, title, here))


def _comparison(queries: Queries, identity: str, title: str, here: Sequence[Brief]) -> Iterator[Section]:
    def build(repeats: Sequence[Brief], fitted: Mapping[str, str]) -> Group:
        return build_group(_read(queries, repeats), fitted)

    compared = compare(here, here[0].workload, here[0].level, build=build)
    plots = (
        (_captioned(compare_plot(compared), compared.statement),) if any(g.efficiency for g in compared.groups) else ()
    )
    yield Section(identity, title, (compared.statement,), (_said(compare_table(compared)),), plots)


def _memory(queries: Queries, runs: Sequence[Brief]) -> Iterator[Chapter]:
    works: defaultdict[tuple[str, str, str], list[Brief]] = defaultdict(list)
    for run in runs:
        works[run.server, run.workload, run.level].append(run)
    fitted = installations(runs)
    for at, (of, here) in enumerate(works.items(), start=1):
        if len({run.dimm_count for run in here} - {None}) >= 2:
            identity, title = f"memory-{at}", f"Power against DIMM count: {', '.join(of)}"
            yield Chapter(identity, title, partial(_dimms, queries, identity, title, here, fitted))


def _dimms(
    queries: Queries, identity: str, title: str, here: Sequence[Brief], fitted: Mapping[str, str]
) -> Iterator[Section]:
    of = here[0].server, here[0].workload, here[0].level
    memory = memory_view(_read(queries, here), *of, fitted=fitted)
    plots = (_captioned(memory_plot(memory), memory.statement),) if memory.points else ()
    yield Section(identity, title, (memory.statement,), (_said(memory_table(memory)),), plots)


def _scaling(queries: Queries, runs: Sequence[Brief]) -> Iterator[Chapter]:
    works: defaultdict[tuple[str, str], list[Brief]] = defaultdict(list)
    for run in runs:
        works[group_key(run), run.workload].append(run)
    for at, ((key, workload), here) in enumerate(works.items(), start=1):
        if len({run.level for run in here if level_count(run.level)}) >= 2:
            identity, title = f"scaling-{at}", f"Scaling: {key}, {workload}"
            yield Chapter(identity, title, partial(_levels, queries, identity, title, here))


def _levels(queries: Queries, identity: str, title: str, here: Sequence[Brief]) -> Iterator[Section]:
    view = scaling_view(_read(queries, here), group_key(here[0]), here[0].workload)
    plots = (scaling_plot(view),) if any(lv.throughput for lv in view.levels) else ()
    yield Section(identity, title, (), (scaling_table(view),), plots)


def _read(queries: Queries, runs: Iterable[Brief]) -> list[Result]:
    return [result for _, result in queries.each([run.run_id for run in runs])]


def _captioned(plot: Plot, statement: str) -> Plot:
    """Leave out of a caption what stands above the figure already."""
    return replace(plot, caption=plot.caption.removeprefix(statement).strip())


def _said(table: Table) -> Table:
    """Leave out the first footnote, which stands above the table already."""
    return replace(table, footnotes=table.footnotes[1:])


def _configurations(queries: Queries, survey: Survey) -> Iterator[Section]:
    """Disclose every build once: all facts, and the memory slot by slot."""
    yield Section("configurations", "Configurations")
    for number, (run, result) in enumerate(queries.each(list(survey.builds.values())), start=1):
        build = run.configuration_snapshot
        told = {name: value for name, value in build.items() if name not in ("modules", "declared")}
        tables = [facts_table("configuration", group_key(result), told)]
        if modules := build.get("modules"):
            tables.append(records_table("memory", "Memory population, slot by slot", modules))
        yield Section(f"configuration-{number}", f"Configuration {group_key(result)}", tables=tuple(tables), level=3)


def _meters(queries: Queries, survey: Survey) -> Iterator[Section]:
    """Disclose every meter as it was used, with range, accuracy and source, once for each way of use."""
    runs = {run.run_id: run for run, _ in queries.each(list(dict.fromkeys(name for name, _ in survey.meters.values())))}
    used = (runs[name].meters[at].model_dump(mode="json") for name, at in survey.meters.values() if name in runs)
    tables = tuple(
        facts_table("meter", f"Meter {meter.get('name')}", {k: v for k, v in meter.items() if v not in ({}, [], None)})
        for meter in used
    )
    yield Section("meters", "Meters, ranges and accuracy", tables=tables)


def _each_run(queries: Queries, detailed: Sequence[str], runs: int) -> Iterator[Section]:
    words = []
    if runs > len(detailed):
        words.append(
            f"The details of the {runs - len(detailed)} oldest runs are left out: for these, ask for the report of a "
            "campaign, or name the runs."
        )
    if len(detailed) > MOST_TRACES:
        words.append(f"Power traces of the last {len(detailed) - MOST_TRACES} runs are left out.")
    yield Section("runs", "Runs", tuple(words))
    for number, run in zip(count(1), queries.whole(detailed), strict=False):
        yield _run_section(number, run, _trace(queries, run) if number <= MOST_TRACES else ())


def _trace(queries: Queries, run: RunOut) -> tuple[Plot, ...]:
    """Draw the power of a run; nothing where nothing was recorded or can be read, which the run's reason says."""
    try:
        plot = trace_plot(run, queries.traces(run.result.run_id, _PIXELS, None, None))
    except StoreError:
        return ()
    return (plot,) if any(series.x for series in plot.series) else ()


def _run_section(number: int, run: RunOut, plots: tuple[Plot, ...]) -> Section:
    result = run.result
    tables = [
        _verdicts("Verdicts", result.verdicts),
        _verdicts("Rule sets of others", result.standards),
        _budget("Budget of power [W]", result.power_budget),
        _budget(f"Budget of performance per watt [{result.efficiency_unit}]", result.efficiency_budget),
        records_table("calibration", "What each meter rests on", [c.model_dump() for c in result.calibrations]),
        records_table("phases", "Phases [Unix seconds]", [phase.model_dump() for phase in run.phases]),
        facts_table("disclosure", "How it was run: command, versions, clocks", run.disclosure),
    ]
    title = f"Run {result.run_id}: {group_key(result)}, {result.workload}, {result.level}, repeat {result.repeat}"
    status = f"Status: {result.status.value}.{f' {result.reason}' if result.reason else ''}"
    words = (status, *_ranking(run), *_together(result), *result.notes)
    return Section(f"run-{number}", title, words, tuple(t for t in tables if t.rows), plots, level=3)


def _ranking(run: RunOut) -> Iterator[str]:
    """Say by which figures the run is not ranked and why, and whose choice it is ranked by."""
    for one in run.ranking:
        if one.why_not is not None:
            yield f"Not ranked by {one.title}. {one.why_not}"
    chosen = dict.fromkeys(one.inclusion for one in run.ranking if one.inclusion is not None)
    yield from (f"{text}." for text in chosen)


def _together(result: Result) -> Iterator[str]:
    """Name the runs that began at the same instant, and how far apart they really did."""
    if result.started_with:
        yield f"Made together with {', '.join(result.started_with)}."
    if result.start_spread_s is not None and result.start_spread_u_s is not None:
        apart_ms, u_ms = result.start_spread_s * 1e3, result.start_spread_u_s * 1e3
        yield f"Their measured work began {apart_ms:.1f} ms apart (u {u_ms:.1f} ms)."


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


def _budget(title: str, budget: Sequence[Budget]) -> Table:
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
        (b.name, b.evaluation, b.distribution, b.u_input, b.unit, b.sensitivity, b.u, b.dof, b.share_pct, b.note)
        for b in budget
    )
    return Table("budget", title, columns, rows)


def _methods() -> Table:
    return Table("methods", "How the figures were found", (Column("term", "Term"), Column("how", "How")), METHODS)
