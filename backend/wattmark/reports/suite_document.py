"""The report of a suite for one server: the answer, its parts, every level, idle, published curves beside, methods."""

from __future__ import annotations

from collections.abc import Iterator

from wattmark.comparison.suites.suite_table import levels_table, scores_table
from wattmark.comparison.suites.suite_views import PublishedBesideOut, SuiteReportOut
from wattmark.core.interval import Interval
from wattmark.core.numbers import format_uncertain
from wattmark.reports.figures.plot import Plot, PlotSeries
from wattmark.reports.report import Chapter, Report, Section, Stat
from wattmark.results.tables.marks import source_marks

RELATIVE = "suite-relative-power"


def suite_document(report: SuiteReportOut) -> Report:
    """Build the report of a suite as one document."""
    runs = sum(level.n for level in report.levels) + (report.idle.n if report.idle else 0)
    chapters = tuple(Chapter.of(section) for section in _sections(report))
    return Report(f"{report.suite.title}: {report.title}", f"Suite {report.suite.id}, {report.key}", runs, chapters)


def _sections(report: SuiteReportOut) -> Iterator[Section]:
    yield Section(
        "score", "Score", tuple(report.remarks), (scores_table(report),), lead=report.statement, stats=_stats(report)
    )
    if any(series.x for series in relative_power_plot(report).series):
        yield Section("power", "Power over load", _beside(report.published), plots=(relative_power_plot(report),))
    yield Section("levels", "Levels", tables=(levels_table(report),))
    if report.idle is not None:
        words = (report.idle.note, *(check.text for check in report.idle.checks))
        yield Section(
            "idle", "Active idle", words, lead=f"{_shown(report.idle.power_w, 'W')}, mean of {report.idle.n}."
        )
    terms = tuple((of.name, f"{of.formula} Source: {of.source}.") for of in report.methods)
    yield Section("methods", "Methods", (report.suite.purpose,), terms=terms)


def _stats(report: SuiteReportOut) -> tuple[Stat, ...]:
    parts = [("Score", report.score, report.unit), *((kind.kind, kind.score, report.unit) for kind in report.kinds)]
    if report.idle is not None:
        parts.append(("Active idle", report.idle.power_w, "W"))
    return tuple(Stat(label, _shown(value, unit)) for label, value, unit in parts if value is not None)


def _shown(value: Interval, unit: str) -> str:
    return f"{format_uncertain(value.value, value.U95)} {unit}"


def relative_power_plot(report: SuiteReportOut) -> Plot:
    """Build the plot of power by that at full load [1] over load [%], the published quartiles as a band behind."""
    curves = [worklet.curve for worklet in report.worklets if worklet.curve is not None]
    series = [_band(report.published)] if report.published and report.published.spread else []
    for curve in curves:
        rows = sorted(curve.rows, key=lambda row: row.load_pct)
        load, share = tuple(row.load_pct for row in rows), tuple(row.relative_power.value for row in rows)
        series.append(PlotSeries(curve.workload, "line", load, share))
    marks = tuple(source_marks(report))
    return Plot(
        RELATIVE,
        f"Power over load: {report.title}",
        "Load [%]",
        "Power by that at full load",
        tuple(series),
        " ".join(_beside(report.published)),
        marks=marks,
    )


def _band(published: PublishedBesideOut) -> PlotSeries:
    rows = sorted(published.spread, key=lambda row: row.load_pct)
    return PlotSeries(
        f"Published, middle half of {published.n}",
        "band",
        tuple(row.load_pct for row in rows),
        tuple(row.median for row in rows),
        tuple(row.lower_quartile for row in rows),
        tuple(row.upper_quartile for row in rows),
        apart=True,
    )


def _beside(published: PublishedBesideOut | None) -> tuple[str, ...]:
    """Say how published results behave, whose work is another."""
    if published is None:
        return ()
    low, median, high = published.energy_proportionality
    return (
        f"Beside: {published.n} published results of {published.workload}, not measured here. Their work is another, "
        f"so only the shape compares. Energy proportionality: {median:.2f}, middle half {low:.2f} to {high:.2f}.",
    )
