"""Columns of the log in JuanjoFuchs/hwinfo-tui (ai-docs/sensors.CSV), with its last two lines and its encoding."""

from __future__ import annotations

import math
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from wattmark.core.errors import InputError
from wattmark.importers.importer import Choices

HEADING = (
    'Date,Time,"Physical Memory Load [%]","Total CPU Usage [%]","Core Temperatures (avg) [°C]",'
    '"Core Critical Temperature (avg) [Yes/No]","CPU Package Power [W]","Total System Power [W]",'
    '"GPU Core (NVVDD) Output Power [W]","GPU Core (NVVDD) Output Power [W]",'
    '"PL1 Power Limit (Static) [W]","Bus Clock [MHz]",'
)
ROWS = (
    "13.8.2025,13:58:50.898,36.4,8.2,67,No,22.979,47.611,1.168,4.666,115.0,99.8,",
    "13.8.2025,13:58:52.888,36.4,13.4,79,No,17.577,41.200,1.163,4.668,115.0,99.8,",
    "13.8.2025,13:58:54.900,36.5,21.1,74,No,27.329,49.796,0.282,1.145,115.0,99.8,",
)
END = (HEADING, ",,System: DELL Precision 5570,CPU [#0]: Intel Core i9-12900H: Enhanced, with a comma,")
BERLIN = Choices(zone=ZoneInfo("Europe/Berlin"))


def text(*rows: str) -> str:
    return "\r\n".join((HEADING, *rows, *END)) + "\r\n"


@pytest.mark.parametrize("encoding", ["latin-1", "utf-8", "utf-8-sig"])
def test_sensors_of_a_real_log(read_log, encoding):
    log = read_log(text(*ROWS).encode(encoding), BERLIN, "sensors.CSV")
    assert (log.kind, log.item.unread.count) == ("hwinfo", 0)
    first = datetime(2025, 8, 13, 11, 58, 50, 898000, tzinfo=UTC).timestamp()
    assert log.values["HWiNFO", "cpu_package_power"][0] == pytest.approx((first, 22.979))
    assert log.of("HWiNFO", "core_temperatures_avg") == [67, 79, 74]
    assert log.of("HWiNFO", "gpu_core_nvvdd_output_power") == [1.168, 1.163, 0.282]
    assert log.of("HWiNFO", "gpu_core_nvvdd_output_power_2") == [4.666, 4.668, 1.145]
    assert log.of("host", "cpu_utilisation") == [8.2, 13.4, 21.1]
    assert log.of("HWiNFO", "bus_clock") == [99.8, 99.8, 99.8]
    assert len(log.values) == 7


def test_a_part_is_never_taken_for_the_whole_server(read_log):
    log = read_log(text(*ROWS), BERLIN)
    assert [(meter.role, meter.partial) for meter in log.item.record.meters] == [("secondary", True)]
    assert any("power of a whole server" in note and "'CPU Package Power [W]'" in note for note in log.item.notes)


def test_a_person_can_say_which_column_is_the_server(read_log):
    log = read_log(text(*ROWS), Choices(zone=UTC, power="Total System Power [W]"))
    assert log.of("HWiNFO", "power") == [47.611, 41.2, 49.796]
    assert [(meter.role, meter.partial) for meter in log.item.record.meters] == [("bmc", False)]
    with pytest.raises(InputError, match=r"no series 'Wall \[W\]'.*'Total System Power \[W\]'"):
        read_log(text(*ROWS), Choices(zone=UTC, power="Wall [W]"))


def test_lines_that_are_no_rows_are_reported_and_the_zone_is_asked_for(read_log):
    torn = (
        ROWS[0],
        ROWS[1][:40],
        ROWS[2].replace("13.8.2025", "8/13/2025"),
        ROWS[1].replace("79", "1e308").replace("52.8", "53.8"),
        ROWS[2],
    )
    log = read_log(text(*torn), BERLIN)
    assert [(line.line, line.why) for line in log.item.unread.first] == [
        (3, "it has 7 of 12 fields"),
        (4, "'8/13/2025' is not a date such as 31.12.2025"),
        (5, "'1e308' is not a plausible measured value"),
    ]
    with pytest.raises(InputError, match="name no time zone"):
        read_log(text(*ROWS))


def test_a_column_whose_name_denies_to_be_a_power_is_refused_and_a_part_is_said(read_log):
    peak = text(*ROWS).replace("Total System Power [W]", "Peak Power [W]")
    with pytest.raises(InputError, match=r"says 'peak': it is not the power"):
        read_log(peak, Choices(zone=UTC, power="Peak Power [W]"))
    log = read_log(text(*ROWS), Choices(zone=UTC, power="CPU Package Power [W]"))
    assert any("'CPU Package Power [W]' is the power of a part" in note for note in log.item.notes)


@pytest.mark.parametrize("missing", [range(3), [1]])
def test_a_last_sensor_without_a_value_loses_its_own_reading_alone(read_log, missing):
    rows = [row.removesuffix("99.8,") + "," if n in missing else row for n, row in enumerate(ROWS)]
    log = read_log(text(*rows), Choices(zone=UTC, power="Total System Power [W]"))
    assert log.of("HWiNFO", "power") == [47.611, 41.2, 49.796]
    assert log.item.unread.count == 0
    assert [n for n, value in enumerate(log.of("HWiNFO", "bus_clock")) if math.isnan(value)] == list(missing)
