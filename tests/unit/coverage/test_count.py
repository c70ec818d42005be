"""Counting by hand: bias, coverage, widths, refusals, and what is called short of the goal."""

import pytest

from tests.coverage.count import count
from tests.coverage.scenario import Outcome, Scenario


def scenario(wanted, *, narrow=False):
    return Scenario("a case", "own", lambda rng: {}, {"window power": wanted}, narrow)


def rows(wanted, outcomes, **kind):
    (row,) = count(scenario(wanted, **kind), [{"window power": outcome} for outcome in outcomes])
    return row


def test_figures():
    row = rows("either", [*[Outcome(1.0, 2.0)] * 3, Outcome(-3.0, 2.0), Outcome(5.0, None, "why")])
    assert row.bias == pytest.approx((3 * 1.0 - 3.0 + 5.0) / 5)
    assert row.coverage == pytest.approx(0.75)
    assert row.half_width == pytest.approx(2.0)
    assert row.refused == pytest.approx(0.2)
    assert row.reason == "why"


@pytest.mark.parametrize(
    ("wanted", "outcomes", "faults"),
    [
        ("covers", [Outcome(0.5, 1.0)] * 100, ()),
        ("covers", [Outcome(2.0, 1.0)] * 30 + [Outcome(0.5, 1.0)] * 70, ("too sure",)),
        ("either", [Outcome(2.0, 1.0)] * 30 + [Outcome(0.5, 1.0)] * 70, ("too sure",)),
        ("covers", [Outcome(0.5, 3.0)] * 100, ("too wide",)),
        ("covers", [Outcome(0.5, None, "why")] * 100, ("refused",)),
        ("refused", [Outcome(0.5, 1.0)] * 100, ("stated",)),
        ("refused", [Outcome(0.5, None, "why")] * 100, ()),
        ("refused", [Outcome(None, None, "")] * 100, ("no reason",)),
    ],
)
def test_faults(wanted, outcomes, faults):
    assert rows(wanted, outcomes, narrow=True).faults == faults
