"""Columns that are not what a mapping says, as their headings or the way of their numbers prove."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from wattmark.core.errors import InputError
from wattmark.importers.csv_mapping.csv_import import csv_run, read_csv
from wattmark.importers.csv_mapping.mapping import CsvMapping
from wattmark.importers.csv_mapping.rates import written_multiple, written_rate
from wattmark.importers.csv_mapping.units import (
    extreme,
    no_power,
    written_factor,
    written_units,
)
from wattmark.importers.importer import Choices
from wattmark.importers.kinds import KINDS
from wattmark.importers.logs.read_log import ReadLog

T = 1_732_800_000
COUNT = 120


def mapping(form: str = "unix s", **quantities: tuple[str, str]) -> CsvMapping:
    """Return a mapping of columns by name, each of a meter of its own."""
    columns = [{"column": c, "quantity": q, "unit": u, "meter": c} for c, (q, u) in quantities.items()]
    return CsvMapping.model_validate({"name": "any", "time": {"columns": ["time"], "format": form}, "columns": columns})


def read(path: Path, lines: Sequence[str], form: CsvMapping) -> ReadLog:
    file = path / "log.csv"
    file.write_text("\n".join(lines) + "\n")
    return read_csv(file, form, Choices(zone=UTC))


def log(heading: str, row: Callable[[int], Any], count: int = COUNT) -> list[str]:
    return [f"time,{heading}", *(f"{T + i},{row(i)}" for i in range(count))]


def noisy(i: int) -> int:
    return 300 + i * 7 % 11


@pytest.mark.parametrize(
    ("heading", "unit"),
    [
        ("Power (kW)", "kW"),
        ("power_kw", "kW"),
        ("P [mW]", "mW"),
        ("Current Consumption (kWh)", "kWh"),
        ("Load [watts]", "W"),
        ("S/VA", "VA"),
        ("Watts", ""),
        ("power", ""),
        ("L1 A", ""),
        ("Power [A]", ""),
        ("power.draw", ""),
        ("Puissance", ""),
    ],
)
def test_a_heading_writes_a_unit_in_brackets_or_as_a_sign_of_two_letters(heading: str, unit: str) -> None:
    assert written_units(heading) == ((unit,) if unit else ())


@pytest.mark.parametrize(
    ("heading", "units"),
    [
        ("power_mw", ("mW", "MW")),
        ("Power (mw)", ("mW", "MW")),
        ("VDD_IN mW", ("mW",)),
        ("Power milliwatts", ("mW",)),
        ("power_milliwatts", ("mW",)),
        ("Kilowatts", ("kW",)),
        ("watt_hours", ("Wh",)),
        ("Kilowatt hours", ("kWh",)),
        ("energy millijoules", ("mJ",)),
        ("Megawatts", ("MW",)),
        ("powerDeciWatts", ("dW",)),
        ("powerKW", ("kW",)),
        ("powerMW", ("mW", "MW")),
        ("totalkWh", ()),
        ("activePowerW", ()),
    ],
)
def test_a_heading_writes_a_unit_as_a_word_with_a_prefix_and_small_letters_leave_two(
    heading: str, units: tuple[str, ...]
) -> None:
    assert written_units(heading) == units


@pytest.mark.parametrize(
    ("heading", "word"),
    [
        ("power_factor", "factor"),
        ("active_energy", "energy"),
        ("Power Supply 1 Voltage", "voltage"),
        ("voltage_l1", "voltage"),
        ("current_a", "current"),
        ("current_power", ""),
        ("Current Consumption", ""),
        ("energy meter power", ""),
        ("power_percent", "percent"),
        ("power_dbm", "dbm"),
        ("power_hp", "hp"),
        ("hp_server_power", ""),
        ("total_kvah", "kvah"),
        ("max_demand_w", "max"),
        ("peak_demand", "peak"),
        ("min_consumed_watts", "min"),
        ("power_min", "min"),
        ("5 min power", ""),
        ("power_capacity_watts", "capacity"),
        ("power_allocated_watts", "allocated"),
        ("power_available_watts", "available"),
        ("power_requested_watts", "requested"),
        ("interval_in_min", "interval"),
        ("average_consumed_watts", ""),
        ("total_active_power", ""),
        ("Leistung", ""),
    ],
)
def test_a_name_denies_to_be_the_power_that_a_load_takes(heading: str, word: str) -> None:
    """Names of inputs.redfish (power_powercontrol), of Modbus maps, and of sensors."""
    assert no_power(heading) == word


@pytest.mark.parametrize(
    ("heading", "rate"),
    [
        ("Throughput (ops/min)", "1/min"),
        ("Transactions per hour", "1/h"),
        ("requests_per_minute", "1/min"),
        ("Requests/sec", "1/s"),
        ("ssj_ops", ""),
        ("ops_s", ""),
        ("Runtime (s)", "time"),
        ("Latency [ms]", "time"),
        ("duration", "time"),
        ("Throughput", ""),
        ("Latency-bounded throughput", ""),
        ("Throughput [ms]", "time"),
        ("real-time streams", "time"),
        ("requests per 10 s", "1/10 s"),
        ("Requests/5 min", "1/5 min"),
        ("ops/100ms", "1/100 ms"),
        ("req/ms", "1/ms"),
        ("ops per day", "1/day"),
        ("ops/d", "1/d"),
        ("ops per 1 s", "1/s"),
        ("s/op", "time"),
        ("ms per op", "time"),
        ("seconds per op", "time"),
        ("tokens/s/user", "1/s"),
        ("Ops per watt", "work per energy"),
        ("GB/kWh", "work per energy"),
        ("ops/s/W", "work per energy"),
        ("ms", "time"),
        ("ops/min", "1/min"),
    ],
)
def test_a_heading_names_a_rate_or_a_time(heading: str, rate: str) -> None:
    assert written_rate(heading) == rate


@pytest.mark.parametrize(
    ("heading", "quantity", "named"),
    [
        ("power_mw", ("power", "W"), "says mW or MW, and the mapping reads it in W"),
        ("Power milliwatts", ("power", "W"), "says mW, and the mapping reads it in W"),
        ("watt_hours", ("power", "W"), "says Wh, and Wh is not a unit of power"),
        ("Power Limit (W)", ("power", "W"), "says 'limit', and the mapping reads it as the power of the load"),
        ("power_stddev", ("power", "W"), "says 'stddev'"),
        ("power_deciwatts", ("power", "W"), "says dW, and the mapping reads it in W"),
        ("Apparent Power", ("power", "W"), "says 'apparent'"),
        ("Power Factor", ("power", "W"), "says 'factor', and the mapping reads it as the power of the load"),
        ("powerKW", ("power", "W"), "says kW, and the mapping reads it in W"),
        ("PowerAllocatedWatts", ("power", "W"), "says 'allocated'"),
        ("Peak Demand", ("power", "W"), "says 'peak'"),
        ("Power (BTU/hr)", ("power", "W"), "says 'btu'"),
        ("Rated Power", ("power", "W"), "says 'rated'"),
        ("Power (W) Max", ("power", "W"), "says 'max', which is not a reading"),
        ("power_max", ("power", "W"), "says 'max'"),
        ("Peak Power", ("power", "W"), "says 'peak'"),
        ("Pmin [W]", ("power", "W"), "says 'pmin'"),
        ("power (nW)", ("power", "W"), "says nW, and the mapping reads it in W"),
        ("power nanowatts", ("power", "µW"), "says nW, and the mapping reads it in µW"),
        ("Power (in mW)", ("power", "W"), "says mW, and the mapping reads it in W"),
        ("Power (mWatt)", ("power", "W"), "says mW"),
        ("Power {mW}", ("power", "W"), "says mW"),
        ("Power|mW", ("power", "W"), "says mW"),
        ("avg mW CPU", ("power", "W"), "says mW"),
        ("power_kw_total", ("power", "W"), "says kW"),
        ("Energy (J)", ("power", "W"), "says J, and J is not a unit of power"),
        ("Power (%)", ("power", "W"), "says %, and % is not a unit of power"),
        ("Power [kvar]", ("power", "W"), "says 'kvar'"),
        ("Power [W/10]", ("power", "W"), "says 'W/10', and the mapping reads it in W"),
        ("Power (0.1 W)", ("power", "W"), "says '0.1 W'"),
        ("Watt (x100)", ("power", "W"), "says 'x100'"),
        ("Energy [kWh] x 0.01", ("energy", "kWh"), "says 'x 0.01', and the mapping reads it in kWh"),
    ],
)
def test_a_heading_of_something_else_than_the_mapping_is_refused(
    tmp_path: Path, heading: str, quantity: tuple[str, str], named: str
) -> None:
    with pytest.raises(InputError, match=named) as raised:
        read(tmp_path, log(heading, noisy), mapping(**{heading: quantity}))
    assert "number of the column" in raised.value.remedy


@pytest.mark.parametrize(
    ("heading", "unit", "named"),
    [
        ("Requests per minute", "1/s", "says 1/min, and the mapping reads it in 1/s"),
        ("ops/s", "count", "says 1/s, and the mapping reads it in count"),
        ("Latency [ms]", "1/s", "names a time, and throughput is work per time"),
        ("Throughput [kops/s]", "1/s", "says kops, and the mapping counts ops"),
        ("M op per second", "1/s", "says M op, and the mapping counts ops"),
        ("requests per 10 s", "1/s", "says 1/10 s, and a throughput is read in 1/s, 1/min, 1/h, count, total"),
        ("ops per day", "1/h", "says 1/day"),
        ("req/ms", "count", "says 1/ms"),
        ("s/op", "1/s", "names a time"),
        ("Ops per watt", "1/s", "names work per energy, and throughput is work per time"),
        ("Power", "1/s", "names power, and the mapping reads it as throughput"),
    ],
)
def test_a_rate_that_the_heading_names_is_the_rate_that_is_read(
    tmp_path: Path, heading: str, unit: str, named: str
) -> None:
    columns = [
        {"column": "power", "quantity": "power", "unit": "W"},
        {"column": heading, "quantity": "throughput", "unit": unit},
    ]
    form = mapping(power=("power", "W")).model_dump() | {"holds": "power log with throughput", "columns": columns}
    form["work_unit"] = "ops"
    lines = log(f"power,{heading}", lambda i: f"{noisy(i)},{6000 + i * 7 % 5}")
    with pytest.raises(InputError, match=named):
        read(tmp_path, lines, CsvMapping.model_validate(form))


@pytest.mark.parametrize(
    ("heading", "factor"),
    [
        ("P (W x10)", "W x10"),
        ("power_w_x10", "w x10"),
        ("Power [100 mW]", "100 mW"),
        ("10*W", "10*W"),
        ("Power (W)/100", "/100"),
        ("GPU x10 Power (W)", ""),
        ("10 × Xeon power (W)", ""),
        ("PSU (1000 W) power", ""),
        ("Node/10 power (W)", ""),
        ("Rack A /10 W", ""),
        ("power_w_10s", ""),
        ("Power (W/10 s)", ""),
        ("Power (W) 10/2024", ""),
        ("Outlet 1 (10 A) Power W", ""),
    ],
)
def test_a_factor_is_one_of_the_unit_and_of_nothing_else_in_a_heading(heading: str, factor: str) -> None:
    assert written_factor(heading) == factor


@pytest.mark.parametrize(
    "heading",
    [
        "Max-Planck node power (W)",
        "power max load",
        "5 min power",
        "W per min power",
        "peak-1 Watts",
        "M1 Max power (W)",
        "maxi power",
    ],
)
def test_names_and_minutes_are_no_extremes(heading: str) -> None:
    assert extreme(heading) == ""


@pytest.mark.parametrize(
    "heading", ["KW 12 Leistung", "MA power 60", "HP power", "Power (avg)", "Outlet A", "Var 1 kW"]
)
def test_words_that_only_look_like_units_are_none(heading: str) -> None:
    assert written_units(heading) in ((), ("kW",))


@pytest.mark.parametrize(
    ("heading", "work", "multiple"),
    [
        ("Throughput (Mop/s)", "op", "Mop"),
        ("GFLOP/s", "Gflop", ""),
        ("4K reads/s", "reads", ""),  # reads of 4 KiB
        ("Network ops/s", "work", ""),
        ("ops/s x1000", "ops", "x1000"),
        ("1000 ops/s", "ops", "1000 /"),
        ("1000 ops/s", "1000 ops", ""),
        ("million ops/s", "ops", "million"),
        ("million tokens/s", "million tokens", ""),
        ("ops (thousands)", "ops", "thousands"),
        ("kilo ops/s", "ops", "kilo ops"),
        ("Throughput [k/s]", "work", "k"),
        ("GPU x10 ops/s", "ops", ""),
        ("tokens/s", "tokens", ""),
    ],
)
def test_a_multiple_of_the_work_that_is_counted_is_seen(heading: str, work: str, multiple: str) -> None:
    assert written_multiple(heading, work) == multiple


def with_work(unit: str) -> CsvMapping:
    """Return a mapping of the columns power and ops."""
    columns = [
        {"column": "power", "quantity": "power", "unit": "W"},
        {"column": "ops", "quantity": "throughput", "unit": unit},
    ]
    form = mapping(power=("power", "W")).model_dump() | {"holds": "power log with throughput", "columns": columns}
    return CsvMapping.model_validate(form)


def test_a_running_total_is_no_rate_of_work(tmp_path: Path) -> None:
    lines = log("power,ops", lambda i: f"{noisy(i)},{1000 * (i // 2)}")  # of a counter that is read twice in each step
    with pytest.raises(InputError, match=r"rises in 59 of its 120 lines and never falls: .* not a rate"):
        read(tmp_path, lines, with_work("1/s"))


def test_a_heading_in_another_unit_than_the_mapping_is_refused(tmp_path: Path) -> None:
    lines = log("Power (kW)", lambda i: noisy(i) / 1000)
    with pytest.raises(InputError, match=r"heading 'Power \(kW\)' says kW, and the mapping reads it in W.*number of"):
        read(tmp_path, lines, mapping(**{"Power (kW)": ("power", "W")}))
    with pytest.raises(InputError, match="says kWh, and kWh is not a unit of power"):
        read(tmp_path, log("Use (kWh)", noisy), mapping(**{"Use (kWh)": ("power", "W")}))
    assert read(tmp_path, lines, mapping(**{"Power (kW)": ("power", "kW")})).rows.count == COUNT
    by_number = mapping(power=("power", "W")).model_dump()
    by_number["columns"][0]["column"] = 2
    assert read(tmp_path, lines, CsvMapping.model_validate(by_number)).rows.count == COUNT


@pytest.mark.parametrize(
    ("heading", "row", "quantity", "refused"),
    [
        ("e", lambda i: f"{812.4 + i / 1000:.3f}", ("power", "W"), "it is a running total, not power"),
        ("e", lambda i: 5000 + 300 * i, ("energy since the line before", "J"), "it is a running total"),
        ("e", lambda i: 5 + i % 3, ("energy", "Wh"), "falls in 39 of 120 lines: .* 'energy since the line before'"),
        (
            "e",
            lambda i: 0.0834,
            ("energy", "Wh"),
            "the same number in all 120 lines: .* 'energy since the line before'",
        ),
        ("e", noisy, ("power", "W"), None),
        ("e", lambda i: 300 + i // 4, ("power", "W"), None),
        ("e", lambda i: (500 + i) % 560, ("energy", "Wh"), None),
    ],
    ids=[
        "counter as power",
        "counter as interval",
        "interval as counter",
        "steady interval",
        "power",
        "warming up",
        "counter reset once",
    ],
)
def test_a_running_total_and_amounts_of_intervals_are_told_apart(
    tmp_path: Path, heading: str, row: Callable[[int], Any], quantity: tuple[str, str], refused: str | None
) -> None:
    form = mapping(**{heading: quantity})
    if refused is None:
        assert read(tmp_path, log(heading, row), form).rows.count == COUNT
        return
    with pytest.raises(InputError, match=refused):
        read(tmp_path, log(heading, row), form)


def test_a_counter_that_a_person_names_as_power_is_refused_in_line_protocol(tmp_path: Path) -> None:
    file = tmp_path / "points.txt"
    file.write_text("".join(f"modbus,name=pdu total={812.1 + i / 100:.2f} {T + i}000000000\n" for i in range(COUNT)))
    (pending,) = KINDS["telegraf"].find(file, Choices(power="modbus,name=pdu total"))
    with pytest.raises(InputError, match=r"power of 'modbus pdu' never falls in 120 lines .* --power"):
        pending.read()


def phases(i: int) -> tuple[int, int, int]:
    return 100 + i * 7 % 11, 110 + i * 5 % 7, 90 + i * 3 % 5


@pytest.mark.parametrize(
    ("heading", "row", "refused"),
    [
        ("l1,l2,l3,total", lambda i: (*phases(i), sum(phases(i))), "'total' is the sum of 'l1', 'l2', 'l3'"),
        ("total,l1,l2,l3", lambda i: (sum(phases(i)) + 0.04, *phases(i)), "'total' is the sum of 'l1', 'l2', 'l3'"),
        ("l1,l2,both,other", lambda i: (*phases(i)[:2], sum(phases(i)[:2]), 57 + i % 3), "'both' is the sum of"),
        ("power,again", lambda i: (noisy(i), noisy(i)), "'again' holds the same readings as 'power'"),
        ("l1,l2,l3", phases, None),
        ("a,b", lambda i: (noisy(i), noisy(i + 5)), None),
        ("a,b,c", lambda i: (200 + i % 7, 0, 200 + i % 7 + 0.4), None),
        ("a,b", lambda i: (300, 300), None),
    ],
    ids=["phases", "total first", "some", "twice", "no total", "two supplies", "an empty outlet", "steady"],
)
def test_a_total_beside_its_parts_is_not_added_to_them(
    tmp_path: Path, heading: str, row: Callable[[int], tuple[float, ...]], refused: str | None
) -> None:
    form = mapping(**dict.fromkeys(heading.split(","), ("power", "W")))
    lines = log(heading, lambda i: ",".join(map(str, row(i))))
    if refused is None:
        assert read(tmp_path, lines, form).rows.count == COUNT
        return
    with pytest.raises(InputError, match=refused + ".*counted twice.*role secondary"):
        read(tmp_path, lines, form)
    shown = form.model_dump()
    shown["columns"] = [
        c | {"role": "secondary" if c["column"] in re.findall(r"^'(\w+)'", refused) else "wall"}
        for c in shown["columns"]
    ]
    assert read(tmp_path, lines, CsvMapping.model_validate(shown)).rows.count == COUNT


def test_columns_that_are_named_once_more_at_other_places_are_refused(tmp_path: Path) -> None:
    first, form = log("power,voltage", lambda i: f"{noisy(i)},230.1", 50), mapping(power=("power", "W"))
    later = [f"{T + 50 + i},230.1,{noisy(i)}" for i in range(50)]
    with pytest.raises(InputError, match=r"line 52: the columns are named once more, and 'power' is not where"):
        read(tmp_path, [*first, "time,voltage,power", *later], form)
    wider = [f"{T + 50 + i},{noisy(i)},230.1" for i in range(50)]
    again = read(tmp_path, [*first, "time,power,voltage,", *wider], form)
    assert (again.rows.count, again.unread.count, again.unread.lines) == (100, 0, 100)


@pytest.mark.parametrize(
    ("name", "texts"),
    [("unit", ("W", "kW")), ("_field", ("power", "voltage")), ("Unit_of_measurement", ("W", "mW"))],
)
def test_a_column_that_names_unit_or_quantity_may_not_change(tmp_path: Path, name: str, texts: tuple[str, str]) -> None:
    lines = log(f"power,{name}", lambda i: f"{noisy(i)},{texts[i == 77]}")
    with pytest.raises(InputError, match=rf"in line 79 its column '{name}' changes from '{texts[0]}' to '{texts[1]}'"):
        read(tmp_path, lines, mapping(power=("power", "W")))


@pytest.mark.parametrize(
    ("name", "text", "named"),
    [
        ("unit", "kW", "the column 'unit' of its lines says kW, and the mapping reads it in W"),
        ("Unit", "mW", "says mW, and the mapping reads it in W"),
        ("unit_of_measurement", "mw", "says mW or MW"),
        ("power_unit", "kW", "says kW"),
        ("uom", "V", "says V, and V is not a unit of power"),
        ("_measurement", "kWh", "says kWh, and kWh is not a unit of power"),
        ("_field", "voltage", "names voltage, and the mapping reads it as power"),
        ("entity_id", "sensor.rack_voltage", "names voltage"),
        ("metric", "power_limit_w", "says 'limit'"),
        ("_field", "power_mw", "says mW or MW"),
        ("unit", "W", None),
        ("unit", "rack 7", None),
        ("voltage_unit", "V", None),
        ("_measurement", "energy", None),
        ("entity_id", "sensor.plug", None),
        ("_field", "power", None),
        ("rack_unit", "17", None),
    ],
)
def test_a_column_that_names_another_unit_or_quantity_than_the_mapping_is_refused(
    tmp_path: Path, name: str, text: str, named: str | None
) -> None:
    lines = log(f"power,{name}", lambda i: f"{noisy(i)},{text}")
    chosen = mapping(power=("power", "W")).model_dump() | {"where": {name: text}}
    for form in (mapping(power=("power", "W")), CsvMapping.model_validate(chosen)):
        if named is None:
            assert read(tmp_path, lines, form).rows.count == COUNT
            continue
        with pytest.raises(InputError, match=named):
            read(tmp_path, lines, form)
        by_number = form.model_dump()
        by_number["columns"][0]["column"] = 2
        assert read(tmp_path, lines, CsvMapping.model_validate(by_number)).rows.count == COUNT


def test_a_unit_of_one_of_the_mapped_columns_is_enough_and_its_scale_must_be_right(tmp_path: Path) -> None:
    lines = log("power,volts,unit", lambda i: f"{noisy(i)},230.1,W")
    volts = {"volts": ("voltage", "V")}
    assert read(tmp_path, lines, mapping(power=("power", "W"), **volts)).rows.count == COUNT
    with pytest.raises(InputError, match="says W, and the mapping reads it in kW"):
        read(tmp_path, lines, mapping(power=("power", "kW"), **volts))


@pytest.mark.parametrize(
    ("form", "stamp", "hint"),
    [
        ("unix ms", lambda i: T + i, "in 'unix s' it would be of our time"),
        ("unix us", lambda i: (T + i) * 1000, "in 'unix ms' it would be of our time"),
        ("unix s", lambda i: f"{45_624.5 + i / 86_400:.6f}", "date of a spreadsheet in days"),
        ("unix s", lambda i: i * 0.5, "say with --begin when that was"),
        (
            "%m/%d/%Y %H:%M:%S",
            lambda i: datetime.fromtimestamp(T - 1260 + i, UTC).strftime("%m/%d/%Y %I:%M:%S"),
            "step back by 12 h: a clock of 12 hours",
        ),
    ],
    ids=["seconds as ms", "ms as us", "days of a spreadsheet", "from the start", "12 hours"],
)
def test_stamps_that_cannot_be_say_what_they_may_be(
    tmp_path: Path, form: str, stamp: Callable[[int], Any], hint: str
) -> None:
    lines = ["time,power", *(f"{stamp(i)},{noisy(i)}" for i in range(COUNT))]
    with pytest.raises(InputError, match=re.escape(hint)):
        read(tmp_path, lines, mapping(form, power=("power", "W")))


@pytest.mark.parametrize(
    ("watts", "decimal", "refused"),
    [
        (lambda i: f"1.{200 + i % 7}", None, True),
        (lambda i: f"{900 + i % 7}" if i % 2 else f"1.{200 + i % 7}", None, True),
        (lambda i: f"1.{200 + i % 7}", ".", False),
        (lambda i: f"0.{200 + i % 7}", None, False),
        (lambda i: f"30{i % 7}.25", None, False),
        (lambda i: f"{1200 + i % 7}" if i == 5 else f"1.{200 + i % 7}", None, False),
    ],
    ids=["groups or decimals", "some without", "decimal is written", "a zero", "two decimals", "no groups"],
)
def test_points_before_three_digits_are_asked_for_where_semicolons_separate_columns(
    tmp_path: Path, watts: Callable[[int], str], decimal: str | None, refused: bool
) -> None:
    form = mapping(power=("power", "W")).model_dump(exclude_unset=True) | {"delimiter": ";"}
    form |= {} if decimal is None else {"decimal": decimal}
    lines = [line.replace(",", ";") for line in log("power", watts)]
    if refused:
        with pytest.raises(InputError, match=r"in '1\.20[0-9]' the point may separate thousands or decimals"):
            read(tmp_path, lines, CsvMapping.model_validate(form))
    else:
        assert read(tmp_path, lines, CsvMapping.model_validate(form)).rows.count == COUNT


@pytest.mark.parametrize(
    ("unit", "ops", "named"),
    [
        ("1/s", lambda i: 2**64 - 1 if i == 60 else 1000 + i * 7 % 5, r"is 1\.84467e\+19 per second in one interval"),
        ("total", lambda i: 1000 + i * 7 % 5, "falls in .* of its 120 lines: it is no running total"),
    ],
    ids=["wrapped", "a rate as total"],
)
def test_throughput_that_cannot_be_work_is_refused(
    tmp_path: Path, unit: str, ops: Callable[[int], int], named: str
) -> None:
    with pytest.raises(InputError, match=named):
        read(tmp_path, log("power,ops", lambda i: f"{noisy(i)},{ops(i)}"), with_work(unit))


def test_throughput_that_ends_before_the_log_is_told(tmp_path: Path) -> None:
    file = tmp_path / "log.csv"
    file.write_text("\n".join(log("power,ops", lambda i: f"{noisy(i)},{1000 + i * 7 % 5 if i < 60 else ''}")) + "\n")
    notes = csv_run(file, with_work("1/s"), Choices(zone=UTC)).record.disclosure.notes
    assert any("No throughput is logged for 0 s at the start and 60 s at the end" in note for note in notes)


@pytest.mark.parametrize("rows", [1, 2], ids=["below the heading", "as a heading"])
def test_a_row_of_units_is_held_against_the_mapping(tmp_path: Path, rows: int) -> None:
    lines = log("power", lambda i: noisy(i) / 1000)
    lines.insert(1, "s,[kW]")
    form = mapping(power=("power", "W")).model_dump() | {"header_rows": rows}
    with pytest.raises(InputError, match="the row of units says kW for column 'power', and the mapping reads it in W"):
        read(tmp_path, lines, CsvMapping.model_validate(form))
    form["columns"][0]["unit"] = "kW"
    assert read(tmp_path, lines, CsvMapping.model_validate(form)).rows.count == COUNT


@pytest.mark.parametrize("rows", [1, 2], ids=["below the heading", "as a heading"])
@pytest.mark.parametrize(
    ("units", "named"),
    [
        ("s,W,ops/min", r"the row of units says 1/min, and the mapping reads it in 1/s \(column 'ops'\)"),
        ("s,W,1/min", "says 1/min"),
        ("s,W,[kop/s]", "says kop, and the mapping counts op"),
        ("s,W,ms", "names a time"),
        ("s,W,op/s", None),
        ("s,W,-", None),
    ],
)
def test_a_rate_in_a_row_of_units_is_held_against_the_mapping(
    tmp_path: Path, rows: int, units: str, named: str | None
) -> None:
    lines = log("power,ops", lambda i: f"{noisy(i)},{600 + i % 7}")
    lines.insert(1, units)
    form = CsvMapping.model_validate(with_work("1/s").model_dump() | {"header_rows": rows, "work_unit": "op"})
    if named is None:
        assert read(tmp_path, lines, form).rows.count == COUNT
        return
    with pytest.raises(InputError, match=named):
        read(tmp_path, lines, form)


def test_a_second_row_of_units_is_held_against_the_mapping(tmp_path: Path) -> None:
    lines = log("power", lambda i: noisy(i) / 1000)
    lines[1:1] = ["(time),(power)", "s,[kW]"]
    with pytest.raises(InputError, match="the row of units says kW for column 'power', and the mapping reads it in W"):
        read(tmp_path, lines, mapping(power=("power", "W")))
    assert read(tmp_path, lines, mapping(power=("power", "kW"))).rows.count == COUNT


def test_work_per_10_s_is_that_of_each_line_where_the_mapping_says_so(tmp_path: Path) -> None:
    ops = {"column": "ops per 10 s", "quantity": "throughput", "unit": "count"}
    form = with_work("count").model_dump() | {"columns": [{"column": "power", "quantity": "power", "unit": "W"}, ops]}
    lines = log("power,ops per 10 s", lambda i: f"{noisy(i)},{600 + i % 7}")
    assert read(tmp_path, lines, CsvMapping.model_validate(form)).rows.count == COUNT


@pytest.mark.parametrize(
    ("heading", "is_part"),
    [
        ("PkgWatt", True),
        ("power.draw [W]", True),
        ("GPU1 Power (W)", True),
        ("L2 Power", True),
        ("psu1_input_w", True),
        ("Total Power (W)", False),
        ("apower", False),
        ("Watts", False),
    ],
)
def test_power_of_a_part_or_phase_that_stands_for_the_server_is_told(
    tmp_path: Path, heading: str, is_part: bool
) -> None:
    file = tmp_path / "log.csv"
    file.write_text("\n".join(log(heading, noisy)) + "\n")
    notes = csv_run(file, mapping(**{heading: ("power", "W")}), Choices(zone=UTC)).record.disclosure.notes
    assert any(f"The heading {heading!r} names parts or phases" in note for note in notes) == is_part


def test_stamps_that_a_fast_meter_repeats_in_whole_seconds_need_their_decimals(tmp_path: Path) -> None:
    lines = ["time,power", *(f"{T + i * 19 // 20},{noisy(i)}" for i in range(240))]  # a reading each 0.95 s
    with pytest.raises(InputError, match="its stamp is that of an earlier line") as raised:
        read(tmp_path, lines, mapping(power=("power", "W")))
    assert "if stamps were cut, export them with all of their decimals" in raised.value.remedy
