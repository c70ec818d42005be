"""EE HPC level 3 on real energy counters: RWTH CLAIX-2023, as EEHPCWG/PowerMeasurementMethodology publishes it.

data/example-rwth-claix-2023 of that repository: gpu/pdus.parquet and cpu/{pdus,powermeter}.parquet, sums over all
counters [Wh] around the core phase (summary.py doubles two counters of the GPU run), results in summary.txt.
"""

from dataclasses import replace

import numpy as np
import pytest
from wattmark.analysis.efficiency.window import EEHPC_L3
from wattmark.analysis.energy.meter_power import meter_power
from wattmark.analysis.energy.power import analyse_power
from wattmark.analysis.refusal import Refused
from wattmark.analysis.verdict import Limits

GPU_CORE_S, GPU_GFLOPS = 256.0, 5_238_000.0
GPU_WH = [
    0.0,
    246.0,
    466.0,
    706.0,
    943.0,
    1184.0,
    1405.0,
    1655.0,
    1882.0,
    2131.0,
    2362.0,
    2599.0,
    2842.2,
    3078.2,
    3301.2,
    3544.4,
    3773.4,
    4023.4,
    4252.4,
    4483.4,
    4726.4,
    4963.4,
    5205.4,
    5435.4,
    5665.4,
    5915.4,
    6147.4,
    6386.4,
    6621.4,
    6839.4,
    7076.4,
    7311.4,
    7529.4,
    7751.4,
    7971.4,
    8192.4,
    8393.6,
    8598.6,
    8811.6,
    9014.6,
    9222.6,
    9409.6,
    9602.6,
    9787.6,
    9969.6,
    10151.6,
    10327.6,
    10492.6,
    10658.6,
    10810.6,
    10956.6,
    11093.6,
    11226.6,
    11343.6,
]
"""Every 5 s, the first 6 s before the core phase begins."""
CPU_CORE_S, CPU_GFLOPS = 16324.0, 3_133_420.0
CPU_PDUS = {
    -4.0: 1058768838.6, 1.0: 1058769628.6, 6.0: 1058770553.6,
    16316.0: 1061825980.1, 16321.0: 1061826888.1, 16326.0: 1061827772.1,
}  # fmt: skip
CPU_POWERMETER = {
    -0.87127018: 55001.0, 0.12872982: 55001.0, 1.127729893: 55001.0,
    16322.04773: 64296.0, 16323.04773: 64296.0, 16324.04773: 64297.0,
}  # fmt: skip


@pytest.fixture
def counter(make_trace):
    def make(t_s, wh, **changes):
        return make_trace(t_s, wh, kind="counter", unit="Wh", **{"resolution": 0.1, "period_s": 5.0} | changes)

    return make


def test_gpu_example(counter, make_window):
    """154952.640 W over the 250 s between the readings at 4 s and 254 s: 33.804 GFLOPS/W, not 33.913."""
    trace = counter(np.arange(len(GPU_WH)) * 5.0 - 6.0, GPU_WH)
    power = analyse_power([trace], make_window(GPU_CORE_S, EEHPC_L3), Limits())
    assert power.mean.value == pytest.approx(154952.640, abs=5e-4)
    assert GPU_GFLOPS / power.mean.value == pytest.approx(33.804, abs=5e-4)
    assert power.energy_j == pytest.approx(154952.640 * GPU_CORE_S, rel=1e-8)


def test_interpolation_at_the_marks_gives_another_figure(counter, make_window):
    trace = counter(np.arange(len(GPU_WH)) * 5.0 - 6.0, GPU_WH)
    rule = replace(EEHPC_L3, readings_inside=False)
    power = analyse_power([trace], make_window(GPU_CORE_S, rule), Limits())
    assert GPU_GFLOPS / power.mean.value == pytest.approx(33.913, abs=5e-4)


def test_cpu_example(counter, make_window):
    """Counters of two kinds, each between its own readings: 676445.479 W together, 4.632 GFLOPS/W."""
    window = make_window(CPU_CORE_S, EEHPC_L3)
    traces = [counter(list(r), list(r.values())) for r in (CPU_PDUS, CPU_POWERMETER)]
    total_w = sum(meter_power(trace, window, Limits()).power_w for trace in traces)
    assert total_w == pytest.approx(676445.479, abs=1e-3)
    assert CPU_GFLOPS / total_w == pytest.approx(4.632, abs=5e-4)


def test_a_register_beside_power_is_read_inside_too(counter, make_trace, make_window):
    """300 W up to the last reading, at 58 s of 60, then 900 W: 300 W between the readings, 320 W over the marks."""
    t_s = np.arange(-2.0, 70.0, 10.0)
    joule = np.where(t_s <= 58, 300 * (t_s + 2), 300 * 60 + 900 * (t_s - 58))
    watts_t = np.arange(-5.0, 65.0)
    trace = make_trace(watts_t, np.where(watts_t <= 58, 300.0, 900.0), resolution=0.1)
    trace = replace(trace, register=counter(t_s, joule / 3600, resolution=0.001))
    reading = meter_power(trace, make_window(60.0, EEHPC_L3), Limits()).register
    assert reading.energy_j / 60 == pytest.approx(300.0)


def test_averages_count_from_the_end_of_the_first_one(make_trace, make_window):
    """An average that began before the core phase is excluded: idle before the mark must not come in."""
    t_s = np.arange(-9.5, 90.0, 10.0)
    trace = make_trace(t_s, np.where(t_s < 5, 100.0, 300.0), period_s=10.0)
    assert meter_power(trace, make_window(80.0, EEHPC_L3), Limits()).power_w == pytest.approx(300.0)


def test_one_reading_inside_is_not_enough(counter, make_window):
    trace = counter([-50.0, 30.0, 110.0], [0.0, 10.0, 20.0])
    with pytest.raises(Refused, match="two readings"):
        meter_power(trace, make_window(60.0, EEHPC_L3), Limits())
