"""A certificate corrects mean power at analysis; whatever speaks against it is said, and nothing is invented."""

from __future__ import annotations

import math
from dataclasses import replace
from datetime import date

import pytest
from wattmark.runs.record import ConditionRecord


def calibration_u(result):
    """u of the lines that the certificate brings."""
    return math.sqrt(
        sum(line.u_result**2 for line in result.power.budget if "CAL-1 v1" in (line.correlation_group or ""))
    )


def names(result):
    return " ".join(line.name for line in result.power.budget)


def test_method_vector_end_to_end(lab, vector):
    """Method 6.2: 245 W indicated is 244.3870 W with u 0.0635 W from the certificate."""
    result = lab.result_with(vector.make(), watts=245.0)
    assert result.power.value == pytest.approx(244.3870, abs=5e-5)
    assert calibration_u(result) == pytest.approx(0.0635, abs=5e-5)
    (meter,) = result.calibrations
    assert (meter.basis, meter.certificate_id, meter.certificate_version) == ("certificate", "CAL-1", 1)
    assert meter.indicated_w == pytest.approx(245.0)
    assert meter.u_calibration_w == pytest.approx(0.0635, abs=5e-5)
    assert result.basis == "certificate"
    assert result.traceable
    assert result.energy_j == pytest.approx(100 * result.power.value)


@pytest.mark.parametrize(("watts", "corrected", "u"), [(188.0, 187.5057, 0.0495), (374.0, 373.1182, 0.0962)])
def test_method_vector_elsewhere(lab, vector, watts, corrected, u):
    result = lab.result_with(vector.make(), watts=watts)
    assert result.power.value == pytest.approx(corrected, abs=5e-5)
    assert calibration_u(result) == pytest.approx(u, abs=5e-5)


def test_raw_readings_never_change(lab, vector):
    run = lab.measure(watts=245.0)
    lab.add(vector.make())
    series = lab.storage.samples.list_series(run.run_id)
    power = next(entry for entry in series if entry.key.channel == "power")
    assert set(lab.storage.samples.read(power.id).value.tolist()) == {245.0}


def test_never_certificate_and_specification(lab, vector):
    lab.measure("before")
    lab.add(vector.make())
    lab.measure("after")
    assert "Specification" in names(lab.result("before"))
    assert "Specification" not in names(lab.result("after"))
    assert "Reference gain" in names(lab.result("after"))


def test_without_specification_and_certificate_there_is_no_uncertainty(lab):
    lab.measure(reading_pct=None, fixed_w=None)
    result = lab.result()
    assert (result.power.u, result.power.U95, result.power.k95) == (None, None, None)
    assert (result.basis, result.traceable) == ("none", False)
    assert "not traceable" in " ".join(result.notes)


def test_certificate_makes_a_meter_without_specification_traceable(lab, vector):
    result = lab.result_with(vector.make(), reading_pct=None, fixed_w=None, not_traceable="no calibration date")
    assert result.traceable
    assert pytest.approx(result.power.k95 * result.power.u) == result.power.U95


@pytest.mark.parametrize(
    ("day", "basis", "code"),
    [
        ("2025-03-01", "specification", "not-yet-valid"),
        ("2025-03-02", "certificate", None),
        ("2026-03-02", "certificate", None),
        ("2026-03-03", "none", "expired"),
    ],
)
def test_days_of_service(lab, vector, day, basis, code):
    """The day of calibration and the due day serve; an expired certificate leaves no ± at all (method, rule 10)."""
    result = lab.result_with(vector.make(), day=day)
    assert result.basis == basis
    assert [refusal.code for refusal in result.calibrations[0].refusals] == ([code] if code else [])
    assert (result.power.u is None) == (basis == "none")
    assert result.power.value == pytest.approx(244.3870 if basis == "certificate" else 245.0, abs=5e-5)
    if code:
        assert "CAL-1 v1" in " ".join(result.notes)


def test_another_serial_number_is_another_meter(lab, vector):
    result = lab.result_with(vector.make(meter=vector.for_serial("SN-2")))
    assert (result.basis, result.calibrations[0].certificate_id) == ("specification", None)


def test_another_range_is_not_calibrated(lab, vector):
    result = lab.result_with(vector.make(as_found=(vector.calibrated(name="300V/1A"),)))
    assert (result.basis, result.calibrations[0].refusals[0].code) == ("specification", "range")
    assert "The specification serves instead" in " ".join(result.notes)


