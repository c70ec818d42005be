"""The figures, from the same views as the tables and with their captions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from wattmark.comparison.choices import Sort
from wattmark.comparison.compare.order import heading, in_order
from wattmark.comparison.compare.views import CompareGroup, CompareOut
from wattmark.comparison.compare.yardstick import ComparedBy, yardstick
from wattmark.comparison.parts.views import ExcludedPart, PartPoint, PartsOut
from wattmark.comparison.scaling.scaling_views import LoadLevelsOut, ScalingOut
from wattmark.core.interval import Interval95
from wattmark.core.numbers import format_printed, format_uncertain
from wattmark.core.part_words import part_words
from wattmark.core.separator import DOT
from wattmark.reports.figures.plot import Fill, Plot, PlotSeries
from wattmark.results.names import group_names
from wattmark.results.pages.run_page import RunOut, SeriesOut, TracesOut
from wattmark.results.ranking_bars import BY_CHOICE, inclusion_text, not_ranked_text
from wattmark.results.result import Result
from wattmark.results.tables.marks import INCLUDED, NOT_TRACEABLE, PUBLISHED, SIMULATED, source_marks

INTERVALS = "Bars are 95 % intervals."
_FILLS: Mapping[str, Fill] = {SIMULATED: "hatched", PUBLISHED: "hollow"}
NAMED_NOT_TRACEABLE = "Not traceable: neither a specification nor a valid calibration covers a meter."
NAMED_SIMULATED = "Simulated power: the figure tells nothing about real hardware."


def compare_plot(compared: CompareOut, sort: Sort = "rank", top: int | None = None) -> Plot:
    """Build the plot of the figure that configurations are compared by; ``sort`` and ``top`` are those of `in_order`.

    By server the rows of each server stand under its name.
    """
    names = group_names(compared.groups)
    compared = in_order(compared, sort, top)
    drawn = [_Drawn(compared.compared_by, g, f) for g in compared.groups if (f := _figure(compared, g)) is not None]
    rows, headings, places = list[str](), list[int](), list[float]()
    for each in drawn:
        head = heading(each.group)
        if sort == "server" and (not headings or rows[headings[-1]] != head):
            headings.append(len(rows))
            rows.append(head)
        places.append(float(len(rows)))
        name = names[each.group.key]
        rows.append(each.named(name.removeprefix(f"{head}{DOT}") if headings else name))
    kinds = dict.fromkeys(each.group.kind for each in drawn)
    labels = dict.fromkeys(each.label for each in drawn)
    series = tuple(_labelled([(y, e) for y, e in zip(places, drawn, strict=True) if e.label == of]) for of in labels)
    without = " Published figures have no ± and no bar." if PUBLISHED in kinds else ""
    bars = f" {INTERVALS}" if any(each.bar for each in drawn) else ""
    loose = [each for each in drawn if each.is_loose]
    crosses = f" Crosses have no bar. {NAMED_NOT_TRACEABLE}" if loose else ""
    caption = f"{compared.statement}{bars}{without}{crosses}{_simulated(SIMULATED in kinds)}{_not_drawn(compared)}"
    by = yardstick(compared.compared_by)
    own = [each for each in drawn if each.group.kind != PUBLISHED]
    return Plot(
        "compare",
        f"{by.quantity}: {compared.title}",
        f"{by.quantity} [{by.unit_of(compared)}]",
        "",
        series,
        caption,
        tuple(rows),
        headings=tuple(headings),
        marks=(NOT_TRACEABLE,) if own and len(loose) == len(own) else (),
    )


def _figure(compared: CompareOut, group: CompareGroup) -> Interval95 | None:
    """Return the figure compared by, where it has the unit of the axis."""
    by = yardstick(compared.compared_by)
    return by.value(group) if by.unit(group) == by.unit_of(compared) else None


@dataclass(frozen=True, slots=True)
class _Drawn:
    """A configuration as a row of a figure."""

    by: ComparedBy
    group: CompareGroup
    figure: Interval95

    @property
    def is_loose(self) -> bool:
        """Return whether the figure rests on a meter of unknown uncertainty; throughput rests on none."""
        return not self.group.traceable and self.group.kind != PUBLISHED and self.by != "throughput"

    @property
    def bar(self) -> Interval95 | None:
        """Return the interval to draw; None where the uncertainty of an instrument is not known."""
        known = self.figure.complete and not self.is_loose and self.group.kind != PUBLISHED
        return self.figure if known else None

    @property
    def fill(self) -> Fill:
        """Return how its marker is filled."""
        measured: Fill = "crossed" if self.is_loose else "filled"
        return _FILLS.get(self.group.kind, measured)

    @property
    def value(self) -> str:
        """Write the figure with the digits that its uncertainty or its source supports."""
        if self.group.kind == PUBLISHED:
            return format_printed(self.figure.value, self.figure.U95 or 0.0)
        return format_uncertain(self.figure.value, self.figure.U95 if self.bar else None)

    @property
    def label(self) -> str:
        """Return what it is called in the legend."""
        tests = {NOT_TRACEABLE: self.is_loose, INCLUDED: self.by in self.group.inclusions}
        return ", ".join([self.group.kind, *(mark for mark, holds in tests.items() if holds)])

    def named(self, name: str) -> str:
        """Add to a name why its row has no bar."""
        return f"{name}, {NOT_TRACEABLE}" if self.is_loose else name


def _not_drawn(compared: CompareOut) -> str:
    """Return which configurations are not ranked and why, and by whose choice others are drawn."""
    by = compared.compared_by
    barred = [f"{g.title}: {g.not_ranked[by]}" for g in compared.groups if by in g.not_ranked]
    chosen = {t: None for g in compared.groups for t in g.inclusions.get(by, ())}
    choices = [f"{text}." for text in chosen if text not in compared.statement]
    return "".join(f" {text}" for text in [*choices, *([f"Not ranked: {'; '.join(barred)}."] if barred else [])])


def _labelled(rows: Sequence[tuple[float, _Drawn]]) -> PlotSeries:
    """Build the series of rows that have one label."""
    figures = [each.figure for _, each in rows]
    return PlotSeries(
        rows[0][1].label,
        "points",
        tuple(figure.value for figure in figures),
        tuple(y for y, _ in rows),
        tuple(each.figure.low if each.bar else each.figure.value for _, each in rows),
        tuple(each.figure.high if each.bar else each.figure.value for _, each in rows),
        fill=rows[0][1].fill,
        values=tuple(each.value for _, each in rows),
    )


def line_plot(name: Literal["memory", "parts"], line: PartsOut) -> Plot:
    """Build the plot of power [W] against the number of parts, with the fitted line and its 95 % band."""
    part = part_words(line.kind)
    fill: Fill = "hatched" if line.simulated else "filled"
    points = [
        _runs("Runs", [p for p in line.points if p.inclusion is None]),
        _runs(f"Runs, {INCLUDED}", [p for p in line.points if p.inclusion is not None]),
        replace(_runs("Runs excluded from the fit", line.excluded), apart=True),
    ]
    idle = [(float(p.count), p.idle_power.value) for p in line.points if p.idle_power is not None]
    series = [*(replace(runs, fill=fill) for runs in points if runs.x), *_fit("Fit with 95 % band", line.line)]
    if line.idle is not None and idle:
        x, y = zip(*idle, strict=True)
        series += [PlotSeries("Runs, idle", "points", x, y, fill=fill), *_fit("Idle, with 95 % band", line.idle.line)]
    title = f"Power against {part.one} count: {line.server}, {line.workload}, {line.level}"
    marks = tuple(source_marks(*line.points))
    caption = f"{line.statement}{_measured_by(*marks)}"
    return Plot(name, title, part.many, "Power at the wall [W]", tuple(series), caption, whole_x=True, marks=marks)


def _runs(label: str, runs: Sequence[PartPoint | ExcludedPart]) -> PlotSeries:
    points = [(float(p.count), p.power.value) for p in runs if p.count is not None and p.power is not None]
    return PlotSeries(label, "points", tuple(x for x, _ in points), tuple(y for _, y in points))


def _fit(label: str, line: Sequence[tuple[float, float, float, float]]) -> list[PlotSeries]:
    """Build the series of a fitted line with its band; empty where there is none."""
    if not line:
        return []
    x, y, low, high = zip(*line, strict=True)
    return [PlotSeries(label, "band", x, y, low, high)]


def scaling_plot(scaling: ScalingOut) -> Plot:
    """Build the plot of performance per watt over the levels; of throughput where there is none."""
    efficiency = [(lv.count, lv.efficiency) for lv in scaling.levels if lv.efficiency is not None]
    chosen, quantity, unit = efficiency, "Performance per watt", scaling.efficiency_unit
    if not chosen:
        chosen = [(lv.count, lv.throughput) for lv in scaling.levels if lv.throughput is not None]
        quantity, unit = "Throughput", scaling.throughput_unit
    people = [text for text in scaling.sentences[3:] if BY_CHOICE in text]
    marks = tuple(source_marks(*scaling.levels))
    caption = " ".join([*scaling.sentences[:3], *people, INTERVALS]) + _measured_by(*marks)
    title = f"{quantity} over levels: {scaling.key}, {scaling.workload}"
    return Plot(
        "scaling",
        title,
        "Level",
        f"{quantity} [{unit}]",
        (_curve(quantity, chosen),),
        caption,
        whole_x=True,
        marks=marks,
    )


def _curve(label: str, chosen: Sequence[tuple[int, Interval95]]) -> PlotSeries:
    return PlotSeries(
        label,
        "line",
        tuple(float(count) for count, _ in chosen),
        tuple(i.value for _, i in chosen),
        tuple(i.low for _, i in chosen),
        tuple(i.high for _, i in chosen),
    )


def load_levels_plot(view: LoadLevelsOut) -> Plot:
    """Build the plot of power [W] against load [%], with the straight line from idle to peak."""
    rows = sorted(view.rows, key=lambda row: row.load_pct)
    load, watts = tuple(row.load_pct for row in rows), tuple(row.power_w.value for row in rows)
    ends = PlotSeries(
        "Straight line from the lowest to the highest", "line", (load[0], load[-1]), (watts[0], watts[-1])
    )
    series = (PlotSeries("Power", "line", load, watts), ends)
    chosen = "".join(f" {text}" for text in view.remarks if BY_CHOICE in text)
    marks = tuple(source_marks(*view.rows))
    caption = f"{view.statement}{chosen}{_measured_by(*marks)}"
    return Plot(
        "load-levels",
        f"Power against load: {view.key}, {view.workload}",
        "Load [%]",
        "Power [W]",
        series,
        caption,
        marks=marks,
    )


def trace_plot(run: RunOut, traces: TracesOut) -> Plot:
    """Build the plot of a run's power [W] against time [s] from the start of its window, which is shaded."""
    begin_s = run.window_begin_s if run.window_begin_s is not None else traces.begin_s
    reference = {calibration.meter for calibration in run.result.calibrations}
    totals = sorted(power_totals(traces), key=lambda s: s.source not in reference)
    series = tuple(
        replace(_trace(s, begin_s), power=s.source in reference, apart=bool(reference) and s.source not in reference)
        for s in totals
    )
    ends = (run.window_begin_s, run.window_end_s)
    span = None if ends[0] is None or ends[1] is None else (0.0, ends[1] - ends[0])
    result = run.result
    title = f"Power of run {result.run_id}: {result.server}/{result.configuration}, {result.workload}, {result.level}"
    caption = f"Window rule {result.window_rule}, {result.samples} samples; bands show minimum to maximum per pixel."
    for words in (inclusion_text(result), _barred(result)):
        caption += f" {words}." if words else ""
    return Plot(
        "run", title, "Time since window start [s]", "Power [W]", series,
        caption + _measured_by(*source_marks(result)), span=span, marks=tuple(source_marks(result)),
    )  # fmt: skip


