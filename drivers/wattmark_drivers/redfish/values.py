"""Turn a Redfish resource into values of channels. Pure: any JSON gives values or none, never an error."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from wattmark_drivers.catalogue.redfish_map import Condition, RedfishResource, RedfishValue
from wattmark_drivers.http_client.json_body import MISSING, number_of, point, text_at
from wattmark_drivers.physics import LEAST_SERVER_W
from wattmark_drivers.reading import Quality
from wattmark_drivers.redfish.power_control import named_entry, whole_entries

NOT_THERE = ("Absent", "Disabled", "UnavailableOffline", "StandbyOffline")
"""States (DSP0268, Status.State) in which a sensor or a supply measures nothing, whatever number it shows."""
_NOT_THERE = frozenset(state.casefold() for state in NOT_THERE)
ABSENT = "Absent"
UNITS = {"W": ("W", "Watts", "Watt"), "V": ("V", "Volts", "Volt"), "A": ("A", "Amps", "Amperes")}
"""How services write units (DSP0268, ReadingUnits)."""
BEYOND_LIMIT = 2.0
"""Transients pass a limit for moments; no power is this many times as high."""
_LIMITS = ("/PowerCapacityWatts", "/ReadingRangeMax")
"""Where an entry tells the most that it can give or show."""
NO_VALUE_W = 0xFFFF
"""What IPMI's 16 bits show where there is no value, and what services pass on."""
MOST_ENTRIES = 256
_LONGEST_NAME = 48
_FIGURE = re.compile(r"[+-]?[0-9]{1,15}(\.[0-9]{1,15})?")


@dataclass(frozen=True, slots=True)
class Value:
    """One value of one channel; NaN and INVALID where the resource has no number."""

    channel: str
    label: str
    declared: RedfishValue
    value: float
    quality: Quality
    device_time_ns: int | None
    interval_min: float | None = None
    """Over how long the service took a mean [min], as it tells."""
    count: int = 1
    """How many figures were added."""
    state: str | None = None
    """The state in which the service says that nothing is measured; None where it says no such thing."""
    foreign_unit: str | None = None
    """The unit beside the number where that is another than the declared one."""


def applies(resource: RedfishResource, document: object) -> bool:
    """Return whether a document matches the declaration of this resource."""
    if resource.needs is not None and point(document, resource.needs) is MISSING:
        return False
    return _holds(resource.when, document)


def values_of(resource: RedfishResource, document: object, member: str | None) -> list[Value]:
    """Read all values that the declaration finds in a document of the collection's ``member``."""
    return [
        _value(declared, entry, name, document)
        for declared in resource.values
        for entry, name in _entries(declared, document, member, every=resource.total)
    ]


def total_of(values: Sequence[Value], *, differed: bool) -> list[Value]:
    """Add the values of each channel; a value without a number makes its sum invalid, as a part is not the whole.

    Equal values are doubtful, as they may be ratings or one total, unless they ``differed`` before.
    """
    sums: dict[str, list[Value]] = {}
    for value in values:
        sums.setdefault(value.channel, []).append(value)
    return [_sum(parts, differed=differed) for parts in sums.values()]


def _sum(parts: Sequence[Value], *, differed: bool) -> Value:
    unusable = any(not part.quality.usable for part in parts) or all(part.value == 0 for part in parts)
    repeated = not differed and len(parts) > 1 and len({part.value for part in parts}) == 1
    quality = Quality.INVALID if unusable else Quality.IMPLAUSIBLE if repeated else Quality.GOOD
    value = math.nan if unusable else sum(part.value for part in parts)
    return replace(parts[0], value=value, quality=quality, device_time_ns=None, count=len(parts))


def figure_of(value: object) -> float | None:
    """Return a finite number, also one that the service wrote as text; None for anything else."""
    if isinstance(value, str) and _FIGURE.fullmatch(value.strip()):
        return float(value)
    return number_of(value)


def slug(text: str) -> str:
    """Convert a name to a part of a channel's id; empty where no character can be used."""
    return re.sub(r"[^a-z0-9]+", "_", text.lower()).strip("_")[:_LONGEST_NAME] if text.isascii() else ""


def device_time_ns(value: object) -> int | None:
    """Read a date and time of Redfish (DSP0266, clause 9.4.5) as UTC [ns]; None where it names no time zone."""
    if not isinstance(value, str):
        return None
    try:
        moment = datetime.fromisoformat(value)
        if moment.tzinfo is None:
            return None
        seconds = moment.timestamp()
    except (ValueError, OverflowError, OSError):
        return None
    return round(seconds * 1e6) * 1000 if 0 < seconds < 9e9 else None


def _entries(
    declared: RedfishValue, document: object, member: str | None, *, every: bool
) -> Iterator[tuple[object, str]]:
    """Iterate over the entries of a value with their names; those that say to be another quantity are excluded.

    With ``every``, for a sum, only entries that are absent are excluded: one without a number spoils the sum.
    """
    if not declared.each:
        if _is_there(declared, document):
            yield document, member or ""
        return
    array = point(document, declared.each)
    if declared.whole:
        wholes = whole_entries(array, declared.pointer)
        yield from ((entry, "") for entry in wholes if len(wholes) == 1 and _is_there(declared, entry))
        return
    if declared.named:
        entry = named_entry(array, member or "")
        if entry is not None and _is_there(declared, entry):
            yield entry, ""
        return
    if declared.newest is not None:
        yield from ((entry, "") for entry in _newest(array, declared.newest) if _is_there(declared, entry))
        return
    taken: set[str] = set()
    for place, entry in enumerate(array[:MOST_ENTRIES] if isinstance(array, list) else ()):
        name = text_at(entry, *declared.name) or ""
        name = _free(name if slug(name) else str(place), taken)
        taken.add(slug(name))
        if _counts(declared, entry) if every else _is_there(declared, entry):
            yield entry, name


