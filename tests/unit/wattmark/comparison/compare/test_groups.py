"""Groups of repeats: every figure with its interval."""

from __future__ import annotations

import pytest
from wattmark.comparison.compare.compare import compare
from wattmark.comparison.compare.groups import build_group, inverse
from wattmark.core.interval import Interval95

from ...pairs import pair


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


def test_versions_of_the_load_program_are_in_every_sentence_that_compares() -> None:
    """7-Zip 16.02 and 23.01 rate one machine 1 : 1.5."""
    runs = [
        pair(name, 100000.0 * factor * (1 + k / 1000), 200.0, repeat=k)[1].model_copy(
            update={"program_version": f"7-Zip {version}"}
        )
        for name, factor, version in (("old", 1.0, "16.02"), ("new", 1.5, "23.01"))
        for k in range(1, 4)
    ]
    compared = compare(runs, "mysql", "20 users")
    words = "the load program differs (7-Zip 23.01 against 7-Zip 16.02), which may be all of the difference"
    assert any(words in each.verdict or "7-Zip 16.02 against 7-Zip 23.01" in each.verdict for each in compared.pairs)
    assert "not the same in all configurations: 7-Zip 16.02, 7-Zip 23.01." in compared.statement
    same = [run.model_copy(update={"program_version": "7-Zip 23.01"}) for run in runs]
    alike = compare(same, "mysql", "20 users")
    assert "load program" not in alike.statement + alike.pairs[0].verdict
    unknown = compare([run.model_copy(update={"program_version": ""}) for run in runs], "mysql", "20 users")
    assert "load program" not in unknown.statement + unknown.pairs[0].verdict


def test_different_versions_of_the_load_program_are_ranked_by_choice_only() -> None:
    """Two of one version are ranked; where the third would stand among them is open."""
    runs = [
        pair(name, 100000.0 * factor * (1 + k / 1000), 200.0, repeat=k)[1].model_copy(
            update={"program_version": f"7-Zip {version}"}
        )
        for name, factor, version in (("a", 1.0, "16.02"), ("b", 1.2, "16.02"), ("c", 1.5, "23.01"))
        for k in range(1, 4)
    ]
    compared = compare(runs, "mysql", "20 users")
    ranks = {group.configuration: (group.rank_low, group.rank_high) for group in compared.groups}
    assert ranks == {"a": (2, 3), "b": (1, 2), "c": (None, None)}
    apart = next(pair for pair in compared.pairs if pair.key == "s/c")
    assert (apart.significant, apart.p_adjusted, apart.equivalent) == (None, None, None)
    assert "not called significant: the load program differs (7-Zip 23.01 against 7-Zip 16.02)" in apart.verdict
    assert "different versions are not ranked against each other" in compared.statement
    chosen = compare(runs, "mysql", "20 users", any_version=True)
    ranks = {group.configuration: (group.rank_low, group.rank_high) for group in chosen.groups}
    assert ranks == {"a": (3, 3), "b": (2, 2), "c": (1, 1)}
    assert all(pair.significant for pair in chosen.pairs)
    assert any("the load program differs (7-Zip 16.02 against 7-Zip 23.01)" in pair.verdict for pair in chosen.pairs)


def test_a_repeat_that_is_an_outlier_and_repeats_of_two_versions_are_named() -> None:
    rates = (5300.0, 10010.0, 10030.0)
    runs = [pair("db", rate, 200.0, repeat=k)[1] for k, rate in enumerate(rates, start=1)]
    runs[1] = runs[1].model_copy(update={"program_version": "2.0"})
    runs[2] = runs[2].model_copy(update={"program_version": "1.9"})
    remarks = build_group(runs).view.remarks
    assert any(remark.startswith("Run db-mysql-20 users-1 lies 47 % below the other 2 by ") for remark in remarks)
    assert "Repeats of different versions of the load program: 1.9, 2.0." in remarks
