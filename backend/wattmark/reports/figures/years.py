"""The figure of published results over the years, with the median of each year."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Collection, Iterator
from datetime import date
from statistics import median

from wattmark.comparison.choices import DateKind
from wattmark.comparison.compare.views import CompareGroup, CompareOut
from wattmark.comparison.compare.yardstick import yardstick
from wattmark.core.errors import InputError
from wattmark.reports.figures.plot import Plot, PlotSeries
from wattmark.results.tables.marks import PUBLISHED

_DAYS = 366
_WIDE = 20
"""From this ratio of the highest to the lowest on, values need a logarithmic axis, as on the page."""
_AXIS = {"available": "Hardware available", "published": "Published"}
_BY = {"available": "the month in which the hardware became available", "published": "their publication"}


def years_plot(compared: CompareOut, dates: DateKind, keys: Collection[str] = ()) -> Plot:
    """Build the plot of published figures by a date, all or those with some keys. Raises `InputError` without any."""
    by = yardstick(compared.compared_by)
    points = [
        (_in_years(day), figure.value)
        for group in compared.groups
        if group.kind == PUBLISHED and (not keys or group.key in keys)
        if (day := _day(group, dates)) is not None and (figure := by.value(group)) is not None and figure.value > 0
        if by.unit(group) == by.unit_of(compared)
    ]
    if not points:
        raise InputError(
            f"No published result of {compared.title} has this date.",
            "Choose the other date with dates (--dates), or import published results.",
        )
    x, y = zip(*sorted(points), strict=True)
    strokes = [
        span for year, middle in _medians(points) for span in ((year + 0.06, middle), (year + 0.94, middle), _GAP)
    ]
    count = "1 published result" if len(points) == 1 else f"{len(points)} published results"
    return Plot(
        "years",
        f"{by.quantity} over the years: {compared.title}",
        _AXIS[dates],
        f"{by.quantity} [{by.unit_of(compared)}]",
        (
            PlotSeries(PUBLISHED, "points", x, y, fill="hollow"),
            PlotSeries(
                "median of each year", "strokes", tuple(at for at, _ in strokes), tuple(value for _, value in strokes)
            ),
        ),
        f"{count}, by {_BY[dates]}; they have no ±. Short lines are the medians of calendar years.",
        whole_x=True,
        log_y=max(y) > _WIDE * min(y),
    )


_GAP = (math.nan, math.nan)
"""The end of a stroke."""


def _medians(points: Collection[tuple[float, float]]) -> Iterator[tuple[int, float]]:
    """Yield each calendar year with the median of its values."""
    years = defaultdict[int, list[float]](list)
    for at, value in points:
        years[math.floor(at)].append(value)
    for year in sorted(years):
        yield year, median(years[year])


def _day(group: CompareGroup, dates: DateKind) -> date | None:
    text = group.facts.available_on if dates == "available" else group.facts.published_on
    return None if text is None else date.fromisoformat(text)


def _in_years(day: date) -> float:
    """Return a date in years with their fraction."""
    return day.year + (day - date(day.year, 1, 1)).days / _DAYS
