"""Lines of real logs: kjordahl/Watts-Up--logger samples/fan.raw, isaaclino/wattsup log0.out (aadef58)."""

from __future__ import annotations

import math
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from wattmark.core.errors import InputError
from wattmark.importers.choices import read_choices
from wattmark.importers.importer import Choices

METER = "Watts Up?"
FAN = """\
#d,-,18,0,1203,0,79,0,34,2,0,1203,0,0,1200,0,100,0,0,600,0;
#d,-,18,112,1199,275,79,0,34,2,112,1202,275,0,1199,0,100,0,0,600,112;
#d,-,18,391,1200,335,79,0,34,2,391,1200,336,112,1198,275,91,0,0,600,427;
"""
SPACED = """\
2016-12-02 14:19:19.414022 11 0.5 117.2 0.000
2016-12-02 14:19:20.411078 12 5.6 117.1 0.000
2016-12-02 14:19:21.412110 13 5.5 117.1 0.000
"""
NOON = datetime(2012, 1, 23, 12, tzinfo=UTC).timestamp()


def test_records_of_the_meter_are_in_tenths_and_thousandths(read_log):
    """39.1 W of 42.7 VA are the power factor of 0.91 that the meter itself gives."""
    log = read_log(FAN, read_choices("UTC", begin="2012-01-23T12:00:00"))
    assert log.kind == "wattsup"
    assert [t for t, _ in log.values[METER, "power"]] == [NOON, NOON + 1, NOON + 2]
    assert log.of(METER, "power") == pytest.approx([0.0, 11.2, 39.1])
    assert [log.of(METER, channel)[-1] for channel in ("voltage", "current", "apparent_power", "frequency")] == (
        pytest.approx([120.0, 0.335, 42.7, 60.0])
    )
    assert log.of(METER, "power_factor") == pytest.approx([1.0, 1.0, 0.91])
    assert any("one each 1 s was assumed" in note for note in log.item.notes)


def test_the_step_that_was_asked_for_and_the_fields_that_were_switched_off(read_log):
    text = "#L,W,3,E,,10;\r\n\0#d,-,18,391,_,335,_,_,_,_,_,_,_,_,_,_,91,_,_,_,_;\r\n" * 2
    log = read_log(text, read_choices("UTC", begin="2012-01-23T12:00:00"))
    assert [t for t, _ in log.values[METER, "power"]] == [NOON, NOON + 10]
    assert log.of(METER, "power") == pytest.approx([39.1, 39.1])
    assert (METER, "voltage") not in log.values


def test_records_without_stamps_are_never_placed_in_time_by_a_guess(read_log):
    with pytest.raises(InputError, match=r"no stamps\. Say with --begin"):
        read_log(FAN, Choices(zone=UTC))
    with pytest.raises(InputError, match="name no time zone"):
        read_log(FAN, read_choices(begin="2012-01-23T12:00:00"))


def test_records_that_reach_beyond_the_calendar_are_reported(read_log):
    text = "#L,W,3,E,,999999;\n" + FAN.splitlines()[1] + "\n"
    log = read_log(text + (FAN.splitlines()[1] + "\n") * 4000, read_choices("UTC", begin="2012-01-23"))
    assert log.item.unread.count > 500
    assert "2116" in log.item.unread.first[0].why


def test_lines_of_the_python_logger_are_in_the_zone_that_was_said(read_log):
    log = read_log(SPACED + "2016-12-02 14:19:2", Choices(zone=ZoneInfo("America/Denver")))
    first = datetime(2016, 12, 2, 21, 19, 19, 414022, tzinfo=UTC).timestamp()
    assert log.values[METER, "power"][0] == pytest.approx((first, 0.5))
    assert log.of(METER, "power") == [0.5, 5.6, 5.5]
    assert (log.item.unread.count, log.item.unread.first[0].line) == (1, 4)
    (meter,) = log.item.record.meters
    assert (meter.role, meter.partial, meter.period_s) == ("wall", False, 0.997)


