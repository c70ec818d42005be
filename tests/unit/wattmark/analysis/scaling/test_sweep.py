"""Peak, knee and mean over levels: MySQL against concurrency as printed, and curves with a known knee."""

import math

import pytest
from wattmark.analysis.comparison.measured import Measured, measured
from wattmark.analysis.comparison.rounding import round_half_away
from wattmark.analysis.refusal import Refused
from wattmark.analysis.scaling.sweep import knee, mean_from, mean_of, peak, saturation, sweep

LEVELS = (1, 2, 5, 10, 20, 35, 50)
PRINTED = {
    "dual_gallatin": ([243, 357, 466, 505, 496, 508, 497], 494, 508, 35),
    "single_gallatin": ([248, 317, 356, 361, 350, 355, 348], 354, 361, 10),
    "dual_nocona": ([280, 423, 473, 521, 531, 555, 526], 521, 555, 35),
    "dual_irwindale": ([286, 450, 497, 517, 545, 506, 495], 512, 545, 20),
    "pentium_d_3.2": ([233, 344, 442, 487, 507, 490, 502], 486, 507, 20),
    "dual_opteron250": ([290, 438, 543, 629, 670, 665, 669], 635, 670, 20),
    "single_opteron252": ([319, 399, 470, 502, 498, 507, 508], 497, 508, 50),
}


@pytest.mark.parametrize(("values", "mean_5", "best", "level"), PRINTED.values(), ids=PRINTED)
def test_article_002_mean_over_five_and_higher_and_peak(values, mean_5, best, level):
    curve = sweep(LEVELS, measured(values))
    above = mean_from(curve, 5)
    assert round_half_away(above.figure.value, 0) == mean_5
    assert above.levels == (5, 10, 20, 35, 50)
    assert (peak(curve).figure.value, peak(curve).level) == (best, level)
    assert peak(curve).at_edge is (level == 50)


@pytest.mark.parametrize(("name", "exact", "printed"), [("nocona", 368.6, 368), ("opteron250", 459.4, 460)])
def test_article_002_means_that_need_unrounded_inputs(name, exact, printed):
    """Two printed averages do not follow from the printed cells; the recomputed ones must differ from them."""
    cells = {"nocona": [358, 375, 371, 371, 368], "opteron250": [435, 465, 455, 470, 472]}[name]
    value = mean_of(measured(cells)).value
    assert value == exact
    assert round_half_away(value, 0) != printed


def test_order_of_rows_does_not_matter():
    values = PRINTED["dual_nocona"][0]
    turned = sweep(LEVELS[::-1], measured(values[::-1]))
    assert turned == sweep(LEVELS, measured(values))


def test_knee_of_a_broken_line():
    """Straight up to 8, flat to 64: the knee is the break; chord height there by hand (1 - 1/7) - (7/62)."""
    levels = [1, 2, 4, 8, 16, 32, 63]
    values = [100, 200, 400, 800, 801, 802, 803]
    bend = knee(sweep(levels, measured(values)))
    assert (bend.level, bend.value) == (8, 800)
    assert bend.bow == pytest.approx(700 / 703 - 7 / 62)


@pytest.mark.parametrize(
    ("values", "better"),
    [([100, 200, 300, 400], "higher"), ([400, 300, 200, 100], "higher"), ([1, 2, 3, 9], "lower")],
)
def test_curves_without_a_knee(values, better):
    with pytest.raises(Refused) as refusal:
        knee(sweep([1, 2, 3, 4], measured(values), better))
    assert refusal.value.reason in {"no-knee", "lower-is-better"}


def test_response_time_is_best_where_it_is_lowest():
    best = peak(sweep([1, 2, 4], measured([3.0, 2.0, 2.0]), "lower"))
    assert (best.level, best.also_at, best.at_edge) == (2, (4,), False)


def test_saturation_is_the_first_level_at_95_pct():
    assert saturation(sweep(LEVELS, measured(PRINTED["dual_opteron250"][0]))) == 20
    assert saturation(sweep(LEVELS, measured(PRINTED["dual_opteron250"][0])), 0.9) == 10
    with pytest.raises(Refused):
        saturation(sweep([1, 2], measured([1.0, 2.0])), 1.5)


def test_scatter_of_a_mean_of_levels():
    mean = mean_of([Measured(10.0, 3.0), Measured(20.0, 4.0)])
    assert (mean.value, mean.u) == (15.0, 2.5)
    assert mean_of([Measured(10.0, 3.0), Measured(20.0)]).u is None


@pytest.mark.parametrize(
    ("levels", "values", "reason"),
    [
        ([1], [1.0], "one-point"),
        ([1, 1, 2], [1.0, 1.1, 2.0], "equal-levels"),
        ([1, 2], [1.0, 0.0], "zero"),
        ([1, 2], [1.0, -5.0], "negative"),
        ([1, 2, 3], [1.0, 2.0], "unequal-lengths"),
    ],
)
def test_tables_that_are_refused(levels, values, reason):
    with pytest.raises(Refused) as refusal:
        sweep(levels, measured(values))
    assert refusal.value.reason == reason


def test_no_level_high_enough():
    with pytest.raises(Refused) as refusal:
        mean_from(sweep([1, 2], measured([1.0, 2.0])), 5)
    assert refusal.value.reason == "no-level"
    with pytest.raises(Refused):
        sweep([1, math.nan], measured([1.0, 2.0]))
