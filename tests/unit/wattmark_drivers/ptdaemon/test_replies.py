"""Replies of real daemons, read.

The literals are those of MLPerf Inference v1.0 and of ../shared/reference/ptdaemon-specpower-mlperf.md, section 1.
"""

from __future__ import annotations

import math
from functools import partial

import pytest
from wattmark_drivers.meter import RangeInForce
from wattmark_drivers.ptdaemon.replies import (
    LAST,
    DaemonReport,
    RangeReport,
    Standing,
    UncertaintyReport,
    parse_all_ranges,
    parse_latest,
    parse_ranges,
    parse_report,
    parse_sample,
    parse_standing,
    parse_uncertainty,
    parse_watts,
)

WT210 = (
    "YokogawaWT210,1000,1,1,1,1,0,0,1,version=1.11.1-462c978e-20240907,OS=Windows 8 / Server 2012,mode=power,1,1,1,0,0,"
    "no_cal_date,YOKOGAWA;760401;0;F1.12"
)


def test_who_answers():
    assert parse_report(WT210) == DaemonReport(
        "YokogawaWT210", "1.11.1-462c978e-20240907", 1, "YOKOGAWA", "760401", None, "F1.12"
    )


def test_an_operating_system_with_commas_moves_no_field():
    commas = WT210.replace("Windows 8 / Server 2012", "Linux, 5.4, x86_64").replace(",1,1,1,0,0,no", ",1,1,3,0,0,no")
    assert parse_report(commas).channels == 3
    assert parse_report(commas).firmware == "F1.12"


@pytest.mark.parametrize(
    ("reply", "ranges"),
    [
        ("Ranges,1,5.000000,1,300.000000", RangeReport(RangeInForce(True, 300.0), RangeInForce(True, 5.0))),
        ("Ranges,0,10.000000,0,300.000000", RangeReport(RangeInForce(False, 300.0), RangeInForce(False, 10.0))),
        ("Ranges,-1,-1.000000,-1,-1.000000", RangeReport(RangeInForce(None, None), RangeInForce(None, None))),
        ("Ranges,0,-1.000000,0,300.000000", RangeReport(RangeInForce(False, 300.0), RangeInForce(False, None))),
    ],
)
def test_ranges(reply, ranges):
    assert parse_ranges(reply) == ranges


ONE, OTHER, UNKNOWN = "0,5.000000,0,300.000000", "0,10.000000,0,300.000000", "-1,-1.000000,-1,-1.000000"


@pytest.mark.parametrize(
    ("groups", "name", "power_w"),
    [
        ((ONE, ONE), "300V-5A", 3000.0),
        ((ONE, ONE, ONE), "300V-5A", 3000.0),  # a sum channel before them, as of version 1.4.3 on
        ((UNKNOWN, ONE, OTHER), None, None),
    ],
)
def test_the_ranges_of_a_sum_are_those_of_all_its_channels(groups, name, power_w):
    """Two channels of 300 V and 5 A reach 3000 W together."""
    report = parse_all_ranges(f"Ranges,{','.join(groups)}", 2)
    assert (report.name, report.power_w) == (name, power_w)
    assert report.volts == RangeInForce(False, 300.0)


@pytest.mark.parametrize(
    ("reply", "fixed", "name"),
    [
        ("Ranges,0,0.500000,0,300.000000", (300.0, 0.5), "300V-0.5A"),
        ("Ranges,1,0.500000,0,300.000000", (300.0, None), None),
        ("Ranges,-1,0.500000,0,300.000000", (300.0, None), None),
    ],
)
def test_only_a_range_that_stays_has_a_name(reply, fixed, name):
    assert (parse_ranges(reply).fixed, parse_ranges(reply).name) == (fixed, name)


def test_how_many_samples_there_are():
    assert parse_watts("Watts,5533.902442,2365.600000,6276.600000,3073,2,3071").samples == 3073


def test_whose_measurement_there_is():
    running = parse_standing("Wattmark,18a-1,running,12,3,1000,a mark")
    assert running == Standing(12, "Wattmark,18a-1,running,12,3,1000,a mark", "18a-1", "running", 3, 1.0, "a mark")
    assert parse_standing("Wattmark,,none,0,0,0,") == Standing(0, "Wattmark,,none,0,0,0,", "", "none", 0, 0.0, "")


@pytest.mark.parametrize("reply", ["Unknown command", "Error: unknown", "Wattmark", "Wattmark,x,running,1,0,1000,m"])
def test_other_daemons_do_not_tell_whose_measurement_there_is(reply):
    assert parse_standing(reply) is None


