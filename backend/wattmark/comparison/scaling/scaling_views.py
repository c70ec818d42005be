"""The levels of one configuration, ready for tables and pages."""

from __future__ import annotations

from wattmark.comparison.compare.views import Interval95
from wattmark.core.schema import Schema


class ScalingLevel(Schema):
    """Repeats at one level; speed-up and parallel efficiency are against the lowest level."""

    count: int
    level: str
    n: int
    throughput: Interval95 | None
    power_w: Interval95 | None
    efficiency: Interval95 | None
    speed_up: float | None
    speed_up_low: float | None
    speed_up_high: float | None
    parallel_efficiency: float | None
    response_s: float | None = None
    """Mean response time over the repeats [s]; None: the workload reports none."""
    in_flight: float | None = None
    """Throughput x response time: requests in flight by Little's law."""
    possible: bool | None = None
    """False: more requests in flight than there are clients, so the figures do not belong together."""
    simulated: bool = False
    traceable: bool = True
    refusal: str | None
    remarks: list[str] = []
    """Overrides among them: who accepted what, and why."""


class ScalingOut(Schema):
    """One configuration over its load levels, with conclusions in words."""

    key: str
    title: str
    workload: str
    throughput_unit: str
    efficiency_unit: str
    levels: list[ScalingLevel]
    mean_from: float | None = None
    """The threshold of ``mean_throughput`` and ``mean_efficiency``; None: none was asked for."""
    mean_throughput: float | None = None
    """Average over the levels at or above the threshold, every level alike."""
    mean_efficiency: float | None = None
    mean_throughput_U95: float | None = None  # noqa: N815 - the metrologist's symbol
    mean_efficiency_U95: float | None = None  # noqa: N815
    sentences: list[str]
    simulated: bool
