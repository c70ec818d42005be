"""Figures as SVG, PDF or PNG by matplotlib: fonts embedded, readable without colour, the same bytes every time."""

from __future__ import annotations

import io
import math
import re
import textwrap
import threading
import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from functools import partial
from itertools import accumulate, cycle, pairwise
from typing import TYPE_CHECKING, Any, Literal

from wattmark.core.errors import InputError
from wattmark.core.extras import require
from wattmark.reports.figures.plot import Plot, PlotSeries
from wattmark.reports.files.figure_pages import on_pages

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
_DOTTED = (0, (1, 0.6))
_NOT_XML = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
FigureWidth = Literal["one-column", "two-columns"]
_WIDTHS_IN: Mapping[FigureWidth, float] = {"one-column": 3.5, "two-columns": 7.0}
"""Widths of a column and of a page of two columns in journals, 89 mm and 178 mm."""
_HEIGHTS_IN: Mapping[FigureWidth, float] = {"one-column": 2.6, "two-columns": 4.0}
_LETTERS: Mapping[FigureWidth, tuple[int, int]] = {"one-column": (42, 20), "two-columns": (84, 44)}
"""Letters in a line of a title, and of a name beside its row."""
TALLEST_IN = 8.75
"""What journals leave of a page beside a caption: PLOS takes figures up to 8.75 inch, Springer up to 234 mm."""
_LINE_IN, _GAP_IN = 0.14, 0.05
"""Height of a line of a name, and the gap between two rows."""
_REST_IN = 0.75
"""Height of the axis and the margins."""
_ENTRY_IN, _TITLE_LINE_IN = 0.18, 0.17
_SMALL_PT = 8
_LARGEST_PT, _SMALLEST_PT = 4.5, 1.4
"""Diameters of a marker: that of a point alone, and the smallest that is seen in print."""
_OF_INTERVAL = 0.6
"""Diameter of a marker as a share of the shortest interval, so that each shows beyond it."""
_drawing = threading.Lock()
"""matplotlib's settings belong to the process: one figure at a time."""


def write_figure(
    plot: Plot,
    format: str,  # noqa: A002
    width: FigureWidth = "two-columns",
    page: int | None = None,
) -> bytes:
    """Draw a figure. One that is taller than a page has several: PDF holds them all, SVG and PNG the first.

    Raises `InputError` for an unknown format or page, and where the extra "figures" is missing.
    """
    pages = figure_pages(plot, width)
    if page is not None and page > len(pages):
        count = "1 page" if len(pages) == 1 else f"{len(pages)} pages"
        raise InputError(f"The figure has {count}; there is no page {page}.", f"Choose a page from 1 to {len(pages)}.")
    chosen = pages if page is None and format == "pdf" else pages[(page or 1) - 1 :][:1]
    return _rendered([(partial(_page, each, width), _size(each, width)) for each in chosen], format, plot.id)


def figure_pages(plot: Plot, width: FigureWidth) -> tuple[Plot, ...]:
    """Divide a figure of many rows into pages, none taller than that of a journal."""
    rest = _rest_in(plot, width) + _TITLE_LINE_IN  # the number of the page may take a line more
    return on_pages(plot, _row_heights(plot, width), TALLEST_IN - rest)


def _page(plot: Plot, width: FigureWidth, figure: Figure) -> None:
    line, name = _LETTERS[width]
    figure.suptitle(_wrapped(plot.marked_title, line), x=0.01, ha="left", fontsize=10)
    axes = figure.add_subplot()
    points = _draw(axes, plot, line, name, _row_heights(plot, width))
    if _legend(plot):
        ncols = 2 if width == "two-columns" else 1
        figure.legend(loc="outside lower center", ncols=ncols, fontsize=_SMALL_PT, frameon=False)
    _shrink(figure, axes, plot, points)


def rendered(draw: Callable[[Figure], None], size_in: tuple[float, float], format: str, identity: str) -> bytes:  # noqa: A002
    """Render what ``draw`` puts on a figure of this size [inch]; the same bytes every time for an ``identity``.

    Raises `InputError` for an unknown format and where the extra "figures" is missing.
    """
    return _rendered([(draw, size_in)], format, identity)


