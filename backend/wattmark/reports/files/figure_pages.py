"""A figure of many rows, divided into pages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from wattmark.reports.figures.plot import Plot, PlotSeries

_MARGIN = 0.05
"""Margin at either end of the shared x axis, as a share of what lies between."""


def on_pages(plot: Plot, heights: Sequence[float], room: float) -> tuple[Plot, ...]:
    """Divide a figure whose rows have these heights into pages with this room for rows; one that fits stays as it is.

    All pages have the same x axis and look alike. Rows under a heading that goes on stand under it once more.
    """
    needed = sum(heights)
    if needed <= room:
        return (plot,)
    even = needed / (needed // room + 1) + 2 * max(heights)
    pages = _filled(plot, heights, min(room, even))
    shared = replace(plot, x_range=_x_range(plot.series))
    return tuple(_page(shared, rows, number, len(pages)) for number, rows in enumerate(pages, start=1))


def _filled(plot: Plot, heights: Sequence[float], room: float) -> list[list[int]]:
    """List the rows of each page; no page ends with a heading."""
    pages, used, head = [list[int]()], 0.0, None
    for row, height in enumerate(heights):
        is_heading = row in plot.headings
        head = row if is_heading else head
        with_first = height + (heights[row + 1] if is_heading else 0.0)
        if pages[-1] and used + with_first > room:
            repeated = [] if head is None or is_heading else [head]
            pages.append(repeated)
            used = sum(heights[each] for each in repeated)
        pages[-1].append(row)
        used += height
    return pages


def _page(plot: Plot, rows: Sequence[int], number: int, count: int) -> Plot:
    places = {row: place for place, row in enumerate(rows)}
    goes_on = rows[0] in plot.headings and rows[1:2] != [rows[0] + 1]
    names = [plot.names[row] for row in rows]
    if goes_on:
        names[0] = f"{names[0]} (continued)"
    return replace(
        plot,
        title=f"{plot.title}, page {number} of {count}",
        names=tuple(names),
        headings=tuple(places[row] for row in plot.headings if row in places),
        series=tuple(_rows_of(series, places) for series in plot.series),
    )


def _rows_of(series: PlotSeries, places: dict[int, int]) -> PlotSeries:
    """Choose the points in some rows; a series without any stays, so that the others keep their looks."""
    chosen = [i for i, y in enumerate(series.y) if int(y) in places]
    return replace(
        series,
        x=tuple(series.x[i] for i in chosen),
        y=tuple(float(places[int(series.y[i])]) for i in chosen),
        low=tuple(series.low[i] for i in chosen if series.low),
        high=tuple(series.high[i] for i in chosen if series.high),
        values=tuple(series.values[i] for i in chosen if series.values),
    )


def _x_range(series: Sequence[PlotSeries]) -> tuple[float, float]:
    ends = [end for each in series for end in (*each.x, *each.low, *each.high)]
    margin = _MARGIN * (max(ends) - min(ends))
    return min(ends) - margin, max(ends) + margin
