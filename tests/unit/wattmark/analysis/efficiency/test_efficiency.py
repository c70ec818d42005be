"""Work per joule with covariance from paired spans."""

import math

import numpy as np
import pytest
from wattmark.analysis.efficiency.efficiency import (
    JOINT_SCATTER,
    efficiency,
    efficiency_of_operations,
    efficiency_term,
    energy_per_operation,
    rate_scatter,
    rate_term,
)
from wattmark.analysis.energy.piecewise import PiecewisePower
from wattmark.analysis.refusal import Refused
from wattmark_calibration import Contribution, UncertainValue

RATE = UncertainValue(8000.0, "signs/s", (Contribution("Counting whole operations", 2.0, "B"),))
OWN = Contribution("Scatter of power within the run", 1.0, "A", 99, kind="scatter")
POWER = UncertainValue(
    250.0, "W", (Contribution("Sampling", 1.0, "A", 99), Contribution("Specification", 2.0, "B", correlation_group="m"))
)


def steps(values):
    t = np.arange(len(values) + 1.0)
    return PiecewisePower(t, values, values, np.ones(len(values), dtype=bool))


def test_quotient_and_its_uncertainty():
    quotient = efficiency(RATE, POWER, "signs")
    assert (quotient.value, quotient.unit) == (32.0, "signs/J")
    assert quotient.u / quotient.value == pytest.approx(math.sqrt((2 / 8000) ** 2 + (1 / 250) ** 2 + (2 / 250) ** 2))
    assert {c.correlation_group for c in quotient.contributions} == {None, "m"}
    assert quotient.u / quotient.value >= max(RATE.u / RATE.value, POWER.u / POWER.value), "no surer than its parts"


def test_incomplete_power_makes_incomplete_efficiency():
    power = UncertainValue(250.0, "W", POWER.contributions, complete=False)
    assert not efficiency(RATE, power, "signs").complete


def test_energy_per_operation_keeps_relative_uncertainty():
    quotient = efficiency(RATE, POWER, "signs")
    inverse = energy_per_operation(quotient, "sign")
    assert inverse.value == pytest.approx(1 / 32)
    assert inverse.u / inverse.value == pytest.approx(quotient.u / quotient.value)


def test_energy_per_stream():
    """50 000 streams in 600 s at 250 W: 3 J each."""
    quotient = efficiency_of_operations(50_000, POWER, 600.0, "samples")
    assert energy_per_operation(quotient, "sample").value == pytest.approx(3.0)


@pytest.mark.parametrize("operations", [0.0, -1.0, math.nan])
def test_no_operations(operations):
    with pytest.raises(Refused):
        efficiency_of_operations(operations, POWER, 600.0, "samples")


@pytest.mark.parametrize(("sign", "expected"), [(1, 1), (-1, -1)])
def test_correlation_of_rate_and_power(make_marks, make_window, sign, expected):
    """Throttling: rate and power fall together (r > 0); the ratio is then better known."""
    rng = np.random.default_rng(3)
    swing = np.repeat(rng.normal(0, 1, 50), 2)
    marks = make_marks(0, 100, [(i, i + 1, 8000 + sign * 40 * swing[i]) for i in range(100)])
    paired = rate_scatter(marks, make_window(100), [steps(250 + swing)], 1.0)
    assert paired.rate.n == 50
    assert paired.r == pytest.approx(expected, abs=1e-9)
    joint = efficiency_term(RATE, POWER, OWN, paired)
    alone = math.hypot(paired.rate.u / 8000, 1 / 250) * 32
    assert (joint.u < alone) == (sign > 0)


def test_few_spans_give_scatter_without_correlation(make_marks, make_window):
    """Three slices of 30 s: s/sqrt(3) with two degrees of freedom; r cannot be told."""
    marks = make_marks(0, 90, [(0, 30, 30 * 990), (30, 60, 30 * 1000), (60, 90, 30 * 1040)])
    scatter = rate_scatter(marks, make_window(90), [steps(np.full(90, 250.0))], 1.0)
    assert scatter.r is None
    assert scatter.rate.u >= np.std([990, 1000, 1040], ddof=1) / math.sqrt(3) * (1 - 1e-9)
    rate = UncertainValue(1010.0, "signs/s")
    joint = efficiency_term(rate, POWER, OWN, scatter)
    assert (joint.name, joint.note) == (JOINT_SCATTER, "r not known, 3 spans")
    assert joint.u / (1010 / 250) == pytest.approx(math.hypot(scatter.rate.u / 1010, 1 / 250))
    assert rate_term(scatter).u == pytest.approx(scatter.rate.u)


@pytest.mark.parametrize(
    "intervals",
    [
        [(0, 50, 1), (50, 100, 1)],
        [(i, i + 2, 5) for i in range(90)],
        [(i, i + 1, 5) for i in range(5)],
    ],
    ids=["few", "overlapping", "few after joining"],
)
def test_no_spans(make_marks, make_window, intervals):
    scatter = rate_scatter(make_marks(0, 100, intervals), make_window(100), [steps(np.full(100, 250.0))], 1.0)
    assert scatter is None
    assert rate_term(scatter) is None


def test_constant_rate_adds_nothing(make_marks, make_window):
    marks = make_marks(0, 100, [(i, i + 1, 8000) for i in range(100)])
    power = steps(250 + np.random.default_rng(1).normal(size=100))
    scatter = rate_scatter(marks, make_window(100), [power], 1.0)
    assert (scatter.r, scatter.rate.u) == (0.0, 0.0)
    assert rate_term(scatter) is None
    assert efficiency_term(RATE, POWER, OWN, scatter).u_result == pytest.approx(8000 / 250 * OWN.u / 250)
