"""Any JSON gives values that are numbers or flagged; addresses are checked; a declaration is."""

from __future__ import annotations

import contextlib
import math
from importlib.resources import files

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wattmark_drivers.address import parse_address
from wattmark_drivers.catalogue import load_catalogue, parse_declaration
from wattmark_drivers.catalogue.http_map import HttpMap
from wattmark_drivers.errors import ConfigurationError
from wattmark_drivers.http_client.origin import Origin
from wattmark_drivers.plugs.address import PlugAddress
from wattmark_drivers.plugs.values import is_for, values_of
from wattmark_drivers.reading import Quality

TABLES = [item.protocol for item in load_catalogue().values() if isinstance(item.protocol, HttpMap)]
KEYS = [
    "id", "apower", "voltage", "current", "errors", "aenergy", "total", "StatusSNS", "ENERGY", "Power", "Voltage",
    "act_power", "a_act_power", "a_errors", "power", "is_valid", "temperature", "tC",
]  # fmt: skip
LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | st.sampled_from(["power_meter_failure", "x"])
JSON = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=6),
    max_leaves=20,
)


@given(JSON, st.integers(0, 5))
def test_any_answer_gives_values_that_are_numbers_or_flagged(document, output):
    for table in TABLES:
        for request in table.requests:
            is_for(request, document, output)
            for value in values_of(request, document, output, table.first_output):
                assert math.isfinite(value.value) or value.quality & Quality.INVALID


@pytest.mark.parametrize(
    ("model", "told", "marked"),
    [
        ("shelly.plusplugs", {"output": False, "apower": 29.4, "voltage": 231, "current": 0.0}, True),
        ("shelly.plusplugs", {"output": False, "apower": 0.4, "voltage": 231, "current": 0.0}, False),
        ("shelly.plusplugs", {"output": True, "apower": 29.4, "voltage": 231, "current": 0.2}, False),
        ("mystrom.switch", {"power": 118.2, "relay": False}, True),
        ("mystrom.switch", {"power": 118.2, "relay": True}, False),
        ("mystrom.switch", {"power": 118.2}, False),
        *(("mystrom.switch", {"power": 118.2, "relay": word}, True) for word in (0, "0", "off", "OFF", "false")),
        *(("mystrom.switch", {"power": 118.2, "relay": word}, False) for word in (1, "on", None, 0.5, [])),
        ("zigbee2mqtt.plug", {"state": False, "power": 33, "voltage": 231, "current": 0.2}, True),
        ("zigbee2mqtt.plug", {"state": "off", "power": 33, "voltage": 231, "current": 0.2}, True),
        ("zigbee2mqtt.plug", {"state": "OFF", "power": 33, "voltage": 231, "current": 0}, True),
        ("zigbee2mqtt.plug", {"state": "ON", "power": 33, "voltage": 231, "current": 0.2}, False),
    ],
)
def test_watts_through_a_relay_that_is_off_are_no_measurement(model, told, marked):
    table = load_catalogue()[model].protocol
    reads = table.requests[0] if isinstance(table, HttpMap) else table.reads
    values = {item.declared.channel: item for item in values_of(reads, told, 0, 0) if item.present}
    assert bool(values["power"].quality & Quality.RELAY_OFF) == marked
    assert values["power"].quality.usable == (not marked)
    assert all(item.quality.usable for name, item in values.items() if name != "power")


PLUG = load_catalogue()["shelly.pro4pm"]


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("http://plug7", PlugAddress(Origin("http", "plug7", 80))),
        ("http://10.0.0.9:8080/3", PlugAddress(Origin("http", "10.0.0.9", 8080), 3)),
    ],
)
def test_good_addresses(url, expected):
    assert parse_address(url, PLUG)[0] == expected


@pytest.mark.parametrize(
    ("url", "complaint"),
    [
        ("http://plug7/one", "output one"),
        ("http://plug7/0?tls=insecure", "asks for TLS"),
        ("http://plug7/0?user=admin", "unknown part user"),
        ("http://admin:joker@plug7/0", "contains a user or password"),
        ("https://plug7/0", "scheme https"),
    ],
)
def test_bad_addresses(url, complaint):
    with pytest.raises(ConfigurationError) as caught:
        parse_address(url, PLUG)
    assert complaint in caught.value.cause
    assert "joker" not in str(caught.value)


@given(st.from_regex(r"https?://\S{0,40}", fullmatch=True))
def test_any_text_is_an_address_or_a_configuration_error(url):
    with contextlib.suppress(ConfigurationError):
        parse_address(url, PLUG)


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("channel: voltage,", "channel: power,", "two values have the same channel"),
        (
            "quality: invalid}",
            "quality: invalid, channels: [fan]}",
            "refers to channels that its request does not have",
        ),
        ("pointer: /apower", "pointer: apower", "pointer"),
        ("path: /rpc/Switch", "path: rpc/Switch", "path"),
    ],
)
def test_a_wrong_declaration_is_refused(old, new, complaint):
    text = files("wattmark_drivers.catalogue").joinpath("models", "shelly.plus1pm.yaml").read_text("utf-8")
    assert old in text
    with pytest.raises(ConfigurationError, match=complaint):
        parse_declaration(text.replace(old, new, 1), "broken.yaml")
