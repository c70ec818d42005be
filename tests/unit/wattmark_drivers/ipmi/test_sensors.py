"""Sensor lists of ipmitool become channels, whatever their names look like."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wattmark_drivers.catalogue import load_catalogue
from wattmark_drivers.catalogue.ipmi_map import IpmiMap
from wattmark_drivers.errors import ConfigurationError
from wattmark_drivers.ipmi.sdr import SensorRow, parse_sensor_list, parse_supplies
from wattmark_drivers.ipmi.sensor_channels import chosen_server_power, find_server_power, sensor_channels

TABLE = load_catalogue()["ipmi.bmc"].protocol
assert isinstance(TABLE, IpmiMap)
RECORDED = Path(__file__).parent / "recorded"
# Printed by ipmitool 1.8.19; FAN1 and FAN2 once with 6-bit packed names, whose bytes are not UTF-8.
LIST = b"""Inlet Temp       | 01h | ok  | 39.1 | 24 degrees C
f\xe8F              | 03h | ok  | 29.1 | 8400 RPM
f\xe8J              | 04h | ok  | 29.2 | 8520 RPM
PSU1 Input Power | 05h | ok  | 10.1 | 312 Watts
PSU2 Input Power | 06h | ok  | 10.2 | 304 Watts
PSU1 Voltage     | 07h | ok  | 10.1 | 230 Volts
Pwr Consumption  | 08h | ok  |  7.1 | 616 Watts
NVMe Temp        | 0Ah | ns  |  4.1 | No Reading
PSU1 Status      | 09h | ok  | 10.1 | Presence detected
""".decode("utf-8", "replace")


def channels(text: str = LIST, *, take_power: bool = False):
    rows = parse_sensor_list(text)
    server = find_server_power(rows, TABLE.server_power) if take_power else None
    by_sensor = sensor_channels(rows, TABLE.sensor_units, server=server)
    return {channel.id: channel for channel in by_sensor.values()}


def test_rows():
    rows = parse_sensor_list(LIST)
    assert rows[0] == SensorRow("Inlet Temp", 1, "39.1", "ok", 24.0, "degrees C")
    assert [row.number for row in rows] == [1, 3, 4, 5, 6, 7, 8, 10, 9]
    assert rows[7].value is None
    assert rows[8].value is None


def test_fractions_signs_and_bars_in_names():
    (row,) = parse_sensor_list("A | B            | F0h | nc  | 12.97 | -3.25 Volts\n")
    assert (row.name, row.number, row.state, row.value) == ("A | B", 0xF0, "nc", -3.25)


def test_a_reading_of_endless_digits_is_none():
    (row,) = parse_sensor_list(f"PSU1 | 05h | ok  | 10.1 | {'9' * 400} Watts\n")
    assert row.value is None


@pytest.mark.parametrize("state", ["ns", "na"])
def test_a_number_of_a_sensor_that_was_not_read_is_none(state):
    (row,) = parse_sensor_list(f"Pwr Consumption  | 77h | {state}  |  7.1 | 324 Watts\n")
    assert row.value is None


def test_channels_have_units_and_readable_ids():
    by_id = channels()
    assert {name: item.unit for name, item in by_id.items()} == {
        "inlet_temp": "°C", "sensor_03h_29_1": "RPM", "sensor_04h_29_2": "RPM", "psu1_input_power": "W",
        "psu2_input_power": "W", "psu1_voltage": "V", "pwr_consumption": "W",
    }  # fmt: skip
    assert by_id["psu1_input_power"].label == "PSU1 Input Power"


def test_without_dcmi_the_watts_of_the_whole_server_become_power():
    assert channels(take_power=True)["power"].label == "Pwr Consumption"


def test_states_after_a_comma_are_no_unit():
    """Issue 18, I1: HP prints the state of a supply behind its watts."""
    (row,) = parse_sensor_list("Power Supply 1   | 03h | ok  | 10.1 | 110 Watts, Presence detected\n")
    assert (row.value, row.unit) == (110, "Watts")


@pytest.mark.parametrize(
    ("recorded", "power_w", "label"),
    [
        ("hp_dl380_g7", None, ""),
        ("hp_ilo2", 100, "Power Meter"),
        ("hpe_gen10", None, ""),
        ("hpe_gen11", 240, "Power Meter"),
        ("dell_idrac", 98, "Pwr Consumption"),
        ("dell_r710", 105, "System Level"),
        ("supermicro_x9dr7", None, ""),
        ("huawei", 168, "Power"),
        ("fujitsu_rx300", 120, "Total Power"),
        ("lenovo_xcc", 340, "Sys Power"),
        ("ibm_imm", 210, "Avg Power (averaged by the BMC)"),
        ("ibm_supplies", 292, "Sum of the supplies: PS1 Power In + PS2 Power In"),
        ("openbmc_ac922", 633, "Sum of the supplies: ps0_input_power + ps1_input_power"),
        ("cisco_cimc", 128, "POWER_USAGE"),
        ("inspur", 296, "Total_Power"),
        ("asrock", None, ""),
    ],
)
def test_each_maker_s_list_gives_the_server_s_power_or_none(recorded, power_w, label):
    """Issue 18: never a supply, a CPU or the board for the whole server. Sources stand in the files."""
    rows = parse_sensor_list((RECORDED / f"{recorded}.txt").read_text())
    server = find_server_power(rows, TABLE.server_power)
    assert (None if server is None else sum(row.value or 0 for row in server.members)) == power_w
    assert ("" if server is None else server.label) == label


def test_every_recorded_list_is_expected():
    assert {path.stem for path in RECORDED.glob("*.txt")} == {
        case[0] for case in test_each_maker_s_list_gives_the_server_s_power_or_none.pytestmark[0].args[1]
    }


def test_a_name_listed_twice_is_no_server_s():
    """A BMC that serves two nodes."""
    text = LIST + "Pwr Consumption  | 0Bh | ok  |  7.2 | 600 Watts\n"
    assert "power" not in channels(text, take_power=True)


def test_a_server_that_is_off_keeps_its_channel():
    text = LIST.replace("ok  |  7.1 | 616 Watts", "ns  |  7.1 | No Reading").replace("PSU", "XXX")
    assert channels(text, take_power=True)["power"].label == "Pwr Consumption"


def test_a_supply_that_is_off_counts_as_soon_as_it_reads():
    text = "PSU1_PIN | 10h | ok  | 10.1 | 128 Watts\nPSU2_PIN | 11h | ns  | 10.2 | No Reading\n"
    server = find_server_power(parse_sensor_list(text), TABLE.server_power)
    assert [row.name for row in server.members] == ["PSU1_PIN", "PSU2_PIN"]
    assert server.label == "Sum of the supplies: PSU1_PIN"
    assert channels(text, take_power=True)["psu2_pin"].unit == "W"


def test_repeated_names_are_told_apart_by_number():
    text = "".join(f"Temp             | {n:02X}h | ok  | 3.{n} | 40 degrees C\n" for n in (1, 2))
    assert set(channels(text)) == {"sensor_01h_3_1", "sensor_02h_3_2"}


def test_a_sensor_called_power_does_not_pose_as_the_dcmi_channel():
    assert set(channels("Power            | 0Bh | ok  |  7.1 | 600 Watts\n")) == {"sensor_0bh_7_1"}


def test_errors_between_the_rows_are_no_rows():
    # Printed for an empty repository.
    assert parse_sensor_list("SDRR successfully erased\nErr in cmd get sensor sdr info\n") == []


@given(st.text(st.characters(codec="utf-8"), max_size=200) | st.text("|0123456789ABFh. okWats\n", max_size=200))
def test_any_text_can_be_listed(text):
    rows = parse_sensor_list(text)
    server = find_server_power(rows, TABLE.server_power)
    by_sensor = sensor_channels(rows, TABLE.sensor_units, server=server)
    assert len({channel.id for channel in by_sensor.values()}) == len(by_sensor)


@pytest.mark.parametrize(
    ("reading", "watts"), [("98,5 Watts", 98.5), ("1,324 Watts", None), ("110 Watts, Presence detected", 110)]
)
def test_a_decimal_comma_is_read_where_it_is_no_mark_of_thousands(reading, watts):
    (row,) = parse_sensor_list(f"Sys Power        | 03h | ok  |  7.1 | {reading}\n")
    assert row.value == watts


def test_the_address_names_the_sensor_of_the_server():
    """home-assistant-ipmi 25 and check_ipmi_sensor 26: names that no list of makers has."""
    rows = parse_sensor_list(
        "PMB1Power        | 03h | ok  | 10.1 | 120 Watts\nCurrent Power    | 04h | ok  |  7.1 | 225 Watts\n"
    )
    assert find_server_power(rows, TABLE.server_power) is None
    server = chosen_server_power(rows, "current power")
    assert server.label == "Current Power (sensor of the address)"
    by_sensor = sensor_channels(rows, TABLE.sensor_units, server=server)
    assert [channel.id for channel in by_sensor.values()] == ["power", "pmb1power"]
    with pytest.raises(ConfigurationError, match=r"no sensor in W called Total.*PMB1Power, Current Power"):
        chosen_server_power(rows, "Total")


def test_states_of_power_supplies():
    """`ipmitool sdr type 0x08`: states of IPMI 2.0, table 42-3, in the words of ipmitool; a number is a measurement."""
    text = (
        "PS1 Status       | C8h | ok  | 10.1 | Presence detected\n"
        "PS2 Status       | C9h | ok  | 10.2 | Presence detected, Power Supply AC lost\n"
        "PS3 Status       | CAh | ok  | 10.3 | \n"
        "PS4 Status       | CBh | ns  | 10.4 | No Reading\n"
        "PS1 Status       | CCh | ok  | 11.1 | Presence detected, Failure detected\n"
        "PS1 Input Power  | CDh | ok  | 10.1 | 312 Watts\n"
    )
    assert parse_supplies(text) == {
        "PS1 Status": "Presence detected",
        "PS2 Status": "Presence detected, Power Supply AC lost",
        "PS3 Status": "nothing asserted",
        "PS4 Status": "not read",
        "PS1 Status 11.1": "Presence detected, Failure detected",
    }
    assert parse_supplies("") == {}


@given(st.text(max_size=200))
def test_any_list_of_supplies_is_read(text):
    assert all(name.strip() == name for name in parse_supplies(text))
