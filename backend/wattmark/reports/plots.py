"""The figures of the product, from the same views as the tables and with their captions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from wattmark.reports.marks import INCLUDED, PUBLISHED, SIMULATED
from wattmark.reports.plot import Plot, PlotSeries
from wattmark.results.ranking_bars import BY_CHOICE, inclusion_text, not_ranked_text
from wattmark.results.scaling_views import ScalingOut
from wattmark.results.series import TOTALS
from wattmark.results.table_views import LoadLevelsOut
from wattmark.results.views import CompareGroup, CompareOut, Interval95, LeftOutPoint, MemoryOut, MemoryPoint
from wattmark.runs.result import Result
from wattmark.runs.views import RunOut, SeriesOut, TracesOut

INTERVALS = "Bars are 95 % intervals."
NAMED_SIMULATED = "Simulated power: the figure says nothing about real hardware."


def compare_plot(compared: CompareOut) -> Plot:
    """Draw performance per watt of each configuration with its interval; kinds of figures by marker."""
    groups = [g for g in compared.groups if g.efficiency is not None]
    kinds = dict.fromkeys(g.kind for g in groups)
    labels = dict.fromkeys(_label(g) for g in groups)
    series = tuple(_labelled(groups, label) for label in labels)
    rounding = " Intervals of published figures come from rounding only." if PUBLISHED in kinds else ""
    caption = f"{compared.statement} {INTERVALS}{rounding}{_simulated(SIMULATED in kinds)}{_not_drawn(compared)}"
    names = tuple(f"{g.title} ({g.server})" for g in groups)
    x_label = f"Performance per watt [{compared.efficiency_unit}]"
    return Plot("compare", f"Performance per watt: {compared.title}", x_label, "", series, caption, names)


def _label(group: CompareGroup) -> str:
    return f"{group.kind}, {INCLUDED}" if "efficiency" in group.inclusions else group.kind


def _not_drawn(compared: CompareOut) -> str:
    """Name what has a figure that may not be ranked, with whose choice what is drawn all the same."""
    barred = [f"{g.title}: {g.not_ranked['efficiency']}" for g in compared.groups if "efficiency" in g.not_ranked]
    chosen = {t: None for g in compared.groups for t in g.inclusions.get("efficiency", ())}
    said = [f"{text}." for text in chosen if text not in compared.statement]
    return "".join(f" {text}" for text in [*said, *([f"Not ranked: {'; '.join(barred)}."] if barred else [])])


def _labelled(groups: Sequence[CompareGroup], label: str) -> PlotSeries:
    chosen = [(at, g.efficiency) for at, g in enumerate(groups) if _label(g) == label and g.efficiency is not None]
    return PlotSeries(
        label,
        "points",
        tuple(e.value for _, e in chosen),
        tuple(float(at) for at, _ in chosen),
        tuple(e.low for _, e in chosen),
        tuple(e.high for _, e in chosen),
    )


def memory_plot(memory: MemoryOut) -> Plot:
    """Draw watts against DIMM count with the fitted line and its 95 % band."""
    points = [
        _runs("Runs", [p for p in memory.points if p.inclusion is None]),
        _runs(f"Runs, {INCLUDED}", [p for p in memory.points if p.inclusion is not None]),
        replace(_runs("Runs, not in the line", memory.left_out), apart=True),
    ]
    idle = [(float(p.dimm_count), p.power_idle_w) for p in memory.points if p.power_idle_w is not None]
    series = [*(one for one in points if one.x), *_fit("Fit with 95 % band", memory.line)]
    if memory.idle is not None and idle:
        x, y = zip(*idle, strict=True)
        series += [PlotSeries("Runs, idle", "points", x, y), *_fit("Idle, with 95 % band", memory.idle.line)]
    title = f"Power against DIMM count: {memory.server}, {memory.workload}, {memory.level}"
    caption = f"{memory.statement}{_simulated(memory.simulated)}"
    return Plot("memory", title, "DIMMs", "Power at the wall [W]", tuple(series), caption, whole_x=True)


def _runs(label: str, runs: Sequence[MemoryPoint | LeftOutPoint]) -> PlotSeries:
    known = [(float(p.dimm_count), p.power_w) for p in runs if p.dimm_count is not None and p.power_w is not None]
    return PlotSeries(label, "points", tuple(x for x, _ in known), tuple(y for _, y in known))


def _fit(label: str, line: Sequence[tuple[float, float, float, float]]) -> list[PlotSeries]:
    """Draw a fitted line with its band; nothing where there is none."""
    if not line:
        return []
    x, y, low, high = zip(*line, strict=True)
    return [PlotSeries(label, "band", x, y, low, high)]


def scaling_plot(scaling: ScalingOut) -> Plot:
    """Draw performance per watt over the levels; throughput where there is none."""
    efficiency = [(lv.count, lv.efficiency) for lv in scaling.levels if lv.efficiency is not None]
    chosen, what, unit = efficiency, "Performance per watt", scaling.efficiency_unit
    if not chosen:
        chosen = [(lv.count, lv.throughput) for lv in scaling.levels if lv.throughput is not None]
        what, unit = "Throughput", scaling.throughput_unit
    people = [text for text in scaling.sentences[3:] if BY_CHOICE in text]
    caption = " ".join([*scaling.sentences[:3], *people, INTERVALS]) + _simulated(scaling.simulated)
    title = f"{what} over levels: {scaling.key}, {scaling.workload}"
    return Plot("scaling", title, "Level", f"{what} [{unit}]", (_curve(what, chosen),), caption, whole_x=True)


def _curve(label: str, chosen: Sequence[tuple[int, Interval95]]) -> PlotSeries:
    return PlotSeries(
        label,
        "line",
        tuple(float(at) for at, _ in chosen),
        tuple(i.value for _, i in chosen),
        tuple(i.low for _, i in chosen),
        tuple(i.high for _, i in chosen),
    )


def load_levels_plot(view: LoadLevelsOut) -> Plot:
    """Draw power against load, with the straight line from idle to peak beside it."""
    rows = sorted(view.rows, key=lambda row: row.load_pct)
    load, watts = tuple(row.load_pct for row in rows), tuple(row.power_w for row in rows)
    ends = PlotSeries(
        "Straight line from the lowest to the highest", "line", (load[0], load[-1]), (watts[0], watts[-1])
    )
    series = (PlotSeries("Power", "line", load, watts), ends)
    chosen = "".join(f" {text}" for text in view.remarks if BY_CHOICE in text)
    caption = f"{view.statement}{chosen}{_simulated(view.simulated)}"
    return Plot(
        "load-levels", f"Power against load: {view.key}, {view.workload}", "Load [%]", "Power [W]", series, caption
    )


def trace_plot(run: RunOut, traces: TracesOut) -> Plot:
    """Draw the power of a run against time, from the begin of its window, with the window shaded."""
    begin_s = run.window_begin_s if run.window_begin_s is not None else traces.begin_s
    series = tuple(_trace(s, begin_s) for s in _totals(traces))
    ends = (run.window_begin_s, run.window_end_s)
    span = None if ends[0] is None or ends[1] is None else (0.0, ends[1] - ends[0])
    result = run.result
    title = f"Power of run {result.run_id}: {result.server}/{result.configuration}, {result.workload}, {result.level}"
    caption = f"Window rule {result.window_rule}, {result.samples} samples; bands are minimum to maximum of each pixel."
    for words in (inclusion_text(result), _barred(result)):
        caption += f" {words}." if words else ""
    return Plot(
        "run", title, "Time from the begin of the window [s]", "Power [W]", series,
        caption + _simulated(result.simulated), span=span,
    )  # fmt: skip


def _barred(result: Result) -> str | None:
    why = not_ranked_text(result)
    return None if why is None else f"Not ranked {why}" if why.startswith("by ") else f"Not ranked: {why}"


def _totals(traces: TracesOut) -> list[SeriesOut]:
    """Take one channel per source: the one with all of its power, else the first."""
    by_source: dict[str, list[SeriesOut]] = {}
    for one in traces.series:
        if one.quantity == "power" and one.unit == "W":
            by_source.setdefault(one.source, []).append(one)
    return [min(listed, key=lambda s: s.channel not in TOTALS["power"]) for listed in by_source.values()]


def _trace(series: SeriesOut, begin_s: float) -> PlotSeries:
    rows = [
        (t - begin_s, mean, low, high)
        for t, mean, low, high in zip(series.t_s, series.mean, series.minimum, series.maximum, strict=True)
        if mean is not None and low is not None and high is not None
    ]
    x, y, low, high = zip(*rows, strict=True) if rows else ((), (), (), ())
    return PlotSeries(f"{series.source} {series.label}", "band", x, y, low, high)


def _simulated(simulated: bool) -> str:
    return f" {NAMED_SIMULATED}" if simulated else ""