def test_a_meter_without_named_ranges_takes_the_only_range(lab, vector):
    result = lab.result_with(vector.make(as_found=(vector.calibrated(name="the only one"),)), range_name="")
    assert result.power.value == pytest.approx(244.3870, abs=5e-5)


def test_outside_the_span_the_specification_serves(lab, vector):
    result = lab.result_with(vector.make(), watts=1101.28)
    assert (result.basis, result.calibrations[0].refusals[0].code) == ("specification", "outside-span")
    assert result.power.value == pytest.approx(1101.28)


def test_slightly_outside_the_span_is_extrapolated_and_said(lab, vector):
    result = lab.result_with(vector.make(), watts=1040.0)
    assert result.calibrations[0].extrapolated
    assert "Extrapolation" in names(result)
    assert "Extrapolated, not measured" in " ".join(result.notes)


def test_scattered_points_are_refused_unless_approved(lab, vector):
    """One point off by ten of its uncertainties fails chi-squared; the owner's approval of just that lets it serve."""
    bad = list(vector.points())
    bad[2] = vector.replace(bad[2], indication_w=bad[2].indication_w + 1.0)
    result = lab.result_with(vector.make(as_found=(vector.calibrated(tuple(bad)),)))
    assert (result.basis, result.calibrations[0].refusals[0].code) == ("specification", "chi-squared")
    lab.add(
        vector.make(as_found=(vector.calibrated(tuple(bad)),), method="Comparison, examined again"),
        approved_by="Metrologist",
        approves=["chi-squared"],
        revise=True,
    )
    assert lab.reissued().basis == "certificate"


def test_two_points_are_too_few(lab, vector):
    result = lab.result_with(vector.make(as_found=(vector.calibrated(vector.points()[:2]),)), watts=70.0)
    assert (result.basis, result.calibrations[0].refusals[0].code) == ("specification", "too-few-points")


def test_unknown_power_factor_of_points_at_unity_only(lab, vector):
    lab.add(vector.make(as_found=(vector.calibrated(vector.points()[:5]),)))
    lab.measure("known", power_factor=1.0)
    lab.measure("unknown", power_factor=None)
    assert lab.result("known").basis == "certificate"
    assert lab.result("unknown").calibrations[0].refusals[0].code == "power-factor"


def test_power_factor_far_below_the_calibrated_ones(lab, vector):
    result = lab.result_with(vector.make(), power_factor=0.3)
    assert result.calibrations[0].refusals[0].code == "power-factor"


def test_revoked_certificate_leaves_no_uncertainty_from_that_day_on(lab, vector):
    from wattmark.traceability.certificates.views import RevokeIn

    lab.add(vector.make())
    order = RevokeIn(by="Example Laboratory", reason="reference drifted", effective="2025-05-01")
    assert lab.calibration.certificates.revoke("CAL-1", order).version == 2
    lab.measure("june", day="2025-06-01")
    lab.measure("april", day="2025-04-01")
    assert lab.result("june").basis == "none"
    assert "reference drifted" in " ".join(lab.result("june").notes)
    assert lab.result("april").basis == "certificate"


def test_newer_calibration_serves_newer_measurements_only(lab, vector):
    lab.add(vector.make())
    second = vector.make_next(supersedes="CAL-1")
    lab.add(second)
    lab.measure("june", day="2025-06-01")
    lab.measure("october", day="2025-10-01")
    assert lab.result("june").calibrations[0].certificate_id == "CAL-1"
    assert lab.result("october").calibrations[0].certificate_id == "CAL-2"
    assert "Drift between calibrations" in names(lab.result("october"))


def test_adjusted_meter_is_corrected_as_left(lab, vector):
    left = vector.calibrated(vector.points(stretch=0.0))
    result = lab.result_with(vector.make(adjusted=True, as_left=(left,)))
    assert result.power.value == pytest.approx(245.0, abs=1e-6)


def test_several_wall_meters_rest_on_the_weakest(lab, vector):
    lab.add(vector.make())
    lab.add_meter(lab.measure(), 100.0, serial="SN-9")
    result = lab.result()
    assert result.power.value == pytest.approx(244.3870 + 100.0, abs=5e-5)
    assert [calibration.basis for calibration in result.calibrations] == ["certificate", "specification"]
    assert result.basis == "specification"