def _free(name: str, taken: set[str]) -> str:
    """Number a name that reads like one before it."""
    free, number = name, 1
    while slug(free) in taken:
        number += 1
        free = f"{name[: _LONGEST_NAME - len(str(number)) - 1]} {number}"
    return free


def _newest(array: object, time: str) -> list[object]:
    """Choose the entry with the latest time; none where no entry tells one."""
    entries = array[:MOST_ENTRIES] if isinstance(array, list) else []
    timed = [(told_ns, n) for n, entry in enumerate(entries) if (told_ns := device_time_ns(point(entry, time)))]
    return [entries[max(timed)[1]]] if timed else []


def _is_there(declared: RedfishValue, entry: object) -> bool:
    return point(entry, declared.pointer) is not MISSING and _fits(declared, entry)


def _counts(declared: RedfishValue, entry: object) -> bool:
    return point(entry, "/Status/State") != ABSENT and _fits(declared, entry)


def _fits(declared: RedfishValue, entry: object) -> bool:
    return _holds(declared.when, entry) and (declared.unless is None or not _holds(declared.unless, entry))


def _value(declared: RedfishValue, entry: object, name: str, document: object) -> Value:
    number = figure_of(point(entry, declared.pointer))
    value = math.nan if number is None else number * declared.scale
    interval_min = None if declared.interval is None else figure_of(point(entry, declared.interval))
    state = _idle_state(entry, declared.pointer)
    foreign_unit = _foreign_unit(declared, entry)
    quality = _judge(value, state, declared, interval_min)
    if foreign_unit is not None:
        quality |= Quality.INVALID
    if declared.quantity == "power" and _is_beyond(value, declared, entry, document):
        quality |= Quality.ABOVE_LIMIT | Quality.IMPLAUSIBLE
    return Value(
        channel=declared.channel.replace("{name}", slug(name) or "x"),
        label=declared.label.replace("{name}", name),
        declared=declared,
        value=value,
        quality=quality,
        device_time_ns=_time_of(declared, entry, document),
        interval_min=interval_min,
        state=state,
        foreign_unit=foreign_unit,
    )


def _time_of(declared: RedfishValue, entry: object, document: object) -> int | None:
    if declared.newest is not None:
        return device_time_ns(point(entry, declared.newest))
    return None if declared.time is None else device_time_ns(point(document, declared.time))


def _idle_state(entry: object, pointer: str) -> str | None:
    """Find a state that says that nothing is measured: at the number, or at anything that holds it."""
    steps = pointer.split("/")
    states = [text_at(entry, "/".join([*steps[:n], "Status", "State"])) for n in range(1, len(steps))]
    return next((state for state in states if state is not None and state.casefold() in _NOT_THERE), None)


def _foreign_unit(declared: RedfishValue, entry: object) -> str | None:
    """Find the unit beside a reading where that is not the declared one; it may change while the service runs."""
    holder, _, last = declared.pointer.rpartition("/")
    unit = text_at(entry, f"{holder}/ReadingUnits") if last == "Reading" and declared.unit in UNITS else None
    return None if unit is None or unit in UNITS[declared.unit] else unit


def _is_beyond(power_w: float, declared: RedfishValue, entry: object, document: object) -> bool:
    """Return whether a power is far above what its own entry, else the supplies together, can give."""
    holder = declared.pointer.rpartition("/")[0]
    places = [f"{base}{limit}" for limit in _LIMITS for base in dict.fromkeys((holder, ""))]
    limits = [figure_of(point(entry, place)) for place in places]
    supplies = point(document, "/PowerSupplies")
    if declared.whole and isinstance(supplies, list):
        capacities = [figure_of(point(supply, "/PowerCapacityWatts")) for supply in supplies[:MOST_ENTRIES]]
        known = [capacity for capacity in capacities if capacity is not None]
        limits.append(sum(known) if len(known) == len(supplies) else None)
    most_w = next((limit for limit in limits if limit is not None and limit > 0), None)
    return most_w is not None and power_w > BEYOND_LIMIT * most_w


def _judge(value: float, state: str | None, declared: RedfishValue, interval_min: float | None) -> Quality:
    if not math.isfinite(value) or state is not None:
        return Quality.INVALID
    if declared.unit == "W" and value == NO_VALUE_W:
        return Quality.SATURATED
    if declared.positive and 0 <= value <= LEAST_SERVER_W:
        return Quality.INVALID
    longest_min = declared.longest_interval_min
    if longest_min is not None and (interval_min is None or not 0 < interval_min <= longest_min):
        return Quality.INVALID
    limits = declared.limits
    if limits is not None and not limits[0] <= value <= limits[1]:
        return Quality.IMPLAUSIBLE
    return Quality.GOOD


def _holds(condition: Condition | None, document: object) -> bool:
    if condition is None:
        return True
    value = point(document, condition.pointer)
    if isinstance(value, str) and condition.matches is not None and re.fullmatch(condition.matches, value):
        return True
    return value in condition.one_of


def unique(values: Sequence[Value], taken: set[str]) -> list[Value]:
    """Filter out values of channels that exist already."""
    kept: dict[str, Value] = {}
    for value in values:
        if value.channel not in taken:
            kept.setdefault(value.channel, value)
    return list(kept.values())
