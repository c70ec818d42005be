"""The record of a run: what was done, when, and by which instruments."""

from __future__ import annotations

from datetime import date
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import AfterValidator, ConfigDict, Field
from pydantic.dataclasses import dataclass
from wattmark_calibration import Influences

from wattmark.analysis.energy.apparent import LimitOfError
from wattmark.analysis.verdict import Verdict
from wattmark.core.amounts import LEAST, Amount, Count, Instant, Number, Seconds, UpTo
from wattmark.core.schema import Record
from wattmark.runs.configuration import RecordedConfiguration
from wattmark.runs.disclosure import Disclosure
from wattmark.runs.phase_name import PhaseName


class RunStatus(StrEnum):
    """Status of a run."""

    RUNNING = "running"
    COMPLETE = "complete"
    FAILED = "failed"
    ABORTED = "aborted"
    INTERRUPTED = "interrupted"
    """The process died while the run was recording; its data up to then are kept."""


class Pulse(Record):
    """Load between two marks, by the UTC clock and by the monotonic clock of the machine that took them [ns]."""

    begin_ns: Instant
    end_ns: Instant
    begin_monotonic_ns: Instant
    end_monotonic_ns: Instant
    begin_there_ns: Instant | None = None
    """By the clock of the machine that carried the load, where that is another one and said it."""
    end_there_ns: Instant | None = None


class Phase(Record):
    """One phase; ``end_ns`` is None while it lasts (or when the run broke in it). UTC nanoseconds."""

    name: PhaseName
    begin_ns: Instant
    end_ns: Instant | None = None
    begin_monotonic_ns: Instant | None = None
    """By the monotonic clock; None where another program recorded the run."""
    end_monotonic_ns: Instant | None = None
    pulses: tuple[Pulse, ...] = ()
    """Of a sync pattern: when the load really ran."""


class ThroughputInterval(Record):
    """Work done between two marks of the workload: ``amount`` operations in [begin_ns, end_ns]."""

    begin_ns: Instant
    end_ns: Instant
    amount: UpTo


def _none_tiny(intervals: tuple[ThroughputInterval, ...]) -> tuple[ThroughputInterval, ...]:
    if any(0 < interval.amount < LEAST for interval in intervals):
        raise ValueError(f"an amount is below {LEAST:g} but not 0, too small for any work")
    return intervals


class ConditionRecord(Record):
    """How a meter was used; None: not known. The operator states it, or the meter reports it."""

    temperature_c: Number | None = None
    u_temperature_c: Number | None = None
    """Standard uncertainty of the temperature [K]."""
    frequency_hz: Number | None = None
    crest_factor: Literal[3, 6] | None = None
    """Crest factor setting of the meter."""
    line_filter: bool | None = None
    calibrated_on: date | None = None
    """When the meter was last calibrated or verified against its limits of error."""
    wiring_loss_w: Number = 0.0
    """Power in the indication that the server does not take (terminals, leads); subtracted [W]."""
    u_wiring_loss_w: Number = 0.0


class ResponseTime(Record):
    """A response time that the workload reported at an instant: "mean", "p95" ... over what it reported on."""

    t_ns: Instant
    statistic: str
    value_s: UpTo


class MeterRecord(Record):
    """A meter as it was during the run, with everything the analysis needs to know about it."""

    name: str
    model: str
    title: str
    role: Literal["wall", "secondary", "bmc"] = "wall"
    """Wall meters of one server add up; a secondary meter measures the same feed again and is shown, not added."""
    partial: bool = False
    """Measures only some of the server's power supplies; a partial secondary meter is shown, not compared."""
    supplies: tuple[str, ...] | None = None
    """The power supplies of the server that it measures, as the bench names them; None: it names none."""
    host_role: str | None = None
    """What the hosts that it measures do in a deployment of several, such as "prefill"; None: all of it."""
    other_servers: tuple[str, ...] = ()
    """Other servers that it measures as well; such a secondary meter is shown, not compared."""
    serial: str | None = None
    firmware: str | None = None
    simulated: bool = False
    indicative: bool = False
    kind: Literal["averaged", "instantaneous", "counter"] = "averaged"
    period_s: Seconds = 1.0
    averaging_s: Seconds | None = None
    """Over how long one reading averages [s]; None: over all the time since the reading before."""
    resolution_w: Number | None = None
    """Last digit of power [W]; of a counter, last digit of its energy [Wh]."""
    register_resolution_wh: Number | None = None
    """Last digit of the energy register that the meter has beside its power [Wh]."""
    register_wraps_at_wh: Number | None = None
    """Energy at which its register begins again at 0 [Wh]; None: the maker does not say."""
    reading_pct: Number | None = None
    range_pct: Number | None = None
    fixed_w: Number | None = None
    range_w: Number | None = None
    """Active-power value of the range in use [W]; None where it is not known, or the model has none."""
    range_limit_w: Number | None = None
    """Active power above which the meter reports over-range in that range [W]; None where no source says."""
    range_name: str | None = None
    """Name of the range in use, as the catalogue and a certificate name it."""
    accuracy_source: str | None = None
    other_limits: dict[str, LimitOfError] = Field(default_factory=dict)
    """Limits of error of voltage, current, apparent power and power factor, where the maker states them."""
    influences: Influences = Influences()
    conditions: ConditionRecord = ConditionRecord()
    not_traceable: str | None = None
    """Why the limits of error are an assumption all the same, such as an unknown calibration date."""
    latency_s: Seconds = 0.0
    u_latency_s: Seconds | None = None
    """Standard uncertainty of the latency; None: it lies between 0 and a whole period (rectangular)."""


