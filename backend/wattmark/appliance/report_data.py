"""Everything a reader needs to judge and repeat runs, put together as a report: full disclosure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import count

from wattmark.appliance.queries import Queries
from wattmark.errors import InputError, StoreError
from wattmark.reports.figure_file import clean
from wattmark.reports.methods import METHODS
from wattmark.reports.plot import Plot
from wattmark.reports.plots import compare_plot, memory_plot, scaling_plot, trace_plot
from wattmark.reports.report import Report, Section, facts_table, records_table
from wattmark.reports.scaling_table import scaling_table
from wattmark.reports.table import Column, Table
from wattmark.reports.tables import compare_table, memory_table, results_table
from wattmark.results.compare import compare
from wattmark.results.groups import group_key
from wattmark.results.memory import memory_view
from wattmark.results.scaling import level_count, scaling_view
from wattmark.runs.result import Budget, Result, Verdict
from wattmark.runs.views import RunOut
from wattmark.version import version

_PIXELS = 400
MOST_TRACES = 60
"""Power traces of more runs than this are left out, and a sentence says so."""


def report_of(queries: Queries, campaign_id: str | None = None, run_ids: Sequence[str] = ()) -> Report:
    """Put together the report of a campaign, of some runs, or of all. Raises `InputError` where there are none."""
    runs = _runs(queries, campaign_id, run_ids)
    results = [run.result for run in runs]
    sections = (
        Section("results", "Results", tables=(results_table(results),)),
        *_comparisons(results),
        *_memory(results),
        *_scaling(results),
        *_configurations(runs),
        *_meters(runs),
        *_each_run(queries, runs),
        Section("methods", "Methods", tables=(_methods(),)),
    )
    scope = f"campaign {campaign_id}" if campaign_id else f"{len(runs)} runs"
    first, last = min(r.created for r in results), max(r.created for r in results)
    about = f"{len(runs)} runs from {first} to {last}, evaluated by wattmark {version()}."
    return Report(clean(f"wattmark report: {scope}"), about, sections)


def _runs(queries: Queries, campaign_id: str | None, run_ids: Sequence[str]) -> list[RunOut]:
    if run_ids:
        return [queries.run(run_id) for run_id in dict.fromkeys(run_ids)]
    found = queries.results_of(campaign_id) if campaign_id else queries.results()
    if not found:
        raise InputError(
            f"There are no runs{f' of a campaign {campaign_id[:80]!r}' if campaign_id else ''}.",
            "List the runs with `wattmark results`.",
        )
    return [queries.run(result.run_id) for result in found]


def _comparisons(results: Sequence[Result]) -> Iterator[Section]:
    """Compare what several configurations ran, workload by workload and level by level."""
    works = dict.fromkeys((r.workload, r.level) for r in results)
    for at, (workload, level) in enumerate(works, start=1):
        here = [r for r in results if (r.workload, r.level) == (workload, level)]
        if len({group_key(r) for r in here}) < 2:
            continue
        compared = compare(here, workload, level)
        plots = (
            (_captioned(compare_plot(compared), compared.statement),)
            if any(g.efficiency for g in compared.groups)
            else ()
        )
        title = f"Comparison: {compared.title}"
        yield Section(f"compare-{at}", title, (compared.statement,), (_said(compare_table(compared)),), plots)


def _memory(results: Sequence[Result]) -> Iterator[Section]:
    works = dict.fromkeys((r.server, r.workload, r.level) for r in results)
    for at, (server, workload, level) in enumerate(works, start=1):
        counts = {r.dimm_count for r in results if (r.server, r.workload, r.level) == (server, workload, level)}
        if len(counts - {None}) < 2:
            continue
        memory = memory_view(results, server, workload, level)
        plots = (_captioned(memory_plot(memory), memory.statement),) if memory.points else ()
        title = f"Power against DIMM count: {server}, {workload}, {level}"
        yield Section(f"memory-{at}", title, (memory.statement,), (_said(memory_table(memory)),), plots)


def _scaling(results: Sequence[Result]) -> Iterator[Section]:
    works = dict.fromkeys((group_key(r), r.workload) for r in results)
    for at, (key, workload) in enumerate(works, start=1):
        levels = {r.level for r in results if (group_key(r), r.workload) == (key, workload) and level_count(r.level)}
        if len(levels) < 2:
            continue
        view = scaling_view(results, key, workload)
        plots = (scaling_plot(view),) if any(lv.throughput for lv in view.levels) else ()
        yield Section(f"scaling-{at}", f"Scaling: {key}, {workload}", (), (scaling_table(view),), plots)


def _captioned(plot: Plot, statement: str) -> Plot:
    """Leave out of a caption what stands above the figure already."""
    return replace(plot, caption=plot.caption.removeprefix(statement).strip())


def _said(table: Table) -> Table:
    """Leave out the first footnote, which stands above the table already."""
    return replace(table, footnotes=table.footnotes[1:])


def _configurations(runs: Sequence[RunOut]) -> Iterator[Section]:
    """Disclose every build once: all facts, and the memory slot by slot."""
    yield Section("configurations", "Configurations")
    seen: list[tuple[str, object]] = []
    for run in runs:
        key = group_key(run.result)
        if (key, run.configuration) in seen:
            continue
        seen.append((key, run.configuration))
        told = {name: value for name, value in run.configuration.items() if name not in ("modules", "declared")}
        modules = run.configuration.get("modules") or []
        tables = [facts_table("configuration", key, told)]
        if modules:
            tables.append(records_table("memory", "Memory population, slot by slot", modules))
        yield Section(f"configuration-{len(seen)}", f"Configuration {key}", tables=tuple(tables), level=3)


def _meters(runs: Sequence[RunOut]) -> Iterator[Section]:
    """Disclose every meter as it was used, with range, accuracy and source, once for each way of use."""
    meters = {str(meter): meter for run in runs for meter in run.meters}
    tables = tuple(
        facts_table("meter", f"Meter {meter.get('name')}", {k: v for k, v in meter.items() if v not in ({}, [], None)})
        for meter in meters.values()
    )
    yield Section("meters", "Meters, ranges and accuracy", tables=tables)


def _each_run(queries: Queries, runs: Sequence[RunOut]) -> Iterator[Section]:
    skipped = len(runs) - MOST_TRACES
    words = (f"Power traces of the last {skipped} runs are left out.",) if skipped > 0 else ()
    yield Section("runs", "Runs", words)
    for number, run in zip(count(1), runs, strict=False):
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
