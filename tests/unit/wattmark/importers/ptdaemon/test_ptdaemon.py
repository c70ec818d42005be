from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from wattmark.core.errors import InputError
from wattmark.importers.ptdaemon.ptdaemon import parse_power_log
from wattmark.workloads.loadgen.source_file import SourceFile
from wattmark_drivers.reading import Quality


def log_of(*rows: str, end: str = "\n") -> SourceFile:
    return SourceFile("run_1/spl.txt", ("\n".join(rows) + end).encode())


def row(second: int, watts: str, tail: str = ",Mark,s_testing") -> str:
    return f"Time,03-18-2021 21:29:{second:02d}.371,Watts,{watts},Volts,206.740000,Amps,2.478000,PF,0.959300{tail}"


def test_sentinels_are_bad_samples_and_never_watts() -> None:
    values = ("491.400000", "-1.000000", "-2.000000", "nan", "9.91e37", "9.91e+37", "0.000000", "3000000000.0")
    log = parse_power_log(log_of(*(row(second, value) for second, value in enumerate(values))))
    good, bad = Quality.GOOD, Quality.INVALID
    assert log.columns["Watts"].quality.tolist() == [good, bad, bad, bad, bad, bad, good, Quality.IMPLAUSIBLE]
    assert log.columns["Watts"].value[1] == -1.0
    assert "6 of 8 power samples" in log.remarks[0]


def test_sentinels_of_the_sum_group_do_not_touch_the_watts() -> None:
    multi = (
        "Time,03-17-2021 14:24:56.694,Watts,1579.000000,Volts,-1.000000,Amps,-1.000000,PF,-1.000000,Mark,s_testing,"
        "Ch1,Watts,1000.0,Volts,233.09,Amps,2.8,PF,0.87,Ch2,Watts,579.0,Volts,231.19,Amps,2.4,PF,0.92"
    )
    log = parse_power_log(log_of(multi))
    assert log.channels == 2
    assert log.columns["Watts"].quality.tolist() == [Quality.GOOD]
    assert log.columns["Volts"].quality.tolist() == [Quality.INVALID]
    assert log.remarks == ()


def test_volts_times_amps_is_added_over_the_channels() -> None:
    """One channel: 206.74 V x 2.478 A x 0.9593. Of several, the sum group holds no volts and amps of its own."""
    single = parse_power_log(log_of(row(0, "491.400000")))
    assert single.product_w.tolist() == pytest.approx([206.74 * 2.478 * 0.9593])
    multi = (
        "Time,03-17-2021 14:24:56.694,Watts,1030.0,Volts,-1.0,Amps,-1.0,PF,-1.0,Mark,s_testing,"
        "Ch1,Watts,570.0,Volts,233.0,Amps,2.8,PF,0.87,Ch2,Watts,460.0,Volts,231.0,Amps,2.4,PF,0.83"
    )
    log = parse_power_log(log_of(multi, multi.replace("Volts,231.0", "Volts,-1.0")))
    assert log.product_w[0] == pytest.approx(233.0 * 2.8 * 0.87 + 231.0 * 2.4 * 0.83)
    assert np.isnan(log.product_w[1])


def test_steps_back_are_kept_in_the_order_of_the_file() -> None:
    log = parse_power_log(log_of(*(row(second, "1.0") for second in (10, 11, 4, 5, 3))))
    assert log.backward_s == pytest.approx((7.0, 2.0))
    assert np.all(np.diff(log.t_ns) > 0)


def test_samples_are_told_apart_by_their_mark() -> None:
    log = parse_power_log(log_of(*(row(second, "1.0", f",Mark,{mark}") for second, mark in enumerate("aab"))))
    assert [log.of_mark(mark).tolist() for mark in "ab"] == [[True, True, False], [False, False, True]]
    assert not log.of_mark("c").any()


