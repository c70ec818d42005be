from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from wattmark.importers.ptdaemon.ptdaemon_console import ConsoleProblem, ConsoleSettings, parse_console
from wattmark.workloads.loadgen.stamps import parse_stamp


def test_ranges_in_force_at_the_start_of_each_pass_are_found(console_text: str) -> None:
    passes = parse_console(console_text)
    assert passes["session_ranging"].settings == ConsoleSettings(None, None, "3", False)
    assert passes["session_testing"].settings == ConsoleSettings(300.0, 5.0, "3", False)


def test_the_daemons_own_count_and_average_are_found(console_text: str) -> None:
    testing = parse_console(console_text)["session_testing"]
    assert (testing.samples, testing.errors, testing.average_w) == (793, 0, 500.147919)


def test_warnings_are_counted_by_kind_and_pass(console_text: str) -> None:
    passes = parse_console(console_text)
    assert passes["session_testing"].problems == {
        "WARNING: Uncertainty #%, which is above #% limit for the last sample!": 2
    }
    assert passes["session_ranging"].problems == {"ERROR: Can't evaluate uncertainty of this sample!": 1}


def test_begin_end_and_each_complaint_have_their_stamp(console_text: str) -> None:
    passes = parse_console(console_text.replace("\n", "\r\n"))
    testing, ranging = passes["session_testing"], passes["session_ranging"]
    assert testing.begin_ns == parse_stamp("03-19-2021 16:22:24.456")
    assert testing.end_ns == parse_stamp("03-19-2021 16:35:37.457")
    assert [(line.level, line.t_ns) for line in testing.lines] == [("WARNING", testing.begin_ns)] * 2
    assert ranging.lines == [
        ConsoleProblem(parse_stamp("03-19-2021 16:09:06.740"), "ERROR", "Can't evaluate uncertainty of this sample!")
    ]
    assert (ranging.lowest_w, ranging.highest_w) == (165.77, 614.9)


def test_older_analyzer_answers_all_settings_at_once() -> None:
    # WT210 console of the R7525.
    text = (
        "03-18-2021 21:13:38.765: Writing query string :CFAC?;:CURR:RANG?;:CURR:AUTO?;:VOLT?;:FILTER?;:LFILTER?\n...\n"
        "03-18-2021 21:13:39.283: ...response of 30 bytes: 3;5.000E+00;1;300.0E+00;1;0;1\n"
        "03-18-2021 21:29:10.300: Go with mark 'm'\n"
    )
    assert parse_console(text)["m"].settings == ConsoleSettings(None, None, "3", True)


@pytest.mark.parametrize(
    "text", ["", "Volt range set to ..V\nGo with mark 'x'\nAvg watts ., samples 1, errors 0, valid 1"]
)
def test_nonsense_gives_nothing(text: str) -> None:
    assert all(measurement.settings.volt_range is None for measurement in parse_console(text).values())


@settings(deadline=None)
@given(st.text(max_size=400))
def test_no_text_breaks_the_reader(text: str) -> None:
    parse_console(f"Go with mark 'm'\n: ERROR: {text}")
