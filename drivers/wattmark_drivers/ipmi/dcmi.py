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
_LAYOUT = struct.Struct("<BHHHHIIB")


@dataclass(frozen=True, slots=True)
class DcmiPower:
    """One answer: present, smallest, largest and mean power [W], BMC time [s], statistics period [ms], state."""

    present_w: int
    minimum_w: int
    maximum_w: int
    mean_w: int
    time_s: int
    period_ms: int
    state: int

    @property
    def active(self) -> bool:
        """Return whether the BMC measures power at all."""
        return bool(self.state & ACTIVE)


def parse_dcmi_power(text: str) -> DcmiPower:
    """Parse the hexadecimal bytes, wrapped over lines, little-endian. Raises `BadReply`."""
    try:
        group, *numbers = _LAYOUT.unpack(parse_raw(text))
    except struct.error:
        raise BadReply(f"The BMC's power reading is not {_LAYOUT.size} bytes long.") from None
    if group != GROUP:
        raise BadReply("The BMC's power reading is not a DCMI answer.")
    return DcmiPower(*numbers)


def parse_asset_tag(text: str) -> str:
    """Parse the asset tag: group, its whole length, its first bytes. Raises `BadReply`."""
    reply = parse_raw(text)
    if len(reply) < 2 or reply[0] != GROUP:
        raise BadReply("The BMC's asset tag is not a DCMI answer.")
    return reply[2 : 2 + reply[1]].decode("utf-8", "replace").strip("\0 ")


def parse_guid(text: str) -> str | None:
    """Parse the GUID of the system; None for one that no system is told apart by. Raises `BadReply`."""
    guid = parse_raw(text)
    if len(guid) != 16:
        raise BadReply("The BMC's GUID is not 16 bytes long.")
    return f"GUID {guid.hex()}" if len(set(guid)) > 1 else None


def parse_raw(text: str) -> bytes:
    """Parse what `ipmitool raw` prints. Raises `BadReply`."""
    try:
        return bytes.fromhex("".join(text.split()))
    except ValueError:
        raise BadReply("ipmitool printed something else than hexadecimal bytes.") from None
