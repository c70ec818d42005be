"""Correction model: the deterministic vector of method 6.2, and what happens with fewer points."""

import math

import numpy as np
import pytest
from wattmark_calibration.certificate.points import CalibratedRange, CommonUncertainty, Point
from wattmark_calibration.correction.drift import drift_contribution, error_curve
from wattmark_calibration.correction.model import fit_model


def simple(reference, error, u=0.05, factor=1.0, k=2.0, **changes):
    return Point(
        reference_w=reference, indication_w=reference + error, expanded_u_w=k * u, k=k, power_factor=factor, **changes
    )


def test_vector_of_the_method(range_with):
    model = fit_model(range_with())
    assert model.parameters == pytest.approx([-0.10261887, -0.00208339, -0.00149191], abs=1e-8)
    se = np.sqrt(np.diag(model.covariance))
    assert se == pytest.approx([0.01943256, 0.00026118, 0.00007516], abs=1e-7)
    assert model.covariance[0, 1] / (se[0] * se[1]) == pytest.approx(-0.17689, abs=1e-5)
    assert model.chi_squared == pytest.approx(0.13807, abs=1e-5)
    assert model.dof == 4


@pytest.mark.parametrize(
    ("power_w", "corrected_w", "u_w"),
    [(188, 187.5057, 0.0495), (245, 244.3870, 0.0635), (374, 373.1182, 0.0962), (1101.28, 1098.8830, 0.2848)],
)
def test_corrected_powers_of_the_vector(range_with, power_w, corrected_w, u_w):
    model = fit_model(range_with())
    assert power_w + model.correction(power_w) == pytest.approx(corrected_w, abs=5e-5)
    assert model.standard_uncertainty(power_w) == pytest.approx(u_w, abs=5e-5)


def test_error_sources_add_up_to_the_generalised_least_squares_covariance(range_with):
    """x G V G' x' = x (A'V^-1 A)^-1 x', computed here from the definition."""
    calibrated = range_with()
    p, q = (np.array([getattr(point, name) for point in calibrated.points]) for name in ("reference_w", "reactive_var"))
    a = np.column_stack([np.ones(7), [point.indication_w for point in calibrated.points], q])
    independent = np.array([0.02, 0.02, 0.03, 0.05, 0.10, 0.03, 0.03]) ** 2
    v = np.diag(independent) + 2.5e-4**2 * np.outer(p, p) + 1e-4
    assert fit_model(calibrated).covariance == pytest.approx(np.linalg.inv(a.T @ np.linalg.inv(v) @ a), rel=1e-6)


def test_leaving_the_common_reference_out_is_seen(points_with):
    """Treating all of u as independent makes se(g) 3.4 times too small; the unstated case does not do that."""
    model = fit_model(CalibratedRange(name="r", points=points_with()))
    naive = 0.0000773
    assert math.sqrt(model.covariance[1, 1]) > 3 * naive


@pytest.mark.parametrize("power_w", [60, 188, 245, 374, 990])
def test_unstated_common_part_never_beats_the_certificate(points_with, power_w):
    """u of the correction is not below U/k, interpolated between the points (method 2, route B)."""
    points = points_with()
    model = fit_model(CalibratedRange(name="r", points=points))
    unity = [point for point in points if point.power_factor == 1]
    lowest = np.interp(power_w, [p.indication_w for p in unity], [p.u_w for p in unity])
    assert model.standard_uncertainty(power_w) >= lowest


def test_unstated_common_part_leaves_the_phase_uncertain(points_with):
    points = points_with()
    model = fit_model(CalibratedRange(name="r", points=points))
    assert model.u_phase > 0.5 * min(p.u_w / abs(p.reactive_var) for p in points if p.power_factor < 1)


def test_few_points_drop_the_phase_and_bound_it():
    points = (simple(100, 0.2), simple(500, 1.0), simple(1000, 2.0), simple(500, 1.6, factor=0.5))
    model = fit_model(CalibratedRange(name="r", points=points))
    assert not model.phase_fitted
    assert model.parameters[2] == 0
    # gain error 0.2 % of indication explains 1.0 W of 1.6 W; 0.6 W and U = 0.1 W remain over Q = 866 var
    assert model.phase_bound == pytest.approx((0.6 + 0.1) / (500 * math.tan(math.acos(0.5))), rel=0.01)
    assert model.points == 3