def _rendered(
    pages: Sequence[tuple[Callable[[Figure], None], tuple[float, float]]],
    format: str,  # noqa: A002
    identity: str,
) -> bytes:
    if format not in FIGURE_FORMATS:
        raise InputError(f"Figures are not available as {format[:20]!r}.", f"Formats: {', '.join(FIGURE_FORMATS)}.")
    matplotlib = require("figures", "matplotlib", "Figures need")
    figures = require("figures", "matplotlib.figure", "Figures need")
    out = io.BytesIO()
    with _drawing, warnings.catch_warnings(), matplotlib.rc_context({**_STYLE, "svg.hashsalt": identity}):
        warnings.filterwarnings("ignore", message=".*[Gg]lyph.*")
        drawn = []
        for draw, size_in in pages:
            figure = figures.Figure(figsize=size_in, layout="constrained")
            draw(figure)
            drawn.append(figure)
        if format == "pdf":
            backend = require("figures", "matplotlib.backends.backend_pdf", "Figures need")
            with closing(backend.PdfPages(out, metadata=_NO_DATES[format])) as document:
                for figure in drawn:
                    document.savefig(figure)
        else:
            drawn[0].savefig(out, format=format, dpi=200, metadata=_NO_DATES[format])
    return out.getvalue()


def clean(text: str) -> str:
    """Return a text on one line without control characters and unpaired surrogates."""
    return " ".join(_NOT_XML.sub(" ", text).split())


def _size(plot: Plot, width: FigureWidth) -> tuple[float, float]:
    rows = _row_heights(plot, width)
    return _WIDTHS_IN[width], _rest_in(plot, width) + sum(rows) if rows else _HEIGHTS_IN[width]


def _row_heights(plot: Plot, width: FigureWidth) -> tuple[float, ...]:
    """Return the height of each named row [inch]."""
    _, letters = _LETTERS[width]
    return tuple(_GAP_IN + _LINE_IN * max(len(_lines(name, letters)), 1) for name in plot.names)


