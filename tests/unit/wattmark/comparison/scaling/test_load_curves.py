"""Configurations over their loads: best level, knee, and who follows load best.

The table of the Xeon X5650 is that of Patterson and Hennessy, as published_vectors.json has it. Its knee by hand: work
per joule is 717.22 at 10 %, 2569.16 at 50 % and 3355.11 at 100 %, so that it exceeds the chord most at 50 %, by
1851.94/2637.89 - 40/90 = 0.258 (40 %: 0.230, 60 %: 0.241).
"""

import pytest
from wattmark.comparison.scaling.load_curves import load_curves
from wattmark.comparison.scaling.load_levels import load_levels_view
from wattmark.core.errors import InputError

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
    ids = [f"{run.run_id} x {factor}" for run, _ in pairs]
    return [
        (run.model_copy(update={"run_id": run_id}), result.model_copy(update={"run_id": run_id, **changes}))
        for run_id, (run, result) in zip(ids, pairs, strict=True)
    ]


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
    assert "; not tested against any other load (a test needs 3 runs of each, in turns)." in curve.statement


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
    assert "not tested" not in curve.statement


def test_a_level_that_ran_once_is_said_not_to_be_tested(repeats):
    pairs = [of for of in repeats({"100 %": 10.0, "80 %": 9.0, "20 %": 5.0}) if of[0].run_id not in ("80-2", "80-3")]
    (curve,) = load_curves(pairs, "rsa").curves
    assert (curve.best.load_pct, curve.best.alike_pct, curve.best.untested_pct) == (100, [], [80])
    assert "; not tested against 80 % load (a test needs 3 runs of each, in turns)." in curve.statement


def test_the_configuration_whose_power_follows_load_best_comes_first_in_the_statement():
    """Half of the idle power: the first trapezoid shrinks by 0.05 x 40/258, so that EP rises by 0.0155."""
    out = load_curves([*x5650("a"), *x5650("b", idle_w=40.0)], "ssj")
    a, b = (curve.energy_proportionality.value for curve in out.curves)
    assert b - a == pytest.approx(2 * 0.05 * 40 / 258)
    assert out.statement.startswith("Power follows load best: b, energy proportionality 0.65")
    assert "Most work per joule: a at 100 % load" in out.statement


def test_proportionality_is_compared_at_the_same_loads_only():
    """Without its levels of 20 to 90 % the curve of b is the line from idle: EP is 1 - 80/258 = 0.690, above a's 0.641.

    That is due to the loads alone.
    """
    ends = [of for of in x5650("b") if of[1].level in ("100 %", "active idle")]
    coarse = [*ends, *(of for of in x5650("b") if of[1].level == "10 %")]
    out = load_curves([*x5650("a"), *x5650("c", idle_w=90.0), *coarse], "ssj")
    assert out.statement.startswith("Power follows load best: a, energy proportionality 0.641")
    assert "; not compared, as measured at other loads: b." in out.statement
    apart = load_curves([*x5650("a"), *coarse], "ssj")
    assert "Energy proportionality is not compared: each configuration was measured at loads" in apart.statement


def of_program(pairs, version):
    return [(run, result.model_copy(update={"program_version": version})) for run, result in pairs]


def test_work_per_joule_of_other_programs_and_units_is_not_compared():
    old = [*of_program(x5650("a"), "1.0"), *of_program(x5650("b", factor=2.0), "1.0")]
    new = of_program(x5650("c", factor=0.5), "2.0")
    statement = load_curves([*old, *new], "ssj").statement
    assert "Most work per joule: a at 100 % load" in statement
    assert "; not compared, as of another unit of work or load program: c (program 2.0)." in statement
    keys = [(run, result.model_copy(update=in_keys(result))) for run, result in x5650("d", factor=0.5)]
    out = load_curves([*x5650("a"), *x5650("b", factor=2.0), *keys], "ssj")
    assert {curve.efficiency_unit for curve in out.curves} == {"queries/J", "keys/J"}
    assert "Most work per joule: a at 100 % load" in out.statement
    assert "load program: d." in out.statement


def in_keys(result):
    """Return the changes of a result that counts keys instead of queries."""
    if result.throughput is None:
        return {"unit": "keys"}
    return {
        "unit": "keys",
        "throughput": result.throughput.model_copy(update={"unit": "keys/s"}),
        "efficiency": result.efficiency.model_copy(update={"unit": "keys/J"}),
    }


def test_no_curve_mixes_versions_of_the_load_program_or_units_of_work():
    """Idle runs, which have no program, are in both curves."""
    loaded, idle = x5650()[:-1], x5650()[-1:]
    both = [*of_program(loaded, "1.0"), *idle, *of_program(x5650(factor=2.0)[:-1], "2.0")]
    first, second = load_curves(both, "ssj").curves
    assert [first.key, second.key] == ["s/c (program 1.0)", "s/c (program 2.0)"]
    assert (first.rows[0].power_w.value, second.rows[0].power_w.value) == pytest.approx((258, 516))
    assert (first.rows[-1].power_w.value, second.rows[-1].power_w.value) == pytest.approx((80, 80))
    assert (first.program_versions, second.program_versions) == (["1.0"], ["2.0"])
    assert first.name != second.name
    assert load_levels_view(both, "s/c (program 2.0)", "ssj").rows == second.rows
    with pytest.raises(InputError, match="several versions of the load program") as error:
        load_levels_view(both, "s/c", "ssj")
    assert error.value.remedy == "Name one of its curves: s/c (program 1.0), s/c (program 2.0)."


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
