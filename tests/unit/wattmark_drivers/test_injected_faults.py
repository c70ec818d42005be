"""Random faults in what devices of all protocols answer: no power that the same answer excludes is ever good.

WATTMARK_FAULTS sets how many faults are injected, WATTMARK_FAULT_SEED where they begin.
"""

from __future__ import annotations

import json
import os
import random
import struct
from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from wattmark_drivers.catalogue import Declaration, load_catalogue
from wattmark_drivers.catalogue.http_map import HttpMap, JsonValues
from wattmark_drivers.catalogue.kasa_map import KasaMap
from wattmark_drivers.catalogue.modbus_map import ModbusMap, Register, WordOrder
from wattmark_drivers.catalogue.mqtt_map import MqttMap
from wattmark_drivers.catalogue.protocol_map import DeclaredChannel
from wattmark_drivers.catalogue.snmp_map import SnmpMap
from wattmark_drivers.ipmi.dcmi import parse_dcmi_power
from wattmark_drivers.kasa.values import find_places, relay_is_off, value_at
from wattmark_drivers.meter import MeterIdentity
from wattmark_drivers.modbus.layout import CODES, lay_out
from wattmark_drivers.physics import Physics, behind_open_relay
from wattmark_drivers.plugs.values import values_of
from wattmark_drivers.reading import Channel, Kind, Quality, Reading
from wattmark_drivers.snmp.decode import SnmpChannel

FAULTS = int(os.environ.get("WATTMARK_FAULTS", "600"))
SEED = int(os.environ.get("WATTMARK_FAULT_SEED", "31"))
ENDS = (0x7FFF, 0x8000, 0xFFFF)
Truth = dict[str, float]
Answer = tuple[list[Reading], bool]
"""Readings, and whether the answer says by itself that no power of it can be right."""


def truth_of(rng: random.Random) -> Truth:
    volts, watts, factor = rng.uniform(226, 234), rng.uniform(60, 1800), rng.uniform(0.5, 1)
    return {
        "power": watts, "voltage": volts, "current": watts / factor / volts, "power_factor": factor,
        "apparent_power": watts / factor, "frequency": 50.0, "energy": 12_345.0,
    }  # fmt: skip


def value_of(item: DeclaredChannel, truth: Truth, phases: int) -> float:
    whole = phases if item.channel in ("power", "apparent_power") else 1
    return truth.get(item.quantity, 0.0) * whole


def marked(declaration: Declaration, values: Sequence[tuple[DeclaredChannel, float, Quality]]) -> list[Reading]:
    channels = [Channel(d.channel, d.quantity, d.unit, declaration.kind_of(d), d.label, d.step) for d, _, _ in values]
    identity = MeterIdentity(
        "m", declaration.id, "", "", indicative=declaration.indicative, suspicion=declaration.suspicion
    )
    readings = [Reading(d.channel, v, d.unit, 0, 0, declaration.kind_of(d), quality=q) for d, v, q in values]
    return Physics(identity, channels).mark(readings)


def encoded(register: Register, value: float) -> list[int]:
    raw = value / register.scale
    packed = struct.pack(">" + CODES[register.type], raw if register.type.is_float else round(raw))
    return list(struct.unpack(f">{register.type.words}H", packed))


def damage_words(words: dict[tuple[int, int], int], rng: random.Random) -> bool:
    """Damage registers in one of many ways; return whether nothing of them can be right."""
    kind, places = rng.randrange(6), list(words)
    if kind < 2:
        words.update(dict.fromkeys(words, (0xFFFF, 0)[kind]))
        return True
    place = rng.choice(places)
    if kind == 2:
        words[place] = rng.choice(ENDS)
    elif kind == 3:
        words[place] = rng.randrange(1 << 16)
    elif kind == 4:
        words[place] ^= 1 << rng.randrange(16)
    else:
        other = rng.choice(places)
        words[place], words[other] = words[other], words[place]
    return False


