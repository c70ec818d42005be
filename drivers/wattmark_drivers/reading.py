"""The unit of measurement data: one value of one channel, with its stamp, kind, range and quality."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import IntFlag, StrEnum
from typing import NamedTuple


class Kind(StrEnum):
    """How a value relates to its stamp."""

    AVERAGED = "averaged"
    """Mean over the interval that ends at the stamp."""
    INSTANTANEOUS = "instantaneous"
    """Value at the stamp."""
    COUNTER = "counter"
    """Running total (an energy register); only differences mean something."""


class Quality(IntFlag):
    """Flags of a reading; 0 is good. Stored as an unsigned 16-bit number."""

    GOOD = 0
    INVALID = 1
    """The device gave an error sentinel, a NaN or an unreadable field; the value must not be used."""
    STALE = 2
    """Nothing new arrived for more than three updates, by the device's own time or counter where it has one."""
    RETRIED = 4
    """The value answers a repeated request, so it may be older than its stamp says."""
    IMPLAUSIBLE = 8
    """Outside the limits that the model's declaration gives for this quantity; must not be used."""
    OVER_RANGE = 16
    """The instrument reports over-range or peak-over: no measurement. The true value is at least a finite one here."""
    SATURATED = 32
    """The value sits at the end of its number format (an 8-bit sensor at 255)."""
    SIMULATED = 64
    """A simulator gave the value. It may enter an average like any other, and the average is simulated then."""
    HOST_OFF = 128
    """The BMC says that its server is switched off; the server power that it then reports is not a measurement."""
    EXCEEDS_VA = 256
    """More watts than volts times amperes of the same answer; this flag and all below accompany `IMPLAUSIBLE`."""
    NO_VOLTAGE = 512
    """Watts while the volts of the same answer are zero."""
    RELAY_OFF = 1024
    """Watts through a relay that is off by the same answer."""
    ABOVE_LIMIT = 2048
    """Power above twice the limit that the device itself reports."""
    NO_VALUE = 4096
    """A number that means "no value": all ones, or the end of an integer format."""
    NOT_LIVE = 8192
    """Volts, amperes and hertz of the answer are all zero, or the volts of a device that lives on them."""
    AT_ODDS = 16384
    """Hardly any watts beside live volt-amperes, a total that is not the sum of its phases or that counts a phase
    wrongly, or watts of an answer whose volts and hertz are none."""

    @property
    def usable(self) -> bool:
        """Return whether the value may enter an average."""
        return not self & UNUSABLE


NO_BOUND = Quality.INVALID | Quality.IMPLAUSIBLE | Quality.SATURATED
"""Any of these leaves nothing to go by, not even a least value."""
UNUSABLE = NO_BOUND | Quality.OVER_RANGE | Quality.HOST_OFF
"""Any of these keeps a value out of averages."""
IMPOSSIBLE = (
    Quality.EXCEEDS_VA
    | Quality.NO_VOLTAGE
    | Quality.RELAY_OFF
    | Quality.ABOVE_LIMIT
    | Quality.NO_VALUE
    | Quality.NOT_LIVE
    | Quality.AT_ODDS
)
"""Flags of values that contradict physics, alone or with the other values of their reply."""
REASONS: dict[Quality, str] = {
    Quality.EXCEEDS_VA: "more watts than volts times amperes",
    Quality.NO_VOLTAGE: "watts without volts",
    Quality.RELAY_OFF: "watts though the relay is off",
    Quality.ABOVE_LIMIT: "far above the device's own limit",
    Quality.NO_VALUE: 'a number that means "no value"',
    Quality.NOT_LIVE: "zero volts and hertz, as no live meter shows",
    Quality.AT_ODDS: "at odds with the volts, amperes, hertz or phases of the same answer",
    Quality.HOST_OFF: "the server is switched off",
    Quality.SATURATED: "at the end of the number format",
    Quality.OVER_RANGE: "beyond the range",
    Quality.INVALID: "not a number",
    Quality.IMPLAUSIBLE: "outside the model's limits, or at odds with other values",
}
"""Why a reading is not used, in words; the first that holds is the reason."""


@dataclass(frozen=True, slots=True)
class Channel:
    """One measured quantity of one device.

    ``id`` is unique within the device ("power", "voltage_l1", "psu1_input_power"); ``quantity`` is one of the
    catalogue's quantities ("power", "voltage", "current", "energy", "temperature", "fan_speed", ...);
    ``unit`` is its unit in this product (W, V, A, VA, var, Hz, Wh, °C, RPM, %, 1).
    """

    id: str
    quantity: str
    unit: str
    kind: Kind
    label: str = ""
    resolution: float | None = None
    """Step of the last digit in ``unit``; None where the maker does not state it."""
    period_s: float | None = None
    """Time between readings of this channel [s] where it is slower than its device's other channels."""
    wraps_at: float | None = None
    """Value [unit] at which a counter begins again at 0; None where the maker does not state it."""


_PART = re.compile(r".+_(?:l|ch)([1-9])")


def part_of(channel: str) -> int | None:
    """Return the phase (`power_l2`) or element (`power_ch2`) that a channel's id names; None: the whole device."""
    match = _PART.fullmatch(channel)
    return int(match[1]) if match else None


class Reading(NamedTuple):
    """One value of one channel; a tuple, because a large bench makes thousands a second.

    ``t_ns`` is UTC in nanoseconds: the midpoint between request and answer for polled devices, the arrival for
    pushing ones. ``u_t_ns`` is its standard-uncertainty bound: half the round trip.
    """

    channel: str
    value: float
    unit: str
    t_ns: int
    u_t_ns: int
    kind: Kind
    range: str | None = None
    quality: Quality = Quality.GOOD
    device_time_ns: int | None = None
