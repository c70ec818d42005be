"""An as-found certificate out of tolerance puts results in doubt; they are recomputed on request, versions are kept."""

from __future__ import annotations

import pytest
from wattmark.core.errors import InputError

LIMIT_W = 3.0
"""Every point of the first calibration errs by less (2.21 W at most), of the second one by more."""


@pytest.fixture
def drifted(lab, vector):
    """Good in March, found 5 W off in September and adjusted; runs before, between and after."""
    lab.measure("before-all", day="2025-01-15")
    good = vector.make(as_found=(vector.calibrated(vector.points(limit_w=LIMIT_W)),))
    lab.add(good)
    lab.measure("june", day="2025-06-01")
    lab.measure("july", watts=374.0, day="2025-07-01")
    lab.measure("other-meter", day="2025-06-02", serial="SN-2")
    lab.add(
        vector.make_next(
            adjusted=True,
            as_found=(vector.calibrated(vector.points(shift_w=5.0, limit_w=LIMIT_W)),),
            as_left=(vector.calibrated(vector.points(limit_w=LIMIT_W)),),
        )
    )
    lab.measure("october", day="2025-10-01")
    return lab


def test_review_lists_results_since_the_last_good_calibration(drifted):
    outcome = drifted.calibration.reviews.review("CAL-2")
    assert outcome.needed
    assert (outcome.since, outcome.until) == ("2025-03-02", "2025-09-01")
    assert [
        (range_outcome.name, range_outcome.outcome, range_outcome.in_doubt) for range_outcome in outcome.ranges
    ] == [("300V/5A", "fail", True)]
    assert [result.run_id for result in outcome.affected] == ["june", "july"]
    assert {result.issued_with for result in outcome.affected} == {"certificate CAL-1 v1"}
    assert "2 results since its last good calibration on 2025-03-02 are in doubt" in outcome.statement


def test_review_alone_changes_nothing(drifted):
    drifted.calibration.reviews.review("CAL-2")
    assert drifted.result("june").calibrations[0].certificate_id == "CAL-1"
    assert len(drifted.storage.issued.of("june")) == 1


def test_recompute_uses_the_as_found_points_and_keeps_both_versions(drifted):
    outcome = drifted.calibration.reviews.recompute("CAL-2", "Quality manager", "found 5 W off")
    assert outcome.problems == []
    assert [result.recomputed for result in outcome.affected] == [True, True]
    first, second = drifted.calibration.issuer.versions("june").versions
    assert first.result.power.value == pytest.approx(244.3870, abs=5e-5)
    # indicated 5 W too much on top of the vector's own error: 240 W indicated by the vector is 239.397 W
    assert second.result.power.value == pytest.approx(244.3870 - 5.0, abs=0.02)
    assert second.certificates == ["certificate CAL-2 v1 as found"]
    assert "as found instead of certificate CAL-1 v1" in second.difference
    (used,) = second.result.calibrations
    assert used.as_found
    assert outcome.affected[0].change_pct == pytest.approx(-2.05, abs=0.02)
    assert drifted.result("october").calibrations[0].as_found is False


def test_a_recompute_of_the_meter_leaves_reviewed_results_alone(drifted):
    drifted.calibration.reviews.recompute("CAL-2", "A", "review")
    assert drifted.calibration.issuer.recompute_meter("SN-1", "A", "all") == []
    assert drifted.result("june").calibrations[0].as_found


def test_a_second_recompute_adds_a_version_and_hides_none(drifted):
    drifted.calibration.reviews.recompute("CAL-2", "A", "once")
    drifted.calibration.reviews.recompute("CAL-2", "A", "twice")
    versions = drifted.calibration.issuer.versions("june").versions
    assert [version.reason for version in versions][1:] == ["once", "twice"]
    assert versions[-1].difference == "The figures are the same."


def test_a_meter_found_good_puts_nothing_in_doubt(lab, vector):
    lab.add(vector.make(as_found=(vector.calibrated(vector.points(limit_w=LIMIT_W)),)))
    lab.measure(day="2025-06-01")
    lab.add(
        vector.make_next(
            as_found=(vector.calibrated(vector.points(shift_w=0.1, limit_w=LIMIT_W)),),
        )
    )
    outcome = lab.calibration.reviews.review("CAL-2")
    assert (outcome.needed, outcome.affected) == (False, [])
    assert "no result is in doubt" in outcome.statement


def test_limits_of_the_maker_serve_where_the_certificate_has_none(lab, vector):
    """0.1 % of reading and 0.2 W: the vector's own errors of 0.2 W at 50 W and 2.2 W at 1000 W exceed it."""
    lab.measure(day="2025-02-01", reading_pct=0.1, fixed_w=0.1)
    lab.add(vector.make())
    outcome = lab.calibration.reviews.review("CAL-1")
    assert outcome.needed
    assert outcome.since is None
    assert [result.run_id for result in outcome.affected] == ["r1"]


def test_without_any_limit_nothing_can_be_judged(lab, vector):
    lab.add(vector.make())
    with pytest.raises(InputError, match="No limits of error are known for range 300V/5A"):
        lab.calibration.reviews.review("CAL-1")


def test_as_found_points_that_cannot_correct_are_told(drifted, vector):
    """A run far outside the calibrated span is in doubt, but no figure is made up for it."""
    drifted.measure("far", watts=1500.0, day="2025-06-03")
    outcome = drifted.calibration.reviews.recompute("CAL-2", "A", "review")
    assert len(outcome.problems) == 1
    assert "far" in outcome.problems[0]
    assert "1500 W lies outside the calibrated span" in outcome.problems[0]
    assert drifted.result("far").power.value == pytest.approx(1500.0)


def test_a_run_that_changed_its_range_is_in_doubt_by_either(drifted):
    """The range found bad is the second one used; the first is not on the certificate."""
    run = drifted.measure("ranged", day="2025-06-04", range_name="150V/5A")
    drifted.add_range(run, "300V/5A")
    outcome = drifted.calibration.reviews.review("CAL-2")
    (ranged,) = [result for result in outcome.affected if result.run_id == "ranged"]
    assert ranged.range_name == "300V/5A"
