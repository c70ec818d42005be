"""What faces say, without their ports: nothing that the meter did not give, and counters that begin again."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import pytest
from wattmark_drivers.catalogue import load_catalogue
from wattmark_drivers.catalogue.mqtt_map import MqttMap
from wattmark_drivers.catalogue.scpi_map import ScpiMap
from wattmark_drivers.catalogue.snmp_map import SnmpMap
from wattmark_drivers.speakers.face import Face
from wattmark_drivers.speakers.indication import Indication, values_of
from wattmark_drivers.speakers.modbus.unit import register_image
from wattmark_drivers.speakers.mqtt.documents import MqttDocuments
from wattmark_drivers.speakers.redfish.face_tree import build_face_tree, measurands
from wattmark_drivers.speakers.redfish.tree import CHASSIS
from wattmark_drivers.speakers.scpi.instrument import ScpiInstrument
from wattmark_drivers.speakers.snmp.message import Ticks
from wattmark_drivers.speakers.snmp.objects import face_objects, parse

FACE = Face("wattmark", "gateway to Yokogawa WT310E", "91N123456", "0.1.0", simulated=False)
TOTAL = {"power": 236.81, "voltage": 230.12, "current": 1.0731}
SECOND_NS = 10**9
BEGIN_NS = 1_790_000_000 * SECOND_NS


def shows(power_w: float = 236.81, energy_wh: float | None = None, second: int = 0) -> Indication:
    total = {**TOTAL, "power": power_w}
    return Indication((total,), total, energy_wh, None, BEGIN_NS + second * SECOND_NS)


def table_of(model: str, kind: type) -> object:
    table = load_catalogue()[model].protocol
    assert isinstance(table, kind)
    return table


def analyser(model: str) -> ScpiInstrument:
    instrument = ScpiInstrument(table_of(model, ScpiMap), "", 0.25, lambda: 0.0, FACE)
    instrument.receive(":COMM:HEAD OFF")
    return instrument


def ask(instrument: ScpiInstrument, line: str) -> str:
    reply = instrument.receive(line)
    assert reply is not None, line
    return reply.data.decode()


def test_an_analyser_counts_every_reading_of_a_sum() -> None:
    """Of two meters with periods of 1 s and 5 s each reading is an update, though the slow one's stamp stands."""
    instrument = analyser("zes.lmg95")
    answers = []
    for second in (0, 1, 2, 2):
        stamps = (BEGIN_NS + second * SECOND_NS, BEGIN_NS)
        instrument.show(Indication((), {"power": 300.0}, t_ns=max(stamps), parts_ns=stamps))
        answers.append(ask(instrument, "actn;count?;cycr?"))
    assert answers == ["1;9.91e37", "2;1.0000E+00", "3;1.0000E+00", "3;1.0000E+00"]


def test_integrated_energy_is_that_of_unbroken_readings_only() -> None:
    """9.91E+37 stands for no data (SCPI 1999, volume 1, 7.2.1.5; IM WT310E-17EN, 6)."""
    instrument = analyser("yokogawa.wt310e")
    instrument.receive(":NUM:NUM 1;:NUM:ITEM1 WH,1")
    instrument.show(shows(energy_wh=1000.0))
    instrument.receive(":INTEG:STAR")
    instrument.show(shows(energy_wh=1004.5, second=1))
    assert (ask(instrument, ":NUM:VAL?"), ask(instrument, ":INTEG:STAT?")) == ("4.5000E+00", "STAR")
    instrument.show(None, "lost")
    instrument.show(shows(energy_wh=1009.0, second=60))
    assert (ask(instrument, ":NUM:VAL?"), ask(instrument, ":INTEG:STAT?")) == ("9.91E+37", "STOP")
    instrument.receive(":INTEG:RES")
    instrument.receive(":INTEG:STAR")
    instrument.show(shows(energy_wh=1010.0, second=61))
    assert float(ask(instrument, ":NUM:VAL?")) == 1.0
    instrument.show(shows(energy_wh=3.0, second=62))
    assert ask(instrument, ":NUM:VAL?") == "9.91E+37", "a register that went back was reset"


def test_the_count_of_cycles_begins_anew_after_a_gap_and_a_cycle_is_as_long_as_readings_are_apart() -> None:
    instrument = analyser("zes.lmg95")
    counts = []
    for second, indication in (
        (0, shows()),
        (2, shows(second=2)),
        (2, shows(second=2)),
        (3, None),
        (9, shows(second=9)),
    ):
        instrument.show(indication, None if indication else "stale")
        counts.append((second, ask(instrument, "actn;count?;cycr?")))
    assert counts == [
        (0, "1;9.91e37"),
        (2, "2;2.0000E+00"),
        (2, "2;2.0000E+00"),
        (3, "9.91e37;9.91e37"),
        (9, "1;9.91e37"),
    ]


def test_a_sum_of_meters_is_no_element_of_several() -> None:
    instrument = analyser("yokogawa.wt330e")
    instrument.receive(":NUM:NUM 3;:NUM:ITEM1 P,SIGMA;:NUM:ITEM2 P,1;:NUM:ITEM3 P,2")
    instrument.show(Indication((), {"power": 300.75}, None, None, BEGIN_NS))
    assert ask(instrument, ":NUM:VAL?").split(",") == ["300.75E+00", "9.91E+37", "9.91E+37"]


