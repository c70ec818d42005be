"""Configurations over their loads: best level, knee, and who follows load best.

The table of the Xeon X5650 is that of Patterson and Hennessy, as published_vectors.json has it. Its knee by hand: work
per joule is 717.22 at 10 %, 2569.16 at 50 % and 3355.11 at 100 %, so that it exceeds the chord most at 50 %, by
1851.94/2637.89 - 40/90 = 0.258 (40 %: 0.230, 60 %: 0.241).
"""

import pytest
from wattmark.comparison.scaling.load_curves import load_curves
from wattmark.comparison.scaling.load_levels import load_levels_view

from ...pairs import pair

OPS = (865618, 786688, 698051, 607826, 521391, 436757, 345919, 262071, 176061, 86784)
WATTS = (258, 242, 224, 204, 185, 170, 157, 146, 135, 121)
IDLE_W = 80.0


def x5650(configuration="c", factor=1.0, idle_w=IDLE_W, **changes):
    """Make the runs of the published table, of a server whose watts are this many times as many."""
    pairs = [
        pair(configuration, ops, factor * watts, workload="ssj", level=f"{100 - 10 * place} %")
        for place, (ops, watts) in enumerate(zip(OPS, WATTS, strict=True))
    ]
    pairs.append(pair(configuration, None, factor * idle_w, workload="ssj", level="active idle"))
    return [(run, result.model_copy(update=changes)) for run, result in pairs]


def test_a_published_table_has_its_best_level_and_its_knee():
    (curve,) = load_curves(x5650(), "ssj").curves
    assert curve.best.load_pct == 100
    assert curve.best.ops_per_joule.value == pytest.approx(3355.1085, abs=5e-5)
    assert curve.knee_pct == 50
    assert curve.energy_proportionality.value == pytest.approx(0.641085, abs=5e-7)
    assert "Most work per joule at 100 % load: " in curve.statement
    assert "bends most at 50 % load" in curve.statement


def test_single_runs_of_levels_are_not_tested_against_each_other():
    (curve,) = load_curves(x5650(), "ssj").curves
    assert (curve.best.alike_pct, len(curve.best.untested_pct)) == ([], 9)


@pytest.fixture
def repeats(measure, record):
    """Make three runs at each of three levels in turns; work per joule scatters by 0.5 % from run to run."""

    def make(work):
        pairs = []
        for repeat, scatter in enumerate((0.995, 1.0, 1.005), 1):
            for place, (level, per_joule) in enumerate(work.items()):
                created_ns = 1_700_000_000_000_000_000 + (3 * repeat + place) * 600 * 10**9
                changes = {"level": level, "repeat": repeat, "created_ns": created_ns}
                run_id = f"{level[:-2]}-{repeat}"
                amount = 200.0 * per_joule * (scatter if place != 1 else 2 - scatter)
                result = measure(run_id, watts=200.0, work=amount, **changes)
                pairs.append((record(run_id, work=amount, **changes), result))
        return pairs

    return make


def test_levels_that_no_test_tells_from_the_best_are_named(repeats):
    """0.2 % apart with 0.5 % scatter is a tie by Welch's test; half as much is not (t = 140 and more)."""
    (curve,) = load_curves(repeats({"100 %": 10.0, "80 %": 10.02, "20 %": 5.0}), "rsa").curves
    assert (curve.best.load_pct, curve.best.alike_pct, curve.best.untested_pct) == (80, [100], [])
    assert "not distinguishable from it: 100 %" in curve.statement


def test_the_configuration_whose_power_follows_load_best_comes_first_in_the_statement():
    """Half of the idle power: the first trapezoid shrinks by 0.05 x 40/258, so that EP rises by 0.0155."""
    out = load_curves([*x5650("a"), *x5650("b", idle_w=40.0)], "ssj")
    a, b = (curve.energy_proportionality.value for curve in out.curves)
    assert b - a == pytest.approx(2 * 0.05 * 40 / 258)
    assert out.statement.startswith("Power follows load best: b, energy proportionality 0.65")
    assert "Most work per joule: a at 100 % load" in out.statement


def test_simulated_runs_are_a_curve_of_their_own():
    both = [*x5650(factor=2.0), *x5650(simulated=True)]
    measured, simulated = load_curves(both, "ssj").curves
    assert (measured.key, measured.kind, measured.rows[0].power_w.value) == ("s/c", "measured", pytest.approx(516))
    assert (simulated.key, simulated.kind) == ("s/c (simulated)", "simulated")
    assert simulated.rows[0].power_w.value == pytest.approx(258)
    assert load_levels_view(both, "s/c", "ssj").rows == measured.rows
    assert load_levels_view(both, "s/c (simulated)", "ssj").rows == simulated.rows
    assert "Simulated: Power over load: " in load_curves(both, "ssj").statement


def test_one_level_is_no_curve_and_levels_without_power_are_named():
    one = [pair("c", 100.0, 200.0, level="100 %"), pair("c", None, 80.0, level="active idle")]
    assert load_curves(one, "mysql").curves == []
    lost = [pair("d", 100.0, None, level=level) for level in ("100 %", "50 %")]
    out = load_curves(lost, "mysql")
    assert out.curves == []
    assert any(reason.startswith("s/d, mysql, 100 %: 1 of 1 runs excluded") for reason in out.excluded)


def test_levels_that_count_are_said_to_be_shares_of_the_highest_throughput():
    counted = [pair("c", 100.0 * n, 100.0 + 25 * n, level=f"{n} clients") for n in (1, 2, 4)]
    out = load_curves(counted, "mysql")
    assert out.counted
    assert [row.load_pct for row in out.curves[0].rows] == pytest.approx([100, 50, 25])
    assert " at 4 clients, " in out.statement
    assert not load_curves(x5650(), "ssj").counted


def test_every_figure_has_its_formula_and_its_source():
    methods = {of.name: of for of in load_curves(x5650(), "ssj").methods}
    assert {"energy proportionality", "knee", "best level", "idle share"} <= methods.keys()
    assert "2 - A/0.5" in methods["energy proportionality"].formula
    assert all(of.source for of in methods.values())
