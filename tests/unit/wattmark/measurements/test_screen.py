"""The lines that a measured command ends with."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from wattmark.measurements.names import name_of, run_name
from wattmark.measurements.screen import Figures, Trace, sparkline
from wattmark.results.result import BudgetedQuantity, Withheld

from ..pairs import pair


def test_a_sparkline_has_the_mean_of_each_column_between_its_extremes() -> None:
    watts = np.repeat([100.0, 200.0, 150.0], 40)
    line = sparkline(Trace(np.arange(120) * 10**9, watts), columns=6)
    assert line == "▁▁██▅▅ 100 to 200 W"


def test_a_silence_is_a_blank_and_a_level_power_the_lowest_bar() -> None:
    t_ns = np.concatenate((np.arange(10), np.arange(30, 40))) * 10**9
    assert sparkline(Trace(t_ns, np.full(20, 100.0)), columns=4) == "▁  ▁ 100 to 100 W"


@pytest.mark.parametrize(("readings", "text"), [(2, "8 to 9 W"), (240, "8.00 to 9.00 W")])
def test_the_ends_of_a_sparkline_have_the_digits_of_their_readings(readings: int, text: str) -> None:
    """A BMC in steps of 1 W: a column of one reading has its last digit, the mean of many a finer one."""
    watts = np.repeat([8.0, 9.0], readings // 2)
    assert sparkline(Trace(np.arange(readings) * 10**9, watts, 1.0), columns=6).endswith(f" {text}")


@pytest.mark.parametrize(
    ("argv", "name"),
    [
        (("/usr/bin/openssl", "speed", "rsa2048"), "openssl speed rsa2048"),
        (("sh", "-c", "a | b > 'c'"), "sh -c a - b - -c"),
        (("./日本",), "command-cf2abf0c"),
        (("./中国", "-v"), "v-682251bd"),
    ],
)
def test_a_command_is_named_by_what_names_of_runs_may_hold(argv: tuple[str, ...], name: str) -> None:
    assert name_of(argv) == name


def test_names_that_are_too_long_stay_apart() -> None:
    """Else runs of two commands that differ behind their 64th character were repeats of one."""
    common = ("train", "--data", "x" * 80)
    names = {name_of((*common, rate)) for rate in ("0.1", "0.2")} | {run_name(" ".join((*common, "0.3")))}
    assert len(names) == 3
    assert {len(name) for name in names} == {64}
    assert len(name_of(("x" * 64,))) == 64
    assert name_of(("x" * 64,)) == "x" * 64


@pytest.mark.parametrize(("duration_s", "too_short"), [(0.002, True), (2.9, True), (3.1, False)])
def test_what_was_too_short_is_no_fault_of_the_meter(duration_s: float, too_short: bool) -> None:
    withheld = Withheld(
        claims=("power",), cause="no usable reading", text="wall has no usable sample; check the meter."
    )
    record = SimpleNamespace(meters=[SimpleNamespace(period_s=1.0)])
    measured: Any = SimpleNamespace(problem=None, record=record, duration_s=duration_s, ended=object())
    remarks = Figures(measured, pair("c")[1].changed(withheld=(withheld,)), None, "").remarks
    assert [remark.startswith("The command took") for remark in remarks].count(True) == too_short
    assert (withheld.text in remarks) == (not too_short)


def test_what_stands_for_the_wall_is_said_to_be_simulated_too() -> None:
    measured: Any = SimpleNamespace(ended=None, duration_s=5.0)
    lines = dict(Figures(measured, pair("c")[1].changed(simulated=True), None, "CPU package only, not the wall").lines)
    assert "Mean power (CPU package only, not the wall; simulated)" in lines


def test_a_figure_without_a_bound_has_the_reason() -> None:
    """A meter with limits of error, all of whose readings are equal: it may be frozen."""
    notes = ("All readings are equal, so no ± can be given; the meter may be frozen.", "Something else.")
    result, unbounded = pair("c")[1], BudgetedQuantity(value=100.0, unit="W")
    changes: dict[str, Any] = {"power": unbounded, "efficiency": None, "basis": "specification"}
    record = SimpleNamespace(meters=[SimpleNamespace(period_s=1.0)])
    measured: Any = SimpleNamespace(problem=None, record=record, duration_s=60.0, ended=None)
    assert notes[0] in Figures(measured, result.changed(**changes, notes=notes), None, "").remarks
    assert "No ±" in Figures(measured, result.changed(**changes, notes=()), None, "").remarks[-1]
