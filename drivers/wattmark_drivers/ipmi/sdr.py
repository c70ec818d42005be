"""Sensors of a BMC as `ipmitool sdr elist full` prints them."""

from __future__ import annotations

import re
from dataclasses import dataclass

LIST_COMMAND = "sdr elist full"
SUPPLIES_COMMAND = "sdr type 0x08"
"""The sensors of type Power Supply (IPMI 2.0, table 42-3), of which the list above has those with numbers only."""
UNREAD = ("ns", "na")
"""States of a sensor that was not read: what stands beside them is no reading."""
_ROW = re.compile(
    r"(?P<name>.*\S|)\s*\| (?P<number>[0-9A-Fa-f]{2})h \| (?P<state>\w+)\s*\|"
    r"\s*(?P<entity>\d+\.\d+) \| ?(?P<reading>.*)"
)
_VALUE = re.compile(r"(-?[0-9]{1,12}(?:\.[0-9]{1,12}|,[0-9]{1,2})?) ([^,]*[^,\s])\s*(?:,.*)?")
"""A number and its unit; after a comma follow states, such as "110 Watts, Presence detected".

A decimal comma is read with one or two digits behind it: three may mean thousands, and are rejected.
"""


@dataclass(frozen=True, slots=True)
class SensorRow:
    """One sensor: number and entity identify it, the name may be garbled; value None where it has no reading."""

    name: str
    number: int
    entity: str
    state: str
    value: float | None
    unit: str

    @property
    def key(self) -> tuple[int, str]:
        """Identify the sensor; the number alone repeats where satellite controllers own sensors."""
        return (self.number, self.entity)

    def may_be(self, other: SensorRow) -> bool:
        """Return whether a row of an earlier list can be this sensor: one without a reading shows no unit."""
        return self.name == other.name and (self.unit == other.unit or not self.unit or not other.unit)


def parse_sensor_list(text: str) -> list[SensorRow]:
    """Parse the list; lines that are not sensors are skipped."""
    return [_row(match) for line in text.splitlines() if (match := _ROW.fullmatch(line.rstrip()))]


def parse_supplies(text: str) -> dict[str, str]:
    """Read the states of power supplies by name: "Presence detected, Power Supply AC lost".

    A sensor with a number is a measurement and no state. A supply that asserts nothing is not there.
    """
    states: dict[str, str] = {}
    for line in text.splitlines():
        match = _ROW.fullmatch(line.rstrip())
        if match is None or _VALUE.fullmatch(match["reading"]):
            continue
        name = match["name"] or f"{match['number']}h"
        text_of_state = "not read" if match["state"] in UNREAD else match["reading"].strip() or "nothing asserted"
        states[f"{name} {match['entity']}" if name in states else name] = text_of_state
    return states


def _row(match: re.Match[str]) -> SensorRow:
    value = _VALUE.fullmatch(match["reading"])
    return SensorRow(
        name=match["name"],
        number=int(match["number"], 16),
        entity=match["entity"],
        state=match["state"],
        value=float(value[1].replace(",", ".")) if value and match["state"] not in UNREAD else None,
        unit=value[2] if value else "",
    )
