"""The protocol engines by the name that declarations use; a module is imported when a meter needs it."""

from __future__ import annotations

from importlib import import_module
from typing import NamedTuple

from wattmark_drivers.engine import Engine
from wattmark_drivers.errors import ConfigurationError


class EngineModule(NamedTuple):
    """Where an engine lives, and the extra of the wattmark package that brings what it needs."""

    module: str
    extra: str | None = None


ENGINES = {
    "http": EngineModule("wattmark_drivers.plugs.engine", extra="plugs"),
    "hwmon": EngineModule("wattmark_drivers.sysfs.hwmon_engine"),
    "ipmi": EngineModule("wattmark_drivers.ipmi.engine"),
    "kasa": EngineModule("wattmark_drivers.kasa.engine", extra="kasa"),
    "modbus": EngineModule("wattmark_drivers.modbus.engine"),
    "mqtt": EngineModule("wattmark_drivers.mqtt.engine", extra="mqtt"),
    "nvml": EngineModule("wattmark_drivers.nvml.engine", "nvml"),
    "powersensor": EngineModule("wattmark_drivers.powersensor.engine"),
    "ptdaemon": EngineModule("wattmark_drivers.ptdaemon.engine"),
    "rapl": EngineModule("wattmark_drivers.sysfs.rapl_engine"),
    "replay": EngineModule("wattmark_drivers.replay.engine"),
    "scpi": EngineModule("wattmark_drivers.scpi.engine"),
    "redfish": EngineModule("wattmark_drivers.redfish.engine", extra="redfish"),
    "snmp": EngineModule("wattmark_drivers.snmp.engine", extra="snmp"),
    "wattsup": EngineModule("wattmark_drivers.ascii.engine"),
}


def find_engine(name: str) -> Engine:
    """Import an engine. Raises `ConfigurationError` naming the extra that is not installed."""
    module, extra = ENGINES[name]
    try:
        engine = import_module(module).ENGINE
    except ModuleNotFoundError as error:
        if extra is None or (error.name or "").startswith("wattmark"):
            raise
        raise ConfigurationError(
            f"Meters of the kind {name} need the Python package {error.name}, which is not installed.",
            f"Install it with: pip install 'wattmark[{extra}]'.",
        ) from None
    if not isinstance(engine, Engine):
        raise TypeError(f"{module}.ENGINE is not an Engine")
    return engine