def modbus(declaration: Declaration, table: ModbusMap, rng: random.Random) -> Answer:
    truth, words = truth_of(rng), dict[tuple[int, int], int]()
    for register in table.registers:
        for place, word in enumerate(encoded(register, value_of(register, truth, table.phase_count))):
            words[register.function, register.address + place] = word
    dead = damage_words(words, rng)
    values: list[tuple[DeclaredChannel, float, Quality]] = []
    for block in table.blocks:
        data = [words.get((block.function, block.address + place), 0) for place in range(block.count)]
        if dead and any(word == 0xFFFF for word in data):
            data = [0xFFFF] * block.count
        layout = lay_out(block, table.registers, WordOrder.HIGH_FIRST)
        decoded = layout.decode(struct.pack(f">{block.count}H", *data))
        values += [(field.register, *pair) for field, pair in zip(layout.fields, decoded, strict=True)]
    mains = {"voltage", "current", "frequency"} <= {item.quantity for item in table.registers}
    ones = all(word == 0xFFFF for word in words.values())
    alone = any(len(lay_out(b, table.registers, WordOrder.HIGH_FIRST).fields) == 1 for b in table.blocks)
    return marked(declaration, values), dead and ((ones and not alone) or (not ones and mains))


def damage_number(value: float, rng: random.Random) -> object:
    return rng.choice(
        [
            value * 10 ** rng.choice((-3, -2, -1, 1, 2, 3)), value * rng.uniform(1, 30), -value, 0, None, "N/A", True,
            float(rng.choice((-32768, -3276.8, 65535, 6553.5, 2**31 - 1, 2**32 - 1))), 1e308, -1,
        ]
    )  # fmt: skip


def put(document: dict[str, object], pointer: str, value: object) -> None:
    *path, last = pointer.strip("/").split("/")
    for part in path:
        inner = document.setdefault(part, {})
        assert isinstance(inner, dict)
        document = inner
    document[last] = value


def plug(declaration: Declaration, table: JsonValues, output: int, rng: random.Random) -> Answer:
    truth, document = truth_of(rng), dict[str, object]()
    numbers = {item.channel: round(value_of(item, truth, 1) / item.scale, 3) for item in table.values}
    hit = rng.choice([name for name in ("power", "voltage", "current") if name in numbers])
    relay = [flag for flag in table.flags if flag.quality == "relay-off"]
    off = bool(relay) and rng.random() < 0.3
    for item in table.values:
        number = numbers[item.channel]
        put(document, item.pointer, damage_number(number, rng) if item.channel == hit and not off else number)
    if off:
        put(document, relay[0].pointer, relay[0].says)
    answer = json.loads(json.dumps(document))
    values = [(v.declared, v.value, v.quality) for v in values_of(table, answer, output, output) if v.present]
    return marked(declaration, values), off


def kasa(declaration: Declaration, table: KasaMap, rng: random.Random) -> Answer:
    truth, document = truth_of(rng), dict[str, object]()
    hit, off = rng.choice(("power", "voltage", "current")), rng.random() < 0.3
    for item in table.values:
        number = round(value_of(item, truth, 1) / item.places[0].scale)
        put(document, item.places[0].pointer, number)
    places = find_places(table, document)
    item = next(item for item in table.values if item.channel == hit)
    if not off:
        put(document, item.places[0].pointer, damage_number(truth[hit] / item.places[0].scale, rng))
    elif table.dialect == "smart":
        put(document, "/get_device_info/device_on", False)
    else:
        put(document, "/system/get_sysinfo/relay_state", 0)
    values: list[tuple[DeclaredChannel, float, Quality]] = []
    for declared in table.values:
        value, quality = value_at(declared, places[declared.channel], document)
        if relay_is_off(table.dialect, document, None):
            quality |= behind_open_relay(declared.quantity, value)
        values.append((declared, value, quality))
    return marked(declaration, values), off


def snmp(declaration: Declaration, table: SnmpMap, rng: random.Random) -> Answer:
    truth, objects, values = truth_of(rng), dict[str, object](), list[tuple[DeclaredChannel, float, Quality]]()
    items = [item for item in table.measured if item.scale]
    hit = rng.choice([item.channel for item in items if item.quantity in ("power", "voltage", "current")])
    for item in items:
        channel = SnmpChannel(item, 1, item.scale)
        number = round(value_of(item, truth, table.phase_count) / item.scale)
        if item.channel == hit:
            number = rng.choice((-1, 0, 32767, 65535, 2**31 - 1, 2**32 - 1, number * 10, number * 100))
        for state in item.states:
            objects[state.oid.replace("{n}", "1")] = state.usual
        objects[item.oid.replace("{n}", "1")] = number
        value, quality, _ = channel.decode(objects)  # type: ignore[arg-type]
        values.append((item, value, quality))
    return marked(declaration, values), False


