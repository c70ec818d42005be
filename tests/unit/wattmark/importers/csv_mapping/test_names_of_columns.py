"""What the names of columns say of their quantity and unit: held against a mapping, and proposed."""

from __future__ import annotations

from pathlib import Path

import pytest
from wattmark.core.errors import InputError
from wattmark.importers.csv_mapping.named_quantity import named_quantities
from wattmark.importers.csv_mapping.proposal import propose
from wattmark.importers.csv_mapping.units import no_load, written_units

from .test_what_columns_are import COUNT, log, mapping, noisy, read


@pytest.mark.parametrize(
    ("heading", "quantity", "named"),
    [
        ("Voltage", ("power", "W"), "names voltage, and the mapping reads it as power"),
        ("Energy", ("power", "W"), "names energy"),
        ("Total Energy", ("power", "W"), "names energy"),
        ("Wirkenergie", ("power", "W"), "names energy"),
        ("Temperature", ("power", "W"), "names temperature"),
        ("PF", ("power", "W"), "names power factor"),
        ("Frequency", ("power", "W"), "names frequency"),
        ("Current", ("power", "W"), "names current"),
        ("Spannung", ("power", "W"), "names voltage"),
        ("power supply voltage", ("power", "W"), "names voltage"),
        ("ENERGY.Voltage", ("power", "W"), "names voltage"),
        ("Outlet 1 Power", ("voltage", "V"), "names power"),
        ("Power", ("energy", "Wh"), "names power"),
        ("Power Factor", ("power", "W"), "says 'factor'"),
        ("PowerCapacityWatts", ("power", "W"), "says 'capacity'"),
        ("PowerRequestedWatts", ("power", "W"), "says 'requested'"),
        ("Power status", ("power", "W"), "says 'status'"),
        ("Power price", ("power", "W"), "says 'price'"),
        ("power_dBm", ("power", "W"), "says 'dbm'"),
        ("power_diff", ("power", "W"), "says 'diff'"),
        ("Nennleistung", ("power", "W"), "says 'nennleistung'"),
        ("power_5min_max", ("power", "W"), "says 'max'"),
        ("Spitzenleistung", ("power", "W"), "says 'spitzenleistung'"),
        ("Energy [Ws]", ("power", "W"), "says J, and J is not a unit of power"),
        ("kWs", ("power", "W"), "says kJ"),
        ("Watt seconds", ("power", "W"), "says J"),
        ("WattHrs", ("power", "W"), "says Wh"),
        ("kW h", ("power", "kW"), "says kWh, and kWh is not a unit of power"),
        ("mwh", ("energy", "Wh"), "says mWh or MWh"),
        ("TWh", ("power", "W"), "says TWh, and TWh is not a unit of power"),
        ("VAh", ("power", "W"), "says VAh"),
        ("kW/h", ("power", "kW"), "says kW/h, and kW/h is not a unit of power"),
        ("Frequency (MHz)", ("frequency", "Hz"), "says MHz"),
        ("Power x1000 W", ("power", "W"), "says 'x1000 W', and the mapping reads it in W"),
        ("Power in 0.1W", ("power", "W"), "says 'in 0.1W'"),
        ("Power (tenths of W)", ("power", "W"), "says 'tenths'"),
        ("Watt (k)", ("power", "W"), r"says 'Watt \(k'"),
        ("power_\u03bcW", ("power", "W"), "says \u00b5W, and the mapping reads it in W"),
        ("power_percent", ("power", "W"), "says %"),
    ],
)
def test_a_heading_of_another_quantity_or_scale_than_the_mapping_is_refused(
    tmp_path: Path, heading: str, quantity: tuple[str, str], named: str
) -> None:
    with pytest.raises(InputError, match=named) as raised:
        read(tmp_path, log(heading, noisy), mapping(**{heading: quantity, "p": ("power", "W")}))
    assert "number of the column" in raised.value.remedy


@pytest.mark.parametrize(
    ("heading", "quantity"),
    [
        ("Current [W]", ("power", "W")),
        ("current_power", ("power", "W")),
        ("power_current", ("current", "A")),
        ("Power consumption (kWh)", ("energy", "kWh")),
        ("Power consumption", ("energy", "Wh")),
        ("Energy usage (W)", ("power", "W")),
        ("ENERGY.Power", ("power", "W")),
        ("rPDU2DeviceStatusPower", ("power", "W")),
        ("Power (VA)", ("apparent power", "VA")),
        ("PFC stage power", ("power", "W")),
        ("Consumption", ("power", "W")),
        ("power_dw", ("power", "dW")),
    ],
)
def test_a_heading_that_leaves_the_mapping_open_is_accepted(
    tmp_path: Path, heading: str, quantity: tuple[str, str]
) -> None:
    columns = {heading: quantity} if quantity[0] in ("power", "energy") else {"p": ("power", "W"), heading: quantity}
    lines = log(",".join(columns), lambda i: ",".join([str(noisy(i) if quantity[0] != "energy" else i)] * len(columns)))
    assert read(tmp_path, lines, mapping(**columns)).rows.count == COUNT


