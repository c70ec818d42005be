"""The sensor chips of a simulated server: its ACPI power meter, or its GPU."""

from __future__ import annotations

from wattmark_drivers.catalogue.hwmon_map import HwmonMap
from wattmark_drivers.simulators.amdgpu_chip import SimulatedGpu
from wattmark_drivers.simulators.hwmon_chip import SimulatedPowerMeter
from wattmark_drivers.simulators.wire import Wire, WireSpec


def make_wire(device: WireSpec) -> Wire:
    """Create the chip that the model reads, in a separate folder."""
    folder = device.around.folder / device.name
    table = device.declaration.protocol
    if isinstance(table, HwmonMap) and table.device_chip is not None:
        return SimulatedGpu(folder, device.around.servers[device.spec.measures[0].server], device.serial)
    return SimulatedPowerMeter(folder)
