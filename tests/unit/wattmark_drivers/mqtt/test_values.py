"""Payloads as the documentation shows them, addresses, and the pace of a device that publishes when it likes."""

from __future__ import annotations

from dataclasses import replace

import pytest
from wattmark_drivers.address import parse_address
from wattmark_drivers.catalogue import load_catalogue
from wattmark_drivers.catalogue.mqtt_map import MqttMap
from wattmark_drivers.errors import ConfigurationError
from wattmark_drivers.factory import create_meter
from wattmark_drivers.http_client.origin import Origin
from wattmark_drivers.identity import identify
from wattmark_drivers.mqtt.address import MqttAddress
from wattmark_drivers.mqtt.pace import PaceWatch
from wattmark_drivers.mqtt.values import Who, is_offline, who_is
from wattmark_drivers.pace import default_period_s, pace_remark
from wattmark_drivers.plugs.values import values_of
from wattmark_drivers.settings import MeterSettings

TASMOTA = {
    "Time": "2020-06-29T22:22:24",
    "ENERGY": {
        "TotalStartTime": "2020-06-24T09:25:29",
        "Total": 41.573,
        "Yesterday": 6.147,
        "Today": 8.286,
        "Power": 2,
        "ApparentPower": 22,
        "ReactivePower": 21,
        "Factor": 0.08,
        "Voltage": 230,
        "Current": 0.094,
    },
}
"""An answer to Status 8 that a public client shows (StatusSNS)."""
PLUG = {
    "ieee_address": "0x00158d00018255df",
    "friendly_name": "my_plug",
    "software_build_id": "1.3.009",
    "definition": {
        "model": "ZNCZ02LM",
        "exposes": [
            {"type": "switch", "features": [{"type": "binary", "name": "state", "property": "state", "access": 7}]},
            {"type": "numeric", "name": "power", "property": "power", "unit": "W", "access": 5},
        ],
    },
}
"""Zigbee2MQTT documentation: bridge/devices and the power plug of the chapter Access."""


def table(model: str) -> MqttMap:
    declared = load_catalogue()[model].protocol
    assert isinstance(declared, MqttMap)
    return declared


def test_an_answer_of_tasmota_is_read():
    values = {item.declared.channel: item.value for item in values_of(table("tasmota.mqtt").reads, TASMOTA, 1, 1)}
    assert values["power"] == 2
    assert values["energy"] == pytest.approx(41573)
    assert values["current"] == 0.094


def test_a_plug_with_two_outputs_gives_lists():
    document = {"ENERGY": {"Power": [5, 7], "Voltage": 231, "Current": [0.02, 0.03], "Total": 1.5}}
    values = {item.declared.channel: item for item in values_of(table("tasmota.mqtt").reads, document, 2, 1)}
    assert (values["power"].value, values["voltage"].value, values["current"].value) == (7, 231, 0.03)
    assert not values["energy"].present


def test_a_bridge_tells_who_a_plug_is_and_that_it_can_be_asked():
    (identity,) = table("zigbee2mqtt.plug").identity
    who = who_is(identity, [{"friendly_name": "Coordinator", "definition": None}, PLUG], "my_plug", "power")
    assert who == Who("0x00158d00018255df", "1.3.009", "ZNCZ02LM", asks=True, power=True, units={"power": "W"})
    assert not who_is(identity, [PLUG], "my_plug", "energy").power


@pytest.mark.parametrize("document", [None, 5, "x", {}, [None, 5, {"friendly_name": 7}], [[[]]]])
def test_any_list_of_devices_is_read_or_refused(document):
    (identity,) = table("zigbee2mqtt.plug").identity
    with pytest.raises(ConfigurationError, match="knows no device named my_plug"):
        who_is(identity, document, "my_plug", "power")


@pytest.mark.parametrize(
    ("model", "place", "payload", "gone"),
    [
        ("tasmota.mqtt", 0, b"Offline", True),
        ("tasmota.mqtt", 0, b"Online", False),
        ("zigbee2mqtt.plug", 0, b'{"state":"offline"}', True),
        ("zigbee2mqtt.plug", 1, b"online", False),
        ("shelly.mqttgen1", 0, b"false", True),
        ("shelly.mqttgen2", 0, b"true", False),
        ("shelly.mqttgen2", 0, b"\xff\xfe", None),
        ("tasmota.mqtt", 0, b"", None),
    ],
)
def test_the_words_of_a_last_will(model, place, payload, gone):
    assert is_offline(table(model).availability[place], payload) is gone


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("mqtt://broker/plugs/desk%201", MqttAddress(Origin("http", "broker", 1883), "plugs/desk 1")),
        ("mqtt://broker:1884/desk?output=2&mqtt=5", MqttAddress(Origin("http", "broker", 1884), "desk", None, 2, "5")),
        ("mqtts://broker/desk?base=z2m", MqttAddress(Origin("https", "broker", 8883), "desk", "z2m")),
    ],
)
def test_addresses(url, expected):
    assert parse_address(url, load_catalogue()["tasmota.mqtt"])[0] == expected


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("mqtt://broker", "names no topic of a device"),
        ("mqtt://broker/%2B/x", "wildcard"),
        ("mqtt://broker/%23", "wildcard"),
        ("mqtt://broker/desk?mqtt=4", "mqtt=4"),
        ("mqtt://broker/desk?tls=insecure", "asks for TLS"),
        ("mqtt://me:secret@broker/desk", "user or password"),
    ],
)
def test_addresses_that_are_refused(url, words):
    with pytest.raises(ConfigurationError, match=words):
        parse_address(url, load_catalogue()["tasmota.mqtt"])


def test_the_option_to_listen_is_on_or_off():
    with pytest.raises(ConfigurationError, match=r"the option listen is yes\. Write on or off"):
        create_meter(MeterSettings("desk", "tasmota.mqtt", "mqtt://broker/desk", options={"listen": "yes"}))


def test_a_zigbee_plug_is_asked_rarely():
    assert default_period_s(load_catalogue()["zigbee2mqtt.plug"], "mqtt://b/x", {}) == 5.0
    assert default_period_s(load_catalogue()["tasmota.mqtt"], "mqtt://b/x", {}) == 1.0


def test_the_pace_is_the_median_time_between_readings():
    watch = PaceWatch(0, "Set TelePeriod 10")
    assert watch.interval_s is None
    for second in (1, 11, 21, 22, 32):
        watch.add(second * 10**9, second * 10**9)
    assert watch.interval_s == 10.0
    assert (watch.measured.readings, watch.measured.newest_ns) == (5, 32 * 10**9)


def test_rate_and_age_are_said():
    declaration = load_catalogue()["tasmota.mqtt"]
    watch = PaceWatch(0, "Set TelePeriod 10")
    identity = identify(MeterSettings("desk", "tasmota.mqtt", ""), declaration)
    assert pace_remark(identity, 0) is None
    silent = pace_remark(_with(identity, watch), 40 * 10**9)
    assert silent == "Meter desk is only listened to and has published nothing for 40 s. Set TelePeriod 10."
    for second in (1, 61):
        watch.add(second * 10**9, second * 10**9)
    words = pace_remark(_with(identity, watch), 64 * 10**9) or ""
    assert "publishes a reading every 60 s (2 seen), and the newest reading is 3.0 s old" in words


def _with(identity, watch):
    return replace(identity, pace=watch.measured)
