"""Meters on the wall: speakers of real models on the simulated network, fed by the server, and what befalls them."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wattmark_drivers.simulators.devices import Device, build_device
from wattmark_drivers.simulators.spec import DeviceSpec
from wattmark_drivers.speakers.faults import Fault
from wattmark_drivers.speakers.speaker import Surroundings

from tests.year.clock import SimulatedClock
from tests.year.machine import Machine

STEP_S = 0.5
"""Meters see the power between two steps as its mean."""
SERVER = "s"


@dataclass(slots=True)
class Meter:
    """A meter in place: its model, its serial number and its port."""

    name: str
    model: str
    port: int
    serial: int
    device: Device
    url: str
    frozen: bool = False
    """It answers, and what it shows never changes."""


class Wall:
    """All meters of the lab; their power is that of one server."""

    def __init__(self, machine: Machine, clock: SimulatedClock, folder: Path, seed: int) -> None:
        self._machine = machine
        self._around = Surroundings(folder, lambda: clock.utc_ns() / 1e9)
        self._seed = seed
        self._seen_ns = machine.now_ns
        self.meters: dict[str, Meter] = {}

    async def hang(self, name: str, model: str, port: int, serial: int) -> Meter:
        """Put a meter in place, and let it answer."""
        spec = DeviceSpec.model_validate({"model": model, "measures": (SERVER,), "port": port})
        servers = {SERVER: self._machine.server}
        device = build_device(f"{name}-{serial}", spec, serial, servers, self._around, self._seed)
        entry = await device.speaker.start()
        meter = self.meters[name] = Meter(name, model, port, serial, device, entry["url"])
        return meter

    async def exchange(self, name: str) -> Meter:
        """Replace a meter by another of its model, which has another serial number."""
        old = self.meters.pop(name)
        await old.device.speaker.stop()
        return await self.hang(name, old.model, old.port, old.serial + 1000)

    def inject(self, name: str, fault: Fault) -> None:
        """Let a meter answer as the fault says."""
        self.meters[name].device.speaker.inject(fault)

    def catch_up(self) -> None:
        """Let the meters see the power up to now; called before it changes."""
        now_ns = self._machine.now_ns
        dt_s = (now_ns - self._seen_ns) / 1e9
        self._seen_ns = now_ns
        if dt_s <= 0:
            return
        self._machine.server.step(self._machine.utilisation, dt_s)
        for meter in self.meters.values():
            if not meter.frozen:
                meter.device.step(dt_s)

    async def run(self) -> None:
        """Let time pass at the meters."""
        while True:
            await asyncio.sleep(STEP_S)
            self.catch_up()

    def owns(self, task: asyncio.Task[Any]) -> bool:
        """Return whether a task is of a meter: one that was cut off may wait for its client yet."""
        upkeep = (task in meter.device.speaker.upkeep for meter in self.meters.values())
        return "TcpServer._serve" in repr(task.get_coro()) or any(upkeep)

    async def take_down(self) -> None:
        """Take every meter off the wall."""
        for meter in self.meters.values():
            await meter.device.speaker.stop()
