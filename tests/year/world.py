"""The appliance with its lab on simulated time: it is started, loses power, and is started again."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import random
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fastapi import FastAPI
from wattmark.access.http.middleware import AccessPolicy
from wattmark.service.app import create_app
from wattmark.service.reader.keeper import Reader
from wattmark.service.reader.start import StartOrder
from wattmark.service.service import Service, open_service
from wattmark.service.settings import Settings
from wattmark_drivers.simulators.spec import ServerSpec

from tests.year.client import Answer, ask
from tests.year.clock import SimulatedClock
from tests.year.disk import Disk
from tests.year.fleet import FleetStore
from tests.year.loop import SimulatedLoop
from tests.year.machine import LOAD, Machine
from tests.year.reader import SimulatedReader
from tests.year.seams import simulated
from tests.year.wall import SERVER, Wall

DIMMS = {"two": 2, "four": 4}
LAST_GASPS_S = 300.0
"""Simulated time in which what ran at a power cut must have come to its end."""
STOPS_WITHIN_S = 120.0
"""Simulated time in which the service must stop in order."""
WALL, SECOND = "wall", "second"
MODELS = {WALL: ("carlogavazzi.em24e1", 10_502), SECOND: ("yokogawa.wt310e", 10_504)}
BENCH = """
schema: wattmark-bench/1
lab: Year
servers:
  - id: {server}
    model: Simulated
    access: {{local: true}}
    prepare: manual
    configurations:
      - &two
        id: two
        cpu: {{model: Simulated}}
        os: {{name: Debian, kernel: "6"}}
        memory: {{slots: {{A1: &dimm {{type: RDIMM, capacity_gib: 16}}, A2: *dimm}}}}
      - {{<<: *two, id: four, memory: {{slots: {{A1: *dimm, A2: *dimm, B1: *dimm, B2: *dimm}}}}}}
meters:
{meters}
workloads:
  - id: scripted
    title: Scripted load
    unit: units
    command: [{load}]
    parser: {{kind: regex, pattern: '(?P<value>[0-9.]+) units', reports: interval-amount}}
    warm_up_s: 0
plans:
  - {{name: plan, workloads: [scripted], {plan}}}
"""


@dataclass(frozen=True, slots=True)
class Lab:
    """What a seed makes of the lab."""

    spec: ServerSpec
    units_per_s: float
    meters: tuple[str, ...]
    sends: bool = False
    """Whether what is recorded is sent to the store of a fleet."""
    reads_apart: bool = False
    """Whether a process of its own answers about stored runs, as in `wattmark serve`."""
    plan: dict[str, Any] = field(default_factory=dict)


class World:
    """One lab; ``service`` is None while the power is off."""

    def __init__(self, folder: Path, lab: Lab, seed: int) -> None:
        chance = random.Random(seed)
        self.loop = SimulatedLoop(random.Random(chance.random()))
        self.clock = SimulatedClock(self.loop, random.Random(chance.random()))
        self.lab = lab
        self.seed = seed
        self.data = folder / "data"
        self.bench = folder / "bench.yaml"
        self.machine = Machine(self.loop, self.clock, lab.spec, lab.units_per_s)
        self.wall = Wall(self.machine, self.clock, folder, seed)
        self.machine.before_change = self.wall.catch_up
        self.disk = Disk(self.data.absolute(), random.Random(chance.random()), self.loop.spend_s)
        self.fleet = FleetStore(random.Random(chance.random()), self.loop.spend_s)
        self.service: Service | None = None
        self.app: FastAPI | None = None
        self.power_cuts = 0

    @contextmanager
    def running(self) -> Iterator[asyncio.Runner]:
        """Put the simulation in the place of the machine; the runner runs on it."""
        targets = [self.fleet.target()] if self.lab.sends else []
        with simulated(self.loop, self.clock, self.machine, targets, self.seed):
            try:
                with asyncio.Runner(loop_factory=lambda: self.loop) as runner:
                    yield runner
            finally:
                self.disk.unregister()

    async def build(self) -> None:
        """Hang the meters, and write the bench file."""
        for serial, name in enumerate(self.lab.meters, 1):
            await self.wall.hang(name, *MODELS[name], serial)
        rows = [
            f"  - {{id: {name}, model: {meter.model}, url: '{meter.url}', feeds: [{{server: {SERVER}}}]"
            f"{', role: secondary' if place else ''}}}"
            for place, (name, meter) in enumerate(self.wall.meters.items())
        ]
        plan = ", ".join(f"{name}: {_yaml(value)}" for name, value in self.lab.plan.items())
        self.bench.write_text(BENCH.format(server=SERVER, meters="\n".join(rows), load=LOAD, plan=plan))

    async def boot(self) -> None:
        """Start the service."""
        reader = Reader(StartOrder(self.data)) if self.lab.reads_apart else None
        service = open_service(Settings(data_dir=self.data, bench=self.bench), clock=self.clock, reader=reader)
        await service.__aenter__()
        service.follow_queue()
        self.service = service
        self.app = create_app(service, AccessPolicy.for_address("127.0.0.1"), ui=self.data / "no", documents=self.data)

    async def stop(self) -> None:
        """Stop the service in order. Raises TimeoutError where that takes too long."""
        service, self.service, self.app = self.service, None, None
        if service is not None:
            async with asyncio.timeout(STOPS_WITHIN_S):
                await service.__aexit__(None, None, None)

    async def cut_power(self) -> int:
        """Switch everything off at once; return how many changes the disk has lost.

        What ran comes to its end without reaching the disk: programs that do not run cannot be stopped half-way here.
        """
        self.disk.dead = True
        self.power_cuts += 1
        service, self.service, self.app = self.service, None, None
        if service is not None:
            for execution in list(self.machine.running):
                execution.kill()
            for reader in list(SimulatedReader.living):
                reader.die()
            with contextlib.suppress(Exception):
                async with asyncio.timeout(LAST_GASPS_S):
                    await service.__aexit__(None, None, None)
            _close_whatever_is_open(service)
        return self.disk.lose_power()

    async def ask(self, method: str, path: str, body: Any = None, **how: Any) -> Answer:
        """Ask the service over HTTP. Raises `PowerOffError` while it is off."""
        if self.app is None:
            raise PowerOffError
        return await ask(self.app, method, path, body, **how)

    def leftovers(self, known: set[asyncio.Task[Any]]) -> list[str]:
        """List what the service has left behind: tasks, connections, open files, programs."""
        gc.collect()
        tasks = [task for task in asyncio.all_tasks() if task not in known and not self.wall.owns(task)]
        left = [f"task {task.get_name()}: {task.get_coro()}" for task in tasks]
        if self.loop.network.connections:
            left.append(f"{self.loop.network.connections} connections")
        if self.disk.open_files:
            left.append(f"{self.disk.open_files} open files of the database")
        left += [f"program {execution.is_load}" for execution in self.machine.running]
        left += ["the reader"] * len(SimulatedReader.living)
        return left


class PowerOffError(Exception):
    """The appliance is off."""


def _close_whatever_is_open(service: Service) -> None:
    database = service._storage.database
    database._closed = True
    database._close_idle()
    if database._writer is not None:
        with contextlib.suppress(Exception):
            database._writer._connection.close(True)
    if database._lock is not None:
        database._lock.release()


def _yaml(value: Any) -> str:
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(_yaml, value))}]"
    return str(value)
