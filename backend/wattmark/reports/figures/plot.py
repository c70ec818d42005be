"""A figure as data: series with intervals over two axes, and the caption. `figure_file.py` draws it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

SeriesKind = Literal["points", "line", "band", "strokes"]
Fill = Literal["filled", "hatched", "hollow", "crossed"]
"""Fill of markers, as on the pages: measured filled, simulated hatched, published hollow; not traceable a cross."""


@dataclass(frozen=True, slots=True)
class PlotSeries:
    """Points, a connected line, a band, or strokes with NaN between them.

    ``low`` and ``high`` are the ends of intervals, or the edges of the band.
    """

    label: str
    kind: SeriesKind
    x: tuple[float, ...]
    y: tuple[float, ...]
    low: tuple[float, ...] = ()
    high: tuple[float, ...] = ()
    """A point whose ends are both its value has no interval."""
    apart: bool = False
    """Shown but not counted: grey and hollow."""
    fill: Fill = "filled"
    power: bool = False
    """In the colour of power: the trace of a meter that decides the result."""
    values: tuple[str, ...] = ()
    """Text at the right end of each named row."""


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
    headings: tuple[int, ...] = ()
    """Rows of which only the name is written: that of the rows below it."""
    x_range: tuple[float, float] | None = None
    """Ends of the x axis, where several pages of one figure share it; None: what the points need."""
    span: tuple[float, float] | None = None
    """Window on the x axis, shaded."""
    log_y: bool = False
    whole_x: bool = False
    """The x axis counts something: no ticks between whole numbers."""
    marks: tuple[str, ...] = ()
    """Nature of the data, if not measured by real, traceable meters: a figure may be shown without its caption."""

    @property
    def marked_title(self) -> str:
        """Return the title as drawn."""
        return f"{self.title} ({', '.join(self.marks)})" if self.marks else self.title
