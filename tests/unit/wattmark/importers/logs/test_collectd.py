"""Files as src/csv.c of collectd writes them, and lines of PUTVAL as collectd-unixsock(5) describes them."""

from __future__ import annotations

import pytest
from wattmark.core.errors import InputError
from wattmark.importers.importer import Choices
from wattmark.importers.kinds import importer_of

from .conftest import read_source

T, DAYS = 1466751326, ("24", "25")


def data_dir(folder, files):
    for name, values in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        midnight = DAYS.index(name[-2:]) * 86400
        rows = "".join(f"{T + midnight + 10 * i}.000,{value}\n" for i, value in enumerate(values))
        path.write_text(f"epoch,value\n{rows}")
    return folder


def test_a_data_folder_with_the_days_of_several_series(tmp_path):
    folder = data_dir(
        tmp_path / "csv",
        {
            "node1/turbostat/power-pkg-2016-06-24": [41.25, 42.5],
            "node1/turbostat/power-pkg-2016-06-25": [43.0],
            "node1/sensors-coretemp-isa-0000/temperature-temp1-2016-06-24": [55, "nan"],
            "node1/nut-ups/power-voltampere-input-2016-06-24": [300, 300],
            "node1/nut-ups/power-watt-input-2016-06-24": [290, 291],
            "node1/cpu-0/cpu-idle-2016-06-24": [1, 2],
        },
    )
    log = read_source(folder, Choices())
    assert log.kind == "collectd"
    assert log.of("collectd node1 turbostat", "power_pkg") == [41.25, 42.5, 43.0]
    assert log.of("collectd node1 sensors-coretemp-isa-0000", "temperature_temp1")[0] == 55
    assert log.of("collectd node1 nut-ups", "power_watt_input") == [290, 291]
    assert len(log.values) == 3
    assert len(log.item.record.disclosure.imported.files) == 6
    assert any("cpu-idle" in note and "power-voltampere-input" in note for note in log.item.notes)
    assert (log.item.record.configuration, log.item.record.source) == (
        "node1",
        "imported: Data of collectd's csv plugin node1",
    )
    chosen = read_source(folder, Choices(power="node1/nut-ups/power-watt-input"))
    assert chosen.of("collectd node1 nut-ups", "power") == [290, 291]
    assert [m.role for m in chosen.item.record.meters if not m.partial] == ["bmc"]


def test_volt_amperes_of_an_ups_are_no_power_of_the_server(tmp_path):
    """src/nut.c submits ups.power, which NUT documents in volt-amperes, as power-ups."""
    folder = data_dir(tmp_path / "csv", {"node1/nut-apc/power-ups-2016-06-24": [300, 301]})
    with pytest.raises(InputError, match="no series that is known as power or as a sensor, but power-ups"):
        read_source(folder, Choices())
    with pytest.raises(InputError, match=r"power-ups is apparent power in volt-amperes"):
        read_source(folder, Choices(power="node1/nut-apc/power-ups"))


def test_a_single_file_does_not_name_its_plugin(tmp_path):
    path = data_dir(tmp_path, {"power-pkg0-2016-06-24": [41.25, 42.5]}) / "power-pkg0-2016-06-24"
    with pytest.raises(InputError, match=r"Say with --power which one .*: 'power-pkg0'"):
        read_source(path, Choices())
    assert read_source(path, Choices(power="power-pkg0")).of("collectd", "power") == [41.25, 42.5]


def test_lines_of_putval(read_log):
    text = (
        "PUTVAL testhost/interface/if_octets-test0 interval=10 1179574444:123:456\n"
        'PUTVAL "node1/ipmi/power-system board" interval=10.000 1179574444.250:201.5\n'
        'PUTVAL "node1/ipmi/power-system board" interval=10.000 1179574454.250:U\n'
        'PUTVAL "node1/ipmi/power-system board" interval=10.000 N:203\n'
        "PUTVAL node1/ipmi/voltage-12v 1179574454:12.1:3\n"
    )
    log = read_log(text)
    samples = log.values["collectd node1 ipmi", "power_system_board"]
    assert samples[0] == (1179574444.25, 201.5)
    assert [line.line for line in log.item.unread.first] == [4, 5]


