"""Runs over one another as SVG, PDF or PNG: power, its difference to the first run, and throughput."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import TYPE_CHECKING

import numpy as np

from wattmark.core.errors import InputError
from wattmark.core.separator import DOT
from wattmark.reports.figures.plots import power_totals
from wattmark.reports.files.figure_file import clean, rendered
from wattmark.reports.files.trace_figure import (
    COLOURS,
    LANE_IN,
    LEGEND_IN,
    REST_IN,
    STROKES,
    WIDTH_IN,
    Array,
    PlottedLine,
    broken,
    draw_line,
    draw_throughput,
)
from wattmark.results.meters import deciding
from wattmark.results.pages.run_page import RunOut, TracesOut
from wattmark.results.pages.run_pages import RunPages

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST_OVERLAID = 6
"""More runs cannot be distinguished."""
_STYLES = tuple(zip(COLOURS, (*STROKES, *STROKES[:2]), strict=True))
_APART_PERIODS = 1.5
"""Readings at this distance from one another are not at the same time [periods of the slower run]."""


@dataclass(frozen=True, slots=True)
class OverlaidRun:
    """A run to be drawn over others; ``power`` is in seconds after ``origin_s``, None: it has none."""

    name: str
    origin_s: float
    window_s: float
    power: PlottedLine | None
    traces: TracesOut


def overlaid(pages: RunPages, run_id: str, px: int, from_s: float | None, to_s: float | None) -> OverlaidRun:
    """Read a run, or the part between two instants [s after the start of its window].

    A run without a window is aligned at its first phase. Raises `NotFound`, and `InputError` where it has neither.
    """
    run = pages.run(run_id)
    origin_s = run.window_begin_s if run.window_begin_s is not None else run.phases[0].begin_s if run.phases else None
    if origin_s is None:
        raise InputError(f"Run {run_id} has no window and no phases to be aligned by.", "Leave it out.")
    begin_s, end_s = (None if at is None else origin_s + at for at in (from_s, to_s))
    traces = pages.traces(run_id, px, begin_s, end_s)
    result = run.result
    names = (result.server, result.configuration_title, f"{result.workload}, {result.level}", f"repeat {result.repeat}")
    window_s = 0.0 if run.window_end_s is None else run.window_end_s - origin_s
    marked = DOT.join(names) + (" (simulated)" if result.simulated else "")
    return OverlaidRun(clean(marked), origin_s, window_s, power_line(run, traces, origin_s), traces)


def power_line(run: RunOut, traces: TracesOut, origin_s: float) -> PlottedLine | None:
    """Return the power of the server [W]: its wall meters added up, if each shows its total; else its first BMC's."""
    totals = [series for series in power_totals(traces) if series.t_s]
    counted = [meter.name for meter in deciding(run.meters)]
    if not counted or set(counted) - {series.source for series in totals}:
        return None
    lines = [broken(series) for series in totals if series.source in counted]
    total = reduce(lambda line, other: combined(line, other, 1.0), lines)
    return replace(total, t_s=total.t_s - origin_s)


def combined(line: PlottedLine, other: PlottedLine, factor: float) -> PlottedLine:
    """Add ``factor`` times another line to a line; nothing where one of them has no reading at the time."""
    reach_s = _APART_PERIODS * max(_period(line.t_s), _period(other.t_s))
    index = np.clip(np.searchsorted(other.t_s, line.t_s), 1, max(len(other.t_s) - 1, 1))
    if len(other.t_s) > 1:
        index -= line.t_s - other.t_s[index - 1] < other.t_s[index] - line.t_s
    else:
        index[:] = 0
    near = np.abs(other.t_s[index] - line.t_s) <= reach_s
    mean = line.mean + factor * np.where(near, other.mean[index], np.nan)
    return replace(line, mean=mean, minimum=mean, maximum=mean)


def _period(t_s: Array) -> float:
    return float(np.median(np.diff(t_s))) if len(t_s) > 1 else 1.0


def write_overlay(runs: Sequence[OverlaidRun], format: str) -> bytes:  # noqa: A002
    """Draw runs over one another. Raises `InputError` for an unknown format."""
    first = runs[0].power
    powers = [run.power for run in runs]
    differences = [
        None if line is None or first is None or number == 0 else combined(line, first, -1.0)
        for number, line in enumerate(powers)
    ]
    lanes = [("Power [W]", powers), ("Difference to the first [W]", differences)]
    lanes = [(label, lines) for label, lines in lanes if any(lines)]
    units = {run.traces.throughput_unit for run in runs if run.traces.throughput}
    count = len(lanes) + bool(units)

    def draw(figure: Figure) -> None:
        figure.suptitle("Runs over one another", x=0.01, ha="left", fontsize=10)
        axes = figure.subplots(max(count, 1), 1, sharex=True, squeeze=False)[:, 0].tolist()
        for lane, (label, lines) in zip(axes, lanes, strict=False):
            lane.set_ylabel(label)
            for line, (colour, stroke) in zip(lines, _STYLES, strict=False):
                if line is not None:
                    draw_line(lane, replace(line, label="_"), 0.0, colour, stroke)
        if units:
            axes[len(lanes)].set_ylabel(clean(f"Throughput [{', '.join(sorted(units))}]"))
            for run, (colour, stroke) in zip(runs, _STYLES, strict=False):
                draw_throughput(axes[len(lanes)], run.traces, run.origin_s, colour, stroke)
        for lane in axes:
            _under(lane, max(run.window_s for run in runs))
        for run, (colour, stroke) in zip(runs, _STYLES, strict=False):
            axes[0].plot([], [], color=colour, linestyle=stroke, linewidth=0.9, label=run.name)
        axes[-1].set_xlabel("Time after the start of each window [s]")
        figure.legend(loc="outside lower left", ncols=1, fontsize=7, frameon=False)

    size = (WIDTH_IN, REST_IN + LANE_IN * max(count, 1) + LEGEND_IN * len(runs))
    return rendered(draw, size, format, " ".join(run.traces.run_id for run in runs))


def _under(axes: Axes, window_s: float) -> None:
    """Draw the grid, and the longest window as two lines."""
    axes.grid(visible=True, color="#dddddd", linewidth=0.5)
    axes.set_axisbelow(True)
    for edge_s in (0.0, window_s):
        axes.axvline(edge_s, color="#444444", linewidth=0.8)
