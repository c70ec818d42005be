"""Units in which a column may be written, by quantity, and what the store keeps."""

from __future__ import annotations

from typing import Literal, NamedTuple

LogQuantity = Literal[
    "power",
    "apparent power",
    "voltage",
    "current",
    "power factor",
    "energy",
    "frequency",
    "temperature",
    "throughput",
]
TableQuantity = Literal["server", "configuration", "workload", "load level", "idle power", "performance per watt"]


class Unit(NamedTuple):
    """Stored value = written value * factor + offset."""

    factor: float
    offset: float = 0.0


_WATTS = {"W": Unit(1.0), "mW": Unit(1e-3), "kW": Unit(1e3)}
UNITS: dict[str, dict[str, Unit]] = {
    "power": _WATTS,
    "idle power": _WATTS,
    "apparent power": {"VA": Unit(1.0), "mVA": Unit(1e-3), "kVA": Unit(1e3)},
    "voltage": {"V": Unit(1.0), "mV": Unit(1e-3), "kV": Unit(1e3)},
    "current": {"A": Unit(1.0), "mA": Unit(1e-3)},
    "power factor": {"1": Unit(1.0), "%": Unit(0.01)},
    "energy": {
        "Wh": Unit(1.0),
        "mWh": Unit(1e-3),
        "kWh": Unit(1e3),
        "J": Unit(1 / 3600),
        "kJ": Unit(1 / 3.6),
        "MJ": Unit(1e3 / 3.6),
    },
    "frequency": {"Hz": Unit(1.0)},
    "temperature": {"°C": Unit(1.0), "K": Unit(1.0, -273.15), "°F": Unit(5 / 9, -160 / 9)},
    "throughput": {"1/s": Unit(1.0), "1/min": Unit(1 / 60), "1/h": Unit(1 / 3600), "count": Unit(1.0)},
    "load level": {"%": Unit(1.0)},
    "performance per watt": {"1/J": Unit(1.0)},
}
"""By quantity; a quantity that is not here is text. The first unit of each is what the store keeps."""
COUNT = "count"
"""Unit of a throughput column that holds the work done since the line before."""
