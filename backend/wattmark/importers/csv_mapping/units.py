"""Units in which a column may be written, by quantity, and what the store keeps."""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

from wattmark.importers.csv_mapping.named_quantity import named_quantities, words_of
from wattmark.importers.csv_mapping.rates import TIMES

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
        *("predicted", "forecast", "capacity", "allocated", "available", "requested", "reserved", "nennleistung"),
        *("price", "tariff", "cost", "costs"),
    }
)
"""Words of headings that name a power that was set or computed, and not measured, or what it costs."""
NO_WATTS = frozenset(
    {
        *("apparent", "reactive", "scheinleistung", "blindleistung", "btu", "kbtu", "var", "kvar", "mvar"),
        *("vah", "kvah", "mvah", "varh", "kvarh", "mvarh", "dbm", "horsepower", "percent", "pct"),
    }
)
"""Words of headings that name a power, but not in watts."""
SPREADS = frozenset(
    {
        *("std", "stdev", "stddev", "sd", "deviation", "variance", "error", "errors", "uncertainty"),
        *("delta", "diff", "difference", "saved", "savings"),
    }
)
"""Words of headings that name a spread or a difference, not a reading."""
_OF_POWER = frozenset(
    {
        *("factor", "ratio", "count", "counts", "samples", "cycles", "id", "quality"),
        *("status", "state", "alarm", "alarms", "ok", "mode", "level", "hp"),
    }
)
"""Words that name something else than a power where they stand last: a power status, but not a status power."""
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
    "pct": "%",
}
_WORDS = frozenset(
    word for word in _SPELLINGS if re.match(r"(kilo|deci|centi|milli|micro|nano|mega).|percent$|pct$", word)
)
"""Spellings that name a unit but not a quantity."""
_SIGNS = [unit for units in UNITS.values() for unit in units if unit not in ("1", COUNT, TOTAL)]
_BY_CASE = {unit.lower(): unit for unit in _SIGNS if sum(other.lower() == unit.lower() for other in set(_SIGNS)) == 1}
"""Units that small and capital letters do not distinguish: not mW and MW."""


def no_load(heading: str) -> str:
    """Return the word by which a heading names what is no power that a load takes; empty for none."""
    words = words_of(heading)
    denied = next((word for word in words if word in SETTINGS | NO_WATTS | SPREADS), "")
    return denied or next((word for word in words[1:][-1:] if word in _OF_POWER), "")


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
_OVER_TIME = re.compile(
    r"(?<![A-Za-z])(?:(m|M|milli|[Mm]ega|[Kk]|[Kk]ilo)[ -]?)?"
    r"(?:(?:[Ww]|[Ww]atts?|WATTS?)[ _.·*-]?(h|H|(?i:hrs?|hours?))"
    r"|[Ww][·*-]?s|(?:[Ww]|[Ww]atts?)[ _.·*-]?(?i:sec|secs|seconds?))(?![A-Za-z])"
)
"""Watt-hours and watt-seconds, as kWh, W-h, WattHrs, kWs, watt seconds."""
_BRACKETED = re.compile(r"[\[({<](?:unit ?[=:])? ?(?:in )?([^\])}>]{1,12})[\])}>]")
_INSIDE = frozenset({"kW", "kw", "mW", "mw", "MW", "µW", "uW", "uw", "nW", "Wh", "kWh", "mWh", "MWh"})
"""Signs that are units wherever they stand in a heading; KW is a week in German, and MA a moving average."""
_FACTOR = re.compile(
    r"(?:(?:\b(?:[kmµ]?[WVwv]|k?VA|mA)|[Ww]atts?|[\])]) ?|[\[({<] ?)(?:[x×*·/] ?10+|[x×*·] ?0[.,]0*1)"
    r"(?![\d.]| ?(?:ms|s|min|h)\b)"
    r"|[x×*·] ?0[.,]0*1 ?[kmµ]?[WAV]\b|\b10+ ?[×*·] ?[kmµ]?[WAV]\b"
    r"|[\[({<](?:0[.,]0*1 ?[kmµ]?|1 ?/ ?10+ ?[kmµ]?|10+ ?[mµ])[WAVwav]\b"
    r"|\b[Ww]atts? ?[\[(](?:k|K|kilo|m|milli|M)[\])]|\b[x×*·] ?10+ ?[kmµ]?[WAV]\b|\bin 0[.,]0*1 ?[kmµ]?[WAV]\b"
    r"|\b(?i:tenths?|hundredths?|thousandths?|tens|hundreds|thousands|zehntel|hundertstel|tausendstel)\b"
)
"""W x10, W/10, (x100), x 0.1 W, 10*W, (0.1 W), (1/10 W), (100 mW), x1000 W, in 0.1 W, tenths of W."""


