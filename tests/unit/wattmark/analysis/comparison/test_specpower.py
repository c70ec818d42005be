"""The overall ratio on the X5650 table of the textbook: sums first, then the quotient."""

import math

import pytest
from wattmark.analysis.comparison.specpower import LoadLevel, overall_ratio
from wattmark.analysis.refusal import Refused

OPS = (865618, 786688, 698051, 607826, 521391, 436757, 345919, 262071, 176061, 86784, 0)
WATTS = (258, 242, 224, 204, 185, 170, 157, 146, 135, 121, 80)
X5650 = [LoadLevel(load, ops, watts) for load, ops, watts in zip(range(100, -1, -10), OPS, WATTS, strict=True)]


def test_x5650():
    overall = overall_ratio(X5650[::-1])
    assert (overall.sum_ops_per_s, overall.sum_power_w) == (4787166, 1922)
    assert overall.overall == pytest.approx(2490.7211, abs=5e-5)
    assert overall.standard


def test_the_two_wrong_answers_are_others():
    """Mean of the levels' ratios 2191.72 (idle counted as 0), ratio at 100 % 3355.11."""
    assert sum(level.ops_per_joule for level in X5650) / 11 == pytest.approx(2191.7185, abs=5e-5)
    assert X5650[0].ops_per_joule == pytest.approx(3355.1085, abs=5e-5)
    assert overall_ratio(X5650).overall not in (pytest.approx(2191.72, abs=1), pytest.approx(3355.11, abs=1))


def test_targets_within_two_per_cent():
    assert {verdict.outcome for verdict in overall_ratio(X5650).targets} == {"pass"}
    off = [LoadLevel(50, 470000, 170) if level.load_pct == 50 else level for level in X5650]
    (failed,) = (verdict for verdict in overall_ratio(off).targets if verdict.outcome == "fail")
    assert failed.rule == "target-load-50"
    assert failed.value == pytest.approx(100 * 470000 / 865618 - 50)


def test_other_levels_are_no_standard_sequence():
    assert not overall_ratio([X5650[0], X5650[-1]]).standard


@pytest.mark.parametrize(
    ("levels", "reason"),
    [
        (X5650[:-1], "no-idle-or-full"),
        (X5650[1:], "no-idle-or-full"),
        ([], "no-idle-or-full"),
        ([*X5650, X5650[3]], "equal-levels"),
        ([X5650[0], LoadLevel(0, 0, 0)], "no-power"),
        ([X5650[0], LoadLevel(0, 5, 80)], "work-at-idle"),
        ([LoadLevel(100, 0, 258), X5650[-1]], "no-work"),
        ([LoadLevel(100, 1, -258), X5650[-1]], "no-power"),
        ([LoadLevel(100, math.nan, 258), X5650[-1]], "not-finite"),
    ],
)
def test_tables_that_are_refused(levels, reason):
    with pytest.raises(Refused) as refusal:
        overall_ratio(levels)
    assert refusal.value.reason == reason
