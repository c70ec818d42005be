"""MLPerf Power v1.0 logs (mlcommons/inference_results_v1.0): means, effective samples, steadiness."""

import re
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest
from wattmark.analysis.efficiency.run import RunInput, analyse_run
from wattmark.analysis.efficiency.window import Marks
from wattmark.analysis.energy.trace import Instrument, Trace
from wattmark.analysis.energy.type_a import autocorrelation_time
from wattmark_calibration import Specification

OWN = Path(__file__).parent / "mlperf_r7525/closed"
LOGS = Path(__file__).parents[4] / "../shared/data/mlperf-power-v1.0/closed"
others = pytest.mark.skipif(not LOGS.is_dir(), reason="../shared is not beside the checkout")
R7525 = "DellEMC/results/R7525_A100_PCIe-40GBx3_TRT/resnet50"
R282 = "Qualcomm/results/r282_z93_q5-qaic-v1.3.14-aic100/resnet50"
STATION = "NVIDIA/results/DGX-Station-A100_A100-SXM-80GBx4_TRT_MaxQ/resnet50"


def stamp_ns(text):
    return round(datetime.strptime(text, "%m-%d-%Y %H:%M:%S.%f").replace(tzinfo=UTC).timestamp() * 1000) * 1_000_000


def analyse(result, rule, stated=None):
    run = (OWN if (OWN / result).is_dir() else LOGS) / result / "performance/run_1"
    rows = [line.split(",") for line in (run / "spl.txt").read_text().splitlines()]
    detail = (run / "mlperf_log_detail.txt").read_text()
    begin, end = (
        stamp_ns(re.search(rf'"key": "{key}", "value": "([^"]+)"', detail)[1]) for key in ("power_begin", "power_end")
    )
    none = np.zeros(0, dtype=np.int64)
    watts = np.array([float(row[3]) for row in rows])
    specification = Specification(reading_pct=0.1, range_pct=0.1, source="made up for this test")
    instrument = Instrument("wt", specification=specification, range_w=3000.0, resolution=0.1, group="wt")
    trace = Trace(
        instrument=instrument,
        t_ns=np.array([stamp_ns(row[1]) for row in rows]),
        value=watts,
        usable=np.ones(len(rows), dtype=bool),
        u_t_s=np.full(len(rows), 0.0005),
    )
    marks = Marks(begin, end, none, none, np.zeros(0))
    return analyse_run(RunInput(marks, "samples", (trace,), stated_throughput=stated, rule=rule))


@pytest.mark.parametrize(
    ("result", "mean_w", "n", "n_eff", "se_w", "drift_w", "steady"),
    [
        (f"{R7525}/Offline", 1101.2828, 868, 526.3, 1.007, -1.364, True),
        pytest.param(f"{R7525}/Server", 1097.3772, 600, 413.1, 0.5173, 1.984, True, marks=others),
        pytest.param(f"{STATION}/Offline", 1268.9518, 678, 327.9, 2.1842, 2.999, True, marks=others),
        pytest.param(f"{R282}/offline", 561.9439, 660, 5.0, 11.8127, -53.267, False, marks=others),
        pytest.param(f"{R282}/server", 533.8120, 600, 7.1, 5.8445, 30.001, False, marks=others),
    ],
)
def test_published_figures(result, mean_w, n, n_eff, se_w, drift_w, steady):
    """published_vectors.json, mlperf_power_v1_0: window mean, n_eff, se of the effective sample, Theil-Sen drift."""
    analysis = analyse(result, "mlperf")
    power = analysis.power
    assert power.mean.value == pytest.approx(mean_w, abs=5e-5)
    assert power.samples == n
    inside = power.meters[0].trace.inside
    n_as_they_are = n / autocorrelation_time(power.meters[0].trace.value[inside])
    assert n_as_they_are == pytest.approx(n_eff, abs=0.05)
    assert power.scatter.sd / np.sqrt(n_as_they_are) == pytest.approx(se_w, abs=5e-4)
    drift = next(v.value for v in analysis.verdicts if v.rule == "drift")
    assert drift == pytest.approx(100 * drift_w / mean_w, abs=0.35 if not steady else 0.02)
    assert power.steady is steady


def test_r7525_offline_to_nine_digits():
    result = analyse(f"{R7525}/Offline", "mlperf", stated=93371.4)
    assert result.power.mean.value == pytest.approx(1101.2828341013824, rel=1e-9)
    assert result.work.efficiency.value == pytest.approx(93371.4 / 1101.2828341013824, rel=1e-9)
    assert result.work.efficiency.complete


def test_r7525_by_complete_rule_is_the_backward_hold():
    """method 1: backward hold 1101.532 W."""
    assert analyse(f"{R7525}/Offline", "complete").power.mean.value == pytest.approx(1101.532, abs=5e-4)


@others
def test_throttling_run_has_its_energy_and_no_full_load_power():
    result = analyse(f"{R282}/offline", "mlperf", stated=100077.0)
    assert result.power.mean.complete
    assert result.power.process is None
    failed = {v.rule for v in result.verdicts if v.outcome == "fail"}
    assert {"drift", "half-split", "block-scatter"} <= failed
    assert any("not steady" in note for note in result.notes)
