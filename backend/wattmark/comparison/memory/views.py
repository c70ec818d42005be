"""Watts against DIMM count, ready for the API, the pages and the exports."""

from __future__ import annotations

from wattmark.comparison.parts.views import ExcludedRun, IdleFit, LineOut, LineRun, LineSource, MeasuredRun
from wattmark.core.interval import Interval, Interval95
from wattmark.core.schema import Schema


class _Populated(LineRun):
    dimm_count: int
    memory_gib: float | None
    memory_type: str | None = None
    channels: dict[str, int] = {}
    """Modules by memory channel."""
    balanced: bool | None = None
    """Whether every channel in use holds the same; None: the slots are not known."""


class MemoryPoint(MeasuredRun, _Populated):
    """One run of a configuration in the memory view."""


class _PerhapsPopulated(LineRun):
    dimm_count: int | None


class ExcludedPoint(ExcludedRun, _PerhapsPopulated):
    """A run excluded from the fit, with the reason and what to do."""


class _IdleSlope(Schema):
    n: int
    watts_per_dimm: Interval95 | None = None


class IdleLine(IdleFit, _IdleSlope):
    """Idle watts against DIMM count, from the idle phases of ``n`` runs; ``refusal`` says why there is no fit."""


class ModuleKind(Schema):
    """Modules of one capacity and type, and what was measured with them."""

    modules: str
    counts: list[int]
    runs: int


class MemorySlope(Schema):
    """What a DIMM of one kind costs on one server."""

    server: str
    modules: str
    counts: list[int]
    """DIMM counts with runs that count."""
    runs: int
    simulated: bool
    watts_per_dimm: Interval95 | None = None
    refusal: str | None = None
    """Why there is no slope."""
    remark: str | None = None
    """Why the slope has no ±, or what is in it besides the DIMMs."""


class MemoryOut(LineOut):
    """Watts against DIMM count for one server under one workload."""

    modules: str = ""
    """The kind of modules whose runs are shown; "all": every kind."""
    kinds: list[ModuleKind] = []
    """The kinds of modules among all runs that count, those with most DIMM counts first."""
    points: list[MemoryPoint]
    excluded: list[ExcludedPoint] = []
    """Runs of this server, workload and level that are no points of the line."""
    watts_per_dimm: Interval95 | None
    watts_per_dimm_dc: float | None = None
    """The slope behind the power supply, by its declared curve; None: no curve is declared."""
    idle: IdleLine | None = None
    """The same of the idle server; None: no run has an idle phase."""
    planted: dict[str, float] | None = None
    """For a simulated server: what was put into its load model."""


class _FittedLine(Schema):
    server: str
    memory_type: str
    """Such as "FB-DIMM"; "DIMM" where nobody told."""
    watts_per_dimm: Interval95
    remark: str | None = None
    """Why watts per DIMM have no ±, or what is in them besides the DIMMs."""
    watts_without_dimms: float


class MemoryLine(LineSource, _FittedLine):
    """Watts against DIMM count of one server [W, W/DIMM], and what its slots hold."""


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
