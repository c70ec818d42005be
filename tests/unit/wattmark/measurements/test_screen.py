"""The lines that a measured command ends with."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from wattmark.measurements.names import name_of
from wattmark.measurements.screen import Figures, Trace, sparkline
from wattmark.results.result import Withheld

from ..pairs import pair


def test_a_sparkline_has_the_mean_of_each_column_between_its_extremes() -> None:
    watts = np.repeat([100.0, 200.0, 150.0], 40)
    line = sparkline(Trace(np.arange(120) * 10**9, watts), columns=6)
    assert line == "▁▁██▅▅ 100 to 200 W"


def test_a_silence_is_a_blank_and_a_level_power_the_lowest_bar() -> None:
    t_ns = np.concatenate((np.arange(10), np.arange(30, 40))) * 10**9
    assert sparkline(Trace(t_ns, np.full(20, 100.0)), columns=4) == "▁  ▁ 100 to 100 W"


@pytest.mark.parametrize(
    ("argv", "name"),
    [
        (("/usr/bin/openssl", "speed", "rsa2048"), "openssl speed rsa2048"),
        (("sh", "-c", "a | b > 'c'"), "sh -c a - b - -c"),
        (("./日本",), "command-cf2abf0c"),
        (("./中国", "-v"), "v-682251bd"),
        (("x" * 100,), "x" * 64),
    ],
)
def test_a_command_is_named_by_what_names_of_runs_may_hold(argv: tuple[str, ...], name: str) -> None:
    assert name_of(argv) == name


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
