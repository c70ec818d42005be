"""A straight trend with time beside the slope over the count."""

from dataclasses import replace

from wattmark.analysis.parts.fit import CountedRun, fit_counts
from wattmark.core.part_words import DIMM


def test_a_trend_that_goes_partly_with_the_count_is_in_the_interval():
    """0.29 of the variance of the counts goes with time; 5 W per DIMM and nothing but 0.3 W per run beside it."""
    order = (2, 4, 2, 2, 4, 8, 2, 4, 2, 8, 4, 2, 8, 4, 8, 8, 4, 8)
    timed = [
        CountedRun(n, 200 + 5.0 * n + 0.3 * k, 0.02, {}, installation=str(k), made_s=600.0 * k)
        for k, n in enumerate(order)
    ]
    low, high = fit_counts(timed, DIMM).interval.ends
    assert low < 5.0 < high < 6.5
    low, _ = fit_counts([replace(run, made_s=None) for run in timed], DIMM).interval.ends
    assert low > 5.0


def test_a_trend_in_sweeps_up_and_down_does_not_widen():
    order = (2, 4, 8, 8, 4, 2) * 2
    timed = [
        CountedRun(n, 200 + 5.0 * n + 0.3 * k, 0.02, {}, installation=str(k), made_s=600.0 * k)
        for k, n in enumerate(order)
    ]
    assert fit_counts(timed, DIMM).interval == fit_counts([replace(run, made_s=None) for run in timed], DIMM).interval