def _rest_in(plot: Plot, width: FigureWidth) -> float:
    """Return the height of a figure without its rows [inch]."""
    line, _ = _LETTERS[width]
    entries = -(-len(_legend(plot)) // (2 if width == "two-columns" else 1))
    return _REST_IN + _TITLE_LINE_IN * len(_lines(plot.marked_title, line)) + _ENTRY_IN * entries


def _legend(plot: Plot) -> list[str]:
    """List what the legend explains; empty where there is nothing to be told apart."""
    drawn = [series for series in plot.series if series.x]
    entries = [series.label for series in drawn] + (["Window"] if plot.span is not None else [])
    return entries if len(entries) > 1 or any(series.fill != "filled" for series in drawn) else []


Points = tuple[PlotSeries, Callable[[float], None]]
"""A series with intervals, and how the diameter of its markers is set [pt]."""


def _draw(axes: Axes, plot: Plot, line: int, name: int, heights: Sequence[float]) -> list[Points]:
    """Draw a figure; return the series whose markers must not hide their intervals."""
    axes.set_xlabel(_wrapped(plot.x_label, line))
    axes.set_ylabel(_wrapped(plot.y_label, line))
    axes.grid(visible=True, color="#dddddd", linewidth=0.6)
    axes.set_axisbelow(True)
    if plot.log_y:
        axes.set_yscale("log")
    if plot.whole_x:
        axes.locator_params(axis="x", integer=True)
    if plot.span is not None:
        axes.axvspan(*plot.span, color="#0072B2", alpha=0.10, hatch="//", label="Window")
    ends = (0.0, *accumulate(heights))
    places = [(above + below) / 2 for above, below in pairwise(ends)]
    looks = zip(cycle(_COLOURS), cycle(_MARKERS), cycle(_STROKES), strict=False)
    points: list[Points] = []
    for number, (series, (colour, marker, stroke)) in enumerate(zip(plot.series, looks, strict=False), start=1):
        if series.x:
            y = tuple(places[int(row)] for row in series.y) if plot.names else series.y
            placed = replace(series, y=y)
            resize = _series(axes, placed, colour, marker, stroke, f"series-{number}", across=bool(plot.names))
            points += [(placed, resize)] if resize is not None else []
            for at, text in zip(y, series.values, strict=False):
                axes.text(1.02, at, text, transform=axes.get_yaxis_transform(), va="center", fontsize=_SMALL_PT)
    if plot.names:
        axes.set_yticks(places, [_wrapped(text, name) for text in plot.names], fontsize=_SMALL_PT)
        axes.set_ylim(ends[-1], 0.0)
        axes.tick_params(axis="y", length=0)
        for row in plot.headings:
            axes.get_yticklabels()[row].set_fontweight("bold")
    if plot.x_range is not None:
        axes.set_xlim(*plot.x_range)
    return points


def _shrink(figure: Figure, axes: Axes, plot: Plot, points: Sequence[Points]) -> None:
    """Make the markers smaller than the shortest interval as it lies on paper: the interval is the message."""
    if not points:
        return
    figure.draw_without_rendering()
    shortest = _LARGEST_PT / _OF_INTERVAL
    for series, _ in points:
        for x, y, low, high in zip(series.x, series.y, series.low, series.high, strict=True):
            ends = ((low, y), (high, y)) if plot.names else ((x, low), (x, high))
            (x0, y0), (x1, y1) = axes.transData.transform(ends)
            length = math.hypot(x1 - x0, y1 - y0) * 72 / figure.dpi
            shortest = min(shortest, length) if length > 0 else shortest
    for _, resize in points:
        resize(max(_OF_INTERVAL * shortest, _SMALLEST_PT))


def _series(
    axes: Axes, series: PlotSeries, colour: str, marker: str, stroke: str, identity: str, *, across: bool
) -> Callable[[float], None] | None:
    """Draw a series; return how the diameter of its markers is set where it has intervals, else None."""
    label, colour = _wrapped(series.label, 40), _POWER if series.power else _APART if series.apart else colour
    every = max(1, len(series.x) // 12)
    if series.kind == "band":
        axes.fill_between(series.x, series.low, series.high, color=colour, alpha=0.18, linewidth=0)
        (line,) = axes.plot(series.x, series.y, color=colour, linestyle=stroke, linewidth=1.2, label=label)
        line.set(marker=marker, markersize=4.0, markevery=every)
        return None
    if series.kind == "strokes":
        axes.plot(series.x, series.y, color=colour, linewidth=2.4, solid_capstyle="butt", label=label)
        return None
    has_intervals = _draw_intervals(axes, series, colour, identity, across=across)
    if series.kind == "points":
        if series.fill == "crossed":
            marker = "x"
        markers = axes.scatter(
            series.x, series.y, s=_LARGEST_PT**2, marker=marker, label=label, zorder=3, **_filled(series, colour)
        )
        markers.set_gid(f"{identity}-points")

        def resize(diameter: float) -> None:
            markers.set_sizes([diameter**2])
            markers.set_linewidth(min(1.2, diameter / 4))

        return resize if has_intervals else None
    (line,) = axes.plot(
        series.x,
        series.y,
        color=colour,
        marker=marker,
        markersize=_LARGEST_PT,
        markevery=every,
        markerfacecolor="white" if series.apart else colour,
        linestyle=stroke,
        linewidth=1.2,
        label=label,
    )
    return line.set_markersize if has_intervals else None


def _draw_intervals(axes: Axes, series: PlotSeries, colour: str, identity: str, *, across: bool) -> bool:
    """Draw the intervals of a series; return whether it has any. A value without one has no bar, not even a cap."""
    middle = series.x if across else series.y
    known = [i for i, (low, high) in enumerate(zip(series.low, series.high, strict=True)) if high > low]
    if not known:
        return False
    reach = (
        [max(middle[i] - series.low[i], 0.0) for i in known],
        [max(series.high[i] - middle[i], 0.0) for i in known],
    )
    ends: dict[str, Any] = {"xerr": reach} if across else {"yerr": reach}
    x, y = [series.x[i] for i in known], [series.y[i] for i in known]
    drawn = axes.errorbar(x, y, **ends, color=colour, linestyle="none", elinewidth=1.2, capsize=2)
    bars = drawn.lines[2][0]
    bars.set_gid(f"{identity}-intervals")
    if series.fill == "hatched":
        bars.set_linestyle(_DOTTED)  # a small marker shows no hatches
    return True


def _filled(series: PlotSeries, colour: str) -> dict[str, Any]:
    """Return how markers are filled: measured full, simulated hatched, published and what does not count hollow."""
    if series.fill == "crossed":
        return {"color": colour, "linewidth": 1.2}
    if series.fill == "filled" and not series.apart:
        return {"color": colour}
    hatch = "////////" if series.fill == "hatched" and not series.apart else None
    return {"facecolor": "white", "edgecolor": colour, "linewidth": 1.2, "hatch": hatch}


def _wrapped(text: str, width: int) -> str:
    return "\n".join(_lines(text, width))


def _lines(text: str, width: int) -> list[str]:
    return textwrap.wrap(clean(text), width, max_lines=3, placeholder=" …")
