"""The simulated wire sides by the engine of the declaration; a module is imported when a device needs it."""

from __future__ import annotations

from importlib import import_module

from wattmark_drivers.errors import ConfigurationError
from wattmark_drivers.simulators.wire import MakeWire

WIRES = {
    "http": "wattmark_drivers.simulators.plug_server",
    "hwmon": "wattmark_drivers.simulators.hwmon_chip",
    "ipmi": "wattmark_drivers.simulators.bmc",
    "modbus": "wattmark_drivers.simulators.modbus_server",
    "rapl": "wattmark_drivers.simulators.rapl_zones",
    "redfish": "wattmark_drivers.simulators.redfish_server",
    "scpi": "wattmark_drivers.simulators.scpi_port",
    "snmp": "wattmark_drivers.simulators.snmp_agent",
    "wattsup": "wattmark_drivers.simulators.wattsup_port",
}
"""Each module offers ``make_wire``."""


def find_wire(engine: str) -> MakeWire:
    """Find the function that creates the wire side of an engine. Raises `ConfigurationError` where there is none."""
    if engine not in WIRES:
        names = ", ".join(sorted(WIRES))
        raise ConfigurationError(
            f"Devices of the kind {engine} cannot be simulated.", f"There are simulators of {names}."
        )
    make: MakeWire = import_module(WIRES[engine]).make_wire
    return make
