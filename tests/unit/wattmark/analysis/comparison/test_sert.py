"""SERT-style geometric means, worked by hand."""

import math

import pytest
from wattmark.analysis.comparison.sert import LoadInterval, geometric_mean, server_efficiency, worklet_efficiency
from wattmark.analysis.refusal import Refused


def worklet(efficiency):
    return {"worklet": [LoadInterval(efficiency * 100, 100)]}


def test_geometric_mean():
    assert geometric_mean([2, 8]) == pytest.approx(4)
    assert geometric_mean([1e25] * 20) == pytest.approx(1e25), "the product would leave floating point"


def test_interval_to_worklet():
    """(4/2) and (9/2): sqrt(2 x 4.5) = 3."""
    assert worklet_efficiency([LoadInterval(4, 2), LoadInterval(9, 2)]) == pytest.approx(3)


def test_weighted_overall():
    score = server_efficiency({"cpu": worklet(4.0), "memory": worklet(2.0), "storage": worklet(32.0)}, memory_gib=16)
    assert score.overall == pytest.approx(2 ** (0.65 * 2 + 0.30 + 0.05 * 5))
    assert score.memory_gib == 16


def test_worklets_weigh_alike_however_many_intervals():
    cpu = {"long": [LoadInterval(1, 1)] * 8, "short": [LoadInterval(16, 1)]}
    score = server_efficiency({"cpu": cpu, "memory": worklet(1.0), "storage": worklet(1.0)}, memory_gib=8)
    assert score.workloads["cpu"] == pytest.approx(4)
    assert score.worklets["cpu", "short"] == pytest.approx(16)


@pytest.mark.parametrize(
    ("workloads", "memory_gib", "reason"),
    [
        ({"cpu": worklet(1.0)}, 8, "workloads"),
        ({"cpu": worklet(1.0), "memory": {}, "storage": worklet(1.0)}, 8, "empty"),
        ({"cpu": worklet(1.0), "memory": {"w": []}, "storage": worklet(1.0)}, 8, "empty"),
        ({"cpu": worklet(1.0), "memory": worklet(0.0), "storage": worklet(1.0)}, 8, "zero"),
        ({"cpu": worklet(1.0), "memory": worklet(1.0), "storage": worklet(math.nan)}, 8, "not-finite"),
        ({"cpu": worklet(1.0), "memory": worklet(1.0), "storage": worklet(1.0)}, 0, "zero"),
    ],
)
def test_what_is_refused(workloads, memory_gib, reason):
    with pytest.raises(Refused) as refusal:
        server_efficiency(workloads, memory_gib)
    assert refusal.value.reason == reason


def test_weights_that_do_not_add_up():
    with pytest.raises(Refused) as refusal:
        server_efficiency({"cpu": worklet(1.0)}, 8, {"cpu": 0.5})
    assert refusal.value.reason == "weights"
