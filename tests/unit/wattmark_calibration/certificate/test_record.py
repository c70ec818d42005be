"""Certificates that contradict themselves, are in a wrong unit or carry hostile text."""

from dataclasses import replace
from datetime import UTC, date, datetime

import pytest
from wattmark_calibration.certificate.conformity import Outcome
from wattmark_calibration.certificate.points import CommonUncertainty, Point, reactive_power
from wattmark_calibration.certificate.record import (
    Approval,
    Laboratory,
    MeterIdentity,
    Revocation,
    SourceFile,
    StatedConformity,
)
from wattmark_calibration.errors import CertificateError

POINT = {"reference_w": 100.0, "indication_w": 100.2, "expanded_u_w": 0.1, "k": 2.0}


def test_point_derives_error_and_uncertainty():
    point = Point(**POINT, power_factor=0.6)
    assert point.error_w == pytest.approx(0.2)
    assert point.u_w == pytest.approx(0.05)
    assert point.reactive_var == pytest.approx(100 * 0.8 / 0.6)
    assert reactive_power(100, 0.6, "leading") == pytest.approx(-100 * 0.8 / 0.6)
    assert Point(**POINT).reactive_var == 0


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"reference_w": float("nan")}, "finite"),
        ({"reference_w": "100"}, "finite"),
        ({"indication_w": float("inf")}, "finite"),
        ({"reference_w": -1.0}, "negative"),
        ({"expanded_u_w": 0.0}, "above 0"),
        ({"k": 0.5}, "coverage factor"),
        ({"k": 95.0}, "coverage factor"),
        ({"coverage_probability": 95.0}, "fraction"),
        ({"power_factor": 0.0}, "power factor"),
        ({"power_factor": -0.5}, "magnitude"),
        ({"power_factor": 1.2}, "power factor"),
        ({"reactive": "inductive"}, "lagging or leading"),
        ({"frequency_hz": -50.0}, "frequency"),
        ({"temperature_c": 296.15}, "kelvin"),
        ({"limit_w": 0.0}, "limit"),
    ],
)
def test_bad_points(change, words):
    with pytest.raises(CertificateError, match=words):
        Point(**{**POINT, **change})


def scaled(points, **factors):
    return tuple(replace(p, **{name: getattr(p, name) * f for name, f in factors.items()}) for p in points)


@pytest.mark.parametrize(
    ("factors", "words"),
    [
        ({"reference_w": 1e-3}, "differ too much"),
        ({"indication_w": 1e-3}, "differ too much"),
        ({"expanded_u_w": 1e4}, "larger than its power"),
        ({"expanded_u_w": 1e-5}, "below 1e-6"),
    ],
)
def test_mixed_units_are_seen(range_with, points_with, factors, words):
    with pytest.raises(CertificateError, match=words):
        range_with(scaled(points_with(), **factors), stated=False)


def test_contradicting_points(range_with, points_with):
    points = points_with()
    with pytest.raises(CertificateError, match="contradict each other"):
        range_with((*points, replace(points[3], indication_w=505.0)), stated=False)
    repeated = range_with((*points, replace(points[3], indication_w=501.2)), stated=False)
    assert len(repeated.points) == 8


def test_common_part_larger_than_the_whole(range_with, points_with):
    with pytest.raises(CertificateError, match="exceeds U/k"):
        replace(range_with(), common=CommonUncertainty(gain=1e-3))


@pytest.mark.parametrize("common", [{"gain": -1e-4}, {"gain": 0.5}, {"offset_w": -1.0}, {"gain": float("nan")}])
def test_bad_common_part(common):
    with pytest.raises(CertificateError):
        CommonUncertainty(**common)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"due_on": date(2026, 3, 2)}, "not after its calibration"),
        ({"calibrated_on": datetime(2026, 3, 2, tzinfo=UTC)}, "not a date"),
        ({"due_on": "2027-03-02"}, "not a date"),
        ({"approval": Approval(by="A", on=date(2026, 3, 1))}, "approved"),
        ({"revocation": Revocation(effective=date(2025, 1, 1), by="A", reason="x")}, "revoked"),
        ({"supersedes": "CAL-2026-001"}, "supersede itself"),
        ({"id": "../../etc/passwd"}, "Identifier"),
        ({"id": ""}, "Identifier"),
        ({"id": "x" * 65}, "Identifier"),
        ({"version": 0}, "start at 1"),
        ({"as_found": ()}, "as-found points"),
        ({"adjusted": True}, "as-left points"),
        ({"method": "two\nlines"}, "one line"),
        ({"method": "  "}, "printable"),
        ({"number": "x" * 1001}, "1000"),
        ({"number": "\u202egnp.exe"}, "printable"),
    ],
)
def test_contradicting_certificates(certificate_with, change, words):
    with pytest.raises(CertificateError, match=words):
        certificate_with(**change)


def test_as_left_without_adjustment(certificate_with, range_with):
    with pytest.raises(CertificateError, match="was not adjusted"):
        certificate_with(as_left=(range_with(),))


def test_as_left_serves_after_an_adjustment(certificate_with, range_with):
    left = range_with(name="left")
    assert certificate_with(as_left=(left,), adjusted=True).in_use == (left,)
    assert certificate_with().in_use[0].name == "300V/5A"


def test_a_range_named_twice(certificate_with, range_with):
    with pytest.raises(CertificateError, match="twice"):
        certificate_with(as_found=(range_with(), range_with()))


def test_a_pass_that_its_own_points_deny(certificate_with, range_with, points_with):
    stated = StatedConformity(rule="guard band w = U", verdict=Outcome.PASS)
    with pytest.raises(CertificateError, match="states pass"):
        certificate_with(as_found=(range_with(points_with(limit_w=0.5)),), conformity=stated)
    assert certificate_with(as_found=(range_with(points_with(limit_w=5.0)),), conformity=stated).conformity == stated


@pytest.mark.parametrize(
    "make",
    [
        lambda: MeterIdentity(manufacturer="A", model="B", serial=""),
        lambda: Laboratory(name="\x00"),
        lambda: Laboratory(name="A", accreditation=""),
        lambda: SourceFile(name="a.xml", sha256="ABC"),
        lambda: Approval(by="", on=date(2026, 1, 1)),
        lambda: Revocation(effective=date(2026, 1, 1), by="A", reason=""),
        lambda: StatedConformity(rule="", verdict=Outcome.PASS),
    ],
)
def test_parts_without_substance(make):
    with pytest.raises(CertificateError):
        make()
