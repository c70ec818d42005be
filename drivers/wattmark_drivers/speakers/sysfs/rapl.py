"""RAPL counters as the kernel's powercap class shows them, fed with what a processor and its memory draw."""

from __future__ import annotations

import asyncio
import contextlib
from pathlib import Path

from wattmark_drivers.identity import SIMULATOR_MARK
from wattmark_drivers.speakers.faults import Fault, FaultQueue, Unplug
from wattmark_drivers.speakers.indication import Inside
from wattmark_drivers.speakers.speaker import Speaker, SpeakerSpec
from wattmark_drivers.speakers.sysfs.folder import Chip

RANGE_UJ = 65_532_610_987
"""`max_energy_range_uj` where the unit is 2^-16 J: 2^32 - 1 units."""
COUNT_UJ = 15.258
BEFORE_WRAP_UJ = 5_000_000_000
"""The counters start this far before their wrap, so that it happens within a minute."""
UPDATE_S = 0.05


class RaplZones(Speaker):
    """One package with its memory, whose counters move many times per second and wrap."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._inside = Inside()
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
        """Start to count; return the address of the folder."""
        self._counting = asyncio.get_running_loop().create_task(self._run())
        return {"url": f"rapl://{self._root}"}

    async def stop(self) -> None:
        """Stop counting."""
        if self._counting is not None:
            self._counting.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._counting
        for zone in self._zones.values():
            zone.stop()

    def sense(self, inside: Inside) -> None:
        self._inside = inside

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
        watts = {"package-0": self._inside.package_w, "dram": self._inside.memory_w}
        for name, zone in self._zones.items():
            self._energy_uj[name] = (self._energy_uj[name] + watts[name] * seconds * 1e6) % (RANGE_UJ + COUNT_UJ)
            zone.write({"energy_uj": str(int(self._energy_uj[name]))})


def make_speaker(device: SpeakerSpec) -> RaplZones:
    """Create the RAPL zones in a separate folder."""
    return RaplZones(device.folder)
