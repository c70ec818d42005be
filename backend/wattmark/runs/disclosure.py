"""What a record discloses of how its run was made, so that a reader can repeat and judge it.

Everything is optional: what nobody told stays empty. A field that is not named here is an error; facts that a foreign
program or source is free to choose stand in a `Document` of their own.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from typing import Annotated, Any, Literal

from pydantic import Field, ValidationError, model_validator

from wattmark.core.amounts import Count, Document, Instant, Number, Seconds
from wattmark.core.errors import WattmarkError
from wattmark.core.schema import Record
from wattmark.core.validation import first_mistake
from wattmark.runs.alarms import RunAlarms
from wattmark.runs.environment import Environment
from wattmark.runs.power_settings import PowerSettings

FourStamps = Annotated[tuple[Instant, ...], Field(min_length=4, max_length=4)]


@contextmanager
def disclosing() -> Iterator[None]:
    """Raise `WattmarkError` instead of `ValidationError` where a run brings what no record can hold."""
    try:
        yield
    except ValidationError as error:
        cause = f"The run has facts that cannot be stored in its record: {first_mistake(error)}."
        raise WattmarkError(cause, "Check what the workload and the server report about themselves.") from None


class RecordedBy(Record):
    """Lab and appliance that recorded a run."""

    lab: str | None = None
    appliance: str | None = None
    bench: str | None = None
    """The bench file, by a digest of where it lies."""


class Task(Record):
    """What the plan asked of the run."""

    task: str | None = None
    percent: Number | None = None
    """Of the calibrated maximum."""
    level: Count | None = None
    """The level that it was run at."""


class WorkloadAsRun(Record):
    """The workload as it was declared when the run was made."""

    limited_by: str = "cpu"
    service: str | None = None
    """What does the work where the program only asks for it."""
    one_node: bool = False
    """Whether the server under test is the whole machine of the program, as the rules of HPC have it."""
    declaration: Document = Field(default_factory=dict)
    """The rest of what was declared."""


class FittedSlot(Record):
    """A memory slot as a BMC lists it; ``capacity_gib`` None: nothing is in it, or ``size_unknown``."""

    name: str
    place: str | None = None
    """Socket, controller, channel and slot by their numbers."""
    capacity_gib: Number | None = None
    size_unknown: bool = False
    """A module of which the BMC does not state the size."""
    memory_type: str | None = None
    """Such as "DRAM"."""
    device_type: str | None = None
    """Such as "DDR4"."""
    module_type: str | None = None
    """Such as "RDIMM"."""
    speed_mts: Count | None = None
    ranks: Count | None = None
    maker: str | None = None
    part: str | None = None

    @property
    def filled(self) -> bool:
        """Return whether a module is in the slot."""
        return self.size_unknown or bool(self.capacity_gib)


class OutOfBand(Record):
    """What the BMC of a server lists of it by Redfish, without serial numbers."""

    bmc: str
    """Its name in the bench file."""
    bios: str | None = None
    processors: tuple[str, ...] = ()
    slots: tuple[FittedSlot, ...] = ()
    problem: str | None = None
    """Why it was not read."""


SlotsWay = Literal["dmidecode", "file", "sudo"]
"""How the firmware's list of memory slots was read (`bench.slot_ways`)."""


class HostFacts(Record):
    """The machine that ran the load; None where it does not tell."""

    wattmark: str | None = None
    python: str | None = None
    host: str | None = None
    kernel: str | None = None
    machine: str | None = None
    model: str | None = None
    """Maker and product: as the bench file states them, else its firmware."""
    cpus: Count | None = None
    boot_id: str | None = None
    """What its kernel calls its boot."""
    memory_slots: str | None = None
    """What dmidecode printed, without serial numbers."""
    memory_slots_way: SlotsWay | None = None
    """How it was read: directly, from the file of wattmark-inventory.service, or by sudo; older records do not tell."""
    memory_slots_unread: str | None = None
    """Why it was not read."""
    out_of_band: OutOfBand | None = None
    """None: the bench has no BMC of the server that is reached by Redfish."""


class MeterLatency(Record):
    """Latency of a meter [s], its standard uncertainty [s], and its source."""

    meter: str
    latency_s: Seconds
    u_latency_s: Seconds
    basis: Literal["pattern", "earlier pattern", "stated", "assumed"]
    """Load pulses of this run; those of ``run_id``; the bench file; a quarter of the meter's period about it."""
    run_id: str | None = None
    """The run whose pulses told it."""
    correlation: Number | None = None
    reason: str | None = None
    """Why the pulses of this run did not tell it."""


class Peer(Record):
    """A run of a group."""

    server: str
    configuration: str
    run_id: str


class StartGroup(Record):
    """Runs that started together, and the actual differences of their start times."""

    barrier: str
    runs: tuple[Peer, ...] = ()
    """All of the group, this one among them."""
    target_s: Seconds
    """How far apart the starts may lie."""
    start_ns: Instant | None = None
    """The instant that was agreed on, by our clock; None where no program was started."""
    began_ns: dict[str, Instant] = Field(default_factory=dict)
    """When each server really began, by our clock."""
    spread_s: Number | None = None
    u_s: Number | None = None
    """Standard uncertainty of the spread [s]."""


