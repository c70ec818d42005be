"""Groups of repeats: every figure with its interval."""

from __future__ import annotations

import pytest
from wattmark.comparison.compare.compare import compare
from wattmark.comparison.compare.groups import inverse
from wattmark.comparison.compare.views import Interval95


def test_energy_per_operation_is_the_inverse_of_efficiency():
    interval = inverse(Interval95(value=25.0, low=24.0, high=26.0, u=0.5, dof=4))
    assert (interval.value, interval.low, interval.high) == (1 / 25, 1 / 26, 1 / 24)
    assert interval.u / interval.value == pytest.approx(0.5 / 25)


def test_a_group_states_an_interval_for_every_figure(measure):
    runs = [measure(str(k), watts=240.0 + 0.2 * k, dimms=2, repeat=k + 1) for k in range(3)]
    group = compare(runs, "rsa", "all").groups[0]
    for figure in (group.efficiency, group.power_w, group.throughput, group.energy_per_op):
        assert figure.low < figure.value < figure.high
    assert group.energy_per_op.value == pytest.approx(group.power_w.value / group.throughput.value, rel=1e-3)


def test_a_group_says_what_limits_its_mean(measure):
    """Class 1.5 % meter: its error is common to all repeats and dominates, whatever their number."""
    runs = [measure(str(k), watts=240.0 + 0.2 * k, dimms=2, repeat=k + 1) for k in range(3)]
    group = compare(runs, "rsa", "all").groups[0]
    first, *others = group.efficiency_budget
    assert first.name == "Specification of outlet"
    assert first.u_result == pytest.approx(sum(part.u_result for part in first.parts))
    assert any(line.kind == "repeats" and line.dof == 2 for line in others)
    assert sum(line.u_result**2 for line in group.efficiency_budget) ** 0.5 == pytest.approx(
        group.efficiency.u, rel=1e-6
    )
    assert group.efficiency_dominant.name == "Specification of outlet"
