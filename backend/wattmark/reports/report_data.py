"""The report of runs: the answer first, then everything that a reader needs to judge and repeat them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import count

from wattmark.comparison.compare.compare import compare
from wattmark.comparison.compare.compare_table import compare_table
from wattmark.comparison.compare.curves import curves_of
from wattmark.comparison.compare.facts import Facts
from wattmark.comparison.compare.groups import Group, build_group, group_key
from wattmark.comparison.compare.installations import installations
from wattmark.comparison.compare.levels import level_count
from wattmark.comparison.compare.survey import Brief, Survey
from wattmark.comparison.compare.views import CompareGroup, CompareOut
from wattmark.comparison.memory.memory import memory_view
from wattmark.comparison.memory.memory_table import memory_table
from wattmark.comparison.parts.fitted_parts import FittedPart, fitted_parts
from wattmark.comparison.parts.line_table import parts_table
from wattmark.comparison.parts.parts import part_choices, server_parts
from wattmark.comparison.scaling.scaling import scaling_view
from wattmark.comparison.scaling.scaling_table import scaling_table
from wattmark.core.errors import InputError, StoreError
from wattmark.core.numbers import format_uncertain
from wattmark.core.version import version
from wattmark.reports.facts import span_text
from wattmark.reports.figures.plot import Plot
from wattmark.reports.figures.plots import compare_plot, cross_check_plot, line_plot, scaling_plot, trace_plot
from wattmark.reports.files.figure_file import clean
from wattmark.reports.report import Chapter, Report, Section
from wattmark.reports.report_bench import configurations, meters
from wattmark.reports.report_run import not_ranked, run_name, run_section, run_statement, run_stats
from wattmark.reports.sources import Sources
from wattmark.results.pages.run_page import RunOut
from wattmark.results.result import Result
from wattmark.results.tables.methods import METHODS
from wattmark.results.tables.results_table import results_table
from wattmark.runs.record import RunRecord
from wattmark.tables.layouts import arranged
from wattmark.tables.table import LayoutColumn, Table

_PIXELS = 400
MOST_TRACES = 60
"""Power traces of more runs than this are omitted, and a sentence says so."""
MOST_DETAILED = 1000
"""Verdicts, budgets and disclosure of this many newest runs; of more only where they are named. No browser opens a page
with ten thousand of them (100 MB)."""
MOST_DRAWN = 30
"""Configurations in a figure of a comparison, the best ones: it fits a page."""
MOST_PRINTED = 3
"""The details of more runs than this are folded on a screen and omitted on paper."""


def report_of(sources: Sources, campaign_id: str | None = None, run_ids: Sequence[str] = ()) -> Report:
    """Build the report of a campaign, of some runs, or of all. Raises `InputError` where there are none.

    Every report holds results, comparisons, configurations and meters of all runs. Its sections are built while they
    are written, so that no more than a page of results, or the repeats of one configuration, is in memory at once.
    """
    survey = Survey()
    parts: dict[str, list[FittedPart]] = {}
    chosen = _chosen(sources, campaign_id, run_ids)
    table = results_table(survey.of(_noting_parts(sources.results.each(chosen), parts)))
    runs = survey.runs
    detailed = [run.run_id for run in (runs if run_ids else runs[-MOST_DETAILED:])]
    works = _works(runs)
    results = replace(_with_ids(arranged(table)), title="Results of all runs" if len(runs) > 1 else "Result")
    several = len(runs) > 1
    chapters = (
        Chapter("summary", "Summary", partial(_summary, sources, runs, works, () if several else (results,))),
        *_comparisons(sources, works),
        *_memory(sources, runs),
        *_parts(sources, runs, parts),
        *_scaling(sources, runs),
        Chapter("configurations", "Servers and configurations", partial(configurations, sources, survey)),
        Chapter("meters", "Meters, ranges and accuracy", partial(meters, sources, survey)),
        Chapter.of(Section("methods", "Methods", terms=METHODS)),
        *((Chapter.of(Section("results", "Results", tables=(results,))),) if several else ()),
        Chapter("runs", "Details", partial(_each_run, sources, detailed, len(runs))),
    )
    about = _about(sources, runs)
    return Report(clean(_title(sources, runs, campaign_id)), about, len(runs), chapters)


def _title(sources: Sources, runs: Sequence[Brief], campaign_id: str | None) -> str:
    """Name the measured item: a run by its configuration, a campaign by the title of its plan."""
    record, result = next(iter(sources.results.each([runs[0].run_id])))
    if len(runs) == 1:
        return run_name(result)
    plan = record.disclosure.plan if campaign_id else {}
    return str(plan.get("title") or plan.get("name") or (f"Campaign {campaign_id}" if campaign_id else "All runs"))


def _about(sources: Sources, runs: Sequence[Brief]) -> str:
    record, _ = next(iter(sources.results.each([runs[0].run_id])))
    lab = record.disclosure.recorded_by.lab if record.disclosure.recorded_by else None
    when = span_text(min(run.created for run in runs), max(run.created for run in runs))
    counted = f"{len(runs)} runs" if len(runs) > 1 else f"Run {runs[0].run_id}"
    return f"{counted}, {when}. {f'{lab}. ' if lab else ''}Evaluated by wattmark {version()}."


@dataclass(frozen=True, slots=True)
class _Work:
    """The runs of one workload at one level."""

    workload: str
    level: str
    runs: tuple[Brief, ...]

    @property
    def title(self) -> str:
        """Return workload and level."""
        return f"{self.workload}, {self.level}"

    @property
    def comparable(self) -> bool:
        """Return whether several configurations ran it."""
        return len({group_key(run) for run in self.runs}) >= 2


def _works(runs: Sequence[Brief]) -> tuple[_Work, ...]:
    """Group runs by workload and level; those that several configurations ran come first."""
    works: defaultdict[tuple[str, str], list[Brief]] = defaultdict(list)
    for run in runs:
        works[run.workload, run.level].append(run)
    listed = (_Work(*work, tuple(group)) for work, group in works.items())
    return tuple(sorted(listed, key=lambda work: not work.comparable))


def _summary(
    sources: Sources, runs: Sequence[Brief], works: Sequence[_Work], tables: tuple[Table, ...]
) -> Iterator[Section]:
    """Yield the answer with its figure and table: of one run, of the first comparison, or of one configuration."""
    if len(runs) == 1:
        run = next(iter(sources.pages.whole([runs[0].run_id])))
        lead, stats = run_statement(run), run_stats(run.result)
        yield Section("summary", "", tuple(not_ranked(run)), tables, _trace(sources, run), lead=lead, stats=stats)
        return
    first, *others = works
    compared = _compared(sources, first)
    if first.comparable:
        answer = compared.statement
    else:
        answer = " ".join(f"{group.title}: {_mean(group)}." for group in compared.groups)
    more = f"{len(others)} more workloads and levels follow." if others else ""
    plots = _drawn(compared, answer)
    yield Section("summary", "", (more,) if more else (), (_arranged(compare_table(compared)),), plots, lead=answer)


def _mean(group: CompareGroup) -> str:
    """Write the mean of a configuration's repeats; without one, why there is none."""
    interval = group.efficiency
    if interval is None:
        return (group.refusal or "no performance per watt").rstrip(".")
    return f"{format_uncertain(interval.value, interval.U95, group.efficiency_unit)}, mean of {group.n} runs"


