"""Turn the objects of an answer into values of channels. Pure: any answer gives numbers, flagged values or an error."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from wattmark_drivers.catalogue.snmp_map import SnmpValue, numbered
from wattmark_drivers.errors import BadReply, ConfigurationError
from wattmark_drivers.reading import Quality

MOST_DIGITS = 9
EARLIEST_S = 946_684_800
"""A device whose clock says less than the year 2000 was never set [s since 1970]."""
Objects = Mapping[str, int | str | None]


@dataclass(frozen=True, slots=True)
class SnmpChannel:
    """A channel that this device has: its objects with the number of the address, and the factor to its unit."""

    declared: SnmpValue
    number: int
    factor: float

    @property
    def oids(self) -> list[str]:
        """List the objects that each poll reads."""
        return [numbered(oid, self.number) for oid in self.declared.polled]

    @property
    def wraps_at(self) -> float | None:
        """Return where a counter begins again at 0 [unit]: the declared value counts at the usual digits."""
        declared = self.declared
        if declared.wraps_at is None or declared.digits is None:
            return declared.wraps_at
        usual_factor: float = declared.scale / 10**declared.digits.usual
        return declared.wraps_at * self.factor / usual_factor

    def decode(self, objects: Objects) -> tuple[float, Quality, int | None]:
        """Decode value [unit], quality and the device's own time [ns] from an answer."""
        raw = _number(objects, self._oid(self.declared.oid))
        time_ns = None if self.declared.time_oid is None else _time_ns(objects.get(self._oid(self.declared.time_oid)))
        if raw is None or raw in self.declared.absent or self._unavailable(objects):
            return math.nan, Quality.INVALID, time_ns
        value = raw * self.factor
        return value, _limited(value, self.declared.limits), time_ns

    def _unavailable(self, objects: Objects) -> bool:
        if not is_of_unit(self.declared, self.number, objects):
            return True
        codes = [(state, _number(objects, self._oid(state.oid))) for state in self.declared.states]
        return any(code is None or code in state.unavailable for state, code in codes)

    def _oid(self, oid: str) -> str:
        return numbered(oid, self.number)


def is_of_unit(value: SnmpValue, number: int, objects: Objects) -> bool:
    """Return whether a row belongs to the unit of the address; where the device does not report it, by the numbers."""
    if value.unit_oid is None:
        return True
    unit = objects.get(numbered(value.unit_oid, number))
    return unit == number if isinstance(unit, int) else number == 1 or numbered(value.oid, number) != value.oid


def constants(value: SnmpValue, number: int) -> list[str]:
    """List the objects that are read once: digits and unit."""
    return [numbered(place.oid, number) for place in (value.digits, value.measured_in) if place is not None]


def find_channel(value: SnmpValue, number: int, objects: Objects) -> SnmpChannel | None:
    """Build a channel from the first answer; None where the device does not measure it.

    A device that tells a state of the number measures it, even where it has no number at present. Raises
    `ConfigurationError` when the device measures it in another unit, `BadReply` for impossible digits.
    """
    raw = _number(objects, numbered(value.oid, number))
    has_state = any(_number(objects, numbered(state.oid, number)) is not None for state in value.states)
    if raw in value.absent or (raw is None and not has_state):
        return None
    factor = value.scale
    if value.digits is not None:
        digits = _number(objects, numbered(value.digits.oid, number))
        if digits is None or not 0 <= digits <= MOST_DIGITS:
            raise BadReply(
                f"The device reports an impossible number of digits for {value.channel}.",
                "wattmark retries automatically.",
            )
        factor /= 10**digits
    if value.measured_in is not None:
        code = _number(objects, numbered(value.measured_in.oid, number))
        if code != value.measured_in.code:
            raise ConfigurationError(
                f"The device reports {value.channel} in unit {code}, not in {value.measured_in.code} ({value.unit}).",
                "Choose the model that fits the device.",
            )
    return SnmpChannel(value, number, factor)


def _number(objects: Objects, oid: str) -> int | None:
    answer = objects.get(oid)
    return answer if isinstance(answer, int) else None


def _time_ns(answer: object) -> int | None:
    return answer * 1_000_000_000 if isinstance(answer, int) and EARLIEST_S <= answer < 1 << 33 else None


def _limited(value: float, limits: tuple[float, float] | None) -> Quality:
    if limits is not None and not limits[0] <= value <= limits[1]:
        return Quality.IMPLAUSIBLE
    return Quality.GOOD