@pytest.mark.parametrize(
    ("series", "named"),
    [
        ("a/modbus-m/power-reactive", "says 'reactive': it is not the power"),
        ("a/modbus-m/power-apparent_va", "says VA, which is not a unit of power"),
        ("a/modbus-m/power-total_kW", r"says kW, and --power names no unit.*'a/modbus-m/power-total_kW kW'"),
        ("a/nut-u/power-watt-nominal", "says 'nominal'"),
        ("a/ipmi/power-power cap", "says 'cap'"),
    ],
)
def test_a_series_whose_name_denies_to_be_watts_is_none(tmp_path, series: str, named: str) -> None:
    folder = data_dir(tmp_path, {f"{series}-2016-06-24": [200, 201, 202]})
    with pytest.raises(InputError, match=named):
        read_source(folder, Choices(power=series))


def test_a_unit_behind_a_series_scales_it(tmp_path) -> None:
    folder = data_dir(tmp_path, {"a/modbus-m/power-total_kW-2016-06-24": [0.2, 0.205]})
    log = read_source(folder, Choices(power="a/modbus-m/power-total_kW kW"))
    assert log.of("collectd a modbus-m", "power") == [200, 205]


def test_the_power_of_a_processor_that_a_person_takes_for_the_server_is_said(tmp_path) -> None:
    folder = data_dir(tmp_path, {"a/turbostat/power-pkg0-2016-06-24": [41, 42]})
    log = read_source(folder, Choices(power="a/turbostat/power-pkg0"))
    assert any("'a/turbostat/power-pkg0' is the power of a part" in note for note in log.item.notes)


def test_hosts_of_one_name_in_two_folders_are_two_machines(tmp_path) -> None:
    """collectd calls every machine localhost whose name it cannot look up."""
    series = "localhost/ipmi/power-total"
    folder = data_dir(
        tmp_path, {f"m1/{series}-2016-06-24": [200, 201, 202], f"m2/{series}-2016-06-25": [300, 301, 302]}
    )
    with pytest.raises(InputError, match=rf"in the folders 'm1' and 'm2'.*--power 'm2/{series}'"):
        read_source(folder, Choices(power=series))
    first, second = (read_source(folder, Choices(power=f"{machine}/{series}")) for machine in ("m1", "m2"))
    assert first.of("collectd localhost ipmi", "power") == [200, 201, 202]
    assert second.of("collectd m2/localhost ipmi", "power") == [300, 301, 302]
    assert [meter.name for meter in second.item.record.meters if not meter.partial] == ["collectd m2/localhost ipmi"]


def test_a_folder_above_the_hosts_names_nothing(tmp_path) -> None:
    folder = data_dir(tmp_path, {"csv/a/ipmi/power-total-2016-06-24": [200, 201]})
    assert read_source(folder, Choices(power="a/ipmi/power-total")).of("collectd a ipmi", "power") == [200, 201]


@pytest.mark.parametrize(("step_s", "period_s"), [(20, 10), (10, 10), (5, 5)])
def test_the_interval_that_is_declared_shows_lost_readings(read_log, step_s: int, period_s: int) -> None:
    """Every second reading was lost: the stamps alone are those of a meter read every 20 s."""
    text = "".join(f"PUTVAL a/ipmi/power-total interval=10.000 {T + step_s * i}:{300 + i % 7}\n" for i in range(60))
    (meter,) = read_log(text, Choices(power="a/ipmi/power-total")).item.record.meters
    assert meter.period_s == period_s


def test_a_file_that_cannot_be_read_refuses_the_log_by_its_name(tmp_path, unreadable):
    """A series would be missing in silence."""
    names = ("cpu-0/cpu-idle-2016-06-24", "turbostat/power-pkg-2016-06-24")
    folder = data_dir(tmp_path / "csv", {f"node1/{name}": [41.25, 42.5] for name in names})
    unreadable("cpu-idle-2016-06-24")
    assert importer_of("auto", folder).kind == "collectd"
    with pytest.raises(InputError, match="node1/cpu-0/cpu-idle-2016-06-24 cannot be read: Permission denied"):
        read_source(folder, Choices())
