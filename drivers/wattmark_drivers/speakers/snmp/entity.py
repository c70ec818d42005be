"""A meter as ENTITY-MIB (RFC 4133) and ENTITY-SENSOR-MIB (RFC 3433) describe it: one device with its sensors. Pure."""

from __future__ import annotations

import math
from typing import NamedTuple

from wattmark_drivers.identity import SIMULATOR_MARK
from wattmark_drivers.speakers.face import Absent, Face
from wattmark_drivers.speakers.indication import Indication
from wattmark_drivers.speakers.snmp.message import Name, Oid, Ticks, Value

PHYSICAL: Oid = (1, 3, 6, 1, 2, 1, 47, 1, 1, 1, 1)
LAST_CHANGE: Oid = (1, 3, 6, 1, 2, 1, 47, 1, 4, 1, 0)
SENSORS: Oid = (1, 3, 6, 1, 2, 1, 99, 1, 1, 1)
NO_TYPE = Name((0, 0))
"""zeroDotZero, for a kind of hardware that nobody registered."""
CHASSIS, SENSOR = 3, 8
"""Physical classes."""
NOT_REPLACEABLE = 2
OTHER, VOLTS, AMPERES, WATTS, HERTZ = 1, 3, 5, 6, 7
UNITS = 9
"""The scale 10^0."""
OK, UNAVAILABLE, NONOPERATIONAL = 1, 2, 3
STATUSES: dict[Absent | None, int] = {
    None: UNAVAILABLE,
    "waiting": UNAVAILABLE,
    "stale": UNAVAILABLE,
    "lost": NONOPERATIONAL,
    "over-range": NONOPERATIONAL,
    "not-accepted": NONOPERATIONAL,
}
"""The agent cannot obtain the value, or believes the sensor broken, of which out of range is a kind (RFC 3433)."""
OVERFLOW = 1_000_000_000
"""In place of a value that is too large."""


class MeterSensor(NamedTuple):
    """A sensor of the meter: its quantity, and how it is encoded."""

    quantity: str
    label: str
    kind: int
    unit: str
    digits: int


METER_SENSORS = (
    MeterSensor("power", "Active power", WATTS, "W", 3),
    MeterSensor("voltage", "Voltage", VOLTS, "V", 3),
    MeterSensor("current", "Current", AMPERES, "A", 3),
    MeterSensor("frequency", "Frequency", HERTZ, "Hz", 3),
    MeterSensor("apparent_power", "Apparent power", OTHER, "VA", 3),
    MeterSensor("reactive_power", "Reactive power", OTHER, "var", 3),
    MeterSensor("power_factor", "Power factor", OTHER, "1", 4),
)


def entity_objects(face: Face, indication: Indication | None, absent: Absent | None, read: Ticks) -> dict[Oid, Value]:
    """Lay out the device as entity 1 and its sensors as those after it; ``read`` is the time of the values.

    The value of a sensor that has none is not there, so that nobody takes 0 for it; one above the range overflows.
    """
    objects: dict[Oid, Value] = {LAST_CHANGE: Ticks(0)}
    _add(objects, PHYSICAL, 1, _physical(face.marked(face.model), CHASSIS, 0, -1, face))
    for index, sensor in enumerate(METER_SENSORS, 2):
        _add(objects, PHYSICAL, index, _physical(sensor.label, SENSOR, 1, index - 1, face))
        _add(objects, SENSORS, index, _reading(sensor, indication, absent, read))
    return objects


def _physical(name: str, kind: int, inside: int, place: int, face: Face) -> dict[int, Value]:
    """Write the columns of an entity, by their numbers."""
    whole = kind == CHASSIS
    return {
        2: name,
        3: NO_TYPE,
        4: inside,
        5: kind,
        6: place,
        7: name,
        8: "",
        9: "",
        10: face.firmware if whole else "",
        11: face.marked(face.serial) if whole else "",
        12: face.maker if whole else "",
        13: face.model if whole else "",
        14: "",
        15: SIMULATOR_MARK if whole and face.simulated else "",
        16: NOT_REPLACEABLE,
    }


def _reading(
    sensor: MeterSensor, indication: Indication | None, absent: Absent | None, read: Ticks
) -> dict[int, Value]:
    """Write the columns of a sensor, by their numbers."""
    value = indication.total.get(sensor.quantity, math.nan) if indication else math.nan
    columns: dict[int, Value] = {1: sensor.kind, 2: UNITS, 3: sensor.digits, 6: sensor.unit, 7: read, 8: 0}
    if math.isfinite(value):
        number = round(value * 10**sensor.digits)
        return columns | {4: max(-OVERFLOW, min(OVERFLOW, number)), 5: OK}
    columns[5] = STATUSES[absent]
    return columns | ({4: OVERFLOW} if absent == "over-range" else {})


def _add(objects: dict[Oid, Value], table: Oid, index: int, columns: dict[int, Value]) -> None:
    objects |= {(*table, column, index): value for column, value in columns.items()}
