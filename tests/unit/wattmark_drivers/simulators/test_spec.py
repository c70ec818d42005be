import copy
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wattmark_drivers.errors import ConfigurationError
from wattmark_drivers.simulators.spec import Feed, parse_spec

SPEC: dict[str, Any] = {
    "servers": {"sut": {"idle_w": 180, "dynamic_w": 160, "dimms": 4}},
    "devices": {"wall": {"model": "eastron.sdm120", "measures": ["sut/psu1"]}},
}


def changed(path: list[str], value: object) -> dict[str, Any]:
    spec = copy.deepcopy(SPEC)
    place = spec
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    return spec


def test_a_small_specification_gets_sensible_defaults() -> None:
    spec = parse_spec(json.dumps(SPEC))

    assert spec.servers["sut"].dimm_w == 5.5
    assert spec.servers["sut"].psu.powered == 2
    assert spec.devices["wall"].measures == (Feed("sut", 1),)


def test_python_and_json_mean_the_same() -> None:
    assert parse_spec(SPEC) == parse_spec(json.dumps(SPEC))


def test_curves_have_names_or_points() -> None:
    gold = parse_spec(changed(["servers", "sut", "psu"], {"curve": "80plus-gold"}))
    points = parse_spec(changed(["servers", "sut", "psu"], {"curve": [[0.2, 0.88], [0.5, 0.92], [1.0, 0.88]]}))

    assert gold.servers["sut"].model() == points.servers["sut"].model()


@pytest.mark.parametrize(
    ("path", "value", "words"),
    [
        (["servers", "sut", "idle_w"], -5, "greater than 0"),
        (["servers", "sut", "idle_w"], float("nan"), "finite"),
        (["servers", "sut", "dims"], 4, "Extra inputs"),
        (["servers", "sut", "dimms"], 40, "dimm_slots"),
        (["servers", "sut", "dimm_counts"], [4], "two different"),
        (["servers", "sut", "dynamic_w"], 5000, "cannot deliver"),
        (["servers", "sut", "psu"], {"curve": "tin"}, "80plus-bronze"),
        (["servers", "sut", "psu"], {"shares": [0.9, 0.2]}, "add up to 1"),
        (["devices", "wall", "model"], "acme.x1", "eastron.sdm120"),
        (["devices", "wall", "transport"], "usb", "'tcp', 'rtu', 'rtu-tcp' or 'serial'"),
        (["devices", "wall", "password"], False, "eastron.sdm120 is no plug"),
        (["devices", "wall", "unit"], 248, "less than or equal to 247"),
        (["devices", "wall"], {"model": "carlogavazzi.em24e1", "measures": ["sut"], "transport": "rtu"}, "not support"),
        (["devices", "wall"], {"model": "wattsup.pro", "measures": ["sut"], "line": "bus"}, "only Modbus models"),
        (
            ["devices", "wall"],
            {"model": "eastron.sdm120", "measures": ["sut"], "transport": "rtu", "port": 9},
            "no port",
        ),
        (["devices", "wall", "measures"], ["sut/psu3"], "not powered"),
        (["devices", "wall", "measures"], ["other"], "not among the servers"),
        (["devices", "wall", "measures"], ["sut/PSU1"], "SERVER/psu1"),
        (["devices", "wall", "measures"], [], "at least 1"),
        (["devices", "b"], {"model": "ipmi.bmc", "measures": ["sut/psu1"]}, "whole server"),
        (["devices", "b"], {"model": "eastron.sdm630", "measures": ["sut"] * 4}, "3 phases"),
        (["devices", "../b"], {"model": "ipmi.bmc", "measures": ["sut"]}, "pattern"),
    ],
)
def test_a_mistake_is_one_line_that_names_its_place(path: list[str], value: object, words: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        parse_spec(changed(path, value))

    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


@given(st.text(max_size=60) | st.binary(max_size=60))
def test_no_text_breaks_the_parser(document: str | bytes) -> None:
    with pytest.raises(ConfigurationError):
        parse_spec(document)


@pytest.mark.parametrize(
    ("first", "second", "words"),
    [
        ({"unit": 3}, {"unit": 3}, "two devices on line bus have the same unit"),
        ({"transport": "rtu"}, {"transport": "rtu-tcp"}, "have different transports"),
        ({"port": 5020}, {"port": 5021}, "have different transports or ports"),
    ],
)
def test_devices_on_one_line_agree(first: dict[str, Any], second: dict[str, Any], words: str) -> None:
    meter = {"model": "eastron.sdm120", "measures": ["sut"], "line": "bus"}
    devices = {"a": {**meter, **first}, "b": {**meter, **second}}
    with pytest.raises(ConfigurationError, match=words):
        parse_spec(changed(["devices"], devices))
