"""Any JSON gives values that are numbers or flagged; addresses are checked; a declaration is."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wattmark_drivers.catalogue import load_catalogue
from wattmark_drivers.catalogue.http_map import HttpMap
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
    ("model", "document", "marked"),
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
def test_watts_through_a_relay_that_is_off_are_no_measurement(model, document, marked):
    table = load_catalogue()[model].protocol
    reads = table.requests[0] if isinstance(table, HttpMap) else table.reads
    values = {item.declared.channel: item for item in values_of(reads, document, 0, 0) if item.present}
    assert bool(values["power"].quality & Quality.RELAY_OFF) == marked
    assert values["power"].quality.usable == (not marked)
    assert all(item.quality.usable for name, item in values.items() if name != "power")