def test_the_first_channel_of_lines_with_a_sum():
    """power-dev counts the lines by the second word; which channels they hold is behind it."""
    assert LAST.fullmatch("Last 7 samples").groups() == ("7", None)
    assert LAST.fullmatch("Last 7 samples from sum channel and channels 1 - 3").groups() == ("7", "1")
    assert LAST.fullmatch("Last 7 samples from sum channel and channels 2 - 3").groups() == ("7", "2")
    assert LAST.fullmatch("Last 7 samples from channel 2").groups() == ("7", None)


def test_a_power_factor_of_minus_one_is_that_of_a_feed_in():
    """-1 is what an error looks like too: it is none where power flows out."""
    out = "Watts,-230.000000,Volts,230.000000,Amps,1.000000,PF,-1.000000"
    assert parse_latest(out)["PF"] == -1.0
    assert math.isnan(parse_latest(out.replace("-230.0", "230.0"))["PF"])
    assert math.isnan(parse_latest(out.replace("-230.000000", "-1.000000"))["PF"])


def test_uncertainty_of_a_group():
    unknown = "Uncertainty,-1.0,10000000.000000,0.000000,759,0,0,759"
    assert parse_uncertainty(unknown, 0) == UncertaintyReport(0.0, 0, 759)
    assert parse_uncertainty("Uncertainty,0.00241,0.002,0.003,10,0,10,0,0.1,0.1,0.2,5,5,5,0", 1) == UncertaintyReport(
        0.2, 5, 0
    )


def test_a_sample_and_its_own_time():
    """1615884838 s is 2021-03-16 08:53:58 UTC."""
    sample = parse_sample("Time,03-16-2021 08:53:58.190,Watts,396.500000,Volts,206.810000,Amps,2.013600,PF,0.952100", 0)
    assert sample.t_ns == 1_615_884_838_190_000_000
    assert sample.values == {"Watts": 396.5, "Volts": 206.81, "Amps": 2.0136, "PF": 0.9521}


def test_a_channel_of_a_sample():
    total, first = "Watts,30,Volts,-1,Amps,-1,PF,-1", "Watts,10,Volts,230,Amps,1,PF,1"
    line = f"Time,03-16-2021 08:53:58.190,{total},{first},Watts,20,Volts,231"
    assert parse_sample(line, 1).values["Volts"] == 230.0
    assert parse_sample(line, 2).values == {"Watts": 20.0, "Volts": 231.0}
    assert math.isnan(parse_sample(line, 0).values["Volts"])


@pytest.mark.parametrize(
    "text", ["-1.000000", "-2.000000", "nan", "9.91e37", "9.910000E+37", "1.#QNAN", "inf", "-nan(ind)"]
)
def test_what_is_no_value(text):
    sample = parse_sample(f"Time,03-16-2021 08:53:58.190,Watts,{text},Volts,206.81", 0)
    assert math.isnan(sample.values["Watts"])
    assert sample.missed == (text == "-2.000000")


def test_the_latest_values():
    assert parse_latest("Watts,100.000000,Volts,230.000000,Amps,-1.000000,PF,0.9")["Watts"] == 100.0


@pytest.mark.parametrize(
    ("parse", "reply"),
    [
        (parse_report, "Unknown command"),
        (parse_ranges, "Ranges,1"),
        (partial(parse_all_ranges, channels=2), f"Ranges,{ONE}"),
        (parse_ranges, "Ranges,x,1,1,1"),
        (parse_watts, "Watts"),
        (lambda text: parse_uncertainty(text, 0), "Uncertainty,1"),
        (lambda text: parse_sample(text, 0), "Time,13-45-2021 08:53:58.190,Watts,1,Volts,1"),
        (lambda text: parse_sample(text, 0), "Time,03-16-2021 08:53:58.190,Watts"),
        (lambda text: parse_sample(text, 0), "Time,03-16-2021 08:53:58.190,Watts,--5"),
        (lambda text: parse_sample(text, 2), "Time,03-16-2021 08:53:58.190,Watts,5"),
        (lambda text: parse_sample(text, 0), "Time,03-16-2021 08:53:58.190,Watts," + "9" * 500),
        (parse_latest, "Watts"),
    ],
)
def test_what_cannot_be_read_is_an_error(parse, reply):
    with pytest.raises(ValueError, match=r"."):
        parse(reply)
