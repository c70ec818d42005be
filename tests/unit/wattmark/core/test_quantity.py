"""A number and its ±: whole or not there, and the same after it was written and read again."""

from __future__ import annotations

import math

import pytest
from pydantic import ValidationError
from wattmark.core.interval import Interval, Interval95
from wattmark.core.quantity import Quantity, budget_lines
from wattmark.results.evaluate import figure
from wattmark_calibration import Contribution, UncertainValue

# JCGM 100:2008, H.1.6 and H.1.7: end gauge, u = 32 nm with 16 degrees of freedom; t95 (table G.2) is 2.12.
GAUGE = {"value": 50.000838e6, "unit": "nm", "u": 32.0, "dof": 16.0, "k95": 2.12}


def test_a_value_without_any_contribution_has_no_uncertainty() -> None:
    bare = Quantity.of(UncertainValue(100.0, "signs/s"))
    assert (bare.u, bare.U95, bare.k95, bare.dof) == (None, None, None, None)


def test_a_value_with_a_budget_has_one() -> None:
    quantity = Quantity.of(UncertainValue(100.0, "signs/s", (Contribution("scatter", 2.0, "A"),)))
    assert (quantity.u, quantity.dof) == (2.0, None)
    assert quantity.k95 == pytest.approx(1.960, abs=5e-4)


def test_half_a_budget_gives_no_plus_minus_and_is_listed() -> None:
    half = UncertainValue(100.0, "W", (Contribution("scatter", 2.0, "A"),), complete=False)
    quantity = figure(half, None)
    assert quantity is not None
    assert (quantity.u, quantity.U95, quantity.dominant) == (None, None, None)
    assert [line.name for line in quantity.budget] == ["scatter"]


def test_the_expanded_uncertainty_is_k_times_u_and_stands_in_the_json() -> None:
    gauge = Quantity(**GAUGE)
    assert pytest.approx(67.84) == gauge.U95
    assert gauge.model_dump()["U95"] == gauge.U95
    assert Quantity.model_validate_json(gauge.model_dump_json()) == gauge


@pytest.mark.parametrize(
    "change", [{"u": None}, {"k95": None}, {"u": None, "k95": None}, {"u": -1.0}, {"u": math.inf}, {"value": math.nan}]
)
def test_a_plus_minus_is_whole_or_not_there(change: dict[str, float | None]) -> None:
    with pytest.raises(ValidationError):
        Quantity(**(GAUGE | change))


def test_budget_lines_say_what_they_are_worth_in_the_result() -> None:
    terms = (
        Contribution("small", 3.0, "A", dof=9.0),
        Contribution("large", 2.0, "B", sensitivity=-2.0, correlation_group="gain", parts=(("range", 0.5),)),
    )
    large, small = budget_lines(UncertainValue(1.0, "1", terms))
    assert (large.name, large.u, large.u_result, large.signed_u, large.dof) == ("large", 2.0, 4.0, -4.0, None)
    assert [(part.name, part.u_result) for part in large.parts] == [("range", 1.0)]
    assert (small.dof, small.share_pct, large.share_pct) == (9.0, 36.0, 64.0)


@pytest.mark.parametrize(
    "interval",
    [Interval(value=1.01, low=1.0, high=1.03), Interval(value=1.01), Interval95.student(1.01, 0.02, 0.01, 2.0)],
)
def test_an_interval_is_the_same_after_it_was_written_and_read_again(interval: Interval) -> None:
    written = interval.model_dump_json()
    assert '"U95"' in written
    assert type(interval).model_validate_json(written) == interval
