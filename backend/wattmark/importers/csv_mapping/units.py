"""Units in which a column may be written, by quantity, and what the store keeps."""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

LogQuantity = Literal[
    "power",
    "apparent power",
    "voltage",
    "current",
    "power factor",
    "energy",
    "energy since the line before",
    "frequency",
    "temperature",
    "throughput",
]
TableQuantity = Literal["server", "configuration", "workload", "load level", "idle power", "performance per watt"]
INTERVAL_ENERGY: LogQuantity = "energy since the line before"
"""Joules of an interval, which are stored as the mean power over it."""


class Unit(NamedTuple):
    """Stored value = written value * factor + offset."""

    factor: float
    offset: float = 0.0


_WATTS = {"W": Unit(1.0), "mW": Unit(1e-3), "µW": Unit(1e-6), "kW": Unit(1e3), "MW": Unit(1e6)}
_WATT_HOURS = {"Wh": Unit(1.0), "mWh": Unit(1e-3), "kWh": Unit(1e3), "MWh": Unit(1e6)}
_JOULES = {
    "J": Unit(1.0),
    "mJ": Unit(1e-3),
    "µJ": Unit(1e-6),
    "kJ": Unit(1e3),
    "MJ": Unit(1e6),
}
UNITS: dict[str, dict[str, Unit]] = {
    "power": _WATTS,
    "idle power": _WATTS,
    "apparent power": {"VA": Unit(1.0), "mVA": Unit(1e-3), "kVA": Unit(1e3)},
    "voltage": {"V": Unit(1.0), "mV": Unit(1e-3), "kV": Unit(1e3)},
    "current": {"A": Unit(1.0), "mA": Unit(1e-3)},
    "power factor": {"1": Unit(1.0), "%": Unit(0.01)},
    "energy": _WATT_HOURS | {unit: Unit(joules.factor / 3600) for unit, joules in _JOULES.items()},
    INTERVAL_ENERGY: _JOULES | {unit: Unit(hours.factor * 3600) for unit, hours in _WATT_HOURS.items()},
    "frequency": {"Hz": Unit(1.0)},
    "temperature": {"°C": Unit(1.0), "K": Unit(1.0, -273.15), "°F": Unit(5 / 9, -160 / 9)},
    "throughput": {
        "1/s": Unit(1.0),
        "1/min": Unit(1 / 60),
        "1/h": Unit(1 / 3600),
        "count": Unit(1.0),
        "total": Unit(1.0),
    },
    "load level": {"%": Unit(1.0), "1": Unit(100.0)},
    "performance per watt": {"1/J": Unit(1.0)},
}
"""By quantity; a quantity that is not here is text. The first unit of each is what the store keeps."""
COUNT = "count"
"""Unit of a throughput column that holds the work done since the line before."""
TOTAL = "total"
"""Unit of a throughput column that holds the work done since the start: a counter that only rises."""
_SPELLINGS = {
    "c": "°C",
    "degc": "°C",
    "°c": "°C",
    "f": "°F",
    "degf": "°F",
    "°f": "°F",
    "watt": "W",
    "watts": "W",
    "kilowatt": "kW",
    "kilowatts": "kW",
    "milliwatt": "mW",
    "milliwatts": "mW",
    "microwatt": "µW",
    "microwatts": "µW",
    "uw": "µW",
    "megawatt": "MW",
    "megawatts": "MW",
    "joule": "J",
    "joules": "J",
    "kilojoules": "kJ",
    "millijoules": "mJ",
    "microjoules": "µJ",
    "uj": "µJ",
    "watthours": "Wh",
    "kilowatthours": "kWh",
    "volt": "V",
    "volts": "V",
    "millivolts": "mV",
    "amp": "A",
    "amps": "A",
    "ampere": "A",
    "amperes": "A",
    "milliamps": "mA",
    "milliamperes": "mA",
    "hertz": "Hz",
    "percent": "%",
}
_SIGNS = [unit for units in UNITS.values() for unit in units if unit not in ("1", COUNT, TOTAL)]
_BY_CASE = {unit.lower(): unit for unit in _SIGNS if sum(other.lower() == unit.lower() for other in set(_SIGNS)) == 1}
"""Units that small and capital letters do not distinguish: not mW and MW."""


def spelled(text: str) -> str:
    """Return the unit of that spelling; empty where it is none that is known."""
    plain = text.strip().replace("\u03bc", "µ")
    return plain if plain in _SIGNS else _BY_CASE.get(plain.lower(), "") or _SPELLINGS.get(plain.lower(), "")


def written_unit(heading: str) -> str:
    """Return the unit that a heading writes beyond doubt: in brackets, or as a sign of two letters at its end.

    Empty where it writes none. A single letter may be a phase, and words such as "Amps" name a quantity.
    """
    for bracketed in re.findall(r"[\[(]([^\])]{1,12})[\])]", heading):
        unit = spelled(bracketed)
        if unit and (len(unit) > 1 or unit in "WV"):
            return unit
    last = re.split(r"[\s_,/:.-]+", heading.strip())[-1]
    is_sign = len(last) > 1 and (last in _SIGNS or last.lower() in {*_BY_CASE, "uw", "uj"})
    return spelled(last) if is_sign else ""
