"""Power that the supplies cannot take is not believed."""

from __future__ import annotations

import pytest
from wattmark.results.evaluate import evaluate
from wattmark.results.ranking_bars import why_not_ranked

from .whole_run import whole_run


def with_supplies(*supplies: dict[str, object]):
    run, samples = whole_run()
    declared = {"psus": [{"id": str(n), **supply} for n, supply in enumerate(supplies)]}
    snapshot = run.configuration_snapshot.document() | {"declared": declared}
    return evaluate(run.changed(configuration_snapshot=snapshot), samples)


@pytest.mark.parametrize(
    ("supplies", "outcome", "limit_w"),
    [
        ([{"rated_w": 300.0}], "pass", 300 / 0.7),
        ([{"rated_w": 90.0}, {"rated_w": 90.0}], "pass", 180 / 0.7),
        ([{"rated_w": 90.0}, {"rated_w": 90.0, "powered": False}], "fail", 90 / 0.7),
    ],
)
def test_the_highest_power_is_held_against_the_supplies_that_are_on(supplies, outcome, limit_w):
    """The run takes 250 W, with noise of 0.5 W."""
    result = with_supplies(*supplies)
    (verdict,) = [verdict for verdict in result.verdicts if verdict.rule == "supply-rating"]
    assert (verdict.outcome, verdict.limit) == (outcome, pytest.approx(limit_w))
    assert 250 < verdict.value < 254


def test_a_run_with_impossible_power_says_so_and_is_not_ranked():
    result = with_supplies({"rated_w": 90.0})
    assert any("They cannot take more than 128.6 W: check the meter" in note for note in result.notes)
    assert why_not_ranked(result, "power") == "more power than the power supplies can draw (rule supply-rating)"
    assert why_not_ranked(result, "throughput") is None


@pytest.mark.parametrize("supplies", [[], [{}], [{"rated_w": 300.0}, {}]])
def test_without_all_ratings_it_is_not_checked(supplies):
    (verdict,) = [verdict for verdict in with_supplies(*supplies).verdicts if verdict.rule == "supply-rating"]
    assert verdict.outcome == "not-checked"
    assert verdict.text == "The bench file does not state the rating of every power supply."