def test_channels_that_do_not_add_up_are_reported() -> None:
    multi = "Time,03-17-2021 14:24:56.694,Watts,1579.0,Volts,-1.0,Amps,-1.0,PF,-1.0,Ch1,Watts,1000.0,Ch2,Watts,500.0"
    assert "do not add up" in parse_power_log(log_of(multi)).remarks[0]


def check_message(error: InputError) -> None:
    assert "\n" not in str(error)
    assert error.remedy


@pytest.mark.parametrize("cut", [10, 30, 40, 70, -20, -9, -1])
def test_last_line_that_was_cut_off_is_excluded(cut: int) -> None:
    log = parse_power_log(log_of(row(0, "491.400000"), row(1, "500.500000")[:cut], end=""))
    assert len(log) == 1
    assert "cut off" in log.remarks[0]


def test_last_line_that_only_lacks_its_newline_is_kept() -> None:
    assert len(parse_power_log(log_of(row(0, "491.400000"), row(1, "500.500000"), end=""))) == 2


def test_cut_decimals_of_an_unmarked_last_line_are_noticed() -> None:
    log = parse_power_log(log_of(row(0, "491.400000", ""), row(1, "500.500000", "")[:-2], end=""))
    assert len(log) == 1


def test_windows_line_ends_and_empty_lines_are_fine() -> None:
    file = SourceFile("spl.txt", (row(0, "1.000000") + "\r\n\r\n" + row(1, "2.000000") + "\r\n").encode())
    assert parse_power_log(file).columns["Watts"].value.tolist() == [1.0, 2.0]


def test_broken_line_names_file_line_find_and_remedy() -> None:
    with pytest.raises(
        InputError, match=r"run_1/spl\.txt line 2: found 'Time,03-18-2021 21:29:01\.371,Watts,x"
    ) as caught:
        parse_power_log(log_of(row(0, "1.0"), row(1, "x"), row(2, "1.0")))
    assert "Restore the file" in caught.value.remedy
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("text", ["", "\n\n", "03-18-2021 21:29:10.371,Temp,29.687500,Humidity,0.000000,Mark,notset\n"])
def test_log_without_watts_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="no power sample"):
        parse_power_log(SourceFile("spl.txt", text.encode()))


def test_repeated_stamps_are_kept_and_reported() -> None:
    log = parse_power_log(log_of(row(0, "1.0"), row(0, "2.0"), row(1, "3.0")))
    assert log.columns["Watts"].value.tolist() == [1.0, 2.0, 3.0]
    assert "occur twice" in log.remarks[0]


def test_backward_stamps_are_put_in_order_and_reported() -> None:
    log = parse_power_log(log_of(row(5, "1.0"), row(6, "2.0"), row(3, "3.0"), row(7, "4.0")))
    assert log.columns["Watts"].value.tolist() == [3.0, 1.0, 2.0, 4.0]
    assert np.all(np.diff(log.t_ns) > 0)
    assert "ran backward 1 times (by up to 3 s, first after sample 2)" in log.remarks[0]


def test_marks_and_their_first_stamps_are_known() -> None:
    log = parse_power_log(log_of(row(0, "1.0", ",Mark,s_ranging"), row(1, "2.0"), row(2, "3.0")))
    assert log.marks == ("s_ranging", "s_testing")
    assert log.mark_starts["s_testing"] == log.t_ns[1]


@settings(deadline=None)
@given(st.binary(max_size=300))
def test_no_bytes_break_the_reader(data: bytes) -> None:
    try:
        log = parse_power_log(SourceFile("spl.txt", data))
    except InputError as error:
        check_message(error)
        return
    assert len(log) == len(log.columns["Watts"].value) > 0


@settings(deadline=None)
@given(st.integers(0, 239), st.binary(min_size=1, max_size=4))
def test_no_damage_to_a_log_breaks_the_reader(position: int, damage: bytes) -> None:
    data = log_of(row(0, "491.400000"), row(1, "500.500000")).data
    try:
        parse_power_log(SourceFile("spl.txt", data[:position] + damage + data[position + len(damage) :]))
    except InputError as error:
        check_message(error)
