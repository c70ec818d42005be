"""The front of points by hand, and its law: nothing on it is beaten by anything."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from wattmark.analysis.scaling.pareto import Tradeoff, standings


def test_a_point_is_beaten_by_one_that_gives_as_much_for_less() -> None:
    """Intervals of 10 %: 0.50 against 0.40 are told apart, 0.42 against 0.40 are not."""
    points = [_point(100, 1.0), _point(50, 0.40), _point(40, 0.50), _point(45, 0.42), _point(10, 0.39)]
    assert standings(points) == ["front", "front", "beaten", "not told", "front"]


def test_without_an_interval_nothing_is_told() -> None:
    assert standings([Tradeoff(2, 1.0), Tradeoff(1, 9.0)]) == ["front", "not told"]


def test_equal_points_share_the_front() -> None:
    assert standings([_point(1, 1.0), _point(1, 1.0)]) == ["front", "front"]


def _point(gain: float, cost: float) -> Tradeoff:
    return Tradeoff(gain, cost, 0.9 * cost, 1.1 * cost)


@given(st.lists(st.tuples(st.integers(1, 9), st.integers(1, 9)), min_size=1, max_size=12))
def test_the_front_is_never_empty_and_never_beaten(pairs: list[tuple[int, int]]) -> None:
    judged = standings([_point(gain, cost) for gain, cost in pairs])
    front = [pair for pair, standing in zip(pairs, judged, strict=True) if standing == "front"]
    assert front
    for gain, cost in front:
        assert not any(other[0] >= gain and other[1] <= cost and other != (gain, cost) for other in pairs)
