"""RAPL counters as the kernel's powercap class shows them, fed with what a simulated processor and its memory draw."""

from __future__ import annotations

import asyncio
import contextlib
from pathlib import Path

from wattmark_drivers.identity import SIMULATOR_MARK
from wattmark_drivers.simulators.faults import Fault, FaultQueue, Unplug
from wattmark_drivers.simulators.meter_model import Indication
from wattmark_drivers.simulators.server import SimulatedServer
from wattmark_drivers.simulators.sysfs_chip import Chip
from wattmark_drivers.simulators.wire import WireSpec

RANGE_UJ = 65_532_610_987
"""`max_energy_range_uj` where the unit is 2^-16 J: 2^32 - 1 units."""
COUNT_UJ = 15.258
BEFORE_WRAP_UJ = 5_000_000_000
"""The counters start this far before their wrap, so that it happens within a minute."""
UPDATE_S = 0.05
IDLE_SHARE = 0.2
"""Part of the idle server's power that its processor draws."""


class SimulatedRapl:
    """One package with its memory, whose counters move many times per second and wrap."""

    def __init__(self, root: Path, server: SimulatedServer) -> None:
        self._root = root
        self._server = server
        self._zones = {"package-0": Chip(root / "intel-rapl:0"), "dram": Chip(root / "intel-rapl:0:0")}
        self._energy_uj = dict.fromkeys(self._zones, RANGE_UJ - BEFORE_WRAP_UJ + 0.0)
        self._faults = FaultQueue(Unplug)
        self._counting: asyncio.Task[None] | None = None
        for name, zone in self._zones.items():
            zone.folder.mkdir(parents=True)
            zone.write({"name": name, "max_energy_range_uj": str(RANGE_UJ)})
        (root / SIMULATOR_MARK).touch()
        self._count(0.0)

    async def start(self) -> dict[str, str]:
        """Begin to count and tell the address of the folder."""
        self._counting = asyncio.get_running_loop().create_task(self._run())
        return {"url": f"rapl://{self._root}"}

    async def stop(self) -> None:
        """Count no more."""
        if self._counting is not None:
            self._counting.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._counting
        for zone in self._zones.values():
            zone.stop()

    def show(self, _indication: Indication) -> None:
        """Ignore the wall: a processor counts what it draws itself."""

    def inject(self, fault: Fault) -> None:
        """Pull both zones out at once. Raises `ConfigurationError` for another fault."""
        self._faults.add(fault)
        if isinstance(self._faults.take(), Unplug) and isinstance(fault, Unplug):
            for zone in self._zones.values():
                zone.unplug(fault.seconds)

    async def _run(self) -> None:
        loop = asyncio.get_running_loop()
        before = loop.time()
        while True:
            await asyncio.sleep(UPDATE_S)
            now = loop.time()
            self._count(now - before)
            before = now

    def _count(self, seconds: float) -> None:
        """Add to the counters what the processor and its memory draw in ``seconds`` [s]."""
        model, load = self._server.model, self._server.utilisation
        bare_w = model.dc_power_w(load, 0)
        watts = {
            "package-0": bare_w - (1 - IDLE_SHARE) * model.idle_w,
            "dram": model.dc_power_w(load, self._server.dimms) - bare_w,
        }
        for name, zone in self._zones.items():
            self._energy_uj[name] = (self._energy_uj[name] + watts[name] * seconds * 1e6) % (RANGE_UJ + COUNT_UJ)
            zone.write({"energy_uj": str(int(self._energy_uj[name]))})


def make_wire(device: WireSpec) -> SimulatedRapl:
    """Create the RAPL zones of the server that the device measures, in a separate folder."""
    server = device.around.servers[device.spec.measures[0].server]
    return SimulatedRapl(device.around.folder / device.name, server)
