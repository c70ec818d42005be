"""Figures as SVG, PDF or PNG by matplotlib: fonts embedded, readable without colour, the same bytes every time."""

from __future__ import annotations

import io
import re
import textwrap
import threading
import warnings
from collections.abc import Callable, Mapping
from itertools import cycle
from typing import TYPE_CHECKING, Any, Literal

from wattmark.core.errors import InputError
from wattmark.core.extras import require
from wattmark.reports.figures.plot import Plot, PlotSeries

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

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
    "hatch.linewidth": 0.8,
    "timezone": "UTC",
}
_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
"""Okabe and Ito 2008, dark ones first: distinct for every colour vision; markers and strokes differ in print."""
_APART = "#767676"
_POWER = "#A86500"
"""The colour of power on the pages."""
_MARKERS = ("o", "s", "^", "D", "v", "P", "X")
_STROKES = ("-", "--", "-.", ":")
_NOT_XML = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
FigureWidth = Literal["one-column", "two-columns"]
_WIDTHS_IN: Mapping[FigureWidth, float] = {"one-column": 3.5, "two-columns": 7.0}
"""Widths of a column and of a page of two columns in journals, 89 mm and 178 mm."""
_HEIGHTS_IN: Mapping[FigureWidth, float] = {"one-column": 2.6, "two-columns": 4.0}
_LETTERS: Mapping[FigureWidth, tuple[int, int]] = {"one-column": (42, 18), "two-columns": (84, 34)}
"""Letters in a line of a title, and of a name beside its row."""
_ROW_IN = 0.34
_drawing = threading.Lock()
"""matplotlib's settings belong to the process: one figure at a time."""


def write_figure(plot: Plot, format: str, width: FigureWidth = "two-columns") -> bytes:  # noqa: A002
    """Draw a figure. Raises `InputError` for an unknown format and where the extra "figures" is missing."""

    def draw(figure: Figure) -> None:
        line, name = _LETTERS[width]
        figure.suptitle(_wrapped(plot.marked_title, line), x=0.01, ha="left", fontsize=10)
        _draw(figure.add_subplot(), plot, line, name)
        if len(plot.series) > 1 or plot.span is not None or any(s.fill != "filled" for s in plot.series):
            figure.legend(
                loc="outside lower center", ncols=2 if width == "two-columns" else 1, fontsize=8, frameon=False
            )

    return rendered(draw, _size(plot, width), format, plot.id)


def rendered(draw: Callable[[Figure], None], size_in: tuple[float, float], format: str, identity: str) -> bytes:  # noqa: A002
    """Render what ``draw`` puts on a figure of this size [inch]; the same bytes every time for an ``identity``.

    Raises `InputError` for an unknown format and where the extra "figures" is missing.
    """
    if format not in FIGURE_FORMATS:
        raise InputError(f"Figures are not available as {format[:20]!r}.", f"Formats: {', '.join(FIGURE_FORMATS)}.")
    matplotlib = require("figures", "matplotlib", "Figures need")
    figures = require("figures", "matplotlib.figure", "Figures need")
    out = io.BytesIO()
    with _drawing, warnings.catch_warnings(), matplotlib.rc_context({**_STYLE, "svg.hashsalt": identity}):
        warnings.filterwarnings("ignore", message=".*[Gg]lyph.*")
        figure = figures.Figure(figsize=size_in, layout="constrained")
        draw(figure)
        figure.savefig(out, format=format, dpi=200, metadata=_NO_DATES[format])
    return out.getvalue()


def clean(text: str) -> str:
    """Return a text on one line without control characters and unpaired surrogates."""
    return " ".join(_NOT_XML.sub(" ", text).split())


def _size(plot: Plot, width: FigureWidth) -> tuple[float, float]:
    height = 1.6 + _ROW_IN * len(plot.names) if plot.names else _HEIGHTS_IN[width]
    return _WIDTHS_IN[width], height


def _draw(axes: Axes, plot: Plot, line: int, name: int) -> None:
    axes.set_xlabel(_wrapped(plot.x_label, line))
    axes.set_ylabel(_wrapped(plot.y_label, line))
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
        axes.set_yticks(range(len(plot.names)), [_wrapped(text, name) for text in plot.names])
        axes.set_ylim(len(plot.names) - 0.5, -0.5)
        for series in plot.series:
            for y, text in zip(series.y, series.values, strict=False):
                axes.text(1.02, y, text, transform=axes.get_yaxis_transform(), va="center")


def _series(axes: Axes, series: PlotSeries, colour: str, marker: str, stroke: str, *, across: bool) -> None:
    label, colour = _wrapped(series.label, 40), _POWER if series.power else _APART if series.apart else colour
    every = max(1, len(series.x) // 12)
    if series.kind == "band":
        axes.fill_between(series.x, series.low, series.high, color=colour, alpha=0.18, linewidth=0)
        (line,) = axes.plot(series.x, series.y, color=colour, linestyle=stroke, linewidth=1.2, label=label)
        line.set(marker=marker, markersize=4.0, markevery=every)
        return
    reach = _reach(series, series.x if across else series.y)
    ends: dict[str, Any] = {"xerr": reach} if across else {"yerr": reach}
    if series.kind == "points":
        axes.errorbar(series.x, series.y, **ends, color=colour, linestyle="none", linewidth=1.2, capsize=3)
        axes.scatter(series.x, series.y, s=42, marker=marker, label=label, zorder=3, **_filled(series, colour))
        return
    axes.errorbar(
        series.x,
        series.y,
        **ends,
        color=colour,
        marker=marker,
        markersize=5,
        markevery=every,
        markerfacecolor="white" if series.apart else colour,
        linestyle=stroke,
        linewidth=1.2,
        capsize=3,
        label=label,
    )


def _filled(series: PlotSeries, colour: str) -> dict[str, Any]:
    """Return how markers are filled: measured full, simulated hatched, published and what does not count hollow."""
    if series.fill == "filled" and not series.apart:
        return {"color": colour}
    hatch = "////////" if series.fill == "hatched" and not series.apart else None
    return {"facecolor": "white", "edgecolor": colour, "linewidth": 1.2, "hatch": hatch}


def _reach(series: PlotSeries, middle: tuple[float, ...]) -> tuple[list[float], list[float]] | None:
    """Return how far the interval reaches below and above each value; None without intervals."""
    if not series.low:
        return None
    down = [max(m - low, 0.0) for m, low in zip(middle, series.low, strict=True)]
    return down, [max(high - m, 0.0) for m, high in zip(middle, series.high, strict=True)]


def _wrapped(text: str, width: int) -> str:
    lines = textwrap.wrap(clean(text), width, max_lines=3, placeholder=" …")
    return "\n".join(lines)
