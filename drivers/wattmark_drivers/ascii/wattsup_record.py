"""Turn a Watts Up? data record into values, by the names of its header record."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from wattmark_drivers.catalogue.wattsup_map import PushedField
from wattmark_drivers.errors import BadReply
from wattmark_drivers.reading import Quality

UNLOGGED = "_"
MOST_DIGITS = 10


@dataclass(frozen=True, slots=True)
class FieldValue:
    """One field of a record in its unit."""

    field: PushedField
    value: float
    quality: Quality


def decode_record(fields: Sequence[PushedField], header: Sequence[str], arguments: Sequence[str]) -> list[FieldValue]:
    """Decode a data record; unlogged fields are excluded. Raises `BadReply` for a record that is not whole.

    A record carries no checksum. Its numbers must fit together (VA with V x A, PF with W / VA), else all of them are
    marked implausible: a lost or changed digit does not pass for a measurement.
    """
    if len(arguments) != len(header):
        raise BadReply(f"A record with {len(arguments)} values for {len(header)} names was dropped.")
    by_name = {name.upper(): text for name, text in zip(header, arguments, strict=True) if text != UNLOGGED}
    if any(not _is_number(text) for text in by_name.values()):
        raise BadReply("A record with values that are not whole numbers was dropped.")
    numbers = {name: int(text) for name, text in by_name.items()}
    doubt = Quality.GOOD if fits_together(numbers) else Quality.IMPLAUSIBLE
    return [_scale(field, numbers[field.field.upper()], doubt) for field in fields if field.field.upper() in numbers]


def fits_together(numbers: dict[str, int]) -> bool:
    """Return whether W, V, A, VA and PF of one record can be of one moment.

    The limits are wide (15 % for VA, 5 points for PF, light loads not judged): the maker warns that current and power
    factor degrade below 60 W, and recorded devices differ by up to 7 %. A lost digit is a factor of ten.
    """
    watts, volts, amperes, volt_amperes, factor = (numbers.get(name) for name in ("W", "V", "A", "VA", "PF"))
    if volt_amperes is None:
        return True
    if volts is not None and amperes is not None:
        product = volts * amperes / 1000
        if abs(product - volt_amperes) > 0.15 * max(product, volt_amperes) + 50:
            return False
    if watts is not None and factor is not None and max(watts, volt_amperes) >= 600:
        return abs(100 * watts - factor * volt_amperes) <= 5 * max(watts, volt_amperes)
    return True


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) <= MOST_DIGITS


def _scale(field: PushedField, number: int, doubt: Quality) -> FieldValue:
    value = number / field.divisor
    if field.limits and not field.limits[0] <= value <= field.limits[1]:
        return FieldValue(field, value, doubt | Quality.IMPLAUSIBLE)
    return FieldValue(field, value, doubt)