@pytest.mark.parametrize(
    ("name", "quantities"),
    [
        ("power/energy-pkg/", ("power", "energy")),
        ("energy.power.active", ("power",)),
        ("sensor.rack_voltage", ("voltage",)),
        ("sensor.power_meter_temperature", ("temperature",)),
        ("Énergie", ("energy",)),
        ("occ_power_gpu.0.power_from_energy", ("power",)),
        ("occ_power_gpu.0.energy", ("energy",)),
        ("Voltage of power supply at full load", ("voltage",)),
        ("PkgWatt", ("power",)),
        ("powertotal", ("power",)),
        ("ACPower", ("power",)),
        ("ops", ()),
    ],
)
def test_the_last_word_of_a_name_says_what_it_is(name: str, quantities: tuple[str, ...]) -> None:
    assert named_quantities(name) == quantities


def test_a_word_denies_power_where_it_is_what_the_name_is_of() -> None:
    assert no_load("power_state") == "state"
    assert no_load("state_power") == no_load("count") == ""


@pytest.mark.parametrize(
    ("name", "unit"),
    [
        *(("Watt-hours", "Wh"), ("W.h", "Wh"), ("kWhr", "kWh"), ("kW\u00b7h", "kWh"), ("kilowatt hours", "kWh")),
        *(("Watt_sec", "J"), ("W*s", "J"), ("kwh_total", "kWh"), ("watts", ""), ("Kilowatts", "kW"), ("W 1 h", "")),
    ],
)
def test_watts_over_a_time_are_units_of_energy(name: str, unit: str) -> None:
    assert written_units(name) == ((unit,) if unit else ())


@pytest.mark.parametrize(
    ("heading", "proposed"),
    [
        *((name, ("power", "W")) for name in ("ENERGY.Power", "ENERGY_Power", "current_power", "currentPower")),
        ("ENERGY.Voltage", ("voltage", "V")),
        *((name, (None, "")) for name in ("ENERGY.Factor", "power_current", "power/energy-pkg/")),
        *((name, ("power factor", "1")) for name in ("Outlet 1 Power Factor", "Input Power Factor", "powerFactor")),
        *((name, ("energy", "Wh")) for name in ("WattHrs", "W-h", "Watt-hours")),
        *((name, ("energy", "kWh")) for name in ("kW h", "kW-h", "Mon KWh")),
        ("Watt seconds", ("energy", "J")),
        *((name, ("power", "")) for name in ("power1_input", "power1_average")),
        ("temp1_input", ("temperature", "")),
        *((name, ("energy", "")) for name in ("energy1_input", "cpu_energy", "energy_consumed", "ENERGY_Total")),
        *((name, (None, "")) for name in ("PowerCapacityWatts", "PowerRequestedWatts", "PowerAvailableWatts")),
        *((name, (None, "")) for name in ("PowerAllocatedWatts", "kW/h", "watt_hours_per_mile", "Energy price")),
        *((name, (None, "")) for name in ("Power x1000 W", "Power in 0.1W", "f", "Power count", "Power status")),
        *((name, (None, "")) for name in ("Power (W) n", "power_dbm", "power_dBm", "power_diff", "Idle Power")),
        *((name, (None, "")) for name in ("Grid feed-in [W]", "power_p95", "power_5min_max", "GW", "CPU (MHz)")),
        ("Feed A Power (W)", ("power", "W")),
        ("PowerConsumedWatts", ("power", "W")),
        ("rPDU2DeviceStatusPower", ("power", "W")),
        ("Energy counter (Wh)", ("energy", "Wh")),
    ],
)
def test_a_name_is_proposed_as_what_it_says_and_its_unit_only_where_it_shows(
    heading: str, proposed: tuple[str | None, str]
) -> None:
    lines = [f"time;{heading}", *(f"2024-07-01T12:00:{i:02}Z;{100 + i}" for i in range(30))]
    column = propose("\n".join(lines).encode()).columns[1]
    assert (column.quantity, column.unit) == proposed


@pytest.mark.parametrize(
    ("heading", "row", "units"),
    [
        ("Power,Voltage,Current", "6{i}0.5,230.1,0.93", ("", "", "")),  # three phases beside one, or tenths of watts
        ("total_act_power,a_voltage,a_current,b_current", "6{i}0.5,230.1,0.93,0.91", ("", "", "", "")),
        ("Power (W),Voltage,Current", "6{i}0.5,230.1,0.93", ("W", "", "")),
        ("Power,Voltage,Current", "5{i}00,230,0.9", ("", "", "")),  # of two dozen outlets beside one
        ("Power,Voltage,Current", "3{i},230,0.1", ("W", "V", "A")),  # 0.1 A are up to 0.15 A
        ("power,voltage,current", "6{i},1.2,45", ("W", "V", "A")),
        ("Power,Voltage,Current", "0.3{i},230,0.04", ("W", "V", "A")),  # standby
        ("Power,Voltage,Current", "4{i}.5,230.1,0.23", ("W", "V", "A")),
        ("power,voltage,current,current_b", "4{i}.5,230,231,227", ("W", "V", "mA", "mA")),
        ("power,voltage,current", "0,230,0", ("W", "V", "A")),
    ],
)
def test_units_that_volts_amperes_and_watts_do_not_show_are_asked_for(
    heading: str, row: str, units: tuple[str, ...]
) -> None:
    lines = [f"time,{heading}", *(f"2024-07-01T12:00:{i:02}Z,{row.format(i=i % 6)}" for i in range(30))]
    assert tuple(column.unit for column in propose("\n".join(lines).encode()).columns[1:]) == units
