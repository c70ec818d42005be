"""What can be computed with takes part in comparisons; what cannot is excluded, and takes no other run with it."""

from __future__ import annotations

import pytest
from wattmark.comparison.compare.compare import compare
from wattmark.comparison.memory.memory import memory_view

ODD = {
    "uncertainty beyond the figure": {"u": 1e16},
    "uncertainty beyond computing": {"u": 1e155},
    "no degrees of freedom": {"dof": -1.0},
    "hardly any degrees of freedom": {"dof": 1e-9},
}


def spoilt(result, change):
    scatter = result.power.scatter and result.power.scatter.model_copy(update=change)
    in_lines = change | ({"u_result": change["u"]} if "u" in change else {})
    update = {}
    for name in ("efficiency", "power", "throughput"):
        figure = getattr(result, name)
        budget = tuple(line.model_copy(update=in_lines) for line in figure.budget)
        spread = figure.scatter if name == "throughput" else scatter
        update[name] = figure.model_copy(update={"budget": budget, "scatter": spread})
    return result.model_copy(update=update)


@pytest.mark.parametrize("odd", ODD)
def test_a_run_lost_in_its_uncertainty_takes_no_other_configuration_with_it(measure, odd):
    runs = [measure(f"{dimms}-{k}", watts=240.0 + 3 * dimms + 0.2 * k, dimms=dimms) for dimms in (2, 4) for k in (1, 2)]
    whole = compare(runs[:2], "rsa", "all").groups[0]
    comparison = compare([*runs[:2], *(spoilt(run, ODD[odd]) for run in runs[2:])], "rsa", "all")
    groups = {group.dimm_count: group for group in comparison.groups}
    assert groups[2].efficiency == whole.efficiency
    assert set(groups) == {2, 4}


@pytest.mark.parametrize("watts", [1e155, 1e308, 5e-324, 0.0])
def test_figures_beyond_computing_are_not_compared(measure, watts):
    runs = [measure(str(dimms), watts=240.0 + 3 * dimms, dimms=dimms) for dimms in (2, 4, 8)]
    names = ("power", "efficiency", "throughput")
    odd = runs[2].model_copy(
        update={name: getattr(runs[2], name).model_copy(update={"value": watts}) for name in names}
    )
    groups = {group.dimm_count: group for group in compare([*runs[:2], odd], "rsa", "all").groups}
    assert (groups[8].efficiency, groups[8].power_w, groups[8].throughput) == (None, None, None)
    assert groups[2].efficiency is not None
    assert {2, 4} <= {point.count for point in memory_view([*runs[:2], odd], "s1", "rsa", "all").points}
