"""The simulator process: one clock, one load, all servers and devices."""

from __future__ import annotations

import asyncio
import secrets
import time
from pathlib import Path
from typing import Any, TypeVar

from wattmark_drivers.errors import ConfigurationError, DriverError
from wattmark_drivers.simulators.control_server import Command, ControlServer
from wattmark_drivers.simulators.cpu import CpuUtilisation
from wattmark_drivers.simulators.devices import Device, build_device
from wattmark_drivers.simulators.server import SimulatedServer
from wattmark_drivers.simulators.spec import LabSpec
from wattmark_drivers.speakers.private_files import write_secret
from wattmark_drivers.speakers.speaker import Surroundings

_Thing = TypeVar("_Thing")


class RunningLab:
    """Everything that one specification describes, alive.

    All servers carry the CPU load of this machine: the one that really works is the one under test.
    """

    def __init__(self, spec: LabSpec, folder: Path, cpu: CpuUtilisation) -> None:
        self._spec = spec
        self._folder = folder
        self._cpu = cpu
        self._servers = {name: SimulatedServer(server) for name, server in spec.servers.items()}
        self._around = Surroundings(folder, time.time)
        self._devices: dict[str, Device] = {}
        self._token = secrets.token_hex(16)
        self._control = ControlServer(self._token, self._obey)

    async def start(self) -> dict[str, Any]:
        """Bring everything up and return the ready message. A device that cannot start is an entry with its problem."""
        token_file = self._folder / "token"
        write_secret(token_file, self._token)
        return {
            "devices": {name: await self._start_device(n, name) for n, name in enumerate(self._spec.devices, 1)},
            "control": await self._control.start(),
            "token": self._token,
            "token_file": str(token_file),
            "folder": str(self._folder),
            "planted": {name: _planted(server) for name, server in self._servers.items()},
        }

    async def run(self) -> None:
        """Run for ever in steps at absolute times, each as long as it really was."""
        loop = asyncio.get_running_loop()
        due = previous = loop.time()
        while True:
            due = max(due + self._spec.tick_s, previous)
            await asyncio.sleep(due - loop.time())
            now = loop.time()
            self._step(now - previous)
            previous = now

    async def stop(self) -> None:
        await self._control.stop()
        for device in self._devices.values():
            await device.speaker.stop()

    async def _start_device(self, serial: int, name: str) -> dict[str, str]:
        device = build_device(name, self._spec.devices[name], serial, self._servers, self._around, self._spec.seed)
        try:
            entry = await device.speaker.start()
        except DriverError as error:
            await device.speaker.stop()
            return {"problem": str(error)}
        self._devices[name] = device
        return entry

    def _step(self, dt_s: float) -> None:
        utilisation = self._cpu.sample()
        for server in self._servers.values():
            server.step(utilisation, dt_s)
        for device in self._devices.values():
            device.step(dt_s)

    def _obey(self, command: Command) -> dict[str, Any]:
        if command.fault is not None:
            _find("device", command.device, self._devices).speaker.inject(command.fault)
            return {}
        server = _find("server", command.server, self._servers)
        if command.dimms is not None:
            server.populate(command.dimms)
            return {}
        return {
            "dimms": server.dimms,
            "utilisation": server.utilisation,
            "wall_power_w": server.wall_power_w,
            "psu_power_w": server.psu_power_w(),
            "energy_j": server.energy_j,
        }


def _find(kind: str, name: str | None, things: dict[str, _Thing]) -> _Thing:
    if name is None or name not in things:
        raise ConfigurationError(f"There is no {kind} named {name}.", f"There are: {', '.join(things) or 'none'}.")
    return things[name]


def _planted(server: SimulatedServer) -> dict[str, Any]:
    """Explain what an experiment should find: watts per DIMM at full load, behind and before the supplies."""
    counts = server.spec.dimm_counts
    return {
        "watts_per_dimm_dc": server.model.dimm_w,
        "watts_per_dimm_wall": server.model.watts_per_dimm_at_wall(counts),
        "dimm_counts": counts,
    }
