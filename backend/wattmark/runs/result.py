"""The result of a run: its figures with their uncertainty, what they rest on, and what speaks against them."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from wattmark.analysis.rule_name import RuleName
from wattmark.runs.inclusion import Inclusion
from wattmark.runs.record import Record, RunStatus, StatedFigure
from wattmark.runs.second_figures import AboveIdle, CostFigures, DelayProduct, NominalFigure


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


class Scatter(Record):
    """How a figure scatters within the run, beside its ±: what a longer window of the same process could have shown."""

    u: float
    """Standard uncertainty of the process's mean [unit of the figure]."""
    dof: float | None
    """None: infinite."""
    note: str = ""


class FullLoadPower(Record):
    """The power that this server holds under this load: mean over the window with the scatter of the process.

    The figures are None where the window does not tell, for the reason in ``reason``.
    """

    power_w: float | None = None
    power_u_w: float | None = None
    power_U95_w: float | None = None  # noqa: N815 - the metrologist's symbol
    power_dof: float | None = None
    power_k95: float | None = None
    reason: str = ""


class Result(Record):
    """What a run gives: throughput, power and efficiency with standard and expanded uncertainty.

    They are those of this very window: work done, its energy, and work per joule. What the server holds under this
    load, of which the window is a sample, is ``full_load_power``. ``*_u`` are standard uncertainties, ``*_U95``
    expanded ones at 95 %. None means: not known, never zero. Field names are stable: others script against them.
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
    full_load_power: FullLoadPower | None = None
    """None: no power was measured."""
    uncovered_pct: float = 0.0
    """Share of time that the readings of the worst meter leave uncovered [%]."""
    throughput_scatter: Scatter | None = None
    power_scatter: Scatter | None = None
    efficiency_scatter: Scatter | None = None
    """Of each figure within the run; None where the window does not tell."""
    efficiency: float | None = None
    efficiency_u: float | None = None
    efficiency_U95: float | None = None  # noqa: N815
    efficiency_dof: float | None = None
    efficiency_k95: float | None = None
    efficiency_unit: str
    energy_per_op_j: float | None = None
    energy_per_op_u_j: float | None = None
    energy_per_op_U95_j: float | None = None  # noqa: N815
    source_figures: tuple[StatedFigure, ...] = ()
    """Figures of an imported result's own source, and what they make per joule of the energy measured here."""
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
    started_with: tuple[str, ...] = ()
    """Runs of other servers ("server/configuration") whose measured work began at the same instant."""
    start_spread_s: float | None = None
    """How far apart the servers of the group really started [s]; None: alone, or nothing was started (active idle)."""
    start_spread_u_s: float | None = None
    """Standard uncertainty of that spread, from the clocks of the servers [s]."""
    meter: str
    meter_identities: tuple[str, ...] = ()
    """One name for each physical meter of the result; two results share a meter where they share its name."""
    installation: str | None = None
    """What was fitted when the run was made: runs share it unless the system was fitted anew; None: not recorded."""
    boot: str | None = None
    """The boot of the server that the run was made in; None: not recorded."""
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
    software: str = ""
    """Version and build that computed it; that of a stated result stays until somebody recomputes it."""
    source: str
    power_budget: tuple[Budget, ...] = ()
    efficiency_budget: tuple[Budget, ...] = ()
    throughput_budget: tuple[Budget, ...] = ()
    idle_budget: tuple[Budget, ...] = ()
    """What the idle power of ``above_idle`` consists of."""
    power_halving: Halving | None = None
    efficiency_halving: Halving | None = None
    verdicts: tuple[Verdict, ...] = ()
    """wattmark's own rules: whether the figures may be used."""
    inclusion: Inclusion | None = None
    """A person's choice to rank the run although verdicts failed; no part of what is stated, added when it is shown."""
    standards: tuple[Verdict, ...] = ()
    """Rule sets of others (SPEC CPU, MLPerf, EE HPC): which of them this run keeps, and what is missing."""
    notes: tuple[str, ...] = ()
    """Reasons for withheld figures and warnings, each one sentence."""
