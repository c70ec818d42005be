"""The result of a run: its figures with their uncertainty, what they rest on, and what speaks against them."""

from __future__ import annotations

from typing import Literal, get_args

from pydantic import Field

from wattmark.analysis.efficiency.dominant import DominantContribution
from wattmark.analysis.efficiency.limits_reached import LimitKind
from wattmark.analysis.efficiency.rule_name import RuleName
from wattmark.analysis.verdict import Verdict
from wattmark.core.interval import PlusMinus
from wattmark.core.quantity import BudgetLine, Quantity
from wattmark.core.schema import Record
from wattmark.results.cross_check_part import CrossCheck
from wattmark.results.inventory_part import MemoryInventory
from wattmark.runs.annotations.inclusion import Inclusion
from wattmark.runs.disclosure import MeterLatency
from wattmark.runs.record import RunStatus, StatedFigure
from wattmark.traceability.certificates.refusal import RefusalRecord

Claim = Literal["throughput", "efficiency", "power"]
"""What a run can stand for in a comparison."""
CLAIMS: tuple[Claim, ...] = get_args(Claim)


class Scatter(Record):
    """Scatter of a quantity within the run, in addition to its ±: what a longer window could have shown."""

    u: float
    """Standard uncertainty of the process's mean [unit of the figure]."""
    dof: float | None
    """None: infinite."""
    note: str = ""


class BudgetedQuantity(Quantity):
    """A quantity with its uncertainty budget, what would halve its ±, and its scatter within the run."""

    budget: tuple[BudgetLine, ...] = ()
    """The known contributions, largest first; where one is missing there is no ±."""
    dominant: DominantContribution | None = None
    """None where the budget is not complete."""
    scatter: Scatter | None = None
    """None if the window does not determine it."""


class IdleSubtracted(Record):
    """Idle-subtracted work per joule. Not the efficiency: the idle power of the server is excluded."""

    label: str = "idle-subtracted"
    idle: BudgetedQuantity
    """Idle power [W]."""
    before_w: float | None = None
    after_w: float | None = None
    power: Quantity
    """Loaded power less idle power [W]."""
    efficiency: Quantity | None = None


class DelayProduct(Record):
    """Energy-delay products of an amount of work at the throughput of the run."""

    work: float
    unit: str
    """What is counted: "signs"."""
    time_s: float
    """Time that the whole server takes for so much work."""
    edp: Quantity
    """[J s]"""
    ed2p: Quantity
    """[J s2]"""


class CostFigures(Record):
    """Cost of the work, from the price of the configuration and the tariff of the bench."""

    currency: str
    price: float
    life_years: float
    tariff_per_kwh: float
    pue: float
    per_operation: Quantity
    """[currency per operation]; the ± is from throughput and power alone; the rest is taken as issued."""
    purchase_share_pct: float
    efficiency_per_price: Quantity | None = None
    """None: the price is 0."""


class NominalFigure(Record):
    """Throughput over the processors' design power: nominal, not measured, and never compared."""

    label: str = "nominal"
    tdp_w: float
    """Of all processors fitted, as their maker states it."""
    efficiency: Quantity
    text: str


class MeterCalibration(Record):
    """Calibration behind one meter: a certificate, the manufacturer's specification, or none; never two of them."""

    meter: str
    serial: str | None = None
    range_name: str | None = None
    basis: Literal["certificate", "specification", "none"]
    certificate_id: str | None = None
    """The certificate that served, or the one that was refused."""
    certificate_version: int | None = None
    certificate_sha256: str | None = None
    """Canonical hash noted when the certificate was accepted."""
    in_house: bool = False
    """The certificate comes from an own comparison with another meter."""
    chained: bool = True
    """False: an in-house certificate whose reference had no certificate, so that the power is not traceable."""
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


class MemoryPopulation(Record):
    """Which memory channel holds how many modules and how much."""

    type: str
    """Module type; several joined by " + "."""
    modules: dict[str, int]
    """Modules by channel; channels without any are excluded."""
    capacity_gib: dict[str, float]
    channels: int
    """How many channels the server has, as far as slots or bench file tell."""

    @property
    def balanced(self) -> bool:
        """Return whether every channel in use holds as many modules and as much as the others."""
        return len(set(self.modules.values())) <= 1 and len(set(self.capacity_gib.values())) <= 1


class SuggestedWindow(Record):
    """The steady part of an unsteady window: what to measure next time. The result never uses it."""

    begin: str
    end: str
    window_s: float
    power_w: float
    text: str


class Withheld(Record):
    """Why a run does not give a figure."""

    claims: tuple[Claim, ...]
    cause: str
    """In a few words: "21 s lost"."""
    text: str
    """One sentence with what to do."""


class FullLoadPower(Record):
    """The power that this server holds under this load: mean over the window with the scatter of the process.

    Without it ``reason`` says why the window does not tell.
    """

    power: Quantity | None = None
    reason: str = ""


class LimitReached(Record):
    """For which share of the window a processor or GPU was at a limit; 0: it was watched and reached none."""

    device: str
    kind: LimitKind
    cause: str = ""
    """As the device or its sensor names it; empty where no limit of this kind was reached."""
    share_pct: float
    basis: str
    """What the share is based on: "292 s by 300 readings"."""


