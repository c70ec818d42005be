"""Any JSON gives values or none, never an error; times are times."""

from __future__ import annotations

import asyncio
import contextlib
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from wattmark_drivers.catalogue import load_catalogue
from wattmark_drivers.clock import Stamp
from wattmark_drivers.errors import BadReply, DriverError
from wattmark_drivers.http_client.json_body import MISSING, number_of, parse_json, point, text_at
from wattmark_drivers.reading import Kind, Quality
from wattmark_drivers.redfish.discovery import discover
from wattmark_drivers.redfish.session import Resource, local_path
from wattmark_drivers.redfish.values import applies, device_time_ns, slug, values_of
from wattmark_drivers.redfish.walk import Walker

from tests.examples import examples

TABLE = load_catalogue()["redfish.bmc"].protocol
KEYS = sorted(
    {
        "Members", "@odata.id", "Chassis", "Id", "Status", "State", "Reading", "ReadingUnits", "ReadingTime",
        "PowerWatts",
        "DataSourceUri", "EnvironmentMetrics", "Power", "PowerControl", "PowerConsumedWatts", "Thermal", "Temperatures",
        "PowerSubsystem", "PowerSupplies", "Metrics", "InputPowerWatts", "Fans", "Name", "MemberId", "Links",
        "Members@odata.nextLink", "TemperatureReadingsCelsius", "ThermalMetrics", "ReadingCelsius", "EnergykWh",
    }
)  # fmt: skip
PATHS = ["/redfish/v1/Chassis", "/a", "/b", "/c", "//x", "W", "RPM", "Absent", "2026-01-01T00:00:00Z"]
LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | st.sampled_from(PATHS)
JSON = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=6),
    max_leaves=20,
)


@given(JSON)
def test_any_document_gives_values_that_are_numbers_or_flagged(document):
    for resource in TABLE.resources:
        applies(resource, document)
        for value in values_of(resource, document, "m"):
            assert math.isfinite(value.value) or value.quality & Quality.INVALID


@settings(max_examples=examples(60))
@given(st.dictionaries(st.sampled_from(PATHS[:4]), JSON, max_size=4), JSON)
def test_any_service_is_discovered_or_refused_with_a_reason(documents, root):
    class Session:
        async def get(self, path):
            return Resource(path, documents.get(path), Stamp(0, 0), False)

    async def run():
        start = Resource("/redfish/v1/", root, Stamp(0, 0), False)
        with contextlib.suppress(DriverError):
            source = await discover(Walker(Session()), start, TABLE, None, Kind.INSTANTANEOUS)
            assert source.channels[0].id == "power"

    asyncio.run(run())


@given(st.binary(max_size=200) | st.sampled_from([b"[" * 90_000, b"9" * 5000, b"1e999", b"NaN"]))
def test_any_body_is_json_or_a_bad_reply(body):
    with contextlib.suppress(DriverError):
        parse_json(body, "x")


def test_a_name_with_two_values_is_not_read():
    """RFC 8259, clause 4: which value of a repeated name counts is not defined."""
    with pytest.raises(BadReply, match="'apower' twice"):
        parse_json(b'{"a": [{"apower": 118.2, "apower": 12}]}', "plug")
    assert parse_json(b'{"apower": 12, "apower": 12}', "plug") == {"apower": 12}


def power_of(document, place=None):
    """Read the first power that the declaration finds behind the step ``place`` of a path."""
    resources = [
        item for item in TABLE.resources if item.group == "power" and not item.chosen and item.path[0] == place
    ]
    values = [value for item in resources if applies(item, document) for value in values_of(item, document, None)]
    return next(value for value in values if value.channel == "power")


