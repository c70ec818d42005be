"""The protocol side of a simulated device, what it is made from, and which module has it for each engine."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol

from wattmark_drivers.catalogue import Declaration
from wattmark_drivers.errors import ConfigurationError
from wattmark_drivers.simulators.faults import Fault
from wattmark_drivers.simulators.meter_model import Indication
from wattmark_drivers.simulators.server import SimulatedServer
from wattmark_drivers.simulators.spec import DeviceSpec

WIRES = {
    "http": "wattmark_drivers.simulators.plug_server",
    "hwmon": "wattmark_drivers.simulators.hwmon_wire",
    "ipmi": "wattmark_drivers.simulators.bmc",
    "kasa": "wattmark_drivers.simulators.kasa_plug",
    "modbus": "wattmark_drivers.simulators.modbus_server",
    "mqtt": "wattmark_drivers.simulators.mqtt_plug",
    "powersensor": "wattmark_drivers.simulators.powersensor_port",
    "rapl": "wattmark_drivers.simulators.rapl_zones",
    "redfish": "wattmark_drivers.simulators.redfish_server",
    "scpi": "wattmark_drivers.simulators.scpi_port",
    "snmp": "wattmark_drivers.simulators.snmp_agent",
    "wattsup": "wattmark_drivers.simulators.wattsup_port",
}
"""Each module offers ``make_wire``."""


class Wire(Protocol):
    """The protocol side of a device."""

    async def start(self) -> dict[str, str]:
        """Start it; return its entry of the ready message. Raises a `DriverError` with the reason."""
        ...

    async def stop(self) -> None:
        """Stop it."""
        ...

    def show(self, indication: Indication, /) -> None:
        """Update the indication."""
        ...

    def inject(self, fault: Fault) -> None:
        """Schedule a fault. Raises `ConfigurationError` for one that the device cannot have."""
        ...


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What devices are built in: the servers, a private folder, the lab's seed, a clock [Unix s] and shared lines."""

    servers: dict[str, SimulatedServer]
    folder: Path
    seed: int
    now: Callable[[], float]
    lines: dict[str, Any] = field(default_factory=dict)
    """Lines that several devices share, by name; their protocol alone knows what they are."""


@dataclass(frozen=True, slots=True)
class WireSpec:
    """What a wire side is made from; ``serial`` distinguishes the units of one lab."""

    name: str
    spec: DeviceSpec
    declaration: Declaration
    serial: int
    around: Surroundings


MakeWire = Callable[[WireSpec], Wire]


def find_wire(engine: str) -> MakeWire:
    """Find the function that creates the wire side of an engine. Raises `ConfigurationError` where there is none."""
    if engine not in WIRES:
        names = ", ".join(sorted(WIRES))
        raise ConfigurationError(
            f"Devices of the kind {engine} cannot be simulated.", f"There are simulators of {names}."
        )
    make: MakeWire = import_module(WIRES[engine]).make_wire
    return make