class RoleEnergy(Record):
    """Energy of the hosts of one role over the window, by their own meters: a part of the whole deployment's."""

    role: str
    """As the bench names it: "prefill"."""
    meters: tuple[str, ...]
    power: Quantity
    """Mean power [W]."""
    energy: PlusMinus
    """[J]"""
    share_pct: float
    """Of the energy of the whole deployment."""
    per_work: Quantity | None = None
    """Energy of these hosts per token of their work [J/token]; None: it is not known what they alone do."""
    work: str = ""
    """The tokens that it is per: "prompt tokens"."""


class Result(Record):
    """Result of a run: throughput, power and efficiency, each with unit, ± and budget.

    They are those of this very window: work done, its energy, and work per joule. What the server holds under this
    load, of which the window is a sample, is ``full_load_power``. None means: not known, never zero.
    """

    run_id: str
    campaign_id: str | None = None
    server: str
    configuration: str
    configuration_title: str = ""
    dimm_count: int | None = None
    memory_gib: float | None = None
    memory: MemoryPopulation | None = None
    inventory: MemoryInventory | None = None
    """The memory slots, and what verified each; None: no slots are declared."""
    supply_efficiency: float | None = None
    """Watts behind the power supplies for one watt more at the wall, by their declared curve; None: not declared."""
    workload: str
    level: str
    repeat: int
    status: RunStatus
    reason: str | None = None
    created: str
    unit: str
    """Unit of the work counted: "signs", "samples", "queries"."""
    throughput: BudgetedQuantity | None = None
    """Work per second [unit/s]."""
    stated_throughput: float | None = None
    """Throughput as the program or the published log states it [unit/s]; a publisher may print this one."""
    power: BudgetedQuantity | None = None
    """Mean power at the wall [W]."""
    energy_j: float | None = None
    full_load_power: FullLoadPower | None = None
    """None: no power was measured."""
    uncovered_pct: float = 0.0
    """Share of time that the readings of the worst meter leave uncovered [%]."""
    efficiency: BudgetedQuantity | None = None
    """Work per joule [unit/J]."""
    energy_per_op: Quantity | None = None
    """[J/unit]"""
    source_figures: tuple[StatedFigure, ...] = ()
    """Figures of an imported result's own source, or of what the load counted beside its work, and what they make per
    joule of the energy measured here."""
    role_energies: tuple[RoleEnergy, ...] = ()
    """Of a load that hosts of several roles carry together: parts of ``energy_j``; empty: no meter names a role."""
    idle_subtracted: IdleSubtracted | None = None
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
    """Readings of the wall meters in the window; those of a withheld power count too."""
    samples_excluded: int = 0
    n_eff: float | None = None
    steady: bool | None = None
    full_load: bool | None = None
    cpu_utilisation_pct: float | None = None
    limited_by: str | None = None
    """The resource that had nothing left: "cpu", "one core", "memory", "disk", "network", "throttling", "nothing"."""
    limits_reached: tuple[LimitReached, ...] = ()
    """Heat, power limits and clocks held down, by processor and GPU; empty: not recorded."""
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
    """What was fitted when the run was made: runs share it unless the system was re-installed; None: not recorded."""
    boot: str | None = None
    """The boot of the server that the run was made in; None: not recorded."""
    simulated: bool
    traceable: bool
    """True only if every meter in the result has a manufacturer's specification or a certificate."""
    basis: Literal["certificate", "specification", "none"] = "none"
    """Calibration behind the ±, that of the weakest meter; "none": not traceable, and there is no ±."""
    calibrations: tuple[MeterCalibration, ...] = ()
    """For each meter the certificate, version and hash used, or why none was."""
    latencies: tuple[MeterLatency, ...] = ()
    """By how much the window was shifted for each meter; empty where no load pulses were made or known."""
    result_version: int | None = None
    """The issued version this is; None: not issued yet. Later certificates make a version only on request."""
    issued: str | None = None
    software: str = ""
    """Version and build that computed it; that of an issued result stays until somebody recomputes it."""
    program_version: str = ""
    """Version of the load program as it tells it; empty: it was not asked."""
    source: str
    verdicts: tuple[Verdict, ...] = ()
    """wattmark's own rules: whether the figures may be used."""
    inclusion: Inclusion | None = None
    """A person's ranking override; not part of what is issued, added when it is shown."""
    cross_check: CrossCheck | None = None
    """Other sources of the same power against the wall meters; None: the run recorded none beside them."""
    standards: tuple[Verdict, ...] = ()
    """Rule sets of others (SPEC CPU, MLPerf, EE HPC): which of them this run keeps, and what is missing."""
    withheld: tuple[Withheld, ...] = ()
    """Why figures are None, most important first; empty where the run was not asked for them."""
    notes: tuple[str, ...] = ()
    """Reasons for withheld figures and warnings, each one sentence."""

    @property
    def throughput_unit(self) -> str:
        """Return the unit of throughput, known without a figure."""
        return f"{self.unit}/s"

    @property
    def efficiency_unit(self) -> str:
        """Return the unit of efficiency, known without a figure."""
        return f"{self.unit}/J"

    @property
    def energy(self) -> PlusMinus | None:
        """Return the energy of the window [J]; relative to it, its ± is that of mean power."""
        joules, power = self.energy_j, self.power
        half = None if joules is None or power is None or power.U95 is None else joules * power.U95 / power.value
        return None if joules is None else PlusMinus(value=joules, U95=half)
