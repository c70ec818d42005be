"""Turn a plug's answer into values of channels. Pure: any JSON gives values that are numbers or flagged."""

from __future__ import annotations

import math
from dataclasses import dataclass

from wattmark_drivers.catalogue.http_map import HttpFlag, HttpRequest, HttpValue, JsonValues
from wattmark_drivers.errors import ConfigurationError
from wattmark_drivers.http_client.json_body import MISSING, number_of, point
from wattmark_drivers.physics import behind_open_relay
from wattmark_drivers.reading import Quality

OFF = (False, "OFF")
"""What a declaration writes for "off" or "not so"; firmware and bridges write it in other ways too."""
OFF_WORDS = ("false", "off", "0")
_QUALITIES = {"invalid": Quality.INVALID, "over-range": Quality.OVER_RANGE}


@dataclass(frozen=True, slots=True)
class PlugValue:
    """One value of one channel; NaN and INVALID where there is no number, ``present`` False where there is no place."""

    declared: HttpValue
    value: float
    quality: Quality
    present: bool


def values_of(table: JsonValues, document: object, output: int, first_output: int) -> list[PlugValue]:
    """Read the declared values of an answer."""
    return [_value(table, value, document, output, output - first_output) for value in table.values]


def is_for(request: HttpRequest, document: object, output: int) -> bool:
    """Return whether a reply is about this output, as far as it shows."""
    return request.output_at is None or point(document, request.output_at) in (output, MISSING)


def require_one_power(table: JsonValues, document: object, label: str, first_output: int) -> None:
    """Refuse a list of powers where the address names no output. Raises `ConfigurationError`."""
    places = [point(document, value.pointer) for value in table.values if value.channel == "power"]
    listed = max((len(place) for place in places if isinstance(place, list)), default=0)
    if listed > 1:
        raise ConfigurationError(
            f"{label} gives {listed} powers, one for each output or phase, and the address names none.",
            f"Add the output to the address, {first_output} to {first_output + listed - 1}; for their sum, enter each "
            "as a meter and add them at the server.",
        )


def _value(table: JsonValues, declared: HttpValue, document: object, output: int, place: int) -> PlugValue:
    raw = point(document, declared.pointer.replace("{output}", str(output)))
    if isinstance(raw, list):
        raw = raw[place] if 0 <= place < len(raw) else MISSING
    elif _is_of_first(table, declared, place) or _is_sum(declared, document):
        raw = MISSING
    number = number_of(raw)
    if number is None or number in declared.invalid:
        return PlugValue(declared, math.nan, Quality.INVALID, present=raw is not MISSING)
    value = number * declared.scale
    flagged = _flagged(table, declared, document, output, value)
    return PlugValue(declared, value, _limited(declared, value) | flagged, True)


def _is_of_first(table: JsonValues, declared: HttpValue, place: int) -> bool:
    """Return whether a number outside any list belongs to the first output, and another one is meant."""
    of_one = table.of_one_output or "{output}" in declared.pointer
    return place > 0 and not declared.shared and not of_one


def _is_sum(declared: HttpValue, document: object) -> bool:
    """Return whether the device gives one number for all outputs where another value comes as a list of them."""
    return declared.listed_with is not None and isinstance(point(document, declared.listed_with), list)


def _limited(declared: HttpValue, value: float) -> Quality:
    if declared.limits is not None and not declared.limits[0] <= value <= declared.limits[1]:
        return Quality.IMPLAUSIBLE
    return Quality.GOOD


def _flagged(table: JsonValues, declared: HttpValue, document: object, output: int, value: float) -> Quality:
    quality = Quality.GOOD
    for flag in table.flags:
        if (not flag.channels or declared.channel in flag.channels) and _says(flag, document, output):
            relay_off = flag.quality == "relay-off"
            quality |= behind_open_relay(declared.quantity, value) if relay_off else _QUALITIES[flag.quality]
    return quality


def _says(flag: HttpFlag, document: object, output: int) -> bool:
    value = point(document, flag.pointer.replace("{output}", str(output)))
    if isinstance(value, list):
        return flag.says in [item for item in value if isinstance(item, str)]
    if flag.says in OFF:
        return str(value).casefold() in OFF_WORDS
    return type(value) is type(flag.says) and value == flag.says
