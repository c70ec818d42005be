"""What a campaign does now, as people and the web app see it."""

from __future__ import annotations

from typing import Literal

from wattmark.campaigns.planning.planned import Hands, TableRow
from wattmark.core.quantity import Quantity
from wattmark.core.schema import Schema
from wattmark.results.state import RunState
from wattmark.runs.phase_name import PhaseName


class EarlierAttempt(Schema):
    """An earlier attempt at the same row of the run table: interrupted, spoilt or disturbed. Its data is kept."""

    run_id: str
    state: str
    reason: str | None = None


class CampaignRun(TableRow):
    """One row of a campaign's run table."""

    run_id: str | None
    state: Literal["planned", "running", "complete", "failed", "aborted", "interrupted", "skipped"]
    reason: str | None = None
    efficiency: Quantity | None = None
    power: Quantity | None = None
    throughput: Quantity | None = None
    simulated: bool = False
    """Whether a simulator measured its power."""
    judged: RunState | None = None
    """The state of the run by its result; None where there is no result."""
    expected_s: float | None = None
    optional: bool = False
    """Made only when the precision that the plan asks for is not reached without it."""
    earlier: list[EarlierAttempt] = []
    hands: Hands | None = None
    """What somebody must do at the server before this run; None: nothing."""


class PhaseSpan(Schema):
    """A phase that has begun [Unix seconds]; the end of the last one is an expectation."""

    name: PhaseName
    begin_s: float
    end_s: float


class PhaseToCome(Schema):
    """A phase that has not begun, and how long it is expected to take [s]."""

    name: PhaseName
    expected_s: float


class OperatorRequest(Schema):
    """What somebody must do at a server before the campaign goes on."""

    server: str
    configuration: str
    hands: Hands
    fitted: str | None = None
    """Configuration that the server was in before; None: no run of it is stored."""


class UnderWay(Schema):
    """The run in progress."""

    run_index: int
    run_id: str
    server: str
    configuration: str
    phase: PhaseName | None = None
    phase_begin_s: float | None = None
    phase_end_s: float | None = None
    live_power_w: float | None = None
    live_power_simulated: bool = False
    live_throughput: float | None = None
    live_throughput_unit: str | None = None
    phases: list[PhaseSpan] = []
    """Phases so far, the present one last."""
    to_come: list[PhaseToCome] = []


class ThroughputRate(Schema):
    """Throughput over a part of the window [Unix seconds]."""

    begin_s: float
    end_s: float
    rate: float


class ThroughputSoFar(Schema):
    """What a run under way has reported of its work until now."""

    run_id: str
    unit: str
    rates: list[ThroughputRate]


class CampaignOut(Schema):
    """State of the campaign; event "campaign" of the stream on every change."""

    state: Literal["idle", "running", "stopping", "waiting-for-operator", "complete", "failed", "aborted"]
    campaign_id: str | None = None
    plan: str | None = None
    message: str | None = None
    request: OperatorRequest | None = None
    """What the campaign waits for; None: for nobody."""
    phase: PhaseName | None = None
    phase_begin_s: float | None = None
    phase_end_s: float | None = None
    run_index: int | None = None
    runs: list[CampaignRun] = []
    remaining_s: float | None = None
    started_s: float | None = None
    """When it was first started [Unix seconds]."""
    ended_s: float | None = None
    """When it ended [Unix seconds]; None while runs are being made."""
    elapsed_s: float | None = None
    """How long it has been under way, without the time between an interruption and its resumption [s]."""
    estimated_end_s: float | None = None
    """When it is expected to end [Unix seconds], without repeats that only the precision may ask for."""
    live_power_w: float | None = None
    """Wall power of the server under load now [W]."""
    live_power_simulated: bool = False
    live_throughput: float | None = None
    """Throughput since the begin marker of the current run."""
    live_throughput_unit: str | None = None
    under_way: list[UnderWay] = []
    """All runs that are being made now; phase and live figures above are those of the first."""
    resumable: str | None = None
    """An unfinished campaign that can be resumed."""


def campaign_names(campaign: CampaignOut) -> tuple[str, ...]:
    """Return the campaign that is meant where none is named: its plan and its id."""
    return (campaign.plan or "no campaign", campaign.campaign_id or "")
