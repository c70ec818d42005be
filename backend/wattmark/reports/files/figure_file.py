"""Figures as SVG, PDF or PNG by matplotlib: fonts embedded, told apart without colour, the same bytes every time."""

from __future__ import annotations

import io
import re
import textwrap
import threading
import warnings
from itertools import cycle
from typing import TYPE_CHECKING, Any

from wattmark.core.errors import InputError
from wattmark.core.extras import require
from wattmark.reports.figures.plot import Plot, PlotSeries

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FIGURE_FORMATS = {"svg": "image/svg+xml", "pdf": "application/pdf", "png": "image/png"}
"""Extension -> media type."""
_NO_DATES: dict[str, dict[str, Any]] = {"svg": {"Date": None}, "pdf": {"CreationDate": None}, "png": {}}
_STYLE = {
    "font.family": "DejaVu Sans",
    "font.size": 9.0,
    "svg.fonttype": "path",
    "pdf.fonttype": 42,
    "text.parse_math": False,
    "axes.unicode_minus": True,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "path.simplify": True,
    "timezone": "UTC",
}
_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
"""Okabe and Ito 2008, dark ones first: apart for every colour vision; markers and strokes tell them apart in print."""
_APART = "#767676"
_MARKERS = ("o", "s", "^", "D", "v", "P", "X")
_STROKES = ("-", "--", "-.", ":")
_NOT_XML = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_WIDTH_IN, _HEIGHT_IN, _ROW_IN = 6.4, 4.0, 0.34
_LONGEST = 60
_drawing = threading.Lock()
"""matplotlib's settings belong to the process: one figure at a time."""


def write_figure(plot: Plot, format: str) -> bytes:  # noqa: A002 - the word everybody uses for it
    """Draw a figure. Raises `InputError` for an unknown format and where the extra "figures" is missing."""
    if format not in FIGURE_FORMATS:
        raise InputError(f"Figures are not available as {format[:20]!r}.", f"Formats: {', '.join(FIGURE_FORMATS)}.")
    matplotlib = require("figures", "matplotlib", "Figures need")
    figures = require("figures", "matplotlib.figure", "Figures need")
    out = io.BytesIO()
    with _drawing, warnings.catch_warnings(), matplotlib.rc_context({**_STYLE, "svg.hashsalt": plot.id}):
        warnings.filterwarnings("ignore", message=".*[Gg]lyph.*")
        figure = figures.Figure(figsize=_size(plot), layout="constrained")
        _draw(figure.add_subplot(), plot)
        if len(plot.series) > 1 or plot.span is not None:
            figure.legend(loc="outside lower center", ncols=2, fontsize=8, frameon=False)
        figure.savefig(out, format=format, dpi=200, metadata=_NO_DATES[format])
    return out.getvalue()


def clean(text: str) -> str:
    """Return a text on one line without control characters and unpaired surrogates."""
    return " ".join(_NOT_XML.sub(" ", text).split())


def _size(plot: Plot) -> tuple[float, float]:
    return _WIDTH_IN, max(_HEIGHT_IN, 1.2 + _ROW_IN * len(plot.names))


def _draw(axes: Axes, plot: Plot) -> None:
    axes.set_title(_wrapped(plot.title, _LONGEST), loc="left", fontsize=10)
    axes.set_xlabel(_wrapped(plot.x_label, _LONGEST))
    axes.set_ylabel(_wrapped(plot.y_label, _LONGEST))
    axes.grid(visible=True, color="#dddddd", linewidth=0.6)
    axes.set_axisbelow(True)
    if plot.whole_x:
        axes.locator_params(axis="x", integer=True)
    if plot.span is not None:
        axes.axvspan(*plot.span, color="#0072B2", alpha=0.10, hatch="//", label="Window")
    looks = zip(cycle(_COLOURS), cycle(_MARKERS), cycle(_STROKES), strict=False)
    for series, (colour, marker, stroke) in zip(plot.series, looks, strict=False):
        _series(axes, series, colour, marker, stroke, across=bool(plot.names))
    if plot.names:
        axes.set_yticks(range(len(plot.names)), [_wrapped(name, 34) for name in plot.names])
        axes.set_ylim(len(plot.names) - 0.5, -0.5)


def _series(axes: Axes, series: PlotSeries, colour: str, marker: str, stroke: str, *, across: bool) -> None:
    label, colour = _wrapped(series.label, 40), _APART if series.apart else colour
    every = max(1, len(series.x) // 12)
    if series.kind == "band":
        axes.fill_between(series.x, series.low, series.high, color=colour, alpha=0.18, linewidth=0)
        (line,) = axes.plot(series.x, series.y, color=colour, linestyle=stroke, linewidth=1.2, label=label)
        line.set(marker=marker, markersize=4.0, markevery=every)
        return
    reach = _reach(series, series.x if across else series.y)
    axes.errorbar(
        series.x,
        series.y,
        xerr=reach if across else None,
        yerr=None if across else reach,
        color=colour,
        marker=marker,
        markersize=5,
        markevery=every,
        markerfacecolor="white" if series.apart or marker in ("s", "D") else colour,
        linestyle=stroke if series.kind == "line" else "none",
        linewidth=1.2,
        capsize=3,
        label=label,
    )


def _reach(series: PlotSeries, middle: tuple[float, ...]) -> tuple[list[float], list[float]] | None:
    """Return how far the interval reaches below and above each value; None without intervals."""
    if not series.low:
        return None
    down = [max(m - low, 0.0) for m, low in zip(middle, series.low, strict=True)]
    return down, [max(high - m, 0.0) for m, high in zip(middle, series.high, strict=True)]


def _wrapped(text: str, width: int) -> str:
    lines = textwrap.wrap(clean(text), width, max_lines=3, placeholder=" …")
    return "\n".join(lines)
