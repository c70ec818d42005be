"""One schedule from its seed to its verdict."""

from __future__ import annotations

import asyncio
import logging
import shutil
import tempfile
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.year.befall import befall
from tests.year.disk import POWER_IS_OFF
from tests.year.invariants import fleet_has_all, judge
from tests.year.schedule import Schedule, schedule_of
from tests.year.watch import Watch
from tests.year.world import World

MEMORY = Path("/dev/shm")
AFTERWARDS_S = 8.0
"""Simulated time that everything gets to come to rest."""


@dataclass(slots=True)
class Verdict:
    """What became of one schedule."""

    seed: int
    schedule: Schedule
    broken: list[str]
    simulated_s: float
    turns: int
    """How often time passed: the same for the same seed."""
    trace: int
    """Checksum of the instants at which it did."""
    events: Counter[str] = field(default_factory=Counter)
    power_cuts: int = 0
    ranked: list[tuple[float, float, float]] = field(default_factory=list)

    @property
    def covered(self) -> int:
        """Count the ranked figures whose interval holds the truth."""
        return sum(abs(value - truth) <= half for value, half, truth in self.ranked)


def live_through(seed: int, kinds: tuple[str, ...] | None = None) -> Verdict:
    """Simulate the schedule of a seed; ``kinds`` limits what befalls it."""
    schedule = schedule_of(seed, kinds)
    folder = Path(tempfile.mkdtemp(prefix="wattmark-year-", dir=MEMORY if MEMORY.is_dir() else None))
    world = World(folder, schedule.lab, seed)
    watch = Watch(world)
    errors = _Errors(watch)
    try:
        with world.running() as runner:
            runner.get_loop().set_exception_handler(errors.unhandled)
            logging.getLogger("asyncio").addHandler(errors)
            runner.run(_campaign(world, watch, schedule))
    except Exception as error:
        watch.break_(f"the simulation ends with {error!r}")
        logging.getLogger(__name__).debug("seed %d", seed, exc_info=True)
    finally:
        logging.getLogger("asyncio").removeHandler(errors)
        shutil.rmtree(folder, ignore_errors=True)
    return Verdict(
        seed,
        schedule,
        watch.broken,
        world.loop.time(),
        world.loop.turns,
        world.loop.trace,
        watch.events,
        world.power_cuts,
        watch.ranked,
    )


async def _campaign(world: World, watch: Watch, schedule: Schedule) -> None:
    await world.build()
    wall = asyncio.create_task(world.wall.run(), name="wall")
    known = set(asyncio.all_tasks())
    with watch.acknowledgements():
        await watch.boot_again()
        happening = [asyncio.create_task(_at(world, watch, event), name=str(event)) for event in schedule.events]
        operating = asyncio.create_task(watch.operate(), name="operator")
        await asyncio.wait([operating])
        operating.result()
        for event in happening:
            await event
        await asyncio.sleep(AFTERWARDS_S)
        if watch.events["disk in trouble"]:
            # The end of a run that the disk did not take is written at the next start, and not before.
            await watch.stop()
            await watch.boot_again()
        judge(watch)
        await fleet_has_all(watch)
        await watch.stop()
    await asyncio.sleep(AFTERWARDS_S)
    for left in world.leftovers(known):
        watch.break_(f"left behind: {left}")
    wall.cancel()
    await world.wall.take_down()


async def _at(world: World, watch: Watch, event: Any) -> None:
    await asyncio.sleep(event.at_s)
    await befall(world, watch, event)


class _Errors(logging.Handler):
    """Notes what asyncio complains of: exceptions that nobody took, and tasks that were forgotten."""

    def __init__(self, watch: Watch) -> None:
        super().__init__(logging.ERROR)
        self._watch = watch

    def emit(self, record: logging.LogRecord) -> None:
        self._note(record.getMessage())

    def unhandled(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """Note an exception that the loop was told of."""
        del loop
        self._note(f"{context.get('message')}: {context.get('exception')!r}")

    def _note(self, text: str) -> None:
        if POWER_IS_OFF not in text:  # what runs on after a power cut is not there any more
            self._watch.break_(text.splitlines()[0])
