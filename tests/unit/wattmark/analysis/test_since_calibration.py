"""Between calibration and use: ageing by the maker's limit, another temperature (method 2, route B)."""

import math
from dataclasses import replace
from datetime import UTC, date, datetime

import pytest
from wattmark.analysis.energy.calibrated import Calibration, calibrate, with_influences
from wattmark.analysis.energy.trace import Instrument
from wattmark_calibration import CalibratedRange, Certificate, Conditions, Influences, MeterInUse, Point, Specification
from wattmark_calibration.certificate.record import Laboratory, MeterIdentity

POINTS = tuple(
    Point(reference_w=p, indication_w=p * 1.001, expanded_u_w=0.1, k=2.0, power_factor=1.0, temperature_c=23.0)
    for p in (50.0, 250.0, 500.0, 1000.0)
)
CERTIFICATE = Certificate(
    id="CAL-1",
    number="K-1",
    meter=MeterIdentity(manufacturer="Example", model="PM1", serial="SN-1"),
    laboratory=Laboratory(name="Example Laboratory", accreditation="D-K-00000-01-00"),
    method="Comparison with a power standard",
    calibrated_on=date(2026, 3, 2),
    due_on=date(2027, 3, 2),
    as_found=(CalibratedRange(name="300V/5A", points=POINTS),),
)
USED = Calibration(
    certificate=CERTIFICATE,
    range_name="300V/5A",
    as_of=datetime(2026, 9, 1, tzinfo=UTC),
    meter=MeterInUse("SN-1"),
    power_factor=1.0,
)
WT310E = Specification(
    0.1,
    0.05,
    influences=Influences(
        temperature_pct_per_k=0.03, temperature_low_c=18.0, temperature_high_c=28.0, valid_months=12.0
    ),
)
METER = Instrument("wt", specification=WT310E, range_w=1500.0, conditions=Conditions(temperature_c=27.0))


def terms(instrument, used=USED):
    calibrated = with_influences(calibrate("wt", 245.0, used), instrument)
    return {c.kind: c for c in calibrated.contributions}, calibrated


def test_ageing_is_the_elapsed_share_of_the_makers_limit():
    """0.995 W in 12 months; 183 of 365.24 days: 0.4985 W, over sqrt(3)."""
    by_kind, calibrated = terms(METER)
    assert by_kind["drift"].u == pytest.approx(0.995 * 183 / 365.2425 / math.sqrt(3))
    assert not any("does not include the drift" in note for note in calibrated.notes)


def test_another_temperature_counts_by_the_makers_coefficient():
    """4 K away from the calibration at 0.03 %/K of 245 W: 0.294 W, over sqrt(3), inside the maker's band or not."""
    by_kind, calibrated = terms(METER)
    assert by_kind["temperature"].u_result == pytest.approx(0.0003 * 4 * calibrated.power_w / math.sqrt(3))


def test_what_is_not_known_adds_nothing_and_says_so():
    by_kind, calibrated = terms(Instrument("wt"))
    assert {"drift", "temperature"}.isdisjoint(by_kind)
    assert any("no earlier calibration shows it" in note for note in calibrated.notes)


def test_as_found_points_judge_the_time_before_them():
    by_kind, _ = terms(METER, replace(USED, state="as found", as_of=datetime(2026, 2, 1, tzinfo=UTC)))
    assert "drift" not in by_kind


def test_a_refused_correction_gets_no_terms():
    by_kind, calibrated = terms(METER, replace(USED, as_of=datetime(2028, 1, 1, tzinfo=UTC)))
    assert calibrated.corrected is None
    assert by_kind == {}
