"""Names of sensors that read alike become channels of their own, in every driver that makes ids of names."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from wattmark_drivers.catalogue import load_catalogue
from wattmark_drivers.catalogue.ipmi_map import IpmiMap
from wattmark_drivers.catalogue.redfish_map import RedfishMap
from wattmark_drivers.distinct import distinct
from wattmark_drivers.ipmi.sdr import SensorRow
from wattmark_drivers.ipmi.sensor_channels import sensor_channels
from wattmark_drivers.powersensor.meter import _named
from wattmark_drivers.powersensor.stream import SENSORS, SensorSetup
from wattmark_drivers.redfish.values import values_of
from wattmark_drivers.sysfs.rapl_zones import find_zones

PIECES = ["A", "a", ".", "-", " ", "_", "ä", "1", "2", "pair", "PSU", "sensor_05h_7_1", "intel_rapl_1", "x" * 50]
ALIKE = st.lists(st.sampled_from(PIECES), max_size=4).map("".join)


@given(st.lists(ALIKE, max_size=8))
def test_names_are_distinct_and_plain_where_nothing_meets_them(names):
    chosen = distinct(names, [f"#{index}" for index in range(len(names))])
    assert len(set(chosen)) == len(names)
    for name, choice in zip(names, chosen, strict=True):
        if name and names.count(name) == 1:
            assert choice == name


def test_a_plain_name_that_reads_like_a_chosen_one_gives_way():
    assert distinct(["", "pair0", "pair1"], ["pair0", "pair1", "pair2"]) == ["pair0", "pair1", "pair2"]


@given(st.lists(ALIKE, min_size=SENSORS // 2, max_size=SENSORS // 2))
def test_pairs_of_a_power_sensor(names):
    setups = [SensorSetup(name, 0.0, 1.0, in_use=True) for name in names for _ in range(2)]
    assert len(set(_named(setups).values())) == SENSORS // 2


@given(st.lists(ALIKE, max_size=8))
def test_sensors_of_a_bmc(names):
    table = load_catalogue()["ipmi.bmc"].protocol
    assert isinstance(table, IpmiMap)
    rows = [SensorRow(name, number, "7.1", "ok", 20.0, "degrees C") for number, name in enumerate(names)]
    ids = {channel.id for channel in sensor_channels(rows, table.sensor_units).values()}
    assert len(ids) == len(names)
    assert "power" not in ids


@given(st.lists(ALIKE, max_size=8))
def test_sensors_of_one_list_of_a_redfish_service(names):
    table = load_catalogue()["redfish.bmc"].protocol
    assert isinstance(table, RedfishMap)
    resource = next(r for r in table.resources if any(v.each == "/Temperatures" for v in r.values))
    temperatures = [{"Name": name, "ReadingCelsius": 20 + place} for place, name in enumerate(names)]
    read = [v for v in values_of(resource, {"Temperatures": temperatures}, None) if v.declared.each == "/Temperatures"]
    assert len({value.channel for value in read}) == len(read) == len(names)


def test_zones_of_rapl(tmp_path):
    for number, name in enumerate(["core", "CORE", "core-intel-rapl-0", "core intel rapl 1"]):
        zone = tmp_path / f"intel-rapl:{number}"
        zone.mkdir()
        (zone / "name").write_text(name)
        (zone / "max_energy_range_uj").write_text("1000000")
    assert len({zone.id for zone in find_zones(tmp_path, "intel-rapl")}) == 4
