"""The record of one run: what was done, when, on which configuration, and how it ended."""

from __future__ import annotations

from datetime import date
from enum import StrEnum
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from wattmark.analysis.rule_name import RuleName
from wattmark.runs.second_figures import AboveIdle, CostFigures, DelayProduct, NominalFigure


class Record(BaseModel):
    """Base of all stored records: unknown fields are an error, values do not change."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class RunStatus(StrEnum):
    """How a run stands."""

    RUNNING = "running"
    COMPLETE = "complete"
    FAILED = "failed"
    ABORTED = "aborted"
    INTERRUPTED = "interrupted"
    """The process died while the run was recording; its data up to then are kept."""


class PhaseName(StrEnum):
    """The phases of a run, in their order."""

    IDLE = "idle"
    SYNC = "sync-pattern"
    """Pulses of load from which the latency of the meters is found."""
    RAMP = "ramp"
    SETTLE = "settle"
    MEASURE = "measure"
    HOLD = "hold"
    """The load goes on after the window, so that no step lies where a meter's latency blurs the window's end."""
    COOL_DOWN = "cool-down"


class Pulse(Record):
    """Load between two marks, by the UTC clock and by the monotonic clock of the machine that took them [ns]."""

    begin_ns: int
    end_ns: int
    begin_monotonic_ns: int
    end_monotonic_ns: int
    begin_there_ns: int | None = None
    """By the clock of the machine that carried the load, where that is another one and said it."""
    end_there_ns: int | None = None


class Phase(Record):
    """One phase; ``end_ns`` is None while it lasts (or when the run broke in it). UTC nanoseconds."""

    name: PhaseName
    begin_ns: int
    end_ns: int | None = None
    begin_monotonic_ns: int | None = None
    """By the monotonic clock; None in records from before it was kept."""
    end_monotonic_ns: int | None = None
    pulses: tuple[Pulse, ...] = ()
    """Of a sync pattern: when the load really ran."""


class ThroughputInterval(Record):
    """Work done between two marks of the workload: ``amount`` operations in [begin_ns, end_ns]."""

    begin_ns: int
    end_ns: int
    amount: float


class InfluenceRecord(Record):
    """What the conditions of use add to the limits of error, as the maker prints it; None where he prints nothing."""

    pf0_pct: float | None = None
    """At power factor 0 [% of apparent power]."""
    crest_factor_6_range_factor: float | None = None
    line_filter_pct: float | None = None
    heating_pct_per_a2: float | None = None
    heating_pct_per_v2: float | None = None
    temperature_pct_per_k: float | None = None
    temperature_low_c: float | None = None
    temperature_high_c: float | None = None
    frequency_low_hz: float | None = None
    frequency_high_hz: float | None = None
    valid_months: float | None = None
    growth_pct_per_month: float | None = None


class ConditionRecord(Record):
    """How a meter was used; None: not known. The operator states it, or the meter reports it."""

    temperature_c: float | None = None
    u_temperature_c: float | None = None
    """Standard uncertainty of the temperature [K]."""
    frequency_hz: float | None = None
    crest_factor: Literal[3, 6] | None = None
    """Crest factor setting of the meter."""
    line_filter: bool | None = None
    calibrated_on: date | None = None
    """When the meter was last calibrated or verified against its limits of error."""
    wiring_loss_w: float = 0.0
    """Power in the indication that the server does not take (terminals, leads); subtracted [W]."""
    u_wiring_loss_w: float = 0.0


class ResponseTime(Record):
    """A response time that the workload reported at an instant: "mean", "p95" ... over what it reported on."""

    t_ns: int
    statistic: str
    value_s: float


class MeterRecord(Record):
    """A meter as it was during the run, with everything the analysis needs to know about it."""

    name: str
    model: str
    title: str
    role: Literal["wall", "witness", "bmc"] = "wall"
    """Wall meters of one server add up; a witness measures the same feed again and is shown, not added."""
    partial: bool = False
    """Measures only some of the server's power supplies; a partial witness is shown and not held against the result."""
    serial: str | None = None
    firmware: str | None = None
    simulated: bool = False
    indicative: bool = False
    kind: Literal["averaged", "instantaneous", "counter"] = "averaged"
    period_s: float = 1.0
    resolution_w: float | None = None
    """Last digit of power [W]; of a counter, last digit of its energy [Wh]."""
    register_resolution_wh: float | None = None
    """Last digit of the energy register that the meter has beside its power [Wh]."""
    register_wraps_at_wh: float | None = None
    """Energy at which its register begins again at 0 [Wh]; None: the maker does not say."""
    reading_pct: float | None = None
    range_pct: float | None = None
    fixed_w: float | None = None
    range_w: float | None = None
    """Active-power value of the range in use [W]; None where the model has no range term."""
    range_name: str | None = None
    """Name of the range in use, as the catalogue and a certificate name it."""
    accuracy_source: str | None = None
    influences: InfluenceRecord = InfluenceRecord()
    conditions: ConditionRecord = ConditionRecord()
    untraceable: str | None = None
    """Why the limits of error are an assumption all the same, such as an unknown calibration date."""
    latency_s: float = 0.0
    u_latency_s: float | None = None
    """Standard uncertainty of the latency; None: a quarter of the period is taken (rectangular, half a period wide)."""


