"""The best power setting of a sweep, with what no test tells from it, and how often that holds what is true."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from wattmark.analysis.comparison.comparison import Observation, System, absolute, system
from wattmark.comparison.compare.best_setting import best_setting, with_best_settings
from wattmark.comparison.compare.compare_table import compare_table
from wattmark.comparison.compare.views import BestSetting, CompareGroup, CompareOut, GroupFacts
from wattmark.comparison.compare.yardstick import EFFICIENCY, Yardstick
from wattmark.comparison.comparisons import Comparisons
from wattmark.comparison.published.library import load_published
from wattmark.core.interval import Interval95
from wattmark.results.data_folder import open_storage
from wattmark.results.issued.evaluations import Evaluations
from wattmark.runs.power_settings import PowerSettings

from tests.marked_lab import FULL, PLAIN, WORKLOAD, store_marked_lab


def runs(*values: float) -> System:
    """Make a system of runs a minute apart, so that all systems are measured in turns."""
    return system([Observation(v, None, math.inf, {}, True, "m", made_s=60.0 * i) for i, v in enumerate(values)])


def group(of: System, kind: str = "measured", **settings: str) -> CompareGroup:
    name = "+".join(["two", *(f"{key}-{value}" for key, value in settings.items())])
    estimate = absolute(of)
    assert estimate is not None
    low, high = estimate.interval()
    figure = Interval95(value=of.value, low=low, high=high, u=of.value * estimate.u)
    return CompareGroup.model_validate(
        {
            **dict.fromkeys(("steady", "full_load", "power_w", "throughput"), None),
            "key": f"a/{name}",
            "title": name,
            "server": "a",
            "configuration": name,
            "dimm_count": 2,
            "kind": kind,
            "workload": "w",
            "level": "all",
            "runs": [],
            "n": of.log.n,
            "efficiency": figure,
            "efficiency_unit": "signs/J",
            "throughput_unit": "signs/s",
            "traceable": True,
            "source": "measured",
            "facts": GroupFacts(settings=settings, variant_of="two"),
        }
    )


def best(by_cap: dict[str, System], by: Yardstick = EFFICIENCY) -> BestSetting:
    groups = [group(of, power_cap_w=cap) for cap, of in by_cap.items()]
    systems = {of.key: by_cap[of.facts.settings["power_cap_w"]] for of in groups}
    found = best_setting(groups, systems, by, any_version=False)
    assert found is not None
    return found


def test_the_best_is_named_with_those_that_tie() -> None:
    found = best({"100": runs(50.0, 50.1, 49.9), "125": runs(57.0, 57.2, 56.8), "150": runs(56.9, 57.1, 56.7)})
    assert found.best == "a/two+power_cap_w-125"
    assert found.alike == ["a/two+power_cap_w-150"]
    assert found.untested == []
    assert not found.at_edge
    assert found.statement.startswith("Of 3 settings of two on a, power cap 125 W does the most work per joule: 57.0")
    assert found.statement.endswith("; not distinguishable from it: power cap 150 W.")


def test_its_interval_holds_for_all_settings_at_once() -> None:
    """Each of the three at 1 - 5 %/3: Student's factor of 2 degrees of freedom is 7.649 there (two-sided 98.333 %)."""
    values = (57.0, 57.2, 56.8)
    found = best({"100": runs(50.0, 50.1, 49.9), "125": runs(*values), "150": runs(51.0, 51.1, 50.9)})
    logs = np.log(values)
    half = 7.649 * logs.std(ddof=1) / math.sqrt(3)
    assert found.interval.low == pytest.approx(math.exp(logs.mean() - half), rel=1e-4)
    assert found.interval.high == pytest.approx(math.exp(logs.mean() + half), rel=1e-4)
    assert "each of the others that was tested is worse" in found.statement


def test_without_the_accuracy_of_the_meter_there_is_no_interval_but_a_best() -> None:
    def plug(*values: float) -> System:
        return system([Observation(v, None, math.inf, {}, False, "m", made_s=60.0 * i) for i, v in enumerate(values)])

    found = best({"100": plug(50.0, 50.1, 49.9), "125": plug(57.0, 57.2, 56.8)})
    assert (found.interval.low, found.interval.high) == (None, None)
    assert found.statement == (
        "Of 2 settings of two on a, power cap 125 W does the most work per joule; "
        "each of the others that was tested is worse."
    )


def test_settings_that_are_not_ranked_are_counted() -> None:
    by_cap = {"100": runs(50.0, 50.1, 49.9), "125": runs(57.0, 57.2, 56.8), "150": runs(60.0, 60.1, 59.9)}
    groups = [group(of, power_cap_w=cap) for cap, of in by_cap.items()]
    ranked = {of.key: by_cap[of.facts.settings["power_cap_w"]] for of in groups[:2]}
    chosen = best_setting(groups, ranked, EFFICIENCY, any_version=False)
    assert chosen is not None
    assert chosen.statement.startswith("Of 2 settings (1 more not ranked) of two on a, power cap 125 W")


def test_simulated_power_is_called_so() -> None:
    by_cap = {"100": runs(50.0, 50.1, 49.9), "125": runs(57.0, 57.2, 56.8)}
    groups = [group(of, "simulated", power_cap_w=cap) for cap, of in by_cap.items()]
    systems = dict(zip([of.key for of in groups], by_cap.values(), strict=True))
    found = best_setting(groups, systems, EFFICIENCY, any_version=False)
    assert found is not None
    assert found.simulated
    assert found.statement.startswith("Simulated power: of 2 settings of two on a, power cap 125 W does the most work")


