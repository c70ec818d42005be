"""Watts per DIMM: half widths of method 5.3, statsmodels as oracle, honest coverage."""

import math

import numpy as np
import pytest
from wattmark.analysis.parts.fit import CountedRun, fit_counts
from wattmark.analysis.refusal import Refused
from wattmark.core.part_words import DIMM, part_words


def runs(counts, power, within=None, shared=None, installation="{}"):
    """One run each; every run is an installation of its own, unless ``installation`` is the same for all."""
    shared_errors = [shared] * len(counts) if not isinstance(shared, list) else shared
    return [
        CountedRun(int(n), float(p), within, s or {}, installation=installation.format(i))
        for i, (n, p, s) in enumerate(zip(counts, power, shared_errors, strict=True))
    ]


def fit_dimms(runs):
    return fit_counts(runs, DIMM)


@pytest.mark.parametrize(
    ("counts", "repeats", "half_width"),
    [
        ([4, 8], 3, 0.57),
        ([2, 4, 8], 3, 0.32),
        ([1, 2, 4, 8], 3, 0.24),
        ([2, 4, 6, 8], 3, 0.29),
        ([2, 4, 6, 8], 1, 0.96),
        ([4, 8, 12, 16], 3, 0.14),
    ],
)
def test_half_widths_with_one_watt_of_scatter(counts, repeats, half_width):
    """method 5.3, half width of the 95 % interval [W/DIMM]; residuals scaled to a standard deviation of 1 W.

    Every run is an installation of its own, and the repeats scatter alike at every count.
    """
    n = np.repeat(counts, repeats).astype(float)
    design = np.column_stack((np.ones_like(n), n))
    once = np.random.default_rng(8).normal(size=len(counts))
    residual = np.tile([-1.0, 0.0, 1.0], len(counts)) if repeats == 3 else once
    residual -= design @ np.linalg.lstsq(design, residual, rcond=None)[0]
    residual /= math.sqrt(residual @ residual / (len(n) - 2))
    fit = fit_dimms(runs(n, 200 + 6.4 * n + residual))
    low, high = fit.interval.ends
    assert fit.slope == pytest.approx(6.4)
    assert (high - low) / 2 == pytest.approx(half_width, abs=0.006)


@pytest.fixture
def campaign():
    rng = np.random.default_rng(21)
    n = np.repeat([2.0, 4.0, 8.0], 4)
    return n, 243 + 6.4 * n + np.tile([-1.2, -0.3, 0.4, 1.1], 3) + np.repeat(rng.normal(0, 0.3, 3), 4)


def test_against_statsmodels(campaign):
    import statsmodels.api as sm

    n, p = campaign
    oracle = sm.OLS(p, sm.add_constant(n)).fit()
    fit = fit_dimms(runs(n, p))
    assert (fit.intercept, fit.slope) == (pytest.approx(oracle.params[0]), pytest.approx(oracle.params[1]))
    assert fit.interval.ends == pytest.approx(tuple(oracle.conf_int()[1]))
    band = oracle.get_prediction(sm.add_constant(np.array([3.0, 8.0]))).conf_int()
    assert [row[2:] for row in fit.line([3.0, 8.0])] == [pytest.approx(tuple(row)) for row in band]


def test_hc3_against_statsmodels(campaign):
    """Where the runs scatter more with more modules the heteroscedastic error serves."""
    import statsmodels.api as sm

    n, p = campaign
    p = p + np.where(n == 8, 2.0, 0.0) * np.tile([-1.2, -0.3, 0.4, 1.1], 3)
    oracle = sm.OLS(p, sm.add_constant(n)).fit()
    assert fit_dimms(runs(n, p)).slope_u == pytest.approx(oracle.get_robustcov_results("HC3").bse[1])
    assert fit_dimms(runs(n, p)).slope_u > oracle.bse[1]