def test_no_low_power_factor_point_leaves_the_phase_unknown():
    model = fit_model(CalibratedRange(name="r", points=tuple(simple(p, 0.1) for p in (50, 100, 200, 400, 800))))
    assert not model.phase_fitted
    assert model.phase_bound is None


def test_leading_points_turn_the_sign(points_with):
    lagging = fit_model(CalibratedRange(name="r", points=points_with()))
    leading = fit_model(CalibratedRange(name="r", points=points_with(reactive="leading")))
    assert leading.parameters[2] == pytest.approx(-lagging.parameters[2])


def test_coverage_factor_of_few_readings_gives_few_degrees_of_freedom():
    """k = 2.87 at 95.45 % stands for 4 degrees of freedom (JCGM 100 table G.2)."""
    points = tuple(simple(p, 0.1, k=2.87, coverage_probability=0.9545) for p in (50, 100, 200))
    certificate = fit_model(CalibratedRange(name="r", points=points)).sources[0]
    assert certificate.dof == pytest.approx(4, abs=0.02)
    usual = fit_model(CalibratedRange(name="r", points=tuple(simple(p, 0.1) for p in (50, 100, 200))))
    assert usual.sources[0].dof == math.inf


@pytest.mark.parametrize(
    "points",
    [
        (simple(100, 0.1),),
        (simple(100, 0.1), simple(200, 0.1, factor=0.5), simple(300, 0.1, factor=0.5)),
        (simple(100, 0.1), simple(100, 0.1, frequency_hz=60)),
    ],
)
def test_too_few_points(points):
    with pytest.raises(ValueError, match="points"):
        fit_model(CalibratedRange(name="r", points=points))


@pytest.mark.parametrize(("stated", "low", "high"), [(True, 0.93, 0.97), (False, 0.93, 1.0)])
def test_coverage_of_corrected_values(stated, low, high):
    """Meters with gain, offset and phase error, a laboratory with common errors: 95 % intervals hold the truth.

    Where the common part is not stated the interval is a bound and may hold it more often.
    """
    rng, trials, inside = np.random.default_rng(64), 600, 0
    reference = np.array([50, 100, 250, 500, 1000, 250, 250.0])
    factor = np.array([1, 1, 1, 1, 1, 0.5, 0.8])
    repeat, gain, offset = np.array([0.02, 0.02, 0.03, 0.05, 0.1, 0.03, 0.03]), 2.5e-4, 0.01
    reactive = reference * np.tan(np.arccos(factor))
    expanded = 2 * np.sqrt(repeat**2 + (gain * reference) ** 2 + offset**2)
    common = CommonUncertainty(gain=gain, offset_w=offset) if stated else None
    for _ in range(trials):
        o, g, d = rng.normal(0, [0.2, 3e-3, 2e-3])
        true = reference * (1 + rng.normal(0, gain)) + rng.normal(0, offset)
        shown = (true - o - d * reactive) / (1 + g) + rng.normal(0, repeat)
        points = tuple(
            Point(reference_w=p, indication_w=i, expanded_u_w=u, k=2.0, power_factor=f)
            for p, i, u, f in zip(reference, shown, expanded, factor, strict=True)
        )
        model = fit_model(CalibratedRange(name="r", points=points, common=common))
        power, q = 380.0, 380.0 * math.tan(math.acos(0.9))
        indicated = (power - o - d * q) / (1 + g)
        corrected = indicated + model.correction(indicated, q)
        inside += abs(corrected - power) <= 1.96 * model.standard_uncertainty(indicated, q)
    assert low <= inside / trials <= high


def test_drift_is_the_movement_over_sqrt3(range_with, points_with):
    left = fit_model(range_with())
    moved = tuple(shown * 1.001 for shown in (50.21, 100.31, 250.62, 501.14, 1002.21, 251.27, 250.91))
    moved_model = fit_model(range_with(points_with(moved)))
    term = drift_contribution(left, moved_model, 500.0)
    assert term.u == pytest.approx(0.5 / math.sqrt(3), rel=0.01)
    with pytest.raises(ValueError, match="only within one range"):
        drift_contribution(left, fit_model(range_with(name="300V/1A")), 500.0)


def test_error_curve_is_the_negative_correction(range_with):
    model = fit_model(range_with())
    error, u = error_curve(model, [188.0, 374.0])
    assert error == pytest.approx([-model.correction(188.0), -model.correction(374.0)])
    assert u == pytest.approx([0.0495, 0.0962], abs=5e-5)
