"""A reading corrected by a certificate: value, budget, refusals and overrides (method 6.2 and 6.3)."""

import math
from dataclasses import replace
from datetime import UTC, date, datetime

import pytest
from wattmark_calibration.certificate.canonical import canonical_sha256
from wattmark_calibration.certificate.record import Approval, Revocation
from wattmark_calibration.correction.correct import correct
from wattmark_calibration.correction.model import fit_model
from wattmark_calibration.correction.refusals import MeterInUse, Override
from wattmark_calibration.errors import CertificateError, Refused

JUNE = datetime(2026, 6, 1, 12, tzinfo=UTC)
METER = MeterInUse("SN-1", firmware="1.4")
RANGE = "300V/5A"


def codes(caught):
    return [refusal.code for refusal in caught.value.refusals]


def override(*accepts):
    return Override("A. Person", "comparison of the day only", frozenset(accepts))


@pytest.mark.parametrize(
    ("power_w", "corrected_w", "u_w"), [(188, 187.5057, 0.0495), (245, 244.3870, 0.0635), (374, 373.1182, 0.0962)]
)
def test_vector_of_the_method(certificate, power_w, corrected_w, u_w):
    result = correct(certificate, power_w, 1.0, RANGE, JUNE, METER)
    assert result.value.value == pytest.approx(corrected_w, abs=5e-5)
    assert result.value.u == pytest.approx(u_w, abs=5e-5)
    assert result.value.complete
    assert not result.extrapolated
    assert result.overridden == ()


def test_result_names_certificate_version_and_hash(certificate):
    result = correct(replace(certificate, version=3), 245, 1.0, RANGE, JUNE, METER)
    assert (result.certificate_id, result.certificate_version) == ("CAL-2026-001", 3)
    assert result.certificate_sha256 == canonical_sha256(replace(certificate, version=3))


def test_contributions_share_groups_and_give_the_covariance_of_two_results(certificate):
    """cov = x1 cov(theta) x2' = sum over the groups of the products of signed sensitivities times u^2."""
    low, high = (correct(certificate, p, 1.0, RANGE, JUNE, METER).value.contributions for p in (120, 900))
    by_group = {c.correlation_group: c for c in high}
    total = math.fsum(
        c.sensitivity * c.u * by_group[c.correlation_group].sensitivity * by_group[c.correlation_group].u for c in low
    )
    expected = [1, 120, 0] @ fit_model(certificate.in_use[0]).covariance @ [1, 900, 0]
    assert total == pytest.approx(expected, rel=1e-9)
    assert all("CAL-2026-001 v1" in c.correlation_group and "SN-1" in c.correlation_group for c in low)


def test_known_direction_of_reactive_power_corrects_the_phase(certificate):
    model, q = fit_model(certificate.in_use[0]), 245 * math.tan(math.acos(0.8))
    lag, lead = (correct(certificate, 245, 0.8, RANGE, JUNE, METER, reactive=r) for r in ("lagging", "leading"))
    assert lag.value.value - lead.value.value == pytest.approx(2 * model.parameters[2] * q)
    assert not [c for c in lag.value.contributions if c.name == "Power factor"]


def test_unknown_direction_carries_the_whole_phase_error(certificate):
    """+-|d Q| with unknown sign: standard deviation |d Q|, d = -0.00149191 rad."""
    term = correct(certificate, 245, 0.8, RANGE, JUNE, METER).value.contributions[-1]
    assert term.name == "Power factor"
    assert term.u == pytest.approx(245 * 0.75 * math.hypot(0.00149191, 0.00007516), rel=1e-5)


def test_unmeasured_power_factor_takes_the_lowest_calibrated(certificate):
    result = correct(certificate, 245, None, RANGE, JUNE, METER)
    term = result.value.contributions[-1]
    assert term.u == pytest.approx(245 * math.sqrt(3) * math.hypot(0.00149191, 0.00007516) / math.sqrt(3), rel=1e-5)
    assert "The power factor was not measured." in result.notes


def test_makers_power_factor_influence_stands_in(certificate_with, range_with, points_with):
    """IM WT310E p. 7-8: 0.1 % tan(phi); at power factor 0.6 that is 0.1333 % of 245 W as a limit."""
    unity = certificate_with(as_found=(range_with(points_with()[:5]),))
    with pytest.raises(Refused) as caught:
        correct(unity, 245, 0.6, RANGE, JUNE, METER)
    assert codes(caught) == ["power-factor"]
    result = correct(unity, 245, 0.6, RANGE, JUNE, replace(METER, pf0_pct=0.1))
    assert result.value.contributions[-1].u == pytest.approx(245 * 0.001 * 0.8 / 0.6 / math.sqrt(3))
    assert correct(unity, 245, 1.0, RANGE, JUNE, METER).value.complete


