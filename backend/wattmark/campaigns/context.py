"""The context of a run, from the outside in: the lab, its campaign with all outcomes so far, the run itself."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field

from wattmark_drivers.clock import Clock
from wattmark_drivers.meter import MeterIdentity

from wattmark.bench.bench import Bench
from wattmark.bench.plan import Plan
from wattmark.bench.server import Server
from wattmark.campaigns.group import GroupMember
from wattmark.campaigns.installations import Installations
from wattmark.campaigns.planning.decisions import Decisions
from wattmark.campaigns.planning.planned import PlannedRun, Step
from wattmark.campaigns.planning.run_table import RunTable
from wattmark.campaigns.power.control import PowerControl
from wattmark.campaigns.progress import Progress
from wattmark.campaigns.servers import Servers
from wattmark.campaigns.stored import Journal
from wattmark.campaigns.watch.live_feed import LiveFeed
from wattmark.core.errors import WattmarkError
from wattmark.recording.recorder import Recorder
from wattmark.results.result import Result
from wattmark.runs.alarms import RunAlarms
from wattmark.runs.disclosure import MeterLatency, Quiet, RecordedBy
from wattmark.runs.record import MeterRecord, RunRecord, RunStatus
from wattmark.runs.store import RunStore
from wattmark.workloads.declaration import Declaration
from wattmark.workloads.markers import MarkerBoard
from wattmark.workloads.trigger import Trigger


@dataclass(frozen=True, slots=True)
class Lab:
    """Resources that the appliance lends to a campaign."""

    bench: Bench
    clock: Clock
    runs: RunStore
    recorder: Recorder
    feed: LiveFeed
    board: MarkerBoard
    """Where the marks of loads that others start arrive."""
    meters: Callable[[str], Sequence[MeterRecord]]
    """Describes the meters of a server as they answer now."""
    identities: Callable[[str], Sequence[MeterIdentity]]
    """Present identities of the meters of a server, cheap enough to be queried all the time."""
    supplies: Callable[[str], Awaitable[Mapping[str, str]]]
    """Asks the BMCs of a server for the states of its power supplies; empty where none tells."""
    instruments_answer: Callable[[Collection[str], float, Callable[[], bool]], Awaitable[None]]
    """Waits until the named instruments answer often enough for a window [s], or something is stopped.

    Raises `WattmarkError` when one does not.
    """
    alarms: Callable[[str, int, int], Awaitable[RunAlarms | None]]
    """Lists the limits of a server between two instants [UTC ns], and which were crossed; None: none did."""
    evaluate: Callable[[str], Result]
    power: PowerControl
    """Makes and undoes the power settings of servers."""


class KnownLatencies:
    """The newest latency of each meter that a campaign's load pulses have shown, for runs whose own cannot be seen."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str], MeterLatency] = {}

    def take(self, result: Result) -> None:
        """Take what a run's own pulses showed; results come in the order of their runs."""
        for latency in result.latencies:
            if latency.basis == "pattern":
                self._known[result.server, latency.meter] = latency

    def of(self, server: str) -> tuple[MeterLatency, ...]:
        """Return what the next record of a server discloses."""
        return tuple(latency for (where, _), latency in self._known.items() if where == server)


@dataclass(frozen=True, slots=True)
class Campaign:
    """One campaign: its plan and servers, what has become of its runs, and what it shows of itself."""

    lab: Lab
    plan: Plan
    servers: Servers
    journal: Journal
    table: RunTable
    decisions: Decisions
    progress: Progress
    installations: Installations
    recorded_by: RecordedBy
    """Lab, appliance and bench."""
    quiet: dict[str, Quiet] = field(default_factory=dict)
    """How quiet each server of the next step became; empty where the plan does not require it."""
    latencies: KnownLatencies = field(default_factory=KnownLatencies)

    def due(self, step: Step) -> bool:
        """Return whether the runs of a step are still to be made."""
        return self.table.due(step[0])

    def wanted(self, step: Step) -> bool:
        """Return whether the runs of a step are to be made now: due, and nothing makes them needless or impossible.

        Runs that a person asked to repeat are made in any case.
        """
        if any(run.order in self.table.again for run in step):
            return self.due(step)
        return self.due(step) and not self.decisions.reasons_to_skip(step, self.progress.elapsed_s)

    def skip_if_due(self, step: Step) -> None:
        """Skip the runs of a step that need not or cannot be made."""
        if self.due(step):
            for order, reason in self.decisions.reasons_to_skip(step, self.progress.elapsed_s).items():
                self.table.skipped[order] = reason
                self.progress.skip(order, reason)

    async def end_run(self, run: PlannedRun, record: RunRecord) -> None:
        """Note how an attempt ended, with its result if any."""
        result, note = None, None
        if record.status is RunStatus.COMPLETE:
            try:
                result = await asyncio.to_thread(self.lab.evaluate, record.run_id)
            except WattmarkError as error:
                note = str(error)
        if result is not None:
            self.latencies.take(result)
        self.table.ended(record, result)
        self.progress.end_run(run, record, result, note)


@dataclass(frozen=True, slots=True)
class RunContext:
    """One run of a campaign: what is to be done, where, and with whom."""

    campaign: Campaign
    planned: PlannedRun
    server: Server
    declaration: Declaration
    level: int | None
    """For a share of a calibrated maximum, the plan alone does not determine it."""
    trigger: Trigger
    member: GroupMember
    """The runs that are made at the same time, as this one sees them."""

    @property
    def lab(self) -> Lab:
        """Return what the appliance lends."""
        return self.campaign.lab

    @property
    def plan(self) -> Plan:
        """Return the plan by whose rules the run is made."""
        return self.campaign.plan

    @property
    def clock(self) -> Clock:
        """Return the clock that stamps the readings."""
        return self.campaign.lab.clock
