"""In-house certificates: the fit covers a planted error, and doubtful comparisons are refused by name."""

from __future__ import annotations

import math
from dataclasses import replace
from datetime import UTC, date, datetime

import numpy as np
import pytest
from wattmark_calibration import MeterInUse, Refused, canonical_json, correct
from wattmark_calibration.certificate.json_file import read_json, write_json
from wattmark_calibration.certificate.record import MeterIdentity, ReferenceStandard
from wattmark_calibration.in_house import Comparison, InHouse, in_house_certificate, in_house_refusals

GAIN, OFFSET_W = 1.03, 1.5
STEPS_W = (60.0, 120.0, 180.0, 240.0, 300.0, 60.0)
U_REFERENCE, U_COMPARISON_W = 1e-3, 0.05
STATED = InHouse(
    id="IH-PLUG-5-20260925",
    meter=MeterIdentity(manufacturer="Shelly", model="shelly.plugs", serial="PLUG-5"),
    range_name="power",
    laboratory="In house: Example Lab",
    reference=ReferenceStandard(name="WT310E", serial="WT-77", certificate="K-1", traceable_to="Example Laboratory"),
    method="In-house comparison",
    calibrated_on=date(2026, 9, 25),
    due_on=date(2027, 3, 25),
    approved_by="K. Berg",
    note="Compared in house",
)
JUNE = datetime(2026, 12, 1, tzinfo=UTC)


def compare(powers_w=STEPS_W, rng=None, drift_w=0.0, **changes):
    """Compare at powers: the reference errs by its own gain within its uncertainty, the meter as planted."""
    rng = rng or np.random.default_rng(1)
    own = rng.normal(0, U_REFERENCE)
    return [
        Comparison(
            at_s=100.0 * k,
            reference_w=p * (1 + own),
            u_reference_w=U_REFERENCE * p,
            indication_w=OFFSET_W + GAIN * p + rng.normal(0, U_COMPARISON_W) + drift_w * k,
            u_comparison_w=U_COMPARISON_W,
            dof=7.0,
            **{"power_factor": 0.98, "frequency_hz": 50.0, **changes},
        )
        for k, p in enumerate(powers_w)
    ]


def codes(comparisons) -> list[str]:
    return [refusal.code for refusal in in_house_refusals(comparisons)]


def test_the_interval_of_a_correction_covers_the_planted_error() -> None:
    rng, trials, inside = np.random.default_rng(4), 300, 0
    for _ in range(trials):
        comparisons = compare(rng=rng)
        if codes(comparisons):
            continue
        certificate = in_house_certificate(comparisons, STATED)
        true_w = 200.0
        corrected = correct(
            certificate, OFFSET_W + GAIN * true_w, 0.98, "power", JUNE, MeterInUse("PLUG-5", frequency_hz=50.0)
        )
        inside += abs(corrected.value.value - true_w) <= corrected.value.expanded_u
    assert inside >= 0.95 * trials - 3 * math.sqrt(0.95 * 0.05 * trials)


def test_the_document_names_the_reference_and_is_an_ordinary_certificate() -> None:
    certificate = in_house_certificate(compare(), STATED)
    assert certificate.in_house
    assert certificate.traceable
    (link,) = certificate.chain
    assert (link.serial, link.certificate, link.traceable_to) == ("WT-77", "K-1", "Example Laboratory")
    assert read_json(write_json(certificate).encode()) == certificate
    untraceable = replace(certificate, chain=(replace(link, traceable_to=None),))
    assert not untraceable.traceable
    # a laboratory's certificate is written as before, so that its hash stays
    assert "in_house" not in canonical_json(replace(certificate, in_house=None))


def test_each_point_carries_the_uncertainty_of_the_reference_as_well() -> None:
    certificate = in_house_certificate(compare(), STATED)
    for point in certificate.as_found[0].points:
        assert point.u_w == pytest.approx(math.hypot(U_REFERENCE * point.reference_w, U_COMPARISON_W), rel=2e-3)


@pytest.mark.parametrize(
    ("comparisons", "code"),
    [
        (compare((60.0, 180.0, 300.0, 60.0)), "too-few-steps"),
        (compare((250.0, 260.0, 270.0, 280.0, 290.0, 300.0, 250.0)), "span"),
        (compare((60.0, 120.0, 180.0, 240.0, 300.0)), "no-repeat"),
        (compare(drift_w=0.4), "drift"),
        ([replace(c, u_reference_w=None) for c in compare()], "reference"),
    ],
)
def test_doubtful_comparisons_are_refused(comparisons, code: str) -> None:
    assert code in codes(comparisons)
    with pytest.raises(Refused):
        in_house_certificate(comparisons, STATED)


def test_a_good_comparison_is_seldom_refused_for_drift() -> None:
    rng = np.random.default_rng(9)
    assert sum(bool(codes(compare(rng=rng))) for _ in range(200)) <= 10
