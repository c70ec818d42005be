"""The objects of an SNMP device, by their identifiers. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from wattmark_drivers.catalogue.snmp_map import FIRST_UNIT, SnmpMap, SnmpValue, numbered
from wattmark_drivers.identity import SIMULATOR_MARK
from wattmark_drivers.speakers.indication import Indication

Oid = tuple[int, ...]
Objects = Mapping[Oid, int | str]
FIRST = 1
"""The outlet, inlet or unit that carries the load; the others are not there."""
SYSTEM = "1.3.6.1.2.1.1"
LOWEST, HIGHEST = -(2**31), 2**32 - 1
"""Of Integer32 and of Unsigned32 (RFC 2578, 2)."""


def objects_of(table: SnmpMap, indication: Indication | None, serial: int, now_s: float) -> dict[Oid, int | str]:
    """Encode one indication, with digits, units, states and times as the declaration has them."""
    objects: dict[Oid, int | str] = {
        parse(f"{SYSTEM}.1.0"): f"{SIMULATOR_MARK} device",
        parse(f"{SYSTEM}.5.0"): SIMULATOR_MARK,
    }
    for oid, text in ((table.serial_oid, f"{SIMULATOR_MARK}-{serial}"), (table.firmware_oid, f"{SIMULATOR_MARK} 1.0")):
        if oid is not None:
            objects[parse(oid)] = text
    if table.unit_oid is not None:
        objects[parse(table.unit_oid)] = FIRST_UNIT
    if table.relay is not None:
        objects[parse(table.relay.oid)] = table.relay.on
    if table.accuracy is not None:
        objects[parse(table.accuracy.oid)] = table.accuracy.usual
    for value in table.values:
        objects |= _objects(value, indication.value(value) if indication else None, now_s)
    return objects


def raw_of(value: SnmpValue, true_value: float) -> int:
    """Encode a value [unit] as the number that the device shows; beyond its type it sticks at the end."""
    digits = value.digits.usual if value.digits else 0
    return max(LOWEST, min(HIGHEST, round(true_value / value.scale * float(10**digits))))


def parse(oid: str) -> Oid:
    """Parse a dotted identifier."""
    return tuple(int(part) for part in numbered(oid, FIRST).split("."))


def _objects(value: SnmpValue, true_value: float | None, now_s: float) -> dict[Oid, int | str]:
    """Encode a value; a missing one by the state beside it or the number that means it, else it is not there."""
    objects: dict[Oid, int | str] = {}
    if true_value is not None:
        objects[parse(value.oid)] = raw_of(value, true_value)
    elif value.states or value.absent:
        objects[parse(value.oid)] = value.absent[0] if value.absent else 0
    if value.digits is not None:
        objects[parse(value.digits.oid)] = value.digits.usual
    if value.measured_in is not None:
        objects[parse(value.measured_in.oid)] = value.measured_in.code
    for state in value.states:
        objects[parse(state.oid)] = state.usual if true_value is not None else state.unavailable[0]
    if value.time_oid is not None and true_value is not None:
        objects[parse(value.time_oid)] = int(now_s)
    return objects
