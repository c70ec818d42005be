"""DCMI power reading (DCMI 1.5, 6.6.1) as `ipmitool raw` prints it."""

from __future__ import annotations

import struct
from dataclasses import dataclass

from wattmark_drivers.errors import BadReply

COMMAND = "raw 0x2c 0x02 0xdc 0x01 0x00 0x00"
ASSET_TAG_COMMAND = "raw 0x2c 0x06 0xdc 0x00 0x10"
"""The first 16 bytes of the asset tag (DCMI 1.5, 6.4.2)."""
GUID_COMMAND = "raw 0x06 0x37"
"""Get System GUID (IPMI 2.0, 22.14)."""
GROUP = 0xDC
ACTIVE = 0x40
LARGEST_W = 0xFFFF
NO_TIMES_S = frozenset({0, 0xFFFFFFFF})
"""Time stamps that mean none: never set, and "unspecified" (IPMI 2.0, 37)."""
SINCE_START_S = 0x20000000
"""Time stamps up to here [s] count from the start of the BMC (IPMI 2.0, 37)."""
_LAYOUT = struct.Struct("<BH2xH2xIIB")
"""Group, present power, its minimum, maximum and mean, time, period of these three [ms], state."""
COUNTED_MS = 1000
"""Over a shorter period many BMCs repeat the present value as its own maximum, or what they had at their start."""
BEYOND_MOST = 2.0
"""A maximum may be that of the period before; power is never this many times as high."""


@dataclass(frozen=True, slots=True)
class DcmiPower:
    """One answer: present power [W], and the BMC's own time [s], None where it keeps none.

    Minimum and mean are left out: many BMCs fill them with the present value and 1 ms, others count since their start.
    """

    present_w: int
    time_s: int | None
    most_w: int | None
    """Its maximum over the BMC's own period [W]; None where it keeps none."""
    active: bool
    """Whether the BMC reports that it measures power. Some deny it and still give the right power."""

    @property
    def beyond_most(self) -> bool:
        """Return whether the present power is far above the BMC's own maximum."""
        return self.most_w is not None and self.present_w > BEYOND_MOST * self.most_w

    @property
    def utc_ns(self) -> int | None:
        """Return the BMC's time [ns since 1970 UTC]; None where it keeps none, or counts from its start."""
        return None if self.time_s is None or self.time_s <= SINCE_START_S else self.time_s * 1_000_000_000


def parse_dcmi_power(text: str) -> DcmiPower:
    """Parse the hexadecimal bytes, wrapped over lines, little-endian. Raises `BadReply`.

    Bytes that follow are the maker's own, but a second answer is not.
    """
    reply = parse_raw(text)
    if not _LAYOUT.size <= len(reply) < 2 * _LAYOUT.size:
        raise BadReply(f"The BMC's power reading is {len(reply)} bytes long instead of {_LAYOUT.size}.")
    group, present_w, most_w, time_s, period_ms, state = _LAYOUT.unpack_from(reply)
    if group != GROUP:
        raise BadReply("The BMC's power reading is not a DCMI answer.")
    counted = most_w > 0 and period_ms >= COUNTED_MS
    return DcmiPower(
        present_w, None if time_s in NO_TIMES_S else time_s, most_w if counted else None, bool(state & ACTIVE)
    )


def parse_asset_tag(text: str) -> str:
    """Parse the asset tag: group, its whole length, its first bytes. Raises `BadReply`."""
    reply = parse_raw(text)
    if len(reply) < 2 or reply[0] != GROUP:
        raise BadReply("The BMC's asset tag is not a DCMI answer.")
    return reply[2 : 2 + reply[1]].decode("utf-8", "replace").strip("\0 ")


def parse_guid(text: str) -> str | None:
    """Parse the GUID of the system; None for one that does not identify a system. Raises `BadReply`."""
    guid = parse_raw(text)
    if len(guid) != 16:
        raise BadReply("The BMC's GUID is not 16 bytes long.")
    return f"GUID {guid.hex()}" if len(set(guid)) > 1 else None


def parse_raw(text: str) -> bytes:
    """Parse what `ipmitool raw` prints. Raises `BadReply`."""
    try:
        return bytes.fromhex("".join(text.split()))
    except ValueError:
        raise BadReply("ipmitool did not print hexadecimal bytes.") from None
