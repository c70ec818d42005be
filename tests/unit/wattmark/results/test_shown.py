"""What is not known is None, never zero."""

from __future__ import annotations

from wattmark.results.shown import expanded, standard
from wattmark_calibration import Contribution, UncertainValue


def test_a_value_without_any_contribution_has_no_uncertainty() -> None:
    bare = UncertainValue(100.0, "signs/s")
    assert (standard(bare), expanded(bare)) == (None, None)


def test_a_value_with_a_budget_has_one() -> None:
    known = UncertainValue(100.0, "signs/s", (Contribution("scatter", 2.0, "A"),))
    assert standard(known) == 2.0
    assert expanded(known) is not None
