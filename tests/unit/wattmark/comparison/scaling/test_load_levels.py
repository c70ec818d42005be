"""± of the figures over load levels, against propagation by the package uncertainties and closed forms."""

import math

import pytest
import uncertainties
from wattmark.comparison.scaling.load_levels import load_levels_view

from ...pairs import on_meter, pair, with_idle

LEVELS = {"100 %": (1000.0, 200.0), "50 %": (500.0, 150.0), "10 %": (100.0, 110.0)}
IDLE_W = 100.0
Z = 1.959964


def without_plus_minus(result, specified):
    """Take the ± of power and efficiency away where nothing is specified of the meter."""
    none = {"u": None, "k95": None}
    figures = {
        name: figure and figure.model_copy(update=none)
        for name in ("power", "efficiency")
        if (figure := getattr(result, name))
    }
    return result if specified else result.model_copy(update=figures)


def curve(u=0.01, gain=0.0, specified=True, **changes):
    """One run at each level and one at idle; throughput, power and quotient scatter by u, all of them independent."""
    pairs = []
    for level, (rate, watts) in LEVELS.items():
        run, result = on_meter(pair("c", rate, watts, u, workload="ssj", level=level), gain)
        scatter, *others = result.efficiency.budget
        both = scatter.model_copy(update={"u_result": math.sqrt(2) * scatter.u_result})
        efficiency = result.efficiency.model_copy(update={"budget": (both, *others)})
        result = without_plus_minus(result.model_copy(update={"efficiency": efficiency} | changes), specified)
        pairs.append((run, result))
    idle, at_rest = on_meter(pair("c", None, IDLE_W, u, workload="ssj", level="active idle"), gain)
    at_rest = without_plus_minus(at_rest.model_copy(update=changes), specified)
    return load_levels_view([*pairs, (idle, at_rest)], "s/c", "ssj")


def by_hand(u, gain=0.0):
    """Propagate the same inputs, each an independent variable, the gain one for all (k = 1.96 for known scatter)."""
    common = uncertainties.ufloat(1, gain)
    rates = [uncertainties.ufloat(rate, u * rate) for rate, _ in LEVELS.values()]
    watts = [uncertainties.ufloat(w, u * w) * common for _, w in LEVELS.values()]
    watts.append(uncertainties.ufloat(IDLE_W, u * IDLE_W) * common)
    full, half, tenth, idle = (w / watts[0] for w in watts)
    area = 0.5 * (full + half) / 2 + 0.4 * (half + tenth) / 2 + 0.1 * (tenth + idle) / 2
    line = watts[3] + (watts[0] - watts[3]) * 0.1
    return {
        "overall": sum(rates) / sum(watts),
        "energy_proportionality": 2 - 2 * area,
        "idle_to_peak": idle,
        "linear_deviation": watts[2] / line - 1,
    }


@pytest.mark.parametrize(("u", "gain"), [(0.002, 1e-9), (0.002, 0.01), (1e-6, 0.01)])
def test_figures_over_all_levels_are_those_of_linear_propagation(u, gain):
    view = curve(u, gain)
    for name, expected in by_hand(u, gain).items():
        assert getattr(view, name).value == pytest.approx(expected.nominal_value), name
        assert pytest.approx(Z * expected.std_dev, rel=2e-3, abs=1e-9) == getattr(view, name).U95, name


def test_a_shared_gain_error_of_one_per_cent_is_one_per_cent_of_the_overall_figure():
    view = curve(u=1e-7, gain=0.01)
    assert view.overall.U95 / view.overall.value == pytest.approx(Z * 0.01, rel=1e-3)
    for row in view.rows[:-1]:
        assert row.ops_per_joule.U95 / row.ops_per_joule.value == pytest.approx(Z * 0.01, rel=1e-3)
    # What scales all watts alike leaves their shares as they are.
    assert view.energy_proportionality.U95 < 1e-5
    assert view.idle_to_peak.U95 < 1e-5


def test_independent_scatter_of_watts_adds_in_quadrature():
    """1 % of each of the watts and of the work: sqrt(sum P_i^2)/sum P and the same of the work."""
    view = curve(u=0.01)
    watts = [w for _, w in LEVELS.values()] + [IDLE_W]
    rates = [rate for rate, _ in LEVELS.values()]
    relative = 0.01 * math.hypot(math.hypot(*watts) / sum(watts), math.hypot(*rates) / sum(rates))
    assert view.overall.U95 / view.overall.value == pytest.approx(Z * relative, rel=1e-3)


def test_work_and_watts_that_vary_together_leave_less_in_the_overall_figure():
    """One level with idle; X and P vary alike, so X/P does not: ln(X/(P + P0)) keeps P0/(P + P0) of the 1 %."""
    run, result = pair("c", 1000.0, 200.0, 0.01, workload="ssj", level="100 %")
    constant = result.efficiency.budget[0].model_copy(update={"u_result": 1e-9})
    efficiency = result.efficiency.model_copy(update={"budget": (constant,)})
    pairs = [
        (run, result.model_copy(update={"efficiency": efficiency})),
        pair("c", None, 100.0, 1e-9, workload="ssj", level="active idle"),
    ]
    view = load_levels_view(pairs, "s/c", "ssj")
    assert view.overall.U95 / view.overall.value == pytest.approx(Z * 0.01 / 3, rel=1e-3)


def test_idle_of_idle_phases_shares_the_gain_of_the_meter():
    runs = [
        with_idle(on_meter(pair("c", rate, w, 1e-7, workload="ssj", level=level), 0.01), 100.0, 1e-5, {"gain": 1.0})
        for level, (rate, w) in LEVELS.items()
    ]
    view = load_levels_view(runs, "s/c", "ssj")
    assert pytest.approx(Z * 1.0, rel=1e-3) == view.rows[-1].power_w.U95
    assert view.overall.U95 / view.overall.value == pytest.approx(Z * 0.01, rel=1e-3)
    assert view.idle_to_peak.U95 < 1e-5


def test_meter_of_which_nothing_is_known_gives_no_plus_minus_and_the_reason():
    why = "outlet has neither specification nor certificate, so no ± can be given: not traceable."
    view = curve(specified=False, traceable=False, notes=(why,))
    assert view.overall.value == pytest.approx(1600 / 560)
    figures = ("overall", "energy_proportionality", "idle_to_peak", "linear_deviation")
    assert [getattr(view, name).U95 for name in figures] == [None] * 4
    assert "±" not in view.statement
    assert [row.power_w.U95 for row in view.rows] == [None] * 4
    assert all(row.remark == why for row in view.rows)
    assert f"The figures of all levels have no ±: {why}" in view.remarks


def test_calibration_intervals_are_no_levels():
    """They find the maximum. With them the loads would be shares of the highest throughput, no targets."""
    run, result = pair("c", 1500.0, 220.0, 0.01, workload="ssj", level="calibration 1")
    disclosed = run.disclosure.changed(task={"task": "calibrate", "level": 10**6})
    calibration = run.model_copy(update={"disclosure": disclosed}), result
    levels = [pair("c", rate, watts, 0.01, workload="ssj", level=level) for level, (rate, watts) in LEVELS.items()]
    idle = pair("c", None, IDLE_W, 0.01, workload="ssj", level="active idle")
    view = load_levels_view([calibration, *levels, idle], "s/c", "ssj")
    assert [row.load_pct for row in view.rows] == [100, 50, 10, 0]
    assert not any("share of the highest throughput" in text for text in view.remarks)