@dataclass(frozen=True, config=ConfigDict(extra="forbid", allow_inf_nan=False))
class ImportedVerdict(Verdict):
    """What the files of an imported result say about it: a named rule with its value, its limit and its outcome.

    Judged once, when the result is imported, from files that the store does not keep. ``rule`` begins with "import-";
    ``text`` says what was found and, where it failed, what to do.
    """

    value: Number | None
    limit: Number | None
    source: str
    """Who sets the limit, or what it was derived from."""
    contradicts: bool = False
    """It failed because the files contradict each other: no figure is based on them."""


class StatedFigure(Record):
    """A value stated by the source, as printed, in addition to the value computed from its counts."""

    name: str
    value: Number
    unit: str


class RunRecord(Record):
    """Everything about a run except its samples, which the sample store keeps under the same ``run_id``."""

    run_id: str
    campaign_id: str | None = None
    plan: str | None = None
    order: Count = 0
    server: str
    configuration: str
    workload: str
    level: str
    repeat: Count = 1
    attempt: Count = 1
    """More than 1: this run of the plan was interrupted or spoilt before, and repeated."""
    status: RunStatus
    reason: str | None = None
    """Why a run failed, was aborted or interrupted; one line with the remedy."""
    created_ns: Instant
    source: str = "measured"
    """"measured", or "imported: <what> <where>"."""
    unit: str
    """Unit of the work counted: "signs", "samples", "queries"."""
    phases: tuple[Phase, ...] = ()
    throughput: Annotated[tuple[ThroughputInterval, ...], AfterValidator(_none_tiny)] = ()
    response_times: tuple[ResponseTime, ...] = ()
    stated_throughput: Amount | None = None
    """Throughput as the source states it [unit/s]; used only where it gives no counted work."""
    count_step: Annotated[Amount, Field(gt=0)] = 1.0
    """Smallest step in which the work of an interval is known [unit]; above 1 where it follows from printed rates."""
    stated_energy_operations: Amount | None = None
    """Operations in the window of latency-type results (MLPerf SingleStream): energy per operation is the result."""
    window_begin_ns: Instant | None = None
    window_end_ns: Instant | None = None
    """The workload's own begin and end marks of the measured work."""
    source_figures: tuple[StatedFigure, ...] = ()
    """Figures of the source itself, such as MLPerf's samples and tokens per second, or what a load counted beside."""
    evidence: tuple[ImportedVerdict, ...] = ()
    """What the files of an imported result say for and against it."""
    facts: dict[str, Number] = Field(default_factory=dict)
    """Quantities of the rule sets that an imported result's files tell, by name (`analysis.quantities`)."""
    submission: str | None = None
    """Who measured an imported result, and in which round: "DellEMC v1.0"; no meter is shared between two of them."""
    meters: tuple[MeterRecord, ...] = ()
    full_load_limit_pct: Number | None = 95.0
    """CPU utilisation that the window must reach; None where the source tells nothing about it."""
    configuration_snapshot: RecordedConfiguration = RecordedConfiguration()
    """The configuration when the run was made (full disclosure)."""
    disclosure: Disclosure = Disclosure()
    """Versions, command line, host, clocks: what a reader needs to repeat the run."""