def _chosen(sources: Sources, campaign_id: str | None, run_ids: Sequence[str]) -> list[str]:
    """List the runs of the report in their order. Raises `NotFound` for an unknown run, `InputError` without runs."""
    if run_ids and campaign_id:
        raise InputError("A report is of a campaign or of named runs, not of both.", "Leave one of them out.")
    if run_ids:
        return [sources.results.known(run_id).run_id for run_id in dict.fromkeys(run_ids)]
    chosen = sources.results.runs_of(campaign_id) if campaign_id else sources.results.ids()
    if not chosen:
        raise InputError(
            f"There are no runs{f' of a campaign {campaign_id[:80]!r}' if campaign_id else ''}.",
            "List the runs with `wattmark results`.",
        )
    return chosen


def _comparisons(sources: Sources, works: Sequence[_Work]) -> Iterator[Chapter]:
    """Yield a comparison for each workload and level that several configurations ran, but the first, the summary."""
    for number, work in enumerate(works[1:], start=2):
        if work.comparable:
            identity, title = f"compare-{number}", f"Comparison: {work.title}"
            yield Chapter(identity, title, partial(_comparison, sources, identity, title, work))


def _comparison(sources: Sources, identity: str, title: str, work: _Work) -> Iterator[Section]:
    compared = _compared(sources, work)
    plots = _drawn(compared, compared.statement)
    yield Section(identity, title, (compared.statement,), (_arranged(compare_table(compared)),), plots)


def _compared(sources: Sources, work: _Work) -> CompareOut:
    def build(repeats: Sequence[Brief], fitted: Mapping[str, str]) -> Group:
        return build_group(_read(sources, repeats), fitted)

    return Facts(sources.results).added(compare(work.runs, work.workload, work.level, build=build))


def _drawn(compared: CompareOut, statement: str) -> tuple[Plot, ...]:
    """Draw the configurations of a comparison, of many the best; empty where none has a figure."""
    if not any(group.efficiency is not None for group in compared.groups):
        return ()
    plot = compare_plot(compared, top=MOST_DRAWN)
    return (_captioned(plot, compared.statement if compared.statement in plot.caption else statement),)


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
    read = list(sources.results.each([run.run_id for run in group]))
    memory = memory_view([result for _, result in read], *work, fitted=fitted, records=[record for record, _ in read])
    plots = (_captioned(line_plot("memory", memory), memory.statement),) if memory.points else ()
    yield Section(identity, title, (memory.statement,), (_arranged(memory_table(memory)),), plots)