def test_a_sum_of_meters_is_on_no_phase_of_a_register_map() -> None:
    table = load_catalogue()["eastron.sdm630"].protocol
    image = register_image(table, Indication((), {"power": 300.75}))  # type: ignore[arg-type]
    by_channel = {item.channel: image[item.function, item.address] for item in table.registers}  # type: ignore[union-attr]
    nothing = 0x7FC0
    assert by_channel["power"] == 0x4396, "300.75 as a float is 0x43966000"
    assert {by_channel[f"power_l{n}"] for n in (1, 2, 3)} == {nothing}


def test_a_counter_of_a_pdu_begins_again_where_the_pdu_s_does() -> None:
    for name, declared in load_catalogue().items():
        table = declared.protocol
        values = [item for item in table.values if item.wraps_at] if isinstance(table, SnmpMap) else []
        for value in values:
            assert value.wraps_at is not None
            past = Indication((), {"power": 1.0}, 2 * value.wraps_at + 10 * value.scale, None, BEGIN_NS)
            objects = face_objects(table, FACE, past, None, BEGIN_NS / 1e9, 0.0)
            assert objects[parse(value.oid)] == 10, name


@pytest.mark.parametrize(("after_s", "ticks"), [(0.5, 50), (42_949_672.95, 4_294_967_295), (42_949_672.96, 0)])
def test_the_time_of_a_reading_begins_again_after_497_days(after_s: float, ticks: int) -> None:
    """TimeTicks count hundredths of a second modulo 2^32 (RFC 2578, 7.1.8)."""
    started_s = BEGIN_NS / 1e9
    shown = replace(shows(), t_ns=BEGIN_NS + round(after_s * 1e9))
    objects = face_objects(table_of("raritan.pxoutlet", SnmpMap), FACE, shown, None, started_s, started_s)  # type: ignore[arg-type]
    assert objects[1, 3, 6, 1, 2, 1, 99, 1, 1, 1, 7, 2] == Ticks(ticks)


def test_no_pdu_says_that_an_unknown_relay_is_on() -> None:
    for name, declared in load_catalogue().items():
        table = declared.protocol
        if isinstance(table, SnmpMap) and table.relay is not None:
            assert parse(table.relay.oid) not in face_objects(table, FACE, shows(), None, 0.0, 0.0), name


def documents(model: str, **face: object) -> MqttDocuments:
    return MqttDocuments(table_of(model, MqttMap), "rack1", 1, replace(FACE, **face))  # type: ignore[arg-type]


def test_a_plug_with_a_topic_for_each_value_takes_back_what_the_meter_no_longer_gives() -> None:
    """Topics of Shelly's first generation; the energy is in watt-minutes (Shelly API, Gen1, MQTT support)."""
    plug = documents("shelly.mqttgen1")
    table = table_of("shelly.mqttgen1", MqttMap)
    plug.values = values_of(table.measured, shows(energy_wh=2.0))  # type: ignore[attr-defined]
    published = plug.measured(table.published)  # type: ignore[attr-defined]
    assert published == {"shellies/rack1/relay/0/power": b"236.81", "shellies/rack1/relay/0/energy": b"120"}
    plug.values = values_of(table.measured, shows())  # type: ignore[attr-defined]
    assert plug.measured(table.published)["shellies/rack1/relay/0/energy"] == b"null"  # type: ignore[attr-defined]


def test_a_live_meter_is_no_other_output_of_a_plug() -> None:
    """A strip of four outputs (Shelly Pro 4PM): nothing is answered for those that nobody measures."""
    table = table_of("shelly.mqttgen2", MqttMap)
    plug = documents("shelly.mqttgen2")
    request = table.request  # type: ignore[attr-defined]
    topic = plug.topic(request.topic)
    asked = {
        output: plug.requested(
            request,
            topic,
            request.payload.replace("{number}", "7").replace("{client}", "me").replace("{output}", str(output)),
        )
        for output in range(4)
    }
    assert asked[0] is not None
    assert [asked[output] for output in (1, 2, 3)] == [None, None, None]


def test_a_quantity_that_the_meter_has_lost_is_null_beside_those_that_it_has() -> None:
    """DSP0268, Sensor: Reading is null, and State says UnavailableOffline."""
    measured = measurands(shows())
    without = Indication((), {"power": 100.0, "voltage": math.nan}, None, None, BEGIN_NS)
    tree = build_face_tree(FACE, without, None, BEGIN_NS / 1e9, measured)
    volts, watts = (tree[f"{CHASSIS}/Sensors/{name}"] for name in ("TotalVoltage", "TotalPower"))
    assert (volts["Reading"], volts["ReadingTime"], volts["Status"]) == (None, None, {"State": "UnavailableOffline"})
    assert (watts["Reading"], watts["Status"]) == (100.0, {"State": "Enabled", "Health": "OK"})
    assert json.dumps(tree, allow_nan=False)


def test_a_text_that_is_marked_already_is_marked_once() -> None:
    assert replace(FACE, simulated=True).marked("SIMULATED1") == "SIMULATED1"
