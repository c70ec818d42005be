"""Turn answers of a TP-Link plug into values of channels. Pure: any JSON gives numbers, or values that are flagged."""

from __future__ import annotations

import math
from dataclasses import dataclass

from wattmark_drivers.catalogue.kasa_map import Dialect, KasaMap, KasaPlace, KasaValue
from wattmark_drivers.http_client.json_body import number_of, point, text_at
from wattmark_drivers.reading import Quality

IDENTITY: dict[Dialect, str] = {"iot": "system/get_sysinfo", "smart": "get_device_info"}
"""The query for a device's identity, by dialect."""
_ERROR_CODES = ("err_code", "error_code")
APART = 3.0
APART_W = 5.0
"""Two places that show one power differ by less, though one may be an update older than the other."""
_FIRMWARE: dict[Dialect, str] = {"iot": "sw_ver", "smart": "fw_ver"}


@dataclass(frozen=True, slots=True)
class Who:
    """A device's description of itself; the model without its region: ``HS110(EU)`` is HS110."""

    model: str | None
    serial: str | None
    firmware: str | None


def who_is(dialect: Dialect, document: object) -> Who:
    """Read the identity. The serial number is the MAC address: neither dialect reports another one without a secret."""
    at = f"/{IDENTITY[dialect]}"
    model = text_at(document, f"{at}/model")
    serial, firmware = text_at(document, f"{at}/mac"), text_at(document, f"{at}/{_FIRMWARE[dialect]}")
    return Who(model.partition("(")[0] if model else None, serial, firmware)


def child_id(document: object, outlet: int) -> str | None:
    """Find the identifier of an outlet of a strip, counted from 1."""
    return text_at(document, f"/{IDENTITY['iot']}/children/{outlet - 1}/id")


def relay_is_off(dialect: Dialect, document: object, outlet: int | None) -> bool:
    """Return whether a device reports that its relay, or that of an outlet of a strip, is off."""
    if dialect == "smart":
        return point(document, f"/{IDENTITY[dialect]}/device_on") is False
    at = "relay_state" if outlet is None else f"children/{outlet - 1}/state"
    return number_of(point(document, f"/{IDENTITY[dialect]}/{at}")) == 0


def find_places(table: KasaMap, document: object) -> dict[str, KasaPlace]:
    """Find where this device has each channel; channels that it does not measure are missing."""
    chosen: dict[str, KasaPlace] = {}
    for value in table.values:
        place = next((item for item in value.places if number_of(point(document, item.pointer)) is not None), None)
        if place is not None:
            chosen[value.channel] = place
    return chosen


def value_at(declared: KasaValue, place: KasaPlace, document: object) -> tuple[float, Quality]:
    """Read a value [unit]; NaN where the answer holds no number there, or an error code beside it."""
    value = _number_at(place, document)
    if value is None:
        return math.nan, Quality.INVALID
    if declared.quantity == "power" and any(_is_apart(value, other, document) for other in declared.places):
        return value, Quality.AT_ODDS | Quality.IMPLAUSIBLE
    if declared.limits is not None and not declared.limits[0] <= value <= declared.limits[1]:
        return value, Quality.IMPLAUSIBLE
    return value, Quality.GOOD


def _number_at(place: KasaPlace, document: object) -> float | None:
    holder = place.pointer.rpartition("/")[0]
    if any(number_of(point(document, f"{holder}/{code}")) for code in _ERROR_CODES):
        return None
    number = number_of(point(document, place.pointer))
    return None if number is None else number * place.scale


def _is_apart(value: float, other: KasaPlace, document: object) -> bool:
    """Return whether another place shows quite another power: firmware that gives watts where others give mW."""
    elsewhere = _number_at(other, document)
    if elsewhere is None:
        return False
    low, high = sorted((abs(value), abs(elsewhere)))
    return high > APART * low and high - low > APART_W