def dcmi(declaration: Declaration, rng: random.Random) -> Answer:
    most = rng.randrange(100, 900)
    present = rng.choice((32767, 65535, 3 * most, 20 * most, rng.randrange(1, most)))
    packed = struct.pack("<BHHHHIIB", 0xDC, present, 1, most, most // 2, 0x6B0091B1, 6400, 0x40)
    power = parse_dcmi_power(packed.hex(" "))
    quality = Quality.ABOVE_LIMIT | Quality.IMPLAUSIBLE if power.beyond_most else Quality.GOOD
    channel = Channel("power", "power", "W", Kind.INSTANTANEOUS, resolution=1.0)
    reading = Reading("power", power.present_w, "W", 0, 0, Kind.INSTANTANEOUS, quality=quality)
    identity = MeterIdentity("m", declaration.id, "", "", indicative=True)
    return Physics(identity, [channel]).mark([reading]), present > most


def injectors() -> Iterator[tuple[str, Callable[[random.Random], Answer]]]:
    for name, item in load_catalogue().items():
        match item.protocol:
            case ModbusMap() as table if not item.direct_current:
                yield f"modbus {name}", lambda rng, i=item, t=table: modbus(i, t, rng)
            case HttpMap() as http if http.outputs == 1 or http.first_output == 0:
                for request in http.requests:
                    if any(value.channel == "power" for value in request.values):
                        yield f"http {name}", lambda rng, i=item, r=request, h=http: plug(i, r, h.first_output, rng)
            case MqttMap() as mqtt:
                yield f"mqtt {name}", lambda rng, i=item, m=mqtt: plug(i, m.reads, m.first_output, rng)
            case KasaMap() as outlets:
                yield f"kasa {name}", lambda rng, i=item, t=outlets: kasa(i, t, rng)
            case SnmpMap() as pdu:
                yield f"snmp {name}", lambda rng, i=item, t=pdu: snmp(i, t, rng)
    yield "ipmi dcmi", lambda rng: dcmi(load_catalogue()["ipmi.bmc"], rng)


def most_w(values: dict[str, Reading], power: str, steps: dict[str, float], *, apart: bool) -> float | None:
    """Compute how much power the volts and amperes of the same answer allow; None where they do not tell.

    A number without decimals, of an unknown step, may be one of whole units. ``apart``: they are measured in turn.
    """
    pair = [values.get(power.replace("power", other)) for other in ("voltage", "current")]
    if any(item is None or not item.quality.usable for item in pair):
        return None
    volts, amperes = (abs(item.value) for item in pair if item is not None)
    known = (steps.get(power.replace("power", other)) for other in ("voltage", "current"))
    written = (1.0 if part.is_integer() and part else 0.1 for part in (volts, amperes))
    digit_v, digit_a = (step or digit for step, digit in zip(known, written, strict=True))
    return (
        (2 if apart else 1.05) * volts * amperes + 5 + volts * digit_a + amperes * digit_v + (steps.get(power) or 0.1)
    )


def test_no_power_that_its_own_answer_excludes_is_good() -> None:
    rng = random.Random(SEED)
    sources = list(injectors())
    steps = {
        name: {item.channel: item.step or 0.0 for item in declaration.protocol.measured}
        for name, declaration in load_catalogue().items()
    }
    marks: Counter[str] = Counter()
    silent: list[str] = []
    for number in range(FAULTS):
        name, inject = sources[number % len(sources)]
        readings, dead = inject(rng)
        model, values = name.split()[1], {reading.channel: reading for reading in readings}
        several = load_catalogue()[model].protocol.phase_count > 1 if model in steps else False
        coupled = model in steps and load_catalogue()[model].suspicion.one_phase
        for reading in readings:
            if not reading.channel.startswith("power") or reading.unit != "W":
                continue
            marks[name.split()[0]] += not reading.quality.usable
            one_phase = coupled and (reading.channel != "power" or not several)
            apart = one_phase and load_catalogue()[model].suspicion.parts_apart
            most = most_w(values, reading.channel, steps.get(model, {}), apart=apart) if one_phase else None
            if reading.quality.usable and (dead or (most is not None and abs(reading.value) > most)):
                silent.append(f"fault {number} of {name}: {values}")
    assert silent == []
    assert set(marks) == {name.split()[0] for name, _ in sources}
    assert all(marks.values())