def test_lack_of_fit_against_statsmodels(campaign):
    import statsmodels.api as sm
    from statsmodels.stats.anova import anova_lm

    n, p = campaign
    p = p + np.where(n == 4, 5.0, 0.0)
    line = sm.OLS(p, sm.add_constant(n)).fit()
    cells = sm.OLS(p, np.column_stack([n == c for c in (2, 4, 8)]).astype(float)).fit()
    fit = fit_dimms(runs(n, p))
    assert fit.lack_of_fit_p == pytest.approx(float(anova_lm(line, cells)["Pr(>F)"].iloc[1]))
    assert fit.lack_of_fit_p < 0.05


def test_theil_sen_twin(campaign):
    n, p = campaign
    p = p.copy()
    p[0] += 60
    fit = fit_dimms(runs(n, p))
    assert abs(fit.theil_sen - 6.4) < 0.5 < abs(fit.slope - 6.4)


def test_lack_of_fit_needs_three_counts_and_replicates(campaign):
    n, p = campaign
    two = n != 4
    assert fit_dimms(runs(n[two], p[two])).lack_of_fit_p is None
    assert fit_dimms(runs([2, 4, 8], [255.8, 268.6, 294.2])).lack_of_fit_p is None


def test_gain_error_scales_the_slope_and_an_offset_cancels():
    """One meter: 1 % gain acts as 1 % of the slope; a fixed 60 W limit cancels."""
    n = np.repeat([2, 4, 8], 3)
    p = 243 + 6.4 * n
    gain = fit_dimms(runs(n, p, shared=[{"m": 0.01 * x} for x in p]))
    offset = fit_dimms(runs(n, p, shared=[{"m": 60.0} for _ in p]))
    assert gain.slope_u == pytest.approx(0.064, rel=1e-6)
    assert offset.slope_u == pytest.approx(0.0, abs=1e-9)


def test_another_meter_for_one_count_counts_in_full():
    n = np.repeat([2, 8], 3)
    p = 243 + 6.4 * n
    fit = fit_dimms(runs(n, p, shared=[{"a" if c == 2 else "b": 1.5} for c in n]))
    assert fit.slope_u == pytest.approx(1.5 * math.sqrt(2) / 6)


def test_agreement_by_luck_is_not_believed():
    """Points exactly on a line, but each run known to 1 W only: sqrt(1/Sxx)."""
    n = np.repeat([2, 4, 8], 3)
    fit = fit_dimms(runs(n, 243 + 6.4 * n, within=1.0))
    assert fit.slope_u == pytest.approx(
        1 / math.sqrt(3 * (14 / 3 - 2) ** 2 + 3 * (14 / 3 - 4) ** 2 + 3 * (8 - 14 / 3) ** 2)
    )


@pytest.mark.parametrize(
    ("seed", "trials", "scatter_w", "most"), [(31, 700, 0.5, 0.98), (32, 500, 0.02, 1.0)], ids=["scatter", "gain"]
)
def test_coverage_of_watts_per_dimm(seed, trials, scatter_w, most):
    """Campaigns of {2, 4, 8} x 3 with run-to-run scatter and one meter of unknown gain.

    Where gain dominates, a rectangular error under a normal interval is covered at least as often as promised.
    """
    rng, n, hits = np.random.default_rng(seed), np.repeat([2, 4, 8], 3), 0
    for _ in range(trials):
        gain = 1 + rng.uniform(-0.015, 0.015)
        p = gain * (243 + 6.4 * n + rng.normal(0, scatter_w, 9))
        fit = fit_dimms(runs(n, p, shared=[{"m": 0.015 / math.sqrt(3) * x} for x in p]))
        low, high = fit.interval.ends
        hits += low <= 6.4 <= high
    assert 0.93 <= hits / trials <= most


@pytest.mark.parametrize(
    ("counts", "power", "reason"),
    [
        ([4, 4, 4], [250, 251, 252], "one-count"),
        ([2, 8], [250, 290], "few-runs"),
        ([2, 4, 8], [250, math.nan, 290], "not-finite"),
    ],
)
def test_too_little_is_refused(counts, power, reason):
    with pytest.raises(Refused) as refusal:
        fit_dimms(runs(counts, power))
    assert refusal.value.reason == reason