@pytest.mark.parametrize(
    ("document", "place", "flag"),
    [
        ({"PowerWatts": {"Reading": 0.324, "ReadingUnits": "kW"}}, "EnvironmentMetrics", Quality.INVALID),
        ({"PowerWatts": {"Reading": 324000, "ReadingUnits": "mW"}}, "EnvironmentMetrics", Quality.INVALID),
        ({"PowerWatts": {"Reading": 9000, "ReadingRangeMax": 2000}}, "EnvironmentMetrics", Quality.ABOVE_LIMIT),
        ({"PowerControl": [{"PowerConsumedWatts": 0.324}]}, "Power", Quality.INVALID),
        ({"PowerControl": [{"PowerConsumedWatts": 9000, "PowerCapacityWatts": 1600}]}, "Power", Quality.ABOVE_LIMIT),
        (
            {
                "PowerControl": [{"PowerConsumedWatts": 9000}],
                "PowerSupplies": [{"PowerCapacityWatts": 800}, {"PowerCapacityWatts": 800}],
            },
            "Power",
            Quality.ABOVE_LIMIT,
        ),
        ({"PowerControl": [{"PowerConsumedWatts": 597, "Status": {"State": "disabled"}}]}, "Power", Quality.INVALID),
    ],
)
def test_a_figure_that_its_own_entry_excludes_is_not_used(document, place, flag):
    assert power_of(document, place).quality & flag
    assert not power_of(document, place).quality.usable


@pytest.mark.parametrize(
    ("document", "place", "watts"),
    [
        ({"PowerWatts": {"Reading": 324, "ReadingUnits": "W"}}, "EnvironmentMetrics", 324),
        ({"PowerWatts": {"Reading": 324, "ReadingUnits": "Watts", "ReadingRangeMax": 0}}, "EnvironmentMetrics", 324),
        ({"PowerControl": [{"PowerConsumedWatts": 1700, "PowerCapacityWatts": 1600}]}, "Power", 1700),
        (
            {"PowerControl": [{"PowerConsumedWatts": 900}], "PowerSupplies": [{"PowerCapacityWatts": 400}, {}]},
            "Power",
            900,
        ),
    ],
)
def test_a_figure_within_what_its_entry_tells_is_used(document, place, watts):
    assert (power_of(document, place).value, power_of(document, place).quality) == (watts, Quality.GOOD)


@given(JSON, st.text(max_size=20))
def test_any_pointer_leads_somewhere_or_nowhere(document, pointer):
    point(document, pointer)
    text_at(document, pointer)


@pytest.mark.parametrize(
    ("document", "pointer", "expected"),
    [
        # RFC 6901, clause 5.
        ({"foo": ["bar", "baz"]}, "/foo/0", "bar"),
        ({"a/b": 1}, "/a~1b", 1),
        ({"m~n": 8}, "/m~0n", 8),
        ({"": 0}, "/", 0),
        ({"foo": [1]}, "/foo/1", MISSING),
        ({"foo": [1]}, "/foo/00", MISSING),
        ({"foo": [1]}, "", {"foo": [1]}),
    ],
)
def test_pointers_follow_the_standard(document, pointer, expected):
    assert point(document, pointer) == expected


def test_only_finite_json_numbers_are_numbers():
    assert [number_of(value) for value in (1, 2.5, True, "3", None, math.inf, math.nan, 10**400, [1])] == [
        1.0, 2.5, None, None, None, None, None, None, None,
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "expected_ns"),
    [
        (
            "2015-03-13T04:14:33+06:00",
            1_426_198_473_000_000_000,
        ),  # the example of DSP0266, clause 9.4.5
        ("1970-01-01T00:00:01Z", 1_000_000_000),
        ("2015-03-13T04:14:33", None),
        ("yesterday", None),
        (12, None),
        ("9999-12-31T23:59:59Z", None),
    ],
)
def test_times_need_a_zone(text, expected_ns):
    assert device_time_ns(text) == expected_ns


@pytest.mark.parametrize("link", ["//evil", "http://evil/x", "relative", "", "/a b", "/ä", None, 3, "/" + "x" * 600])
def test_links_that_leave_the_service_are_not_followed(link):
    assert local_path(link) is None


def test_fragments_of_legacy_links_are_cut_off():
    assert local_path("/redfish/v1/Chassis/1/Power#/PowerControl/0") == "/redfish/v1/Chassis/1/Power"


@given(st.text(max_size=60))
def test_slugs_are_parts_of_channel_ids(text):
    assert all(char.isascii() and (char.isalnum() or char == "_") for char in slug(text))
