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


def test_levels_are_judged_by_what_a_user_gets_for_the_energy() -> None:
    """At 4 requests 40 tokens/s each for 2 J, at 8 30 for 1 J, at 16 20 for 4 J: the last is beaten by both."""
    waits_s = {4: 1 / 40, 8: 1 / 30, 16: 1 / 20}
    rates = {4: 100.0, 8: 200.0, 16: 50.0}
    plain = [
        _result("a", n, rate * factor).changed(run_id=f"{n} {factor}", repeat=number)
        for n, rate in rates.items()
        for number, factor in enumerate((0.995, 1.0, 1.005), start=1)
    ]
    results = [
        result.changed(response_times_s={"per output token median": waits_s[int(result.level.split()[0])]})
        for result in plain
    ]
    (view,) = sweeps(results, "db")
    assert [(point.count, point.rate, point.energy.value, point.standing) for point in view.users] == [
        (4, pytest.approx(40), pytest.approx(2, rel=1e-3), "front"),
        (8, pytest.approx(30), pytest.approx(1, rel=1e-3), "front"),
        (16, pytest.approx(20), pytest.approx(4, rel=1e-3), "beaten"),
    ]
    assert [level.user_rate for level in view.scaling.levels] == [pytest.approx(rate) for rate in (40, 30, 20)]
    (without,) = sweeps(plain, "db")
    assert without.users == []