def cross_check_plot(result: Result) -> Plot:
    """Build the plot of each source's share of the power at the wall [%], with its 95 % interval and its limit."""
    check = result.cross_check
    sources = [] if check is None else [s for s in check.sources if s.share_pct is not None]
    rows = [
        (s.share_pct or 0.0, float(row), 0.0 if s.difference is None else s.difference.U95 or 0.0)
        for row, s in enumerate(sources)
    ]
    limits = [(100.0, float(row), s.limit_pct) for row, s in enumerate(sources) if s.limit_pct is not None]
    series = [_spans("Limit about the wall meter", limits, apart=True)] if limits else []
    series += [_spans("Source", rows)] if rows else []
    statements = " ".join(f"{s.statement}." for s in sources)
    others = not result.simulated and any(s.simulated for s in sources)
    caption = f"{statements} {INTERVALS}{_simulated(others)}{_measured_by(*source_marks(result))}"
    reference = "" if check is None else f" ({check.reference} = 100 %)"
    title = f"Cross-check of the power of run {result.run_id}"
    names = tuple(s.source for s in sources)
    return Plot(
        "cross-check",
        title,
        f"Share of the power at the wall{reference} [%]",
        "",
        tuple(series),
        caption,
        names,
        marks=tuple([SIMULATED] * others + source_marks(result)),
    )


