"""What the HTTP API speaks beyond the views that each room defines itself."""

from __future__ import annotations

from typing import Any, Literal

from wattmark.campaigns.status import CampaignOut
from wattmark.recording.views import LiveChannel, LiveSamples
from wattmark.runs.record import Result
from wattmark.schema import Schema


class Problem(Schema):
    """An error in words: what happened, what to do, and the technical detail for the folded line."""

    cause: str
    remedy: str = ""
    detail: str = ""
    field: str | None = None


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


class LiveUpdate(Schema):
    """A batch of new samples; event "samples" of the stream, at most ten a second."""

    now_s: float
    channels: list[LiveSamples]
    dropped: int = 0
    """Batches this client lost because it was too slow."""


class StartCampaign(Schema):
    """Order to run a plan."""

    plan: str


class PhaseOut(Schema):
    """A phase band of a run."""

    name: str
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
    total_samples: int
    decimated: bool
    samples_per_bucket: float
    t_s: list[float]
    minimum: list[float | None]
    maximum: list[float | None]
    mean: list[float | None]


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


class RunOut(Schema):
    """One run, whole: result, phases, window, disclosure."""

    result: Result
    phases: list[PhaseOut]
    window_begin_s: float | None
    window_end_s: float | None
    guard_s: float
    """Stamp and latency uncertainty at each window edge, drawn as the guard."""
    configuration: dict[str, Any]
    meters: list[dict[str, Any]]
    disclosure: dict[str, Any]
    previous: str | None = None
    next: str | None = None
