"""The figures of the product, from the same views as the tables and with their captions."""

from __future__ import annotations

from collections.abc import Sequence

from wattmark.reports.marks import PUBLISHED, SIMULATED
from wattmark.reports.plot import Plot, PlotSeries
from wattmark.results.scaling_views import ScalingOut
from wattmark.results.series import TOTALS
from wattmark.results.table_views import LoadLevelsOut
from wattmark.results.views import CompareGroup, CompareOut, Interval95, MemoryOut
from wattmark.runs.views import RunOut, SeriesOut, TracesOut

INTERVALS = "Bars are 95 % intervals."
NAMED_SIMULATED = "Simulated power: the figure says nothing about real hardware."


def compare_plot(compared: CompareOut) -> Plot:
    """Draw performance per watt of each configuration with its interval; kinds of figures by marker."""
    groups = [g for g in compared.groups if g.efficiency is not None]
    kinds = dict.fromkeys(g.kind for g in groups)
    series = tuple(_kind_series(groups, kind) for kind in kinds)
    rounding = " Intervals of published figures come from rounding only." if PUBLISHED in kinds else ""
    caption = f"{compared.statement} {INTERVALS}{rounding}{_simulated(SIMULATED in kinds)}"
    names = tuple(f"{g.title} ({g.server})" for g in groups)
    x_label = f"Performance per watt [{compared.efficiency_unit}]"
    return Plot("compare", f"Performance per watt: {compared.title}", x_label, "", series, caption, names)


def _kind_series(groups: Sequence[CompareGroup], kind: str) -> PlotSeries:
    chosen = [(at, g.efficiency) for at, g in enumerate(groups) if g.kind == kind and g.efficiency is not None]
    return PlotSeries(
        kind,
        "points",
        tuple(e.value for _, e in chosen),
        tuple(float(at) for at, _ in chosen),
        tuple(e.low for _, e in chosen),
        tuple(e.high for _, e in chosen),
    )


def memory_plot(memory: MemoryOut) -> Plot:
    """Draw watts against DIMM count with the fitted line and its 95 % band."""
    points = PlotSeries(
        "Runs",
        "points",
        tuple(float(p.dimm_count) for p in memory.points),
        tuple(p.power_w for p in memory.points),
    )
    idle = [(float(p.dimm_count), p.power_idle_w) for p in memory.points if p.power_idle_w is not None]
    series = [points, *_fit("Fit with 95 % band", memory.line)]
    if memory.idle is not None and idle:
        x, y = zip(*idle, strict=True)
        series += [PlotSeries("Runs, idle", "points", x, y), *_fit("Idle, with 95 % band", memory.idle.line)]
    title = f"Power against DIMM count: {memory.server}, {memory.workload}, {memory.level}"
    caption = f"{memory.statement}{_simulated(memory.simulated)}"
    return Plot("memory", title, "DIMMs", "Power at the wall [W]", tuple(series), caption, whole_x=True)


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
    caption = " ".join([*scaling.sentences[:3], INTERVALS]) + _simulated(scaling.simulated)
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
    caption = f"{view.statement}{_simulated(view.simulated)}"
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
    return Plot(
        "run", title, "Time from the begin of the window [s]", "Power [W]", series,
        caption + _simulated(result.simulated), span=span,
    )  # fmt: skip


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
