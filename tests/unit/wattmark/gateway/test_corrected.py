"""Power by the certificate in force, or none: never the indication in its place."""

from __future__ import annotations

import asyncio
from datetime import date, timedelta

import pytest
from wattmark.traceability.certificates.register import Accepted, CertificateRegister
from wattmark_calibration import CalibratedRange, Certificate, Point, canonical_sha256
from wattmark_calibration.certificate.record import Laboratory, MeterIdentity

from .conftest import FACTOR, POWER, REGISTER, VOLTAGE, Lab

CORRECTED = "[{as: modbus-tcp, what: wall, port: 5020, corrected: true}]"
TODAY = date(2026, 9, 21)
"""The day of the lab's clock."""


def register_of(serial: str = "1", begins: date = TODAY - timedelta(days=30), days: int = 365) -> CertificateRegister:
    """Certify a meter that shows 0.1 % too much over its whole range."""
    points = tuple(
        Point(reference_w=p, indication_w=p * 1.001, expanded_u_w=p * 5e-4, k=2.0, power_factor=1.0)
        for p in (50.0, 250.0, 1000.0)
    )
    certificate = Certificate(
        id="C1",
        number="N1",
        meter=MeterIdentity(manufacturer="Eastron", model="SDM120", serial=serial),
        laboratory=Laboratory(name="Example Laboratory"),
        method="Comparison",
        calibrated_on=begins,
        due_on=begins + timedelta(days=days),
        as_found=(CalibratedRange(name="only", points=points),),
    )
    return CertificateRegister((Accepted(1, 1, "added", certificate, canonical_sha256(certificate)),))


def spoken(register: CertificateRegister, watts: float = 250.25, factor: float = 0.99) -> Lab:
    lab = Lab(CORRECTED, register=register)

    async def work() -> None:
        lab.add("wall", POWER, VOLTAGE, FACTOR, REGISTER)
        await lab.opened()
        lab.read({POWER: watts, VOLTAGE: 230.0, FACTOR: factor, REGISTER: 5.0})
        await lab.gateway.step()

    asyncio.run(work())
    return lab


def test_power_is_corrected_and_what_would_contradict_it_is_not_shown() -> None:
    """By hand: 250.25 W of a meter that shows 0.1 % too much are 250 W."""
    shown = spoken(register_of()).link.orders("show")[-1]["shown"]
    assert shown["total"]["power"] == pytest.approx(250.0, abs=0.001)
    assert shown["total"] == {"power": shown["total"]["power"], "voltage": 230.0}
    assert (shown["phases"], shown["energy_wh"]) == ([shown["total"]], None)


def test_what_a_correction_leaves_is_the_uncertainty_of_the_certificate() -> None:
    """U = 0.05 % of the power (k = 2) at each of its points, all of them at power factor 1."""
    shown = spoken(register_of(), factor=1.0).link.orders("show")[-1]["shown"]
    assert shown["behind"]["power_limit"] == pytest.approx(5e-4, rel=0.05)


@pytest.mark.parametrize(
    ("register", "words"),
    [
        (CertificateRegister(), "no certificate in force"),
        (register_of(serial="another"), "no certificate in force"),
        (register_of(begins=TODAY - timedelta(days=400)), "does not apply"),
    ],
)
def test_without_a_certificate_in_force_nothing_is_shown(register: CertificateRegister, words: str) -> None:
    lab = spoken(register)
    assert lab.link.shown() == (None, "not-accepted")
    reason = lab.gateway.states()[0].reason
    assert reason is not None
    assert words in reason


def test_power_beyond_the_calibrated_span_is_not_shown() -> None:
    assert spoken(register_of(), 2000.0).link.shown() == (None, "not-accepted")


def test_a_certificate_that_is_accepted_later_is_in_force_soon() -> None:
    lab = spoken(CertificateRegister())
    lab.register = register_of()

    async def work() -> None:
        for _ in range(7):
            await lab.second({POWER: 250.25, FACTOR: 0.99})

    asyncio.run(work())
    watts, absent = lab.link.shown()
    assert absent is None
    assert watts == pytest.approx(250.0, abs=0.001)


def test_the_certificate_of_a_meter_does_not_correct_another_one_at_its_place() -> None:
    lab = spoken(register_of())

    async def work() -> None:
        lab.exchange("2")
        for _ in range(7):
            await lab.second({POWER: 250.25, FACTOR: 0.99})
        lab.link.stand()
        await lab.second({POWER: 250.25, FACTOR: 0.99})

    asyncio.run(work())
    assert lab.link.shown() == (None, "not-accepted")