class RunRecord(Record):
    """Everything about a run except its samples, which the sample store keeps under the same ``run_id``."""

    run_id: str
    campaign_id: str | None = None
    plan: str | None = None
    order: int = 0
    server: str
    configuration: str
    workload: str
    level: str
    repeat: int = 1
    attempt: int = 1
    """More than 1: this run of the plan was interrupted or spoilt before, and repeated."""
    status: RunStatus
    reason: str | None = None
    """Why a run failed, was aborted or interrupted; one line with the remedy."""
    created_ns: int
    source: str = "measured"
    """"measured", or "imported: <what> <where>"."""
    unit: str
    """Unit of the work counted: "signs", "samples", "queries"."""
    phases: tuple[Phase, ...] = ()
    throughput: tuple[ThroughputInterval, ...] = ()
    response_times: tuple[ResponseTime, ...] = ()
    stated_throughput: float | None = None
    """Throughput as the source states it [unit/s], when it gives no intervals."""
    stated_energy_operations: float | None = None
    """Operations in the window of latency-type results (MLPerf SingleStream): energy per operation is the result."""
    window_begin_ns: int | None = None
    window_end_ns: int | None = None
    """The workload's own begin and end marks of the measured work."""
    meters: tuple[MeterRecord, ...] = ()
    full_load_limit_pct: float | None = 95.0
    """CPU utilisation that the window must reach; None where the source tells nothing about it."""
    configuration_snapshot: dict[str, Any] = Field(default_factory=dict)
    """The configuration as the bench file described it when the run was made (full disclosure)."""
    disclosure: dict[str, Any] = Field(default_factory=dict)
    """Versions, command line, host, clocks: what a reader needs to repeat the run."""


class BudgetPart(Record):
    """One of the terms that add up linearly to a contribution."""

    name: str
    u: float
    """Standard uncertainty [unit of the result]."""


class Budget(Record):
    """One contribution to an uncertainty, ready to be shown."""

    name: str
    evaluation: Literal["A", "B"]
    u: float
    """Standard uncertainty [unit of the result]: |sensitivity| x u_input."""
    dof: float | None
    """None: infinite."""
    share_pct: float
    correlation_group: str | None = None
    note: str = ""
    value: float | None = None
    """Estimate of the input; None where the input has none of its own (scatter)."""
    unit: str = ""
    """Unit of the input."""
    u_input: float | None = None
    """Standard uncertainty of the input [unit of the input]."""
    sensitivity: float | None = None
    """Change of the result per unit of the input; its sign counts where two results share the error."""
    distribution: Literal["normal", "rectangular"] = "normal"
    parts: tuple[BudgetPart, ...] = ()
    kind: str = "instrument"
    """What causes it: scatter, repeats, instrument, resolution, drift, temperature, window and clock, wiring, ..."""


class Halving(Record):
    """What would halve an expanded uncertainty: the dominating contribution and what to change."""

    name: str
    """The dominating contribution."""
    share_pct: float
    """Its share of the variance."""
    action: str
    """One sentence: what to change, and by how much."""
    u: float
    """Standard uncertainty of the result after the change [unit of the result]."""
    halves: bool
    """False: even without the dominating contribution the rest is more than half."""


class Verdict(Record):
    """A named rule with its value and limit."""

    rule: str
    value: float | None
    limit: float | None
    unit: str = ""
    outcome: Literal["pass", "fail", "not-applicable"]
    text: str


class RefusalRecord(Record):
    """Why a certificate does not serve a measurement: a stable code and one sentence."""

    code: str
    text: str


class MeterCalibration(Record):
    """What one meter's power rests on: a certificate, the maker's specification, or nothing; never two of them."""

    meter: str
    serial: str | None = None
    range_name: str | None = None
    basis: Literal["certificate", "specification", "none"]
    certificate_id: str | None = None
    """The certificate that served, or the one that was refused."""
    certificate_version: int | None = None
    certificate_sha256: str | None = None
    """Canonical hash noted when the certificate was accepted."""
    as_found: bool = False
    """Corrected by the points before an adjustment, to judge an older result."""
    indicated_w: float | None = None
    """Mean power as the meter indicated it [W]."""
    corrected_w: float | None = None
    u_calibration_w: float | None = None
    """Standard uncertainty of the correction [W], a part of the budget; None: not corrected."""
    power_factor: float | None = None
    """Over the window, as measured; None: not measured."""
    extrapolated: bool = False
    """The power lies outside the calibrated span."""
    refusals: tuple[RefusalRecord, ...] = ()
    """What spoke against the certificate and was not accepted."""
    overridden: tuple[RefusalRecord, ...] = ()
    """What spoke against it and was accepted by ``override_by``."""
    override_by: str | None = None
    override_reason: str | None = None