def _coverage(
    counts, repeats, *, trials=600, seed=5, seat_w=0.0, sd_w=0.3, grows=False, bend_w=0.0, meter=None, new=False
):
    """Share of campaigns whose interval holds 5 W per DIMM; ``new``: every run is an installation of its own."""
    rng = np.random.default_rng(seed)
    n = np.repeat(counts, repeats)
    sd = sd_w * (n / np.mean(counts) if grows else np.ones(len(n)))
    share = (n - n.min()) / (n.max() - n.min())
    hits = 0
    for _ in range(trials):
        seated = rng.normal(0, seat_w, len(n)) if new else np.repeat(rng.normal(0, seat_w, len(counts)), repeats)
        p = 230 + 5 * n + seated + rng.normal(0, 1, len(n)) * sd + 4 * bend_w * share * (1 - share)
        own = None if meter is None else meter(n)
        low, high = fit_dimms(runs(n, p, shared=own, installation="{}" if new else "once")).interval.ends
        hits += low <= 5.0 <= high
    return hits / trials


@pytest.mark.parametrize("seat_w", [0.3, 1.0])
@pytest.mark.parametrize(("counts", "repeats"), [((2, 4, 8), 3), ((2, 4, 6, 8), 3), ((1, 2, 4, 6, 8), 2)])
def test_coverage_with_scatter_from_seating(counts, repeats, seat_w):
    """Every count was fitted once: repeats say nothing of seating, the level means do. It was 0.56 to 0.66."""
    assert 0.93 <= _coverage(counts, repeats, seat_w=seat_w) <= 0.98


@pytest.mark.parametrize("new", [True, False])
@pytest.mark.parametrize(("counts", "repeats"), [((2, 4, 8), 3), ((2, 4, 6, 8), 3)])
def test_coverage_of_clean_campaigns(counts, repeats, new):
    assert 0.93 <= _coverage(counts, repeats, new=new) <= 0.98


def test_coverage_where_every_run_was_seated_anew():
    assert 0.93 <= _coverage((2, 4, 8), 3, seat_w=1.0, new=True) <= 0.98
    assert 0.93 <= _coverage((4, 8), 5, seat_w=1.0, new=True) <= 0.98


@pytest.mark.parametrize("new", [True, False])
def test_coverage_where_scatter_grows_with_the_count(new):
    """It was 0.897 with one scatter for all counts."""
    assert 0.93 <= _coverage((2, 4, 8), 3, grows=True, new=new) <= 0.98


def test_coverage_with_a_meter_that_is_curved():
    """Curved by 0.3 W inside a limit of 0.5 W, a fifth of which is taken as not shared by the counts; it was 0.667."""

    def meter(n):
        return [{f"not linear at {count}": 0.2 * 0.5 / math.sqrt(3)} for count in n]

    assert _coverage((2, 4, 8), 3, bend_w=0.3, sd_w=0.1, meter=meter) >= 0.93
    assert _coverage((2, 4, 6, 8), 3, bend_w=0.3, sd_w=0.1, meter=meter, new=True) >= 0.93


@pytest.mark.parametrize("counts", [(2, 4, 8), (4, 8), (4, 6)])
def test_coverage_with_a_meter_that_shows_whole_watts(counts):
    """Five quiet repeats of 5.3 W per DIMM show the same digit; its error is common to them. It was 0.22 to 0.81."""
    rng = np.random.default_rng(6)
    n = np.repeat(counts, 5)
    hits = 0
    for _ in range(300):
        p = np.round(rng.uniform(200, 300) + 5.3 * n + np.repeat(rng.normal(0, 0.02, len(counts)), 5))
        shared = [{f"last digit at {count}": 1 / math.sqrt(12)} for count in n]
        slope = fit_dimms(runs(n, p, shared=shared, installation="once")).interval
        hits += slope.low <= 5.3 <= slope.high
    assert hits / 300 >= 0.93