class MarkFacts(Record):
    """A mark of the workload by the UTC clock and by the monotonic clock of the machine that took it [ns]."""

    utc_ns: Instant
    monotonic_ns: Instant


class LabelledMark(Record):
    """An instant in the window that was named: the begin of a part of the work."""

    label: str
    utc_ns: Instant


class WindowFacts(Record):
    """Origin of the window: marks by both clocks, edges, gaps between slices, CPU time of the load."""

    begin: MarkFacts | None = None
    end: MarkFacts | None = None
    intervals: Count | None = None
    interval_edge_s: Number | None = None
    gap_between_intervals_s: Number | None = None
    load_cpu_s: Number | None = None
    load_cpu_share_pct: Number | None = None
    """Below the CPU utilisation of the host, other programs took CPU time from the load."""
    clock_step_s: Number | None = None
    """By how much the clock here was set between the marks."""
    u_s: Seconds | None = None
    """Standard uncertainty of the place of the window [s], where its marks came over the network."""
    marks: tuple[LabelledMark, ...] = ()
    program_facts: Document = Field(default_factory=dict)
    """What the program says of itself."""


class OtherProcess(Record):
    """Another process that used CPU time during the load."""

    pid: Count
    name: str
    core_pct: Number
    """CPU time that it took [% of one core]."""


class OtherPrograms(Record):
    """CPU time that others than the load took, by two readings of the list of processes."""

    share_pct: Number
    """What the list shows, with what ended in between and was waited for [% of all CPUs]."""
    unseen_pct: Number
    """CPU time of the machine that no process of the list accounts for, whosever it was [% of all CPUs]."""
    at_most_pct: Number | None = None
    """What neither the load nor wattmark took, so that others took at most so much [% of all CPUs]; None as below."""
    own_pct: Number | None = None
    """What wattmark itself took, with all that it started but loads [% of all CPUs]; None: it ran on another machine,
    or the record is of a version that did not count it."""
    stolen_pct: Number | None = None
    """What a hypervisor gave to other guests while programs here were ready to run [% of all CPUs]."""
    over_s: Seconds
    """Time between the two readings."""
    cpus: Count


class StampedLoad(Record):
    """A program that another machine ran: requested by this clock, started and ended by its own [ns since 1970]."""

    asked_ns: Instant
    begun_there_ns: Instant | None = None
    ended_there_ns: Instant | None = None
    held_by: str | None = None
    """What held its processes together there."""


class ClockFacts(Record):
    """The clock of the machine that carried the load, against the one that stamped the readings."""

    remark: str | None = None
    """Why there is nothing to compare."""
    problem: str | None = None
    """Why it could not be compared, or did not answer all the time."""
    offset_s: Number | None = None
    at_ns: Instant | None = None
    """When it had that offset."""
    drift_ppm: Number | None = None
    u_offset_s: Number | None = None
    u_marks_s: Number | None = None
    """Standard uncertainty of the marks of the load."""
    used: Count | None = None
    rejected: Count | None = None
    stepped: bool | None = None
    """Whether it was set during the run."""
    exchanges: tuple[FourStamps, ...] = ()
    """Four stamps of each exchange with the server [ns since 1970], in their order."""
    loads: tuple[StampedLoad, ...] = ()
    """Programs that ran there."""
    load_survivors: str | None = None
    """What may have gone on beside later runs."""


class Settled(Record):
    """How the load was held until the wall power was steady."""

    steady: bool | None
    """None: nothing told."""
    after_s: Number
    over_s: Number


class Quiet(Record):
    """How long the run waited for other programs on its server to come to rest."""

    quiet: bool | None
    """False: not quiet in the time that the plan allows; None: the CPU use of the server is not known."""
    waited_s: Number
    others_pct: Number | None
    """CPU time that other programs used last [% of all CPUs]."""
    limit_pct: Number


class CooledDown(Record):
    """How the server rested until it was cool."""

    until_c: Number
    last_c: Number | None
    reached: bool
    after_s: Number


class ThinnedSeries(Record):
    """A series whose samples were thinned, and how many it had."""

    source: str
    channel: str
    range: str
    before: Count
    after: Count


class ThinnedSamples(Record):
    """When raw samples were thinned, with what software, and which."""

    on: date
    software: str
    to_s: Seconds = 1.0
    series: tuple[ThinnedSeries, ...] = ()
    period_s: dict[str, Seconds] = Field(default_factory=dict)
    """Period that each meter had before [s]."""


class SourceFileNote(Record):
    """A file of an imported result."""

    file: str
    bytes: Count
    sha256: str


class PowerLogNote(Record):
    """The power log of an imported result."""

    samples: Count
    channels: Count
    """Of the analyzer, added up."""
    marks: tuple[str, ...] = ()


