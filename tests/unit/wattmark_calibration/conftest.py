"""A calibrated meter, as the deterministic vector of the method (6.2) has it."""

import math
from datetime import date

import pytest
from wattmark_calibration.certificate.points import CalibratedRange, CommonUncertainty, Point
from wattmark_calibration.certificate.record import Certificate, Laboratory, MeterIdentity
from wattmark_calibration.errors import CertificateError

REFERENCE_W = (50.0, 100.0, 250.0, 500.0, 1000.0, 250.0, 250.0)
POWER_FACTOR = (1.0, 1.0, 1.0, 1.0, 1.0, 0.5, 0.8)
INDICATION_W = (50.21, 100.31, 250.62, 501.14, 1002.21, 251.27, 250.91)
U_REPEAT_W = (0.02, 0.02, 0.03, 0.05, 0.10, 0.03, 0.03)
U_GAIN, U_OFFSET_W = 2.5e-4, 0.01


def make_points(indication_w=INDICATION_W, **changes):
    """Give the vector's points; U = 2 u with the reference's common part inside."""
    rows = zip(REFERENCE_W, POWER_FACTOR, indication_w, U_REPEAT_W, strict=True)
    return tuple(
        Point(
            reference_w=p,
            indication_w=shown,
            expanded_u_w=2 * math.sqrt(u * u + (U_GAIN * p) ** 2 + U_OFFSET_W**2),
            k=2.0,
            **{"power_factor": factor, "frequency_hz": 50.0, "temperature_c": 23.0, **changes},
        )
        for p, factor, shown, u in rows
    )


def make_range(points=None, *, stated=True, name="300V/5A", **changes):
    common = CommonUncertainty(gain=U_GAIN, offset_w=U_OFFSET_W) if stated else None
    return CalibratedRange(name=name, points=points or make_points(), common=common, full_scale_w=1500.0, **changes)


def make_certificate(**changes):
    facts = {
        "id": "CAL-2026-001",
        "number": "K-12345",
        "meter": MeterIdentity(manufacturer="Example", model="PM1", serial="SN-1", firmware="1.4"),
        "laboratory": Laboratory(name="Example Laboratory", accreditation="D-K-00000-01-00"),
        "method": "Comparison with a power standard",
        "calibrated_on": date(2026, 3, 2),
        "due_on": date(2027, 3, 2),
        "as_found": (make_range(),),
    }
    return Certificate(**{**facts, **changes})


@pytest.fixture
def certificate_with():
    return make_certificate


@pytest.fixture
def range_with():
    return make_range


@pytest.fixture
def points_with():
    return make_points


@pytest.fixture
def certificate():
    return make_certificate()


@pytest.fixture(scope="session")
def complaint_of():
    """Read an input and give the message of its refusal, or nothing for what was read."""

    def read(reader, *given_input):
        try:
            reader(*given_input)
        except CertificateError as error:
            return str(error)
        return ""

    return read
