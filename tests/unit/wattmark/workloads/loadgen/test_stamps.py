from __future__ import annotations

import pytest
from wattmark.core.errors import InputError
from wattmark.workloads.loadgen.stamps import HOUR_NS, NS, find_utc_offset, find_window_shift, parse_stamp, read_clock

# R7525 resnet50 Offline, MLPerf inference v1.0: log, window, and the Unix time of server.json's testing phase.
FIRST, LAST = parse_stamp("03-18-2021 21:29:10.371"), parse_stamp("03-18-2021 21:44:13.372")
BEGIN, END = parse_stamp("03-18-2021 21:29:31.830"), parse_stamp("03-18-2021 21:43:59.847")
GO = 1616120950.3013694


def test_stamp_is_read_to_the_nanosecond() -> None:
    assert parse_stamp("03-18-2021 21:29:10.371") == 1616102950_371000000
    assert parse_stamp("03-18-2021 21:29:10") == 1616102950 * NS


def test_window_inside_the_log_needs_no_shift() -> None:
    assert find_window_shift(FIRST, LAST, BEGIN, END) == 0


@pytest.mark.parametrize("hours", [-5, -1, 1, 9])
def test_window_written_in_another_zone_is_shifted_by_whole_hours(hours: int) -> None:
    assert find_window_shift(FIRST, LAST, BEGIN + hours * HOUR_NS, END + hours * HOUR_NS) == -hours * HOUR_NS


@pytest.mark.parametrize("hours", [5.5, -3.5, 9.5])
def test_a_zone_of_half_an_hour_is_found_where_no_whole_hour_fits(hours: float) -> None:
    """India is 5:30 ahead of UTC."""
    shift = round(hours * HOUR_NS)
    assert find_window_shift(FIRST, LAST, BEGIN + shift, END + shift) == -shift
    assert f"shifted by {-hours:+g} h" in read_clock(FIRST, LAST, BEGIN + shift, END + shift, GO).decided_by


def test_lines_missing_at_an_end_leave_the_window_where_it_is() -> None:
    assert find_window_shift(FIRST, LAST - 300 * NS, BEGIN, END) == 0


def test_daylight_saving_hour_is_found_where_the_windows_overlap() -> None:
    begin, end = 0, 90 * 60 * NS
    assert find_window_shift(-30 * NS, end + 30 * NS, begin + HOUR_NS, end + HOUR_NS) == -HOUR_NS


def test_log_of_another_run_is_refused() -> None:
    with pytest.raises(InputError, match="does not cover LoadGen's window") as caught:
        find_window_shift(FIRST, LAST, BEGIN + 1200 * NS, END + 1200 * NS)
    assert "belong to the same run" in caught.value.remedy


def test_log_that_fits_at_several_shifts_is_refused() -> None:
    with pytest.raises(InputError, match="3 different whole-hour shifts"):
        find_window_shift(0, 4 * HOUR_NS, 20 * HOUR_NS // 2 + 1, 10 * HOUR_NS + 1200 * NS + HOUR_NS)


def test_local_stamps_are_told_from_utc_by_the_start_of_the_session() -> None:
    assert find_utc_offset(FIRST, GO) == -5 * HOUR_NS
    assert find_utc_offset(parse_stamp("03-19-2021 16:22:24.758"), 1616170944.4566004) == 0
    assert find_utc_offset(parse_stamp("03-15-2021 23:31:11.864"), 1616876271.5347397) is None
    assert find_utc_offset(FIRST, None) is None


def test_clock_says_on_what_grounds_it_decided() -> None:
    clock = read_clock(FIRST, LAST, BEGIN - HOUR_NS, END - HOUR_NS, GO)
    assert clock.window_to_utc(BEGIN - HOUR_NS) == parse_stamp("03-19-2021 02:29:31.830")
    assert clock.utc_offset_ns == -5 * HOUR_NS
    assert "shifted by +1 h" in clock.decided_by
    assert "UTC-5 h" in clock.decided_by
    assert "taken as UTC" in read_clock(FIRST, LAST, BEGIN, END, None).decided_by