def unity_range(certificate_with, range_with, points_with, **changes):
    """A certificate whose points are all at power factor 1."""
    return certificate_with(as_found=(range_with(points_with(**changes)[:5]),))


@pytest.mark.parametrize("factor", [0.98, 0.95, 0.9])
def test_a_power_factor_near_one_is_carried_as_a_bound(certificate_with, range_with, points_with, factor):
    """Closed form: |dP| <= 18 mrad tan(phi) P (class 1, IEC 61869-2), a rectangle: 0.37 % of P at 0.98 as a limit."""
    unity = unity_range(certificate_with, range_with, points_with)
    result = correct(unity, 245, factor, RANGE, JUNE, METER)
    term = result.value.contributions[-1]
    assert (term.name, term.kind) == ("Power factor", "power factor")
    assert term.u == pytest.approx(245 * 0.018 * math.tan(math.acos(factor)) / math.sqrt(3), rel=1e-9)
    assert result.value.complete
    assert any("assumed to be at most 18 mrad" in note for note in result.notes)


def test_the_makers_figure_goes_before_the_assumption(certificate_with, range_with, points_with):
    unity = unity_range(certificate_with, range_with, points_with)
    result = correct(unity, 245, 0.98, RANGE, JUNE, replace(METER, pf0_pct=0.1))
    assert result.value.contributions[-1].u == pytest.approx(245 * 0.001 * math.tan(math.acos(0.98)) / math.sqrt(3))
    assert not any("assumed" in note for note in result.notes)


@pytest.mark.parametrize("factor", [0.89, None])
def test_far_from_one_or_unknown_there_is_no_bound(certificate_with, range_with, points_with, factor):
    unity = unity_range(certificate_with, range_with, points_with)
    with pytest.raises(Refused) as caught:
        correct(unity, 245, factor, RANGE, JUNE, METER)
    assert codes(caught) == ["power-factor"]


def used(frequency_hz=None, voltage_v=None):
    return replace(METER, frequency_hz=frequency_hz, voltage_v=voltage_v)


@pytest.mark.parametrize(
    ("calibrated", "use", "refused"),
    [
        ({"frequency_hz": 400.0}, used(50.0), ["frequency"]),
        ({"frequency_hz": 400.0}, used(), ["frequency"]),
        ({"frequency_hz": 0.0}, used(50.0), ["frequency"]),
        ({"frequency_hz": 50.0}, used(400.0), ["frequency"]),
        ({"frequency_hz": 50.0, "voltage_v": 230.0}, used(60.0, 120.0), ["voltage"]),
        ({"frequency_hz": 400.0, "voltage_v": 115.0}, used(50.0, 230.0), ["frequency", "voltage"]),
        ({"frequency_hz": 400.0}, used(400.0), []),
        ({"frequency_hz": 400.0}, used(410.0), []),
        ({"frequency_hz": 50.0}, used(60.0), []),
        ({"frequency_hz": 50.0, "voltage_v": 230.0}, used(50.0, 207.0), []),
        ({"frequency_hz": 50.0, "voltage_v": 230.0}, used(50.0, 240.0), []),
        ({"frequency_hz": None}, used(50.0, 230.0), []),
    ],
)
def test_frequency_and_voltage_of_use_are_those_of_the_calibration(
    certificate_with, range_with, points_with, calibrated, use, refused
):
    certificate = certificate_with(as_found=(range_with(points_with(**calibrated)),))
    try:
        correct(certificate, 245, 1.0, RANGE, JUNE, use)
        codes = []
    except Refused as refusal:
        codes = [r.code for r in refusal.refusals]
    assert codes == refused


def test_a_person_can_accept_another_frequency(certificate_with, range_with, points_with):
    certificate = certificate_with(as_found=(range_with(points_with(frequency_hz=400.0)),))
    result = correct(certificate, 245, 1.0, RANGE, JUNE, used(50.0), override=override("frequency"))
    assert result.value.value == pytest.approx(244.3870, abs=5e-5)
    assert [refusal.code for refusal in result.overridden] == ["frequency"]


