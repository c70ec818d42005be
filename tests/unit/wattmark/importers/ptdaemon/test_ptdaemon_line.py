from __future__ import annotations

from math import isnan

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from wattmark.importers.ptdaemon.ptdaemon_line import parse_line

# First sample of closed/DellEMC/results/R7525_A100_PCIe-40GBx3_TRT/resnet50/Offline, MLPerf inference v1.0.
SINGLE = (
    "Time,03-18-2021 21:29:10.371,Watts,491.400000,Volts,206.740000,Amps,2.478000,PF,0.959300,"
    "Mark,2021-03-18_21-13-30_testing"
)
# First sample of closed/NVIDIA/results/DGX-A100_A100-SXM-80GBx8_TRT_MaxQ/resnet50/Offline (WT330 multichannel).
MULTI = (
    "Time,03-17-2021 14:24:56.694,Watts,1579.000000,Volts,-1.000000,Amps,-1.000000,PF,-1.000000,"
    "Mark,2021-03-17_14-10-58_testing,Ch1,Watts,574.400000,Volts,233.090000,Amps,2.811000,PF,0.876600,"
    "Ch2,Watts,528.300000,Volts,231.190000,Amps,2.459000,PF,0.929300,"
    "Ch3,Watts,476.300000,Volts,231.430000,Amps,2.254000,PF,0.912900"
)


def test_single_channel_line_is_read_with_its_mark() -> None:
    line = parse_line(SINGLE)
    assert line.t_ns == 1616102950_371000000  # 2021-03-18T21:29:10.371Z
    assert line.total == {"Watts": 491.4, "Volts": 206.74, "Amps": 2.478, "PF": 0.9593}
    assert line.mark == "2021-03-18_21-13-30_testing"
    assert line.channels == ()


def test_first_group_of_a_multichannel_line_is_the_sum() -> None:
    line = parse_line(MULTI)
    assert line.total["Watts"] == 1579.0
    assert [group["Watts"] for group in line.channels] == [574.4, 528.3, 476.3]


def test_repeated_columns_without_channel_words_start_a_channel() -> None:
    reply = "Time,03-17-2021 14:24:56.694,Watts,10.0,Volts,1.0,Amps,1.0,PF,1.0,Watts,4.0,Volts,2.0,Watts,6.0,Volts,3.0"
    line = parse_line(reply)
    assert line.total["Watts"] == 10.0
    assert [(group["Watts"], group["Volts"]) for group in line.channels] == [(4.0, 2.0), (6.0, 3.0)]


def test_older_temperature_line_needs_no_time_word() -> None:
    line = parse_line("03-18-2021 21:29:10.371,Temp,29.687500,Humidity,0.000000,Mark,notset")
    assert line.total == {"Temp": 29.6875, "Humidity": 0.0}
    assert line.mark == "notset"


@pytest.mark.parametrize("text", ["nan", "-nan", "1.#QNAN0", "-1.#IND00", "inf"])
def test_not_a_number_in_the_spelling_of_any_c_library(text: str) -> None:
    assert isnan(parse_line(f"Time,03-18-2021 21:29:10.371,Watts,{text}").total["Watts"])


@pytest.mark.parametrize(
    "line",
    [
        "Time,03-18-2021 21:29:10.371,Watts",
        "Time,03-18-2021 21:29:10.371",
        "Time,2021-03-18 21:29:10.371,Watts,1.0",
        "Time,13-18-2021 21:29:10.371,Watts,1.0",
        "Time,02-30-2021 21:29:10.371,Watts,1.0",
        "Time,03-18-2021 21:29:10.371,Watts,1_0",
        "Time,03-18-2021 21:29:10.371,Watts,٣",
        "Time,03-18-2021 21:29:10.371,Watts,12 W",
        "Time,03-18-9999 21:29:10.371,Watts,1.0",
        "",
    ],
)
def test_anything_else_is_refused(line: str) -> None:
    with pytest.raises(ValueError, match=r".+"):
        parse_line(line)


@settings(deadline=None)
@given(st.text(max_size=200))
def test_no_text_breaks_the_reader(text: str) -> None:
    try:
        line = parse_line(text)
    except ValueError:
        return
    assert line.total


@settings(deadline=None)
@given(st.integers(0, len(MULTI)), st.text(max_size=3))
def test_no_damage_to_a_real_line_breaks_the_reader(position: int, replacement: str) -> None:
    try:
        parse_line(MULTI[:position] + replacement + MULTI[position + len(replacement) :])
    except ValueError:
        return
