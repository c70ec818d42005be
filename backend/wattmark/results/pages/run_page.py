"""A run and its traces as they leave the service."""

from __future__ import annotations

from typing import Any

from wattmark.analysis.efficiency.limits_reached import LimitKind
from wattmark.core.schema import Schema
from wattmark.results.ranking_bars import RankingOut
from wattmark.results.result import Result
from wattmark.results.state import RunState
from wattmark.runs.annotations.inclusion import Inclusion
from wattmark.runs.disclosure import Disclosure
from wattmark.runs.phase_name import PhaseName
from wattmark.runs.record import MeterRecord


class PhaseOut(Schema):
    """A phase band of a run."""

    name: PhaseName
    begin_s: float
    end_s: float | None


class IntervalOut(Schema):
    """Throughput over an interval [unit/s]."""

    begin_s: float
    end_s: float
    rate: float


class SeriesOut(Schema):
    """A stored series at screen resolution: min, max and mean per bucket."""

    id: int
    source: str
    channel: str
    label: str
    quantity: str
    unit: str
    kind: str
    range: str
    simulated: bool
    total: bool = False
    """Whether it holds the whole of its source's power or energy."""
    total_samples: int
    decimated: bool
    samples_per_bucket: float
    t_s: list[float]
    minimum: list[float | None]
    maximum: list[float | None]
    mean: list[float | None]


class LimitSpanOut(Schema):
    """When a processor or GPU was at a limit."""

    device: str
    kind: LimitKind
    cause: str
    begin_s: float
    end_s: float


class TracesOut(Schema):
    """All series of a run for [begin_s, end_s], with throughput intervals."""

    run_id: str
    begin_s: float
    end_s: float
    series: list[SeriesOut]
    throughput: list[IntervalOut]
    throughput_unit: str
    excluded: list[tuple[float, float]]
    """Samples inside the window that did not count: (Unix seconds, value)."""
    limits: list[LimitSpanOut] = []
    """Where processors and GPUs were at a limit of heat, power, current or clock."""


class RunOut(Schema):
    """One run in full: result, phases, window, disclosure."""

    result: Result
    phases: list[PhaseOut]
    window_begin_s: float | None
    window_end_s: float | None
    guard_s: float
    """Stamp and latency uncertainty at each window edge, drawn as the guard."""
    configuration: dict[str, Any]
    meters: tuple[MeterRecord, ...]
    disclosure: Disclosure
    """What a reader needs to repeat the run."""
    state: RunState
    failed: dict[str, str] = {}
    """The rules that failed, each with what that means in a few words."""
    ranking: list[RankingOut] = []
    """By which figures the run is ranked."""
    includable: list[str] = []
    """Failed rules that a person may lift, so that the run is ranked all the same."""
    tags: list[str] = []
    note: str = ""
    inclusion: Inclusion | None = None
    """Who wants the run ranked although rules failed."""
    previous: str | None = None
    next: str | None = None
