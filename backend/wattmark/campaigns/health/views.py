"""Control charts of reference workloads, and the campaigns of a night, as the service shows them."""

from __future__ import annotations

from typing import Literal

from wattmark.campaigns.history import StoredCampaignOut
from wattmark.core.schema import Schema
from wattmark.results.pages.row import RunRow

Figure = Literal["power", "efficiency"]
HealthState = Literal["no results", "baseline", "no limits", "in control", "warning", "out of control"]


class HealthBand(Schema):
    """Limits on both sides of the centre."""

    low: float
    high: float


class HealthLimits(Schema):
    """Centre and limits from the first campaigns, in the unit of the chart."""

    count: int
    centre: float
    s: float
    warning: HealthBand
    """Centre -+ 2 s."""
    action: HealthBand
    """Centre -+ 3 s."""


class HealthPoint(Schema):
    """A campaign on the chart: the mean of its runs at full load."""

    campaign_id: str
    t_s: float
    """When it was started [Unix seconds]."""
    value: float
    runs: int
    simulated: bool
    in_baseline: bool
    z: float | None
    """Distance from the centre in s; None in the baseline."""
    zone: Literal["in control", "warning", "out of control"] | None
    violations: list[str]
    """Rules that this point breaks, in words."""


class HealthChart(Schema):
    """The control chart of one figure of a reference workload."""

    figure: Figure
    unit: str
    state: HealthState
    """Of the latest point."""
    statement: str
    """Why it is in that state, and what to do, in words."""
    limits: HealthLimits | None
    doubt: str | None
    """Why the limits may be too wide, and what to do."""
    missing: int
    """Campaigns that the baseline still needs."""
    points: list[HealthPoint]
    """Oldest first."""
    uncharted: int
    """Complete runs of ended campaigns in no point: not ranked, in another unit than the latest, or simulated beside
    measured ones."""


class ReferenceHealth(Schema):
    """One configuration under one workload of a reference plan: is it still itself?"""

    plan: str
    server: str
    configuration: str
    workload: str
    charts: list[HealthChart]


class NightCampaign(Schema):
    """A campaign with the results of its runs."""

    campaign: StoredCampaignOut
    rows: list[RunRow]
    """In the order of its run table."""


class BenchHealth(Schema):
    """Control charts of the reference plans, and the campaigns that ran since an instant, newest first."""

    references: list[ReferenceHealth]
    night: list[NightCampaign]
    left_settings: list[str]
    """Servers that still have power settings of a run, in words: it is undone as soon as they answer."""