def test_the_csv_logger_leaves_volt_amperes_in_tenths(read_log):
    """The same record as Y. Yoon's wattsup.py writes it: W, V and A scaled, VA as the meter sent it."""
    heading = "Meter, Time, W, V, A, WH, Cost, WH/Mo, Cost/Mo, Wmax, Vmax, Amax, Wmin, Vmin, Amin, PF, DC, PC, HZ, VA\n"
    row = "ttyUSB0, 2015-03-04 05:06:{:02d}.250000, 39.1, 120.0, 0.335, 7.9, 0.0, 3.4, 0.002, 39.1, 120.0, 0.336, "
    row += "11.2, 119.8, 0.275, 91, 0, 0, 60.0, 427, \n"
    log = read_log(heading + row.format(7) + row.format(8), Choices(zone=UTC))
    assert [log.of(METER, c)[0] for c in ("power", "current", "apparent_power", "power_factor")] == (
        pytest.approx([39.1, 0.335, 42.7, 0.91])
    )


def test_the_logger_with_unix_stamps_needs_no_zone_and_has_wrong_amperes(read_log):
    """jantman's logger divides thousandths of an ampere by 10; its Unix stamp proves the time."""
    heading = "datetime,timestamp,Hz,PowerFactor,VA,amps,volts,watts\n"
    rows = "".join(f"2016-08-10T07:00:0{i},147082680{i},60.0,91,42.7,33.5,120.0,39.1\n" for i in range(2))
    log = read_log(heading + rows)
    assert log.values[METER, "power"] == [(1470826800.0, 39.1), (1470826801.0, 39.1)]
    assert log.of(METER, "current") == pytest.approx([0.335, 0.335])


def test_the_utility_prints_no_date_and_its_day_goes_on_at_midnight(read_log):
    text = "[23:59:59] [watts] 61.2, [volts] 120.1\n[00:00:00] [watts] 61.3, [volts] 120.0\n[00:00:01] 61.4\n"
    with pytest.raises(InputError, match="no date"):
        read_log(text, Choices(zone=UTC))
    log = read_log(text, read_choices("UTC", begin="2012-01-23"))
    midnight = datetime(2012, 1, 24, tzinfo=UTC).timestamp()
    assert log.values[METER, "power"] == [(midnight - 1, 61.2), (midnight, 61.3)]
    assert "no labels" in log.item.unread.first[0].why


def test_a_torn_record_keeps_its_second(read_log):
    """Five of 40 records are torn; the last one is still that of second 39."""
    whole, torn = FAN.splitlines()[2], "#d,-,18,1190,12"
    lines = [torn if n in (7, 8, 9, 20, 21) else whole for n in range(1, 41)]
    log = read_log("\n".join(lines) + "\n", read_choices("UTC", begin="2012-01-23T12:00:00"))
    power = log.values[METER, "power"]
    assert [t for t, _ in power] == [NOON + n for n in range(40)]
    assert [n for n, (_, value) in enumerate(power, 1) if math.isnan(value)] == [7, 8, 9, 20, 21]
    assert any("5 torn records keep their second" in note for note in log.item.notes)


def test_a_record_torn_into_the_next_one_keeps_both_seconds(read_log):
    lines = FAN.splitlines()
    log = read_log("\n".join([lines[0], lines[1][:20] + lines[2]]), read_choices("UTC", begin="2012-01-23T12:00:00"))
    assert [t for t, _ in log.values[METER, "power"]] == [NOON, NOON + 1, NOON + 2]
    assert log.of(METER, "power")[-1] == pytest.approx(39.1)


def test_volts_in_the_column_of_watts_are_no_log_of_this_meter(read_log):
    """Volts, watts and amperes in place of watts, volts and amperes: 300 is not a mains voltage."""
    text = "".join(f"2016-12-02 14:19:{i:02} {i} 230.{i % 3} 300.{i % 7} 1.4\n" for i in range(20))
    with pytest.raises(InputError, match=r"line 1: 300 V is not a mains voltage.*; 20 of 20 lines were not understood"):
        read_log(text, read_choices("UTC"))


def test_records_go_on_from_the_latest_when_another_step_is_asked_for(read_log):
    """150 records a second apart, then 150 ten seconds apart: the last is 149 + 1500 s after the first."""
    record = FAN.splitlines()[2] + "\n"
    text = "#L,W,3,E,,1;\n" + record * 150 + "#L,W,3,E,,10;\n" + record * 150
    log = read_log(text, read_choices("UTC", begin="2012-01-23T12:00:00"))
    stamps = [t - NOON for t, _ in log.values[METER, "power"]]
    assert stamps == [*range(150), *range(159, 1650, 10)]
    assert any("one each 1 s, then 10 s was assumed" in note for note in log.item.notes)
