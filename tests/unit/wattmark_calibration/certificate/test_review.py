"""Which results an as-found certificate puts in doubt."""

from datetime import UTC, date, datetime

import pytest
from wattmark_calibration.certificate.conformity import Outcome
from wattmark_calibration.certificate.record import Revocation
from wattmark_calibration.certificate.review import Used, review

GOOD = (50.05, 100.10, 250.2, 500.4, 1000.8, 250.2, 250.2)
BAD = (50.05, 100.10, 250.2, 503.4, 1000.8, 250.2, 250.2)


def limits_of(calibrated):
    """Maker's limit: 0.1 % of reading + 0.15 % of full scale 300 W."""
    return [0.001 * point.reference_w + 0.45 for point in calibrated.points]


def used(result, day, serial="SN-1", range_name="300V/5A"):
    return Used(result, serial, range_name, datetime(*day, 12, tzinfo=UTC))


@pytest.fixture
def history(certificate_with, range_with, points_with):
    def make(name, day, shown, **changes):
        points = range_with(points_with(shown))
        return certificate_with(
            id=name, calibrated_on=day, due_on=day.replace(year=day.year + 1), as_found=(points,), **changes
        )

    return make


def test_only_what_was_measured_since_the_last_good_calibration(history):
    old, last = history("A", date(2024, 3, 1), GOOD), history("B", date(2025, 3, 1), GOOD)
    outcome = review(history("C", date(2026, 3, 1), BAD), [old, last], limits_of)
    assert outcome.needed
    assert outcome.since == date(2025, 3, 1)
    assert outcome.outcomes == {"300V/5A": Outcome.FAIL}
    results = [
        used("before", (2025, 2, 28)),
        used("first day", (2025, 3, 1)),
        used("other meter", (2025, 6, 1), serial="SN-2"),
        used("other range", (2025, 6, 1), range_name="300V/1A"),
        used("between", (2025, 6, 1)),
        used("last day", (2026, 3, 1)),
        used("after", (2026, 3, 2)),
    ]
    assert [doubt.result for doubt in outcome.affected(results)] == ["first day", "between", "last day"]


def test_a_bad_calibration_in_between_is_no_last_good_one(history):
    earlier = [history("A", date(2024, 3, 1), GOOD), history("B", date(2025, 3, 1), BAD)]
    assert review(history("C", date(2026, 3, 1), BAD), earlier, limits_of).since == date(2024, 3, 1)


def test_a_revoked_calibration_is_no_last_good_one(history):
    revocation = Revocation(effective=date(2025, 4, 1), by="Laboratory", reason="wrong standard")
    earlier = [history("A", date(2024, 3, 1), GOOD), history("B", date(2025, 3, 1), GOOD, revocation=revocation)]
    assert review(history("C", date(2026, 3, 1), BAD), earlier, limits_of).since == date(2024, 3, 1)


def test_no_earlier_calibration_doubts_everything_before(history):
    outcome = review(history("C", date(2026, 3, 1), BAD), [], limits_of)
    assert outcome.since is None
    assert outcome.affects(used("ancient", (2001, 1, 1)))


def test_in_tolerance_needs_no_review(history):
    outcome = review(history("C", date(2026, 3, 1), GOOD), [history("B", date(2025, 3, 1), GOOD)], limits_of)
    assert not outcome.needed
    assert outcome.affected([used("between", (2025, 6, 1))]) == []


def test_a_range_that_was_not_examined_stays_in_doubt(history, certificate_with, range_with, points_with):
    ranges = tuple(range_with(points_with(GOOD), name=name) for name in ("300V/5A", "300V/1A"))
    last = certificate_with(id="B", calibrated_on=date(2025, 3, 1), due_on=date(2026, 3, 1), as_found=ranges)
    outcome = review(history("C", date(2026, 3, 1), GOOD), [last], limits_of)
    assert outcome.unexamined == ("300V/1A",)
    assert outcome.affects(used("between", (2025, 6, 1), range_name="300V/1A"))
    assert not outcome.affects(used("between", (2025, 6, 1)))


def test_as_left_points_say_nothing_about_the_past(certificate_with, range_with):
    only_left = certificate_with(as_found=(), as_left=(range_with(),), adjusted=True)
    with pytest.raises(ValueError, match="as-found"):
        review(only_left, [], limits_of)