class MeterLatency(Record):
    """How much later than the load a meter shows it [s], its standard uncertainty [s], and how that is known."""

    meter: str
    latency_s: float
    u_latency_s: float
    basis: Literal["pattern", "earlier pattern", "stated", "assumed"]
    """Load pulses of this run; those of ``run_id``; the bench file; a quarter of the meter's period about it."""
    run_id: str | None = None
    """The run whose pulses told it."""
    correlation: float | None = None
    reason: str | None = None
    """Why the pulses of this run did not tell it."""


class MemoryPopulation(Record):
    """Which memory channel holds how many modules and how much."""

    type: str
    """Module type; several joined by " + "."""
    modules: dict[str, int]
    """Modules by channel; channels without any are left out."""
    capacity_gib: dict[str, float]
    channels: int
    """How many channels the server has, as far as slots or bench file tell."""

    @property
    def balanced(self) -> bool:
        """Tell whether every channel in use holds as many modules and as much as the others."""
        return len(set(self.modules.values())) <= 1 and len(set(self.capacity_gib.values())) <= 1


class SuggestedWindow(Record):
    """The steady part of an unsteady window: what to measure next time. The result never uses it."""

    begin: str
    end: str
    window_s: float
    power_w: float
    text: str


class Result(Record):
    """What a run gives: throughput, power and efficiency with standard and expanded uncertainty.

    ``*_u`` are standard uncertainties, ``*_U95`` expanded ones at 95 %. None means: not known, never zero.
    Field names are stable: others script against them.
    """

    run_id: str
    campaign_id: str | None = None
    server: str
    configuration: str
    configuration_title: str = ""
    dimm_count: int | None = None
    memory_gib: float | None = None
    memory: MemoryPopulation | None = None
    supply_efficiency: float | None = None
    """Watts behind the power supplies for one watt more at the wall, by their declared curve; None: not declared."""
    workload: str
    level: str
    repeat: int
    status: RunStatus
    reason: str | None = None
    created: str
    throughput: float | None = None
    throughput_u: float | None = None
    throughput_U95: float | None = None  # noqa: N815
    throughput_unit: str
    power_w: float | None = None
    power_u_w: float | None = None
    power_U95_w: float | None = None  # noqa: N815 - the metrologist's symbol
    power_dof: float | None = None
    power_k95: float | None = None
    """Coverage factor: power_U95_w = power_k95 x power_u_w. None with power_u_w."""
    energy_j: float | None = None
    efficiency: float | None = None
    efficiency_u: float | None = None
    efficiency_U95: float | None = None  # noqa: N815
    efficiency_dof: float | None = None
    efficiency_k95: float | None = None
    efficiency_unit: str
    energy_per_op_j: float | None = None
    energy_per_op_u_j: float | None = None
    energy_per_op_U95_j: float | None = None  # noqa: N815
    above_idle: AboveIdle | None = None
    """The second, idle-subtracted efficiency; None: the run has no idle phase, or a note says why."""
    delay_product: DelayProduct | None = None
    cost: CostFigures | None = None
    nominal: NominalFigure | None = None
    window_begin: str | None = None
    window_end: str | None = None
    window_s: float | None = None
    window_rule: RuleName = "complete"
    suggested_window: SuggestedWindow | None = None
    samples: int = 0
    samples_excluded: int = 0
    n_eff: float | None = None
    steady: bool | None = None
    full_load: bool | None = None
    cpu_utilisation_pct: float | None = None
    limited_by: str | None = None
    """The resource that had nothing left: "cpu", "one core", "memory", "disk", "network", "throttling", "nothing"."""
    response_times_s: dict[str, float] = Field(default_factory=dict)
    """Response times in the window by statistic ("mean", "p95" ...) [s]; empty where the workload reports none."""
    meter: str
    simulated: bool
    traceable: bool
    """True only when every meter in the result has a maker's specification or a certificate."""
    basis: Literal["certificate", "specification", "none"] = "none"
    """What the ± rests on, the weakest of the meters; "none": not traceable, and there is no ±."""
    calibrations: tuple[MeterCalibration, ...] = ()
    """For each meter the certificate, version and hash used, or why none was."""
    latencies: tuple[MeterLatency, ...] = ()
    """By how much the window was shifted for each meter; empty where no load pulses were made or known."""
    result_version: int | None = None
    """The stated version this is; None: not stated yet. Later certificates make a version only on request."""
    stated: str | None = None
    source: str
    power_budget: tuple[Budget, ...] = ()
    efficiency_budget: tuple[Budget, ...] = ()
    throughput_budget: tuple[Budget, ...] = ()
    power_halving: Halving | None = None
    efficiency_halving: Halving | None = None
    verdicts: tuple[Verdict, ...] = ()
    """wattmark's own rules: whether the figures may be used."""
    standards: tuple[Verdict, ...] = ()
    """Rule sets of others (SPEC CPU, MLPerf, EE HPC): which of them this run keeps, and what is missing."""
    notes: tuple[str, ...] = ()
    """Reasons for withheld figures and warnings, each one sentence."""
