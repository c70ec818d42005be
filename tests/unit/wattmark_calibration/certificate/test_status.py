"""Status of a certificate at an explicit instant."""

from datetime import UTC, date, datetime, timedelta, timezone

import pytest
from wattmark_calibration.certificate.record import Revocation
from wattmark_calibration.certificate.status import Status, beyond_span, status


def instant(year, month, day, hour=12):
    return datetime(year, month, day, hour, tzinfo=UTC)


@pytest.mark.parametrize(
    ("as_of", "expected"),
    [
        (instant(2026, 3, 1, 23), Status.NOT_YET_VALID),
        (instant(2026, 3, 2, 0), Status.VALID),
        (instant(2027, 1, 30), Status.VALID),
        (instant(2027, 1, 31), Status.DUE),
        (instant(2027, 3, 2, 23), Status.DUE),
        (instant(2027, 3, 3, 0), Status.EXPIRED),
    ],
)
def test_days_of_a_certificate(certificate, as_of, expected):
    """Calibrated 2026-03-02, due 2027-03-02; due is shown for the last 30 days, the due day still serves."""
    assert status(certificate, as_of) is expected
    assert expected.serves == (expected in (Status.VALID, Status.DUE))


def test_days_count_in_utc(certificate):
    ahead = timezone(timedelta(hours=10))
    assert status(certificate, datetime(2026, 3, 2, 5, tzinfo=ahead)) is Status.NOT_YET_VALID
    assert status(certificate, datetime(2026, 3, 2, 11, tzinfo=ahead)) is Status.VALID


def test_revocation_takes_effect_on_its_day(certificate_with):
    revoked = certificate_with(
        revocation=Revocation(effective=date(2026, 6, 1), by="Laboratory", reason="wrong standard")
    )
    assert status(revoked, instant(2026, 5, 31)) is Status.VALID
    assert status(revoked, instant(2026, 6, 1)) is Status.REVOKED
    assert status(revoked, instant(2030, 1, 1)) is Status.REVOKED


def test_superseded_from_the_day_of_the_newer_one(certificate, certificate_with):
    newer = certificate_with(id="NEW", supersedes=certificate.id, calibrated_on=date(2026, 9, 1))
    assert status(certificate, instant(2026, 8, 31), [newer]) is Status.VALID
    assert status(certificate, instant(2026, 9, 1), [newer]) is Status.SUPERSEDED
    assert status(newer, instant(2026, 9, 1), [newer, certificate]) is Status.VALID


def test_a_revoked_successor_supersedes_nothing(certificate, certificate_with):
    revocation = Revocation(effective=date(2026, 9, 1), by="Laboratory", reason="wrong meter")
    newer = certificate_with(id="NEW", supersedes=certificate.id, calibrated_on=date(2026, 9, 1), revocation=revocation)
    assert status(certificate, instant(2026, 10, 1), [newer]) is Status.VALID


@pytest.mark.parametrize(
    ("range_name", "power_w", "expected"),
    [
        ("300V/5A", None, Status.VALID),
        ("300V/5A", 245.0, Status.VALID),
        ("300V/5A", 1052.3, Status.VALID),
        ("300V/5A", 1052.4, Status.OUT_OF_RANGE),
        ("300V/5A", 47.6, Status.OUT_OF_RANGE),
        ("300V/20A", 245.0, Status.OUT_OF_RANGE),
    ],
)
def test_out_of_range(certificate, range_name, power_w, expected):
    """Span 50.21 to 1002.21 W, 5 % allowed: up to 1052.32 W, down to 47.70 W."""
    assert status(certificate, instant(2026, 6, 1), range_name=range_name, power_w=power_w) is expected


def test_zero_at_the_end_of_a_span(range_with, points_with):
    from dataclasses import replace

    zero = replace(points_with()[0], reference_w=0.0, indication_w=0.0)
    calibrated = range_with((zero, *points_with()[1:]), stated=False)
    assert beyond_span(calibrated, 0.0) == 0
    assert beyond_span(calibrated, 5.0) == 0


def test_an_instant_needs_a_zone(certificate):
    with pytest.raises(ValueError, match="time zone"):
        status(certificate, datetime(2026, 6, 1))  # noqa: DTZ001 - the mistake under test
