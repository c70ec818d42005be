"""Any JSON gives numbers or flagged values; the frames are those that others recorded; addresses are checked."""

from __future__ import annotations

import base64
import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wattmark_drivers.address import parse_address
from wattmark_drivers.catalogue import load_catalogue
from wattmark_drivers.catalogue.kasa_map import KasaMap
from wattmark_drivers.errors import ConfigurationError
from wattmark_drivers.kasa import xor
from wattmark_drivers.kasa.address import KasaAddress
from wattmark_drivers.kasa.values import child_id, find_places, relay_is_off, value_at, who_is
from wattmark_drivers.reading import Quality

TABLES = [item.protocol for item in load_catalogue().values() if isinstance(item.protocol, KasaMap)]
KEYS = [
    "emeter", "get_realtime", "power_mw", "power", "voltage_mv", "total_wh", "system", "get_sysinfo", "children", "id",
    "get_emeter_data", "get_energy_usage", "current_power", "get_current_power", "get_device_info", "model", "mac",
]  # fmt: skip
LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5)
JSON = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=6),
    max_leaves=20,
)


@given(JSON, JSON)
def test_any_answer_gives_values_that_are_numbers_or_flagged(first, document):
    for table in TABLES:
        who_is(table.dialect, document)
        child_id(document, 2)
        places = find_places(table, first)
        for item in table.values:
            for place in [*item.places, *filter(None, [places.get(item.channel)])]:
                value, quality = value_at(item, place, document)
                assert math.isfinite(value) or quality & Quality.INVALID
                if quality.usable and item.limits:
                    assert item.limits[0] <= value <= item.limits[1]


@pytest.mark.parametrize(
    ("model", "document", "watts", "flag"),
    [
        ("tplink.kasa", {"err_code": -3, "power_mw": 335_000}, None, Quality.INVALID),
        ("tplink.kasa", {"err_code": 0, "power_mw": 335_000, "power": 335.2}, 335.0, Quality.GOOD),
        ("tplink.kasa", {"power_mw": 335_000, "power": 33.5}, 335.0, Quality.AT_ODDS),
        ("tplink.tapo", {"current_power": 324}, 0.324, Quality.AT_ODDS),
        ("tplink.tapo", {"current_power": 324_000}, 324.0, Quality.GOOD),
        ("tplink.tapo", {"error_code": -1, "current_power": 324_000}, None, Quality.INVALID),
    ],
)
def test_an_error_code_or_another_figure_beside_the_power_counts(model, document, watts, flag):
    """Tapo: get_energy_usage is in mW, get_current_power in W; 324 in both is one firmware's watts for milliwatts."""
    whole = {"emeter": {"get_realtime": document}, "get_energy_usage": document}
    whole |= {"get_current_power": {"current_power": 324}} if model == "tplink.tapo" else {}
    power = next(item for item in load_catalogue()[model].protocol.values if item.channel == "power")
    place = next(item for item in power.places if item.pointer.rpartition("/")[2] in document)
    value, quality = value_at(power, place, whole)
    assert quality == (flag | Quality.IMPLAUSIBLE if flag is Quality.AT_ODDS else flag)
    assert value == watts or (watts is None and math.isnan(value))


def test_a_relay_that_is_off_is_seen_in_both_dialects_and_in_a_strip():
    def iot(**facts):
        return {"system": {"get_sysinfo": facts}}

    assert relay_is_off("iot", iot(relay_state=0), None)
    assert not relay_is_off("iot", iot(relay_state=1), None)
    assert not relay_is_off("iot", iot(), None)
    strip = iot(children=[{"state": 1}, {"state": 0}])
    assert [relay_is_off("iot", strip, outlet) for outlet in (1, 2, 3)] == [False, True, False]
    assert [relay_is_off("smart", {"get_device_info": {"device_on": on}}, None) for on in (True, False)] == [
        False,
        True,
    ]


def test_the_place_of_a_number_is_chosen_at_the_first_answer():
    table = load_catalogue()["tplink.tapo"].protocol
    assert isinstance(table, KasaMap)
    # KP125M(US)_1.0_1.1.3.json of python-kasa's tests/fixtures/smart: 17654 mW beside whole watts.
    recorded = {"get_energy_usage": {"current_power": 17654}, "get_current_power": {"current_power": 17}}
    places = find_places(table, recorded)
    power = next(item for item in table.values if item.channel == "power")
    assert list(places) == ["power"]
    assert value_at(power, places["power"], recorded) == (pytest.approx(17.654), Quality.GOOD)
    value, quality = value_at(power, places["power"], {"get_current_power": {"current_power": 17}})
    assert math.isnan(value)
    assert quality is Quality.INVALID


def test_a_published_frame_is_read_and_written():
    # Switches an HS100 on: https://blog.georgovassilis.com/2016/05/07/controlling-the-tp-link-hs100-wi-fi-smart-plug/
    frame = base64.b64decode("AAAAKtDygfiL/5r31e+UtsWg1Iv5nPCR6LfEsNGlwOLYo4HyhueT9tTu36Lfog==")
    assert json.loads(xor.decode(frame[4:])) == {"system": {"set_relay_state": {"state": 1}}}
    assert xor.encode(xor.decode(frame[4:])) == frame


@given(st.binary(max_size=300))
def test_frames_are_read_as_written(data):
    assert xor.decode(xor.encode(data)[4:]) == data


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("kasa://plug", KasaAddress("plug")),
        ("kasa://10.0.0.7:9998/3?protocol=klap1", KasaAddress("10.0.0.7", 9998, 3, "klap1")),
        ("kasa://[fe80::1]", KasaAddress("fe80::1")),
    ],
)
def test_addresses_are_read(url, expected):
    assert parse_address(url, load_catalogue()["tplink.kasa"])[0] == expected


def test_the_port_follows_the_protocol():
    assert KasaAddress("plug").at("xor") == 9999
    assert KasaAddress("plug").at("klap2") == 80
    assert KasaAddress("plug", 81).at("klap2") == 81


@pytest.mark.parametrize(
    "url",
    [
        "kasa://",
        "kasa://plug/0",
        "kasa://plug/17",
        "kasa://plug?protocol=tls",
        "kasa://u:secret@plug",
        "kasa://plug?x=1",
    ],
)
def test_what_is_no_address_is_refused(url):
    with pytest.raises(ConfigurationError, match="Write it as kasa://HOST/OUTLET") as refusal:
        parse_address(url, load_catalogue()["tplink.kasa"])
    assert "secret" not in str(refusal.value)
