"""The inventory of a BMC as `ipmitool fru print` shows it (Platform Management FRU Information Storage, 1.0)."""

from __future__ import annotations

import re

from wattmark_drivers.errors import BadReply

COMMAND = "fru print 0"
"""Of the BMC itself; every user may read it (IPMI 2.0, appendix G)."""
_FIELD = re.compile(r"\s*(?P<name>(?:Chassis|Board|Product) [\w ]*\w)\s*: ?(?P<text>.*)")


def parse_serial(text: str) -> str:
    """Parse the serial number of the product; empty where it has none. Raises `BadReply` where there is no product."""
    fields = {match["name"]: match["text"].strip() for line in text.splitlines() if (match := _FIELD.fullmatch(line))}
    if not any(name.startswith("Product ") for name in fields):
        raise BadReply("The BMC shows no product in its inventory.")
    return fields.get("Product Serial", "")
