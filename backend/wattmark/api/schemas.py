"""What the HTTP API speaks. Times are ISO 8601 UTC strings; arrays of stamps are Unix seconds (float64)."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from wattmark.runs.record import Result


class Schema(BaseModel):
    """Base of all API models."""

    model_config = ConfigDict(extra="forbid")


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


class ModuleOut(Schema):
    """One memory module in its slot; an empty slot has type None."""

    slot: str
    channel: str
    type: str | None = None
    capacity_gib: float | None = None
    speed_mts: int | None = None
    ranks: int | None = None
    vendor: str | None = None


class ConfigurationOut(Schema):
    """A concrete build of a server."""

    id: str
    title: str
    cpu: str
    cpu_count: int
    cores: int | None
    clock_mhz: float | None
    memory_type: str | None
    memory_gib: float | None
    dimm_count: int | None
    modules: list[ModuleOut]
    psus: list[str]
    disks: list[str]
    firmware: dict[str, str]
    os: str
    kernel: str


class ServerOut(Schema):
    """A machine under test with its configurations."""

    id: str
    title: str
    configurations: list[ConfigurationOut]
    meters: list[str]
    bmcs: list[str]


class MeterOut(Schema):
    """A meter or BMC as the bench file names it."""

    id: str
    model: str
    title: str
    role: Literal["wall", "bmc"]
    connection: str
    server: str | None
    feeds: list[str]
    simulated: bool
    indicative: bool
    period_s: float
    accuracy: str | None
    accuracy_source: str | None


class PlanOut(Schema):
    """A plan and what it would do."""

    name: str
    configurations: list[str]
    workloads: list[str]
    repeats: int
    runs: int
    expected_s: float
    hot_servers: list[str]
    """Machines that will be driven to full load."""
    problem: str | None = None
    """Why it cannot start now, if so."""


class BenchOut(Schema):
    """The bench: servers, meters, plans."""

    file: str | None
    lab: str
    servers: list[ServerOut]
    meters: list[MeterOut]
    plans: list[PlanOut]


class LiveChannel(Schema):
    """One channel of one source with its latest value and recent history."""

    source: str
    channel: str
    label: str
    quantity: str
    unit: str
    kind: str
    role: Literal["wall", "bmc", "host"]
    server: str | None
    simulated: bool
    period_s: float
    range: str | None = None
    state: Literal["ok", "stale", "lost", "waiting"]
    problem: str | None = None
    t_s: list[float]
    value: list[float | None]
    """None marks a bad reading or a gap."""


class LiveSnapshot(Schema):
    """Everything that is live now; the first event of the stream and the answer of GET /api/live."""

    now_s: float
    channels: list[LiveChannel]
    campaign: CampaignOut


class LiveSamples(Schema):
    """New samples of one channel."""

    source: str
    channel: str
    t_s: list[float]
    value: list[float | None]
    state: Literal["ok", "stale", "lost", "waiting"]
    problem: str | None = None


class LiveUpdate(Schema):
    """A batch of new samples; event "samples" of the stream, at most ten a second."""

    now_s: float
    channels: list[LiveSamples]
    dropped: int = 0
    """Batches this client lost because it was too slow."""


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


class Interval95(Schema):
    """A value with its 95 % interval and degrees of freedom."""

    value: float
    low: float
    high: float
    u: float
    dof: float | None = None


class CompareGroup(Schema):
    """Repeats of one configuration under one workload and level, or one published figure."""

    key: str
    """Stable identity: "<server>/<configuration>" or "published:<id>"."""
    title: str
    server: str
    configuration: str
    dimm_count: int | None
    kind: Literal["measured", "simulated", "imported", "published"]
    workload: str
    level: str
    runs: list[str]
    n: int
    efficiency: Interval95 | None
    """For published figures low and high come from rounding only, and untraceable is set."""
    power_w: Interval95 | None
    throughput: Interval95 | None
    efficiency_unit: str
    throughput_unit: str
    energy_per_op_j: float | None
    steady: bool | None
    full_load: bool | None
    traceable: bool
    rank_low: int | None = None
    rank_high: int | None = None
    source: str
    refusal: str | None = None
    """Why there is no perf/W here, in one sentence."""
    remarks: list[str] = []


class ComparePair(Schema):
    """A against the baseline: ratio of efficiencies with interval and the verdict in words."""

    key: str
    baseline: str
    ratio: float
    low: float
    high: float
    p_adjusted: float | None
    significant: bool | None
    """None: cannot be tested (published figure, single run)."""
    verdict: str


class CompareOut(Schema):
    """Configurations side by side under one workload and level."""

    workload: str
    level: str
    title: str
    efficiency_unit: str
    throughput_unit: str
    direction: Literal["higher", "lower"]
    baseline: str | None
    groups: list[CompareGroup]
    pairs: list[ComparePair]
    statement: str
    """The answer in one plain sentence."""


class CompareChoice(Schema):
    """A workload and level that something can be compared under."""

    workload: str
    level: str
    title: str
    measured: int
    published: int


class MemoryPoint(Schema):
    """One run of a configuration in the memory view."""

    run_id: str
    configuration: str
    dimm_count: int
    memory_gib: float | None
    power_w: float
    power_u_w: float | None
    efficiency: float | None
    throughput: float | None


class MemoryOut(Schema):
    """Watts against DIMM count for one server under one workload."""

    server: str
    workload: str
    level: str
    points: list[MemoryPoint]
    watts_per_dimm: Interval95 | None
    intercept_w: float | None
    line: list[tuple[float, float, float, float]]
    """(DIMM count, fitted W, low, high) along the fitted line."""
    theil_sen_w: float | None
    lack_of_fit_p: float | None
    statement: str
    refusal: str | None = None
    simulated: bool
    planted: dict[str, float] | None = None
    """For a simulated server: what was put into its load model."""


class PublishedTable(Schema):
    """A table of a published article, as data."""

    id: str
    title: str
    source: str
    columns: list[str]
    rows: list[list[str | float | None]]
    remarks: list[str]


class PublishedOut(Schema):
    """The published library: figures of others, not measured here."""

    notice: str
    sources: list[dict[str, str]]
    tables: list[PublishedTable]


class ExportPreview(Schema):
    """A table as it would be exported."""

    table: str
    title: str
    columns: list[str]
    rows: list[list[str]]
    footnotes: list[str]
    formats: list[str]


LiveSnapshot.model_rebuild()
