"""A plan: what is to be measured, how often, in which order and for how long."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from wattmark.bench.configuration import Count
from wattmark.bench.plan_rules import (
    CoolDownRule,
    Duration,
    Exclusion,
    Graduated,
    Level,
    LoadLimits,
    QuietRule,
    Reference,
    RepeatRule,
    Schedule,
    SettleRule,
    StopRule,
)
from wattmark.bench.plan_settings import PlanSettings
from wattmark.core.inputs import REAL, WHOLE, Text
from wattmark.core.part import Identifier, Part, Word
from wattmark.runs.power_settings import UNCHANGED, PowerSettings

__all__ = ["BetweenRepeats", "Level", "Plan"]

BetweenRepeats = Literal["nothing", "reboot", "re-seat"]
Pulse = Annotated[float, Field(ge=0.5, le=60), REAL]


class Plan(Part):
    """Configurations x workloads x levels x repeats. Durations in seconds."""

    name: Identifier
    title: Text = ""
    configurations: tuple[Word, ...] = Field(min_length=1)
    """As "server/configuration"."""
    workloads: tuple[Word, ...] = Field(min_length=1)
    levels: tuple[Level, ...] = Field(default=("all",), min_length=1)
    """Load levels; "all" is the full-load level of the workload, "sweep" the levels of its curve."""
    workload_levels: dict[Word, Annotated[tuple[Level, ...], Field(min_length=1)]] = Field(default_factory=dict)
    """Levels of single workloads, instead of ``levels``."""
    graduated: Graduated | None = None
    exclude: tuple[Exclusion, ...] = ()
    settings: PlanSettings | None = None
    """Power settings that are made before each run and undone after it; lists of values are measured in turns."""
    repeats: Count = 3
    """With repeat_until: the minimum."""
    repeat_until: RepeatRule | None = None
    between_repeats: BetweenRepeats = "nothing"
    """What the operator does with a server before each further repeat, so that the scatter of repeats includes its
    effect: reboot it, or re-seat its parts. All runs of a repeat then come before those of the next. Nothing: no
    interval includes the effect of re-seating or a reboot, and comparisons note that."""
    repeat_failed: Annotated[int, Field(strict=True, ge=0, le=10), WHOLE] = 1
    """How often a run is retried after an interruption from outside the load (a lost meter, connection or clock)."""
    order: Literal["random-blocks", "up-and-down", "as-listed", "random"] = "random-blocks"
    """Random blocks: every repeat visits each configuration once, in a random order of its own. Up and down: every
    repeat visits each once, as listed and back in turns. Both keep what changes with time apart from configurations. As
    listed, and random (configurations in random order): all runs of a configuration come together, so that differences
    hold everything that changes in between and are not called significant."""
    seed: Annotated[int, Field(strict=True, ge=0), WHOLE] = 1
    together: bool = False
    """The servers run at the same time: the first configuration of each forms a group, the second of each, and so on.
    Phases run in parallel, and the measured work of a group starts at the same instant, in each server's own clock."""
    stop: StopRule | None = None
    """The levels of a sweep then run upwards, one after the other, and end at saturation."""
    time_budget_s: Annotated[float, Field(gt=0, le=31_536_000), REAL] | None = None
    """Runs that do not fit are skipped, last repeats first."""
    quiet: QuietRule | None = None
    """Before each run, wait until the servers are quiet."""
    idle_s: Duration = 30.0
    idle_after_s: Duration = 0.0
    """Idle phase at the end of a run; its difference from the idle before shows drift."""
    sync_pattern: bool = False
    """Load pulses before settling, which show the latency of the meters."""
    sync_pulses_s: tuple[Pulse, ...] = Field(default=(3, 4, 5, 7, 4, 3, 7, 5, 3), min_length=3, max_length=41)
    """Idle, load, idle, load, ... idle; unequal, so that no shift by a pulse looks like the true one."""
    ramp_s: Duration = 0.0
    settle_s: Duration = 30.0
    settle: SettleRule | None = None
    """Instead of ``settle_s``."""
    measure_s: Annotated[float, Field(ge=1, le=86_400), REAL] = 240.0
    hold_s: Duration = 3.0
    """How long the load continues after the window."""
    cool_down_s: Duration = 0.0
    cool_down: CoolDownRule | None = None
    """After ``cool_down_s``, until a temperature."""
    limits: LoadLimits | None = None
    schedule: Schedule | None = None
    """When the service queues it by itself; None: a person starts it."""
    reference: Reference | None = None
    """Show the control chart of its results, which says whether the bench is still itself."""
    full_load_limit_pct: Annotated[float, Field(ge=0, le=100), REAL] | None = 95.0
    """CPU utilisation that the window must reach [%]; None for work that the CPU does not limit."""

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        if len(self.sync_pulses_s) % 2 == 0:
            raise ValueError("an odd number of sync_pulses_s, so that they begin and end with idle")
        if self.repeat_until is not None and self.repeat_until.at_most < self.repeats:
            raise ValueError(f"repeat_until.at_most to be at least repeats, {self.repeats}")
        if self.schedule is not None and self.between_repeats != "nothing":
            raise ValueError("between_repeats: nothing, as a plan with a schedule runs without an operator")
        if self.reference is not None and not self.at_full_load:
            raise ValueError("levels: [all] alone, as a reference is measured at full load")
        return self

    @property
    def at_full_load(self) -> bool:
        """Return whether all of its runs are made at the full-load level of their workload."""
        return self.levels == ("all",) and not self.workload_levels and self.graduated is None

    @property
    def active_idle_s(self) -> float:
        """Return how long active idle is measured [s]."""
        once_s = self.graduated.idle_once_s if self.graduated else None
        return self.measure_s if once_s is None else once_s

    @property
    def variants(self) -> tuple[PowerSettings, ...]:
        """Return the power settings under which every configuration is measured."""
        return tuple(self.settings.variants()) if self.settings else (UNCHANGED,)

    @property
    def servers(self) -> frozenset[str]:
        """Return the servers of its configurations."""
        return frozenset(reference.partition("/")[0] for reference in self.configurations)

    @property
    def most_repeats(self) -> int:
        """Return how often a level is repeated at most."""
        return self.repeats if self.repeat_until is None else self.repeat_until.at_most
