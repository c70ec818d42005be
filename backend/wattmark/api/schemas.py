"""What the HTTP API speaks beyond the views that each room defines itself."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from wattmark.campaigns.status import CampaignOut
from wattmark.editing.views import MistakeOut
from wattmark.given import Given
from wattmark.recording.views import LiveChannel, LiveSamples
from wattmark.schema import Schema


class Problem(Schema):
    """An error in words: what happened, what to do, and the technical detail for the folded line."""

    cause: str
    remedy: str = ""
    detail: str = ""
    field: str | None = None


class EditProblem(Problem):
    """A change that is refused, with every mistake at its field."""

    mistakes: list[MistakeOut] = []


class Alive(Schema):
    """The service answers."""

    status: Literal["alive"]


class Readiness(Schema):
    """Whether the service can measure; the reasons say what to do."""

    status: Literal["ready", "not ready"]
    reasons: list[str]
    notes: list[str]
    """What does not work while the service can measure, such as one meter of several."""


class Health(Schema):
    """State of the service."""

    status: Literal["ok"]
    version: str
    started: str
    data_dir: str
    bench: str | None
    recording: bool


class LiveSnapshot(Schema):
    """Everything that is live now; the first event of the stream and the answer of GET /api/live."""

    now_s: float
    channels: list[LiveChannel]
    campaign: CampaignOut
    alarm: str | None = None
    """Why samples are not going to disk, and what to do; None while they are."""


class LiveUpdate(Schema):
    """A batch of new samples; event "samples" of the stream, at most ten a second."""

    now_s: float
    channels: list[LiveSamples]
    dropped: int = 0
    """Batches this client lost because it was too slow."""
    alarm: str | None = None


class StartCampaign(Given):
    """Order to run a plan."""

    plan: str


class CopyRun(Given):
    """Order to bring a run of the shared store here."""

    run_id: Annotated[str, Field(min_length=1, max_length=500)]


class ResumeCampaign(Given):
    """Order to go on with a campaign that did not come to its end."""

    campaign_id: str | None = None
    """None: the latest one."""