def test_only_the_points_of_the_use_correct_it(certificate_with, range_with, points_with):
    """The vector's points at 50 Hz beside points at 400 Hz that are 2 % off: at 50 Hz the vector comes out."""
    off = tuple(replace(p, indication_w=1.02 * p.indication_w) for p in points_with(frequency_hz=400.0))
    certificate = certificate_with(as_found=(range_with((*points_with(), *off)),))
    assert correct(certificate, 245, 1.0, RANGE, JUNE, used(50.0)).value.value == pytest.approx(244.3870, abs=5e-5)
    assert correct(certificate, 245, 1.0, RANGE, JUNE, used()).value.value == pytest.approx(244.3870, abs=5e-5)


@pytest.mark.parametrize(
    ("calibrated", "use", "conditions"),
    [
        ({"voltage_v": 230.0}, used(50.0, 230.0), None),
        ({"voltage_v": 230.0}, used(None, 230.0), "frequency (not recorded in use)"),
        ({}, used(50.0, 230.0), "voltage (not stated by the certificate)"),
    ],
)
def test_what_was_not_compared_is_said(certificate_with, range_with, points_with, calibrated, use, conditions):
    certificate = certificate_with(as_found=(range_with(points_with(**calibrated)),))
    notes = [n for n in correct(certificate, 245, 1.0, RANGE, JUNE, use).notes if n.startswith("Not compared")]
    expected = [] if conditions is None else [f"Not compared with the conditions of the calibration: {conditions}."]
    assert notes == expected


def test_overridden_power_factor_leaves_the_budget_incomplete(certificate_with, range_with, points_with):
    unity = certificate_with(as_found=(range_with(points_with()[:5]),))
    assert not correct(unity, 245, 0.6, RANGE, JUNE, METER, override=override("power-factor")).value.complete


def test_power_factor_below_the_calibrated_ones(certificate):
    with pytest.raises(Refused) as caught:
        correct(certificate, 245, 0.2, RANGE, JUNE, METER)
    assert codes(caught) == ["power-factor"]


@pytest.mark.parametrize("power_w", [1010.0, 1052.0, 48.0])
def test_just_outside_the_span_is_flagged_and_enlarged(certificate, power_w):
    result = correct(certificate, power_w, 1.0, RANGE, JUNE, METER)
    assert result.extrapolated
    assert any("Extrapolated, not measured" in note for note in result.notes)
    model = fit_model(certificate.in_use[0])
    assert result.value.u == pytest.approx(2 * model.standard_uncertainty(power_w))


@pytest.mark.parametrize("power_w", [0.0, 47.0, 1101.28])
def test_far_outside_the_span_is_refused(certificate, power_w):
    with pytest.raises(Refused, match="outside the calibrated span") as caught:
        correct(certificate, power_w, 1.0, RANGE, JUNE, METER)
    assert codes(caught) == ["outside-span"]


def test_override_outside_the_span_is_flagged_and_signed(certificate):
    """Method 6.2: 1101.28 W gives 1098.8830 W (u 0.2848 W before enlargement), outside the span."""
    signed = override("outside-span")
    result = correct(certificate, 1101.28, 1.0, RANGE, JUNE, METER, override=signed)
    assert result.value.value == pytest.approx(1098.8830, abs=5e-5)
    assert result.value.u == pytest.approx(2 * 0.2848, abs=2e-4)
    assert result.extrapolated
    assert result.override == signed
    assert [refusal.code for refusal in result.overridden] == ["outside-span"]


@pytest.mark.parametrize(
    ("changes", "meter", "when", "code"),
    [
        ({}, METER, datetime(2027, 3, 3, tzinfo=UTC), "expired"),
        ({}, METER, datetime(2026, 3, 1, tzinfo=UTC), "not-yet-valid"),
        ({"revocation": Revocation(effective=date(2026, 4, 1), by="Lab", reason="error")}, METER, JUNE, "revoked"),
        ({}, MeterInUse("SN-2"), JUNE, "serial"),
        ({}, MeterInUse("SN-1", certificate_sha256="0" * 64), JUNE, "hash"),
    ],
)
def test_refusals_and_their_override(certificate_with, changes, meter, when, code):
    certificate = certificate_with(**changes)
    with pytest.raises(Refused) as caught:
        correct(certificate, 245, 1.0, RANGE, when, meter)
    assert codes(caught) == [code]
    with pytest.raises(Refused):
        correct(certificate, 245, 1.0, RANGE, when, meter, override=override("outside-span"))
    result = correct(certificate, 245, 1.0, RANGE, when, meter, override=override(code))
    assert [refusal.code for refusal in result.overridden] == [code]


