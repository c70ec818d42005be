"""Configurations by workloads: ratios that are known from the watts put in, and their geometric mean."""

import math

import pytest
from wattmark.comparison.factors.matrix import matrix
from wattmark.core.errors import InputError
from wattmark.runs.record import RunStatus

WATTS = {("fbdimm-2", "rsa"): 240.0, ("fbdimm-8", "rsa"): 264.0, ("fbdimm-2", "zip"): 250.0, ("fbdimm-8", "zip"): 200.0}


@pytest.fixture
def ran(measure, record):
    """Three repeats of two configurations under two workloads; at equal work the ratios are 240/264 and 250/200."""
    pairs = []
    for (configuration, workload), watts in WATTS.items():
        for k in range(3):
            changes = {"dimms": int(configuration[-1]), "workload": workload, "repeat": k + 1}
            run_id = f"{configuration}-{workload}-{k}"
            result = measure(run_id, watts=watts + 0.1 * k, **changes)
            pairs.append((record(run_id, **changes), result))
    return pairs


def test_cells_are_ratios_and_the_last_column_their_geometric_mean(ran):
    out = matrix(ran, ["s1/fbdimm-8", "s1/fbdimm-2"], "s1/fbdimm-2")
    assert [(c.workload, c.level, c.n) for c in out.columns] == [("rsa", "all", 2), ("zip", "all", 2)]
    other, base = out.rows
    assert [cell.ratio.value for cell in other.cells] == pytest.approx([240 / 264, 250 / 200], rel=2e-3)
    assert [cell.significant for cell in other.cells] == [True, True]
    assert all(cell.ratio.low < cell.ratio.value < cell.ratio.high for cell in other.cells)
    assert other.mean.ratio.value == pytest.approx(math.sqrt(240 / 264 * 250 / 200), rel=2e-3)
    assert other.mean.ratio.low < other.mean.ratio.value < other.mean.ratio.high
    assert other.mean.workloads == 2
    assert [cell.ratio.value for cell in base.cells] == [1.0, 1.0]
    assert [cell.significant for cell in base.cells] == [None, None]
    assert base.mean.ratio.value == 1.0


def test_equal_configurations_are_no_difference(measure, record):
    pairs = [
        (record(f"{d}-{k}", dimms=d), measure(f"{d}-{k}", watts=250.0 + 0.1 * k, dimms=d))
        for d in (2, 8)
        for k in range(3)
    ]
    out = matrix(pairs, ["s1/fbdimm-8"], "s1/fbdimm-2")
    assert out.rows[0].cells[0].significant is False
    assert out.rows[0].mean is None, "a mean of one workload is none"


def test_what_did_not_run_is_empty_and_what_is_not_ranked_says_why(ran, measure, record):
    failed = {"dimms": 4, "status": RunStatus.FAILED, "reason": "openssl ended with 1."}
    alone = {"dimms": 5, "workload": "zip"}
    more = [(record("x", **failed), measure("x", **failed)), (record("y", **alone), measure("y", watts=225.0, **alone))]
    out = matrix([*ran, *more], ["s1/fbdimm-4", "s1/fbdimm-5"], "s1/fbdimm-2")
    barred, partly = out.rows
    assert [cell and cell.remark for cell in barred.cells] == ["Not ranked: failed.", None]
    assert barred.cells[0].value is None
    assert partly.cells[0] is None
    assert partly.cells[1].ratio.value == pytest.approx(250 / 225, rel=2e-3)
    assert partly.cells[1].significant is None
    assert "single run" in partly.cells[1].remark


def test_a_workload_stands_at_the_level_that_most_ran(ran, measure, record):
    half = {"dimms": 2, "level": "half"}
    out = matrix([*ran, (record("h", **half), measure("h", **half))], ["s1/fbdimm-2"], "s1/fbdimm-2")
    assert [column.level for column in out.columns] == ["all", "all"]


def test_a_baseline_without_runs_is_refused(ran):
    with pytest.raises(InputError):
        matrix(ran, ["s1/fbdimm-2"], "s9/x")