def _noting_parts(
    pairs: Iterable[tuple[RunRecord, Result]], parts: dict[str, list[FittedPart]]
) -> Iterator[tuple[RunRecord, Result]]:
    """Pass runs on, and note the counted parts of each by its id."""
    for run, result in pairs:
        parts[run.run_id] = fitted_parts(run.configuration_snapshot)
        yield run, result


def _parts(sources: Sources, runs: Sequence[Brief], parts: Mapping[str, Sequence[FittedPart]]) -> Iterator[Chapter]:
    """Yield a chapter for each part, server, workload and level with several counts."""
    fitted = installations(runs)
    for number, choice in enumerate(part_choices(runs, parts), start=1):
        work = choice.server, choice.workload, choice.level
        group = [run for run in runs if (run.server, run.workload, run.level) == work]
        identity = f"parts-{number}"
        title = f"Power against {choice.kind} count: {choice.part}, {', '.join(work)}"
        yield Chapter(identity, title, partial(_counted, sources, identity, title, choice.key, group, fitted))


def _counted(
    sources: Sources, identity: str, title: str, key: str, group: Sequence[Brief], fitted: Mapping[str, str]
) -> Iterator[Section]:
    work = group[0].server, group[0].workload, group[0].level
    read = list(sources.results.each([run.run_id for run in group]))
    view = server_parts([result for _, result in read], [record for record, _ in read], key, work, fitted)
    plots = (_captioned(line_plot("parts", view), view.statement),) if view.points else ()
    yield Section(identity, title, (view.statement,), (_arranged(parts_table(view)),), plots)


def _scaling(sources: Sources, runs: Sequence[Brief]) -> Iterator[Chapter]:
    works: defaultdict[tuple[str, str], list[Brief]] = defaultdict(list)
    for run in runs:
        works[group_key(run), run.workload].append(run)
    for number, ((key, workload), group) in enumerate(works.items(), start=1):
        if len({run.level for run in group if level_count(run.level)}) >= 2:
            identity, title = f"scaling-{number}", f"Scaling: {key}, {workload}"
            yield Chapter(identity, title, partial(_levels, sources, identity, title, group))


def _levels(sources: Sources, identity: str, title: str, group: Sequence[Brief]) -> Iterator[Section]:
    results, workload = _read(sources, group), group[0].workload
    curves = curves_of(results, workload)
    counted = [key for key, own in curves.items() if any(level_count(result.level) is not None for result in own)]
    for number, key in enumerate(counted):
        view = scaling_view(results, key, workload)
        plots = (scaling_plot(view),) if any(lv.throughput for lv in view.levels) else ()
        headed = (identity, title) if number == 0 else (f"{identity}-{number + 1}", f"Scaling: {key}, {workload}")
        yield Section(*headed, (), (scaling_table(view),), plots)


def _read(sources: Sources, runs: Iterable[Brief]) -> list[Result]:
    return [result for _, result in sources.results.each([run.run_id for run in runs])]


def _captioned(plot: Plot, statement: str) -> Plot:
    """Remove from a caption the statement that is printed above the figure."""
    return replace(plot, caption=plot.caption.removeprefix(statement).strip())


def _with_ids(table: Table) -> Table:
    """Add the ids of runs, by which their details are found."""
    return replace(table, layout=(*table.layout, LayoutColumn("run_id")))


def _arranged(table: Table) -> Table:
    """Lay out a table as an article prints it, without the statement that is printed above it."""
    said, *others = table.statements or ("",)
    return replace(arranged(table), statements=tuple(text for text in others if text not in said))


def _each_run(sources: Sources, detailed: Sequence[str], runs: int) -> Iterator[Section]:
    words = []
    if runs > len(detailed):
        words.append(
            f"The details of the {runs - len(detailed)} oldest runs are omitted. For these, request the report of "
            "their campaign, or name the runs."
        )
    if len(detailed) > MOST_TRACES:
        words.append(f"Power traces of the last {len(detailed) - MOST_TRACES} runs are omitted.")
    folded = len(detailed) > MOST_PRINTED
    if folded:
        words.append("Checks, budgets and disclosure of each run are in the HTML file, not on paper.")
    yield Section("runs", "Details", tuple(words))
    for number, run in zip(count(1), sources.pages.whole(detailed), strict=False):
        drawn = _trace(sources, run) if len(detailed) > 1 and number <= MOST_TRACES else ()
        yield run_section(number, run, (*drawn, *_cross_check(run)), screen_only=folded)


def _trace(sources: Sources, run: RunOut) -> tuple[Plot, ...]:
    """Draw the power of a run; empty where nothing was recorded or it cannot be read, as the run's reason says."""
    try:
        plot = trace_plot(run, sources.pages.traces(run.result.run_id, _PIXELS, None, None))
    except StoreError:
        return ()
    return (plot,) if any(series.x for series in plot.series) else ()


def _cross_check(run: RunOut) -> tuple[Plot, ...]:
    """Draw the cross-check of a run; empty without a comparison."""
    plot = cross_check_plot(run.result)
    return (plot,) if any(series.x for series in plot.series) else ()
