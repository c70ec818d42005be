"""Intervals: half the width stands in the JSON, and scatter alone is no ±."""

from __future__ import annotations

import math

from wattmark.core.interval import Interval, Interval95


def test_half_the_width_stands_in_the_json() -> None:
    assert Interval.of(5.0, (4.75, 5.5)).model_dump() == {"value": 5.0, "low": 4.75, "high": 5.5, "U95": 0.375}
    assert Interval(value=5.0, low=4.75).U95 is None, "open above"
    assert Interval.of(5.0, None).ends == (None, None)


def test_scatter_alone_has_ends_but_is_no_plus_minus() -> None:
    known = Interval95.student(5.0, 0.25, u=0.125, dof=math.inf)
    assert (known.ends, known.U95, known.dof) == ((4.75, 5.25), 0.25, None)
    scatter = known.complete_if(False)
    assert (scatter.ends, scatter.U95, scatter.low) == ((None, None), None, 4.75)
    assert not scatter.complete_if(True).complete
