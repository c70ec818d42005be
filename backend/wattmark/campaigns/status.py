"""What a campaign does now, as people and the web app see it."""

from __future__ import annotations

from typing import Literal

from wattmark.schema import Schema


class CampaignRun(Schema):
    """One row of a campaign's run table."""

    order: int
    run_id: str | None
    server: str
    configuration: str
    workload: str
    level: str
    repeat: int
    state: Literal["planned", "running", "complete", "failed", "aborted", "interrupted"]
    reason: str | None = None
    efficiency: float | None = None
    efficiency_U95: float | None = None  # noqa: N815
    efficiency_unit: str | None = None


class CampaignOut(Schema):
    """What the campaign does now; event "campaign" of the stream on every change."""

    state: Literal["idle", "running", "stopping", "waiting-for-operator", "complete", "failed", "aborted"]
    campaign_id: str | None = None
    plan: str | None = None
    message: str | None = None
    phase: str | None = None
    phase_begin_s: float | None = None
    phase_end_s: float | None = None
    run_index: int | None = None
    runs: list[CampaignRun] = []
    remaining_s: float | None = None