class DaemonNote(Record):
    """The program that recorded the power of an imported result, and its warnings and errors."""

    version: str | None = None
    firmware: str | None = None
    calibration_date: str | None = None
    ranges: str | None = None
    problems: dict[str, Count] | None = None
    """How often it complained of each kind."""


class ComparedClocks(Record):
    """An exchange in which two machines of an imported result compared their clocks."""

    offset_s: Number
    """The meter host's clock minus that of the machine under test."""
    delay_s: Number
    """Round trip."""
    usable: bool
    """Whether the exchange can be true: a negative round trip proves a coarse or stepped clock."""


class ImportedClock(Record):
    """How the stamps of an imported result's power log relate to its window and to UTC."""

    decided_by: str
    window_shift_s: Number
    utc_offset_s: Number
    exchanges: tuple[ComparedClocks, ...] = ()


class ChosenPart(Record):
    """Which part of an imported log counts, and what the log spans [ns since 1970 UTC]."""

    name: str | None = None
    """As who chose it called it; None: the whole log counts."""
    log_begin_ns: Instant
    log_end_ns: Instant
    begin_ns: Instant
    end_ns: Instant
    chosen_by: str | None = None


class ImportedFacts(Record):
    """Facts from the files of an imported result."""

    submitter: str | None = None
    division: str | None = None
    round: str | None = None
    loadgen: Document = Field(default_factory=dict)
    """Versions, scenario, mode and latencies by LoadGen's own keys."""
    throughput_key: str | None = None
    """The key of LoadGen's that states the throughput."""
    samples_per_query: Count | None = None
    power_log: PowerLogNote | None = None
    lines_not_understood: Count = 0
    """Lines of its files that say nothing that can be used; the notes name the first."""
    daemon: DaemonNote | None = None
    clock: ImportedClock | None = None
    part: ChosenPart | None = None
    """None: the files say themselves when the work began and ended."""
    files: tuple[SourceFileNote, ...] = ()


SignatureState = Literal["none", "own key", "known key", "new key"]
"""Who signed an archive: nobody, this appliance, a key that signed earlier imports from its lab, or one that is new."""


class BroughtBy(Record):
    """The archive that brought a run here, and who vouched for it then."""

    lab: str
    signature: SignatureState
    key: str | None = None
    """Public key whose signature fitted, as minisign writes it."""


class Disclosure(Record):
    """Versions, command line, host, clocks, what happened beside the load, and what was changed since."""

    notes: tuple[str, ...] = ()
    """What an importer had to decide or exclude and what was done to the samples since, one sentence each."""
    recorded_by: RecordedBy | None = None
    argv: tuple[str, ...] = ()
    program_version: str | None = None
    """As the program tells it."""
    asked_s: Number | None = None
    """How long the load was asked to work [s]; None where it ends when its work is done."""
    task: Task = Task()
    workload: WorkloadAsRun | None = None
    plan: Document = Field(default_factory=dict)
    """The plan as it was."""
    host: HostFacts = HostFacts()
    settings: PowerSettings | None = None
    """What was set on the server for the run, read back before it, and undone after it; None: nothing was."""
    settings_changed: tuple[str, ...] | None = None
    """Which of them the server did not have any more after the load, one sentence each; None: not known, or none was
    set."""
    environment: Environment | None = None
    """Of the server, before the load; what changed until after it is in the notes."""
    installation: str | None = None
    """A name that changes whenever the server was re-installed or changed."""
    earlier_latencies: tuple[MeterLatency, ...] = ()
    """The newest estimates from earlier runs of its campaign on its server."""
    together: StartGroup | None = None
    quiet: Quiet | None = None
    settled: Settled | None = None
    window: WindowFacts = WindowFacts()
    other_processes: tuple[OtherProcess, ...] = ()
    """Most CPU time first."""
    other_programs: OtherPrograms | None = None
    """All other programs together, the small ones too; None: the list of processes was not read."""
    clock: ClockFacts = ClockFacts()
    recording_problems: tuple[str, ...] = ()
    cool_down: CooledDown | None = None
    alarms: RunAlarms | None = None
    """Limits of the bench that were crossed in the window; None where no limit concerned the run."""
    repeatable: bool | None = None
    """True: something outside the load spoilt the run, or one that began together with it."""
    imported: ImportedFacts | None = None
    brought_by: BroughtBy | None = None
    """None: recorded here, or imported from files of others."""
    thinned: ThinnedSamples | None = None

    @model_validator(mode="before")
    @classmethod
    def _as_recorded_before(cls, data: Any) -> Any:
        """Move the two facts of the environment that older records have among those of the host."""
        host = data.get("host") if isinstance(data, dict) else None
        if not isinstance(host, dict) or not host.keys() & _MOVED.keys():
            return data
        moved = {_MOVED[name]: value for name, value in host.items() if name in _MOVED and value is not None}
        kept = {name: value for name, value in host.items() if name not in _MOVED}
        environment = {"environment": moved} if moved and data.get("environment") is None else {}
        return {**data, "host": kept, **environment}


_MOVED = {"cpu_governor": "governor", "clock_source": "clock_source"}
