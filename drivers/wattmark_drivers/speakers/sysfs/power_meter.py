"""An ACPI power meter as the kernel's hwmon class shows it, fed with what a server draws."""

from __future__ import annotations

import math
from pathlib import Path

from wattmark_drivers.identity import SIMULATOR_MARK
from wattmark_drivers.speakers.face import Absent
from wattmark_drivers.speakers.faults import Fault, FaultQueue, Garbage, Unplug
from wattmark_drivers.speakers.indication import Indication
from wattmark_drivers.speakers.speaker import Speaker
from wattmark_drivers.speakers.sysfs.folder import Chip

NOISE = "?"


class AcpiPowerMeter(Speaker):
    """One chip called power_meter, as the driver of ACPI power meters shows it."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._chip = Chip(root / "hwmon0")
        self._chip.folder.mkdir(parents=True)
        self._chip.write(
            {"name": "power_meter", "power1_serial_number": SIMULATOR_MARK, "power1_average_interval": "1000"}
        )
        self._faults = FaultQueue(Garbage, Unplug)

    async def start(self) -> dict[str, str]:
        """Return the address of its folder."""
        return {"url": f"hwmon://{self._root}"}

    async def stop(self) -> None:
        """Let the folder stay as it is."""
        self._chip.stop()

    def show(self, indication: Indication | None, _absent: Absent | None = None) -> None:
        """Show the mean power of the last second [µW]; without one the attribute is not there."""
        broken = self._faults.take() is not None
        power_w = indication.total.get("power", math.nan) if indication else math.nan
        if broken or math.isfinite(power_w):
            self._chip.write({"power1_average": NOISE if broken else str(round(power_w * 1e6))})
        else:
            self._chip.remove("power1_average")

    def inject(self, fault: Fault) -> None:
        """Pull the chip out at once, or show garbage at the next updates. Raises `ConfigurationError` for another."""
        if isinstance(fault, Unplug):
            self._chip.unplug(fault.seconds)
        else:
            self._faults.add(fault)
