"""Sweeps with their marks, against curves whose peak and knee are plain to see."""

from __future__ import annotations

import pytest
from wattmark.appliance.sweeps import sweeps
from wattmark.runs.record import RunStatus
from wattmark.runs.result import Result


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
        throughput=rate,
        throughput_u=1.0,
        throughput_U95=2.0,
        throughput_unit="queries/s",
        power_w=power_w,
        power_u_w=1.0,
        power_U95_w=2.0,
        efficiency=rate / power_w,
        efficiency_u=0.01,
        efficiency_U95=0.02,
        efficiency_unit="queries/J",
        meter="wall",
        simulated=False,
        traceable=True,
        source="measured",
        steady=True,
        full_load=True,
    )


def test_peak_knee_and_the_mean_of_the_upper_levels() -> None:
    rising_to_8 = [_result("a", n, rate) for n, rate in ((1, 100), (2, 195), (4, 360), (8, 400), (16, 380))]
    (found,) = sweeps(rising_to_8, "db", from_level=5)
    assert found.throughput is not None
    assert (found.throughput.peak, found.throughput.peak_at_edge, found.throughput.knee) == (8, False, 4)
    assert found.throughput.saturation == 8
    assert found.scaling.mean_throughput == pytest.approx((400 + 380) / 2)


def test_a_curve_that_still_rises_has_its_peak_at_the_edge_and_no_knee() -> None:
    (found,) = sweeps([_result("a", n, 100.0 * n) for n in (1, 2, 4)], "db")
    assert found.throughput is not None
    assert found.throughput.peak_at_edge
    assert found.throughput.knee is None


def test_only_what_ran_at_two_levels_is_a_sweep() -> None:
    results = [_result("a", 1, 100), _result("b", 1, 100), _result("b", 2, 190)]
    assert [found.scaling.key for found in sweeps(results, "db")] == ["s/b"]
    assert sweeps(results, "other") == []
