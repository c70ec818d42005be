"""Which certificate is chosen, whatever the order in which they came; and which override holds."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wattmark.traceability.certificates.register import Accepted, CertificateRegister, Decision
from wattmark_calibration import CalibratedRange, Certificate, Point, canonical_sha256
from wattmark_calibration.certificate.record import Laboratory, MeterIdentity, Revocation

FIRST = date(2025, 1, 1)


def make(number: int = 1, begins: int = 0, lasts: int = 365, serial="SN-1", ranges=("2A",), **changes) -> Certificate:
    points = tuple(
        Point(reference_w=p, indication_w=p * 1.001, expanded_u_w=p * 5e-4, k=2.0, power_factor=1.0)
        for p in (50.0, 250.0, 1000.0)
    )
    return Certificate(
        id=f"C{number}",
        number=f"N{number}",
        meter=MeterIdentity(manufacturer="Example", model="PM1", serial=serial),
        laboratory=Laboratory(name="Example Laboratory"),
        method="Comparison",
        calibrated_on=FIRST + timedelta(days=begins),
        due_on=FIRST + timedelta(days=begins + lasts),
        as_found=tuple(CalibratedRange(name=name, points=points) for name in ranges),
        **changes,
    )


def register_of(*certificates: Certificate, decisions: tuple[Decision, ...] = ()) -> CertificateRegister:
    entries = [
        Accepted(revision, revision, "added", certificate, canonical_sha256(certificate))
        for revision, certificate in enumerate(certificates, 1)
    ]
    return CertificateRegister(tuple(entries), decisions)


def on(day: int) -> datetime:
    return datetime(2025, 1, 1, 12, tzinfo=UTC) + timedelta(days=day)


def chosen(register: CertificateRegister, day: int, range_name: str | None = "2A", serial: str = "SN-1") -> str | None:
    entry = register.choose(serial, range_name, on(day))
    return None if entry is None else entry.certificate.id


@given(
    spans=st.lists(
        st.tuples(st.integers(0, 800), st.integers(1, 800)), min_size=1, max_size=6, unique_by=lambda s: s[0]
    ),
    order=st.randoms(use_true_random=False),
    day=st.integers(0, 1700),
)
def test_of_those_that_serve_the_latest_calibration_is_chosen_in_any_order(spans, order, day):
    shuffled = list(enumerate(spans))
    order.shuffle(shuffled)
    register = register_of(*(make(number, begins, lasts) for number, (begins, lasts) in shuffled))
    serving = [(begins, number) for number, (begins, lasts) in enumerate(spans) if begins <= day <= begins + lasts]
    entry = chosen(register, day)
    assert entry is not None
    if serving:
        assert entry == f"C{max(serving)[1]}"


def test_a_certificate_of_the_range_comes_before_a_newer_one_without_it():
    register = register_of(make(1, 0), make(2, 100, ranges=("5A",)))
    assert chosen(register, 200) == "C1"
    assert chosen(register, 200, "5A") == "C2"


def test_an_expired_one_is_given_before_one_that_never_covered_the_range():
    """The refusal must be "expired" and not "range"."""
    register = register_of(make(1, 0, 100), make(2, 50, 400, ranges=("5A",)))
    assert chosen(register, 200) == "C1"


def test_a_revoked_one_leaves_the_one_before_in_force():
    revocation = Revocation(effective=FIRST + timedelta(days=100), by="Laboratory", reason="reference drifted")
    register = register_of(make(1, 0), make(2, 100, revocation=revocation, supersedes="C1"))
    assert chosen(register, 200) == "C1"


def test_other_meters_have_none():
    assert chosen(register_of(make()), 10, serial="SN-2") is None
    assert CertificateRegister().choose("SN-1", None, on(1)) is None


def test_a_meter_without_named_ranges():
    assert chosen(register_of(make(ranges=("only",))), 10, None) == "C1"


def test_the_register_as_it_stood():
    decision = Decision(3, 3, "C1", "A", "late", frozenset({"expired"}))
    register = register_of(make(1), make(2, 10), decisions=(decision,))
    assert register.revision == 3
    assert [entry.certificate.id for entry in register.at(1).latest] == ["C1"]
    assert register.at(2).override("C1", "SN-1") is None
    assert register.at(3).override("C1", "SN-1") is not None
    assert register.at(0).latest == ()


def test_the_latest_version_counts():
    first = make()
    register = register_of(first, make(1, 0, 30, version=2))
    assert [entry.certificate.version for entry in register.latest] == [2]
    assert [entry.certificate.version for entry in register.versions("C1")] == [1, 2]


def test_the_narrowest_override_holds_and_the_last_of_its_scope():
    def decide(revision, by, accepts=("expired",), **scope):
        return Decision(revision, revision, "C1", by, "reason", frozenset(accepts), **scope)

    decisions = (decide(2, "wide"), decide(3, "narrow", run_id="r1"), decide(4, "wide again"))
    register = register_of(make(), decisions=decisions)
    assert register.override("C1", "SN-1", "r1").by == "narrow"
    assert register.override("C1", "SN-1", "r2").by == "wide again"
    withdrawn = register_of(make(), decisions=(*decisions, decide(5, "B", (), run_id="r1")))
    assert withdrawn.override("C1", "SN-1", "r1").by == "wide again"
    assert register.override("C2", "SN-1") is None


def test_intact_is_told_by_the_hash():
    certificate = make()
    assert Accepted(1, 1, "added", certificate, canonical_sha256(certificate)).intact
    assert not Accepted(1, 1, "added", certificate, "0" * 64).intact


@pytest.mark.parametrize("day", [0, 365])
def test_first_and_last_day_serve(day):
    assert chosen(register_of(make()), day) == "C1"
