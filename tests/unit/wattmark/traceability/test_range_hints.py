"""Names of ranges in a certificate that the meter's model does not have, and the names that were probably meant."""

from __future__ import annotations

from datetime import date

import pytest
from wattmark.runs.record import MeterRecord
from wattmark.traceability.range_hints import range_hints
from wattmark_calibration import CalibratedRange, Certificate, Point
from wattmark_calibration.certificate.record import Laboratory, MeterIdentity


def certificate(model: str, *ranges: str) -> Certificate:
    points = tuple(Point(reference_w=w, indication_w=w, expanded_u_w=0.1, k=2.0) for w in (50.0, 250.0, 1000.0))
    return Certificate(
        id="CAL-1",
        number="K-1",
        meter=MeterIdentity(manufacturer="Maker", model=model, serial="SN-1"),
        laboratory=Laboratory(name="Example Laboratory"),
        method="Comparison",
        calibrated_on=date(2025, 3, 2),
        due_on=date(2026, 3, 2),
        as_found=tuple(CalibratedRange(name=name, points=points) for name in ranges),
    )


def used(model: str) -> MeterRecord:
    return MeterRecord(name="wall", title="Wall", model=model, serial="SN-1")


@pytest.mark.parametrize("name", ["300 V, 5 A", "300V/5A", "Range 300 V 5000 mA"])
def test_a_range_of_volts_and_amperes_is_named_as_the_analyser_does(name: str) -> None:
    (hint,) = range_hints(certificate("WT310E", name), [])
    assert f"yokogawa.wt310e has no range {name}" in hint
    assert "the nearest is 300V-5A" in hint
    assert f"--range '{name}=300V-5A'" in hint


def test_a_range_that_the_model_has_needs_no_hint() -> None:
    assert range_hints(certificate("WT310E", "300V-5A"), []) == []
    assert range_hints(certificate("Shunt box", "10A"), [used("peacefair.pzem016")]) == []


def test_the_meter_with_that_serial_number_says_which_model_it_is() -> None:
    (hint,) = range_hints(certificate("anything", "100 Amps"), [used("peacefair.pzem016")])
    assert "peacefair.pzem016 has no range 100 Amps" in hint
    assert "100A" in hint


def test_a_name_like_none_of_them_gets_all_that_there_are() -> None:
    (hint,) = range_hints(certificate("WT310E", "main"), [])
    assert "it has a voltage and a current range such as 300V-5A (V: 7.5, 15" in hint


def test_a_meter_without_named_ranges_takes_a_certificate_of_one_range() -> None:
    assert range_hints(certificate("x", "whole"), [used("eastron.sdm230")]) == []
    (hint,) = range_hints(certificate("x", "a", "b"), [used("eastron.sdm230")])
    assert "only a certificate with a single range" in hint


def test_of_a_model_that_nobody_knows_nothing_is_said() -> None:
    assert range_hints(certificate("PM1", "main"), [used("example.pm1")]) == []
