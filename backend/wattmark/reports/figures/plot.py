"""A figure as data: series with intervals over two axes, and the caption. `figure_file.py` draws it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

SeriesKind = Literal["points", "line", "band"]


@dataclass(frozen=True, slots=True)
class PlotSeries:
    """Points, a connected line or a band; ``low`` and ``high`` are the ends of intervals, or the edges of the band."""

    label: str
    kind: SeriesKind
    x: tuple[float, ...]
    y: tuple[float, ...]
    low: tuple[float, ...] = ()
    high: tuple[float, ...] = ()
    apart: bool = False
    """Shown but not counted: grey and hollow."""


@dataclass(frozen=True, slots=True)
class Plot:
    """One figure. With ``names`` the y axis counts named rows from above, and x carries the values."""

    id: str
    title: str
    x_label: str
    y_label: str
    series: tuple[PlotSeries, ...]
    caption: str
    names: tuple[str, ...] = ()
    span: tuple[float, float] | None = None
    """Window on the x axis, shaded."""
    whole_x: bool = False
    """The x axis counts something: no ticks between whole numbers."""