def test_two_meters_with_certificates_are_both_corrected(lab, vector):
    lab.add(vector.make())
    lab.add(vector.make(id="CAL-9", number="K-9", meter=vector.for_serial("SN-9")))
    lab.add_meter(lab.measure(), 374.0, serial="SN-9")
    assert lab.result().power.value == pytest.approx(244.3870 + 373.1182, abs=1e-4)


def test_rule_sets_know_the_age_of_the_calibration(lab, vector):
    """2 March to 1 June 2025 are 91 days; without a certificate nothing is claimed."""
    from wattmark.analysis.efficiency.run import analyse_run
    from wattmark.results.loaded import load_run
    from wattmark.results.rule_sets import known_facts

    def facts(run):
        loaded = load_run(run, lab.storage.samples, "complete", lab.queries.register())
        return known_facts(loaded, analyse_run(loaded.input))

    run = lab.measure()
    assert "calibration_age_d" not in facts(run)
    lab.add(vector.make())
    values = facts(run)
    assert (values["calibration_age_d"], values["traceable"]) == (91.0, 1.0)


def test_an_override_of_one_refusal_of_two_changes_nothing(lab, vector):
    """Expired and outside the span; whoever accepts only the date must not get a ± that nobody answers for."""
    from wattmark.traceability.certificates.views import OverrideIn

    lab.add(vector.make(due_on=date(2025, 4, 1)))
    lab.measure(watts=1500.0)
    accepted = OverrideIn(by="Head of lab", reason="the meter rested", accepts=["expired"])
    lab.calibration.certificates.override("CAL-1", accepted)
    result = lab.result()
    assert (result.basis, result.traceable, result.power.U95) == ("none", False, None)
    assert [refusal.code for refusal in result.calibrations[0].refusals] == ["expired", "outside-span"]


@pytest.fixture
def at_conditions(vector):
    """Make the vector's certificate with every point at the conditions given, the first points only where asked."""

    def make(count=None, **conditions):
        range_points = vector.make().as_found[0]
        return vector.make(
            as_found=(
                replace(range_points, points=tuple(replace(p, **conditions) for p in range_points.points[:count])),
            )
        )

    return make


@pytest.mark.parametrize("measured", [True, False])
def test_a_calibration_at_400_hz_does_not_serve_mains(lab, at_conditions, measured):
    lab.add(at_conditions(frequency_hz=400.0))
    run = lab.measure(conditions=ConditionRecord(frequency_hz=None if measured else 50.0))
    if measured:
        lab.add_channel(run, "frequency", "Hz", 50.02)
    result = lab.result()
    assert result.basis == "specification"
    assert [refusal.code for refusal in result.calibrations[0].refusals] == ["frequency"]
    assert "calibrated at 400 Hz only, and used at 50" in " ".join(result.notes)


def test_a_calibration_at_another_voltage_does_not_serve(lab, at_conditions):
    lab.add(at_conditions(voltage_v=120.0, frequency_hz=60.0))
    run = lab.measure()
    lab.add_channel(run, "voltage", "V", 229.0)
    assert [refusal.code for refusal in lab.result().calibrations[0].refusals] == ["voltage"]


def test_at_its_own_conditions_a_certificate_serves_without_a_word(lab, at_conditions):
    lab.add(at_conditions(voltage_v=230.0, frequency_hz=50.0))
    run = lab.measure()
    lab.add_channel(run, "voltage", "V", 229.0)
    lab.add_channel(run, "frequency", "Hz", 49.98)
    result = lab.result()
    assert result.basis == "certificate"
    assert "Not compared" not in " ".join(result.notes)


def test_a_supply_with_corrected_power_factor_keeps_its_certificate(lab, at_conditions):
    """0.98 with points at 1 only: 18 mrad x tan(phi) x 245 W/sqrt(3) beside the certificate, said in a note."""
    result = lab.result_with(at_conditions(count=5), power_factor=0.98)
    assert result.basis == "certificate"
    line = next(line for line in result.power.budget if line.name == "Power factor")
    assert line.u_result == pytest.approx(245 * 0.018 * math.tan(math.acos(0.98)) / math.sqrt(3), rel=1e-6)
    assert "assumed to be at most 18 mrad" in " ".join(result.notes)
