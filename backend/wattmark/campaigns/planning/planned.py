"""One row of a campaign's run table, as planned."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby
from typing import Literal

from wattmark.core.schema import Schema
from wattmark.runs.phase_name import PhaseName
from wattmark.runs.power_settings import UNCHANGED, PowerSettings

Hands = Literal["install", "reboot", "re-seat"]
"""An operator's action at a server: install the modules of a configuration, reboot it, re-seat its modules."""
LEAD_S = 3.0
"""How far ahead a joint start lies, so that a program waits for it on every machine, however busy, in time [s]."""
Task = Literal["measure", "calibrate", "share", "idle"]


class TableRow(Schema):
    """What a row of the run table is of, before and while its campaign runs."""

    order: int
    server: str
    configuration: str
    workload: str
    level: str
    repeat: int
    together: int | None = None
    """Rows with the same number are made at the same time; None: alone."""


@dataclass(frozen=True, slots=True)
class PlannedRun:
    """One configuration x power settings x workload x level x repeat."""

    order: int
    server: str
    configuration: str
    workload: str
    level: str
    """As results show it: "4 processes"."""
    level_value: int | None
    """None where the workload has no levels, and where calibration will set it."""
    repeat: int
    expected_s: float
    at_most_s: float = 0.0
    """With a settle or cool-down rule that takes as long as it may."""
    task: Task = "measure"
    """Measure a level; calibrate the maximum; a share of that maximum; active idle, with nothing asked for."""
    percent: float | None = None
    """Share of the calibrated maximum [%]."""
    at_full: bool = False
    """Its level is the one that "all" denotes on its server."""
    optional: bool = False
    """Made only when the precision that the plan asks for is not reached without it."""

    phases: tuple[tuple[PhaseName, float], ...] = ()
    """Its phases in their order, each with its expected length [s]."""
    hands: Hands | None = None
    """The operator's action at the server before it."""
    settings: PowerSettings = UNCHANGED
    """What is set on its server for it."""
    peers: tuple[str, ...] = ()
    """Places that run at the same time, this one among them, in the order of their rows; empty: it runs alone."""

    @property
    def place(self) -> str:
        """Name "server/configuration"."""
        return f"{self.server}/{self.configuration}"

    @property
    def variant(self) -> str:
        """Name its configuration under its settings, as its record does: "fbdimm-4+cap-125W"."""
        return self.settings.variant(self.configuration)

    @property
    def varied_place(self) -> str:
        """Name "server/variant"."""
        return f"{self.server}/{self.variant}"

    @property
    def row(self) -> TableRow:
        """Return its row of the run table."""
        return TableRow(
            order=self.order,
            server=self.server,
            configuration=self.variant,
            workload=self.workload,
            level=self.level,
            repeat=self.repeat,
            together=self.step if self.peers else None,
        )

    @property
    def step(self) -> int:
        """Return which runs are made at the same time: the order of the first of them."""
        return self.order - (self.peers.index(self.place) if self.peers else 0)

    @property
    def places(self) -> tuple[str, ...]:
        """Name the configurations to be set up for this run: its own, or all of its group."""
        return self.peers or (self.place,)

    @property
    def group(self) -> tuple[str, str, str]:
        """Return which runs repeat one another."""
        return self.varied_place, self.workload, self.level

    @property
    def sequence(self) -> tuple[str, str, int]:
        """Return which runs are levels of one curve."""
        return self.varied_place, self.workload, self.repeat


Step = tuple[PlannedRun, ...]
"""Runs that are made at the same time; most often one."""


def steps(runs: Iterable[PlannedRun]) -> list[Step]:
    """Take runs, in the order of their table, step by step."""
    return [tuple(step) for _, step in groupby(runs, key=lambda run: run.step)]


def takes_s(runs: Iterable[PlannedRun]) -> float:
    """Compute how long runs are expected to take [s]; those of a step pass at the same time."""
    return sum(max(run.expected_s for run in step) for step in steps(runs))
