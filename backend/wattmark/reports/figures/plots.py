"""The figures, from the same views as the tables and with their captions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Literal

from wattmark.comparison.compare.views import CompareGroup, CompareOut
from wattmark.comparison.parts.views import ExcludedPart, PartPoint, PartsOut
from wattmark.comparison.scaling.scaling_views import LoadLevelsOut, ScalingOut
from wattmark.core.interval import Interval95
from wattmark.core.numbers import format_printed, format_uncertain
from wattmark.core.part_words import part_words
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


def compare_plot(compared: CompareOut) -> Plot:
    """Build the plot of performance per watt of each configuration, best first, as the page draws it."""
    groups = sorted(
        (g for g in compared.groups if g.efficiency is not None),
        key=lambda g: -(g.efficiency.value if g.efficiency else 0.0),
    )
    kinds = dict.fromkeys(g.kind for g in groups)
    labels = dict.fromkeys(_label(g) for g in groups)
    series = tuple(_labelled(groups, label) for label in labels)
    without = " Published figures have no ± and no bar." if PUBLISHED in kinds else ""
    bars = f" {INTERVALS}" if any(_bar(g) for g in groups) else ""
    caption = f"{compared.statement}{bars}{without}{_simulated(SIMULATED in kinds)}{_not_drawn(compared)}"
    labels_by_key = group_names(groups)
    names = tuple(labels_by_key[g.key] for g in groups)
    x_label = f"Performance per watt [{compared.efficiency_unit}]"
    loose = bool(groups) and not any(g.traceable for g in groups) and kinds.keys() != {PUBLISHED}
    marks = (NOT_TRACEABLE,) if loose else ()
    return Plot("compare", f"Performance per watt: {compared.title}", x_label, "", series, caption, names, marks=marks)


def _bar(group: CompareGroup) -> Interval95 | None:
    """Return the interval to draw; None where the uncertainty of an instrument is not known."""
    interval = group.efficiency
    known = interval is not None and interval.complete and group.traceable and group.kind != PUBLISHED
    return interval if known else None


def _value(group: CompareGroup, interval: Interval95) -> str:
    """Write a figure with the digits that its uncertainty or its source supports."""
    if group.kind == PUBLISHED:
        return format_printed(interval.value, interval.U95 or 0.0)
    return format_uncertain(interval.value, interval.U95 if _bar(group) else None)


def _label(group: CompareGroup) -> str:
    tests = {
        NOT_TRACEABLE: not group.traceable and group.kind != PUBLISHED,
        INCLUDED: "efficiency" in group.inclusions,
    }
    return ", ".join([group.kind, *(mark for mark, holds in tests.items() if holds)])


def _not_drawn(compared: CompareOut) -> str:
    """Return which configurations are not ranked and why, and by whose choice others are drawn."""
    barred = [f"{g.title}: {g.not_ranked['efficiency']}" for g in compared.groups if "efficiency" in g.not_ranked]
    chosen = {t: None for g in compared.groups for t in g.inclusions.get("efficiency", ())}
    choices = [f"{text}." for text in chosen if text not in compared.statement]
    return "".join(f" {text}" for text in [*choices, *([f"Not ranked: {'; '.join(barred)}."] if barred else [])])


def _labelled(groups: Sequence[CompareGroup], label: str) -> PlotSeries:
    chosen = [
        (position, g, g.efficiency)
        for position, g in enumerate(groups)
        if _label(g) == label and g.efficiency is not None
    ]
    bars = [_bar(g) or Interval95(value=e.value, low=e.value, high=e.value, u=0.0) for _, g, e in chosen]
    return PlotSeries(
        label,
        "points",
        tuple(e.value for _, _, e in chosen),
        tuple(float(position) for position, _, _ in chosen),
        tuple(bar.low for bar in bars),
        tuple(bar.high for bar in bars),
        fill=_FILLS.get(chosen[0][1].kind, "filled"),
        values=tuple(_value(g, e) for _, g, e in chosen),
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
