"""Comparison of one group with the baseline."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from wattmark.analysis.comparison.comparison import (
    Estimate,
    System,
    around,
    can_test,
    equivalent,
    more_repeats,
    ratio,
    same_meter,
)
from wattmark.analysis.comparison.course import turns
from wattmark.analysis.comparison.ranking import Comparisons
from wattmark.comparison.compare.installations import missing_scatter
from wattmark.comparison.compare.ratio_budget import cancelling, ratio_budget
from wattmark.comparison.compare.views import CompareGroup, ComparePair
from wattmark.comparison.compare.wording import bare, difference, small, tie, untested
from wattmark.comparison.compare.yardstick import EFFICIENCY, Yardstick
from wattmark.core.interval import Interval


def compare_pair(
    key: str,
    base: str,
    systems: Mapping[str, System],
    compared: Comparisons,
    names: Mapping[str, str],
    by: Yardstick = EFFICIENCY,
    simulated: Collection[str] = (),
    *,
    programs: Mapping[str, Sequence[str]],
    budgets: bool = True,
) -> ComparePair | None:
    """Compare two measured groups; None where the ratio has no uncertainty.

    ``programs`` are the versions of the load program by group. ``simulated`` names the groups whose power comes
    from a model; they are not tested against measured ones. Without ``budgets`` the pair has no budget of its ratio.
    """
    a, b = systems[key], systems[base]
    estimate = ratio(a, b)
    if estimate is None or estimate.u == 0:
        return None
    model = [names[k] for k in (key, base) if k in simulated]
    significant = compared.significant(key, base)
    # no interval from one run, for measured against simulated, or where an uncertainty is incomplete and not shared
    bounded = min(a.log.n, b.log.n) > 1 and len(model) != 1 and ((a.complete and b.complete) or same_meter(a, b))
    order = turns(a.course, b.course)
    program = different_programs(programs.get(key, ()), programs.get(base, ()))
    if significant is None:
        barred = order if compared.only_order_bars(key, base) else None
        other = program if compared.is_set_apart(key, base) else ""
        verdict = untested(
            names[key], names[base], estimate, a, b, by, model=model, bounded=bounded, order=barred, other=other
        )
    else:
        verdict = _tested(names[key], names[base], estimate, a, b, by, significant=significant)
    if program and not compared.is_set_apart(key, base):
        verdict += f"; {program}"
    missing = missing_scatter({names[key]: a, names[base]: b}) if bounded else None
    tested = significant is not None and can_test(a, b)
    return ComparePair(
        key=key,
        baseline=base,
        ratio=around(estimate.value, estimate if bounded else None),
        budget=ratio_budget(estimate, a, b, (names[key], names[base])) if bounded and budgets else [],
        cancels=cancelling(a, b) if bounded and budgets else [],
        p_adjusted=compared.p_adjusted.get((key, base), compared.p_adjusted.get((base, key))),
        significant=significant,
        equivalent=equivalent(estimate, by.margin) if tested else None,
        repeats_needed=more_repeats(a, b, by.margin) if tested else None,
        turns=order,
        verdict=f"{verdict}; {missing}." if missing else f"{verdict}.",
    )


def different_programs(new: Sequence[str], old: Sequence[str]) -> str:
    """Describe different versions of the load program of two groups; empty if they are equal, or one is not known."""
    if not programs_differ(new, old):
        return ""
    return f"the load program differs ({', '.join(new)} against {', '.join(old)}), which may be all of the difference"


def programs_differ(new: Sequence[str], old: Sequence[str]) -> bool:
    """Return whether two groups are known to have run other versions of the load program."""
    return bool(new and old) and list(new) != list(old)


def _tested(name: str, base: str, estimate: Estimate, a: System, b: System, by: Yardstick, *, significant: bool) -> str:
    if significant:
        return difference(name, base, estimate, by) + small(estimate, by)
    return tie(name, base, estimate, a, b, by)


def published_pair(
    view: CompareGroup, baseline: CompareGroup, names: Mapping[str, str], by: Yardstick = EFFICIENCY
) -> ComparePair | None:
    """Compare two groups of which at least one is published: a ratio of figures, without a test.

    The interval divides the extremes of both intervals; those of published figures include rounding only.
    """
    a, b = by.value(view), by.value(baseline)
    if a is None or b is None:
        return None
    quotient = a.value / b.value
    program = different_programs(view.program_versions, baseline.program_versions)
    return ComparePair(
        key=view.key,
        baseline=baseline.key,
        ratio=Interval(value=quotient, low=a.low / b.high, high=a.high / b.low),
        p_adjusted=None,
        significant=None,
        verdict=(
            f"{bare(names[view.key], names[baseline.key], quotient, by)}; not tested: the scatter and the meter of a "
            f"published figure are not known{f'; {program}' if program else ''}."
        ),
    )