def test_a_best_at_the_end_may_lie_beyond_it() -> None:
    found = best({"100": runs(57.0, 57.2, 56.8), "125": runs(52.0, 52.1, 51.9), "150": runs(50.0, 50.1, 49.9)})
    assert found.at_edge
    assert found.statement.endswith("It stands at the end of the sweep: the best may lie beyond it.")


def test_without_repeats_nothing_is_called_best_by_test() -> None:
    found = best({"100": runs(50.0, 50.1), "125": runs(57.0, 57.2)})
    assert found.untested == ["a/two+power_cap_w-100"]
    assert "but no difference can be tested" in found.statement


def test_a_single_run_is_not_called_the_best_before_settings_that_can_be_tested() -> None:
    found = best({"100": runs(60.0, 60.2), "125": runs(57.0, 57.2, 56.8), "150": runs(50.0, 50.1, 49.9)})
    assert found.best == "a/two+power_cap_w-125"
    assert found.untested == ["a/two+power_cap_w-100"]
    assert "power cap 125 W does the most work per joule of those that can be tested: 57.0" in found.statement
    assert "Not tested against it: power cap 100 W." in found.statement


def test_caps_stand_by_their_size_and_only_what_varies_is_named() -> None:
    low, high = runs(50.0, 50.1, 49.9), runs(57.0, 57.2, 56.8)
    groups = [group(low, turbo="off", power_cap_w="100"), group(high, turbo="off", power_cap_w="95")]
    compared = CompareOut.model_validate(
        {
            **dict.fromkeys(("workload", "level", "title", "efficiency_unit", "throughput_unit"), "w"),
            "direction": "higher",
            "baseline": None,
            "groups": groups,
            "pairs": [],
            "statement": "A sentence.",
        }
    )
    systems = {groups[0].key: low, groups[1].key: high}
    added = with_best_settings(compared, lambda _: systems, EFFICIENCY, any_version=False)
    (found,) = added.best_settings
    assert [point.title for point in found.points] == ["power cap 95 W", "power cap 100 W"]
    assert added.statement == f"A sentence. {found.statement}"
    assert with_best_settings(
        compared.model_copy(update={"groups": groups[:1]}), lambda _: systems, EFFICIENCY, any_version=False
    ) == compared.model_copy(update={"groups": groups[:1]})


def test_simulated_settings_are_no_repeats_of_measured_ones() -> None:
    of = runs(50.0, 50.1, 49.9)
    groups = [group(of, power_cap_w="100"), group(of, "simulated", power_cap_w="125")]
    compared = CompareOut.model_validate(
        {
            **dict.fromkeys(("workload", "level", "title", "efficiency_unit", "throughput_unit"), "w"),
            "direction": "higher",
            "baseline": None,
            "groups": groups,
            "pairs": [],
            "statement": "",
        }
    )
    assert with_best_settings(compared, lambda _: {}, EFFICIENCY, any_version=False).best_settings == []


def test_the_truth_lies_in_the_interval_and_the_true_best_among_the_named() -> None:
    """Eight caps of which two share the true best: chance picks one, and its mean is too good by selection.

    In at least 95 of 100 sweeps the interval must hold the true value of what was picked, and the best must be the
    picked one or one of those that tie with it. The interval of one setting alone holds it less often.
    """
    random = np.random.default_rng(1)
    truth = np.array([50.0, 52.0, 54.0, 55.0, 55.5, 55.5, 55.0, 54.0])
    sweeps, held, alone, named = 400, 0, 0, 0
    for _ in range(sweeps):
        values = truth[:, None] * np.exp(random.normal(0, 0.005, (len(truth), 5)))
        by_cap = {str(90 + 10 * i): runs(*row) for i, row in enumerate(values)}
        found = best(by_cap)
        cap = found.best.removeprefix("a/two+power_cap_w-")
        true = truth[list(by_cap).index(cap)]
        low, high = found.interval.low, found.interval.high
        assert low is not None
        assert high is not None
        held += low <= true <= high
        estimate = absolute(by_cap[cap])
        assert estimate is not None
        alone += estimate.interval()[0] <= true <= estimate.interval()[1]
        candidates = {found.best, *found.alike}
        named += {"a/two+power_cap_w-130", "a/two+power_cap_w-140"} <= candidates
    assert held / sweeps >= 0.95
    assert alone < held
    assert named / sweeps >= 0.95


def test_a_stored_sweep_is_in_the_comparison_and_in_its_table(tmp_path: Path) -> None:
    """The runs of three configurations of a stored lab, as if they were of one under three caps."""
    store_marked_lab(tmp_path)
    storage = open_storage(tmp_path)
    caps = {2: 100.0, 4: 125.0, 8: 150.0}
    for kept in storage.runs.all():
        if kept.server == PLAIN:
            settings = PowerSettings(power_cap_w=caps[kept.configuration_snapshot.dimm_count or 0])
            snapshot = kept.configuration_snapshot.changed(id="usual")
            disclosure = kept.disclosure.changed(settings=settings)
            storage.runs.put(kept.changed(configuration_snapshot=snapshot, disclosure=disclosure))
    compared = Comparisons(Evaluations(storage), load_published).compare(WORKLOAD, FULL, server=PLAIN)
    (found,) = compared.best_settings
    assert (found.server, found.configuration, found.settings) == (PLAIN, "usual", ["power_cap_w"])
    assert [point.title for point in found.points] == [f"power cap {watts:g} W" for watts in caps.values()]
    assert compared.statement.endswith(found.statement)
    assert found.statement.endswith("but no difference can be tested.")  # two repeats are too few
    table = compare_table(compared)
    column = [column.key for column in table.columns].index("settings")
    assert {row[column] for row in table.rows} >= {f"power cap {watts:g} W" for watts in caps.values()}
    storage.close()
