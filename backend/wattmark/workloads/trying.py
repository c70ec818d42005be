"""A short try of a workload on this machine, without meters."""

from __future__ import annotations

import os
import platform
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

from wattmark_drivers.clock import SystemClock

from wattmark.core.errors import InputError
from wattmark.core.numbers import format_alone
from wattmark.workloads.declaration import Declaration
from wattmark.workloads.http.hooked import hooked
from wattmark.workloads.http.trigger import Caller
from wattmark.workloads.local.local import LocalTrigger
from wattmark.workloads.measure import measure
from wattmark.workloads.parsers.work import MarkedWork
from wattmark.workloads.prepared import prepared


@dataclass(frozen=True, slots=True)
class Tried:
    """What a try gave."""

    declaration: Declaration
    level: int | None
    work: MarkedWork

    @property
    def throughput(self) -> float:
        """Compute the mean throughput over the window [unit/s]."""
        if self.work.stated_rate is not None:
            return self.work.stated_rate
        return sum(item.amount for item in self.work.intervals) / self.work.duration_s

    @property
    def rates(self) -> list[float]:
        """Compute the throughput of each interval [unit/s]."""
        return [item.amount / ((item.end_ns - item.begin_ns) / 1e9) for item in self.work.intervals]

    def facts(self) -> dict[str, Any]:
        """Write everything for scripts."""
        return {
            "workload": self.declaration.id,
            "level": self.declaration.level_text(self.level),
            "throughput": self.throughput,
            "throughput_unit": f"{self.declaration.unit}/s",
            "window_s": self.work.duration_s,
            "intervals": self.rates,
            "response_times": [item.model_dump(exclude={"t_ns"}) for item in self.work.response],
            "remarks": list(self.work.remarks),
        }

    def sentence(self) -> str:
        """Say it in words."""
        unit, length = f"{self.declaration.unit}/s", f"{self.work.duration_s:.1f} s"
        rate = f"{format_alone(self.throughput, unit)} at {self.declaration.level_text(self.level)} over {length}."
        return " ".join((rate, *self.work.remarks))


def level_of(declaration: Declaration, level: int | None) -> int | None:
    """Return the level to try: the one that is asked for, else full load of this machine. Raises `InputError`."""
    if declaration.level is None:
        if level is not None:
            raise InputError(f"{declaration.id} has no levels.", "Omit the level.")
        return None
    return level or declaration.level.full(len(os.sched_getaffinity(0)))


async def try_workload(declaration: Declaration, level: int | None, seconds: float, folder: Path) -> Tried:
    """Run a workload once and count its work; paths in it begin in ``folder``. Raises `WorkloadFailed`."""
    clock = SystemClock()
    local, caller = LocalTrigger(clock, folder), Caller(f"try-{uuid4().hex[:12]}", platform.node())
    trigger = hooked(declaration, local, caller, folder=folder, clock=clock)
    async with prepared(declaration, level=level, seconds=seconds, trigger=trigger) as workspace:
        work = await measure(
            declaration,
            level=level,
            seconds=seconds,
            trigger=trigger,
            clock=clock,
            on_begin=lambda _: None,
            workspace=workspace,
        )
    return Tried(declaration, level, work)