def test_superseded_by_a_known_certificate(certificate, certificate_with):
    newer = certificate_with(id="CAL-2026-002", supersedes="CAL-2026-001", calibrated_on=date(2026, 5, 1))
    with pytest.raises(Refused) as caught:
        correct(certificate, 245, 1.0, RANGE, JUNE, METER, certificates=[newer])
    assert codes(caught) == ["superseded"]
    april = datetime(2026, 4, 1, tzinfo=UTC)
    assert correct(certificate, 245, 1.0, RANGE, april, METER, certificates=[newer]).overridden == ()


def test_every_reason_is_given_at_once(certificate):
    with pytest.raises(Refused) as caught:
        correct(certificate, 2000, 0.1, RANGE, datetime(2029, 1, 1, tzinfo=UTC), MeterInUse("SN-9"))
    assert codes(caught) == ["expired", "serial", "outside-span", "power-factor"]
    assert str(caught.value).count("\n") == 0


def test_uncovered_range_cannot_be_overridden(certificate):
    with pytest.raises(Refused, match="covers 300V/5A"):
        correct(certificate, 245, 1.0, "300V/20A", JUNE, METER, override=override("range"))


def test_too_few_points(certificate_with, range_with, points_with):
    two = certificate_with(as_found=(range_with(points_with()[:2]),))
    with pytest.raises(Refused) as caught:
        correct(two, 80, 1.0, RANGE, JUNE, METER)
    assert codes(caught) == ["too-few-points"]
    single = certificate_with(as_found=(range_with(points_with()[:1]),))
    with pytest.raises(Refused):
        correct(single, 50.2, 1.0, RANGE, JUNE, METER, override=override("too-few-points"))


def test_chi_squared_needs_approval(certificate_with, range_with, points_with):
    crooked = range_with(points_with((50.21, 100.31, 250.62, 503.0, 1002.21, 251.27, 250.91)))
    certificate = certificate_with(as_found=(crooked,))
    with pytest.raises(Refused, match="chi-squared") as caught:
        correct(certificate, 245, 1.0, RANGE, JUNE, METER)
    assert codes(caught) == ["chi-squared"]
    approval = Approval(by="Owner", on=date(2026, 3, 5), accepts=("chi-squared",), note="examined")
    approved = certificate_with(as_found=(crooked,), approval=approval)
    assert correct(approved, 245, 1.0, RANGE, JUNE, METER).overridden == ()


def test_as_found_recomputes_what_was_measured_before(certificate_with, range_with, points_with):
    as_found = range_with(
        points_with(tuple(p * 1.004 for p in (50.21, 100.31, 250.62, 501.14, 1002.21, 251.27, 250.91)))
    )
    adjusted = certificate_with(as_found=(as_found,), as_left=(range_with(),), adjusted=True)
    january = datetime(2026, 1, 10, tzinfo=UTC)
    old = correct(adjusted, 245, 1.0, RANGE, january, METER, state="as found")
    assert old.value.value == pytest.approx(244.387 - 0.004 * 245, abs=0.02)
    with pytest.raises(Refused) as caught:
        correct(adjusted, 245, 1.0, RANGE, january, METER)
    assert codes(caught) == ["not-yet-valid"]
    with pytest.raises(Refused) as caught:
        correct(adjusted, 245, 1.0, RANGE, JUNE, METER, state="as found")
    assert codes(caught) == ["not-as-found"]


def test_other_firmware_is_noted(certificate):
    notes = correct(certificate, 245, 1.0, RANGE, JUNE, replace(METER, firmware="1.5")).notes
    assert "The meter was calibrated with firmware 1.4 and now runs 1.5." in notes


@pytest.mark.parametrize(("power_w", "factor"), [(math.nan, 1.0), (-1.0, 1.0), (245, 0.0), (245, -0.9), (245, 1.1)])
def test_impossible_readings(certificate, power_w, factor):
    with pytest.raises(ValueError, match=r"Indicated power|Power factor"):
        correct(certificate, power_w, factor, RANGE, JUNE, METER)


def test_instants_need_a_zone(certificate):
    with pytest.raises(ValueError, match="time zone"):
        correct(certificate, 245, 1.0, RANGE, datetime(2026, 6, 1), METER)  # noqa: DTZ001 - the mistake under test


@pytest.mark.parametrize(("by", "reason", "accepts"), [("", "x", {"expired"}), ("A", " ", {"expired"}), ("A", "x", ())])
def test_an_override_is_signed_and_explained(by, reason, accepts):
    with pytest.raises(CertificateError):
        Override(by, reason, frozenset(accepts))
