"""The limit of error of one reading: by the manual of a WT310E, and by a certificate."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime

import pytest
from wattmark.instruments.reading_limit import limit_of_readings
from wattmark_calibration import Certificate, Point
from wattmark_calibration.certificate.points import CalibratedRange
from wattmark_calibration.certificate.record import Laboratory
from wattmark_calibration.certificate.record import MeterIdentity as Calibrated
from wattmark_drivers.catalogue import find_model
from wattmark_drivers.identity import identify
from wattmark_drivers.meter import MeterIdentity
from wattmark_drivers.reading import Channel, Kind
from wattmark_drivers.settings import MeterSettings

MODEL = "yokogawa.wt310e"
SETTINGS = MeterSettings("wall", MODEL, "scpi-tcp://127.0.0.1:1")
USED_ON = datetime(2026, 6, 1, tzinfo=UTC)


def identity_in(range_name: str | None, serial: str = "SN-1") -> MeterIdentity:
    identity = identify(replace(SETTINGS, range=range_name), find_model(MODEL), serial)
    return replace(identity, crest_factor=3, line_filter=False)


@dataclass
class Shown:
    """A meter as far as its limit of error needs it."""

    identity: MeterIdentity
    channels: list[Channel] = field(default_factory=lambda: [Channel("power", "power", "W", Kind.AVERAGED)])
    pushes: bool = True


def certificate() -> Certificate:
    """Errors of 0.25 % at all powers, U = 0.15 W, k = 2."""
    points = tuple(
        Point(reference_w=p, indication_w=1.0025 * p, expanded_u_w=0.15, k=2.0, power_factor=1.0)
        for p in (50.0, 100.0, 250.0, 500.0)
    )
    return Certificate(
        id="CAL-1",
        number="K-1",
        meter=Calibrated(manufacturer="Yokogawa", model="WT310E", serial="SN-1"),
        laboratory=Laboratory(name="Example Laboratory"),
        method="Comparison with a power standard",
        calibrated_on=date(2026, 3, 2),
        due_on=date(2027, 3, 2),
        as_found=(CalibratedRange(name="300V-2A", points=points),),
    )


def test_the_manufacturer_states_it_for_the_range_in_use() -> None:
    """IM WT310E-02EN, 7.3.2: 0.1 % of reading + 0.05 % of range, 0.4 W + 0.3 W of 400 W in 300 V x 2 A.

    Self-heating adds 1e-7 % per V2 and 1.3e-4 % per A2 of the reading: 0.0053 % and 0.0004 %.
    """
    limit = limit_of_readings(Shown(identity_in("300V-2A")), SETTINGS)
    assert limit(400.0, 230.0, 1.739, 1.0) == pytest.approx((0.4 + 0.3) / 400 + 5.7e-5, rel=2e-3)


def test_a_change_of_range_counts_at_once() -> None:
    meter = Shown(identity_in("300V-2A"))
    limit = limit_of_readings(meter, SETTINGS)
    before = limit(400.0, 230.0, 1.739, 1.0)
    meter.identity = identity_in("300V-20A")
    # 0.05 % of 6000 W in the place of 0.05 % of 600 W
    assert limit(400.0, 230.0, 1.739, 1.0) - before == pytest.approx(2.7 / 400)


def test_one_of_several_inputs_has_its_part_of_the_range() -> None:
    limit = limit_of_readings(Shown(identity_in("300V-2A")), SETTINGS, inputs=2)
    assert limit(400.0, 230.0, 1.739, 1.0) == pytest.approx((0.4 + 0.15) / 400 + 5.7e-5, rel=2e-3)


def test_under_auto_range_it_is_not_known() -> None:
    assert limit_of_readings(Shown(identity_in(None)), SETTINGS)(400.0, 230.0, 1.7, 1.0) is None


@pytest.mark.parametrize("power_w", [0.0, -3.0])
def test_without_power_there_is_no_fraction(power_w: float) -> None:
    assert limit_of_readings(Shown(identity_in("300V-2A")), SETTINGS)(power_w, 230.0, 0.0, None) is None


def test_by_a_certificate_it_is_the_error_and_its_uncertainty() -> None:
    """An indication of 250.625 W is 0.625 W too high; U is 0.15 W at each point and less for the line through four."""
    limit = limit_of_readings(Shown(identity_in("300V-2A")), SETTINGS, certificate=certificate(), now=lambda: USED_ON)(
        250.625, 230.0, 1.09, 1.0
    )
    assert limit is not None
    assert 0.625 < limit * 250.625 < 0.625 + 0.2


@pytest.mark.parametrize(
    ("meter", "on"),
    [
        (identity_in("300V-2A", "SN-2"), USED_ON),
        (identity_in("300V-5A"), USED_ON),
        (identity_in("300V-2A"), datetime(2027, 3, 4, tzinfo=UTC)),
        (identity_in("300V-2A"), datetime(2026, 3, 1, tzinfo=UTC)),
    ],
    ids=["another meter", "another range", "expired", "before the calibration"],
)
def test_a_certificate_that_does_not_apply_leaves_it_unknown(meter, on) -> None:
    limit = limit_of_readings(Shown(meter), SETTINGS, certificate=certificate(), now=lambda: on)
    assert limit(250.0, 230.0, 1.09, 1.0) is None
