"""The break-even of two servers as numbers."""

from __future__ import annotations

from wattmark.core.interval import Interval, Interval95
from wattmark.core.schema import Schema


class MemoryLine(Schema):
    """Watts against DIMM count of one server [W, W/DIMM], and what its slots hold."""

    server: str
    memory_type: str
    """Such as "FB-DIMM"; "DIMM" where nobody told."""
    watts_per_dimm: Interval95
    remark: str | None = None
    """Why watts per DIMM have no ±, or what is in them besides the DIMMs."""
    watts_without_dimms: float
    simulated: bool = False
    traceable: bool = True
    included: bool = False
    """A run in it counts by a person's choice; the statement says whose, and why."""


class Crossing(Schema):
    """DIMM count at which both draw the same power.

    ``extrapolated``: not all of the interval lies among the counts that were measured on both servers.
    """

    dimms: Interval
    """An end is None if it is unbounded."""
    first_whole: int
    """First whole number of DIMMs at or past it."""
    extrapolated: bool


class BreakEvenOut(Schema):
    """DIMM count at which the advantage of one server over another ends, and the difference in watts per DIMM."""

    server: str
    against: str
    workload: str
    level: str
    statement: str
    lines: list[MemoryLine] = []
    """The server whose DIMMs cost more comes first; empty where one of them has no line."""
    crossing: Crossing | None = None
    """None: the lines cross at no positive count, or there are none; ``statement`` says why."""
    slope_difference: Interval95 | None = None
    """Watts per DIMM of the first line less those of the second [W/DIMM]."""
    simulated: bool