def test_two_counts_fitted_once_bound_nothing():
    n = np.repeat([4, 8], 10)
    p = 230 + 5.0 * n + np.tile([-0.1, 0.1], 10)
    once, anew = (fit_dimms(runs(n, p, installation=name)) for name in ("once", "{}"))
    assert (once.bounded, once.one_installation_each) == (False, True)
    assert (anew.bounded, anew.one_installation_each) == (True, False)
    assert once.slope == pytest.approx(anew.slope)


def test_installations_count_alike_however_often_they_were_run():
    """Two counts, two installations each of 1 and 3 runs: a slope through their means, 4 - 2 degrees of freedom."""
    n = np.array([4, 4, 4, 4, 8, 8, 8, 8])
    names = ["a", "b", "b", "b"] * 2
    p = np.array([250.0, 252.0, 252.0, 252.0, 270.0, 274.0, 274.0, 274.0])
    fit = fit_dimms(
        [CountedRun(int(c), float(w), None, {}, installation=i) for c, w, i in zip(n, p, names, strict=True)]
    )
    assert (fit.slope, fit.dof) == (pytest.approx((272 - 251) / 4), pytest.approx(2.0))
    assert fit.slope_u == pytest.approx(math.sqrt((1 + 1 + 4 + 4) / 2 / 16))


@pytest.mark.parametrize("run_sd_w", [0.1, 0.3, 1.0])
def test_three_counts_once_each_hold_the_slope(run_sd_w):
    """2, 4 and 8 DIMMs once each, 5 W per DIMM, noise of 0.06 W within the runs: one degree of freedom, factor 12.7.

    Where the runs' own scatter replaced a smaller one about the line, the intervals held 5 W in 0.83 to 0.89.
    """
    rng, n, held = np.random.default_rng(8), np.array([2, 4, 8]), 0
    for _ in range(600):
        low, high = fit_dimms(
            runs(n, 200 + 5 * n + rng.normal(0, math.hypot(run_sd_w, 0.06), 3), within=0.06)
        ).interval.ends
        held += low <= 5.0 <= high
    assert 0.93 <= held / 600 <= 0.985


def test_watts_without_parts_have_their_interval_where_they_were_measured():
    """OLS by hand: 100, 102 W without and 110, 112 W with two: 101 + 5 n, residuals of 1 W, sd sqrt(4 / 2).

    u(101 W) = sqrt(2) sqrt(1/4 + 1^2/4) = 1 W, and t at 97.5 % of 2 degrees of freedom is 4.30265.
    """
    fit = fit_dimms(runs([0, 0, 2, 2], [100, 102, 110, 112]))
    assert fit.base_measured
    assert (fit.base.value, fit.base.U95) == pytest.approx((101.0, 4.30265), abs=1e-5)
    above = fit_dimms(runs([1, 1, 3, 3], [100, 102, 110, 112]))
    assert not above.base_measured
    assert above.base.value == pytest.approx(96.0)
    assert above.base.ends == (None, None)


def test_a_line_is_drawn_over_the_counts():
    fit = fit_dimms(runs([0, 0, 2, 2], [100, 102, 110, 112]))
    drawn = fit.across(3)
    assert [count for count, *_ in drawn] == [0, 1, 2]
    assert [watts for _, watts, *_ in drawn] == pytest.approx([101, 106, 111])


def test_what_is_wrong_with_a_fit_of_any_figure_is_said_in_its_words():
    """Throughput is fitted as power is: what is not finite is no power then, and what is counted is no DIMM."""
    drive = part_words("drive")
    with pytest.raises(Refused, match=r"^What was measured in a run is not a finite number; exclude that run\.$"):
        fit_counts(runs([1, 2, 4], [500.0, math.inf, 2000.0]), drive)
    with pytest.raises(Refused, match=r"^All runs have the same drive count; measure at least one more drive count\.$"):
        fit_counts(runs([4, 4, 4], [2000.0, 2010.0, 1990.0]), drive)
