"""An AMD GPU as the kernel's driver amdgpu shows it, fed with what it draws."""

from __future__ import annotations

from pathlib import Path

from wattmark_drivers.identity import SIMULATOR_MARK
from wattmark_drivers.speakers.face import Absent
from wattmark_drivers.speakers.faults import Fault, FaultQueue, Garbage, Unplug
from wattmark_drivers.speakers.indication import Indication, Inside
from wattmark_drivers.speakers.private_files import write_values
from wattmark_drivers.speakers.speaker import Speaker
from wattmark_drivers.speakers.sysfs.folder import Chip
from wattmark_drivers.speakers.sysfs.power_meter import NOISE

SLOT = "0000:c1:00.0"
CLOCK_HZ = (500e6, 2100e6)
"""Of the idle and of the busy GPU."""


class AmdGpu(Speaker):
    """One chip called amdgpu with its mean power, temperatures, clocks and voltage; it has no fan."""

    def __init__(self, root: Path, serial: int) -> None:
        self._root = root
        self._inside = Inside()
        self._chip = Chip(root / "hwmon0")
        device = self._chip.folder / "device"
        device.mkdir(parents=True)
        write_values(device, {"unique_id": f"{serial:016x}\n", "uevent": f"DRIVER=amdgpu\nPCI_SLOT_NAME={SLOT}\n"})
        labels = {
            "power1": "PPT",
            "temp1": "edge",
            "temp2": "junction",
            "freq1": "sclk",
            "freq2": "mclk",
            "in0": "vddgfx",
        }
        self._chip.write({"name": "amdgpu", **{f"{stem}_label": label for stem, label in labels.items()}})
        (root / SIMULATOR_MARK).touch()
        self._faults = FaultQueue(Garbage, Unplug)

    async def start(self) -> dict[str, str]:
        """Return the address of its folder."""
        return {"url": f"amdgpu://{self._root}"}

    async def stop(self) -> None:
        """Let the folder stay as it is."""
        self._chip.stop()

    def sense(self, inside: Inside) -> None:
        self._inside = inside

    def show(self, _indication: Indication | None, _absent: Absent | None = None) -> None:
        """Show the power of the GPU [µW] and what goes with it; the wall has no part in it."""
        load = self._inside.load
        broken = self._faults.take() is not None
        idle_hz, busy_hz = CLOCK_HZ
        self._chip.write(
            {
                "power1_average": NOISE if broken else str(round(self._inside.gpu_w * 1e6)),
                "temp1_input": str(round(1000 * (35 + 35 * load))),
                "temp2_input": str(round(1000 * (40 + 45 * load))),
                "freq1_input": str(round(idle_hz + (busy_hz - idle_hz) * load)),
                "freq2_input": "1200000000",
                "in0_input": str(round(750 + 150 * load)),
            }
        )

    def inject(self, fault: Fault) -> None:
        """Pull the GPU out at once, or show garbage at the next updates. Raises `ConfigurationError` for another."""
        if isinstance(fault, Unplug):
            self._chip.unplug(fault.seconds)
        else:
            self._faults.add(fault)
