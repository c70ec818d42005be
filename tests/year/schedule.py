"""From a seed to a lab, a plan, and what befalls them when."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pydantic import TypeAdapter
from wattmark_drivers.simulators.spec import ServerSpec
from wattmark_drivers.speakers.faults import Fault, FaultMessage

from tests.year.machine import Misfortune
from tests.year.world import SECOND, WALL, Lab, World

BEGIN_S, END_S = 2.0, 160.0
"""Between these something happens; a campaign of the simulation takes about as long."""
MOST_EVENTS = 6
_FAULT: TypeAdapter[Fault] = TypeAdapter(FaultMessage)


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happens at an instant of the simulation [s]."""

    at_s: float
    kind: str
    details: tuple[Any, ...] = ()

    def __str__(self) -> str:
        return f"{self.at_s:8.3f} s  {self.kind}{' ' if self.details else ''}{' '.join(map(_short, self.details))}"


@dataclass(frozen=True, slots=True)
class Schedule:
    """All that a seed decides."""

    lab: Lab
    events: tuple[Event, ...]


def schedule_of(seed: int, kinds: tuple[str, ...] | None = None) -> Schedule:
    """Draw a schedule; ``kinds`` limits what may happen."""
    chance = random.Random(seed)
    spec = ServerSpec(
        idle_w=chance.uniform(60, 250),
        dynamic_w=chance.uniform(50, 250),
        dimm_w=chance.uniform(2, 9),
        dimms=2,
        dimm_slots=8,
        dimm_counts=(2, 4),
    )
    plan = {
        "configurations": ["s/two", "s/four"] if chance.random() < 0.5 else ["s/two"],
        "repeats": chance.randint(1, 2),
        "order": chance.choice(["random-blocks", "as-listed", "up-and-down", "random"]),
        "seed": chance.randint(1, 99),
        "idle_s": chance.choice([0, 3, 6]),
        "settle_s": chance.choice([2, 5]),
        "measure_s": chance.choice([12, 20, 30]),
        "hold_s": chance.choice([1, 2]),
        "cool_down_s": chance.choice([0, 2]),
        "repeat_failed": chance.randint(0, 2),
        "sync_pattern": "true" if chance.random() < 0.1 else "false",
    }
    meters = (WALL, SECOND) if chance.random() < 0.1 else (WALL,)
    lab = Lab(spec, chance.uniform(50, 5000), meters, chance.random() < 0.3, chance.random() < 0.2, plan)
    names = sorted(kinds or KINDS)
    count = chance.randint(0, MOST_EVENTS)
    events = []
    for _ in range(count):
        kind = chance.choice(names)
        details = _DRAW.get(kind, lambda _chance, _lab: ())(chance, lab)
        events.append(Event(round(chance.uniform(BEGIN_S, END_S), 6), kind, details))
    return Schedule(lab, tuple(sorted(events, key=lambda event: event.at_s)))


def _span(low: float, high: float) -> Callable[[random.Random, Lab], tuple[Any, ...]]:
    return lambda chance, lab: (chance.choice(lab.meters), round(chance.uniform(low, high), 3))


def _seconds(low: float, high: float) -> Callable[[random.Random, Lab], tuple[Any, ...]]:
    return lambda chance, _: (round(chance.uniform(low, high), 3),)


def _device_fault(chance: random.Random, lab: Lab) -> tuple[Any, ...]:
    kind = chance.choice(["delay", "drop", "torn", "garbage", "exception", "disconnect", "saturation"])
    meter = chance.choice(lab.meters)
    if meter == SECOND and kind in ("exception", "garbage"):
        kind = "drop"
    fault: dict[str, Any] = {"kind": kind, "count": chance.choice([1, 1, 3, 20])}
    if kind == "delay":
        fault["seconds"] = round(chance.uniform(0.1, 4.0), 3)
    if kind == "exception":
        fault["code"] = chance.choice([1, 2, 3, 4, 6, 10, 11])
    return meter, _FAULT.validate_python(fault)


_DRAW: dict[str, Callable[[random.Random, Lab], tuple[Any, ...]]] = {
    "slow wire": lambda chance, lab: (chance.choice(lab.meters), *sorted(chance.uniform(0.01, 1.5) for _ in range(2))),
    "lost packets": _span(0.5, 20.0),
    "unplugged": _span(0.5, 60.0),
    "reset": lambda chance, lab: (chance.choice(lab.meters),),
    "refusing": _span(0.5, 30.0),
    "device fault": _device_fault,
    "frozen meter": _span(5.0, 120.0),
    "exchanged meter": lambda chance, lab: (chance.choice(lab.meters),),
    "clock set": lambda chance, _: (chance.choice([-1.0, 1.0, -0.05, 3600.0, -3600.0, round(chance.gauss(0, 2), 3)]),),
    "clock drifts": lambda chance, _: (round(chance.uniform(-500, 500), 1),),
    "stall": _seconds(0.1, 8.0),
    "load ends": lambda chance, _: (Misfortune(round(chance.uniform(0, 20), 2), chance.choice(["crash", "silence"])),),
    "disk in trouble": lambda chance, _: (chance.choice(["full", "broken"]), round(chance.uniform(0.2, 30), 2)),
    "slow disk": lambda chance, _: (round(chance.uniform(0.05, 3.0), 3), round(chance.uniform(1, 30), 2)),
    "power cut": _seconds(0.0, 120.0),
    "power cut while writing": lambda chance, _: (chance.randint(0, 40), round(chance.uniform(0, 60), 1)),
    "restart": _seconds(0.0, 10.0),
    "stopped by hand": _seconds(0.0, 30.0),
    "reader dies": lambda _chance, _lab: (),
    "fleet away": _seconds(1.0, 60.0),
    "fleet answers lost": lambda chance, _: (chance.randint(1, 3),),
    "viewers": lambda chance, _: (
        chance.randint(1, 6),
        round(chance.uniform(1, 60), 1),
        round(chance.uniform(0, 3), 2),
    ),
    "clients": lambda chance, _: (chance.randint(1, 12), chance.randint(0, 2**32)),
}
KINDS = tuple(_DRAW)


def _short(detail: Any) -> str:
    return f"{detail:g}" if isinstance(detail, float) else str(detail)


def port_of(world: World, meter: str) -> int:
    """Return the port of a meter."""
    return world.wall.meters[meter].port
