"""The traces of a run as SVG, PDF or PNG: lanes under one time axis, phases, window, averaged readings as steps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import cycle
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from wattmark.reports.files.figure_file import clean, rendered
from wattmark.results.pages.run_page import LimitSpanOut, PhaseOut, RunOut, SeriesOut, TracesOut

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_LANES = {"W": "Power [W]", "%": "Utilisation [%]", "°C": "Temperature [°C]"}
"""Units that have a lane, in their order from above."""
WIDTH_IN, LANE_IN, REST_IN, LEGEND_IN = 7.0, 1.7, 0.9, 0.18
COLOURS = ("#A86500", "#0072B2", "#009E73", "#CC79A7", "#56B4E9", "#000000")
STROKES = ("-", "--", "-.", ":")
_THROUGHPUT = COLOURS[1]
_GAP = 3.0
"""Readings more than this many usual steps apart are not joined."""
LIMIT_COLOURS = {"heat": "#D55E00", "power": "#A86500", "current": "#A86500", "clock": "#0072B2", "alarm": "#666666"}
MOST_LIMITS = 12
"""Devices and limits that have a bar; more cannot be read."""
MOST_SERIES = 8
"""In a lane; more cannot be distinguished."""

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class PlottedLine:
    """One series of a lane; NaN breaks the line."""

    label: str
    t_s: Array
    mean: Array
    minimum: Array
    maximum: Array
    averaged: bool


def write_traces(run: RunOut, traces: TracesOut, format: str) -> bytes:  # noqa: A002
    """Draw the traces of a run between two instants. Raises `InputError` for an unknown format."""
    lanes = {unit: lines for unit in _LANES if (lines := lines_of(traces.series, unit, run))}
    count = len(lanes) + bool(traces.throughput) + bool(traces.limits)
    legend = sum(len(lines) for lines in lanes.values())
    result = run.result
    title = clean(f"{result.server} · {result.configuration_title} · {result.workload}, {result.level}")
    begin = datetime.fromtimestamp(traces.begin_s, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")

    def draw(figure: Figure) -> None:
        figure.suptitle(title, x=0.01, ha="left", fontsize=10)
        axes = figure.subplots(max(count, 1), 1, sharex=True, squeeze=False)[:, 0].tolist()
        for lane, (unit, lines) in zip(axes, lanes.items(), strict=False):
            lane.set_ylabel(_LANES[unit])
            for line, colour, stroke in zip(lines, cycle(COLOURS), cycle(STROKES), strict=False):
                draw_line(lane, line, traces.begin_s, colour, stroke)
        if traces.throughput:
            axes[len(lanes)].set_ylabel(clean(f"Throughput [{traces.throughput_unit}]"))
            draw_throughput(axes[len(lanes)], traces, traces.begin_s, _THROUGHPUT)
        if traces.limits:
            draw_limits(axes[count - 1], traces.limits, traces.begin_s)
        for lane in axes:
            _under(lane, run, traces)
        axes[-1].set_xlabel(f"Time after {begin} [s]")
        if legend:
            figure.legend(loc="outside lower center", ncols=3, fontsize=7, frameon=False)

    size = (WIDTH_IN, REST_IN + LANE_IN * max(count, 1) + LEGEND_IN * (legend // 3 + 1))
    return rendered(draw, size, format, traces.run_id)


def lines_of(series: Sequence[SeriesOut], unit: str, run: RunOut) -> list[PlottedLine]:
    """Choose the series of a unit, wall meters first, and break them where readings are missing."""
    roles = {meter.name: meter.role for meter in run.meters}
    chosen = [entry for entry in series if entry.unit == unit and entry.t_s]
    chosen.sort(key=lambda entry: roles.get(entry.source) != "wall")
    return [broken(entry) for entry in chosen[:MOST_SERIES]]


def broken(entry: SeriesOut) -> PlottedLine:
    """Return a series as a line that is broken where readings are missing."""
    t_s = np.array(entry.t_s)
    columns = [np.array(column, dtype=np.float64) for column in (entry.mean, entry.minimum, entry.maximum)]
    steps = np.diff(t_s)
    gaps = np.flatnonzero(steps > _GAP * np.median(steps)) + 1 if len(steps) else np.array([], dtype=np.int64)
    middle = (t_s[gaps - 1] + t_s[gaps]) / 2
    mean, minimum, maximum = (np.insert(column, gaps, np.nan) for column in columns)
    label = f"{entry.source} {entry.label}" + (" (simulated)" if entry.simulated else "")
    return PlottedLine(clean(label), np.insert(t_s, gaps, middle), mean, minimum, maximum, entry.kind == "averaged")


def draw_line(axes: Axes, line: PlottedLine, begin_s: float, colour: str, stroke: str) -> None:
    """Draw means, as steps that end at their stamps where a reading is a mean, over the band of the extremes."""
    t_s = line.t_s - begin_s
    steps = "steps-pre" if line.averaged else "default"
    axes.fill_between(
        t_s,
        line.minimum,
        line.maximum,
        color=colour,
        alpha=0.2,
        linewidth=0,
        step="pre" if line.averaged else None,
    )
    axes.plot(t_s, line.mean, color=colour, linestyle=stroke, linewidth=0.9, drawstyle=steps, label=line.label)


def draw_throughput(axes: Axes, traces: TracesOut, origin_s: float, colour: str, stroke: str = "-") -> None:
    """Draw the throughput of each interval, in seconds after ``origin_s`` [Unix s]."""
    begins = [step.begin_s - origin_s for step in traces.throughput]
    ends = [step.end_s - origin_s for step in traces.throughput]
    axes.hlines([step.rate for step in traces.throughput], begins, ends, color=colour, linestyle=stroke, linewidth=1.0)


def draw_limits(axes: Axes, limits: Sequence[LimitSpanOut], origin_s: float) -> None:
    """Draw where processors and GPUs were at a limit as bars, a row for each device and limit."""
    rows: dict[str, list[LimitSpanOut]] = {}
    for span in limits:
        rows.setdefault(clean(f"{span.device}: {span.cause}"), []).append(span)
    shown = dict(list(rows.items())[:MOST_LIMITS])
    for row, spans in enumerate(shown.values()):
        bars = [(span.begin_s - origin_s, span.end_s - span.begin_s) for span in spans]
        axes.broken_barh(bars, (row - 0.35, 0.7), color=LIMIT_COLOURS[spans[0].kind])
    axes.set_yticks(range(len(shown)), list(shown), fontsize=6)
    axes.set_ylim(len(shown) - 0.5, -0.5)


def _under(axes: Axes, run: RunOut, traces: TracesOut) -> None:
    """Draw the phases as quiet tints with their names, and the window as two lines."""
    axes.set_xlim(0.0, max(traces.end_s - traces.begin_s, 1e-3))
    axes.grid(visible=True, color="#dddddd", linewidth=0.5)
    axes.set_axisbelow(True)
    first = axes.get_subplotspec()
    named = first is not None and first.is_first_row()
    for number, phase in enumerate(run.phases):
        _phase(axes, phase, traces, shade=number % 2 == 0, named=named)
    for edge_s in (run.window_begin_s, run.window_end_s):
        if edge_s is not None:
            axes.axvline(edge_s - traces.begin_s, color="#444444", linewidth=0.8)


def _phase(axes: Axes, phase: PhaseOut, traces: TracesOut, *, shade: bool, named: bool) -> None:
    begin_s = max(phase.begin_s, traces.begin_s) - traces.begin_s
    end_s = min(phase.end_s or traces.end_s, traces.end_s) - traces.begin_s
    if end_s <= begin_s:
        return
    if shade:
        axes.axvspan(begin_s, end_s, color="#000000", alpha=0.04, linewidth=0)
    if named and end_s - begin_s > (traces.end_s - traces.begin_s) / 20:
        where = axes.get_xaxis_transform()
        axes.text((begin_s + end_s) / 2, 1.01, phase.name.value, transform=where, fontsize=7, ha="center", va="bottom")
