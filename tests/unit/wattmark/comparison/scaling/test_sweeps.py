"""Sweeps with their marks, against curves whose peak and knee are plain to see."""

from __future__ import annotations

import pytest
from wattmark.comparison.scaling.sweeps import sweeps
from wattmark.results.result import BudgetedQuantity, Result
from wattmark.runs.record import RunStatus


def _result(configuration: str, count: int, rate: float, power_w: float = 200.0) -> Result:
    return Result(
        run_id=f"{configuration}-{count}",
        server="s",
        configuration=configuration,
        workload="db",
        level=f"{count} clients",
        repeat=1,
        status=RunStatus.COMPLETE,
        created="2026-01-01T00:00:00Z",
        unit="queries",
        throughput=BudgetedQuantity(value=rate, unit="queries/s", u=1.0, k95=2.0),
        power=BudgetedQuantity(value=power_w, unit="W", u=1.0, k95=2.0),
        efficiency=BudgetedQuantity(value=rate / power_w, unit="queries/J", u=0.01, k95=2.0),
        meter="wall",
        simulated=False,
        traceable=True,
        source="measured",
        steady=True,
        full_load=True,
    )


def test_peak_knee_and_the_mean_of_the_upper_levels() -> None:
    rising_to_8 = [_result("a", n, rate) for n, rate in ((1, 100), (2, 195), (4, 360), (8, 400), (16, 380))]
    (view,) = sweeps(rising_to_8, "db", from_level=5)
    assert view.throughput is not None
    assert (view.throughput.peak, view.throughput.peak_at_edge, view.throughput.knee) == (8, False, 4)
    assert view.throughput.saturation == 8
    assert view.scaling.mean_throughput.value == pytest.approx((400 + 380) / 2)


def test_a_curve_that_still_rises_has_its_peak_at_the_edge_and_no_knee() -> None:
    (view,) = sweeps([_result("a", n, 100.0 * n) for n in (1, 2, 4)], "db")
    assert view.throughput is not None
    assert view.throughput.peak_at_edge
    assert view.throughput.knee is None


def test_only_what_ran_at_two_levels_is_a_sweep() -> None:
    results = [_result("a", 1, 100), _result("b", 1, 100), _result("b", 2, 190)]
    assert [view.scaling.key for view in sweeps(results, "db")] == ["s/b"]
    assert sweeps(results, "other") == []


def test_each_version_of_the_load_program_is_a_sweep_of_its_own() -> None:
    old = [_result("a", n, 100.0 * n).model_copy(update={"program_version": "1.0"}) for n in (1, 2)]
    new = [_result("a", n, 900.0 * n).model_copy(update={"program_version": "2.0"}) for n in (1, 2)]
    first, second = sweeps([*old, *new], "db")
    assert [first.scaling.key, second.scaling.key] == ["s/a (program 1.0)", "s/a (program 2.0)"]
    rates = [level.throughput.value for level in second.scaling.levels if level.throughput]
    assert rates == pytest.approx([900, 1800])


def test_simulated_runs_of_a_measured_configuration_are_a_sweep_of_their_own() -> None:
    measured = [_result("a", n, 100.0 * n) for n in (1, 2)]
    simulated = [_result("a", n, 900.0 * n).model_copy(update={"simulated": True}) for n in (1, 2)]
    of_lab, of_model = sweeps([*measured, *simulated], "db")
    assert (of_lab.scaling.key, of_lab.scaling.simulated) == ("s/a", False)
    assert (of_model.scaling.key, of_model.scaling.simulated) == ("s/a (simulated)", True)
    rates = [level.throughput.value for level in of_lab.scaling.levels if level.throughput]
    assert rates == pytest.approx([100, 200])
    assert [view.scaling.key for view in sweeps(simulated, "db")] == ["s/a"]
