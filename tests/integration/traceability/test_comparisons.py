"""Gain cancels in a ratio only between runs of the same meter, range and certificate (method, rule 7)."""

from __future__ import annotations

import math

import pytest
from wattmark.comparison.compare.observation import shared

LOW_W, HIGH_W = 245.0, 300.0


def shared_u(lab, workload="rsa"):
    """Relative u that errors shared between runs leave in the ratio of the two configurations."""
    from wattmark.analysis.comparison.comparison import shared_difference, system
    from wattmark.comparison.compare.observation import power_observation

    observations = {result.configuration: power_observation(result) for result in lab.queries.results()}
    return shared_difference(system([observations["dimm-2"]]), system([observations["dimm-4"]]))


def calibration_u(result, group="CAL-1 v1"):
    """Relative u that the certificate gives one result."""
    lines = [line.u_result for line in result.power.budget if group in (line.correlation_group or "")]
    return math.sqrt(sum(u * u for u in lines)) / result.power.value


def test_the_same_certificate_cancels_but_for_offset_and_curvature(lab, vector):
    lab.add(vector.make())
    lab.measure("a", watts=LOW_W, dimms=2)
    lab.measure("b", watts=HIGH_W, dimms=4)
    a, b = lab.result("a"), lab.result("b")
    alone = math.hypot(calibration_u(a), calibration_u(b))
    assert shared_u(lab) < 0.25 * alone


def test_what_remains_is_that_of_the_fit_covariance(lab, vector):
    """Independent: u of c(P1)/P1 - c(P2)/P2 from the covariance of offset and gain that the method prints (6.2)."""
    lab.add(vector.make())
    lab.measure("a", watts=LOW_W, dimms=2)
    lab.measure("b", watts=HIGH_W, dimms=4)
    a, b = lab.result("a").power.value, lab.result("b").power.value
    u_offset, u_gain, r = 0.01943256, 0.00026118, -0.17689
    offset, gain = 1 / a - 1 / b, LOW_W / a - HIGH_W / b
    expected = math.sqrt((offset * u_offset) ** 2 + (gain * u_gain) ** 2 + 2 * r * offset * u_offset * gain * u_gain)
    calibration = {
        line.correlation_group for line in lab.result("a").power.budget if "CAL-1" in (line.correlation_group or "")
    }
    of_a, of_b = (shared(lab.result(run).power.budget) for run in ("a", "b"))
    left = [of_a[group] / a - of_b[group] / b for group in calibration]
    assert math.hypot(*left) == pytest.approx(expected, rel=1e-3)


def test_another_certificate_of_the_same_meter_does_not_cancel(lab, vector):
    """The same points under another id, a day of service later: another calibration, nothing cancels."""

    lab.add(vector.make())
    lab.add(vector.make_next(supersedes="CAL-1"))
    lab.measure("a", watts=LOW_W, dimms=2, day="2025-06-01")
    lab.measure("b", watts=HIGH_W, dimms=4, day="2025-10-01")
    a, b = lab.result("a"), lab.result("b")
    both = math.hypot(calibration_u(a, "CAL-1 v1"), calibration_u(b, "CAL-2 v1"))
    assert shared_u(lab) >= both


def test_another_version_of_the_certificate_does_not_cancel(lab, vector):
    lab.add(vector.make())
    lab.measure("a", watts=LOW_W, dimms=2)
    lab.calibration.issuer.first(lab.queries.record("a"))
    lab.add(vector.make(method="Comparison, corrected"), revise=True)
    lab.measure("b", watts=HIGH_W, dimms=4)
    both = math.hypot(calibration_u(lab.result("a"), "CAL-1 v1"), calibration_u(lab.result("b"), "CAL-1 v2"))
    assert shared_u(lab) >= both


def test_certificate_and_specification_do_not_cancel(lab, vector):
    lab.measure("a", watts=LOW_W, dimms=2)
    lab.add(vector.make())
    lab.measure("b", watts=HIGH_W, dimms=4)
    specification = next(
        line.u_result for line in lab.result("a").power.budget if line.name.startswith("Specification")
    )
    assert shared_u(lab) >= math.hypot(specification / LOW_W, calibration_u(lab.result("b")))
