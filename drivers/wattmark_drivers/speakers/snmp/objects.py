"""The objects of an SNMP device, by their identifiers. Pure."""

from __future__ import annotations

from wattmark_drivers.catalogue.snmp_map import FIRST_UNIT, SnmpMap, SnmpValue, numbered
from wattmark_drivers.identity import SIMULATOR_MARK
from wattmark_drivers.speakers.face import Absent, Face
from wattmark_drivers.speakers.indication import Indication
from wattmark_drivers.speakers.snmp.entity import NO_TYPE, entity_objects
from wattmark_drivers.speakers.snmp.message import Oid, Ticks, Value

FIRST = 1
"""The outlet, inlet or unit that carries the load; the others are not there."""
SYSTEM = "1.3.6.1.2.1.1"
UP_TIME = (1, 3, 6, 1, 2, 1, 1, 3, 0)
APPLICATIONS = 1 << 6
"""The layer of services that an agent in a program has (RFC 3418, sysServices)."""
FINER_DIGITS = 2
"""More than a PDU usually has, where it tells how many digits its numbers have."""
MOST_DIGITS = 5
TICKS_END = 2**32
"""Where TimeTicks begin again (RFC 2578, 7.1.8)."""
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
    objects |= _unit(table)
    if table.relay is not None:
        objects[parse(table.relay.oid)] = table.relay.on
    if table.accuracy is not None:
        objects[parse(table.accuracy.oid)] = table.accuracy.usual
    for value in table.values:
        objects |= _objects(value, indication.value(value) if indication else None, now_s)
    return objects


def face_objects(
    table: SnmpMap, face: Face, indication: Indication | None, absent: Absent | None, now_s: float, started_s: float
) -> dict[Oid, Value]:
    """Encode a meter behind a face: as the declared outlet, and as sensors of one entity.

    A number that is missing is not there, unless the declaration has one that means it. The limit of error that the
    PDU would tell is not told, for it is not that of the meter; nor is the state of a relay, which nobody knows.
    """
    read_s = now_s if indication is None or indication.t_ns is None else indication.t_ns / 1e9
    hundredths = max(0, int((read_s - started_s) * 100)) % TICKS_END
    objects: dict[Oid, Value] = {
        **entity_objects(face, indication, absent, Ticks(hundredths)),
        UP_TIME: Ticks(0),
    }
    for oid, text in ((table.serial_oid, face.marked(face.serial)), (table.firmware_oid, face.firmware)):
        if oid is not None:
            objects[parse(oid)] = text
    described = f"{face.maker} {face.firmware}, {face.model}" + (f", serial number {face.serial}" * bool(face.serial))
    system: dict[str, Value] = {"1": face.marked(described), "2": NO_TYPE, "4": "", "5": face.marked(face.model)}
    system |= {"6": "", "7": APPLICATIONS}
    objects |= {parse(f"{SYSTEM}.{part}.0"): value for part, value in system.items()}
    objects |= _unit(table)
    for value in table.values:
        shown = indication.value(value) if indication else None
        if shown is not None and value.wraps_at is not None:
            shown %= value.wraps_at  # a counter begins again where the device's does, and does not stand at its end
        finer = _finer(value)
        raw = {parse(value.oid)} if shown is None and not value.absent else set()
        objects |= {oid: number for oid, number in _objects(finer, shown, read_s).items() if oid not in raw}
    return objects


def _finer(value: SnmpValue) -> SnmpValue:
    """Give a value more digits, where the device tells how many it has; a counter needs its digits before the point."""
    if value.digits is None or value.quantity == "energy":
        return value
    digits = value.digits.model_copy(update={"usual": min(MOST_DIGITS, value.digits.usual + FINER_DIGITS)})
    return value.model_copy(update={"digits": digits})


def _unit(table: SnmpMap) -> dict[Oid, int | str]:
    """Encode which unit of a chain it is, where units are numbered."""
    return {} if table.unit_oid is None else {parse(table.unit_oid): FIRST_UNIT}


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