def _spans(label: str, rows: Sequence[tuple[float, float, float]], *, apart: bool = False) -> PlotSeries:
    """Build points of named rows with an interval of +- the third value."""
    x, y, half = zip(*rows, strict=True)
    low, high = (tuple(a + sign * b for a, b in zip(x, half, strict=True)) for sign in (-1, 1))
    return PlotSeries(label, "points", x, y, low, high, apart=apart)


def _barred(result: Result) -> str | None:
    why = not_ranked_text(result)
    return None if why is None else f"Not ranked {why}" if why.startswith("by ") else f"Not ranked: {why}"


def power_totals(traces: TracesOut) -> list[SeriesOut]:
    """Select the total power of each source; one that has parts only has none."""
    return [series for series in traces.series if series.total and series.quantity == "power"]


def _trace(series: SeriesOut, begin_s: float) -> PlotSeries:
    rows = [
        (t - begin_s, mean, low, high)
        for t, mean, low, high in zip(series.t_s, series.mean, series.minimum, series.maximum, strict=True)
        if mean is not None and low is not None and high is not None
    ]
    x, y, low, high = zip(*rows, strict=True) if rows else ((), (), (), ())
    return PlotSeries(f"{series.source} {series.label}", "band", x, y, low, high)


def _measured_by(*marks: str) -> str:
    """Explain what measured the figures that are drawn, where no real or no traceable meter did."""
    words = {SIMULATED: NAMED_SIMULATED, NOT_TRACEABLE: NAMED_NOT_TRACEABLE}
    return "".join(f" {words[mark]}" for mark in marks)


def _simulated(simulated: bool) -> str:
    return f" {NAMED_SIMULATED}" if simulated else ""
