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


_WATTS = {
    "W": Unit(1.0),
    "dW": Unit(0.1),
    "cW": Unit(0.01),
    "mW": Unit(1e-3),
    "µW": Unit(1e-6),
    "nW": Unit(1e-9),
    "kW": Unit(1e3),
    "MW": Unit(1e6),
}
_WATT_HOURS = {"Wh": Unit(1.0), "mWh": Unit(1e-3), "kWh": Unit(1e3), "MWh": Unit(1e6)}
_JOULES = {
    "J": Unit(1.0),
    "mJ": Unit(1e-3),
    "µJ": Unit(1e-6),
    "nJ": Unit(1e-9),
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
SETTINGS = frozenset(
    {
        *("limit", "cap", "powercap", "rated", "rating", "nominal", "setpoint", "threshold", "budget", "tdp"),
        *("predicted", "forecast", "capacity", "allocated", "available", "requested", "reserved"),
    }
)
"""Words of headings that name a power that was set or computed, and not measured."""
NO_WATTS = frozenset(
    {
        *("apparent", "reactive", "scheinleistung", "blindleistung", "btu", "kbtu", "var", "kvar", "mvar"),
        *("vah", "kvah", "mvah", "varh", "kvarh", "mvarh", "dbm", "hp", "horsepower", "percent", "pct"),
    }
)
"""Words of headings that name a power, but not in watts."""
SPREADS = frozenset(
    {"std", "stdev", "stddev", "sd", "deviation", "variance", "error", "uncertainty", "delta", "saved", "savings"}
)
"""Words of headings that name a spread or a difference, not a reading."""
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
    "deciwatt": "dW",
    "deciwatts": "dW",
    "centiwatt": "cW",
    "centiwatts": "cW",
    "milliwatt": "mW",
    "milliwatts": "mW",
    "microwatt": "µW",
    "microwatts": "µW",
    "uw": "µW",
    "nanowatt": "nW",
    "nanowatts": "nW",
    "megawatt": "MW",
    "megawatts": "MW",
    "joule": "J",
    "joules": "J",
    "kilojoule": "kJ",
    "kilojoules": "kJ",
    "millijoule": "mJ",
    "millijoules": "mJ",
    "microjoule": "µJ",
    "microjoules": "µJ",
    "uj": "µJ",
    "nanojoule": "nJ",
    "nanojoules": "nJ",
    "watthour": "Wh",
    "watthours": "Wh",
    "kilowatthour": "kWh",
    "kilowatthours": "kWh",
    "milliwatthours": "mWh",
    "megawatthours": "MWh",
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
_WORDS = frozenset(
    word for word in _SPELLINGS if re.match(r"(kilo|deci|centi|milli|micro|nano|mega).|watthours?$", word)
)
"""Spellings that name a unit but not a quantity."""
_SIGNS = [unit for units in UNITS.values() for unit in units if unit not in ("1", COUNT, TOTAL)]
_BY_CASE = {unit.lower(): unit for unit in _SIGNS if sum(other.lower() == unit.lower() for other in set(_SIGNS)) == 1}
"""Units that small and capital letters do not distinguish: not mW and MW."""


def words_of(heading: str) -> list[str]:
    """Return the words of a heading in small letters; "powerLimit" has two."""
    return re.sub(r"[^a-z]+", " ", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", heading).lower()).split()


def no_load(heading: str) -> str:
    """Return the word by which a heading names a power that no load takes, or a spread; empty for none."""
    return next((word for word in words_of(heading) if word in SETTINGS | NO_WATTS | SPREADS), "")


_SHORT = {
    "m": "m",
    "milli": "m",
    "k": "k",
    "kilo": "k",
    "M": "M",
    "mega": "M",
    "µ": "µ",
    "micro": "µ",
    "n": "n",
    "nano": "n",
}
_HALF_SPELLED = re.compile(r"(m|k|M|µ|n)[Ww]atts?|(milli|kilo|mega|micro|nano)W")
_BRACKETED = re.compile(r"[\[({<](?:unit ?[=:])? ?(?:in )?([^\])}>]{1,12})[\])}>]")
_INSIDE = frozenset({"kW", "kw", "mW", "mw", "MW", "µW", "uW", "uw", "nW"})
"""Signs that are units wherever they stand in a heading; KW is a week in German, and MA a moving average."""
_FACTOR = re.compile(
    r"(?:(?:\b(?:[kmµ]?[WVwv]|k?VA|mA)|[Ww]atts?|[\])]) ?|[\[({<] ?)(?:[x×*·/] ?10+|[x×*·] ?0[.,]0*1)"
    r"(?![\d.]| ?(?:ms|s|min|h)\b)"
    r"|[x×*·] ?0[.,]0*1 ?[kmµ]?[WAV]\b|\b10+ ?[×*·] ?[kmµ]?[WAV]\b"
    r"|[\[({<](?:0[.,]0*1 ?[kmµ]?|1 ?/ ?10+ ?[kmµ]?|10+ ?[mµ])[WAVwav]\b"
)
"""W x10, W/10, (x100), x 0.1 W, 10*W, (0.1 W), (1/10 W), (100 mW)."""


def written_factor(heading: str) -> str:
    """Return the factor that a heading writes beside its unit, as W x10 or 0.1 W do; empty where it writes none."""
    factor = _FACTOR.search(heading.replace("_", " "))
    return factor[0].strip("[](){}<> ") if factor else ""


_POWERS = frozenset(
    {*("power", "watt", "watts", "wattage", "leistung", "puissance", "consumption", "demand", "w", "kw", "mw", "p")}
)
_OTHER_QUANTITIES = frozenset(
    {
        *("factor", "powerfactor", "leistungsfaktor", "pf", "cosphi", "energy", "energie", "voltage", "volts", "volt"),
        *("spannung", "temperature", "temperatur", "temp", "frequency", "frequenz", "freq", "interval", "duration"),
    }
)
_ALSO_NOW = frozenset({"current", "currents", "amps", "amperes", "ampere", "strom"})
"""Words of a current, which beside a word of power say that it is that of now."""


def other_quantity(heading: str) -> str:
    """Return the word by which a heading names another quantity than power; empty for none.

    The last word of a quantity decides: a voltage for "Power Supply Voltage", a power for "energy meter power".
    """
    words = [word for word in words_of(heading) if word in _POWERS | _OTHER_QUANTITIES | _ALSO_NOW]
    if not _POWERS.intersection(words):
        return words[-1] if words else ""
    named = [word for word in words if word not in _ALSO_NOW]
    return named[-1] if named[-1] in _OTHER_QUANTITIES else ""


_ADJECTIVES = r"(?:(?:active|real|total|consumed|input|ac) )*"
_POWER = rf"{_ADJECTIVES}(?:power|watts?|leistung|demand|consumption|[km]?w|p)"
_EXTREME = r"(?P<{}>max(?:imum)?|min(?:imum)?|peak)"
_OF_EXTREME = re.compile(
    rf"(?<![a-z])(?<!\d )(?<!per )(?:{_EXTREME.format('before')} {_POWER}|(?P<sign>pmax|pmin))(?![a-z])"
    rf"|(?<![a-z]){_POWER} (?:[\[(][^\])]*[\])] )?{_EXTREME.format('behind')}(?![a-z]| ?load)"
)


def extreme(heading: str) -> str:
    """Return the word by which a heading names the highest or lowest power of an interval; empty for none."""
    plain = re.sub(r"[\s_.:,-]+", " ", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", heading).lower())
    word = _OF_EXTREME.search(plain)
    return "" if word is None else word["before"] or word["sign"] or word["behind"]


def no_power(heading: str) -> str:
    """Return the word by which a heading denies to be a reading of the power that a load takes; empty for none."""
    return other_quantity(heading) or no_load(heading) or extreme(heading)


def spelled(text: str) -> str:
    """Return the unit of that spelling; empty where it is none that is known."""
    plain = text.strip().replace("\u03bc", "µ")
    if half := _HALF_SPELLED.fullmatch(plain):
        return _SHORT[half[1] or half[2]] + "W"
    return plain if plain in _SIGNS else _BY_CASE.get(plain.lower(), "") or _SPELLINGS.get(plain.lower(), "")


_CAPITAL = re.compile(r"[a-z]{2}([A-Z][A-Za-z])\s*$")
"""The unit of powerMW, whose first capital letter begins a word."""


def written_units(heading: str) -> tuple[str, ...]:
    """Return the units of which a heading writes one beyond doubt: in brackets, or at its end as a sign or a word.

    Several where small and capital letters are not kept apart: mW and MW for power_mw. Empty where it writes none. A
    single letter may be a phase, and words such as "Amps" and "Watts" name a quantity; "milliwatts" does not.
    """
    for bracketed in _BRACKETED.findall(heading):
        unit = spelled(bracketed)
        if unit and (len(unit) > 1 or unit in "WVJ%"):
            return (unit,)
        if not unit and (units := alike(bracketed)):
            return units
    words = re.split(r"[\s_,/:.|-]+", re.sub(r"(?<=[a-z][a-jln-z])(?=[A-Z])", " ", heading.strip()))
    last, both = words[-1], "".join(words[-2:])
    if both.lower() in _WORDS:
        return (spelled(both),)
    if (capital := _CAPITAL.search(heading)) and alike(capital[1]):
        return alike(capital[1])
    if last in _SIGNS:
        return (last,) if len(last) > 1 else ()
    if last.lower() in {*_BY_CASE, "uw", "uj", *_WORDS} and len(last) > 1:
        return (spelled(last),)
    inside = next((word for word in words[:-1] if word in _INSIDE or word.lower() in _WORDS), "")
    if not alike(last) and inside:
        return (spelled(inside),) if spelled(inside) else alike(inside)
    return alike(last)


def alike(text: str) -> tuple[str, ...]:
    """Return the units that a text may be, which capital letters alone distinguish; none where it is one of them."""
    units = tuple(dict.fromkeys(unit for unit in _SIGNS if unit.lower() == text.strip().lower()))
    return units if len(units) > 1 else ()


_RATE = re.compile(r"(?:/|\bper\b)\s*(s|sec|seconds?|min|minutes?|h|hr|hours?)\b", re.IGNORECASE)
_TIME = frozenset({"s", "sec", "secs", "seconds", "ms", "msec", "milliseconds", "us", "µs", "ns", "min", "minutes"})
_TIMES = frozenset({"time", "runtime", "walltime", "latency", "duration", "elapsed", "zeit", "laufzeit", "dauer"})
_RATES = frozenset({"throughput", "rate", "durchsatz"})
"""Words of headings that name work per time, as "latency-bounded throughput" of MLPerf does."""


_PART = frozenset(
    {
        *("cpu", "gpu", "pkg", "package", "core", "cores", "cor", "ram", "dram", "dimm", "memory", "soc", "socket"),
        *("uncore", "accelerator", "fan", "fans", "disk", "nvme", "psu", "supply", "draw"),
        *("l1", "l2", "l3", "phase"),
    }
)
"""Words of headings that name a part of a server, such as nvidia-smi's power.draw, or one phase of its supply."""


def names_part(heading: str) -> bool:
    """Return whether a heading names the power of a part, or of one phase, and not that of a server."""
    words = re.sub(r"[^a-z0-9]+", " ", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", heading).lower()).split()
    return any(word in _PART or re.fullmatch(r"(cpu|gpu|psu|socket|phase)[0-9]+", word) for word in words)


def written_rate(heading: str) -> str:
    """Return the unit of throughput that a heading writes: that of a rate, or "time" where it names a time.

    Empty where it writes neither.
    """
    if rate := _RATE.search(heading.replace("_", " ")):
        return {"s": "1/s", "m": "1/min", "h": "1/h"}[rate[1][0].lower()]
    bracketed = [text.strip().lower() for text in re.findall(r"[\[(]([^\])]{1,12})[\])]", heading)]
    words = re.split(r"[^a-zµ]+", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", heading).lower())
    named = _TIMES.intersection(words) and not _RATES.intersection(words)
    return "time" if _TIME.intersection(bracketed) or named else ""


def written_multiple(heading: str, work: str) -> str:
    """Return the multiple of a unit of work that a heading writes, such as kops of ops; empty where it writes none."""
    stem = re.escape(work.removesuffix("s"))
    multiple = re.search(rf"(?<![A-Za-z0-9])[kKMGT] ?(?i:{stem}s?)(?![A-Za-z])", heading)
    return multiple[0] if multiple else ""
