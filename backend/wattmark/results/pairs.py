"""One group against the baseline."""

from __future__ import annotations

from collections.abc import Mapping

from wattmark.analysis.comparison import System, can_test, equivalent, more_repeats, ratio
from wattmark.analysis.ranking import Comparisons
from wattmark.results.views import CompareGroup, ComparePair
from wattmark.results.wording import difference, small, tie, untested
from wattmark.results.yardstick import EFFICIENCY, Yardstick


def compare_pair(
    key: str,
    base: str,
    systems: Mapping[str, System],
    compared: Comparisons,
    names: Mapping[str, str],
    by: Yardstick = EFFICIENCY,
) -> ComparePair | None:
    """Hold a measured group against a measured baseline; None where nothing is known about the scatter of either."""
    a, b = systems[key], systems[base]
    estimate = ratio(a, b)
    if estimate is None or estimate.u == 0:
        return None
    significant = compared.significant(key, base)
    if significant is None:
        verdict = untested(names[key], names[base], estimate, a, b, by)
    elif significant:
        verdict = difference(names[key], names[base], estimate, by) + small(estimate, by)
    else:
        verdict = tie(names[key], names[base], estimate, a, b, by)
    low, high = estimate.interval()
    return ComparePair(
        key=key,
        baseline=base,
        ratio=estimate.value,
        low=low,
        high=high,
        p_adjusted=compared.p_adjusted.get((key, base), compared.p_adjusted.get((base, key))),
        significant=significant,
        equivalent=equivalent(estimate, by.margin) if can_test(a, b) else None,
        repeats_needed=more_repeats(a, b, by.margin) if can_test(a, b) else None,
        verdict=f"{verdict}.",
    )


def published_pair(
    view: CompareGroup, baseline: CompareGroup, names: Mapping[str, str], by: Yardstick = EFFICIENCY
) -> ComparePair | None:
    """Hold a group against another where at least one is published: a ratio of figures, without a test.

    The interval joins the extremes of both intervals; for published figures those come from rounding only.
    """
    a, b = by.value(view), by.value(baseline)
    if a is None or b is None:
        return None
    quotient = a.value / b.value
    return ComparePair(
        key=view.key,
        baseline=baseline.key,
        ratio=quotient,
        low=a.low / b.high,
        high=a.high / b.low,
        p_adjusted=None,
        significant=None,
        verdict=(
            f"{names[view.key]} shows {quotient:.3g} times the {by.noun} of {names[baseline.key]}; "
            "not tested: a published figure tells nothing about its scatter or its meter."
        ),
    )
