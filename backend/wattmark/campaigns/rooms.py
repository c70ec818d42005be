"""What one run is to do, and what it works with."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from wattmark_drivers.clock import Clock

from wattmark.campaigns.clock_log import Stamps
from wattmark.campaigns.companions import Alone, Companions
from wattmark.campaigns.journal import Journal
from wattmark.campaigns.live_feed import LiveFeed
from wattmark.campaigns.processes import Processes
from wattmark.campaigns.recorder_protocol import RunRecorder
from wattmark.campaigns.same_meters import MetersNow
from wattmark.inventory.plan import Plan
from wattmark.inventory.server import HOST
from wattmark.runs.alarms import RunAlarms
from wattmark.runs.record import PhaseName
from wattmark.workloads.declaration import Declaration
from wattmark.workloads.markers import MarkerBoard
from wattmark.workloads.trigger import Trigger

OnPhase = Callable[[PhaseName, float, float], None]
"""Hears name, begin and expected end [Unix seconds] of each phase."""
AlarmsWithin = Callable[[str, int, int], Awaitable[RunAlarms | None]]
"""Tells which limits concerned a server between two instants [UTC ns], and which were crossed; None: none did."""


@dataclass(frozen=True, slots=True)
class Job:
    """What a run is to do: a workload at a level by the rules of a plan, or nothing (active idle)."""

    plan: Plan
    declaration: Declaration
    level: int | None
    active_idle: bool = False


@dataclass(frozen=True, slots=True)
class Rooms:
    """What a run works with."""

    journal: Journal
    recorder: RunRecorder
    trigger: Trigger
    clock: Clock
    on_phase: OnPhase
    feed: LiveFeed | None = None
    """None: nothing is known of the meters before the end; rules about live readings must not be asked for then."""
    processes: Processes | None = None
    """What runs on the server; None: that cannot be told."""
    host: str = HOST
    """The source under which the server's operating system is recorded."""
    board: MarkerBoard | None = None
    """Where the marks of loads that others start arrive."""
    companions: Companions = field(default_factory=Alone)
    """The runs that are made at the same time."""
    alarms: AlarmsWithin | None = None
    """None: nobody watches limits."""
    meters: MetersNow | None = None
    """The meters as they answer now; None: that cannot be told."""
    stamps: Stamps | None = None
    """The clock of the server; None: it is this machine's, which also stamps the readings."""