def written_factor(heading: str) -> str:
    """Return the factor that a heading writes beside its unit, as W x10 or 0.1 W do; empty where it writes none."""
    factor = _FACTOR.search(heading.replace("_", " ").replace("\u03bc", "µ"))
    return factor[0].strip("[](){}<> ") if factor else ""


_ADJECTIVES = r"(?:(?:active|real|total|consumed|input|ac) )*"
_POWER = rf"{_ADJECTIVES}(?:power|watts?|leistung|demand|consumption|[km]?w|p)"
_EXTREME = r"(?P<{}>max(?:imum)?|min(?:imum)?|peak)"
_OF_EXTREME = re.compile(
    rf"(?<![a-z])(?<!\d )(?<!per )(?:{_EXTREME.format('before')} {_POWER}"
    r"|(?P<sign>pmax|pmin|spitzenleistung|(?:max|min)imalleistung))(?![a-z])"
    rf"|(?<![a-z]){_POWER} (?:[\[(][^\])]*[\])] |\d+ ?(?:ms|s|sec|m|min|h) )?"
    rf"{_EXTREME.format('behind')}(?![a-z]| ?load)"
)


def extreme(heading: str) -> str:
    """Return the word by which a heading names the highest or lowest power of an interval; empty for none."""
    plain = re.sub(r"[\s_.:,-]+", " ", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", heading).lower())
    word = _OF_EXTREME.search(plain)
    return "" if word is None else word["before"] or word["sign"] or word["behind"]


def no_power(heading: str) -> str:
    """Return the word by which a heading denies to be a reading of the power that a load takes; empty for none."""
    if word := no_load(heading) or extreme(heading):
        return word
    if named := named_quantities(heading):
        return "" if "power" in named else named[0]
    return next((word for word in words_of(heading) if word in TIMES | {"interval"}), "")


_PER_HOUR = re.compile(r"(?<![A-Za-z])(?:[kKM]|[Kk]ilo)?(?:[Ww]|[Ww]atts?) ?(?:/| per ) ?(?i:h|hr|hour)(?![A-Za-z])")
"""What is neither a power nor an energy."""
_FOREIGN = frozenset(
    {
        *("mhz", "ghz", "khz", "mib", "gib", "mb", "gb", "kb", "kib", "bytes", "rpm", "hp"),
        *("gw", "tw", "gwh", "twh", "vah", "kvah", "varh", "kvarh", "gj", "tj", "ah", "mah"),
    }
)
"""Units of what no column is read in, in small letters."""


def spelled(text: str) -> str:
    """Return the unit of that spelling; empty where it is none that is known."""
    plain = text.strip().replace("\u03bc", "µ")
    if over_time := _OVER_TIME.fullmatch(plain):
        return _over_time(over_time)
    if half := _HALF_SPELLED.fullmatch(plain):
        return _SHORT[half[1] or half[2]] + "W"
    return plain if plain in _SIGNS else _BY_CASE.get(plain.lower(), "") or _SPELLINGS.get(plain.lower(), "")


_CAPITAL = re.compile(r"[a-z]{2}([A-Z][A-Za-z])\s*$")
"""The unit of powerMW, whose first capital letter begins a word."""


def _over_time(written: re.Match[str]) -> str:
    """Return the unit of energy in which watts are written with a time; empty where mwh leaves mWh and MWh open."""
    prefix = _SHORT.get((written[1] or "").lower(), "") if written[1] not in ("M", "Mega") else "M"
    if written[1] in ("m", "M") and not ("W" in written[0] and written[0] != written[0].upper()):
        return ""
    return f"{prefix}Wh" if written[2] else f"{prefix}J"


def foreign_unit(heading: str) -> str:
    """Return the unit of a heading that no column is read in, in brackets or as its last word; empty for none."""
    if per_hour := _PER_HOUR.search(heading):
        return per_hour[0]
    words = [text.strip() for text in _BRACKETED.findall(heading)] + re.split(r"[\s_,:|]+", heading.strip())[-1:]
    return next((word for word in words if word.lower() in _FOREIGN and not spelled(word)), "")


def written_units(heading: str) -> tuple[str, ...]:
    """Return the units of which a heading writes one beyond doubt: in brackets, or at its end as a sign or a word.

    Several where small and capital letters are not kept apart: mW and MW for power_mw. Empty where it writes none. A
    single letter may be a phase, and words such as "Amps" and "Watts" name a quantity; "milliwatts" does not.
    """
    heading = heading.replace("\u03bc", "µ")
    if over_time := _OVER_TIME.search(heading):
        unit = _over_time(over_time)
        return (unit,) if unit else ("mWh", "MWh")
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
        return (last,) if len(last) > 1 or last == "%" else ()
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
