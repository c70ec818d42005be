"""The sensor chips of a simulated server: its ACPI power meter, or its GPU."""

from __future__ import annotations

from wattmark_drivers.catalogue.hwmon_map import HwmonMap
from wattmark_drivers.speakers.speaker import Speaker, SpeakerSpec
from wattmark_drivers.speakers.sysfs.gpu import AmdGpu
from wattmark_drivers.speakers.sysfs.power_meter import AcpiPowerMeter


def make_speaker(device: SpeakerSpec) -> Speaker:
    """Create the chip that the model reads, in a separate folder."""
    table = device.declaration.protocol
    if isinstance(table, HwmonMap) and table.device_chip is not None:
        return AmdGpu(device.folder, device.serial)
    return AcpiPowerMeter(device.folder)
